//! Where questions are asked and answers are read.

use std::io::{BufRead, Write};

use countersign_domain::agent::AgentSpec;
use countersign_engine::{Error, Kind};

use crate::ui;

/// A person at a terminal.
#[derive(Debug)]
pub struct Desk<R, W> {
    answers: R,
    questions: W,
    asked: usize,
}

/// The sorts of questions there are.
pub trait Talk: Sized {
    /// One line, as it is answered.
    fn line(&mut self, question: &str) -> Result<String, Error>;
    fn tell(&mut self, text: &str);
    /// The number of the next question, with it.
    fn numbered(&mut self, question: &str) -> String;

    fn group(&mut self, title: &str) {
        self.tell(&format!("\n{}", ui::paint(ui::BOLD, title)));
    }

    /// An answer that may be empty, and then is the usual one.
    fn optional(&mut self, question: &str, usual: Option<&str>) -> Result<String, Error> {
        let shown = usual.map(|usual| format!(" [{}]", ui::printable(usual))).unwrap_or_default();
        let question = self.numbered(question);
        let answer = self.line(&format!("{question}{shown} "))?;
        Ok(if answer.is_empty() { usual.unwrap_or_default().to_owned() } else { answer })
    }

    /// An answer that there must be.
    fn needed(&mut self, question: &str, usual: Option<&str>) -> Result<String, Error> {
        self.checked(question, usual, |text| Ok(text.to_owned()))
    }

    /// An answer that must make sense; it is asked again until it does.
    fn checked(
        &mut self,
        question: &str,
        usual: Option<&str>,
        check: impl Fn(&str) -> Result<String, String>,
    ) -> Result<String, Error> {
        loop {
            let answer = self.optional(question, usual)?;
            if answer.is_empty() {
                self.tell("     an answer is needed");
                continue;
            }
            match check(&answer) {
                Ok(answer) => return Ok(answer),
                Err(why) => self.tell(&format!("     {}", ui::printable(&why))),
            }
        }
    }

    /// One of several, by number or name. Without a usual one, nothing is assumed.
    fn choose(
        &mut self,
        question: &str,
        options: &[&str],
        usual: Option<usize>,
    ) -> Result<usize, Error> {
        let listed = (1..).zip(options).map(|(at, option)| format!("{at} = {option}"));
        let question = format!("{question} ({})", listed.collect::<Vec<_>>().join(", "));
        let find = |text: &str| {
            let numbered = text.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
            let named = options.iter().position(|option| option.eq_ignore_ascii_case(text));
            numbered.filter(|at| *at < options.len()).or(named)
        };
        let usual = usual.and_then(|at| options.get(at)).copied();
        let answer = self.checked(&question, usual, |text| match find(text) {
            Some(at) => Ok(at.to_string()),
            None => Err(format!("'{text}' is none of them")),
        })?;
        Ok(answer.parse().unwrap_or(0))
    }

    /// Lines until an empty one.
    fn list(&mut self, question: &str) -> Result<Vec<String>, Error> {
        let question = self.numbered(question);
        self.tell(&format!("{question} One on each line, an empty line ends:"));
        let mut lines = Vec::new();
        loop {
            let line = self.line("     - ")?;
            if line.is_empty() {
                return Ok(lines);
            }
            lines.push(line);
        }
    }

    /// An agent, or none for the one of the settings.
    fn agent(&mut self, question: &str) -> Result<Option<String>, Error> {
        let usual = "as configured";
        let answer =
            self.checked(question, Some(usual), |text| match text.parse::<AgentSpec>() {
                _ if text == usual => Ok(String::new()),
                Ok(agent) => Ok(agent.to_string()),
                Err(unnamed) => Err(format!("{unnamed}; {}", unnamed.hint())),
            })?;
        Ok(Some(answer).filter(|answer| !answer.is_empty()))
    }
}

impl<R: BufRead, W: Write> Desk<R, W> {
    pub fn new(answers: R, questions: W) -> Self {
        Self { answers, questions, asked: 0 }
    }

    /// Asks, and reads one line.
    pub fn line(&mut self, question: &str) -> Result<String, Error> {
        <Self as Talk>::line(self, question)
    }
}

impl<R: BufRead, W: Write> Talk for Desk<R, W> {
    fn line(&mut self, question: &str) -> Result<String, Error> {
        loop {
            // Who can't see a question will end the interview.
            let _ = write!(self.questions, "{question}").and_then(|()| self.questions.flush());
            let mut bytes = Vec::new();
            let count = self.answers.read_until(b'\n', &mut bytes).map_err(|error| {
                Error::new(Kind::Usage, format!("can't read the answer: {error}"))
            })?;
            if count == 0 {
                return Err(Error::new(
                    Kind::Refused,
                    "the interview was ended; nothing was written",
                )
                .hint("answers can be kept in a file: countersign plan new --from answers.toml"));
            }
            match String::from_utf8(bytes) {
                Ok(text) => return Ok(text.trim().to_owned()),
                Err(_) => self.tell("     that was no UTF-8; once more, please"),
            }
        }
    }

    fn tell(&mut self, text: &str) {
        let _ = writeln!(self.questions, "{text}");
    }

    fn numbered(&mut self, question: &str) -> String {
        self.asked += 1;
        format!("{:>3}. {question}", self.asked)
    }
}
