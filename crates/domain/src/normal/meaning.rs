//! What a text means: its events, without what only concerns the layout of lines.

use std::fmt::Write as _;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::blocks::DIALECTS;

/// Between two events; a text that has it means something else than one that has not.
const MARK: char = '\u{1}';

/// Whether two texts mean the same in every dialect. Where a line ends in a paragraph, how many
/// spaces are between two words, and blank lines at the very end mean nothing.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    DIALECTS.into_iter().all(|dialect| of(one, dialect) == of(other, dialect))
}

pub(super) fn of(text: &str, dialect: Options) -> String {
    let mut said = String::with_capacity(text.len() * 2);
    let mut code = 0_usize;
    let mut end = 0;
    for event in Parser::new_ext(text, dialect) {
        let closes = matches!(event, Event::End(_));
        match &event {
            Event::Text(text) if code > 0 => said.push_str(text),
            Event::Html(text) => said.push_str(text),
            Event::Text(text) => spaced(&mut said, text),
            Event::SoftBreak => spaced(&mut said, " "),
            event => {
                match event {
                    Event::Start(Tag::CodeBlock(_)) => code += 1,
                    Event::End(TagEnd::CodeBlock) => code = code.saturating_sub(1),
                    Event::HardBreak => said.truncate(said.trim_end_matches(' ').len()),
                    _ => {}
                }
                said.push(MARK);
                tell(&mut said, event);
                said.push(MARK);
            }
        }
        if !closes {
            end = said.len();
        }
    }
    // Code that is not closed has the blank lines at the end of the text.
    let closing = said.split_off(end);
    said.truncate(said.trim_end().len());
    said + &closing
}

/// An event in words. Whether its text is borrowed must not show.
fn tell(said: &mut String, event: &Event<'_>) {
    let told = match event {
        Event::Code(text) => write!(said, "code {text}"),
        Event::InlineHtml(text) => write!(said, "html {text}"),
        Event::InlineMath(text) | Event::DisplayMath(text) => write!(said, "math {text}"),
        Event::FootnoteReference(name) => write!(said, "note {name}"),
        Event::Start(Tag::FootnoteDefinition(name)) => write!(said, "notes {name}"),
        Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => write!(said, "fence {info}"),
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            write!(said, "link {link_type:?} {dest_url} {title} {}", label(id))
        }
        Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
            write!(said, "image {link_type:?} {dest_url} {title} {}", label(id))
        }
        event => write!(said, "{event:?}"),
    };
    // Writing to a string never fails.
    debug_assert!(told.is_ok(), "{event:?}");
}

/// The name of a link, which is the same with any space in it.
fn label(id: &str) -> String {
    id.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Adds words with one space between them.
fn spaced(said: &mut String, text: &str) {
    for letter in text.chars() {
        let space = matches!(letter, ' ' | '\t' | '\n');
        if !space {
            said.push(letter);
        } else if !said.ends_with(' ') {
            said.push(' ');
        }
    }
}
