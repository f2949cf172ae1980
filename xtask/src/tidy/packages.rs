//! Our crates and what they depend on, as `cargo metadata` tells it.

use std::path::Path;
use std::process::Command;

use anyhow::Context as _;
use serde_json::Value;

/// One crate of the workspace.
#[derive(Debug)]
pub(crate) struct Package {
    pub(crate) name: String,
    /// The path of its manifest, from the root of the workspace.
    pub(crate) manifest: String,
    pub(crate) manifest_text: String,
    pub(crate) needs: Vec<Need>,
}

/// One dependency of a crate, as its manifest declares it.
#[derive(Debug)]
pub(crate) struct Need {
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Normal,
    Dev,
    Build,
}

impl Package {
    /// The line of the manifest that declares `need`, or the first.
    pub(crate) fn line_of(&self, need: &str) -> usize {
        let declares = |line: &str| {
            line.strip_prefix(need).is_some_and(|rest| rest.starts_with(['.', ' ', '=']))
        };
        self.manifest_text.lines().position(declares).map_or(1, |index| index + 1)
    }

    /// A crate for the tests of the rules.
    #[cfg(test)]
    pub(crate) fn sample(name: &str, needs: &[(&str, Kind)]) -> Self {
        let needs = needs.iter().map(|(name, kind)| Need { name: (*name).to_owned(), kind: *kind });
        Self {
            name: name.to_owned(),
            manifest: format!("crates/{name}/Cargo.toml"),
            manifest_text: String::new(),
            needs: needs.collect(),
        }
    }
}

/// Asks Cargo. It answers from the manifests alone: no network, no lock file, no build.
pub(crate) fn read(root: &Path) -> anyhow::Result<Vec<Package>> {
    let output = Command::new(crate::root::cargo())
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root)
        .output()
        .context("cargo can't be started")?;
    anyhow::ensure!(
        output.status.success(),
        "cargo metadata failed:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let mut packages = parse(&serde_json::from_slice(&output.stdout)?)?;
    for package in &mut packages {
        package.manifest_text = std::fs::read_to_string(root.join(&package.manifest))
            .with_context(|| format!("{} can't be read", package.manifest))?;
    }
    Ok(packages)
}

fn parse(metadata: &Value) -> anyhow::Result<Vec<Package>> {
    let root = metadata["workspace_root"].as_str().context("metadata without a root")?;
    let packages = metadata["packages"].as_array().context("metadata without packages")?;
    packages.iter().map(|package| parse_package(root, package)).collect()
}

fn parse_package(root: &str, package: &Value) -> anyhow::Result<Package> {
    let name = package["name"].as_str().context("a package without a name")?;
    let manifest = package["manifest_path"].as_str().context("a package without a manifest")?;
    let manifest = manifest.strip_prefix(root).unwrap_or(manifest);
    let needs = package["dependencies"].as_array().context("a package without dependencies")?;
    Ok(Package {
        name: name.to_owned(),
        manifest: manifest.replace('\\', "/").trim_start_matches('/').to_owned(),
        manifest_text: String::new(),
        needs: needs.iter().map(parse_need).collect::<anyhow::Result<_>>()?,
    })
}

fn parse_need(need: &Value) -> anyhow::Result<Need> {
    let kind = match need["kind"].as_str() {
        None => Kind::Normal,
        Some("dev") => Kind::Dev,
        Some("build") => Kind::Build,
        Some(other) => anyhow::bail!("cargo knows a kind of dependency that we don't: {other}"),
    };
    let name = need["name"].as_str().context("a dependency without a name")?;
    Ok(Need { name: name.to_owned(), kind })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_understood() {
        let metadata = serde_json::json!({
            "workspace_root": "/repo",
            "packages": [{
                "name": "countersign-git",
                "manifest_path": "/repo/crates/git/Cargo.toml",
                "dependencies": [
                    { "name": "thiserror", "kind": null },
                    { "name": "tempfile", "kind": "dev" },
                ],
            }],
        });
        let packages = parse(&metadata).unwrap();
        assert_eq!(packages[0].name, "countersign-git");
        assert_eq!(packages[0].manifest, "crates/git/Cargo.toml");
        let kinds: Vec<Kind> = packages[0].needs.iter().map(|need| need.kind).collect();
        assert_eq!(kinds, [Kind::Normal, Kind::Dev]);
        assert!(parse(&serde_json::json!({})).is_err());
    }

    #[test]
    fn the_line_of_a_dependency_is_found() {
        let mut package = Package::sample("x", &[]);
        package.manifest_text =
            "[dependencies]\nserde_json = \"1\"\nserde.workspace = true\n".into();
        assert_eq!(package.line_of("serde"), 3);
        assert_eq!(package.line_of("absent"), 1);
    }
}
