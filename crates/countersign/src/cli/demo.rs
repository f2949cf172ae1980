//! `countersign demo`: see how it works, in a minute.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use countersign_domain::run::{Lands, RunEvent};
use countersign_engine::demo::{CHECK, Demonstration, GOAL, demonstrate};
use countersign_engine::run::Progress;
use countersign_engine::{Error, Kind};

use super::Context;
use crate::narrate;
use crate::ui::{self, BOLD, DIM, Format, Reply, paint};

/// See how it works: a small project, a worker that says "done" three times, and what
/// countersign makes of it. Needs no network and no key, and touches nothing of yours.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Make the project here instead of in a temporary folder; must not exist yet.
    #[arg(long, value_name = "FOLDER")]
    into: Option<PathBuf>,
}

pub fn run(cx: &Context, args: Args) -> Result<Reply, Error> {
    let failed = |error: std::io::Error| {
        Error::new(Kind::Unavailable, format!("can't make a temporary folder: {error}"))
    };
    let folder = match args.into {
        Some(folder) => {
            let folder = cx.host.cwd.join(folder);
            make_folder(&folder)?;
            folder.canonicalize().map_err(failed)?
        }
        None => countersign_engine::demo::temporary_folder().map_err(failed)?,
    };
    let mut tell = |progress: &Progress<'_>| {
        if cx.format == Format::Human {
            narrate_step(progress);
        }
    };
    let demonstration = demonstrate(&cx.host, &folder, &mut tell)?;
    let human = where_to_look(&cx.host.supervisor, &demonstration);
    let problem = narrate::problem(&demonstration.outcome);
    Ok(Reply::new(demonstration, human)?.problem(problem))
}

fn make_folder(folder: &Path) -> Result<(), Error> {
    std::fs::create_dir(folder).map_err(|error| {
        let refused = error.kind() == ErrorKind::AlreadyExists;
        let kind = if refused { Kind::Refused } else { Kind::Unavailable };
        Error::new(kind, format!("can't make the folder {}: {error}", folder.display()))
            .hint("--into takes a folder that is not there yet, inside one that is")
    })
}

/// The story around the steps of the run.
fn narrate_step(progress: &Progress<'_>) {
    let before = match progress.event {
        RunEvent::Opened(_) => format!(
            "A project has a small program, slug.sh, that doesn't do its job yet, and a test.\n\
             The goal: {GOAL}.\n\
             The check, fixed now, before anyone works: {CHECK}\n"
        ),
        RunEvent::Prepared { attempt: 1, .. } => {
            "\nThe worker gets a checkout of its own. Watch what it says, and what is found.\n"
                .into()
        }
        RunEvent::Prepared { attempt: 2, .. } => {
            "\nIt said it was done, and had done nothing. It is told what was found, and tries \
             again.\n"
                .into()
        }
        RunEvent::Prepared { .. } => {
            "\nHalf of it works now, and it said \"done\" again. Once more, with the findings.\n"
                .into()
        }
        _ => String::new(),
    };
    if !before.is_empty() {
        ui::say(&before);
    }
    // How the worker plays its part would only distract from what it says and does.
    let played = matches!(progress.event, RunEvent::Launched { .. });
    let text = narrate::progress(progress);
    if !text.is_empty() && !played {
        ui::say(&text);
    }
    if let RunEvent::Checked(receipt) = progress.event {
        for line in receipt.execution.output.excerpt.trim().lines() {
            ui::say(&format!("      {}", paint(DIM, ui::printable(line))));
        }
    }
}

/// `text` as one word of a shell.
fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@%".contains(c);
    if text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

fn where_to_look(program: &[std::ffi::OsString], demonstration: &Demonstration) -> String {
    let program = program.first().map(|p| p.to_string_lossy().into_owned()).unwrap_or_default();
    let program = shell_word(&program);
    let at = shell_word(&demonstration.project.to_string_lossy());
    let home = shell_word(&demonstration.home.to_string_lossy());
    let receipt = demonstration.receipt.map_or("RECEIPT".into(), |receipt| receipt.short());
    let mut text = format!("\n{}\n\n", narrate::ended(&demonstration.outcome, Lands::AtOnce));
    text += &paint(BOLD, "Look for yourself:");
    text += &format!("\n  cd {at}\n  export COUNTERSIGN_HOME={home}\n");
    text += &format!("  alias countersign={program}\n\n");
    let rows = [
        ("countersign log", "every step, with its receipts"),
        ("countersign show RECEIPT", "what was run, on which tree, what it printed"),
        ("countersign log --diff", "what the work changed"),
        ("git show countersign/LATEST", "the commit that was accepted"),
        ("countersign ledger verify", "that nothing on the record was changed since"),
    ];
    let rows: Vec<Vec<String>> = rows
        .into_iter()
        .map(|(command, what)| {
            let command = command.replace("LATEST", &demonstration.run.to_string());
            let command = command.replace("RECEIPT", &receipt);
            vec![format!("  {command}"), what.to_owned()]
        })
        .collect();
    text + &ui::table(&rows)
}
