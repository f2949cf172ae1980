//! A report as one HTML file that needs nothing else: no script, no font, no picture from elsewhere.
//! It may not load anything either, whatever a text in it says.

use std::fmt::Write as _;

use super::document::{Block, Cell, Document, Tone};
use super::plot::plots;

const STYLE: &str = include_str!("../../data/report/style.css");

/// `document` as HTML.
pub fn html(document: &Document) -> String {
    let title = escaped(&document.title);
    let mut text = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta \
         http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src \
         'unsafe-inline'\">\n<meta name=\"viewport\" content=\"width=device-width, \
         initial-scale=1\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <h1>{title}</h1>\n<p class=\"goal\">{}</p>\n<dl>\n",
        escaped(&document.goal)
    );
    for (name, cell) in &document.facts {
        let _ = writeln!(text, "<dt>{name}</dt><dd>{}</dd>", inline(cell));
    }
    text += "</dl>\n<nav>\n";
    for (number, section) in (1..).zip(&document.sections) {
        let _ = writeln!(text, "<a href=\"#s{number}\">{}</a>", escaped(&section.title));
    }
    text += "</nav>\n";
    text += &plots(&document.figures);
    for (number, section) in (1..).zip(&document.sections) {
        let _ = writeln!(text, "<h2 id=\"s{number}\">{}</h2>", escaped(&section.title));
        for block in &section.blocks {
            write_block(&mut text, block);
        }
    }
    let _ = write!(text, "<footer>{}</footer>\n</body>\n</html>\n", escaped(&document.foot));
    text
}

fn write_block(text: &mut String, block: &Block) {
    match block {
        Block::Text(words) => {
            let _ = writeln!(text, "<p>{}</p>", escaped(words));
        }
        Block::List(cells) => {
            text.push_str("<ul>\n");
            for cell in cells {
                let _ = writeln!(text, "<li>{}</li>", inline(cell));
            }
            text.push_str("</ul>\n");
        }
        Block::Quote(words) => {
            let _ = writeln!(text, "<pre>{}</pre>", escaped(words));
        }
        Block::Table { head, rows } => {
            text.push_str("<div class=\"wide\"><table>\n<thead><tr>");
            for name in head {
                let _ = write!(text, "<th scope=\"col\">{}</th>", escaped(name));
            }
            text.push_str("</tr></thead>\n<tbody>\n");
            for row in rows {
                text.push_str("<tr>");
                for cell in row {
                    let _ = write!(text, "<td>{}</td>", inline(cell));
                }
                text.push_str("</tr>\n");
            }
            text.push_str("</tbody></table></div>\n");
        }
    }
}

fn inline(cell: &Cell) -> String {
    let words = escaped(&cell.text);
    match cell.tone {
        Tone::Plain => words,
        Tone::Good => format!("<span class=\"good\">{words}</span>"),
        Tone::Bad => format!("<span class=\"bad\">{words}</span>"),
        Tone::Code => format!("<code>{words}</code>"),
    }
}

/// `text` as text, in an element or in an attribute.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            _ => safe.push(letter),
        }
    }
    safe
}
