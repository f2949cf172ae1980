//! `countersign checkpoint`: questions that wait for a person.

use countersign_domain::checkpoint::Checkpoint;
use countersign_engine::relay::Undertaking;
use countersign_engine::{Engine, Error, Kind};

use super::Context;
use crate::asked::{self, Asked};
use crate::ui::{self, Reply};

/// List, show and answer questions that only a person can decide.
///
/// Where only a person can decide, a run asks and waits, for as long as it takes; other runs go on.
/// Nothing is ever decided by waiting. A question is answered once, from any terminal, and its answer
/// is used once.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    List(List),
    Show(Show),
    Answer(Answer),
    Discuss(Discuss),
}

/// List the questions that wait, those asked last first.
#[derive(Debug, clap::Args)]
struct List {
    /// Also those that were answered or taken back.
    #[arg(long)]
    all: bool,
}

/// Show a question: what led to it, the options with their pros and cons, earlier answers.
#[derive(Debug, clap::Args)]
struct Show {
    /// The question: its id, a beginning of it, or latest.
    #[arg(default_value = "latest")]
    checkpoint: String,
}

/// Answer a question. The first answer stands.
///
/// Without CHOICE you are asked for it, where you can be.
#[derive(Debug, clap::Args)]
struct Answer {
    /// The question: its id, a beginning of it, or latest.
    checkpoint: String,
    /// What you choose: the number, the name or the beginning of the label of an option.
    choice: Option<String>,
    /// Why, or what to change.
    #[arg(long, value_name = "WORDS")]
    note: Option<String>,
    /// Who is put on the record as the one who answered.
    #[arg(long, default_value = "user", value_name = "NAME")]
    actor: String,
}

/// Put words on the record that are no answer.
#[derive(Debug, clap::Args)]
struct Discuss {
    /// The question: its id, a beginning of it, or latest.
    checkpoint: String,
    /// What you have to say about it.
    words: String,
    /// Who is put on the record as the one who said it.
    #[arg(long, default_value = "user", value_name = "NAME")]
    actor: String,
}

pub fn run(cx: &Context, args: Args) -> Result<Reply, Error> {
    let mut engine = cx.engine()?;
    let checkpoint = match args.verb {
        Verb::List(List { all }) => return list(&engine, all),
        Verb::Show(Show { checkpoint }) => {
            engine.checkpoint(engine.find_checkpoint(&checkpoint)?)?
        }
        Verb::Answer(answer) => {
            let checkpoint = answered(&mut engine, answer)?;
            return taken_down(&engine, checkpoint);
        }
        Verb::Discuss(Discuss { checkpoint, words, actor }) => {
            let id = engine.find_checkpoint(&checkpoint)?;
            engine.discuss(id, &words, &actor)?
        }
    };
    let asked = Asked::of(&engine, checkpoint)?;
    let human = asked.text() + &asked.invitation();
    Reply::new(asked, human)
}

fn list(engine: &Engine, is_all: bool) -> Result<Reply, Error> {
    let rows = engine.checkpoints(is_all)?;
    let human = if rows.is_empty() {
        "no question waits for a person".to_owned()
    } else {
        let now = engine.host().now();
        ui::table(&rows.iter().map(|row| asked::row(row, now)).collect::<Vec<_>>())
    };
    Reply::new(serde_json::json!({ "checkpoints": rows }), human)
}

/// What was answered, and how to go on: whoever answered has just read the question.
fn taken_down(engine: &Engine, checkpoint: Checkpoint) -> Result<Reply, Error> {
    let id = checkpoint.id;
    let given = checkpoint.answer.as_ref();
    let (choice, by) = given.map_or(("", ""), |answer| (&answer.choice, &answer.by));
    let go_on = engine.undertaking_of(id.run).map_or(id.run, Undertaking::id);
    let human = format!(
        "{id}: answered with {} by {}\n  go on: countersign resume {go_on}\n",
        ui::printable(choice),
        ui::printable(by)
    );
    Reply::new(Asked::of(engine, checkpoint)?, human)
}

fn answered(engine: &mut Engine, answer: Answer) -> Result<Checkpoint, Error> {
    let Answer { checkpoint, choice, note, actor } = answer;
    let id = engine.find_checkpoint(&checkpoint)?;
    let note = note.unwrap_or_default();
    if let Some(choice) = choice {
        return engine.answer(id, &choice, &note, &actor);
    }
    let asked = Asked::of(engine, engine.checkpoint(id)?)?;
    let typed =
        asked::ask_in_terminal(&asked, &mut |words| engine.discuss(id, words, &actor).map(|_| ()));
    let Some((choice, words)) = typed else {
        let keys: Vec<&str> =
            asked.checkpoint.question.options.iter().map(|choice| choice.key.as_str()).collect();
        let message =
            format!("nothing was answered; {id} can be answered with: {}", keys.join(", "));
        return Err(Error::new(Kind::Usage, message)
            .hint(format!("countersign checkpoint answer {id} CHOICE --note WORDS")));
    };
    let words = if words.is_empty() { note } else { words };
    engine.answer(id, &choice, &words, &actor)
}
