//! The last operations of an agent, from what it prints: tools that it called and how those ended, what
//! it said, and the lines of a command. They are for who looks on; nothing rests on them.

use std::collections::VecDeque;

use countersign_domain::agent::AgentSpec;
use countersign_domain::secret::Scanner;
use countersign_exec::agents::{Moment, Reader};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// So many are kept of one agent.
pub(crate) const KEPT: usize = 20;
/// As much of one is kept while it is heard: a secret is known by its whole.
const HEARD: usize = 1_000;
/// As much of one is shown.
const SHOWN: usize = 160;

/// How an operation went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Went {
    /// It has not ended, as far as was heard.
    Going,
    Done,
    Failed,
    /// Words only.
    Told,
    Retried,
    Skipped,
}

/// One operation of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    /// When it was heard of; nothing where only the order is on record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    pub went: Went,
    /// What it was, in one line without secrets.
    pub what: String,
}

impl Operation {
    /// One as it may be shown: secrets are gone before anything is cut.
    pub(crate) fn shown(at: Option<Timestamp>, went: Went, what: &str) -> Self {
        let clean = Scanner::builtin().redact(what);
        let line = clean.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut what: String = line.chars().take(SHOWN).collect();
        if what.len() < line.len() {
            what.push('…');
        }
        Self { at, went, what }
    }
}

/// One as it was heard.
#[derive(Debug)]
struct Known {
    at: Option<Timestamp>,
    went: Went,
    what: String,
    /// The name of the call, if it is one.
    call: Option<String>,
    /// Words of a model come in pieces; a line that was printed is whole.
    may_grow: bool,
}

/// The last operations, as far as an agent was heard. Bounded, whatever it prints.
#[derive(Debug, Default)]
pub(super) struct Last {
    known: VecDeque<Known>,
    /// How many lines of a private key were printed so far; none where none is being printed.
    of_key: usize,
}

impl Last {
    pub(super) fn take(&mut self, moment: &Moment, at: Option<Timestamp>) {
        match moment {
            Moment::ToolStarted { id, tool, about } => {
                self.add(at, Went::Going, &format!("{tool} {about}"));
                if let Some(last) = self.known.back_mut() {
                    last.call = Some(id.clone());
                }
            }
            Moment::ToolEnded { id, failed } => {
                let is_it =
                    |one: &&mut Known| one.went == Went::Going && one.call.as_ref() == Some(id);
                if let Some(one) = self.known.iter_mut().rev().find(is_it) {
                    one.went = if *failed { Went::Failed } else { Went::Done };
                }
            }
            Moment::Said(text) => self.say(at, text),
            Moment::Printed(line) => self.print(at, line),
            Moment::Retried { detail, .. } => {
                self.add(at, Went::Retried, &format!("its model: {detail}"));
            }
            Moment::Began { .. } | Moment::Used(_) => {}
        }
    }

    fn say(&mut self, at: Option<Timestamp>, text: &str) {
        match self.known.back_mut() {
            Some(last) if last.may_grow => {
                let is_end = last.what.ends_with(['.', ':', '!', '?']);
                let room = HEARD.saturating_sub(last.what.chars().count());
                let gap = if is_end { " " } else { "" };
                last.what.extend(gap.chars().chain(text.chars()).take(room));
            }
            _ => {
                self.add(at, Went::Told, text);
                if let Some(last) = self.known.back_mut() {
                    last.may_grow = true;
                }
            }
        }
    }

    /// A line of a command. Of a private key, only the first line shows what the others are: they are left
    /// out, also where the first was printed before anybody looked.
    fn print(&mut self, at: Option<Timestamp>, line: &str) {
        let (begins, ends) = (key::begins(line), key::ends(line));
        if self.of_key > 0 && (ends || key::is_inside(line, self.of_key)) {
            self.of_key = if ends { 0 } else { self.of_key + 1 };
            return;
        }
        if ends && !begins {
            while self.known.back().is_some_and(|one| key::is_inside(&one.what, 1)) {
                self.known.pop_back();
            }
        }
        self.of_key = usize::from(begins && !ends);
        self.add(at, Went::Told, line);
    }

    fn add(&mut self, at: Option<Timestamp>, went: Went, what: &str) {
        if self.known.len() == KEPT {
            self.known.pop_front();
        }
        let what = what.trim().chars().take(HEARD).collect();
        self.known.push_back(Known { at, went, what, call: None, may_grow: false });
    }

    /// As they may be shown, oldest first.
    pub(super) fn shown(&self) -> Vec<Operation> {
        self.known.iter().map(|one| Operation::shown(one.at, one.went, &one.what)).collect()
    }
}

/// What the lines of a private key look like.
mod key {
    /// The longest line of headers before its body, and how long a word of the body is at least where the
    /// line has something else in it.
    const HEADERS: usize = 4;
    const WORD: usize = 40;

    pub(super) fn begins(line: &str) -> bool {
        line.contains("-----BEGIN ") && line.contains("PRIVATE KEY")
    }

    pub(super) fn ends(line: &str) -> bool {
        line.contains("-----END ") && line.contains("PRIVATE KEY")
    }

    /// Whether it may be the line of that number after the first.
    pub(super) fn is_inside(line: &str, number: usize) -> bool {
        let is_digit = |c: char| c.is_ascii_alphanumeric() || "+/=".contains(c);
        let line = line.trim();
        // Before it may stand bars and the number of the line.
        let words = || line.split(|c| !is_digit(c)).filter(|word| !word.is_empty());
        let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
        let is_body = words().skip_while(|word| is_number(word)).count() <= 1;
        let has_body = || words().any(|word| word.len() >= WORD);
        is_body || has_body() || number <= HEADERS && line.contains(": ")
    }
}

/// The last operations of an agent that has ended, from the end of what it printed.
pub(crate) fn of_output(spec: &AgentSpec, output: &[u8]) -> Vec<Operation> {
    let mut last = Last::default();
    let mut reader = Reader::new(spec);
    reader.feed(output, &mut |moment| last.take(&moment, None));
    // The last line may lack its end.
    reader.feed(b"\n", &mut |moment| last.take(&moment, None));
    last.shown()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(id: &str, about: &str) -> Moment {
        Moment::ToolStarted { id: id.into(), tool: "Bash".into(), about: about.into() }
    }

    fn ended(id: &str, failed: bool) -> Moment {
        Moment::ToolEnded { id: id.into(), failed }
    }

    fn lines(moments: &[Moment]) -> Vec<(Went, String)> {
        let mut last = Last::default();
        for moment in moments {
            last.take(moment, None);
        }
        last.shown().into_iter().map(|one| (one.went, one.what)).collect()
    }

    /// LP-24: calls are told with how they ended, words in one piece, and lines one by one.
    #[test]
    fn moments_become_operations() {
        let said = |text: &str| Moment::Said(text.into());
        let printed = |text: &str| Moment::Printed(text.into());
        let moments = [
            started("a", "ls\n-l"),
            started("b", "false"),
            ended("b", true),
            ended("a", false),
            ended("unknown", true),
            said("I will"),
            said(" now look."),
            said("Then"),
            printed("one"),
            printed("two"),
            started("c", "sleep 9"),
        ];
        let expected = [
            (Went::Done, "Bash ls -l"),
            (Went::Failed, "Bash false"),
            (Went::Told, "I will now look. Then"),
            (Went::Told, "one"),
            (Went::Told, "two"),
            (Went::Going, "Bash sleep 9"),
        ];
        assert_eq!(lines(&moments), expected.map(|(went, what)| (went, what.to_owned())));
    }

    /// LP-24: the last are kept, none is long, and secrets are gone before anything is cut.
    #[test]
    fn operations_are_bounded_and_screened() {
        let many: Vec<Moment> =
            (0..100).map(|number| Moment::Printed(format!("line {number}"))).collect();
        let kept = lines(&many);
        assert_eq!((kept.len(), kept[0].1.as_str()), (KEPT, "line 80"));
        let long = lines(&[Moment::Said("x".repeat(10_000))]);
        assert_eq!(long[0].1.chars().count(), SHOWN + 1);
        let rule = Scanner::builtin().rules().next().unwrap().0.to_owned();
        let secret = Scanner::builtin().example(&rule, 1).unwrap();
        let shown = lines(&[started("a", &format!("{} {secret}", "x".repeat(150)))]);
        assert!(!shown[0].1.contains(&secret[..8.min(secret.len())]), "{shown:?}");
    }

    /// LP-24, SE-04: of a private key that is printed line by line nothing is shown but that it was one, also
    /// where only its end was heard; what comes after it is shown.
    #[test]
    fn a_private_key_is_no_operation() {
        let printed = |text: &str| Moment::Printed(text.into());
        let (begin, end) =
            (["-----BEGIN ", "RSA PRIVATE KEY-----"], "-----END RSA PRIVATE KEY-----");
        let body = "MIIEpAIBAAKCAQEA7bq98Jx2mEJ5cW0p1vT3yZkLr6sNfGhQdUoXwYe4iAaBbCcDd";
        let mut whole = vec![printed("before"), printed(&begin.concat())];
        whole.push(printed("Proc-Type: 4,ENCRYPTED"));
        whole.extend((0..50).map(|_| printed(body)));
        whole.extend([printed("short=="), printed(end), printed("after")]);
        let shown: Vec<String> = lines(&whole).into_iter().map(|(_, what)| what).collect();
        assert_eq!(shown, ["before", "[redacted: rsa-private-key]", "after"]);
        let cut: Vec<String> = lines(&whole[10..]).into_iter().map(|(_, what)| what).collect();
        assert_eq!(cut, [end, "after"]);
        // The same behind numbers and bars, up to its short last line.
        let lines_of = ["before", &begin.concat(), body, "short==", end, "after"];
        for gutter in ["  | ", "12 | ", "│ ", "> "] {
            let whole: Vec<Moment> =
                lines_of.iter().map(|line| printed(&format!("{gutter}{line}"))).collect();
            let shown: Vec<String> = lines(&whole).into_iter().map(|(_, what)| what).collect();
            assert_eq!(shown.len(), 3, "{shown:?}");
            assert!(shown[1].ends_with("[redacted: rsa-private-key]"), "{shown:?}");
        }
        // What only begins like one hides nothing for long.
        let shown =
            lines(&[printed(&begin.concat()), printed("no, that is a template"), printed("x")]);
        assert_eq!(shown.len(), 3, "{shown:?}");
    }

    /// LP-24: what has ended is read from what it printed, also where that begins in a line.
    #[test]
    fn output_is_read_from_its_end() {
        let spec: AgentSpec = "command:make".parse().unwrap();
        let read = of_output(&spec, b"f of a line\nbuilt\n\nlast, without an end");
        let texts: Vec<&str> = read.iter().map(|one| one.what.as_str()).collect();
        assert_eq!(texts, ["f of a line", "built", "last, without an end"]);
    }
}
