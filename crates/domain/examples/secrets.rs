//! Looks for secrets in what it reads, as the benchmarks measure it: says how many there are, and
//! of how many kinds.

use std::collections::BTreeSet;
use std::error::Error;
use std::io::Read as _;

use countersign_domain::secret::Scanner;

fn main() -> Result<(), Box<dyn Error>> {
    let mut text = Vec::new();
    std::io::stdin().lock().read_to_end(&mut text)?;
    let found = Scanner::builtin().scan(&text);
    let kinds: BTreeSet<&str> = found.iter().map(|found| found.rule).collect();
    println!("{} {}", found.len(), kinds.len());
    Ok(())
}
