//! The words after `bench`.

use std::path::{Path, PathBuf};

pub(super) const HELP: &str = "\
Usage: cargo xtask bench [--quick] [--only NAME] [--build] [--json FILE]

  --quick      Fewer runs and smaller ledgers: to see whether it works
  --only NAME  Only one of: start, hook, snapshot, record, context,
               contract, crowd, ledger, secrets, gaming, verify, run, build
  --build      Also time a clean release build of the workspace
  --json FILE  Write the figures here instead of to target/bench.json

Ends with 1 if a figure is over its bar.
";

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Options {
    pub(super) quick: bool,
    pub(super) json: PathBuf,
    only: Option<String>,
    build: bool,
}

impl Options {
    /// `None` if help is wanted.
    pub(super) fn parse(root: &Path, words: &[String]) -> Result<Option<Self>, String> {
        let json = root.join("target/bench.json");
        let mut options = Self { quick: false, json, only: None, build: false };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().cloned().ok_or_else(|| format!("{word} needs a value"));
            match word.as_str() {
                "--help" | "-h" => return Ok(None),
                "--quick" => options.quick = true,
                "--build" => options.build = true,
                "--json" => options.json = PathBuf::from(value()?),
                "--only" => options.only = Some(value()?),
                other => return Err(format!("`bench` does not know `{other}`")),
            }
        }
        match &options.only {
            Some(name) if !super::GROUPS.iter().any(|group| group.name == name) => {
                Err(format!("there is nothing called `{name}` to measure"))
            }
            _ => Ok(Some(options)),
        }
    }

    /// Whether the group `name` is to be measured. A build takes minutes: only if asked for.
    pub(super) fn wants(&self, name: &str) -> bool {
        match &self.only {
            Some(only) => only == name || self.build && name == "build",
            None => self.build || name != "build",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &str) -> Result<Option<Options>, String> {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        Options::parse(Path::new("/repo"), &words)
    }

    fn wanted(words: &str) -> Vec<&'static str> {
        let options = parse(words).unwrap().unwrap();
        super::super::GROUPS.iter().map(|group| group.name).filter(|n| options.wants(n)).collect()
    }

    #[test]
    fn a_build_is_only_timed_when_asked_for() {
        let usual =
            "start hook snapshot record context contract crowd ledger secrets gaming verify run";
        assert_eq!(wanted(""), usual.split(' ').collect::<Vec<_>>());
        assert_eq!(wanted("--build").last(), Some(&"build"));
        assert_eq!(wanted("--only start"), ["start"]);
        assert_eq!(wanted("--only build"), ["build"]);
        assert_eq!(wanted("--only start --build"), ["start", "build"]);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for words in ["--fast", "--only", "--only nothing", "--json"] {
            assert!(parse(words).is_err(), "{words}");
        }
        assert_eq!(parse("--help"), Ok(None));
    }

    #[test]
    fn the_help_names_every_group() {
        for group in super::super::GROUPS {
            assert!(HELP.contains(group.name));
        }
    }
}
