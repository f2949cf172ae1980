//! Secrets without a form of their own: `db_password = "…"`. The name must end in a word for
//! secrets, and the value must look like one, or this would find little else than code.

use super::assigned::Assigned;
use super::rules::Kind;
use super::value::{self, Mix};
use super::words;

/// The longest name has few words; more are no name.
const MAX_WORDS: usize = 12;

/// Whether an assignment gives such a secret to a name for it. What is quick to tell comes first.
pub(crate) fn is_secret(text: &[u8], found: &Assigned, kind: Kind) -> bool {
    let value = &text[found.value.clone()];
    let mix = Mix::of(value);
    let (looks, least) = match kind {
        Kind::Password => (looks_thought_of(value, mix, found.quoted), 1),
        // `self.config.token2` is code; a token with points is a JWT or has a rule of its own.
        _ if !found.quoted && value.contains(&b'.') => (false, 0),
        // By chance, three letters are a word too often.
        _ => (looks_made(value, mix), 4),
    };
    looks
        && !value::is_constant(value, mix)
        && promise(text, found) == Some(kind)
        && !words::any_in("placeholders", value, least)
        && !value::is_later(value)
        && !value::is_filler(value)
        && !value::is_uuid(value)
        && !value::is_counting(value)
}

/// What the last words of a name say: `db_password`, `API_KEY_PROD`.
fn promise(text: &[u8], found: &Assigned) -> Option<Kind> {
    let name = text.get(found.name.clone())?;
    let name = std::str::from_utf8(name).ok()?;
    let mut words: Vec<&str> = split(name).take(MAX_WORDS).collect();
    let neutral =
        |word: &&str| word.bytes().all(|b| b.is_ascii_digit()) || words::has("neutral", word);
    while words.last().is_some_and(neutral) {
        words.pop();
    }
    let last = words.pop()?;
    if words::ends("passwords", last) {
        return Some(Kind::Password);
    }
    let before = words.pop().or_else(|| word_before(text, found.name.start));
    let key =
        last.eq_ignore_ascii_case("key") && before.is_some_and(|word| !words::has("public", word));
    let plain =
        words::ends("secrets", last) && !before.is_some_and(|word| words::has("public", word));
    (key || plain).then_some(Kind::Secret)
}

/// The word before a name: `API key: …`
fn word_before(text: &[u8], at: usize) -> Option<&str> {
    let before = text[..at].strip_suffix(b" ")?;
    let letters =
        before.iter().rev().take(24).take_while(|byte| byte.is_ascii_alphabetic()).count();
    std::str::from_utf8(&before[before.len() - letters..]).ok().filter(|word| !word.is_empty())
}

/// The words of `a_name`, `aName` and `a-name2`.
fn split(name: &str) -> impl Iterator<Item = &str> {
    name.split(|letter: char| !letter.is_ascii_alphanumeric()).flat_map(|part| {
        let mut rest = part;
        std::iter::from_fn(move || {
            let bytes = rest.as_bytes();
            if bytes.is_empty() {
                return None;
            }
            let turns = |at: &usize| {
                let (one, two) = (bytes[at - 1], bytes[*at]);
                let next_small = bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
                (one.is_ascii_lowercase() && two.is_ascii_uppercase())
                    || (one.is_ascii_uppercase() && two.is_ascii_uppercase() && next_small)
                    || (one.is_ascii_digit() != two.is_ascii_digit())
            };
            let end = (1..rest.len()).find(turns).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            rest = after;
            Some(word)
        })
    })
}

/// A password: letters with digits or signs among them, and no words of code.
fn looks_thought_of(value: &[u8], mix: Mix, quoted: bool) -> bool {
    let mixed = mix.letters() >= 2 && mix.oddity() + mix.signs > 0 && mix.strange == 0;
    let path = value.starts_with(b"/") || value.starts_with(b"./") || value.starts_with(b"~");
    let code = value.iter().any(|byte| b"(){}[]<>;|`".contains(byte)) && !quoted;
    // `!vault` is a tag of YAML.
    let plain = !quoted && value::is_wordy(value.strip_prefix(b"!").unwrap_or(value));
    mixed && !path && !code && !plain
}

/// A token: what chance makes of letters and digits.
pub(crate) fn looks_made(value: &[u8], mix: Mix) -> bool {
    let often = mix.turns * 6 >= value.len();
    let chance = mix.oddity() >= 3 && often;
    chance && mix.letters() >= 2 && mix.strange == 0 && !value::is_wordy(value)
}

/// What stands where a password stands, unless it only stands for one.
pub(crate) fn is_password(value: &[u8]) -> bool {
    let word = std::str::from_utf8(value).unwrap_or("");
    !value::is_later(value) && !value::is_filler(value) && !words::has("known", word)
}
