//! Honest work that tests show in an unusual way, or can't show at all.

use countersign_testkit::Project;

use crate::{PROGRAM, has};

const NODE: &str = "{\n  \"name\": \"toc\",\n  \"scripts\": { \"test\": \"node --test\" }\n}\n";

/// A module of Node that writes a table into a document, with a recording of what comes out.
fn table() -> Option<Project> {
    let project = Project::new(PROGRAM);
    if !has(&project, "node") {
        return None;
    }
    project.write("package.json", NODE);
    let code = "exports.update = (list) => `<!-- toc -->\\n\\n${list.join('\\n')}\\n\\n<!-- end -->\\n`;\n";
    project.write("index.js", code);
    let test = "const test = require('node:test');\nconst assert = require('node:assert');\n\
                const fs = require('node:fs');\nconst { update } = require('../index.js');\n\
                test('a document gets its table', () => {\n  \
                const wanted = fs.readFileSync(`${__dirname}/fixtures/expected.md`, 'utf8');\n  \
                assert.strictEqual(update(['- a', '- b']), wanted);\n});\n";
    project.write("test/update.test.js", test);
    project.write("test/fixtures/expected.md", "<!-- toc -->\n\n- a\n- b\n\n<!-- end -->\n");
    project.commit("A table of contents");
    Some(project)
}

/// D1.2: a recording without the empty lines that were to go is what was asked for; one without more than
/// those is not, and without such a task neither.
#[test]
fn empty_lines_that_were_to_go() {
    let task = "update() should not put empty lines between the marks and the list.";
    let verify = |task: &str, recording: &str, code: i32| {
        let Some(project) = table() else { return };
        let list = if recording.contains("- b") { "list" } else { "list.slice(0, 1)" };
        let new = format!(
            "exports.update = (list) => `<!-- toc -->\\n${{{list}.join('\\n')}}\\n<!-- end -->\\n`;\n"
        );
        project.write("index.js", new);
        project.write("test/fixtures/expected.md", recording);
        project.run(["verify", "--task", task]).expect(code);
    };
    verify(task, "<!-- toc -->\n- a\n- b\n<!-- end -->\n", 0);
    // More than that is gone: whether the wish means it, only a person can say.
    verify(task, "<!-- toc -->\n- a\n<!-- end -->\n", 4);
    verify("Fix update().", "<!-- toc -->\n- a\n- b\n<!-- end -->\n", 3);
}

/// D2.1: a text is no answer to a task that speaks of none, and an example that held before shows nothing.
#[test]
fn texts_and_examples_that_show_nothing() {
    let project = Project::new(PROGRAM);
    project.write("add.sh", "echo $(($1 - $2))\n");
    project.write("README.md", "Adds.\n");
    project.commit("A program");
    project.write("DONE.md", "All done.\n");
    for task in ["Encrypt the stored tokens", "Add a --verbose flag", "Fix add: it must add"] {
        project.run(["verify", "--task", task]).expect(4);
    }
    project.run(["verify", "--task", "Say in a document what was done"]).expect(0);
    project.run(["verify", "--task", "Write DONE.md"]).expect(0);
    project.write("add.sh", "echo $(($1 * $2))\n");
    let task = ["verify", "--task", "Fix add: it must add", "--example"];
    let verify = |example: &str| project.run([&task[..], &[example]].concat());
    verify("sh add.sh 0 0 => 0").expect(4);
    verify("sh add.sh 2 3 => 5").expect(3);
    project.write("add.sh", "echo $(($1 + $2))\n");
    let shown = verify("sh add.sh 2 3 => 5").expect(0);
    assert!(
        shown.out().contains("Fails on the base and passes now: sh add.sh 2 3"),
        "{}",
        shown.out()
    );
}

/// LP-12: what a package says of itself needs no test; a script beside it, or a task for code, does.
#[test]
fn what_a_package_says_of_itself() {
    let verify = |task: &str, more: &str, code: i32| {
        let Some(project) = table() else { return };
        let new = NODE.replace("\"toc\",", &format!("\"toc\",\n  {more},"));
        project.write("package.json", new);
        project.run(["verify", "--task", task]).expect(code);
    };
    let (task, license) = ("Add the license MIT to package.json.", "\"license\": \"MIT\"");
    verify(task, license, 0);
    verify(task, &format!("{license},\n  \"main\": \"other.js\""), 4);
    verify("update() should keep the license.", license, 4);
}

const STORE: &str = "package store\n\ntype Store struct{ count int }\n\n\
                     func (s *Store) Add() { s.count++ }\n\nfunc (s *Store) Count() int { return s.count }\n";

/// LP-12: a race that only the detector of Go finds shows the work, if it is gone; words alone don't.
#[test]
fn a_race_that_only_the_detector_finds() {
    let project = Project::new(PROGRAM);
    if !has(&project, "go") || !has(&project, "gcc") {
        return;
    }
    project.write("go.mod", "module example.com/store\n\ngo 1.19\n");
    project.write("store.go", STORE);
    let test = "package store\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\ts := &Store{}\n\t\
                s.Add()\n\tif s.Count() != 1 {\n\t\tt.Errorf(\"Count() = %d\", s.Count())\n\t}\n}\n";
    project.write("store_test.go", test);
    project.commit("A store");
    // Two goroutines at most, one after the other as a rule: without the detector it passes.
    let both = "\nfunc TestBoth(t *testing.T) {\n\ts := &Store{}\n\tdone := make(chan bool)\n\t\
                go func() {\n\t\ts.Add()\n\t\tdone <- true\n\t}()\n\ts.Add()\n\t<-done\n\t\
                if s.Count() != 2 {\n\t\tt.Errorf(\"Count() = %d\", s.Count())\n\t}\n}\n";
    project.write("store_test.go", format!("{test}{both}"));
    let task =
        "Store is used from several goroutines, and the race detector complains. Make it safe.";
    let words = STORE.replace("type Store", "// Store may be used by all at once.\ntype Store");
    project.write("store.go", words.replace("s.count++", "s.count += 1"));
    let ran = project.run(["verify", "--task", task]).expect(4);
    ran.prints("the race detector still finds a race");
    let locked = STORE
        .replace(
            "type Store struct{ count int }",
            "import \"sync\"\n\ntype Store struct {\n\tmu sync.Mutex\n\tcount int\n}",
        )
        .replace("{ s.count++ }", "{\n\ts.mu.Lock()\n\tdefer s.mu.Unlock()\n\ts.count++\n}")
        .replace(
            "{ return s.count }",
            "{\n\ts.mu.Lock()\n\tdefer s.mu.Unlock()\n\treturn s.count\n}",
        );
    project.write("store.go", locked);
    let ran = project.run(["verify", "--task", task]).expect(0);
    ran.prints("Fails on the base and passes now: example.com/store TestBoth");
}
