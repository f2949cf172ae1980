//! The sections of a page: a heading, and what stands below it.

use super::Reader;
use crate::mistake::suggestion;
use crate::plan::code::uncode;
use crate::plan::page::{Block, Kind, Page};
use crate::plan::types::alike;

/// A heading and all that follows until the next of the same or a higher level.
#[derive(Debug, Clone, Copy)]
pub(super) struct Section<'p> {
    pub(super) title: &'p str,
    /// The line of its heading.
    pub(super) line: usize,
    pub(super) level: usize,
    pub(super) blocks: &'p [Block],
    /// The line after its last.
    end: usize,
}

/// A section that may stand somewhere.
pub(super) struct Known {
    /// As it is written.
    pub(super) name: &'static str,
    /// What others call it.
    pub(super) aliases: &'static [&'static str],
    pub(super) is_required: bool,
}

impl Known {
    fn is(&self, title: &str) -> bool {
        let title = alike(title);
        alike(self.name) == title || self.aliases.iter().any(|other| alike(other) == title)
    }
}

/// The whole page below its title.
pub(super) fn whole<'p>(
    reader: &mut Reader<'_>,
    page: &'p Page,
    kind: &str,
) -> Option<Section<'p>> {
    let wanted = format!("begin with '# {kind}: SLUG'");
    let Some(Block { line, kind: Kind::Heading { level: 1, text } }) = page.blocks.first() else {
        let line = page.blocks.first().map_or(1, |block| block.line);
        reader.wrong((line, ""), "the file doesn't begin with its title", wanted);
        return None;
    };
    let blocks = &page.blocks[1..];
    for block in blocks {
        if let Block { line, kind: Kind::Heading { level: 1, .. } } = block {
            reader.wrong((*line, ""), "there is a second title", "write '##' before a section");
        }
    }
    Some(Section { title: text, line: *line, level: 1, blocks, end: page.lines.len() + 1 })
}

impl<'p> Section<'p> {
    /// What stands before the first section inside of this one.
    pub(super) fn opening(&self) -> &'p [Block] {
        let is_heading = |block: &Block| matches!(block.kind, Kind::Heading { .. });
        let end = self.blocks.iter().position(is_heading).unwrap_or(self.blocks.len());
        &self.blocks[..end]
    }

    /// The sections inside of this one, one level below. Deeper headings without one are told.
    pub(super) fn inside(&self, reader: &mut Reader<'_>) -> Vec<Section<'p>> {
        let mut found: Vec<Section<'p>> = Vec::new();
        let mut starts: Vec<usize> = Vec::new();
        for (at, block) in self.blocks.iter().enumerate() {
            let Kind::Heading { level, text } = &block.kind else { continue };
            if *level == self.level + 1 {
                found.push(Section {
                    title: text,
                    line: block.line,
                    level: *level,
                    blocks: &[],
                    end: self.end,
                });
                starts.push(at);
            } else if *level > self.level + 1 && found.is_empty() {
                let what = format!("'{text}' has {level} '#' and belongs to no section");
                let fix = format!("write '{}'", "#".repeat(self.level + 1));
                reader.wrong((block.line, ""), what, fix);
            }
        }
        for at in 0..found.len() {
            let end = starts.get(at + 1).copied().unwrap_or(self.blocks.len());
            found[at].blocks = &self.blocks[starts[at] + 1..end];
            found[at].end = found.get(at + 1).map_or(self.end, |next| next.line);
        }
        found
    }

    /// The known sections inside of this one, each at most once, in the order of `known`.
    pub(super) fn known<const N: usize>(
        &self,
        reader: &mut Reader<'_>,
        known: &[Known; N],
    ) -> [Option<Section<'p>>; N] {
        let mut found = [None; N];
        for section in self.inside(reader) {
            let Some(at) = known.iter().position(|known| known.is(section.title)) else {
                let what = format!("there is no section '{}' here", shown(section.title));
                let fix = suggestion(section.title, known.iter().map(|known| known.name));
                reader.wrong((section.line, ""), what, fix);
                continue;
            };
            match &found[at] {
                None => found[at] = Some(section),
                Some(Section { line, .. }) => {
                    let what = format!("'{}' is there already, in line {line}", known[at].name);
                    reader.wrong((section.line, ""), what, "make them one");
                }
            }
        }
        for (section, known) in found.iter().zip(known) {
            if section.is_none() && known.is_required {
                let what = format!("the section '{}' is missing", known.name);
                let fix = format!("add '{} {}'", "#".repeat(self.level + 1), known.name);
                reader.wrong((self.line, ""), what, fix);
            }
        }
        found
    }

    /// The text of this section as it is written. It has no headings.
    pub(super) fn text(&self, reader: &mut Reader<'_>, page: &Page) -> String {
        self.no_sections(reader);
        let lines = page.lines.get(self.line..self.end - 1).unwrap_or_default();
        let used = |line: &String| !line.trim().is_empty();
        let first = lines.iter().position(used).unwrap_or(lines.len());
        let last = lines.iter().rposition(used).map_or(first, |last| last + 1);
        lines[first..last].join("\n")
    }

    /// Tells headings inside of a section that has none.
    pub(super) fn no_sections(&self, reader: &mut Reader<'_>) {
        for block in self.blocks {
            // A second title is told by itself.
            if let Kind::Heading { text, level: 2.. } = &block.kind {
                let what = format!("'{}' can't be a heading here", shown(text));
                reader.wrong((block.line, ""), what, "make it a sentence");
            }
        }
    }

    /// The items of a section that is nothing but a list.
    pub(super) fn items(&self, reader: &mut Reader<'_>) -> Vec<(usize, &'p str)> {
        self.no_sections(reader);
        items(reader, self.opening())
    }
}

/// The items of what must be nothing but a list.
pub(super) fn items<'p>(reader: &mut Reader<'_>, blocks: &'p [Block]) -> Vec<(usize, &'p str)> {
    let mut found = Vec::new();
    for Block { line, kind } in blocks {
        match kind {
            Kind::Item { is_nested: true, .. } => {
                let what = "a list inside of a list is not read";
                reader.wrong((*line, ""), what, "write it as an item of its own, at the margin");
            }
            Kind::Item { text, .. } if text.is_empty() => {
                reader.wrong((*line, ""), "the item is empty", "write something, or remove it");
            }
            Kind::Item { text, .. } => found.push((*line, text.as_str())),
            Kind::Heading { .. } => {}
            Kind::Row(_) => {
                reader.wrong((*line, ""), "a table doesn't belong here", "write a list with '-'");
            }
            Kind::Text(_) => {
                reader.wrong((*line, ""), "this is no item of a list", "begin it with '- '");
            }
        }
    }
    found
}

/// `Key: value`, in the order of `keys`. Emphasis around a key makes no difference.
pub(super) fn keyed<'p, const N: usize>(
    reader: &mut Reader<'_>,
    items: &[(usize, &'p str)],
    keys: &[(&str, &[&str]); N],
) -> [Option<(usize, &'p str)>; N] {
    let mut found = [None; N];
    for (line, text) in items {
        let Some((key, value)) = split(text) else {
            let what = format!("'{}' has no ':'", shown(text));
            reader.wrong((*line, ""), what, format!("write it as '- {}: …'", keys[0].0));
            continue;
        };
        let is = |(name, others): &(&str, &[&str])| {
            alike(name) == alike(key) || others.iter().any(|other| alike(other) == alike(key))
        };
        let Some(at) = keys.iter().position(is) else {
            let what = format!("there is no '{}' here", shown(key));
            reader.wrong((*line, ""), what, suggestion(key, keys.iter().map(|(name, _)| *name)));
            continue;
        };
        match found[at] {
            None => found[at] = Some((*line, value)),
            Some((first, _)) => {
                let what = format!("'{}' is there already, in line {first}", keys[at].0);
                reader.wrong((*line, keys[at].0), what, "leave one of them out");
            }
        }
    }
    found
}

/// The key and the value of `**Key**: value`.
pub(super) fn split(text: &str) -> Option<(&str, &str)> {
    let (key, value) = text.split_once(':')?;
    let marks = ['*', '_'];
    let is_bold = key.trim_start().starts_with(marks);
    let key = key.trim().trim_matches(marks).trim();
    // `**Key:** value` has its end behind the colon.
    let value = if is_bold && value.starts_with("**") { &value[2..] } else { value };
    Some((key, value.trim()))
}

/// A command, with or without backticks.
pub(super) fn command(value: &str) -> &str {
    uncode(value)
}

/// A text from a file in a message.
pub(super) fn shown(text: &str) -> String {
    let mut letters = text.chars();
    let start: String = letters.by_ref().take(60).collect();
    if letters.next().is_some() { start + "…" } else { start }
}
