//! How many tokens a text costs an agent, at most, as a careful guess. A tokenizer's tables would be
//! most of the program's size; tests hold the guess against a real one, on prose, code and ids.
//!
//! Text is cut as tokenizers cut it: words, numbers, signs. Words that could be words cost one token
//! for three letters; letters at random, one each, because no table has them.

/// What a letter is to a tokenizer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Small,
    Capital,
    Digit,
    Space,
    Other,
}

impl Sort {
    fn of(letter: char) -> Self {
        match letter {
            'a'..='z' => Self::Small,
            'A'..='Z' => Self::Capital,
            '0'..='9' => Self::Digit,
            ' ' => Self::Space,
            _ => Self::Other,
        }
    }
}

/// How many tokens a text has at most, as far as can be guessed.
pub fn tokens(text: &str) -> usize {
    let letters: Vec<char> = text.chars().collect();
    let mut count = 0;
    let mut at = 0;
    while at < letters.len() {
        let end = end_of(&letters, at);
        count += cost(&letters[at..end], letters.get(end));
        at = end;
    }
    count
}

/// Where the run that begins at `at` ends. A capital belongs to the small letters behind it.
fn end_of(letters: &[char], at: usize) -> usize {
    let sort = Sort::of(letters[at]);
    let mut end = at + 1;
    while letters.get(end).is_some_and(|letter| Sort::of(*letter) == sort) && sort != Sort::Other {
        end += 1;
    }
    let small = |at: usize| letters.get(at).is_some_and(|letter| Sort::of(*letter) == Sort::Small);
    if sort != Sort::Capital || !small(end) {
        return end;
    }
    if end > at + 1 {
        // The last capital begins the next word: `HTTPServer`.
        return end - 1;
    }
    while small(end) {
        end += 1;
    }
    end
}

/// What one run costs; `next` is what follows it.
fn cost(run: &[char], next: Option<&char>) -> usize {
    let length = run.len();
    match Sort::of(run[0]) {
        Sort::Digit => length.div_ceil(3),
        // One space goes with the word or sign behind it, but not with a number.
        Sort::Space => {
            let goes_along = next.is_some_and(|next| !next.is_ascii_digit());
            usize::from(length > 1) + usize::from(!goes_along)
        }
        Sort::Other => match run[0].len_utf8() {
            1 => 1,
            3 if is_common(run[0]) => 2,
            bytes => bytes,
        },
        // Words that are shouted are cut smaller.
        Sort::Capital if is_word(run) && run.last().is_some_and(char::is_ascii_uppercase) => {
            (2 * length).div_ceil(5)
        }
        Sort::Small | Sort::Capital if is_word(run) => length.div_ceil(3),
        Sort::Small | Sort::Capital => length,
    }
}

/// Chinese, Japanese and Korean, whose usual letters are in the tables, and usual signs.
fn is_common(letter: char) -> bool {
    matches!(letter, '\u{2010}'..='\u{2027}' | '\u{3000}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}' | '\u{ff00}'..='\u{ff5e}')
}

/// Whether letters could be a word: some of them vowels, and few of one sort in a row.
fn is_word(letters: &[char]) -> bool {
    let is_vowel = |letter: &char| "aeiouy".contains(letter.to_ascii_lowercase());
    let mut longest = [0, 0];
    let mut length = 0;
    for (at, letter) in letters.iter().enumerate() {
        let is_same = at > 0 && is_vowel(&letters[at - 1]) == is_vowel(letter);
        length = if is_same { length + 1 } else { 1 };
        let of_sort = &mut longest[usize::from(is_vowel(letter))];
        *of_sort = length.max(*of_sort);
    }
    let [consonants, vowels] = longest;
    letters.len() == 1 || consonants <= 4 && (1..=3).contains(&vowels)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// WL-19: what costs what.
    #[test]
    fn what_costs_what() {
        let found: Vec<usize> = [
            "",
            "a",
            "the list",
            "implementation",
            "ConfigParser",
            "HTTPServer",
            "TODO",
            "xkqzv",
            "12:34:56",
            " 7",
            "a  b",
            "a ",
            "src/main.rs",
            "caf\u{e9}",
            "\u{65e5}\u{672c}",
            "\u{1f680}",
            "3f9ac1",
        ]
        .into_iter()
        .map(tokens)
        .collect();
        assert_eq!(found, [0, 1, 3, 5, 4, 6, 2, 5, 5, 2, 3, 2, 9, 3, 4, 4, 5]);
    }
}
