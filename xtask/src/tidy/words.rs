//! Words that belong to somebody's machine or way of working, and not to the project.
//!
//! The patterns are put together from pieces, so that this file isn't full of findings.

use super::finding::Finding;
use super::source::{Source, has_extension, has_word};

const MACHINE: &str = "machine";
const HOSTS: &str = "hosts";
const PROCESS: &str = "process";

const HOME: &str = concat!("/ho", "me/");
const OTHER_PLACES: &[&str] = &[concat!("/ro", "ot/"), concat!("/wo", "rk/")];

/// People who live in examples.
const NOBODIES: &[&str] = &["alice", "bob", "user", "you"];

/// No path of one machine is written down.
pub(crate) fn check_machine(source: &Source<'_>) -> Vec<Finding> {
    find(source, MACHINE, |line| {
        let home = places(line, HOME).find_map(|at| {
            let rest = &line[at + HOME.len()..];
            let name: String =
                rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            (!name.is_empty() && !NOBODIES.contains(&name.as_str()))
                .then(|| format!("{HOME}{name}"))
        });
        let other = OTHER_PLACES.iter().find(|place| places(line, place).next().is_some());
        let place = home.or_else(|| other.map(|place| (*place).to_owned()))?;
        let fix =
            "use a path from the environment, or in an example `/repo` or the home of `alice`";
        Some((format!("`{place}` is a path of one machine"), fix))
    })
}

/// Where `place` stands as the beginning of an absolute path.
fn places<'a>(line: &'a str, place: &'a str) -> impl Iterator<Item = usize> {
    line.match_indices(place).map(|(at, _)| at).filter(|at| {
        let before = &line[..*at];
        let joins = |letter: char| letter.is_alphanumeric() || "_.-~/})]>$*".contains(letter);
        !before.ends_with(joins) || before.ends_with("://")
    })
}

/// Parts of host names by which mirrors of packages are known.
const MIRRORS: &[&str] =
    &["mirror", "artifactory", "nexus", "proxy", "registry", "jfrog", "pypi", "verdaccio", "devpi"];

/// Endings that are reserved for examples and for this machine.
const NOWHERE: &[&str] =
    &[".example", ".invalid", ".test", "example.com", "example.org", "localhost"];

const INDEX: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Packages come from crates.io; where one machine gets them from is its own affair.
pub(crate) fn check_hosts(source: &Source<'_>) -> Vec<Finding> {
    let config = source.path.starts_with(".cargo/") && has_extension(source.path, "toml");
    find(source, HOSTS, |line| {
        let fix = "leave it out; such settings belong into the user's own Cargo configuration";
        let start = line.trim_start();
        let redirects = ["[source", "[registries", "[registry", "replace-with"];
        if config && redirects.iter().any(|word| start.starts_with(word)) {
            return Some(("packages are fetched from somewhere else".to_owned(), fix));
        }
        for scheme in [concat!("sparse", "+http"), concat!("registry", "+http")] {
            if line.replace(INDEX, "").contains(scheme) {
                return Some(("a registry other than crates.io is named".to_owned(), fix));
            }
        }
        let host = hosts(line).find(|host| {
            let real = !NOWHERE.iter().any(|end| host.ends_with(end));
            real && MIRRORS.iter().any(|part| host.contains(part))
        })?;
        Some((format!("`{host}` is a mirror or registry of packages"), fix))
    })
}

/// The hosts of the addresses in a line.
fn hosts(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices("://").map(|(at, found)| {
        let rest = &line[at + found.len()..];
        let ends = |letter: char| !(letter.is_alphanumeric() || "-._".contains(letter));
        let authority = rest.split('/').next().unwrap_or("");
        let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        host.split(ends).next().unwrap_or("")
    })
}

/// Agents use this word for the agents they start; what is known about agents may say it.
const AGENTS_SAY: &str = concat!("sub", "agent");

const OURS: &[&str] =
    &[concat!("shared", "/spec"), concat!("shared", "/design"), AGENTS_SAY, concat!("CE", "O")];

/// The project speaks about itself, not about how it is being made.
pub(crate) fn check_process(source: &Source<'_>) -> Vec<Finding> {
    let about_agents =
        ["/agents/", "/payloads/", "dialect"].iter().any(|part| source.path.contains(part));
    find(source, PROCESS, |line| {
        let word = OURS
            .iter()
            .filter(|word| !(about_agents && **word == AGENTS_SAY))
            .find(|word| has_word(line, word))?;
        let fix = "say what it means for a reader who only has the repository";
        Some((format!("`{word}` is a word of how the project is made"), fix))
    })
}

fn find(
    source: &Source<'_>,
    rule: &'static str,
    judge: impl Fn(&str) -> Option<(String, &'static str)>,
) -> Vec<Finding> {
    source
        .text
        .lines()
        .enumerate()
        .filter(|(index, _)| !source.is_exempt(*index, rule))
        .filter_map(|(index, line)| judge(line).map(|found| (index + 1, found)))
        .map(|(number, (what, fix))| Finding::new(rule, (source.path, number), what, fix))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    type Rule = fn(&Source<'_>) -> Vec<Finding>;

    #[track_caller]
    fn check(rule: Rule, path: &str, line: &str, count: usize) {
        assert_eq!(rule(&Source::new(path, line)).len(), count, "{line}");
    }

    #[test]
    fn paths_of_a_machine_fail() {
        let [root, work] = [OTHER_PLACES[0], OTHER_PLACES[1]];
        for bad in [
            format!("see {HOME}erika/project"),
            format!("\"{root}.cargo\""),
            format!("`{work}main`"),
            format!("{work}main"),
            format!("file://{work}main"),
        ] {
            check(check_machine, "docs/a.md", &bad, 1);
            check(check_machine, "crates/a/src/lib.rs", &bad, 1);
            let excused = format!("{bad} # tidy: allow machine: the path is what is tested");
            check(check_machine, "a.toml", &excused, 0);
        }
        for good in [
            format!("{HOME}alice/project and {HOME}user"),
            format!("{HOME}<name>"),
            format!("docs{work}a.md, ~{work}a and $HOME{work}a"),
            "/repo/src and /tmp/a".to_owned(),
        ] {
            check(check_machine, "docs/a.md", &good, 0);
        }
    }

    #[test]
    fn mirrors_of_packages_fail() {
        for bad in [
            concat!("https://cargo-mi", "rror.corp.net/index"),
            concat!("http://u:p@nex", "us.internal:8081/x"),
            concat!("url = \"spar", "se+https://crates.corp.net/\""),
            concat!("source = \"regis", "try+https://crates.corp.net/\""),
        ] {
            check(check_hosts, "docs/a.md", bad, 1);
        }
        check(check_hosts, ".cargo/config.toml", "[source.crates-io]", 1);
        check(check_hosts, ".cargo/config.toml", "replace-with = \"a\"", 1);
        check(check_hosts, "docs/a.md", "[source.crates-io]", 0);
        check(check_hosts, "Cargo.lock", &format!("source = \"{INDEX}\""), 0);
        check(check_hosts, "docs/a.md", "https://crates.io/crates/proxy-wasm", 0);
        check(check_hosts, "docs/a.md", "http://proxy.example/ and http://localhost:80/", 0);
    }

    #[test]
    fn words_of_the_making_fail() {
        for word in OURS {
            check(check_process, "docs/a.md", &format!("as the {word} said"), 1);
            check(check_process, "docs/a.md", &format!("x{word}x"), 0);
        }
        let type_of = format!("{AGENTS_SAY}_type");
        check(check_process, "crates/a/src/lib.rs", &type_of, 0);
        check(check_process, "crates/exec/src/agents/claude/hook.rs", AGENTS_SAY, 0);
        check(check_process, "crates/exec/tests/payloads/claude/work/a.json", AGENTS_SAY, 0);
    }
}
