//! The steps of the check, as data.

pub(super) struct Step {
    pub(super) name: &'static str,
    pub(super) work: Work,
    /// What to do when it fails.
    advice: &'static str,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// Calls of Cargo, one after the other.
    Cargo(&'static [&'static [&'static str]]),
    Tidy,
    /// The real agents, for the tests that drive them; where they can't be had, that is said.
    Agents,
    /// Cargo needs this part of the toolchain, and it isn't there.
    Missing(&'static str),
    /// Not needed, and why.
    Skip(&'static str),
}

impl Step {
    pub(super) fn advice(&self) -> String {
        match self.work {
            Work::Missing(component) => format!("run `rustup component add {component}`"),
            _ => self.advice.to_owned(),
        }
    }
}

/// The steps, given which of Cargo's commands are there.
pub(super) fn plan(has: impl Fn(&str) -> bool) -> Vec<Step> {
    let need = |name, component, work| {
        if has(name) { work } else { Work::Missing(component) }
    };
    let nextest = has("nextest");
    vec![
        Step {
            name: "format",
            work: need("fmt", "rustfmt", Work::Cargo(&[&["fmt", "--all", "--check"]])),
            advice: "run `cargo fmt --all`",
        },
        Step {
            name: "tidy",
            work: Work::Tidy,
            advice: "put right what is listed above; `cargo xtask tidy` checks it alone",
        },
        Step {
            name: "lints",
            work: need("clippy", "clippy", Work::Cargo(&[CLIPPY])),
            advice: "follow clippy's advice; an `#[expect]` needs a reason",
        },
        Step {
            name: "agents",
            work: Work::Agents,
            advice: "see whether the user's cache folder can be written",
        },
        Step {
            name: "tests",
            work: Work::Cargo(if nextest { &[NEXTEST] } else { &[CARGO_TEST] }),
            advice: "run the failing test alone: `cargo test -p <crate> <name>`",
        },
        Step {
            name: "doc tests",
            work: if nextest {
                Work::Cargo(&[&["test", "--doc", "--workspace", "--locked"]])
            } else {
                Work::Skip("`cargo test` ran them with the others")
            },
            advice: "put the example in the documentation right",
        },
        Step {
            name: "documents",
            work: Work::Cargo(&[DOC]),
            advice: "put the links and the markup in the comments right",
        },
        Step {
            name: "supply",
            work: if has("deny") {
                Work::Cargo(&[&["deny", "--locked", "check", "bans", "licenses", "sources"]])
            } else {
                Work::Skip("cargo-deny is not installed; tidy checked the same arrows")
            },
            advice: "deny.toml says which crates and licences we accept, and why",
        },
    ]
}

const CLIPPY: &[&str] =
    &["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"];
const NEXTEST: &[&str] = &["nextest", "run", "--workspace", "--locked", "--no-fail-fast"];
const CARGO_TEST: &[&str] = &["test", "--workspace", "--locked"];
const DOC: &[&str] = &["doc", "--workspace", "--no-deps", "--document-private-items", "--locked"];

#[cfg(test)]
mod tests {
    use super::*;

    fn work(steps: &[Step], name: &str) -> String {
        let step = steps.iter().find(|step| step.name == name).unwrap();
        format!("{:?}", step.work)
    }

    #[test]
    fn the_steps_are_in_order() {
        let names: Vec<&str> = plan(|_| true).iter().map(|step| step.name).collect();
        let first = ["format", "tidy", "lints", "agents", "tests"];
        assert_eq!(names, [&first[..], &["doc tests", "documents", "supply"]].concat());
    }

    #[test]
    fn only_rust_and_git_are_needed() {
        let steps = plan(|name| ["fmt", "clippy"].contains(&name));
        assert_eq!(work(&steps, "tests"), r#"Cargo([["test", "--workspace", "--locked"]])"#);
        assert!(work(&steps, "doc tests").starts_with("Skip"));
        assert!(work(&steps, "supply").starts_with("Skip"));
        assert!(!steps.iter().any(|step| matches!(step.work, Work::Missing(_))));
    }

    #[test]
    fn better_tools_are_used_when_there() {
        let steps = plan(|_| true);
        assert!(work(&steps, "tests").contains("nextest"));
        assert!(work(&steps, "doc tests").contains("--doc"));
        assert!(work(&steps, "supply").contains("licenses"));
    }

    #[test]
    fn a_missing_part_says_how_to_get_it() {
        let steps = plan(|_| false);
        assert_eq!(steps[0].advice(), "run `rustup component add rustfmt`");
        assert_eq!(steps[2].advice(), "run `rustup component add clippy`");
        assert_eq!(steps[1].advice(), steps[1].advice);
    }
}
