//! Wraps one plain paragraph.

use super::blocks::{Atom, Atoms};

/// The paragraph in lines of up to `width` columns, or `None` if it is better left alone.
pub(super) fn wrap(source: &str, atoms: &Atoms, width: usize) -> Option<String> {
    let source = source.trim_end_matches([' ', '\t', '\n']);
    // A definition of a link that is none could become one when it ends elsewhere.
    if source.starts_with('[') && source.contains("]:") {
        return None;
    }
    let lines = words(source, atoms)?;
    let mut written = String::with_capacity(source.len());
    for (number, (words, ends)) in lines.iter().enumerate() {
        // At the beginning of a line it is read as the beginning of a block, or could be if
        // the line ended after it.
        if words.first().is_some_and(|word| opens(word)) || (words.is_empty() && number > 0) {
            return None;
        }
        // Two backslashes are one, and no break.
        if ends.starts_with('\\') && words.last().is_some_and(|word| word.ends_with('\\')) {
            return None;
        }
        fill(&mut written, words, width);
        written.push_str(ends);
    }
    Some(written)
}

/// The words between two hard breaks, and how they end.
type Line = (Vec<String>, &'static str);

/// The paragraph as words. What an atom has inside stays together.
fn words(source: &str, atoms: &Atoms) -> Option<Vec<Line>> {
    let mut lines: Vec<Line> = Vec::new();
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut at = 0;
    let mut atoms = atoms.iter().peekable();
    while at < source.len() {
        while let Some((range, _)) = atoms.next_if(|(range, _)| range.start < at) {
            // Two dialects see different things here.
            if range.end > at {
                return None;
            }
        }
        let next = atoms.peek().map_or(source.len(), |(range, _)| range.start.min(source.len()));
        // Parsers disagree on when this is a hard break.
        if source[at..next].contains("\\\n") {
            return None;
        }
        for piece in source[at..next].split_inclusive([' ', '\t', '\n']) {
            let text = piece.trim_end_matches([' ', '\t', '\n']);
            word.push_str(text);
            if text.len() < piece.len() && !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
        }
        at = next;
        let Some((range, atom)) = atoms.next_if(|(range, _)| range.start == at) else { continue };
        let end = range.end.min(source.len());
        let text = &source[at..end];
        at = end;
        match atom {
            // A vertical tab is no space to us, and one to the parser.
            Atom::HardBreak if !matches!(text.trim_matches([' ', '\n']), "" | "\\") => return None,
            Atom::HardBreak => {
                let ends = match (text.starts_with('\\'), word.is_empty()) {
                    (false, _) => "  \n",
                    // The space tells whether a `*` before it opens something.
                    (true, true) => " \\\n",
                    (true, false) => "\\\n",
                };
                words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
                lines.push((std::mem::take(&mut words), ends));
            }
            Atom::Code => word.push_str(&joined(text)?),
            Atom::Other if text.contains('\n') => return None,
            Atom::Other => word.push_str(text),
        }
    }
    words.extend((!word.is_empty()).then_some(word));
    lines.push((words, ""));
    Some(lines)
}

/// Code on one line: an end of a line in it is a space. Whether the spaces after it count is
/// told differently by different programs, so there must be none.
fn joined(code: &str) -> Option<String> {
    let odd = code.contains("\n ") || code.contains("\n\t");
    (!odd).then(|| code.replace('\n', " "))
}

/// Fills lines with words. The words of a line begin where a line begins.
fn fill(written: &mut String, words: &[String], width: usize) {
    let mut column = 0;
    let mut words = words.iter().map(String::as_str).peekable();
    let mut unit: Vec<&str> = Vec::new();
    while let Some(word) = words.next() {
        unit.push(word);
        // No line may begin with a word that opens a block, or end with a backslash.
        if words.peek().is_some_and(|next| opens(next) || word.ends_with('\\')) {
            continue;
        }
        let unit = std::mem::take(&mut unit).join(" ");
        let columns = unit.chars().count();
        if column > 0 && column + 1 + columns > width {
            written.push('\n');
            column = 0;
        } else if column > 0 {
            written.push(' ');
            column += 1;
        }
        written.push_str(&unit);
        column += columns;
    }
}

/// Whether a line that begins with this word, or has only it, may be read as the beginning of
/// another block: a list, a heading, a rule, a fence, a quote, HTML, a table, a definition.
fn opens(word: &str) -> bool {
    let number = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
    word.starts_with(['#', '>', '<', '|', ':'])
        || ["```", "~~~", "[^", "$$"].iter().any(|mark| word.starts_with(mark))
        || word.chars().all(|letter| "-+*_=:|".contains(letter))
        || number.len() < word.len() && matches!(number, "." | ")")
}
