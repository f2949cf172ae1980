//! Drafting a contract: what is worked out, and the whole command.

use std::fs::{self, File};
use std::path::Path;
use std::time::Duration;

use super::arena::{self, Arena};
use super::measure::{in_turns, median, time};
use super::report::{Bar, Figure, Row};

const FILES: usize = 10_000;
const TASK: &str = "Fix the rounding of totals in src/module42/file7.ts";

pub(super) fn measure(arena: &Arena) -> anyhow::Result<Vec<Row>> {
    let words = ["--package", "countersign-domain", "--example", "draft"];
    let program = arena::build(&arena.root, &words)?;
    let list: String = paths().map(|path| path + "\n").collect();
    let list = arena.write("paths.txt", &list)?;
    let pair = in_turns(
        arena.runs(51),
        |_| time(&mut arena.command("/bin/true", &arena.root)),
        |_| time(arena.command(&program, &arena.root).stdin(File::open(&list)?)),
    )?;
    let repository = arena.repository("contract")?;
    desk(arena, &repository)?;
    let runs = arena.runs(51);
    let mut drafts = Vec::new();
    for run in 0..=runs {
        let words = ["contract", "draft", TASK, "--yes"];
        let taken = time(&mut arena.ours(&repository, &words))?;
        // The first time also makes key, ledger and the index of the history.
        if run > 0 {
            drafts.push(taken);
        }
    }
    arena.remove("contract")?;
    let adds = pair.ours.saturating_sub(pair.floor);
    let bar = Bar::TimeAtMost(Duration::from_millis(10));
    let what = format!("drafting a contract among {FILES} files: what that adds to `/bin/true`");
    Ok(vec![
        Row::alone(what, Figure::Time(adds), bar, pair.runs),
        Row::alone(
            "`contract draft` there, with git's list of files, the ledger and a seal",
            Figure::Time(median(drafts)),
            Bar::None,
            runs,
        ),
    ])
}

fn paths() -> impl Iterator<Item = String> {
    let own = ["package.json".to_owned()];
    let others = |number: usize| format!("src/module{}/file{}.ts", number / 100, number % 100);
    own.into_iter().chain((0..FILES - 1).map(others))
}

fn desk(arena: &Arena, repository: &Path) -> anyhow::Result<()> {
    for path in paths() {
        let path = repository.join(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, "export {};\n")?;
    }
    let manifest = r#"{"scripts": {"test": "jest", "lint": "eslint .", "typecheck": "tsc"}}"#;
    fs::write(repository.join("package.json"), manifest)?;
    for words in [
        &["add", "--all"][..],
        &["-c", "user.name=A", "-c", "user.email=a@b", "commit", "--quiet", "-m", "Start"],
    ] {
        time(arena.command("git", repository).args(words))?;
    }
    Ok(())
}
