//! Which package manager a package is installed and run with.

use super::super::files::{Files, Lookup, join, upwards};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Installer {
    Npm,
    Pnpm,
    Yarn,
    Bun,
}

const LOCKS: &[(&str, Installer)] = &[
    ("pnpm-lock.yaml", Installer::Pnpm),
    ("yarn.lock", Installer::Yarn),
    ("bun.lock", Installer::Bun),
    ("bun.lockb", Installer::Bun),
    ("package-lock.json", Installer::Npm),
    ("npm-shrinkwrap.json", Installer::Npm),
];

impl Installer {
    /// What the nearest `packageManager` says, or the nearest lockfile.
    pub(super) fn of(files: &Files<'_>, folder: &str) -> Self {
        for above in upwards(folder) {
            if let Some(said) = said(files, above) {
                return said;
            }
            let locks: Vec<&(&str, Self)> =
                LOCKS.iter().filter(|(name, _)| files.has(&join(above, name))).collect();
            let Some((name, installer)) = locks.first() else { continue };
            if let Some((other, _)) = locks.iter().find(|(_, other)| other != installer) {
                let what =
                    format!("there is a {other} as well, so two package managers are in use");
                let fix = "remove one of them, or name the manager in package.json: packageManager";
                files.odd((&join(above, name), 1), &what, fix);
            }
            return *installer;
        }
        Self::Npm
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Npm => "npm",
            Self::Pnpm => "pnpm",
            Self::Yarn => "yarn",
            Self::Bun => "bun",
        }
    }

    /// How a program of a dependency is run, without installing anything.
    pub(super) fn runs(self) -> &'static [&'static str] {
        match self {
            Self::Npm => &["npx", "--no-install"],
            Self::Pnpm => &["pnpm", "exec"],
            Self::Yarn => &["yarn", "run"],
            Self::Bun => &["bun", "run"],
        }
    }
}

fn said(files: &Files<'_>, folder: &str) -> Option<Installer> {
    let path = join(folder, "package.json");
    if !files.has(&path) {
        return None;
    }
    let node = files.json(&path, "Node")?;
    let node = node.at(&["packageManager"])?;
    let text = node.as_text()?;
    let name = text.split('@').next().unwrap_or("");
    let all = [Installer::Npm, Installer::Pnpm, Installer::Yarn, Installer::Bun];
    let found = all.into_iter().find(|installer| installer.name() == name);
    if found.is_none() {
        let what = format!("'{}' is no package manager that is known", crate::yaml::shown(text));
        files.odd((&path, node.place.line), &what, "use npm, pnpm, yarn or bun");
    }
    found
}
