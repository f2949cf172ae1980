//! Development tasks.

mod eval;
mod minimize;
mod train;

fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.first().map(String::as_str) {
        Some("eval") => eval::run(&args[1..]),
        Some("train") => train::run(&args[1..]),
        other => anyhow::bail!("unknown task: {}", other.unwrap_or("none given")),
    }
}
