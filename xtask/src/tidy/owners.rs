//! Which crates of others may be used where.
//!
//! `deny.toml` says the same about the whole graph; this works without cargo-deny.

use super::finding::Finding;
use super::packages::{Kind, Package};

const RULE: &str = "owners";

/// A crate of others, and the only ones of ours that may name it.
struct Owned {
    name: &'static str,
    by: &'static [&'static str],
    why: &'static str,
}

const OWNED: &[Owned] = &[
    owned("rusqlite", &["countersign-store"], DATABASE),
    owned("postgres", &["countersign-store"], DATABASE),
    owned("tokio-postgres", &["countersign-store"], DATABASE),
    owned("deadpool-postgres", &["countersign-store"], DATABASE),
    owned("zstd", &["countersign-store"], "only the store knows how a blob is kept"),
    owned("tree-sitter", &["countersign-gaming"], SYNTAX),
    owned("tree-sitter-go", &["countersign-gaming"], SYNTAX),
    owned("tree-sitter-javascript", &["countersign-gaming"], SYNTAX),
    owned("tree-sitter-python", &["countersign-gaming"], SYNTAX),
    owned("tree-sitter-rust", &["countersign-gaming"], SYNTAX),
    owned("tree-sitter-typescript", &["countersign-gaming"], SYNTAX),
    owned("clap", &["countersign"], SURFACE),
    owned("clap_complete", &["countersign"], SURFACE),
    owned("clap_mangen", &["countersign"], SURFACE),
    owned("axum", &["countersign", "countersign-testkit"], SURFACE),
    owned("rmcp", &["countersign"], SURFACE),
    owned("ratatui", &["countersign"], SURFACE),
    owned("crossterm", &["countersign"], SURFACE),
    owned("signal-hook", &["countersign"], SURFACE),
    owned("anyhow", &["xtask"], "a library's errors have types that its callers can match on"),
    owned("sqlx", &[], TWO_DATABASES),
    owned("diesel", &[], TWO_DATABASES),
    owned("sea-orm", &[], TWO_DATABASES),
    owned("chrono", &[], "time is jiff"),
    owned("serde_yaml", &[], "it is no longer maintained"),
];

const DATABASE: &str = "only the store knows a database";
const SYNTAX: &str = "only the detectors of gaming read the syntax of programs";
const SURFACE: &str = "only the program has surfaces; the engine must work without them";
const TWO_DATABASES: &str = "one layer over two databases hides what matters to a ledger";

const fn owned(name: &'static str, by: &'static [&'static str], why: &'static str) -> Owned {
    Owned { name, by, why }
}

/// What the domain may use: crates that compute, and neither read a clock, the environment, a
/// file or the network nor start a thread.
const PURE: &[&str] = &[
    "aho-corasick",
    "data-encoding",
    "ed25519-dalek",
    "globset",
    "granit-parser",
    "jiff",
    "memchr",
    "pulldown-cmark",
    "regex",
    "regex-syntax",
    "schemars",
    "serde",
    "serde_json",
    "serde_json_canonicalizer",
    "sha2",
    "similar",
    "thiserror",
    "toml",
    "uuid",
];

/// Crates of others stay with their owners, and the domain stays pure.
pub(crate) fn check(packages: &[Package]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in packages {
        for need in &package.needs {
            let place = (package.manifest.as_str(), package.line_of(&need.name));
            let owned = OWNED.iter().find(|owned| owned.name == need.name);
            if let Some(owned) = owned.filter(|owned| !owned.by.contains(&package.name.as_str())) {
                findings.push(Finding::new(
                    RULE,
                    place,
                    format!("`{}` may not use `{}`: {}", package.name, need.name, owned.why),
                    match owned.by {
                        [] => "do without it; docs/DEPENDENCIES.md says what we use".to_owned(),
                        by => format!("put the code that needs it into {}", by.join(" or ")),
                    },
                ));
            }
            let ours = packages.iter().any(|other| other.name == need.name);
            let domain = package.name == "countersign-domain" && need.kind != Kind::Dev;
            if domain && !ours && !PURE.contains(&need.name.as_str()) {
                findings.push(Finding::new(
                    RULE,
                    place,
                    format!("the domain may not use `{}`: it isn't known to be pure", need.name),
                    "use it elsewhere, or add it to PURE in xtask/src/tidy/owners.rs if it only \
                     computes",
                ));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_use(package: &str, kind: Kind, name: &str, allowed: bool) {
        let packages = [Package::sample(package, &[(name, kind)])];
        assert_eq!(check(&packages).is_empty(), allowed, "{package} uses {name} ({kind:?})");
    }

    #[test]
    fn owners_may_use_what_is_theirs_and_others_may_not() {
        for owned in OWNED {
            let by = owned.by.first().copied().unwrap_or("nobody");
            check_use(by, Kind::Normal, owned.name, by != "nobody");
            check_use("countersign-engine", Kind::Normal, owned.name, false);
            check_use("countersign-engine", Kind::Dev, owned.name, false);
        }
        check_use("countersign", Kind::Normal, "rusqlite", false);
        check_use("countersign-store", Kind::Normal, "clap", false);
    }

    #[test]
    fn the_domain_is_pure() {
        for name in PURE {
            check_use("countersign-domain", Kind::Normal, name, true);
        }
        for name in ["tokio", "rustix", "reqwest", "tempfile"] {
            check_use("countersign-domain", Kind::Normal, name, false);
            check_use("countersign-exec", Kind::Normal, name, true);
        }
        check_use("countersign-domain", Kind::Dev, "proptest", true);
    }
}
