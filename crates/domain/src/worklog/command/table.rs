//! What is known about programs (`data/worklog/runners.txt`), and how a line of it fits a command.

use super::index::{INDEX, Section, Way};

/// The options of a program that take the next word.
pub(super) fn values(program: &str) -> &'static str {
    of(Section::Values, program).next().map_or("", Way::about)
}

/// Whether one of the arguments says that a runner runs nothing.
pub(super) fn takes_back(runner: &str, arguments: &[String]) -> bool {
    let always = of(Section::Unless, "*").chain(of(Section::Unless, runner));
    let words: Vec<&str> = always.flat_map(|way| way.about().split(' ')).collect();
    arguments.iter().enumerate().any(|(at, argument)| {
        words.iter().any(|word| match word.strip_prefix('^') {
            Some(first) => at == 0 && argument == first,
            None => fits(word, argument),
        })
    })
}

/// Whether a name says tests: `test:unit`, `core-tests`, `integrationTest`.
pub(super) fn says_tests(name: &str) -> bool {
    if name.len() > 200 {
        return false;
    }
    let list =
        |kind| INDEX.iter().rev().find(|way| way.is(Section::Names, kind)).map_or("", Way::about);
    let (tests, unless) = (list("test"), list("unless"));
    words(name).any(|word| is_in(tests, word)) && !words(name).any(|word| is_in(unless, word))
}

/// The lines of a section about a program.
pub(super) fn of(section: Section, program: &str) -> impl Iterator<Item = &'static Way> {
    INDEX.iter().filter(move |way| way.is(section, program))
}

fn is_in(list: &str, word: &str) -> bool {
    list.split(' ').any(|known| known.eq_ignore_ascii_case(word))
}

/// The words of a name: at other letters, at a capital after a small letter, and without numbers
/// at the end.
fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(|letter: char| !letter.is_alphanumeric()).flat_map(|part| {
        let mut rest = part;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let bytes = rest.as_bytes();
            let turns =
                |at: &usize| bytes[at - 1].is_ascii_lowercase() && bytes[*at].is_ascii_uppercase();
            let end = (1..rest.len()).find(turns).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            rest = after;
            let bare = word.trim_end_matches(|letter: char| letter.is_ascii_digit());
            Some(if bare.len() > 1 { bare } else { word })
        })
    })
}

pub(super) fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-')
}

/// Whether an argument is what a word of the file asks for.
fn fits(word: &str, argument: &str) -> bool {
    word.split(',').any(|one| match one {
        "<test>" => !is_option(argument) && says_tests(argument),
        _ => glob(one, argument),
    })
}

/// `*` stands for anything.
fn glob(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(start) else { return false };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return text.ends_with(part);
        }
        let Some(at) = text.find(part) else { return false };
        text = &text[at + part.len()..];
    }
    true
}

/// Where the arguments go on after the options.
pub(super) fn skip_options(words: &[String], mut at: usize, values: &str) -> usize {
    while let Some(word) = words.get(at).filter(|word| is_option(word)) {
        at += 1 + usize::from(takes_value(word, values));
        if word == "--" {
            break;
        }
    }
    at.min(words.len())
}

pub(super) fn takes_value(option: &str, values: &str) -> bool {
    values.split(' ').any(|known| known == option)
}

/// Whether the arguments begin as a line of the file says; and if so, where they go on.
pub(super) fn fit(pattern: &str, words: &[String], values: &str) -> Option<usize> {
    let (mut at, mut positional, mut anywhere) = (0, false, false);
    for asked in pattern.split_whitespace() {
        if asked == "..." {
            anywhere = true;
            continue;
        }
        let option = asked.starts_with('-');
        loop {
            if !option {
                at = skip_options(words, at, values);
            }
            let word = words.get(at)?;
            at += 1;
            if fits(asked, word) {
                break;
            }
            let may_skip = if option {
                anywhere || positional || is_option(word)
            } else {
                // `cargo +nightly test`
                anywhere || (word.starts_with('+') && !asked.starts_with('+'))
            };
            if !may_skip {
                return None;
            }
            at += usize::from(option && takes_value(word, values));
        }
        positional |= !option;
        anywhere = false;
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_say_tests() {
        for name in [
            "test",
            "tests",
            "test:unit",
            "unit-test",
            "core_tests",
            "integrationTest",
            ":app:test",
            "testDebugUnitTest",
            "e2e",
            "test2",
            "//pkg:tests",
            "TEST",
        ] {
            assert!(says_tests(name), "{name}");
        }
        for name in [
            "",
            "latest",
            "contest",
            "attestation",
            "build",
            "test-deps",
            "lint:test",
            "testClasses",
            "assembleAndroidTest",
            "1",
            "protest",
            "test:build",
        ] {
            assert!(!says_tests(name), "{name}");
        }
    }

    #[test]
    fn stars_stand_for_anything() {
        for (pattern, text, expected) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("a*", "ab", true),
            ("*b", "ab", true),
            ("*b", "ba", false),
            ("*b*", "abc", true),
            ("a*c*e", "abcde", true),
            ("a*c*e", "abcd", false),
            ("*", "", true),
            ("a*a", "a", false),
        ] {
            assert_eq!(glob(pattern, text), expected, "{pattern} {text}");
        }
    }
}
