//! Records one snapshot, as the benchmarks measure it: `snapshot WORKTREE SCRATCH NAME`.

use std::error::Error;
use std::path::PathBuf;

use countersign_git::Repository;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(worktree), Some(scratch), Some(name)) = (words.next(), words.next(), words.next())
    else {
        return Err("usage: snapshot WORKTREE SCRATCH NAME".into());
    };
    let repository = Repository::open(&worktree)?;
    let snapshot = repository.snapshot(&worktree, &scratch)?;
    repository.keep(&name.to_string_lossy(), &snapshot.tree)?;
    println!("{}", snapshot.tree);
    Ok(())
}
