//! `countersign memory`: texts that are remembered by name.

use countersign_engine::memory::{Changed, MemorySummary, Publication};
use countersign_engine::{Error, Kind};

use super::Context;
use crate::fast::read_input;
use crate::ui::{self, Reply};

/// Who writes on the command line.
const ACTOR: &str = "user";
/// More than fits, so that the engine can say what fits.
const MAX_INPUT: usize = 16 * 1024 * 1024;

/// List, read, write and delete what is remembered by name.
///
/// Names that begin with '_' are worked out from the ledger, such as the worklog of a session
/// (_worklog/SESSION): they can be listed and read. Agents reach the same memories with
/// `countersign mcp`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// List the memories.
    List {
        /// Only names that begin with this.
        #[arg(default_value = "")]
        prefix: String,
    },
    /// Print the text of a memory.
    Read { name: String },
    /// Write a memory; an earlier text stays on the record.
    Write {
        /// Letters, digits, '_', '-', '.' and '/', such as design/api.
        name: String,
        /// The text; without it, or with '-', it is read from standard input.
        text: Option<String>,
    },
    /// Delete a memory; its text stays on the record.
    Delete { name: String },
    /// Publish a memory to the server that memory.serena_command starts.
    Publish {
        /// A session, for its worklog, or the name of a memory.
        session: String,
        /// Try again although the server did not answer the last time.
        #[arg(long)]
        retry_memory: bool,
    },
}

pub fn run(cx: &Context, args: Args) -> Result<Reply, Error> {
    match args.verb {
        Verb::List { prefix } => {
            let memories = cx.engine()?.memories(&prefix)?;
            let human = list(&memories);
            Reply::new(serde_json::json!({ "memories": memories }), human)
        }
        Verb::Read { name } => {
            let memory = cx.engine()?.read_memory(&name)?;
            let human = ui::printable(&memory.text);
            Reply::new(memory, human)
        }
        Verb::Write { name, text } => {
            let text = match text {
                Some(text) if text != "-" => text,
                _ => text_from_input()?,
            };
            changed(&cx.engine()?.write_memory(&name, &text, ACTOR)?, "written")
        }
        Verb::Delete { name } => changed(&cx.engine()?.delete_memory(&name, ACTOR)?, "deleted"),
        Verb::Publish { session, retry_memory } => publish(cx, &session, retry_memory),
    }
}

fn list(memories: &[MemorySummary]) -> String {
    let rows: Vec<Vec<String>> = memories
        .iter()
        .map(|memory| {
            let size = memory.bytes.map(|bytes| ui::count(bytes, "byte")).unwrap_or_default();
            let updated = memory.updated_at.as_deref().unwrap_or("from the ledger");
            let actor = ui::printable(memory.actor.as_deref().unwrap_or_default());
            vec![memory.name.clone(), size, updated.to_owned(), actor]
        })
        .collect();
    if rows.is_empty() { "nothing is remembered here\n".into() } else { ui::table(&rows) }
}

fn changed(change: &Changed, what: &str) -> Result<Reply, Error> {
    let waits = change.spooled.as_ref().map(|why| {
        format!(
            ", in the spool: the ledger can't be written now ({why}); the next command moves it in"
        )
    });
    let human = format!("{what}: {}{}", change.name, waits.unwrap_or_default());
    Reply::new(change, human)
}

fn publish(cx: &Context, session: &str, wants_retry: bool) -> Result<Reply, Error> {
    let mut engine = cx.engine()?;
    let is_session = session.parse::<countersign_domain::Stamp>().is_ok();
    let name = if is_session { format!("_worklog/{session}") } else { session.to_owned() };
    let text = engine.read_memory(&name)?.text;
    let publication = engine.publish_memory(&name, &text, wants_retry)?;
    let retry = "mend it, then: countersign memory publish NAME --retry-memory";
    let (human, problem) = match &publication {
        Publication::Published { name, duration_ms } => {
            (format!("published: {name} ({})", ui::duration(*duration_ms)), None)
        }
        Publication::Unavailable { cause, detail, .. } => {
            let message =
                format!("the memory backend is unavailable: {} ({detail})", cause.words());
            (String::new(), Some(Error::new(Kind::Unavailable, message).hint(retry)))
        }
        Publication::Skipped { cause, .. } => {
            let message = format!("the memory backend was unavailable: {}", cause.words());
            (String::new(), Some(Error::new(Kind::Unavailable, message).hint(retry)))
        }
    };
    if let (crate::ui::Format::Human, Some(problem)) = (cx.format, &problem) {
        return Err(problem.clone());
    }
    Ok(Reply::new(publication, human)?.problem(problem))
}

fn text_from_input() -> Result<String, Error> {
    String::from_utf8(read_input(MAX_INPUT)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Error::new(Kind::Usage, format!("byte {at} of the text is not UTF-8"))
    })
}
