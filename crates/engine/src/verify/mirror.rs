//! A lent folder without what leads into the working tree: packages that are installed by a link, as
//! `pip install -e .` and workspaces of npm do, would bring the code that lies there onto every ground.
//!
//! Only the folders on the way to such a link are made anew; everything else in them is linked.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::borrow::Borrowed;
use super::installed::plain;
use crate::regular;

/// The largest file that says where a package is.
const MOST_READ: u64 = 1 << 20;

/// What of a lent folder leads into the project at `root`, by its path in the folder.
pub(super) fn leading(borrowed: &Borrowed, root: &Path) -> BTreeSet<PathBuf> {
    let leads = |entry: &&super::borrow::Entry| {
        let path = borrowed.from.join(&entry.path);
        if !entry.is_file {
            let target = path.canonicalize();
            return target.is_ok_and(|to| to.starts_with(root) && !to.starts_with(&borrowed.from));
        }
        is_pointer(&entry.path) && points_into(&path, root, &borrowed.from)
    };
    let mut found: BTreeSet<PathBuf> =
        borrowed.entries.iter().filter(leads).map(|entry| entry.path.clone()).collect();
    if found.iter().any(|path| is_pointer(path)) {
        // Programs name the interpreter that is beside the old list of packages.
        let is_program = |path: &Path| path.parent().is_some_and(|parent| parent.ends_with("bin"));
        let programs = borrowed.entries.iter().filter(|one| one.is_file && is_program(&one.path));
        found.extend(programs.map(|entry| entry.path.clone()));
    }
    found
}

/// Whether a file is one by which Python finds packages that lie elsewhere.
pub(super) fn is_pointer(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let ends = path.extension().is_some_and(|end| end == "pth" || end == "egg-link");
    ends || name.starts_with("__editable__") && path.extension().is_some_and(|end| end == "py")
}

/// Whether the file at `path` names something of the project that does not lie in `within`.
pub(super) fn points_into(path: &Path, root: &Path, within: &Path) -> bool {
    let Some(bytes) = regular::read(path, MOST_READ) else { return false };
    let text = String::from_utf8_lossy(&bytes);
    let (root_text, within) = (root.to_string_lossy(), within.to_string_lossy());
    let named = text.replace(&*within, "");
    let is_named = named.match_indices(&*root_text).any(|(at, _)| {
        let next = named[at + root_text.len()..].chars().next();
        next.is_none_or(|next| !(next.is_alphanumeric() || "-_.".contains(next)))
    });
    let folder = path.parent().unwrap_or(path);
    let is_relative =
        |line: &str| line.starts_with("..") && plain(&folder.join(line.trim())).starts_with(root);
    is_named || text.lines().any(is_relative)
}

/// Makes the folder in `checkout`: what leads into `root` leads into the checkout.
pub(super) fn make(borrowed: &Borrowed, (root, checkout): (&Path, &Path)) -> io::Result<()> {
    let top = checkout.join(&borrowed.path);
    let above = |path: &PathBuf| path.ancestors().skip(1).map(Path::to_owned).collect::<Vec<_>>();
    let folders: BTreeSet<PathBuf> = borrowed.leading.iter().flat_map(above).collect();
    for folder in &folders {
        fs::create_dir(top.join(folder))?;
        for child in fs::read_dir(borrowed.from.join(folder))? {
            let child = child?;
            let path = folder.join(child.file_name());
            if folders.contains(&path) {
                continue;
            }
            let (there, here) = (child.path(), top.join(&path));
            let is_led = borrowed.leading.contains(&path);
            match fs::read_link(&there) {
                // What is near is as near there.
                Ok(target) if target.is_relative() => symlink(target, here)?,
                Ok(target) if is_led && target.starts_with(root) => {
                    symlink(checkout.join(target.strip_prefix(root).unwrap_or(&target)), here)?;
                }
                Err(_) if is_led => redirect((&there, &here), (root, checkout))?,
                Ok(_) | Err(_) => symlink(&there, here)?,
            }
        }
    }
    Ok(())
}

/// Writes a file that names `checkout` wherever the other names `root`.
fn redirect((from, to): (&Path, &Path), (root, checkout): (&Path, &Path)) -> io::Result<()> {
    let text = regular::read(from, MOST_READ).and_then(|bytes| String::from_utf8(bytes).ok());
    // What is no text names nothing.
    let Some(text) = text else { return symlink(from, to) };
    let (root, checkout) = (root.to_string_lossy(), checkout.to_string_lossy());
    fs::write(to, text.replace(&*root, &checkout))?;
    fs::set_permissions(to, fs::metadata(from)?.permissions())
}

#[cfg(test)]
mod tests {
    use super::super::borrow::Entry;
    use super::*;

    fn borrowed(root: &Path, path: &str, files: &[&str]) -> Borrowed {
        let from = root.join(path);
        let entry = |path: &&str| {
            let is_file = !from.join(path).is_symlink();
            Entry { path: path.into(), size: 1, is_file, changed_at: (0, 0) }
        };
        let entries = files.iter().map(entry).collect();
        let mut one = Borrowed { path: path.into(), from, entries, leading: BTreeSet::new() };
        one.leading = leading(&one, root);
        one
    }

    /// LP-13: packages that are installed by a link lead into the checkout.
    #[test]
    fn what_leads_into_the_project_leads_into_the_checkout() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("p");
        let checkout = folder.path().canonicalize().unwrap().join("checkout");
        let lib = root.join(".venv/lib/site-packages");
        for path in [lib.join("six"), root.join(".venv/bin"), root.join("src"), checkout.clone()] {
            fs::create_dir_all(path).unwrap();
        }
        fs::write(lib.join("calc.pth"), format!("{}/src\n", root.display())).unwrap();
        fs::write(lib.join("near.pth"), "../../../src\n").unwrap();
        fs::write(lib.join("other.pth"), format!("{}-other/src\n", root.display())).unwrap();
        let shebang = format!("#!{}/.venv/bin/python\n", root.display());
        fs::write(root.join(".venv/bin/pytest"), shebang).unwrap();
        let names = ["calc.pth", "near.pth", "other.pth"];
        let mut files: Vec<String> =
            names.iter().map(|name| format!("lib/site-packages/{name}")).collect();
        files.push("bin/pytest".into());
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let one = borrowed(&root, ".venv", &files);
        assert_eq!(one.leading.len(), 3, "{:?}", one.leading);
        make(&one, (&root, &checkout)).unwrap();
        let read = |path: &str| fs::read_to_string(checkout.join(".venv").join(path)).unwrap();
        let source = format!("{}/src\n", checkout.display());
        assert_eq!(read("lib/site-packages/calc.pth"), source);
        assert!(read("lib/site-packages/other.pth").contains("p-other"));
        assert!(read("bin/pytest").starts_with(&format!("#!{}", checkout.display())));
        assert!(checkout.join(".venv/lib/site-packages/six").is_symlink());
    }

    /// LP-13: a package of the workspace is the checkout's.
    #[test]
    fn links_of_a_workspace_stay_in_the_checkout() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("p");
        let checkout = folder.path().canonicalize().unwrap().join("checkout");
        for path in ["node_modules/@x", "node_modules/ms", "packages/core"] {
            fs::create_dir_all(root.join(path)).unwrap();
        }
        fs::create_dir_all(checkout.join("packages/core")).unwrap();
        symlink("../../packages/core", root.join("node_modules/@x/core")).unwrap();
        let one = borrowed(&root, "node_modules", &["@x/core"]);
        make(&one, (&root, &checkout)).unwrap();
        let core = checkout.join("node_modules/@x/core").canonicalize().unwrap();
        assert_eq!(core, checkout.join("packages/core"));
        assert!(checkout.join("node_modules/ms").is_symlink());
    }
}
