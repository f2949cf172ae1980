//! Just enough of Rust's grammar to tell code, comments and strings apart.
//!
//! It never fails: text that isn't Rust comes out as lines of something, and the compiler is
//! the one to complain about it.

use super::source::Line;

#[derive(Clone, Copy)]
enum State {
    Code,
    LineComment,
    /// Block comments nest; this is how deep we are.
    BlockComment(usize),
    Text,
    /// A raw string, and how many `#` end it.
    RawText(usize),
}

struct Lexer {
    letters: Vec<char>,
    at: usize,
    state: State,
    line: Line,
    lines: Vec<Line>,
}

/// The lines of a Rust file, strings emptied and comments apart.
pub(crate) fn split(text: &str) -> Vec<Line> {
    let mut lexer = Lexer {
        letters: text.chars().collect(),
        at: 0,
        state: State::Code,
        line: Line::default(),
        lines: Vec::new(),
    };
    while let Some(letter) = lexer.peek(0) {
        if letter == '\n' {
            lexer.end_line();
        } else {
            lexer.step(letter);
        }
    }
    if !text.is_empty() && !text.ends_with('\n') {
        lexer.end_line();
    }
    lexer.lines
}

impl Lexer {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.letters.get(self.at + ahead).copied()
    }

    fn end_line(&mut self) {
        self.lines.push(std::mem::take(&mut self.line));
        if matches!(self.state, State::LineComment) {
            self.state = State::Code;
        }
        self.at += 1;
    }

    fn step(&mut self, letter: char) {
        match self.state {
            State::Code => self.step_code(letter),
            State::LineComment => self.take_comment(1),
            State::BlockComment(depth) => self.step_block(letter, depth),
            State::Text => self.step_text(letter),
            State::RawText(hashes) => {
                let ends = letter == '"' && (1..=hashes).all(|n| self.peek(n) == Some('#'));
                if ends {
                    self.line.code.push('"');
                    self.state = State::Code;
                    self.at += hashes;
                }
                self.at += 1;
            }
        }
    }

    fn step_code(&mut self, letter: char) {
        match (letter, self.peek(1)) {
            ('/', Some('/')) => {
                self.state = State::LineComment;
                self.take_comment(2);
            }
            ('/', Some('*')) => {
                self.state = State::BlockComment(1);
                self.take_comment(2);
            }
            ('"', _) => {
                self.state = State::Text;
                self.take_code(1);
            }
            ('r', Some('#' | '"')) if !self.is_inside_word() => self.step_raw(),
            ('\'', Some('\\')) => self.skip_letter_with_escape(),
            ('\'', Some(_)) if self.peek(2) == Some('\'') => {
                self.line.code.push_str("''");
                self.at += 3;
            }
            _ => self.take_code(1),
        }
    }

    fn step_block(&mut self, letter: char, depth: usize) {
        match (letter, self.peek(1)) {
            ('*', Some('/')) => {
                self.state = match depth {
                    1 => State::Code,
                    _ => State::BlockComment(depth - 1),
                };
                self.take_comment(2);
            }
            ('/', Some('*')) => {
                self.state = State::BlockComment(depth + 1);
                self.take_comment(2);
            }
            _ => self.take_comment(1),
        }
    }

    fn step_text(&mut self, letter: char) {
        match letter {
            // The end of the line is left alone, so that lines are still counted.
            '\\' if self.peek(1) != Some('\n') => self.at += 2,
            '"' => {
                self.state = State::Code;
                self.take_code(1);
            }
            _ => self.at += 1,
        }
    }

    /// At an `r`: the start of a raw string, or of a raw identifier such as `r#type`.
    fn step_raw(&mut self) {
        let hashes = self.letters[self.at + 1..].iter().take_while(|&&c| c == '#').count();
        if self.peek(hashes + 1) == Some('"') {
            self.state = State::RawText(hashes);
            self.line.code.push('"');
            self.at += hashes + 2;
        } else {
            self.take_code(1);
        }
    }

    /// At the quote of `'\n'`, `'\''` or `'\u{1f}'`.
    fn skip_letter_with_escape(&mut self) {
        self.line.code.push_str("''");
        self.at += 3;
        while self.peek(0).is_some_and(|letter| letter != '\'' && letter != '\n') {
            self.at += 1;
        }
        if self.peek(0) == Some('\'') {
            self.at += 1;
        }
    }

    /// Whether an `r` here ends or continues an identifier; `br` and `cr` start strings too.
    fn is_inside_word(&self) -> bool {
        let joins = |letter: &char| letter.is_alphanumeric() || *letter == '_';
        let before = &self.letters[..self.at];
        match before {
            [.., first, 'b' | 'c'] => joins(first),
            [] | ['b' | 'c'] => false,
            [.., last] => joins(last),
        }
    }

    fn take_code(&mut self, count: usize) {
        self.line.code.extend(&self.letters[self.at..self.at + count]);
        self.at += count;
    }

    fn take_comment(&mut self, count: usize) {
        self.line.comment.extend(&self.letters[self.at..self.at + count]);
        self.at += count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, code: &[&str], comments: &[&str]) {
        let lines = split(text);
        let found: Vec<&str> = lines.iter().map(|line| line.code.trim()).collect();
        assert_eq!(found, code, "code of {text:?}");
        let found: Vec<&str> = lines.iter().map(|line| line.comment.as_str()).collect();
        assert_eq!(found, comments, "comments of {text:?}");
    }

    #[test]
    fn comments_leave_the_code() {
        check("let a = 1; // why\n", &["let a = 1;"], &["// why"]);
        check("a /* b /* c */ d */ e", &["a  e"], &["/* b /* c */ d */"]);
        check("a /* b\nc */ d\n", &["a", "d"], &["/* b", "c */"]);
        check("let a = \"// no\";\n", &["let a = \"\";"], &[""]);
    }

    #[test]
    fn strings_are_emptied() {
        check(r#"f("println!(\"x\")", 'a')"#, &[r#"f("", '')"#], &[""]);
        check("f(r#\"dbg!(\"a\")\"#, br\"b\")", &["f(\"\", b\"\")"], &[""]);
        check("f(\"one\ntwo\")\n", &["f(\"", "\")"], &["", ""]);
        check("f(\"one \\\n  two\")\n", &["f(\"", "\")"], &["", ""]);
    }

    #[test]
    fn letters_lifetimes_and_raw_names_are_told_apart() {
        check("fn a<'a>(b: &'a str) {}", &["fn a<'a>(b: &'a str) {}"], &[""]);
        check(
            r"match c { '\'' | '\u{1f}' | '\\' => '\n' }",
            &["match c { '' | '' | '' => '' }"],
            &[""],
        );
        check("let r#type = for_r\"\";", &["let r#type = for_r\"\";"], &[""]);
        check("'\"' // b", &["''"], &["// b"]);
    }

    #[test]
    fn unfinished_text_ends_quietly() {
        check("", &[], &[]);
        check("let a = \"b", &["let a = \""], &[""]);
        check("'\\", &["''"], &[""]);
    }
}
