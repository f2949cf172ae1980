//! Checkouts of trees that no git would make.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use countersign_domain::ObjectId;
use countersign_git::{Checkout, Error, Tip};

use crate::common::{Lab, put};

/// Stores a tree made by hand, as no git would make it.
fn raw_tree(lab: &Lab, entries: &[(&str, &str, &str)]) -> ObjectId {
    let mut bytes = Vec::new();
    for (mode, name, id) in entries {
        bytes.extend(format!("{mode} {name}\0").into_bytes());
        let digits = (0..id.len()).step_by(2);
        bytes.extend(digits.map(|at| u8::from_str_radix(&id[at..at + 2], 16).unwrap()));
    }
    let mut git = Command::new("git");
    git.args(["hash-object", "-w", "-t", "tree", "--literally", "--stdin"]);
    git.current_dir(lab.root()).env_clear().envs(lab.env());
    let mut child = git.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&bytes).unwrap();
    let output = child.wait_with_output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().parse().unwrap()
}

fn blob(lab: &Lab, content: &str) -> String {
    put(&lab.path("blob"), content);
    let path = lab.path("blob");
    lab.git(&lab.root(), &["hash-object", "-w", path.to_str().unwrap()])
}

fn try_tree(lab: &Lab, tree: &ObjectId, into: &Path) -> Result<(), Error> {
    let tip = Tip::Tree { tree, parent: None, message: "", time_seconds: 1 };
    lab.open().checkout(&Checkout { into, tip, spares: None }).map(drop)
}

/// CX-09: no tree, however odd, writes outside of its checkout or into a repository.
#[test]
fn no_tree_leads_out_of_its_checkout() {
    let lab = Lab::new();
    let outside = lab.path("outside");
    fs::create_dir(&outside).unwrap();
    let link = blob(&lab, outside.to_str().unwrap());
    let evil = blob(&lab, "evil\n");
    let inner = raw_tree(&lab, &[("100644", "evil", &evil)]);
    let through = [("120000", "a", link.as_str()), ("40000", "a", inner.as_str())];
    let upward = [("40000", "..", inner.as_str())];
    let into_git = [("40000", ".git", inner.as_str())];
    let slash = [("100644", "../outside/evil", evil.as_str())];
    for (number, entries) in [&through[..], &upward, &into_git, &slash].into_iter().enumerate() {
        let into = lab.path(&format!("copy{number}"));
        let made = try_tree(&lab, &raw_tree(&lab, entries), &into);
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0, "case {number}: {made:?}");
        assert!(!into.join(".git/evil").exists(), "case {number}");
        assert!(!lab.path("evil").exists(), "case {number}");
    }
}
