//! A command line, cut into its simple commands as a shell would: quotes, lists, pipes,
//! substitutions, redirections, here-documents, comments. Nothing is expanded or run.
//!
//! One pass without recursion, so that no text takes longer than its length or overflows a stack.

/// More simple commands than this are not looked at, nor deeper nesting.
const MAX_COMMANDS: usize = 4096;
const MAX_DEPTH: usize = 64;

/// What stands after a simple command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum After {
    And,
    Or,
    /// `;` or a new line.
    Next,
    Pipe,
    Background,
    /// The end of the text or of a group.
    End,
}

/// A program with its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Simple<'a> {
    pub words: Vec<String>,
    pub after: After,
    /// It runs inside of `$( )` or the like, so that its exit code is lost.
    pub substituted: bool,
    /// The text of its here-document.
    pub document: Option<&'a str>,
}

/// Stands for a group that has ended, so that what follows the group is known.
pub(super) const CLOSE: &str = ")";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Top,
    Group,
    Substitution,
    Backtick,
    /// `a=( … )`: words, but no command.
    Array,
}

#[derive(Debug)]
struct Frame {
    kind: Kind,
    words: Vec<String>,
    word: Option<String>,
    in_quotes: bool,
    /// The next word is the target of a redirection.
    redirects: bool,
    document: Option<usize>,
}

impl Frame {
    fn new(kind: Kind) -> Self {
        let (words, word) = (Vec::new(), None);
        Self { kind, words, word, in_quotes: false, redirects: false, document: None }
    }
}

/// A here-document whose text has not been reached.
struct Document<'a> {
    delimiter: String,
    tabs: bool,
    text: &'a str,
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    frames: Vec<Frame>,
    found: Vec<(Simple<'a>, Option<usize>)>,
    documents: Vec<Document<'a>>,
    /// How many documents have their text.
    read: usize,
}

/// The simple commands of a text, in the order in which they end.
pub(super) fn commands(text: &str) -> Vec<Simple<'_>> {
    let mut lexer = Lexer {
        text,
        at: 0,
        frames: vec![Frame::new(Kind::Top)],
        found: Vec::new(),
        documents: Vec::new(),
        read: 0,
    };
    while lexer.at < text.len() && lexer.found.len() < MAX_COMMANDS {
        lexer.step();
    }
    while !lexer.frames.is_empty() {
        lexer.end_command(After::End);
        lexer.frames.pop();
    }
    let Lexer { mut found, documents, .. } = lexer;
    for (simple, document) in &mut found {
        simple.document = document.and_then(|at| documents.get(at)).map(|document| document.text);
    }
    found.into_iter().map(|(simple, _)| simple).collect()
}

impl<'a> Lexer<'a> {
    fn frame(&mut self) -> &mut Frame {
        if self.frames.is_empty() {
            self.frames.push(Frame::new(Kind::Top));
        }
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn push(&mut self, text: &str) {
        self.frame().word.get_or_insert_default().push_str(text);
    }

    fn step(&mut self) {
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

    fn new_line(&mut self) {
        self.end_command(After::Next);
        self.at += 1;
        while self.read < self.documents.len() {
            let (delimiter, tabs) =
                (self.documents[self.read].delimiter.clone(), self.documents[self.read].tabs);
            let rest = self.rest();
            let mut end = 0;
            let mut after = rest.len();
            for line in rest.split_inclusive('\n') {
                let bare = line.trim_end_matches(['\n', '\r']);
                let bare = if tabs { bare.trim_start_matches('\t') } else { bare };
                if bare == delimiter {
                    after = end + line.len();
                    break;
                }
                end += line.len();
            }
            self.documents[self.read].text = &rest[..end];
            self.at += after;
            self.read += 1;
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

    fn open(&mut self, kind: Kind) {
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

    fn redirection(&mut self) {
        let rest = self.rest();
        let frame = self.frame();
        let is_number =
            |word: &String| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        if frame.word.as_ref().is_some_and(is_number) {
            frame.word = None;
        }
        self.end_word();
        if rest.starts_with("<(") || rest.starts_with(">(") {
            self.at += 2;
            self.push("$");
            return self.open(Kind::Substitution);
        }
        if rest.starts_with("<<") && !rest.starts_with("<<<") {
            return self.here_document();
        }
        let length = rest.find(|letter| !"<>&|".contains(letter)).unwrap_or(rest.len());
        self.at += length.min(3);
        self.frame().redirects = true;
    }

    fn here_document(&mut self) {
        let tabs = self.rest().starts_with("<<-");
        let rest = &self.rest()[if tabs { 3 } else { 2 }..];
        let word = rest.trim_start_matches([' ', '\t']);
        let end = word.find(|letter| " \t\r\n;&|<>()".contains(letter)).unwrap_or(word.len());
        let delimiter = word[..end].replace(['\'', '"', '\\'], "");
        self.at = self.text.len() - word.len() + end;
        self.frame().document = Some(self.documents.len());
        self.documents.push(Document { delimiter, tabs, text: "" });
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

    fn end_word(&mut self) {
        let frame = self.frame();
        if let Some(word) = frame.word.take()
            && !std::mem::take(&mut frame.redirects)
        {
            frame.words.push(word);
        }
    }

    fn end_command(&mut self, after: After) {
        self.end_word();
        let hides = |frame: &Frame| matches!(frame.kind, Kind::Substitution | Kind::Backtick);
        let substituted = self.frames.iter().any(hides);
        let frame = self.frame();
        frame.redirects = false;
        let document = frame.document.take();
        let words = std::mem::take(&mut frame.words);
        if !words.is_empty() && frame.kind != Kind::Array {
            self.found.push((Simple { words, after, substituted, document: None }, document));
        }
    }
}

#[cfg(test)]
#[path = "shell_tests.rs"]
mod tests;
