//! A report as Markdown. Texts of others can't become markup.

use std::fmt::Write as _;

use super::document::{Block, Cell, Document, Tone, fence};

/// `document` as Markdown.
pub fn markdown(document: &Document) -> String {
    let mut text = format!("# {}\n\n{}\n\n", escaped(&document.title), escaped(&document.goal));
    for (name, cell) in &document.facts {
        let _ = writeln!(text, "- **{name}**: {}", inline(cell));
    }
    for section in &document.sections {
        let _ = write!(text, "\n## {}\n", escaped(&section.title));
        for block in &section.blocks {
            text.push('\n');
            write_block(&mut text, block);
        }
    }
    let _ = write!(text, "\n---\n\n{}\n", escaped(&document.foot));
    text
}

fn write_block(text: &mut String, block: &Block) {
    match block {
        Block::Text(words) => {
            let _ = writeln!(text, "{}", escaped(words));
        }
        Block::List(cells) => {
            for cell in cells {
                let _ = writeln!(text, "- {}", inline(cell));
            }
        }
        Block::Quote(words) => {
            let fence = fence(words);
            let _ = writeln!(text, "{fence}\n{words}\n{fence}");
        }
        Block::Table { head, rows } => {
            let _ = writeln!(text, "| {} |", head.join(" | "));
            let _ = writeln!(text, "|{}", "---|".repeat(head.len()));
            for row in rows {
                let cells: Vec<String> = row.iter().map(inline).collect();
                let _ = writeln!(text, "| {} |", cells.join(" | "));
            }
        }
    }
}

fn inline(cell: &Cell) -> String {
    match cell.tone {
        Tone::Code if !cell.text.trim().is_empty() => code(&cell.text),
        Tone::Bad => format!("**{}**", escaped(&cell.text)),
        _ => escaped(&cell.text),
    }
}

/// A code span that its text can't end, also in a table.
fn code(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let room = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{room}{text}{room}{fence}")
}

/// `text` in one line, in which nothing is markup.
fn escaped(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut safe = String::with_capacity(line.len());
    for letter in line.chars() {
        match letter {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '!' => {
                safe.push('\\');
                safe.push(letter);
            }
            _ => safe.push(letter),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LP-22: texts of agents stay texts.
    #[test]
    fn nothing_in_a_text_is_markup() {
        assert_eq!(escaped("<b>[x](y)</b> | a\n# b"), "&lt;b&gt;\\[x\\](y)&lt;/b&gt; \\| a \\# b");
        assert_eq!(code("a `b` | c"), "``a `b` \\| c``");
        assert_eq!(code("`"), "`` ` ``");
        assert_eq!(fence("```` x"), "`````");
    }
}
