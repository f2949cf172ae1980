//! Names for tests of ours, made of the words that the tests around them are named with: whoever
//! looks for a test that is not the project's own finds none by its name.

use std::collections::BTreeSet;

/// For projects whose names have too few words.
const COMMON: [&str; 12] = [
    "value", "empty", "input", "result", "first", "default", "other", "large", "small", "single",
    "twice", "order",
];

/// What most names of tests have in common.
const EVERYWHERE: [&str; 6] = ["test", "tests", "spec", "js", "ts", "py"];

/// How many words a name has.
const WORDS: usize = 3;

/// How often a name of so many words is drawn, before it gets one word more.
const MOST_TRIED: usize = 50;

/// What tests of ours are called, in words, and the numbers in them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawn {
    pub(super) file: Vec<String>,
    pub(super) fails: Vec<String>,
    pub(super) passes: Vec<String>,
    pub(super) right: u32,
    pub(super) wrong: u32,
}

impl Drawn {
    /// Draws from the words of `known`, the names of tests and of their files. `random` is a number
    /// that nobody can know before.
    pub fn draw(known: &[&str], random: u128) -> Self {
        let mut all: BTreeSet<String> = known.iter().flat_map(|name| words(name)).collect();
        for word in COMMON {
            if all.len() < 3 * WORDS {
                all.insert(word.to_owned());
            }
        }
        let all: Vec<String> = all.into_iter().collect();
        let mut dice = Dice(random);
        let is_free = |name: &[String]| {
            let joined = [name.join("_"), name.join(" "), camel(name)];
            !known.iter().any(|known| {
                let known = known.to_lowercase();
                joined.iter().any(|name| known.contains(&name.to_lowercase()))
            })
        };
        let mut draw = |count: usize, taken: &[Vec<String>]| {
            for tried in 0.. {
                // Where all short names are taken, a longer one is free.
                let name = dice.some(&all, count + tried / MOST_TRIED);
                let joined = name.join("");
                let is_part = |other: &Vec<String>| {
                    let other = other.join("");
                    other.contains(&joined) || joined.contains(&other)
                };
                if is_free(&name) && !taken.iter().any(is_part) {
                    return name;
                }
            }
            Vec::new()
        };
        let fails = draw(WORDS, &[]);
        let passes = draw(WORDS, std::slice::from_ref(&fails));
        let file = draw(2, &[fails.clone(), passes.clone()]);
        let right = 2 + u32::try_from(dice.below(40)).unwrap_or(0);
        Self { file, fails, passes, right, wrong: right + 1 }
    }
}

/// The words of a name, also of one with humps.
fn words(name: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut was_small = false;
    for letter in name.chars().take(200) {
        let starts = letter.is_ascii_uppercase() && was_small || !letter.is_ascii_alphabetic();
        if starts {
            found.push(String::new());
        }
        if let Some(last) = found.last_mut().filter(|_| letter.is_ascii_alphabetic()) {
            last.push(letter.to_ascii_lowercase());
        }
        was_small = letter.is_ascii_lowercase();
    }
    found.retain(|word| (3..16).contains(&word.len()) && !EVERYWHERE.contains(&word.as_str()));
    found
}

/// `ZeroAndOne`.
pub(super) fn camel(words: &[String]) -> String {
    let hump = |word: &String| {
        let (first, rest) = word.split_at(word.len().min(1));
        format!("{}{rest}", first.to_ascii_uppercase())
    };
    words.iter().map(hump).collect()
}

/// Numbers from a number.
struct Dice(u128);

impl Dice {
    /// Some words, one not right after itself.
    fn some(&mut self, all: &[String], count: usize) -> Vec<String> {
        let mut name: Vec<String> = Vec::new();
        while name.len() < count {
            let word = &all[self.below(all.len())];
            if name.last() != Some(word) {
                name.push(word.clone());
            }
        }
        name
    }

    fn below(&mut self, end: usize) -> usize {
        // Knuth's multiplier for 64 bits, over all 128.
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 64) % (end.max(1) as u128)).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LP-08: the names of canaries are made of the names around them.
    #[test]
    fn names_are_of_the_words_around() {
        let known = [
            "tests/test_calc.py::AddTest::test_adds_two_numbers",
            "tests/test_calc.py::test_negative_sum",
            "test/parser.test.js > parses dates",
        ];
        for random in 0..200_u128 {
            let spread = random.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
            let drawn = Drawn::draw(&known, spread);
            assert_eq!((drawn.fails.len(), drawn.passes.len(), drawn.file.len()), (3, 3, 2));
            assert_ne!(drawn.fails, drawn.passes);
            for word in drawn.fails.iter().chain(&drawn.passes) {
                assert!(known.iter().any(|name| name.to_lowercase().contains(word)), "{word}");
            }
        }
        assert_ne!(Drawn::draw(&known, 1 << 70), Drawn::draw(&known, 9 << 90));
        assert_eq!(Drawn::draw(&[], 7).fails.len(), 3);
        assert_eq!(words("TestParsesDates_of20 a"), ["parses", "dates"]);
        assert_eq!(camel(&["zero".into(), "sum".into()]), "ZeroSum");
    }
}
