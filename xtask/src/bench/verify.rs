//! What `verify` adds to the checks that it runs: a checkout, an environment and a receipt for each,
//! against a bare checkout by git. And what is left of it when everything was run before.

use std::time::Duration;

use super::arena::Arena;
use super::measure::{in_turns, time};
use super::report::{Bar, Row};
use super::tree::Tree;

const FILES: usize = 10_000;
/// How many checks the larger of two verifications has.
const MANY: usize = 4;
/// A check that passes on both sides runs on the base and on what was handed over.
const GROUNDS: u32 = 2;

pub(super) fn measure(arena: &Arena) -> anyhow::Result<Vec<Row>> {
    let tree = Tree::new(arena, "verify", FILES)?;
    tree.change_one(1)?;
    let around = in_turns(
        arena.runs(11),
        |mark| worktree(arena, &tree, mark),
        |_| {
            // What both have in common is not around a check.
            let many = verify(arena, &tree, MANY, &["--fresh"])?;
            let one = verify(arena, &tree, 1, &["--fresh"])?;
            let more = u32::try_from(MANY - 1).unwrap_or(1) * GROUNDS;
            Ok(many.saturating_sub(one) / more)
        },
    )?;
    let again = in_turns(
        arena.runs(11),
        |mark| worktree(arena, &tree, mark),
        |_| verify(arena, &tree, MANY, &[]),
    )?;
    arena.remove("verify")?;
    let floor = "`git worktree add` of that tree";
    let what = format!("around one check in {FILES} files: checkout, environment, receipt");
    let whole = format!("`verify` of {MANY} checks there, all of them reused");
    Ok(vec![
        Row::of_pair(what, floor, around, Bar::RatioAtMost(1.2)),
        Row::of_pair(whole, floor, again, Bar::None),
    ])
}

fn verify(arena: &Arena, tree: &Tree, checks: usize, words: &[&str]) -> anyhow::Result<Duration> {
    let task = ["verify", "--task", "Refactor the units", "--tier", "LIGHT", "--risk", "LOW"];
    let mut command = arena.ours(&tree.path, &task);
    for number in 0..checks {
        command.args(["--check".to_owned(), format!("true {number}")]);
    }
    time(command.args(words).stderr(std::process::Stdio::null()))
}

/// A checkout by git alone; removing it is not measured.
fn worktree(arena: &Arena, tree: &Tree, mark: usize) -> anyhow::Result<Duration> {
    let path = arena.path(&format!("worktree-{mark}"));
    let words = ["worktree", "add", "--quiet", "--detach"];
    let taken = time(arena.command("git", &tree.path).args(words).arg(&path).arg("main"))?;
    let words = ["worktree", "remove", "--force"];
    time(arena.command("git", &tree.path).args(words).arg(&path))?;
    Ok(taken)
}
