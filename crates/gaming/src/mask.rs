//! Source text with comments and the inside of quotes blanked, for languages without a tree.
//!
//! Every byte stays in its place, so that offsets and lines are those of the text itself.

use crate::language::Language;

/// The text as code only. Quotes themselves stay.
pub(crate) fn code(text: &str, language: Language) -> String {
    masked(text, language, false)
}

/// The text with its comments blanked, and what is in quotes as it is.
pub(crate) fn without_comments(text: &str, language: Language) -> String {
    masked(text, language, true)
}

fn masked(text: &str, language: Language, keeps_quoted: bool) -> String {
    let bytes = text.as_bytes();
    let hash = matches!(
        language,
        Language::Python | Language::Ruby | Language::Shell | Language::Php | Language::Other
    );
    let slashes =
        !matches!(language, Language::Python | Language::Ruby | Language::Shell | Language::Other);
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let length = if (hash && rest[0] == b'#') || (slashes && rest.starts_with(b"//")) {
            rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())
        } else if slashes && rest.starts_with(b"/*") {
            find(&rest[2..], b"*/").map_or(rest.len(), |end| end + 4)
        } else if matches!(rest[0], b'"' | b'\'' | b'`') {
            at += 1;
            out.push(rest[0]);
            let inside = quoted(&rest[1..], rest[0]);
            if keeps_quoted {
                out.extend_from_slice(&rest[1..=inside]);
            } else {
                blank(&mut out, &rest[1..=inside]);
            }
            at += inside;
            if bytes.get(at) == Some(&rest[0]) {
                out.push(rest[0]);
                at += 1;
            }
            continue;
        } else {
            out.push(rest[0]);
            at += 1;
            continue;
        };
        blank(&mut out, &rest[..length]);
        at += length;
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// How long the inside of a quote is; one that never closes ends with its line.
fn quoted(rest: &[u8], quote: u8) -> usize {
    let mut at = 0;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 1,
            b'\n' if quote != b'`' => return at,
            byte if byte == quote => return at,
            _ => {}
        }
        at += 1;
    }
    rest.len()
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).position(|window| window == wanted)
}

fn blank(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend(bytes.iter().map(|byte| if *byte == b'\n' { b'\n' } else { b' ' }));
}

/// Code of Python without the texts that say what something is for. Examples in them may be run, and stay.
pub(crate) fn without_docstrings(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut lines = text.lines();
    let mut before = ":";
    while let Some(line) = lines.next() {
        let start = line.trim_start();
        let quote = ["\"\"\"", "'''"].into_iter().find(|quote| start.starts_with(quote));
        let Some(quote) = quote.filter(|_| before.ends_with(':')) else {
            if !start.is_empty() {
                before = line.trim_end();
            }
            plain.push_str(line);
            plain.push('\n');
            continue;
        };
        let mut said = start[3..].to_owned();
        while !said.contains(quote) {
            let Some(line) = lines.next() else { break };
            said.push('\n');
            said.push_str(line);
        }
        let rest = said.split_once(quote).map_or("", |(_, rest)| rest);
        if said.contains(">>>") {
            plain.push_str(&said);
        }
        plain.push_str(rest);
        plain.push('\n');
        before = "";
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_code_stays() {
        let check = |text: &str, language, expected: &str| {
            let masked = code(text, language);
            assert_eq!(masked, expected);
            assert_eq!(masked.len(), text.len());
        };
        check("a(\"b\") // c\nd", Language::Java, "a(\" \")     \nd");
        check("a # b\n'c\nd", Language::Ruby, "a    \n' \nd");
        check("/* a\nb */c", Language::Cpp, "    \n    c");
        check("/* a", Language::Cpp, "    ");
        check("\"\\\"", Language::Java, "\"  ");
        check("'é'", Language::Java, "'  '");
    }
}
