//! How paths are written in scopes.

use crate::id::IdError;
use crate::snapshot::PathText;

/// A path as people write it in a scope and as accounts name it: as it is; where that could not be
/// read back or would disturb a terminal, in quotes as git writes it: `"caf\303\251\377"`.
pub fn quoted(path: &PathText) -> String {
    let plain = |letter: char| !letter.is_control() && letter != '"' && letter != '\\';
    let text = str::from_utf8(path.as_bytes()).ok();
    if let Some(text) = text.filter(|text| text.chars().all(plain)) {
        return text.to_owned();
    }
    let mut text = String::from("\"");
    for byte in path.as_bytes() {
        match byte {
            b'"' | b'\\' => text.extend(['\\', char::from(*byte)]),
            b' '..=b'~' => text.push(char::from(*byte)),
            _ => text.push_str(&format!("\\{byte:03o}")),
        }
    }
    text.push('"');
    text
}

/// The path that is written so.
pub fn from_quoted(text: &str) -> Result<PathText, IdError> {
    match text.strip_prefix('"') {
        None => Ok(PathText::from(text)),
        Some(inside) => inside
            .strip_suffix('"')
            .and_then(unquoted)
            .ok_or_else(|| IdError::new("a path in quotes, as git writes it", text)),
    }
}

fn unquoted(text: &str) -> Option<PathText> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        let byte = match (first, after) {
            (b'\\', [b'"' | b'\\', after @ ..]) => {
                rest = after;
                text.as_bytes()[text.len() - after.len() - 1]
            }
            (b'\\', [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', after @ ..]) => {
                rest = after;
                (a - b'0') * 64 + (b - b'0') * 8 + (c - b'0')
            }
            (b'\\', [letter, after @ ..]) => {
                rest = after;
                escaped(*letter)?
            }
            (b'"' | b'\\', _) => return None,
            (byte, _) => *byte,
        };
        bytes.push(byte);
    }
    Some(PathText::new(bytes))
}

/// The byte that git writes as a letter after a backslash, as C does.
fn escaped(letter: u8) -> Option<u8> {
    let byte = match letter {
        b'a' => 0x07,
        b'b' => 0x08,
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => 0x0b,
        b'f' => 0x0c,
        b'r' => b'\r',
        _ => return None,
    };
    Some(byte)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(path: &[u8], text: &str) {
        assert_eq!(quoted(&PathText::new(path)), text);
        assert_eq!(from_quoted(text).unwrap().as_bytes(), path);
    }

    /// CX-02: paths that are not UTF-8 are kept.
    #[test]
    fn paths_have_a_text_that_can_be_read_back() {
        check(b"src/main.rs", "src/main.rs");
        check("docs/müde räder.md".as_bytes(), "docs/müde räder.md");
        check(b"caf\xe9", r#""caf\351""#);
        check(b"a\"b", r#""a\"b""#);
        check(b"a\\b", r#""a\\b""#);
        check(b"a\nb", r#""a\012b""#);
        for bad in [r#"""#, r#""a"#, r#""a\""#, r#""\9""#, r#""\400""#, r#""a"b""#] {
            assert!(from_quoted(bad).is_err(), "{bad}");
        }
    }

    /// VC-04: git writes some control characters as letters.
    #[test]
    fn letters_after_a_backslash_are_read() {
        let path = from_quoted(r#""a\tb\nc\rd\ae\bf\fg\v""#).unwrap();
        assert_eq!(path.as_bytes(), b"a\tb\nc\rd\x07e\x08f\x0cg\x0b");
        assert!(from_quoted(r#""a\qb""#).is_err());
    }

    proptest! {
        #[test]
        fn any_path_comes_back(bytes: Vec<u8>) {
            let path = PathText::new(bytes);
            prop_assert_eq!(from_quoted(&quoted(&path)).unwrap(), path);
        }
    }
}
