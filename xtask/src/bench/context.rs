//! Whole commands of a context, with everything around the tree: the ledger, seals, files.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::ensure;

use super::arena::Arena;
use super::measure::{median, time};
use super::report::{Bar, Figure, Row};

const CITATIONS: usize = 12;
const LINES: usize = 250;
const HEAD: &str = "title: Measure\npriority: P1\narea: speed\nstatus: todo\n\
                    scope: {in: [\"src/**\"], out: []}\nacceptance_criteria: [It is quick.]\n";

pub(super) fn measure(arena: &Arena) -> anyhow::Result<Vec<Row>> {
    let repository = arena.repository("context")?;
    desk(arena, &repository)?;
    let runs = arena.runs(51);
    let mut inits = Vec::new();
    for run in 0..=runs {
        // A task of its own each time: the history of one would grow with every run.
        let task = format!("TASK-{run}");
        let file = repository.join("tasks").join(format!("{task}.task.yaml"));
        fs::write(&file, task_text(&task)?)?;
        commit(arena, &repository)?;
        let taken = time(&mut arena.ours(&repository, &["context", "init", &task]))?;
        // The first time also makes key and ledger.
        if run > 0 {
            inits.push(taken);
        }
        time(&mut arena.ours(&repository, &["context", "purge", &task]))?;
        fs::remove_file(&file)?;
    }
    let what = format!("`context init`, a task of {LINES} lines with {CITATIONS} citations");
    let bar = Bar::TimeAtMost(Duration::from_millis(20));
    Ok(vec![Row::alone(what, Figure::Time(median(inits)), bar, runs)])
}

/// A small repository.
fn desk(arena: &Arena, repository: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(repository.join("tasks"))?;
    fs::create_dir_all(repository.join("src"))?;
    fs::write(repository.join("src/a.txt"), "a\n")?;
    let sections = |number: usize| {
        format!("## Rule {number}\n\nThis is what rule {number} asks for. It says more.\n\n")
    };
    fs::write(repository.join("RULES.md"), (1..=CITATIONS).map(sections).collect::<String>())?;
    commit(arena, repository)
}

fn commit(arena: &Arena, repository: &Path) -> anyhow::Result<()> {
    for words in [
        &["add", "--all"][..],
        &["-c", "user.name=A", "-c", "user.email=a@b", "commit", "--quiet", "-m", "Change"],
    ] {
        time(arena.command("git", repository).args(words))?;
    }
    Ok(())
}

/// A task of the length and with the citations that are measured.
fn task_text(id: &str) -> anyhow::Result<String> {
    let cited: String = (1..=CITATIONS).map(|n| format!("  - \"RULES.md#rule-{n}\"\n")).collect();
    let head = format!("id: {id}\n{HEAD}");
    let described = LINES - head.lines().count() - CITATIONS - 2;
    let lines: String = (0..described).map(|n| format!("  Line {n} of what is asked.\n")).collect();
    let task = format!("{head}description: |\n{lines}standards:\n{cited}");
    ensure!(task.lines().count() == LINES, "the task has {} lines", task.lines().count());
    Ok(task)
}
