//! Which lines of a text are plain paragraphs, which belong to other blocks, and which are
//! blank between them.

use std::collections::BTreeMap;
use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// What CommonMark has, and what is usual besides. A text means the same in both.
pub(super) const DIALECTS: [Options; 2] = [
    Options::empty(),
    Options::ENABLE_TABLES
        .union(Options::ENABLE_FOOTNOTES)
        .union(Options::ENABLE_STRIKETHROUGH)
        .union(Options::ENABLE_TASKLISTS)
        .union(Options::ENABLE_GFM)
        .union(Options::ENABLE_MATH)
        .union(Options::ENABLE_DEFINITION_LIST)
        .union(Options::ENABLE_YAML_STYLE_METADATA_BLOCKS)
        .union(Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS),
];

/// What is inside of a paragraph that must be left together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Atom {
    Code,
    /// The end of a link with its address, HTML, mathematics.
    Other,
    HardBreak,
}

/// The atoms of a paragraph, in order. None overlaps another of its dialect.
pub(super) type Atoms = Vec<(Range<usize>, Atom)>;

/// The blocks of a text at its top level.
#[derive(Debug, Default)]
pub(super) struct Pages {
    /// Plain paragraphs in every dialect, by their first byte.
    paragraphs: BTreeMap<usize, (usize, Atoms)>,
    /// Everything else.
    others: Vec<Range<usize>>,
    /// Code inside of other blocks: the blank lines at its end are part of it.
    code: Vec<Range<usize>>,
}

pub(super) fn read(text: &str) -> Pages {
    let mut pages = Pages::default();
    for (number, dialect) in DIALECTS.into_iter().enumerate() {
        let paragraphs = read_as(text, dialect, &mut pages);
        if number == 0 {
            pages.paragraphs = paragraphs;
            continue;
        }
        let known = std::mem::take(&mut pages.paragraphs);
        for (start, (end, mut atoms)) in known {
            match paragraphs.get(&start) {
                Some((other, more)) if *other == end => {
                    atoms.extend(more.iter().cloned());
                    atoms.sort_by_key(|(range, atom)| (range.start, range.end, *atom));
                    atoms.dedup();
                    pages.paragraphs.insert(start, (end, atoms));
                }
                _ => pages.others.push(start..end),
            }
        }
        let unknown =
            paragraphs.into_iter().filter(|(start, _)| !pages.paragraphs.contains_key(start));
        let unknown: Vec<Range<usize>> = unknown.map(|(start, (end, _))| start..end).collect();
        pages.others.extend(unknown);
    }
    pages
}

type Paragraphs = BTreeMap<usize, (usize, Atoms)>;

fn read_as(text: &str, dialect: Options, pages: &mut Pages) -> Paragraphs {
    let mut paragraphs = Paragraphs::new();
    let mut atoms = Atoms::new();
    let mut depth = 0_usize;
    let mut inner_end = Vec::new();
    for (event, range) in Parser::new_ext(text, dialect).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                if depth == 0 && tag != Tag::Paragraph {
                    pages.others.push(range.clone());
                } else if matches!(tag, Tag::CodeBlock(_) | Tag::HtmlBlock) {
                    pages.code.push(range.clone());
                }
                depth += 1;
                inner_end.push(range.start);
                continue;
            }
            Event::End(tag) => {
                depth = depth.saturating_sub(1);
                let inner = inner_end.pop().unwrap_or(range.start);
                let is_link = matches!(tag, TagEnd::Link | TagEnd::Image);
                if is_link {
                    let rest = text[inner..range.end].trim_start().len();
                    atoms.push((range.end - rest..range.end, Atom::Other));
                }
                if depth == 0 {
                    let atoms = std::mem::take(&mut atoms);
                    if tag == TagEnd::Paragraph {
                        paragraphs.insert(range.start, (range.end, atoms));
                    }
                }
            }
            Event::Code(_) => atoms.push((range.clone(), Atom::Code)),
            Event::HardBreak => atoms.push((range.clone(), Atom::HardBreak)),
            Event::Text(_) | Event::SoftBreak => {}
            Event::Rule | Event::Html(_) if depth == 0 => pages.others.push(range.clone()),
            _ => atoms.push((range.clone(), Atom::Other)),
        }
        if let Some(inner) = inner_end.last_mut() {
            *inner = (*inner).max(range.end);
        }
    }
    paragraphs
}

/// What becomes of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Blank,
    Keep,
    /// It belongs to the paragraph that begins at this byte.
    Paragraph(usize),
}

/// The text with other paragraphs: `wrap` gets each with its atoms, and gives `None` to leave it
/// as it is.
pub(super) fn write(
    text: &str,
    pages: &Pages,
    wrap: impl Fn(&str, &Atoms) -> Option<String>,
) -> String {
    let starts: Vec<usize> = text
        .split_inclusive('\n')
        .scan(0, |at, line| Some(std::mem::replace(at, *at + line.len())))
        .collect();
    let fates = fates(text, pages, &starts);
    let mut written = String::with_capacity(text.len() + 1);
    let mut gap = false;
    let mut last = None;
    for (line, fate) in text.split_inclusive('\n').zip(fates) {
        if fate == Fate::Blank {
            gap = true;
            continue;
        }
        let again = last.replace(fate) == Some(fate);
        if std::mem::take(&mut gap) && !written.is_empty() {
            written.push('\n');
        }
        match fate {
            Fate::Paragraph(_) if again => continue,
            Fate::Paragraph(start) => {
                let (end, atoms) = &pages.paragraphs[&start];
                let local = atoms.iter();
                let local = local.map(|(at, atom)| (at.start - start..at.end - start, *atom));
                let source = &text[start..*end];
                let source_lines = || text[line_start(text, start)..*end].trim_end_matches('\n');
                let new = wrap(source, &local.collect());
                written.push_str(new.as_deref().unwrap_or_else(source_lines));
            }
            _ => written.push_str(line.strip_suffix('\n').unwrap_or(line)),
        }
        written.push('\n');
    }
    super::trimmed(&written)
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |end| end + 1)
}

fn fates(text: &str, pages: &Pages, starts: &[usize]) -> Vec<Fate> {
    let blank = |line: &str| {
        if line.trim_matches([' ', '\t', '\n']).is_empty() { Fate::Blank } else { Fate::Keep }
    };
    let mut fates: Vec<Fate> = text.split_inclusive('\n').map(blank).collect();
    let line_of = |byte: usize| starts.partition_point(|start| *start <= byte).max(1) - 1;
    let lines = |range: &Range<usize>| {
        let used = text[range.clone()].trim_end_matches([' ', '\t', '\n']).len();
        line_of(range.start)..line_of((range.start + used).max(range.start + 1) - 1) + 1
    };
    let mut covered = vec![false; fates.len()];
    for range in pages.others.iter().filter(|range| !range.is_empty()) {
        covered[lines(range)].fill(true);
        fates[lines(range)].fill(Fate::Keep);
    }
    for range in pages.code.iter().filter(|range| !range.is_empty()) {
        fates[line_of(range.start)..=line_of(range.end - 1)].fill(Fate::Keep);
    }
    for (start, (end, _)) in &pages.paragraphs {
        let lines = lines(&(*start..*end));
        let indent = &text[starts[lines.start]..*start];
        let plain = indent.bytes().all(|byte| byte == b' ');
        let shared = covered[lines.clone()].contains(&true);
        fates[lines].fill(if plain && !shared { Fate::Paragraph(*start) } else { Fate::Keep });
    }
    fates
}
