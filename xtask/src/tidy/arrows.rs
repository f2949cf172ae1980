//! Which of our crates may see which: the drawing of ARCHITECTURE.md as a table.

use super::finding::Finding;
use super::packages::{Kind, Package};

const RULE: &str = "arrows";

/// One crate of ours and those that it may depend on.
struct Room {
    package: &'static str,
    sees: &'static [&'static str],
}

const ROOMS: &[Room] = &[
    Room { package: "countersign-domain", sees: &[] },
    Room { package: "countersign-store", sees: &["countersign-domain"] },
    Room { package: "countersign-gaming", sees: &["countersign-domain"] },
    Room { package: "countersign-git", sees: &["countersign-domain"] },
    Room { package: "countersign-exec", sees: &["countersign-domain"] },
    Room {
        package: "countersign-engine",
        sees: &[
            "countersign-domain",
            "countersign-store",
            "countersign-gaming",
            "countersign-git",
            "countersign-exec",
        ],
    },
    Room { package: "countersign", sees: &["countersign-domain", "countersign-engine"] },
    // Development only.
    Room { package: TESTKIT, sees: &[] },
    // The domain, because `train` and `eval` fit and score its classifier.
    Room { package: "xtask", sees: &["countersign-domain", TESTKIT] },
];

const TESTKIT: &str = "countersign-testkit";

/// Every arrow between our crates is one that the drawing has.
pub(crate) fn check(packages: &[Package]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in packages {
        let place = (package.manifest.as_str(), 1);
        let Some(room) = ROOMS.iter().find(|room| room.package == package.name) else {
            findings.push(Finding::new(
                RULE,
                place,
                format!("the crate `{}` is not in the drawing", package.name),
                "draw it in ARCHITECTURE.md and add it to ROOMS in xtask/src/tidy/arrows.rs",
            ));
            continue;
        };
        for need in &package.needs {
            let ours = packages.iter().any(|other| other.name == need.name);
            let for_tests = need.kind == Kind::Dev && need.name == TESTKIT;
            if ours && !for_tests && !room.sees.contains(&need.name.as_str()) {
                findings.push(Finding::new(
                    RULE,
                    (package.manifest.as_str(), package.line_of(&need.name)),
                    format!("`{}` may not see `{}`", package.name, need.name),
                    advice(room, &need.name),
                ));
            }
        }
    }
    findings
}

fn advice(room: &Room, need: &str) -> String {
    match (need, room.sees) {
        (TESTKIT, _) => "move it to [dev-dependencies]: the testkit is for tests only".to_owned(),
        (_, []) => "it sees none of our crates: hand the facts in as arguments".to_owned(),
        (_, sees) => {
            format!("it sees only {}: move the code, or go through those", sees.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One case: a crate, how it depends on another, and whether that is drawn.
    #[track_caller]
    fn check_arrow(from: &str, kind: Kind, to: &str, drawn: bool) {
        let packages = [Package::sample(from, &[(to, kind)]), Package::sample(to, &[])];
        assert_eq!(check(&packages).is_empty(), drawn, "{from} → {to} ({kind:?})");
    }

    #[test]
    fn drawn_arrows_pass() {
        for crate_name in ["store", "gaming", "git", "exec", "engine"] {
            let from = format!("countersign-{crate_name}");
            check_arrow(&from, Kind::Normal, "countersign-domain", true);
            check_arrow(&from, Kind::Dev, TESTKIT, true);
        }
        for crate_name in ["store", "gaming", "git", "exec"] {
            let to = format!("countersign-{crate_name}");
            check_arrow("countersign-engine", Kind::Normal, &to, true);
        }
        check_arrow("countersign", Kind::Normal, "countersign-engine", true);
        check_arrow("countersign", Kind::Normal, "countersign-domain", true);
        check_arrow("xtask", Kind::Normal, TESTKIT, true);
        check_arrow("xtask", Kind::Normal, "countersign-domain", true);
    }

    #[test]
    fn other_arrows_fail() {
        let rooms = ["store", "gaming", "git", "exec"];
        for (from, to) in rooms.iter().flat_map(|a| rooms.map(|b| (*a, b))) {
            if from != to {
                let (from, to) = (format!("countersign-{from}"), format!("countersign-{to}"));
                check_arrow(&from, Kind::Normal, &to, false);
                check_arrow(&from, Kind::Dev, &to, false);
            }
        }
        for to in ["store", "gaming", "git", "exec"] {
            check_arrow("countersign", Kind::Normal, &format!("countersign-{to}"), false);
        }
        check_arrow("countersign-domain", Kind::Normal, "countersign-store", false);
        check_arrow("countersign-domain", Kind::Build, "countersign-engine", false);
        check_arrow("countersign-engine", Kind::Normal, TESTKIT, false);
        check_arrow("countersign-engine", Kind::Normal, "countersign", false);
        check_arrow("countersign", Kind::Dev, "xtask", false);
        check_arrow("xtask", Kind::Normal, "countersign-engine", false);
        check_arrow(TESTKIT, Kind::Normal, "countersign-engine", false);
    }

    #[test]
    fn a_crate_nobody_drew_fails() {
        let findings = check(&[Package::sample("countersign-extra", &[])]);
        assert!(findings[0].what.contains("countersign-extra"));
    }
}
