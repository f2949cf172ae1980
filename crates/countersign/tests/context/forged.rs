//! An index of git's that was forged: it names a harmless content for a file that looks untouched.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use countersign_testkit::{Project, Ran};

use crate::desk::{begin, begun, context, data, desk, handed_over};

const EVIL: &str = "evil\n";

/// Changes `src/theme.txt` to [`EVIL`] and makes git believe that it has the content of `object`.
fn forge(project: &Project, object: &str) {
    project.write("src/theme.txt", EVIL);
    project.git(["add", "--all"]);
    let bytes_of = |name: &str| -> Vec<u8> {
        let digits = name.trim().as_bytes().chunks(2);
        digits.map(|two| u8::from_str_radix(str::from_utf8(two).unwrap(), 16).unwrap()).collect()
    };
    let (evil, harmless) =
        (bytes_of(&project.git(["rev-parse", ":src/theme.txt"])), bytes_of(object));
    let index = project.path(".git/index");
    let mut bytes = fs::read(&index).unwrap();
    let at = bytes.windows(20).position(|part| part == evil).unwrap();
    bytes[at..at + 20].copy_from_slice(&harmless);
    // To git, a sum of zeros is one that nobody took.
    let sum = bytes.len() - 20;
    bytes[sum..].fill(0);
    fs::write(&index, bytes).unwrap();
    // As if some seconds had passed.
    let later = SystemTime::now() + Duration::from_secs(5);
    File::options().write(true).open(&index).unwrap().set_modified(later).unwrap();
    assert_eq!(project.git(["diff", "--name-only", "--", "src/theme.txt"]), "", "git is deceived");
}

fn content_of(project: &Project, revision: &str) -> String {
    project.git(["rev-parse", &format!("{revision}:src/theme.txt")])
}

/// What is restored of `src/theme.txt` as `step` left it.
fn restored(project: &Project, step: &str) -> String {
    let into = project.outside().join(format!("restored-{step}"));
    context(project, &["restore", "--role", step, "--into", into.to_str().unwrap()]).expect(0);
    fs::read_to_string(into.join("src/theme.txt")).unwrap()
}

fn lose_cache(project: &Project, step: usize) {
    let trees = project.state().join("contexts/TASK-0824/trees");
    fs::remove_file(trees.join(step.to_string())).unwrap();
}

/// CX-09: what is handed over is what is on disk, with the stat cache and without it.
#[test]
fn a_forged_index_hides_no_work() {
    for is_lost in [false, true] {
        let project = begun();
        forge(&project, &content_of(&project, "HEAD"));
        if is_lost {
            lose_cache(&project, 0);
        }
        let diff = data(&project, &["diff", "--from", "start", "--to", "now"]);
        assert_eq!(diff["files"][0]["path"], "src/theme.txt", "{is_lost}");
        let handed = data(&project, &["snapshot", "--role", "implementer"]);
        assert_eq!(handed["files"][0]["path"], "src/theme.txt", "{is_lost}");
        assert_eq!(restored(&project, "implementer"), EVIL, "{is_lost}");
        begin(&project, "reviewer").expect(0);
    }
}

/// CX-09: one that was forged before the task began deceives neither the start nor later steps.
#[test]
fn a_forged_index_is_no_start() {
    let project = desk();
    forge(&project, &content_of(&project, "HEAD"));
    context(&project, &["init"]).expect(0).prints("count as the start");
    project.write("src/store.txt", "new\n");
    context(&project, &["snapshot", "--role", "implementer"]).expect(0);
    assert_eq!(restored(&project, "start"), EVIL);
    assert_eq!(restored(&project, "implementer"), EVIL);
}

/// CX-10: losing the stat cache and forging the index is no way to pass for untouched.
#[test]
fn a_lost_cache_and_a_forged_index_are_drift() {
    for is_lost in [false, true] {
        let project = handed_over();
        let tree = data(&project, &["show"])["steps"][1]["tree"].as_str().unwrap().to_owned();
        forge(&project, &content_of(&project, &tree));
        if is_lost {
            lose_cache(&project, 1);
        }
        context(&project, &["verify"]).expect(1).prints("src/theme.txt");
        begin(&project, "reviewer").expect(1);
        context(&project, &["resolve-drift", "--note", "seen"]).expect(0);
        assert_eq!(restored(&project, "resolution"), EVIL, "{is_lost}");
    }
}

/// CX-11: drift that is explained while a role is at work leaves it the cache of the last step.
#[test]
fn a_resolution_at_work_has_the_cache_of_its_files() {
    let project = begun();
    project.write("src/store.txt", "mine\n");
    project.git(["commit", "--quiet", "--allow-empty", "--message", "elsewhere"]);
    context(&project, &["verify"]).expect(1);
    context(&project, &["resolve-drift", "--note", "that was me"]).expect(0);
    let trees = project.state().join("contexts/TASK-0824/trees");
    assert_eq!(fs::read(trees.join("1")).unwrap(), fs::read(trees.join("0")).unwrap());
    context(&project, &["snapshot", "--role", "implementer"]).expect(0);
}

/// Puts `content` under the name of `object`, as who can write to the repository can.
fn replace(project: &Project, store: &Path, (object, content): (&str, &str)) {
    project.write("forger.txt", content);
    let other = project.git(["hash-object", "-w", "--no-filters", "forger.txt"]);
    fs::remove_file(project.path("forger.txt")).unwrap();
    let loose = |name: &str| PathBuf::from(&name[..2]).join(&name.trim()[2..]);
    let place = store.join(loose(object));
    fs::remove_file(&place).unwrap();
    fs::copy(project.path(".git/objects").join(loose(&other)), place).unwrap();
}

/// The object of `src/theme.txt` as the implementer left it.
fn handed_object(project: &Project) -> String {
    let tree = data(project, &["show"])["steps"][1]["tree"].as_str().unwrap().to_owned();
    content_of(project, &tree).trim().to_owned()
}

fn refused_restore(project: &Project) -> Ran {
    let into = project.outside().join("refused");
    let words = ["restore", "--role", "implementer", "--into", into.to_str().unwrap()];
    let ran = context(project, &words).expect(1);
    assert!(!into.exists(), "nothing is written");
    ran
}

/// CX-08: an object with another content under its old name is neither restored nor compared.
#[test]
fn a_forged_object_is_named() {
    let project = handed_over();
    let objects = project.path(".git/objects");
    replace(&project, &objects, (&handed_object(&project), EVIL));
    let said = "src/theme.txt was replaced by another content";
    refused_restore(&project).says(said).says("fetch");
    context(&project, &["diff", "--role", "implementer"]).expect(1).says(said);
    context(&project, &["diff", "--from", "implementer", "--to", "start"]).expect(1).says(said);
    // What is not touched by it works as before.
    assert_eq!(restored(&project, "start"), "one\ntwo\nthree\nfour\nfive\n");
}

/// CX-08: the same for the bytes that git does not have.
#[test]
fn forged_bytes_are_named() {
    let project = begun();
    project.write(".gitattributes", "*.txt text\n");
    project.write("src/theme.txt", "one\r\ntwo\r\n");
    context(&project, &["snapshot", "--role", "implementer"]).expect(0);
    let store = project.state().join("raw/TASK-0824");
    let object = project.git(["hash-object", "--no-filters", "src/theme.txt"]);
    replace(&project, &store, (object.trim(), EVIL));
    refused_restore(&project).says("src/theme.txt was replaced by another content");
}

/// CX-10: an edited file whose recorded object was given the new content is edited, not chmod.
#[test]
fn a_forged_object_is_no_chmod() {
    let project = handed_over();
    replace(&project, &project.path(".git/objects"), (&handed_object(&project), EVIL));
    project.write("src/theme.txt", EVIL);
    let ran = context(&project, &["verify"]).expect(1);
    assert!(ran.out().contains("edited") && !ran.out().contains("chmod"), "{}", ran.out());
}

/// CX-07: content that was put under the name of the work beforehand is not handed over for it.
#[test]
fn a_forged_object_is_no_work() {
    let project = begun();
    project.write("src/theme.txt", EVIL);
    let object = project.git(["hash-object", "-w", "src/theme.txt"]).trim().to_owned();
    replace(&project, &project.path(".git/objects"), (&object, "harmless\n"));
    let said = "src/theme.txt was replaced by another content";
    let ran = context(&project, &["snapshot", "--role", "implementer"]).expect(1).says(said);
    let place = format!(".git/objects/{}/{}", &object[..2], &object[2..]);
    ran.says(&place);
    fs::remove_file(project.path(&place)).unwrap();
    context(&project, &["snapshot", "--role", "implementer"]).expect(0);
    assert_eq!(restored(&project, "implementer"), EVIL);
}

/// CX-08: what an earlier step lost stops nobody, and the record says which files can't be shown.
#[test]
fn a_forged_start_is_a_warning() {
    let project = begun();
    let object = content_of(&project, "HEAD").trim().to_owned();
    replace(&project, &project.path(".git/objects"), (&object, EVIL));
    project.write("src/theme.txt", "six\n");
    let ran = context(&project, &["snapshot", "--role", "implementer"]).expect(0);
    ran.prints("src/theme.txt was replaced by another content");
    begin(&project, "reviewer").expect(0);
}
