//! The reader behind [`super::commands`]: one letter after the other, with a frame for every
//! group and substitution that is open.

use super::{After, CLOSE, MAX_DEPTH, Simple};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Top,
    Group,
    Substitution,
    Backtick,
    /// `a=( … )`: words, but no command.
    Array,
}

#[derive(Debug)]
pub(super) struct Frame {
    kind: Kind,
    words: Vec<String>,
    pub(super) word: Option<String>,
    in_quotes: bool,
    /// The next word is the target of a redirection.
    pub(super) redirects: bool,
    pub(super) document: Option<usize>,
}

impl Frame {
    fn new(kind: Kind) -> Self {
        let (words, word) = (Vec::new(), None);
        Self { kind, words, word, in_quotes: false, redirects: false, document: None }
    }
}

/// A here-document whose text has not been reached.
pub(super) struct Document<'a> {
    pub(super) delimiter: String,
    pub(super) tabs: bool,
    pub(super) text: &'a str,
}

pub(super) struct Lexer<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) frames: Vec<Frame>,
    pub(super) found: Vec<(Simple<'a>, Option<usize>)>,
    pub(super) documents: Vec<Document<'a>>,
    /// How many documents have their text.
    pub(super) read: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let frames = vec![Frame::new(Kind::Top)];
        Self { text, at: 0, frames, found: Vec::new(), documents: Vec::new(), read: 0 }
    }

    pub(super) fn frame(&mut self) -> &mut Frame {
        if self.frames.is_empty() {
            self.frames.push(Frame::new(Kind::Top));
        }
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(super) fn push(&mut self, text: &str) {
        self.frame().word.get_or_insert_default().push_str(text);
    }

    pub(super) fn step(&mut self) {
        if self.frame().in_quotes {
            self.step_in_quotes();
        } else {
            self.step_outside();
        }
    }

    fn step_in_quotes(&mut self) {
        let rest = self.rest();
        let run = rest.find(['"', '\\', '$', '`']).unwrap_or(rest.len());
        if run > 0 {
            self.at += run;
            return self.push(&rest[..run]);
        }
        match rest.as_bytes()[0] {
            b'"' => {
                self.frame().in_quotes = false;
                self.at += 1;
            }
            b'\\' => self.escape(true),
            b'`' => self.backtick(),
            _ => self.dollar(),
        }
    }

    fn step_outside(&mut self) {
        let rest = self.rest();
        let special = |letter: char| " \t\r\n#'\"\\$`;&|()<>".contains(letter);
        let run = rest.find(special).unwrap_or(rest.len());
        if run > 0 {
            self.at += run;
            return self.push(&rest[..run]);
        }
        match rest.as_bytes()[0] {
            b' ' | b'\t' | b'\r' => {
                self.end_word();
                self.at += 1;
            }
            b'\n' => self.new_line(),
            b'#' if self.frame().word.is_none() => {
                self.at += rest.find('\n').unwrap_or(rest.len());
            }
            b'#' => {
                self.push("#");
                self.at += 1;
            }
            b'\'' => self.single_quotes(1),
            b'"' => {
                self.push("");
                self.frame().in_quotes = true;
                self.at += 1;
            }
            b'\\' => self.escape(false),
            b'$' => self.dollar(),
            b'`' => self.backtick(),
            b'(' => self.open_bracket(),
            b')' => self.close_bracket(),
            b'<' | b'>' => self.redirection(),
            _ => self.operator(),
        }
    }

    fn single_quotes(&mut self, skip: usize) {
        let rest = &self.rest()[skip..];
        let end = rest.find('\'').unwrap_or(rest.len());
        self.push(&rest[..end]);
        self.at = (self.at + skip + end + 1).min(self.text.len());
    }

    /// A backslash. In quotes it stays before what it doesn't protect.
    fn escape(&mut self, in_quotes: bool) {
        let rest = &self.rest()[1..];
        let Some(letter) = rest.chars().next() else {
            self.at += 1;
            return self.push("\\");
        };
        let length = letter.len_utf8();
        self.at += 1 + length;
        if letter == '\n' {
            return;
        }
        if in_quotes && !"$`\"\\".contains(letter) {
            self.push("\\");
        }
        self.push(&rest[..length]);
    }

    fn dollar(&mut self) {
        let rest = self.rest();
        if rest.starts_with("$(") {
            self.at += 2;
            self.push("$");
            self.open(Kind::Substitution);
        } else if rest.starts_with("$'") && !self.frame().in_quotes {
            self.single_quotes(2);
        } else {
            self.at += 1;
            self.push("$");
        }
    }

    fn backtick(&mut self) {
        self.at += 1;
        if self.frames.iter().any(|frame| frame.kind == Kind::Backtick) {
            while self.frame().kind != Kind::Backtick {
                self.close();
            }
            self.close();
        } else {
            self.push("$");
            self.open(Kind::Backtick);
        }
    }

    pub(super) fn open(&mut self, kind: Kind) {
        if self.frames.len() < MAX_DEPTH {
            self.frames.push(Frame::new(kind));
        } else {
            // Nobody writes that by hand: what follows is not looked at.
            self.at = self.text.len();
        }
    }

    /// Ends the innermost frame, if it is not the text itself.
    fn close(&mut self) {
        self.end_command(After::End);
        if self.frames.len() < 2 {
            return;
        }
        if self.frames.pop().is_some_and(|frame| frame.kind == Kind::Group) {
            self.frame().words = vec![CLOSE.to_owned()];
        }
    }

    fn open_bracket(&mut self) {
        let is_empty = self.rest().starts_with("()");
        self.at += 1;
        let frame = self.frame();
        let word = frame.word.as_deref();
        if is_empty && (word.is_some() || !frame.words.is_empty()) {
            // The name of a function: its body follows as any other command.
            frame.words.clear();
            frame.word = None;
            self.at += 1;
        } else if word.is_some_and(|word| word.ends_with('=')) {
            self.open(Kind::Array);
        } else {
            self.end_word();
            self.open(Kind::Group);
        }
    }

    fn close_bracket(&mut self) {
        self.at += 1;
        let frame = self.frame();
        if matches!(frame.kind, Kind::Top | Kind::Backtick) {
            // A pattern of `case`.
            frame.words.clear();
            frame.word = None;
        } else {
            self.close();
        }
    }

    fn operator(&mut self) {
        let rest = self.rest();
        if rest.starts_with("&>") {
            self.at += 1;
            return self.redirection();
        }
        let (after, length) = match rest.as_bytes() {
            [b'&', b'&', ..] => (After::And, 2),
            [b'|', b'|', ..] => (After::Or, 2),
            [b'|', b'&', ..] => (After::Pipe, 2),
            [b'|', ..] => (After::Pipe, 1),
            [b'&', ..] => (After::Background, 1),
            _ => (After::Next, 1),
        };
        self.end_command(after);
        self.at += length;
    }

    pub(super) fn end_word(&mut self) {
        let frame = self.frame();
        if let Some(word) = frame.word.take()
            && !std::mem::take(&mut frame.redirects)
        {
            frame.words.push(word);
        }
    }

    pub(super) fn end_command(&mut self, after: After) {
        self.end_word();
        let hides = |frame: &Frame| matches!(frame.kind, Kind::Substitution | Kind::Backtick);
        let substituted = self.frames.iter().any(hides);
        let groups = self.frames.iter().filter(|frame| frame.kind == Kind::Group);
        let depth = groups.count();
        let frame = self.frame();
        frame.redirects = false;
        let document = frame.document.take();
        let words = std::mem::take(&mut frame.words);
        if !words.is_empty() && frame.kind != Kind::Array {
            let simple = Simple { words, after, substituted, depth, document: None };
            self.found.push((simple, document));
        }
    }
}
