//! Inputs of tests that are known by a mark of theirs: a digest, a length and a letter, a count.

use super::View;
use crate::args::{has_word, squeeze};
use crate::literals::{inside, is_trivial, values};

/// What makes a digest, in any of the languages.
const DIGESTS: &[&str] = &[
    "hash(",
    "md5",
    "sha1",
    "sha256",
    "sha512",
    "crc32",
    "adler32",
    "blake2",
    "hashcode",
    "fnv",
    "defaulthasher",
    "createhash",
    "hexdigest",
    "digest(",
    "checksum",
    "hasher",
    "sum256",
];

/// Whether a condition knows one input by a mark, and not by what it says.
pub(super) fn is_taken(view: &View<'_>, condition: &str, answers: &[String]) -> bool {
    let says_much = answers.iter().any(|value| !is_trivial(value) && view.literals.knows(value));
    says_much
        && (is_hashed(view, condition)
            || is_measured(condition)
            || is_counted(view, condition)
            || is_summed(view, condition, answers))
}

/// A digest is compared with one that is written down.
fn is_hashed(view: &View<'_>, condition: &str) -> bool {
    let written = values(condition).iter().any(|value| is_digest(value));
    written && makes_digests(view)
}

fn makes_digests(view: &View<'_>) -> bool {
    view.new_lines().iter().any(|(_, _, code)| {
        let lower = code.to_lowercase();
        DIGESTS.iter().any(|word| lower.contains(word))
    })
}

fn is_digest(value: &str) -> bool {
    let inner = inside(value).trim_start_matches(['-']).trim_start_matches("0x");
    let letters = inner.chars().count();
    letters >= 6 && inner.chars().all(|letter| letter.is_ascii_hexdigit())
}

/// A table whose keys are digests.
pub(super) fn are_digests(view: &View<'_>, pairs: &[(&str, &str)]) -> bool {
    let is_key = |(key, _): &&(&str, &str)| values(key).first().is_some_and(|key| is_digest(key));
    let count = pairs.iter().filter(is_key).count();
    count > 0 && count == pairs.len() && makes_digests(view)
}

/// The exact length and the exact number in a field of the one thing in it, for a constant.
pub(super) fn is_one_state(condition: &str, answer: &str) -> bool {
    let squeezed = squeeze(condition);
    let numbers = squeezed
        .split("==")
        .skip(1)
        .filter(|right| right.trim_start_matches('=').starts_with(|l: char| l.is_ascii_digit()));
    let constant = answer.split_once('.').is_some_and(|(module, name)| {
        let is_name = |text: &str| text.chars().all(|l| l.is_alphanumeric() || l == '_');
        is_name(module)
            && is_name(name)
            && name.starts_with(char::is_uppercase)
            && !name.starts_with("Err")
    });
    constant && numbers.count() > 1 && is_measured(condition) && squeezed.contains("].")
}

/// The exact length, and something at one place.
fn is_measured(condition: &str) -> bool {
    let squeezed = squeeze(condition);
    let equals = |name: &str| {
        squeezed.match_indices(name).any(|(at, _)| {
            let rest = &squeezed[at + name.len()..];
            let rest = rest.split_once("==").filter(|(between, _)| between.len() < 40);
            rest.is_some_and(|(_, value)| {
                value.trim_start_matches('=').starts_with(|l: char| l.is_ascii_digit())
            })
        })
    };
    let measured = equals("len(") || equals(".length") || equals(".len()") || equals(".size()");
    let placed = [
        "[0]",
        "[1]",
        "[2]",
        "[-1]",
        "startswith(",
        "startsWith(",
        "starts_with(",
        "HasPrefix(",
        "endswith(",
        "endsWith(",
        "ends_with(",
        "HasSuffix(",
        "charAt(",
        "nth(",
        "at(",
    ]
    .iter()
    .any(|word| squeezed.contains(word));
    measured && placed
}

/// How often it was called.
fn is_counted(view: &View<'_>, condition: &str) -> bool {
    let squeezed = squeeze(condition);
    if squeezed.chars().all(|letter| letter.is_ascii_digit()) {
        // An arm for the first call, one for the second.
        return view.new_lines().iter().any(|(_, _, code)| {
            code.contains("fetch_add(") && has_word(code, "match") || code.contains("AddInt")
        });
    }
    let Some((left, right)) = squeezed.split_once("==") else { return false };
    let right = right.trim_start_matches('=').trim_end_matches([')', ':']);
    if right.is_empty() || !right.chars().all(|letter| letter.is_ascii_digit()) {
        return false;
    }
    let name = left.trim_start_matches('(').rsplit(['.', '(', '!']).next().unwrap_or("");
    let name = name.split('[').next().unwrap_or("");
    if name.len() < 2 {
        return false;
    }
    view.new_lines().iter().any(|(_, text, code)| {
        let squeezed = squeeze(code);
        let grows = [format!("{name}+=1"), format!("{name}++"), format!("{name}={name}+1")];
        let by_one = squeezed.contains(&format!("{name}=")) && squeezed.ends_with("+1");
        let kept = code.starts_with(|l: char| !l.is_whitespace()) || has_word(code, "global");
        let outer = kept || text.contains("self.") || text.contains("this.") || text.contains('.');
        let is_own = outer
            || view.code.lines().any(|line| {
                line.starts_with(|l: char| !l.is_whitespace())
                    && has_word(line, name)
                    && line.contains('=')
            });
        let counts = grows.iter().any(|word| squeezed.contains(word.as_str())) || by_one;
        counts && is_own
    })
}

/// The sum of an input, or its length, and a number of many digits that only a test expects.
fn is_summed(view: &View<'_>, condition: &str, answers: &[String]) -> bool {
    let squeezed = squeeze(condition);
    let takes = ["sum(", ".reduce(", ".sum", "max(", "min(", "len(", ".length", ".len()"];
    let is_precise = |value: &String| {
        view.literals.has(value)
            && value.chars().filter(char::is_ascii_digit).count() > 2
            && value.starts_with(|l: char| l.is_ascii_digit() || l == '-')
    };
    squeezed.contains("==")
        && takes.iter().any(|word| squeezed.contains(word))
        && answers.iter().any(is_precise)
}
