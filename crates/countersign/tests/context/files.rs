//! The files of a context, and hands that are not ours.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use countersign_testkit::Project;

use crate::desk::{TASK, begun, context, data, desk, statuses};

fn file(project: &Project, name: &str) -> PathBuf {
    project.state().join("contexts/TASK-0824").join(name)
}

/// Overwrites a file that is to be read only, as an agent with a shell could.
fn overwrite(project: &Project, name: &str, bytes: &[u8]) {
    let path = file(project, name);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    fs::write(path, bytes).unwrap();
}

/// CX-01: one context a task; the file is there to be read.
#[test]
fn a_context_is_made_once() {
    let project = begun();
    context(&project, &["init"]).expect(1).says("TASK-0824 has a context already");
    let view = data(&project, &["show"]);
    let path = view["path"].as_str().unwrap();
    let bytes = fs::read(path).unwrap();
    assert!(bytes.ends_with(b"}\n") && !bytes.contains(&b'\r'));
    let mode = fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o444);
    let account: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(account["version"], 1);
    assert_eq!(account["git"]["head"], project.git(["rev-parse", "HEAD"]).trim());
    assert_eq!(account["repo_paths"], serde_json::json!(["docs/settings.md", "src/theme.txt"]));
    let description = account["task"]["description"].as_str().unwrap();
    assert!(description.contains("## Where\n"), "{description}");
    assert!(description.contains("- nothing reads it back\n"), "{description}");
}

/// CX-01: the same input gives the same bytes, wherever, whenever and in whatever language.
#[test]
fn the_same_bytes_everywhere() {
    let project = desk();
    let clone = project.outside().join("a clone/in another folder");
    fs::create_dir_all(clone.parent().unwrap()).unwrap();
    let from = project.root();
    project.git(["clone", "--quiet", from.to_str().unwrap(), clone.to_str().unwrap()]);
    context(&project, &["init"]).expect(0);
    let call = project.call(["context", "init", "TASK-0824"]).at(&clone);
    let call = call.env("TZ", "Pacific/Auckland").env("LC_ALL", "tr_TR.UTF-8").env("LANG", "tr_TR");
    call.env("COUNTERSIGN_HOME", project.outside().join("another home")).run().expect(0);
    for name in ["context.json", "context.manifest", "context-reviewer.json"] {
        let here = fs::read(file(&project, name)).unwrap();
        let there = clone.join(".git/countersign/contexts/TASK-0824").join(name);
        assert_eq!(fs::read(there).unwrap(), here, "{name}");
    }
}

/// CX-14: every file that was made is in the manifest with its digest.
#[test]
fn the_manifest_covers_everything() {
    let project = begun();
    let manifest: serde_json::Value =
        serde_json::from_slice(&fs::read(file(&project, "context.manifest")).unwrap()).unwrap();
    let listed = |key: &str| -> Vec<String> {
        let all = manifest[key].as_array().unwrap();
        all.iter().map(|source| source["path"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(listed("sources"), ["CONTRIBUTING.md", "tasks/TASK-0824.task.yaml"]);
    let derived = listed("derived");
    let exports = ["implementer", "reviewer", "validator"].map(|r| format!("context-{r}.json"));
    for name in exports.iter().map(String::as_str).chain(["context.json"]) {
        assert!(derived.contains(&name.to_owned()), "{name}");
        let digest = project.sh(&format!("sha256sum < '{}'", file(&project, name).display())).out();
        let entry = manifest["derived"].as_array().unwrap().iter();
        let entry = entry.clone().find(|entry| entry["path"] == name).unwrap();
        assert!(digest.starts_with(entry["sha256"].as_str().unwrap()), "{name}");
    }
}

/// CX-20: a context that another hand wrote is noticed, mended, and blocks the work.
#[test]
fn another_hand_is_noticed() {
    for name in ["context.json", "context.manifest", "context-reviewer.json"] {
        let project = begun();
        let right = fs::read(file(&project, name)).unwrap();
        let mut wrong = right.clone();
        wrong.extend(b" ");
        overwrite(&project, name, &wrong);
        context(&project, &["show"]).expect(0).says("another hand");
        assert_eq!(fs::read(file(&project, name)).unwrap(), right, "{name} is mended");
        assert_eq!(statuses(&project), ["blocked", "pending", "pending"], "{name}");
        let ran = context(&project, &["snapshot", "--role", "implementer"]).expect(1);
        ran.says("implementer is blocked");
    }
}

/// CX-20: whatever is put in the place of a file: a folder, a link, nothing.
#[test]
fn other_things_in_the_place_of_a_file() {
    let project = begun();
    let path = file(&project, "context.json");
    let right = fs::read(&path).unwrap();
    fs::remove_file(&path).unwrap();
    context(&project, &["show"]).expect(0);
    assert_eq!(fs::read(&path).unwrap(), right);
    assert_eq!(statuses(&project)[0], "in_progress", "what is only missing blames nobody");
    fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", &path).unwrap();
    context(&project, &["show"]).expect(0).says("another hand");
    assert_eq!(fs::read(&path).unwrap(), right);
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    context(&project, &["show"]).expect(0).says("another hand");
    assert_eq!(fs::read(&path).unwrap(), right);
    fs::remove_dir_all(path.parent().unwrap()).unwrap();
    context(&project, &["show"]).expect(0);
    assert_eq!(fs::read(&path).unwrap(), right);
}

/// CX-14, CX-03: a rebuild takes changed sources in, and says which.
#[test]
fn a_rebuild_says_what_changed() {
    let project = begun();
    context(&project, &["rebuild"]).expect(0).prints("nothing has changed");
    project.write("tasks/TASK-0824.task.yaml", TASK.replace("the chosen one", "that one"));
    context(&project, &["show"]).expect(0).prints("tasks/TASK-0824.task.yaml changed since");
    let ran = context(&project, &["rebuild", "--dry-run"]).expect(0);
    ran.prints("tasks/TASK-0824.task.yaml: changed").prints("would be made anew");
    let before = data(&project, &["show"])["context"].clone();
    context(&project, &["rebuild"]).expect(0).prints("the account was made anew");
    let after = data(&project, &["show"])["context"].clone();
    assert_ne!(before, after);
    context(&project, &["rebuild"]).expect(0).prints("nothing has changed");
    let text = fs::read_to_string(file(&project, "context.json")).unwrap();
    assert!(text.contains("then the theme is that one"));
}

/// CX-03: nobody is to work by words that no longer hold.
#[test]
fn stale_standards_are_refused() {
    let project = begun();
    let text = project.read("CONTRIBUTING.md");
    // The same words on other lines are the same words.
    project.write("CONTRIBUTING.md", format!("Welcome.\n\n{text}"));
    context(&project, &["export", "--role", "implementer"]).expect(0);
    project.write("CONTRIBUTING.md", text.replace("survives", "may survive"));
    let ran = context(&project, &["export", "--role", "implementer"]).expect(1);
    ran.says("CONTRIBUTING.md#state says something else now").says("context rebuild TASK-0824");
    context(&project, &["rebuild"]).expect(0);
    context(&project, &["export", "--role", "implementer"]).expect(0).prints("may survive");
    fs::remove_file(project.path("CONTRIBUTING.md")).unwrap();
    context(&project, &["export", "--role", "implementer"]).expect(1).says("is gone");
}

/// CX-19: an account of a version that is not known is refused with the version that is.
#[test]
fn unknown_versions_are_refused() {
    let project = begun();
    let view = data(&project, &["show"]);
    let digest = view["context"].as_str().unwrap();
    // What a newer program would have written: another account under the name of this one.
    let blob = project.state().join(format!("blobs/{}/{digest}.zst", &digest[..2]));
    let script = format!(
        "sed 's/\"version\": 1/\"version\": 7/' '{}' > ../newer && zstd -q -f ../newer -o '{}'",
        file(&project, "context.json").display(),
        blob.display()
    );
    if project.sh("command -v zstd").code != Some(0) {
        eprintln!("SKIPPED: no zstd program, so no newer account can be made");
        return;
    }
    assert_eq!(project.sh(&script).code, Some(0));
    context(&project, &["show"]).expect(1).says("its version is 7").says("knows version 1");
}
