//! What kind of file a path names, by whole segments and the ending.

/// Every kind there is.
pub(crate) const KINDS: [&str; 12] = [
    "schema", "tests", "ci", "critical", "docs", "look", "infra", "secret", "config", "data",
    "folder", "code",
];

/// The kind of a folded path.
pub(crate) fn kind(path: &str) -> &'static str {
    let has = |names: &[&str]| path.split(['/', '\\']).any(|segment| names.contains(&segment));
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let (base, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let words = |wanted: &[&str]| base.split(['.', '_', '-']).any(|word| wanted.contains(&word));
    if has(&["migrations", "migration", "alembic", "flyway"]) || ending == "sql" {
        return "schema";
    }
    if has(&["test", "tests", "spec", "specs", "__tests__", "e2e", "testdata", "fixtures"])
        || words(&["test", "tests", "spec"])
    {
        return "tests";
    }
    if has(&[".github", ".gitlab", ".circleci", "workflows"]) {
        return "ci";
    }
    if has(&["auth", "security", "payment", "payments", "billing", "checkout", "crypto"]) {
        return "critical";
    }
    match ending {
        "md" | "mdx" | "rst" | "txt" | "adoc" => "docs",
        "css" | "scss" | "less" | "svg" | "png" => "look",
        "tf" | "hcl" => "infra",
        "env" => "secret",
        "json" | "yaml" | "yml" | "toml" | "ini" | "cfg" | "conf" | "lock" | "xml" => "config",
        "csv" | "ipynb" => "data",
        "" if has(&["docs", "doc"]) => "docs",
        "" if has(&["deploy", "terraform", "helm", "k8s", "infra"]) => "infra",
        "" => "folder",
        _ => "code",
    }
}

#[cfg(test)]
mod tests {
    use super::{KINDS, kind};

    /// D3.6: segments of a path, not substrings: `scores.rs` is not `core`, `latest.rs` is no test.
    #[test]
    fn d3_6_whole_segments() {
        let cases = [
            ("src/scores.rs", "code"),
            ("src/latest.rs", "code"),
            ("src/contest/board.ts", "code"),
            ("src/author/page.ts", "code"),
            ("src/auth/page.ts", "critical"),
            ("tests/board.ts", "tests"),
            ("board.test.ts", "tests"),
            ("db/migrations/0001_init.py", "schema"),
            (".github/workflows/ci.yml", "ci"),
            ("docs/guide.md", "docs"),
            ("readme.md", "docs"),
        ];
        for (path, expected) in cases {
            assert_eq!(kind(path), expected, "{path}");
            assert!(KINDS.contains(&expected), "{expected}");
        }
    }
}
