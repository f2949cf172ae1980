//! A snapshot of a working tree, against what git itself needs for the same tree object.

use std::path::Path;
use std::process::Command;

use super::arena::{self, Arena};
use super::measure::{in_turns, time};
use super::report::{Bar, Row};
use super::tree::{HUNDRED, Tree, scratch};

/// The same through git alone. The name under which ours keeps the tree is extra.
pub(super) const FLOOR: &str = "cp .git/index .git/floor && export GIT_INDEX_FILE=.git/floor && \
                     git add -A && git write-tree";

pub(super) fn measure(arena: &Arena) -> anyhow::Result<Vec<Row>> {
    let words = ["--package", "countersign-git", "--example", "snapshot"];
    let program = arena::build(&arena.root, &words)?;
    let mut rows = Vec::new();
    for (files, runs) in [(10_000, 51), (100_000, 21)] {
        let tree = Tree::new(arena, "tree", files)?;
        let pair = in_turns(
            arena.runs(runs),
            |mark| {
                tree.change(HUNDRED, mark)?;
                time(arena.command("sh", &tree.path).args(["-c", FLOOR]))
            },
            |mark| {
                tree.change(HUNDRED, mark)?;
                time(&mut ours(arena, &program, &tree.path, mark))
            },
        )?;
        arena.remove("tree")?;
        let what = format!("snapshot of {files} files, 100 changes");
        let floor = "`cp index; git add -A; git write-tree`";
        rows.push(Row::of_pair(what, floor, pair, Bar::RatioAtMost(1.1)));
    }
    Ok(rows)
}

fn ours(arena: &Arena, program: &Path, tree: &Path, mark: usize) -> Command {
    let mut command = arena.command(program, tree);
    command.arg(tree).arg(scratch(tree)).arg(format!("bench/{mark}"));
    command
}
