//! Records the tours of all installed agents: `record_agents FOLDER [WORD…]`, where only tours
//! whose `agent/name` contains one of the words are played. Started by
//! `cargo xtask agents --record`.

use std::path::Path;
use std::time::Instant;

use countersign_testkit::agents::{record, tours};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Some((folder, wanted)) = words.split_first() else {
        eprintln!("usage: record_agents FOLDER [WORD…]");
        std::process::exit(2);
    };
    for tour in tours::all() {
        let name = format!("{}/{}", tour.agent.label(), tour.name);
        if !wanted.is_empty() && !wanted.iter().any(|word| name.contains(word)) {
            continue;
        }
        let begun = Instant::now();
        if let Some(count) = record(&tour, &Path::new(folder).join(&name)) {
            println!("{name}: {count} events, {:.1} s", begun.elapsed().as_secs_f64());
        }
    }
}
