//! Redirections and here-documents: words and lines that are no part of a command.

use super::After;
use super::lexer::{Document, Kind, Lexer};

impl Lexer<'_> {
    pub(super) fn new_line(&mut self) {
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

    pub(super) fn redirection(&mut self) {
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
}
