//! Recording a working tree for a hand-over and comparing it later, against what git needs to
//! write the same tree object and to list changes.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::ensure;

use super::arena::{self, Arena};
use super::measure::{in_turns, time};
use super::report::{Bar, Row};
use super::snapshot::FLOOR;
use super::tree::{ROLE, Tree};

pub(super) fn measure(arena: &Arena) -> anyhow::Result<Vec<Row>> {
    let words = ["--package", "countersign-git", "--example", "tree"];
    let bench = Bench { arena, program: &arena::build(&arena.root, &words)? };
    let mut rows = Vec::new();
    for (files, runs) in [(1_000, 101), (10_000, 51), (100_000, 21)] {
        let tree = Tree::new(arena, "tree", files)?;
        rows.push(bench.record(&tree, files, runs)?);
        rows.push(bench.compare(&tree, files, runs)?);
        rows.push(bench.compare_one(&tree, files, runs)?);
        arena.remove("tree")?;
    }
    Ok(rows)
}

struct Bench<'a> {
    arena: &'a Arena,
    program: &'a Path,
}

impl Bench<'_> {
    fn record(&self, tree: &Tree, files: usize, runs: usize) -> anyhow::Result<Row> {
        let pair = in_turns(
            self.arena.runs(runs),
            |mark| {
                tree.change(ROLE, mark)?;
                time(self.arena.command("sh", &tree.path).args(["-c", FLOOR]))
            },
            |mark| {
                tree.change(ROLE, mark)?;
                time(&mut self.ours("record", &tree.path, &format!("bench/{mark}")))
            },
        )?;
        let what = format!("recording {files} files, 100 changed and 50 new");
        let floor = "`cp index; git add -A; git write-tree`";
        Ok(Row::of_pair(what, floor, pair, Bar::RatioAtMost(1.15)))
    }

    /// Nothing has happened since the tree was recorded.
    fn compare(&self, tree: &Tree, files: usize, runs: usize) -> anyhow::Result<Row> {
        // Files as young as the look at them would have to be read.
        std::thread::sleep(Duration::from_millis(300));
        time(&mut self.ours("record", &tree.path, "bench/before"))?;
        ensure!(self.told(&tree.path)?.is_empty(), "there is drift where nothing was done");
        let pair = in_turns(
            self.arena.runs(runs),
            |_| time(&mut self.status(tree)),
            |_| time(&mut self.ours("compare", &tree.path, "")),
        )?;
        let what = format!("comparing {files} files, nothing changed");
        Ok(Row::of_pair(what, STATUS, pair, bar(files)))
    }

    /// One file was edited since.
    fn compare_one(&self, tree: &Tree, files: usize, runs: usize) -> anyhow::Result<Row> {
        let name = tree.change_one(0)?;
        let told = self.told(&tree.path)?;
        ensure!(told == format!("edited {name}\n"), "an edit of {name} is told as {told:?}");
        let pair = in_turns(
            self.arena.runs(runs),
            |mark| {
                tree.change_one(mark)?;
                time(&mut self.status(tree))
            },
            |mark| {
                tree.change_one(mark)?;
                time(&mut self.ours("compare", &tree.path, ""))
            },
        )?;
        let what = format!("comparing {files} files, one edited: it is named");
        Ok(Row::of_pair(what, STATUS, pair, bar(files)))
    }

    fn told(&self, tree: &Path) -> anyhow::Result<String> {
        let output = self.ours("compare", tree, "").stdout(Stdio::piped()).output()?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8(output.stdout)?)
    }

    fn ours(&self, verb: &str, tree: &Path, name: &str) -> Command {
        let mut command = self.arena.command(self.program, tree);
        command.arg(verb).arg(tree).arg(tree.join(".git/recorded")).arg(name);
        command
    }

    fn status(&self, tree: &Tree) -> Command {
        let mut command = self.arena.command("git", &tree.path);
        command.args(["status", "--porcelain", "-z", "-uall"]);
        command
    }
}

/// Small trees are dominated by the start of a few processes; they are only reported.
fn bar(files: usize) -> Bar {
    if files >= 100_000 { Bar::RatioAtMost(1.0) } else { Bar::None }
}

const STATUS: &str = "`git status --porcelain -z -uall`";
