//! From bytes to a tree, with bounds: no entities, not too many nodes, whatever the encoding.

use std::borrow::Cow;

use countersign_domain::qa::{DoubtKind, Draft, Format};
use roxmltree::{Document, Error, ParsingOptions};

use crate::reports::mistake::Mistake;
use crate::reports::text::MAX_DOCUMENT;

/// How many elements and texts a document may have.
const MAX_NODES: u32 = 2_000_000;

const ADVICE: &str = "hand in the whole file, as the runner wrote it";

pub(super) fn mistake(words: impl Into<String>) -> Mistake {
    Mistake::new(Some(Format::Junit), words, ADVICE)
}

/// The text of a document, in the encoding that it begins with or says that it has.
pub(super) fn decode<'a>(bytes: &'a [u8], draft: &mut Draft) -> Result<Cow<'a, str>, Mistake> {
    if bytes.len() as u64 > MAX_DOCUMENT {
        let words = format!("it is larger than {} MiB", MAX_DOCUMENT >> 20);
        return Err(mistake(words).at(1, 1));
    }
    let wide = |order: fn([u8; 2]) -> u16, bytes: &[u8]| {
        let units = bytes.chunks_exact(2).map(|pair| order([pair[0], pair[1]]));
        char::decode_utf16(units).map(|letter| letter.unwrap_or('\u{fffd}')).collect::<String>()
    };
    match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => return Ok(String::from_utf8_lossy(rest)),
        [0xff, 0xfe, rest @ ..] => return Ok(wide(u16::from_le_bytes, rest).into()),
        [0xfe, 0xff, rest @ ..] => return Ok(wide(u16::from_be_bytes, rest).into()),
        _ => {}
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Ok(text.into());
    }
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]).to_lowercase();
    if ["iso-8859-1", "iso-8859-15", "latin1", "windows-1252"]
        .iter()
        .any(|name| head.contains(name))
    {
        return Ok(bytes.iter().map(|byte| char::from(*byte)).collect::<String>().into());
    }
    let valid = String::from_utf8_lossy(bytes);
    let line = 1 + valid.split('\u{fffd}').next().unwrap_or_default().matches('\n').count() as u64;
    draft.doubt(DoubtKind::NotUtf8, Some(line), "bytes that are not UTF-8 were replaced");
    Ok(valid)
}

pub(super) fn parse(text: &str) -> Result<Document<'_>, Error> {
    Document::parse_with_options(text, options())
}

/// Whether only characters are in the way.
pub(super) fn can_be_mended(error: &Error) -> bool {
    matches!(error, Error::NonXmlChar(..) | Error::MalformedEntityReference(_))
}

fn options<'a>() -> ParsingOptions<'a> {
    ParsingOptions { allow_dtd: false, nodes_limit: MAX_NODES, ..ParsingOptions::default() }
}

pub(super) fn in_words(error: &Error) -> Mistake {
    let place = error.pos();
    let words = match error {
        Error::DtdDetected => "it defines a document type, which is refused".to_owned(),
        Error::NodesLimitReached => format!("it has more than {MAX_NODES} nodes"),
        Error::UnclosedRootNode | Error::UnexpectedEndOfStream => "it is cut off".to_owned(),
        Error::NoRootNode => "there is nothing in it".to_owned(),
        error => {
            let said = error.to_string();
            said.split(" at ").next().unwrap_or(&said).to_owned()
        }
    };
    mistake(words).at(u64::from(place.row), u64::from(place.col))
}

/// Tests print what XML has no room for, and not every runner minds.
pub(super) fn mended(text: &str) -> String {
    let is_allowed = |letter: char| {
        matches!(letter, '\t' | '\n' | '\r' | ' '..) && !matches!(letter, '\u{fffe}' | '\u{ffff}')
    };
    let text = without_colours(text);
    let text: String = text.chars().map(|c| if is_allowed(c) { c } else { '\u{fffd}' }).collect();
    let mut kept = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once("&#") {
        kept.push_str(before);
        let reference = after.split_once(';').filter(|(code, _)| code.len() <= 8);
        let code = reference.and_then(|(code, _)| match code.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok(),
            None => code.parse().ok(),
        });
        match (reference, code.and_then(char::from_u32)) {
            (Some((code, after)), Some(letter)) if is_allowed(letter) => {
                kept.push_str(&format!("&#{code};"));
                rest = after;
            }
            (Some((_, after)), _) if code.is_some() => {
                kept.push('\u{fffd}');
                rest = after;
            }
            _ => {
                kept.push_str("&amp;#");
                rest = after;
            }
        }
    }
    kept + rest
}

/// The text without colours, also where their first letter is written as a reference. Nothing else that a
/// terminal heeds goes: what has no end could take tests with it.
fn without_colours(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\u{1b}', '&']) {
        let (before, found) = rest.split_at(at);
        kept.push_str(before);
        rest = after_colour(found).unwrap_or_else(|| {
            let first = found.chars().next().map_or(0, char::len_utf8);
            kept.push_str(&found[..first]);
            &found[first..]
        });
    }
    kept + rest
}

/// What follows a colour; nothing if the text does not begin with one.
fn after_colour(text: &str) -> Option<&str> {
    let begins = ["\u{1b}[", "&#27;[", "&#x1b;[", "&#x1B;["];
    let codes = begins.iter().find_map(|begin| text.strip_prefix(begin))?;
    codes
        .trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == ';')
        .strip_prefix('m')
}
