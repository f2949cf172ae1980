//! What a task states about the code by example is asked of the code, before and after the work.

use std::collections::BTreeMap;
use std::time::Duration;

use countersign_domain::ObjectId;
use countersign_domain::receipt::Receipt;
use countersign_domain::verify::{Ground, Heard, Level, Stated, is_error, stated, value};
use countersign_exec::runners::{Question, answer, asked, start};
use countersign_gaming::{Role, role};
use serde_json::Value;

use super::borrow::Borrowed;
use super::edits::Files;
use super::place::{Job, Place};
use super::{Moment, Work};
use crate::error::Result;

/// What takes longer gives no answer.
const MOST: Duration = Duration::from_mins(1);
const MOST_BYTES: usize = 1 << 20;
/// More files than these are not searched for a function.
const MOST_FILES: usize = 2_000;

type Watch<'w> = &'w mut dyn FnMut(&Moment<'_>);

/// Asks everything that the task states, of what was handed over and of the base. Nothing is asked
/// twice, and nothing at all where the task states nothing that can be asked.
pub(super) fn hear(
    work: &mut Work<'_>,
    (borrowed, files): (&[Borrowed], &Files),
    watch: Watch<'_>,
) -> Result<Vec<Heard>> {
    let stated = stated(work.terms.heeded());
    let handed = work.tree.clone();
    let Some((receipt, new)) = ask(work, (&handed, Ground::Handed), (&stated, borrowed), watch)?
    else {
        return Ok(Vec::new());
    };
    if new.iter().all(Option::is_none) {
        return Ok(Vec::new());
    }
    let base = work.terms.base_tree.clone();
    let old = ask(work, (&base, Ground::Base), (&stated, borrowed), watch)?;
    let old = old.map_or_else(|| vec![None; stated.len()], |(_, old)| old);
    let id = receipt.id();
    let heard = stated.into_iter().zip(new).zip(old).map(|((stated, handed), base)| {
        let is_named = stated.values().iter().any(|value| files.adds(value));
        Heard { stated, base, handed, is_named, receipt: id }
    });
    Ok(heard.collect())
}

/// What the code in `tree` gives for each statement; nothing if none of them can be asked there.
fn ask(
    work: &mut Work<'_>,
    (tree, ground): (&ObjectId, Ground),
    (stated, borrowed): (&[Stated], &[Borrowed]),
    watch: Watch<'_>,
) -> Result<Option<(Receipt, Vec<Option<Value>>)>> {
    let words: Vec<String> = (0..stated.len()).map(|number| word(work, number)).collect();
    let Some(command) = command(work, tree, (stated, &words))? else { return Ok(None) };
    let first: Vec<&str> = stated.iter().map(|one| one.call.as_str()).collect();
    let told = first.join(", ");
    watch(&Moment::Running { command: &told, ground });
    let begun = start(None, &command, &Place::of(work).reports);
    let number = work.terms.checks.len() + work.terms.examples.len();
    let limit = MOST.min(Duration::from_secs(work.seconds));
    let job = Job { begun: &begun, folder: "", number, attempt: 1, level: Level::Oracle, limit };
    let place = Place::make(work, tree, borrowed)?;
    let receipt = place.run(work, &job, tree)?;
    place.end(work, &receipt.execution.ended);
    work.record_run(ground, receipt.clone(), None)?;
    let bytes = work.engine.store.blobs().read(&receipt.execution.output.blob)?;
    let printed = String::from_utf8_lossy(&bytes[..bytes.len().min(MOST_BYTES)]).into_owned();
    let given = words.iter().map(|word| {
        let (found, rest) = value(answer(&printed, word)?)?;
        rest.trim().is_empty().then_some(found)
    });
    let given = given.collect();
    Ok(Some((receipt, given)))
}

/// What an answer is printed behind. It is a word of letters, since it is the name of a file as well.
fn word(work: &Work<'_>, number: usize) -> String {
    let letters = work.word.bytes().map(|byte| char::from(b'g' + byte % 16));
    let drawn: String = letters.take(12).collect();
    format!("{drawn}{}", char::from(b'a' + u8::try_from(number % 26).unwrap_or(0)))
}

/// One shell command for all questions that can be asked of `tree`.
fn command(
    work: &Work<'_>,
    tree: &ObjectId,
    (stated, words): (&[Stated], &[String]),
) -> Result<Option<String>> {
    if stated.is_empty() {
        return Ok(None);
    }
    let listed = work.engine.repository.list(tree)?;
    let files: BTreeMap<&str, &ObjectId> = listed
        .iter()
        .filter_map(|one| Some((one.path.to_str()?, &one.side.object)))
        .filter(|(path, _)| role(path) == Role::Product || path.ends_with("Cargo.toml"))
        .collect();
    if files.len() > MOST_FILES {
        return Ok(None);
    }
    let paths: Vec<&str> = files.keys().copied().collect();
    let read = |path: &str| String::from_utf8(work.content(files.get(path)?).ok()?).ok();
    let questions = stated.iter().zip(words).filter_map(|(one, word)| {
        let (call, function, of) = (&one.call, &one.function, one.of.as_deref());
        let wants_error = is_error(&one.value);
        asked(&Question { call, function, of, word, wants_error }, &paths, &read)
    });
    let questions: Vec<String> = questions.map(|one| format!("( {one} ) 2>/dev/null\n")).collect();
    Ok((!questions.is_empty()).then(|| questions.concat()))
}
