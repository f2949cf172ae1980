//! Records and compares a working tree, as the benchmarks measure it:
//! `tree record|compare WORKTREE FOLDER`, where FOLDER takes what was recorded.

use std::error::Error;
use std::fs;
use std::path::PathBuf;

use countersign_domain::snapshot::{IgnoreRules, Recorded, Watch, explain};
use countersign_git::{Look, Record, Repository};

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args_os().skip(1);
    let (Some(verb), Some(worktree), Some(folder)) = (words.next(), words.next(), words.next())
    else {
        return Err("usage: tree record|compare WORKTREE FOLDER".into());
    };
    let (worktree, folder) = (PathBuf::from(worktree), PathBuf::from(folder));
    fs::create_dir_all(&folder)?;
    let (scratch, cache) = (folder.join("scratch"), folder.join("cache"));
    let file = folder.join("recorded.json");
    let repository = Repository::open(&worktree)?;
    let rules = folder.join("rules.json");
    let rules: IgnoreRules = match fs::read(&rules) {
        Ok(bytes) => serde_json::from_slice(&bytes)?,
        Err(_) => {
            let found = repository.ignore_rules()?;
            fs::write(&rules, serde_json::to_vec(&found)?)?;
            found
        }
    };
    let watch = Watch::shipped();
    let record = Record {
        worktree: &worktree,
        scratch: &scratch,
        cache: &cache,
        rules: &rules,
        watch: &watch,
    };
    if verb == "record" {
        let recorded = repository.record(&record)?;
        repository.keep_all("bench/tree", &recorded).ok();
        fs::write(&file, serde_json::to_vec(&recorded)?)?;
        println!("{}", recorded.grounds[0].tree);
    } else {
        let recorded: Recorded = serde_json::from_slice(&fs::read(&file)?)?;
        let found = repository.compare(&recorded, &record, Look::Cached)?;
        println!("{}", serde_json::to_string_pretty(&explain(&recorded, &found))?);
    }
    Ok(())
}
