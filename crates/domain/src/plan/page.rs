//! A Markdown file as lines, headings, items of lists, rows of tables and other text.
//!
//! It knows as much Markdown as a plan needs, line by line, so that everything has a line and the
//! words of a person stay as they are. What it can't read in one way only, it refuses.

use super::code::cells;

/// A file, cut into blocks.
#[derive(Debug, Default)]
pub(super) struct Page {
    /// The lines, without comments.
    pub(super) lines: Vec<String>,
    pub(super) blocks: Vec<Block>,
    /// What can't be read: the line, what is wrong, what to do.
    pub(super) flaws: Vec<(usize, String, &'static str)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    /// The line, from one.
    pub(super) line: usize,
    pub(super) kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Heading {
        level: usize,
        text: String,
    },
    /// An item of a list; deeper ones are inside of other items.
    Item {
        text: String,
        is_nested: bool,
    },
    Row(Vec<String>),
    /// A paragraph, a quote, a code block.
    Text(String),
}

/// Where we are in a file.
#[derive(Debug, Default)]
struct Walk {
    page: Page,
    /// The backticks or tildes that end the code block that we are in, and where it began.
    fence: Option<(char, usize, usize)>,
    /// Where the comment began that we are in.
    comment: Option<usize>,
    after_blank: bool,
}

/// Cuts a text with plain line ends.
pub(super) fn read(text: &str) -> Page {
    let mut walk = Walk { after_blank: true, ..Walk::default() };
    for (number, line) in (1..).zip(text.lines()) {
        walk.take(number, line);
    }
    if let Some((_, _, line)) = walk.fence {
        let what = "a code block begins here and never ends".to_owned();
        walk.page.flaws.push((
            line,
            what,
            "end it with the same characters on a line of their own",
        ));
    }
    if let Some(line) = walk.comment {
        let what = "a comment begins here and never ends".to_owned();
        walk.page.flaws.push((line, what, "end it with -->"));
    }
    walk.page
}

impl Walk {
    fn take(&mut self, number: usize, line: &str) {
        if let Some(hidden) = line.chars().find(|c| is_hidden(*c)) {
            let what =
                format!("there is a character that nobody sees (U+{:04X})", u32::from(hidden));
            self.page.flaws.push((number, what, "remove it"));
        }
        if self.in_comment(number, line) {
            self.page.lines.push(String::new());
            return;
        }
        self.page.lines.push(line.trim_end().to_owned());
        if self.in_fence(number, line) {
            return;
        }
        let text = line.trim();
        let indent = columns(line);
        if text.is_empty() {
            self.after_blank = true;
            return;
        }
        let goes_on = !self.after_blank;
        self.after_blank = false;
        if indent < 4 && is_ruler(text) {
            if goes_on && matches!(self.page.blocks.last(), Some(Block { kind: Kind::Text(_), .. }))
            {
                let what = "an underlined heading can't be told from a line across".to_owned();
                self.page.flaws.push((number, what, "write headings with '#' before them"));
            }
            self.after_blank = true;
        } else if let Some((level, text)) = heading(text).filter(|_| indent < 4) {
            self.push(number, Kind::Heading { level, text });
            self.after_blank = true;
        } else if let Some(text) = item(text).filter(|_| indent < 4 || self.is_in_list()) {
            self.push(number, Kind::Item { text, is_nested: indent >= 2 && self.is_in_list() });
        } else if text.starts_with('|') && indent < 4 {
            self.push(number, Kind::Row(cells(text)));
        } else {
            self.words(number, text, goes_on || indent >= 2);
        }
    }

    fn push(&mut self, line: usize, kind: Kind) {
        self.page.blocks.push(Block { line, kind });
    }

    fn is_in_list(&self) -> bool {
        matches!(self.page.blocks.last(), Some(Block { kind: Kind::Item { .. }, .. }))
    }

    /// Words go on with the item or the paragraph before them, or begin a paragraph.
    fn words(&mut self, number: usize, text: &str, goes_on: bool) {
        match self.page.blocks.last_mut().map(|block| &mut block.kind) {
            Some(Kind::Item { text: before, .. }) if goes_on => join(before, ' ', text),
            Some(Kind::Text(before)) if goes_on => join(before, '\n', text),
            _ => self.push(number, Kind::Text(text.to_owned())),
        }
    }

    fn in_comment(&mut self, number: usize, line: &str) -> bool {
        if self.comment.is_some() {
            if line.contains("-->") {
                self.comment = None;
            }
            return true;
        }
        let begins = self.fence.is_none() && line.trim_start().starts_with("<!--");
        if begins && !line.contains("-->") {
            self.comment = Some(number);
        }
        begins
    }

    fn in_fence(&mut self, number: usize, line: &str) -> bool {
        let text = line.trim();
        if let Some((mark, length, _)) = self.fence {
            let run = text.chars().take_while(|c| *c == mark).count();
            if run >= length && text.chars().all(|c| c == mark) {
                self.fence = None;
                self.after_blank = true;
            }
            if let Some(Block { kind: Kind::Text(before), .. }) = self.page.blocks.last_mut() {
                join(before, '\n', line);
            }
            return true;
        }
        let Some(mark) = text.chars().next().filter(|c| "`~".contains(*c)) else { return false };
        let run = text.chars().take_while(|c| *c == mark).count();
        if run < 3 || columns(line) >= 4 || (mark == '`' && text[run..].contains('`')) {
            return false;
        }
        self.fence = Some((mark, run, number));
        self.push(number, Kind::Text(line.trim_end().to_owned()));
        true
    }
}

fn join(before: &mut String, with: char, text: &str) {
    before.push(with);
    before.push_str(text);
}

/// How far a line is indented; a tab is up to four columns.
fn columns(line: &str) -> usize {
    line.chars()
        .take_while(|c| c.is_whitespace())
        .fold(0, |at, c| if c == '\t' { at / 4 * 4 + 4 } else { at + 1 })
}

/// `## Stories ##` has the level 2.
fn heading(text: &str) -> Option<(usize, String)> {
    let level = text.bytes().take_while(|b| *b == b'#').count();
    let rest = text.get(level..)?;
    if !(1..=6).contains(&level) || !(rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return None;
    }
    let rest = rest.trim();
    let bare = rest.trim_end_matches('#');
    let is_closed = bare.is_empty() || bare.ends_with([' ', '\t']);
    Some((level, if is_closed { bare.trim_end() } else { rest }.to_owned()))
}

/// The text of an item.
fn item(text: &str) -> Option<String> {
    let mut letters = text.chars();
    let is_bullet = letters.next().is_some_and(|c| "-*+".contains(c));
    let rest = letters.as_str();
    (is_bullet && (rest.is_empty() || rest.starts_with([' ', '\t'])))
        .then(|| rest.trim().to_owned())
}

/// Three or more of `-`, `*`, `_` or `=` and nothing else.
fn is_ruler(text: &str) -> bool {
    let mut letters = text.chars().filter(|c| !c.is_whitespace());
    let Some(first) = letters.next().filter(|c| "-*_=".contains(*c)) else { return false };
    let (mut count, mut same) = (1, true);
    for letter in letters {
        count += 1;
        same &= letter == first;
    }
    same && count >= 3
}

/// Characters that change how a text looks, or say something that nobody sees.
pub(super) fn is_hidden(letter: char) -> bool {
    (letter.is_control() && letter != '\t')
        || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
        || ('\u{e0000}'..='\u{e007f}').contains(&letter)
}
