//! Asking a person who is there.

use std::io::{BufRead, IsTerminal as _, Read as _};

use countersign_domain::checkpoint::State;

use super::{Asked, label};
use crate::ui;

/// The longest line that a person types.
const MOST: u64 = 64 * 1024;

/// What a person types and is told.
struct Reader<'a> {
    input: &'a mut dyn BufRead,
    tell: &'a mut dyn FnMut(&str),
    /// Puts words on the record that are no answer.
    discuss: &'a mut dyn FnMut(&str) -> Result<(), countersign_engine::Error>,
}

/// Asks at the terminal, if a person is there: gives the key of what they chose, and their words.
/// `None` if nobody is there, or they want to answer later; the question then waits.
pub fn ask_in_terminal(
    asked: &Asked,
    discuss: &mut dyn FnMut(&str) -> Result<(), countersign_engine::Error>,
) -> Option<(String, String)> {
    let (input, output) = (std::io::stdin(), std::io::stderr());
    if !input.is_terminal() || !output.is_terminal() || asked.state != State::Open {
        return None;
    }
    let mut tell = |text: &str| ui::say(text);
    converse(asked, &mut Reader { input: &mut input.lock(), tell: &mut tell, discuss })
}

/// The conversation: until there is an answer, or none for now.
fn converse(asked: &Asked, reader: &mut Reader<'_>) -> Option<(String, String)> {
    let question = &asked.checkpoint.question;
    let head = format!("{}: {}", asked.checkpoint.id, question.trigger);
    let mut short = format!("\n{}\n", ui::paint(ui::BOLD, head));
    short += &format!("{}\n", ui::printable(question.question.trim()));
    for (number, choice) in (1..).zip(&question.options) {
        short += &label(number, choice);
    }
    (reader.tell)(short.trim_end());
    loop {
        (reader.tell)(
            "Your answer, by number or name; ? shows all of it, ? WORDS puts words on the record; \
             an empty line: later",
        );
        let line = reader.line()?;
        let line = line.trim();
        if line.is_empty() {
            return None;
        }
        if let Some(words) = line.strip_prefix('?') {
            reader.look_or_discuss(asked, words.trim());
            continue;
        }
        let choice = match question.choose(line) {
            Ok(choice) => choice,
            Err(none) => {
                (reader.tell)(&ui::printable(&none.to_string()));
                continue;
            }
        };
        let wanted = if choice.is_reason_needed { "it takes a reason" } else { "may be empty" };
        (reader.tell)(&format!("{}. Why? ({wanted})", ui::printable(&choice.label)));
        let words = reader.line()?.trim().to_owned();
        if choice.is_reason_needed && words.is_empty() {
            continue;
        }
        return Some((choice.key.clone(), words));
    }
}

impl Reader<'_> {
    /// The next line; `None` at the end of all input. What is no text is made one: it goes on the
    /// record as a person's words.
    fn line(&mut self) -> Option<String> {
        let mut bytes = Vec::new();
        let read = (&mut self.input).take(MOST).read_until(b'\n', &mut bytes);
        let is_there = read.is_ok_and(|length| length > 0);
        is_there.then(|| String::from_utf8_lossy(&bytes).into_owned())
    }

    fn look_or_discuss(&mut self, asked: &Asked, words: &str) {
        if words.is_empty() {
            (self.tell)(asked.text().trim_end());
            return;
        }
        match (self.discuss)(words) {
            Ok(()) => (self.tell)("on the record"),
            Err(error) => (self.tell)(&ui::printable(&error.message)),
        }
    }
}

#[cfg(test)]
mod tests {
    use countersign_domain::checkpoint::{
        Checkpoint, CheckpointEvent, Offer, Question, Standard, Subject, Trigger, Urgency,
    };
    use countersign_engine::checkpoint::Precedents;

    use super::*;

    fn asked(context: &str) -> Asked {
        let Standard { options, why } = Standard::of(Trigger::Gaming, &Offer::default());
        let question = Question {
            trigger: Trigger::Gaming,
            subject: Subject { run: "20261116_101500_001".parse().unwrap(), attempt: 1, number: 1 },
            context: context.to_owned(),
            progress: String::new(),
            risk: String::new(),
            question: "Is it work?".into(),
            options,
            why_recommended: why,
            urgency: Urgency::Normal,
            expires_at: None,
        };
        let event = CheckpointEvent::Asked(Box::new(question.clone()));
        let checkpoint = Checkpoint::replay(question.id(), [("t".to_owned(), event)]);
        Asked {
            checkpoint: checkpoint.unwrap().unwrap(),
            state: State::Open,
            now: "2026-11-16T10:15:00Z".parse().unwrap(),
            urgency: Urgency::Normal,
            precedents: Precedents::default(),
        }
    }

    /// What comes of `typed`: the answer, what was put on the record, and what was told.
    fn talk(asked: &Asked, typed: &[u8]) -> (Option<(String, String)>, Vec<String>, String) {
        let (mut said, mut told) = (Vec::new(), String::new());
        let mut reader = Reader {
            input: &mut std::io::Cursor::new(typed),
            tell: &mut |text| told += &format!("{text}\n"),
            discuss: &mut |words| {
                said.push(words.to_owned());
                Ok(())
            },
        };
        let answer = converse(asked, &mut reader);
        (answer, said, told)
    }

    fn answer(typed: &[u8]) -> Option<(String, String)> {
        talk(&asked("c"), typed).0
    }

    /// CO-12: a person answers by number, name or label, with words.
    #[test]
    fn a_person_answers() {
        let answered = |key: &str, words: &str| Some((key.to_owned(), words.to_owned()));
        assert_eq!(answer(b"2\n\n"), answered("send-back", ""));
        assert_eq!(answer(b"STOP\nenough \n"), answered("stop", "enough"));
        assert_eq!(answer(b"what?\nsend\nonce more"), answered("send-back", "once more"));
        assert_eq!(answer(b"accept\n\naccept\nours\n"), answered("accept", "ours"));
        assert_eq!(answer(b"2\nno \xff text\n"), answered("send-back", "no \u{fffd} text"));
    }

    /// CO-12: who goes away, or says nothing, has not answered.
    #[test]
    fn silence_is_no_answer() {
        for typed in ["", "\n", "1", "1\n", "1\n\n", "2", "?\n", "? hm\n\n", "0\n-1\nx\n"] {
            assert_eq!(answer(typed.as_bytes()), None, "{typed:?}");
        }
        assert_eq!(answer(&vec![b'x'; 1 << 20]), None);
    }

    /// CO-12: `?` shows all of it, and words behind it go on the record.
    #[test]
    fn questions_can_be_discussed() {
        let (answer, said, told) =
            talk(&asked("The \u{1b}[31mworker\nlied"), b"?\n? is it G7\n2\n\n");
        assert_eq!(
            (answer.unwrap().0, said),
            ("send-back".to_owned(), vec!["is it G7".to_owned()])
        );
        assert!(told.contains("  The \u{fffd}[31mworker\n  lied\n"), "{told}");
        assert!(told.contains("+ An honest worker can show what it meant."), "{told}");
    }
}
