//! What every manifest takes from the workspace instead of deciding for itself.

use super::finding::Finding;
use super::packages::Package;

const RULE: &str = "manifests";

/// Every crate inherits the lints, the edition and the licence of the workspace.
pub(crate) fn check(packages: &[Package]) -> Vec<Finding> {
    packages
        .iter()
        .flat_map(|package| check_text(&package.manifest, &package.manifest_text))
        .collect()
}

fn check_text(path: &str, text: &str) -> Vec<Finding> {
    let wanted = [
        ("lints", "workspace = true"),
        ("package", "edition.workspace = true"),
        ("package", "license.workspace = true"),
    ];
    wanted
        .into_iter()
        .filter(|(section, line)| !has_line(text, section, line))
        .map(|(section, line)| {
            Finding::new(
                RULE,
                (path, 1),
                format!("[{section}] has no `{line}`"),
                format!("add `{line}` to [{section}]: the workspace decides for all crates"),
            )
        })
        .collect()
}

/// Whether `section` of a manifest has exactly `wanted` as a line, spaces aside.
fn has_line(text: &str, section: &str, wanted: &str) -> bool {
    let header = format!("[{section}]");
    let squeeze = |line: &str| line.split('#').next().unwrap_or("").replace(' ', "");
    text.lines()
        .skip_while(|line| line.trim() != header)
        .skip(1)
        .take_while(|line| !line.trim_start().starts_with('['))
        .any(|line| squeeze(line) == squeeze(wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "[package]\nname = \"a\"\nedition.workspace = true\n\
                        license.workspace = true\n\n[lints]\nworkspace = true\n";

    #[test]
    fn a_manifest_that_inherits_passes() {
        assert_eq!(check_text("Cargo.toml", GOOD), []);
        assert_eq!(check_text("Cargo.toml", &GOOD.replace(" = ", "=")), []);
    }

    #[test]
    fn a_manifest_that_decides_for_itself_fails() {
        for (from, to) in [
            ("[lints]\nworkspace = true\n", ""),
            ("[lints]\nworkspace = true", "[lints.rust]\nunsafe_code = \"allow\""),
            ("edition.workspace = true", "edition = \"2021\""),
            ("license.workspace = true", "license = \"MIT\""),
        ] {
            let text = GOOD.replace(from, to);
            assert_eq!(check_text("Cargo.toml", &text).len(), 1, "{text}");
        }
    }
}
