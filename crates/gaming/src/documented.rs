//! Tests in the documentation of Rust: examples that stand above the items that they try. They can be
//! exchanged between two versions of a file as other tests can, item by item.

use std::collections::BTreeMap;
use std::ops::Range;

/// What begins an example, and code of any kind.
const FENCE: &str = "```";

/// An item with what is written above it.
#[derive(Debug)]
struct Item {
    /// Its comment, or where it would stand.
    comment: Range<usize>,
}

/// `code` with the documentation of `other`, where both have an item and what they say of it differs in more than
/// words. Nothing where no example is another one.
pub fn documented(code: &str, other: &str) -> Option<String> {
    let (own, others) = (items(code), items(other));
    let mut edits: Vec<(Range<usize>, &str)> = Vec::new();
    for (name, found) in &own {
        let Some(theirs) = others.get(name).filter(|theirs| theirs.len() == found.len()) else {
            // Of two items with one name nobody knows which became which.
            continue;
        };
        for (mine, their) in found.iter().zip(theirs) {
            let (was, is) = (&code[mine.comment.clone()], &other[their.comment.clone()]);
            if was != is && (was.contains(FENCE) || is.contains(FENCE)) {
                edits.push((mine.comment.clone(), is));
            }
        }
    }
    if edits.is_empty() {
        return None;
    }
    edits.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    let mut text = code.to_owned();
    for (range, comment) in edits {
        text.replace_range(range, comment);
    }
    Some(text)
}

/// All items by kind and name, in order; the file itself has none.
fn items(text: &str) -> BTreeMap<String, Vec<Item>> {
    let mut found: BTreeMap<String, Vec<Item>> = BTreeMap::new();
    let mut at = 0;
    // The comment that is open, and where the attributes behind it begin.
    let (mut comment, mut attributes): (Option<Range<usize>>, Option<usize>) = (None, None);
    let head = text.split_inclusive('\n').take_while(|line| line.trim_start().starts_with("//!"));
    let head: usize = head.map(str::len).sum();
    found.insert(String::new(), vec![Item { comment: 0..head }]);
    for line in text.split_inclusive('\n') {
        let (start, trimmed) = (at, line.trim());
        at += line.len();
        if trimmed.starts_with("///") && !trimmed.starts_with("////") {
            let from = comment.take().map_or(start, |open| open.start);
            comment = Some(from..at);
        } else if trimmed.starts_with("#[") {
            attributes = attributes.or(Some(start));
        } else {
            if let Some(name) = name(trimmed) {
                let place = attributes.unwrap_or(start);
                let comment = comment.take().unwrap_or(place..place);
                found.entry(name).or_default().push(Item { comment });
            }
            (comment, attributes) = (None, None);
        }
    }
    found
}

/// The kind and the name of an item that begins in a line.
fn name(line: &str) -> Option<String> {
    const KINDS: [&str; 7] = ["fn", "struct", "enum", "trait", "mod", "union", "type"];
    let mut words = line.split_whitespace().skip_while(|word| {
        matches!(*word, "const" | "unsafe" | "async" | "extern" | "default" | "in")
            || word.starts_with("pub")
            || word.starts_with('"')
    });
    let kind = words.next().filter(|word| KINDS.contains(word))?;
    let ends = |letter: char| !(letter.is_alphanumeric() || letter == '_');
    let name = words.next()?.split(ends).next().filter(|name| !name.is_empty())?;
    Some(format!("{kind} {name}"))
}

#[cfg(test)]
mod tests {
    use super::documented;

    const OLD: &str = "//! Time.\n\n/// Seconds.\n///\n/// ```\n/// assert_eq!(t::secs(1), 60);\n/// ```\n#[must_use]\npub fn secs(m: u32) -> u32 {\n    m * 61\n}\n\n/// Plain.\nfn other() {}\n";

    /// VC-05: an example changes places with the one of the other version, and nothing else does.
    #[test]
    fn examples_change_places() {
        let new = OLD.replace("61", "60").replace("(1), 60", "(2), 120").replace("Plain", "Simple");
        assert_eq!(documented(OLD, &new), Some(OLD.replace("(1), 60", "(2), 120")));
        assert_eq!(documented(&new, OLD), Some(new.replace("(2), 120", "(1), 60")));
        assert_eq!(documented(OLD, &OLD.replace("61", "60")), None);
        assert_eq!(documented(OLD, &OLD.replace("Plain", "Simple")), None, "words are no example");
    }

    /// VC-05: an example that is new or gone has its place above the item.
    #[test]
    fn examples_come_and_go() {
        let bare = "#[must_use]\npub fn secs(m: u32) -> u32 {\n    m * 61\n}\n";
        let told = format!("/// ```\n/// assert_eq!(t::secs(1), 60);\n/// ```\n{bare}");
        assert_eq!(documented(bare, &told), Some(told.clone()));
        assert_eq!(documented(&told, bare).as_deref(), Some(bare));
    }

    /// VC-05: items that the other version lacks, and two of one name, stay as they are.
    #[test]
    fn what_is_not_clear_stays() {
        let one = "/// ```\n/// a();\n/// ```\nfn a() {}\n";
        assert_eq!(documented(one, "fn b() {}\n"), None);
        let two = "impl A {\n    fn a() {}\n}\nimpl B {\n    fn a() {}\n}\n";
        assert_eq!(documented(one, two), None);
        assert_eq!(documented("", ""), None);
        assert_eq!(documented("/// ```", "fn a"), None);
    }
}
