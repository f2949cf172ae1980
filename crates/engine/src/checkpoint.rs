//! Checkpoints: durable questions to a person. Asking, answering and using an answer are separate acts
//! of separate processes, and each happens once. Why is in `docs/design/checkpoints.md`.

mod find;
mod precedents;
mod view;

use countersign_domain::Stamp;
use countersign_domain::checkpoint::{
    Answer, Answering, Checkpoint, CheckpointEvent, CheckpointId, Question, Refusal, State,
};
use countersign_domain::ledger::{Event, Stored as _, Stream};
use countersign_domain::secret::Scanner;
use countersign_store::{Appended, Expected};

pub use precedents::{Precedent, Precedents};
pub use view::{CheckpointRow, RowAnswer};
pub(crate) use view::{VIEW, rows_of};

use crate::Engine;
use crate::error::{Error, Kind, Result};

/// The longest words that a person says at once, in bytes.
const MOST_WORDS: usize = 64 * 1024;
/// The variable that agents of a run have set: it names the run.
const OF_WORKERS: &str = "COUNTERSIGN_RUN";
/// Variables that agents have set where they run commands. Nobody is stopped by them who wants to
/// answer in a person's place; who does so without thinking is.
const OF_AGENTS: [&str; 4] = [OF_WORKERS, "CLAUDECODE", "GEMINI_CLI", "CODEX_SANDBOX"];

impl Engine {
    /// Puts a question on the record; it waits from now on. To ask the same again is to ask once, so
    /// that who died after asking can simply go on.
    pub fn ask(&mut self, question: &Question) -> Result<CheckpointId> {
        // What agents said may be in it.
        let scanner = Scanner::builtin();
        let question = question.clone().with_texts(|text| scanner.redact(text).into_owned());
        let id = question.id();
        question.check().map_err(|unfit| {
            Error::new(Kind::Bug, format!("the question {id} can't be asked: {unfit}"))
        })?;
        if let Some(known) = self.find_asked(id)? {
            return same(&known, &question);
        }
        let event = CheckpointEvent::Asked(Box::new(question.clone()));
        match self.append_to_checkpoint(None, id, event)? {
            Some(_) => self.seal_what_is_done().map(|()| id),
            // Somebody asked since we looked.
            None => same(&self.checkpoint(id)?, &question),
        }
    }

    /// The question `id` and all that became of it.
    pub fn checkpoint(&self, id: CheckpointId) -> Result<Checkpoint> {
        self.find_asked(id)?.ok_or_else(|| {
            Error::new(Kind::NotFound, format!("there is no checkpoint {id}"))
                .hint("`countersign checkpoint list --all` lists them")
        })
    }

    fn find_asked(&self, id: CheckpointId) -> Result<Option<Checkpoint>> {
        let stream = stream_of(id)?;
        let events = self.store.read(&stream, 0)?;
        // What is decided next rests on it.
        self.check_chain(&stream, &events)?;
        fold(id, &events)
    }

    /// Answers a question, from any process and without a lease. `choice` is the number, the key or the
    /// beginning of the label of an option. The first answer stands.
    pub fn answer(
        &mut self,
        id: CheckpointId,
        choice: &str,
        words: &str,
        by: &str,
    ) -> Result<Checkpoint> {
        self.expect_a_person()?;
        self.check_words(words, by)?;
        let key = self.key()?;
        let answered = self.advance(id, |found| {
            // Who comes too late is told so, whatever they chose.
            if found.state() != State::Open {
                let event = answered(words, (String::new(), by), None);
                return Ok(Some(event));
            }
            let choice = found.question.choose(choice).map_err(|none| {
                Error::new(Kind::Usage, none.to_string())
                    .hint(format!("`countersign checkpoint show {id}` tells what each means"))
            })?;
            let signed = found.answering(&choice.key, words, by);
            let signature = key.sign(Answering::PURPOSE, &signed);
            Ok(Some(answered(words, (choice.key.clone(), by), Some(signature))))
        })?;
        self.seal_what_is_done()?;
        Ok(answered)
    }

    /// Puts words about a question on the record that are no answer.
    pub fn discuss(&mut self, id: CheckpointId, words: &str, by: &str) -> Result<Checkpoint> {
        self.check_words(words, by)?;
        if words.trim().is_empty() {
            return Err(Error::new(Kind::Usage, "there is nothing to put on the record"));
        }
        let event = CheckpointEvent::Discussed { words: words.to_owned(), by: by.to_owned() };
        self.advance(id, |_| Ok(Some(event.clone())))
    }

    /// Takes the answer for the action that asked, which is `by`. That happens once: who comes again
    /// after a crash gets it again, and nobody else does.
    pub fn consume(&mut self, id: CheckpointId, by: &str) -> Result<Answer> {
        let key = self.key()?.public();
        let event = CheckpointEvent::Consumed { by: by.to_owned() };
        let used = self.advance(id, |found| {
            if !found.is_answered_by(&key) {
                let message = format!("the answer to {id} is not signed with the key of this user");
                return Err(Error::new(Kind::Tampered, message).hint(
                    "answers count from who drives the run; `countersign ledger verify` names what \
                     was changed",
                ));
            }
            let is_ours = found.consumed.as_ref().is_some_and(|used| used.by == by);
            Ok((!is_ours).then(|| event.clone()))
        })?;
        used.answer.ok_or_else(|| Error::new(Kind::Bug, format!("{id} was used unanswered")))
    }

    /// Takes a question back that nobody needs an answer to any more.
    pub fn withdraw(&mut self, id: CheckpointId, why: &str) -> Result<Checkpoint> {
        let event = CheckpointEvent::Withdrawn { why: why.to_owned() };
        self.advance(id, |found| Ok(found.withdrawn.is_none().then(|| event.clone())))
    }

    /// Appends what `next` makes of the checkpoint as it is; nothing, if it makes nothing.
    fn advance(
        &mut self,
        id: CheckpointId,
        next: impl Fn(&Checkpoint) -> Result<Option<CheckpointEvent>>,
    ) -> Result<Checkpoint> {
        loop {
            let found = self.checkpoint(id)?;
            let Some(event) = next(&found)? else { return Ok(found) };
            found.check(&event).map_err(|refusal| refused(id, &refusal))?;
            if let Some(after) = self.append_to_checkpoint(Some(found), id, event)? {
                return Ok(after);
            }
        }
    }

    /// Appends `event`; `None` if something else came first.
    fn append_to_checkpoint(
        &mut self,
        before: Option<Checkpoint>,
        id: CheckpointId,
        event: CheckpointEvent,
    ) -> Result<Option<Checkpoint>> {
        let (kind, body) = event.encode()?;
        let draft = self.draft(&kind, CheckpointEvent::FORMAT, body);
        let at = format!("{:.6}", draft.time);
        let expected = Expected::Sequence(before.as_ref().map_or(0, |found| found.sequence));
        let refuse = |refusal: Refusal| refused(id, &refusal);
        let after = match before {
            Some(mut found) => found.apply(at, event).map(|()| Some(found)),
            None => Checkpoint::replay(id, [(at, event)]),
        };
        let Some(after) = after.map_err(refuse)? else { return Ok(None) };
        let rows = [view::row(&after)?];
        match self.store.append(&stream_of(id)?, expected, &[draft], &rows) {
            Ok(Appended::Written(_)) => Ok(Some(after)),
            Ok(Appended::Spooled(why)) => {
                let message = format!(
                    "the ledger is not available: {why}. What was said to {id} is in the spool, and \
                     counts once it is in, unless something else comes first"
                );
                Err(Error::new(Kind::Unavailable, message)
                    .hint(format!("mend that, then look: countersign checkpoint show {id}")))
            }
            Err(countersign_store::Error::Conflict { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn check_words(&mut self, words: &str, by: &str) -> Result<()> {
        if words.len() > MOST_WORDS {
            let message = format!("{} bytes are too many words; at most {MOST_WORDS}", words.len());
            return Err(Error::new(Kind::Usage, message).hint("put the rest into a file"));
        }
        if by.trim().is_empty() || by.chars().count() > 100 {
            return Err(Error::new(Kind::Usage, "a name has 1 to 100 letters"));
        }
        self.screen(&[("the name", Some(by)), ("the words", Some(words))], false).map(|_| ())
    }

    /// Takes the open questions of a run back that has ended.
    pub(crate) fn withdraw_all(&mut self, run: Stamp, asked: u32, why: &str) -> Result<()> {
        for number in 1..=asked {
            let id = CheckpointId { run, number };
            let is_open = |found: &Checkpoint| found.state() == State::Open;
            if self.find_asked(id)?.is_some_and(|found| is_open(&found)) {
                self.withdraw(id, why)?;
            }
        }
        Ok(())
    }

    /// An agent at work in a run does not decide what becomes of runs; it can only say so in its claim.
    pub(crate) fn expect_no_worker(&self) -> Result<()> {
        let Some(run) = self.host.variable(OF_WORKERS) else { return Ok(()) };
        let run = run.to_string_lossy();
        let message = format!("an agent of run {run} runs this command, and a person has to");
        Err(Error::new(Kind::Refused, message).hint(
            "who can't go on says so in the claim (impossible, contradictory, needs a person)",
        ))
    }

    /// Who is asked is a person. An agent that answers its own question has asked nobody.
    pub(crate) fn expect_a_person(&self) -> Result<()> {
        let found = OF_AGENTS.iter().find(|name| self.host.variable(name).is_some());
        found.map_or(Ok(()), |name| {
            let message =
                format!("an agent runs this command (${name} is set), and a person is asked");
            Err(Error::new(Kind::Refused, message)
                .hint("answer in a terminal of your own; agents may read and discuss"))
        })
    }
}

fn answered(
    words: &str,
    (choice, by): (String, &str),
    signature: Option<countersign_domain::ledger::Signature>,
) -> CheckpointEvent {
    let (words, by) = (words.to_owned(), by.to_owned());
    CheckpointEvent::Answered { choice, words, by, signature }
}

/// Whether what is on the record is what is asked now. Its words may be others: a newer version of this
/// program asks the same in other words, and what a person was shown stands.
fn same(known: &Checkpoint, question: &Question) -> Result<CheckpointId> {
    let of = |question: &Question| (question.trigger, question.subject);
    if of(&known.question) == of(question) {
        return Ok(known.id);
    }
    let message = format!("{} asks something else already: {}", known.id, known.question.question);
    Err(Error::new(Kind::Refused, message).hint("count the questions of a run, each once"))
}

fn refused(id: CheckpointId, refusal: &Refusal) -> Error {
    let error = Error::new(Kind::Refused, format!("checkpoint {id}: {refusal}"));
    match refusal {
        Refusal::Answered { .. } => error.hint("the first answer stands; it can't be changed"),
        Refusal::NotAnswered => {
            Error { kind: Kind::Human, ..error }.hint(format!("countersign checkpoint answer {id}"))
        }
        Refusal::ReasonNeeded { .. } => Error { kind: Kind::Usage, ..error }.hint("--note WORDS"),
        Refusal::Consumed { .. } => error.hint("an answer is used once; ask again"),
        Refusal::Withdrawn { .. } => error.hint("nobody waits for an answer any more"),
        Refusal::NoSuchChoice { .. } => Error { kind: Kind::Usage, ..error },
        Refusal::NotAsked | Refusal::AskedTwice => Error { kind: Kind::Tampered, ..error }
            .hint("`countersign ledger verify` names what was changed"),
    }
}

pub(crate) fn stream_of(id: CheckpointId) -> Result<Stream> {
    id.stream()
        .parse()
        .map_err(|error| Error::new(Kind::Bug, format!("a checkpoint's stream: {error}")))
}

/// The fold of a checkpoint's events; `None` if there are none, or retention took them.
pub(crate) fn fold(id: CheckpointId, events: &[Event]) -> Result<Option<Checkpoint>> {
    let mut decoded = Vec::with_capacity(events.len());
    for event in events {
        let Some(body) = &event.body else { return Ok(None) };
        decoded.push((event.time.clone(), CheckpointEvent::decode(&event.kind, body)?));
    }
    Checkpoint::replay(id, decoded).map_err(|refusal| {
        Error::new(Kind::Tampered, format!("checkpoint {id} does not fit together: {refusal}"))
            .hint("`countersign ledger verify` names what was changed")
    })
}
