//! Development tasks, started as `cargo xtask <verb>`.
//!
//! A verb is a module with a `VERB`. To add one: write the module, name it below, and put its
//! `VERB` into [`VERBS`]; the help is made from that list.

mod agents;
mod bench;
mod eval;
mod gaming;
mod root;
mod test;
mod tidy;
mod train;

use std::path::Path;
use std::process::ExitCode;

/// One thing that `cargo xtask` can do.
#[derive(Debug)]
struct Verb {
    name: &'static str,
    about: &'static str,
    /// Gets the root of the workspace and the words after the verb.
    run: fn(&Path, &[String]) -> anyhow::Result<ExitCode>,
}

const VERBS: &[Verb] =
    &[agents::VERB, bench::VERB, eval::VERB, gaming::VERB, test::VERB, tidy::VERB, train::VERB];

/// The exit code for a command line that makes no sense.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&words) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(words: &[String]) -> anyhow::Result<ExitCode> {
    let Some((name, rest)) = words.split_first() else {
        eprint!("{}", help());
        return Ok(ExitCode::from(USAGE));
    };
    if matches!(name.as_str(), "help" | "--help" | "-h") {
        print!("{}", help());
        return Ok(ExitCode::SUCCESS);
    }
    let Some(verb) = VERBS.iter().find(|verb| verb.name == name) else {
        eprintln!("xtask: there is no verb `{name}`\n");
        eprint!("{}", help());
        return Ok(ExitCode::from(USAGE));
    };
    (verb.run)(&root::find()?, rest)
}

/// For verbs that take no words of their own: says so instead of ignoring a typing error.
fn refuse_words(verb: &str, words: &[String]) -> Option<ExitCode> {
    let first = words.first()?;
    eprintln!("xtask: `{verb}` takes no arguments, but got `{first}`");
    Some(ExitCode::from(USAGE))
}

fn help() -> String {
    let verbs = VERBS.iter().map(|verb| (verb.name, verb.about));
    let lines: Vec<String> = verbs
        .chain([("help", "Print this text")])
        .map(|(name, about)| format!("  {name:<6}  {about}"))
        .collect();
    format!("Usage: cargo xtask <verb>\n\nVerbs:\n{}\n", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_names_every_verb() {
        let text = help();
        for verb in VERBS {
            assert!(text.contains(verb.name) && text.contains(verb.about));
        }
    }

    #[test]
    fn a_verb_without_words_refuses_them() {
        assert!(refuse_words("tidy", &[]).is_none());
        assert!(refuse_words("tidy", &["--fix".to_owned()]).is_some());
    }
}
