//! Records and compares a working tree, as the benchmarks measure it:
//! `tree record|compare WORKTREE FOLDER NAME`. FOLDER takes what was recorded, NAME keeps it.

use std::error::Error;
use std::fs;
use std::path::PathBuf;

use countersign_domain::snapshot::{IgnoreRules, Recorded, Watch, explain};
use countersign_git::{Look, Record, Repository};

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [verb, worktree, folder, name] = &words[..] else {
        return Err("usage: tree record|compare WORKTREE FOLDER NAME".into());
    };
    let (worktree, folder) = (PathBuf::from(worktree), PathBuf::from(folder));
    fs::create_dir_all(&folder)?;
    let (scratch, cache) = (folder.join("scratch"), folder.join("cache"));
    let (recorded, rules) = (folder.join("recorded.json"), folder.join("rules.json"));
    let repository = Repository::open(&worktree)?;
    if verb == "record" && !rules.exists() {
        fs::write(&rules, serde_json::to_vec(&repository.freeze()?.rules)?)?;
    }
    let rules: IgnoreRules = serde_json::from_slice(&fs::read(&rules)?)?;
    let watch = Watch::shipped();
    let record = Record {
        worktree: &worktree,
        scratch: &scratch,
        cache: &cache,
        rules: &rules,
        watch: &watch,
        raw: None,
    };
    if verb == "record" {
        let found = repository.record(&record)?;
        repository.keep_all(name, &found)?;
        fs::write(&recorded, serde_json::to_vec(&found)?)?;
        println!("{}", found.grounds[0].tree);
        return Ok(());
    }
    let recorded: Recorded = serde_json::from_slice(&fs::read(&recorded)?)?;
    let drift = explain(&recorded, &repository.compare(&recorded, &record, Look::Cached)?);
    for file in drift.files {
        println!("{} {}", file.kind.name(), file.path);
    }
    if let Some(moved) = drift.moved {
        println!("{}", moved.words());
    }
    Ok(())
}
