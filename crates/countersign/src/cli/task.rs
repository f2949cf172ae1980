//! `countersign task`: task files.

use countersign_engine::task::{NewTask, TaskCheck, TaskList};
use countersign_engine::{Error, Kind};

use super::Context;
use crate::ui::{self, Reply};

/// Write, check, list and complete tasks.
///
/// A task is a YAML file in the folder that context.tasks names. `countersign context init TASK`
/// hands it to its first role.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    New(New),
    Check(Check),
    /// List the tasks, with where their contexts stand.
    List,
    Complete(Complete),
}

/// Write a new task file, to be filled in.
#[derive(Debug, clap::Args)]
struct New {
    /// What is to be done, in a few words.
    title: String,
    /// The id; without it, the next number.
    #[arg(long)]
    id: Option<String>,
    /// The part of the project; standards are chosen by it.
    #[arg(long, default_value = "general")]
    area: String,
    /// P0 (most urgent) to P3.
    #[arg(long, default_value = "P2", value_name = "P0-P3")]
    priority: String,
}

/// Look for mistakes in task files, and name each with its line and column.
#[derive(Debug, clap::Args)]
struct Check {
    /// Ids or paths; without any, all task files.
    tasks: Vec<String>,
}

/// Mark a task as done, and purge its context.
#[derive(Debug, clap::Args)]
struct Complete {
    /// The task: its id, or the path of its file.
    task: String,
    /// Although its roles are not done; why.
    #[arg(long, value_name = "WHY")]
    anyway: Option<String>,
    /// Who is put on the record as the one who did it.
    #[arg(long, default_value = "user", value_name = "NAME")]
    actor: String,
}

pub fn run(cx: &Context, args: Args) -> Result<Reply, Error> {
    let mut engine = cx.engine()?;
    match args.verb {
        Verb::New(New { title, id, area, priority }) => {
            let made = engine.new_task(&NewTask { title, id, area, priority })?;
            let human = format!(
                "made: {file}\nfill it in, then: countersign task check {id} && countersign context \
                 init {id}",
                file = ui::printable(&made.file),
                id = made.id
            );
            Reply::new(made, human)
        }
        Verb::Check(Check { tasks }) => checked(&engine.check_tasks(&tasks)?),
        Verb::List => list(&engine.tasks()?),
        Verb::Complete(Complete { task, anyway, actor }) => {
            let completed = engine.complete_task(&task, anyway.as_deref(), &actor)?;
            let purged = if completed.purged { "; its context is purged" } else { "" };
            let mut human = format!("done: {}{purged}\n", completed.id);
            for warning in &completed.warnings {
                human.push_str(&format!("note: {}\n", ui::printable(warning)));
            }
            Reply::new(completed, human)
        }
    }
}

fn checked(check: &TaskCheck) -> Result<Reply, Error> {
    let mut text = String::new();
    for mistake in &check.mistakes {
        text.push_str(&format!(
            "{}: {}\n",
            ui::paint(ui::BAD, "wrong"),
            ui::printable(&mistake.to_string())
        ));
    }
    for warning in &check.warnings {
        text.push_str(&format!(
            "{}: {}\n",
            ui::paint(ui::BOLD, "odd"),
            ui::printable(&warning.to_string())
        ));
    }
    let problem = (!check.mistakes.is_empty()).then(|| {
        let count = ui::count(check.mistakes.len() as u64, "mistake");
        Error::new(
            Kind::Usage,
            format!("{count} in {}", ui::count(check.files as u64, "task file")),
        )
        .hint("mend the places named above")
    });
    if problem.is_none() {
        text.push_str(&format!(
            "{}: {}\n",
            ui::paint(ui::GOOD, "fine"),
            ui::count(check.files as u64, "task file")
        ));
    }
    Ok(Reply::new(check, text)?.problem(problem))
}

fn list(list: &TaskList) -> Result<Reply, Error> {
    let rows: Vec<Vec<String>> = list
        .tasks
        .iter()
        .map(|task| {
            let context = task.context.as_deref().map(|context| format!("[{context}]"));
            vec![
                task.id.clone(),
                task.priority.clone(),
                task.status.clone(),
                ui::printable(&task.area),
                context.unwrap_or_default(),
                ui::printable(&task.title),
            ]
        })
        .collect();
    let mut text = if rows.is_empty() && list.mistakes.is_empty() {
        "there is no task; `countersign task new \"TITLE\"` makes one\n".to_owned()
    } else {
        ui::table(&rows)
    };
    for mistake in &list.mistakes {
        text.push_str(&format!(
            "{}: {}\n",
            ui::paint(ui::BAD, "wrong"),
            ui::printable(&mistake.to_string())
        ));
    }
    Reply::new(list, text)
}
