//! The sections of a Markdown document.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::sentence::requirement;
use super::slug::Slugs;
use super::span::LineSpan;
use crate::id::Digest;
use crate::normal::unix;

/// A heading and what follows until the next of the same or a higher level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The heading's name in addresses.
    pub slug: String,
    pub title: String,
    /// 1 to 6.
    pub level: u8,
    /// From the heading to the last line that isn't blank.
    pub line_span: LineSpan,
    /// Of these lines, each with one LF at its end.
    pub content_sha: Digest,
    /// The first sentence, or the title if there is none.
    pub requirement: String,
}

/// How much of a section is looked at for its first sentence.
const MAX_OPENING: usize = 2_000;

/// All sections of a document, in order. Headings in code don't count, and those inside of lists
/// and quotes have a name but no section.
pub fn sections(text: &str) -> Vec<Section> {
    let text = unix(text.strip_prefix('\u{feff}').unwrap_or(text));
    let headings = headings(&text);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let starts: Vec<usize> =
        lines.iter().scan(0, |at, line| Some(std::mem::replace(at, *at + line.len()))).collect();
    let line_of = |byte: usize| starts.partition_point(|start| *start <= byte);
    let firsts: Vec<usize> = headings.iter().map(|heading| line_of(heading.byte)).collect();
    let mut sections = Vec::with_capacity(headings.len());
    for (at, heading) in headings.into_iter().enumerate() {
        let first = firsts[at];
        // The line before the next heading, counted from one.
        let end = heading.end.map_or(lines.len(), |next| firsts[next] - 1);
        let used = lines[first - 1..end].iter().rposition(|line| !line.trim().is_empty());
        let last = first + used.unwrap_or(0);
        let mut content = lines[first - 1..last].concat();
        if !content.ends_with('\n') {
            content.push('\n');
        }
        let opening = requirement(&heading.opening);
        let requirement = if opening.is_empty() { requirement(&heading.title) } else { opening };
        sections.push(Section {
            slug: heading.slug,
            title: heading.title,
            level: heading.level,
            line_span: LineSpan { first, last },
            content_sha: Digest::of(content.as_bytes()),
            requirement,
        });
    }
    sections
}

struct Heading {
    slug: String,
    title: String,
    level: u8,
    byte: usize,
    /// Which heading ends its section.
    end: Option<usize>,
    /// The first words after it.
    opening: String,
    /// Whether these are complete.
    opened: bool,
}

fn level_of(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

/// Where we are while the events of a document go by.
#[derive(Default)]
struct Walk {
    headings: Vec<Heading>,
    /// The headings whose sections are open, outermost first.
    open: Vec<usize>,
    slugs: Slugs,
    depth: usize,
    /// Inside of images, whose text is no text, and of code blocks.
    hidden: usize,
    title: Option<String>,
}

fn headings(text: &str) -> Vec<Heading> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut walk = Walk::default();
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            Event::Start(tag) => walk.start(&tag),
            Event::End(tag) => walk.end(tag, range.start),
            Event::Text(text) | Event::Code(text) => walk.words(&text),
            Event::SoftBreak | Event::HardBreak => walk.words(" "),
            _ => {}
        }
    }
    walk.headings
}

impl Walk {
    fn start(&mut self, tag: &Tag<'_>) {
        self.depth += 1;
        match tag {
            Tag::Heading { .. } => {
                self.boundary();
                self.title = Some(String::new());
            }
            Tag::Image { .. } => self.hidden += 1,
            Tag::CodeBlock(_) | Tag::MetadataBlock(_) => {
                self.boundary();
                self.hidden += 1;
            }
            tag if !is_inline(tag.to_end()) => self.boundary(),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, byte: usize) {
        self.depth = self.depth.saturating_sub(1);
        match tag {
            TagEnd::Heading(level) => {
                let title = self.title.take().unwrap_or_default();
                self.heading(title.trim(), level_of(level), byte);
            }
            TagEnd::Image => self.hidden = self.hidden.saturating_sub(1),
            TagEnd::CodeBlock | TagEnd::MetadataBlock(_) => {
                self.hidden = self.hidden.saturating_sub(1);
            }
            tag if !is_inline(tag) => self.boundary(),
            _ => {}
        }
    }

    fn heading(&mut self, title: &str, level: u8, byte: usize) {
        let slug = self.slugs.unique(title);
        if self.depth > 0 {
            return;
        }
        let number = self.headings.len();
        while let Some(outer) = self.open.pop_if(|outer| self.headings[*outer].level >= level) {
            self.headings[outer].end = Some(number);
        }
        self.open.push(number);
        let title = title.to_owned();
        let heading =
            Heading { slug, title, level, byte, end: None, opening: String::new(), opened: false };
        self.headings.push(heading);
    }

    fn words(&mut self, text: &str) {
        if self.hidden > 0 {
            return;
        }
        if let Some(title) = &mut self.title {
            title.push_str(text);
            return;
        }
        for outer in &self.open {
            let heading = &mut self.headings[*outer];
            if !heading.opened && heading.opening.len() < MAX_OPENING {
                heading.opening.push_str(text);
            }
        }
    }

    /// A block begins or ends here: the first one with words is the opening of its section.
    fn boundary(&mut self) {
        for outer in &self.open {
            let heading = &mut self.headings[*outer];
            heading.opened |= !heading.opening.trim().is_empty();
        }
    }
}

fn is_inline(tag: TagEnd) -> bool {
    matches!(
        tag,
        TagEnd::Emphasis
            | TagEnd::Strong
            | TagEnd::Strikethrough
            | TagEnd::Link
            | TagEnd::Image
            | TagEnd::Superscript
            | TagEnd::Subscript
    )
}
