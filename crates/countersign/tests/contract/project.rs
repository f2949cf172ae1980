//! What the repository is found to be.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;

use serde_json::Value;

use crate::web;

fn tool<'a>(data: &'a Value, activity: &str) -> &'a Value {
    let parts = data["parts"].as_array().unwrap().iter();
    let tools = parts.flat_map(|part| part["tools"].as_array().unwrap());
    let found = tools.into_iter().find(|tool| tool["activity"] == activity);
    found.unwrap_or(&Value::Null)
}

/// VC-05: commands are found and shown with the line that speaks for them.
#[test]
fn commands_are_shown_with_what_speaks_for_them() {
    let project = web();
    let ran = project.run(["project", "show"]).expect(0);
    ran.prints("npm run test [jest]").prints("package.json:5: test: jest");
    let data = project.run(["project", "show", "--format", "json"]).expect(0).data();
    let unit = tool(&data, "unit");
    assert_eq!(unit["command"]["argv"], serde_json::json!(["npm", "run", "test"]));
    assert_eq!(unit["runner"], "jest");
    assert_eq!(unit["why"][0]["line"], 5);
}

/// VC-05: a program that is not installed is named, with the commands that need it.
#[test]
fn missing_programs_are_named() {
    let project = web();
    project.write("justfile", "build:\n    cc a.c\n");
    project.write("countersign.toml", "[project.commands]\nunit = \"no-such-program --all\"\n");
    let ran = project.run(["project", "show"]).expect(0);
    ran.prints("not installed: no-such-program, needed by: no-such-program --all");
}

/// VC-05: settings override, add and remove.
#[test]
fn settings_override_add_and_remove() {
    let project = web();
    project.write(
        "countersign.toml",
        "[project]\nwithout = [\"e2e\"]\nignore = [\"old\"]\n[project.commands]\nunit = \"./test.sh\"\n\
         \"src:mutation\" = \"./mutate.sh\"\n",
    );
    project.write("old/Cargo.toml", "[package]\nname = \"old\"\n");
    let data = project.run(["project", "show", "--format", "json"]).expect(0).data();
    assert_eq!(tool(&data, "unit")["command"]["shell"], "./test.sh");
    assert_eq!(tool(&data, "mutation")["folder"], "src");
    assert!(tool(&data, "e2e").is_null(), "{data}");
    assert!(tool(&data, "build").is_null(), "{data}");
    assert_eq!(tool(&data, "lint")["command"]["shell"], "npm run lint");
    assert_eq!(data["without"], serde_json::json!(["e2e"]));
}

/// VC-05: what is wrong in the settings is told with its line and the nearest name.
#[test]
fn mistakes_in_the_settings_are_told() {
    let project = web();
    let check = |text: &str, expected: &str| {
        project.write("countersign.toml", text);
        project.run(["project", "show"]).expect(2).says(expected);
    };
    check(
        "[project.commands]\nunti = \"x\"\n",
        "countersign.toml:2: there is no activity 'unti'; did you mean 'unit'?",
    );
    check("[project]\nwithout = [\"e2\"]\n", "countersign.toml:2: there is no activity 'e2'");
    check("[project]\nwithou = []\n", "did you mean 'project.without'?");
    check("[project.commands]\nunit = \" \"\n", "the command for 'unit' is empty");
    check("[project]\nignore = [\"[\"]\n", "'[' is no glob");
}

/// VC-05: settings that can't be meant are told with file and line: keys, folders, permissions.
#[test]
fn settings_that_cant_be_meant() {
    let project = web();
    let check = |text: &str, place: &str, words: &str| {
        project.write("countersign.toml", text);
        project.run(["project", "show"]).expect(2).says(place).says(words);
    };
    let comands = "[project.comands]\nunit = \"x\"\n";
    check(comands, "countersign.toml:2: there is no setting", "did you mean 'project.commands'?");
    let far = "[verify]\nnonsense = 1\n";
    check(far, "countersign.toml:2:", "use one of: verify.allow,");
    check("[zzzz]\nq = 1\n", "countersign.toml:2:", "use one of: [agents], [budget],");
    let folder = "[project.commands]\nlint = \"x\"\n\"scr:unit\" = \"x\"\n";
    project.write("src/a.ts", "");
    check(folder, "countersign.toml:3: there is no folder 'scr'", "did you mean 'src'?");
    let without = "[project]\nwithout = [\"nowhere:e2e\"]\n";
    check(without, "countersign.toml:2: there is no folder 'nowhere'", "web:unit");
    let allow = "[verify]\nallow = [\n  \"G02 a: fine\",\n  \"G02 b\",\n]\n";
    check(allow, "countersign.toml:4: verify.allow: 'G02 b': there is no reason", "G16");
    project.commit("Broken settings");
    project.write("src/a.ts", "export {};\n");
    let ran = project.run(["verify", "--task", "Add a module"]).expect(2);
    ran.says("countersign.toml:4: verify.allow: 'G02 b'");
    project.write("countersign.toml", "");
    let ran = project.call(["project", "show"]).env("COUNTERSIGN_VERIFY_ALLOW", "x").run();
    ran.expect(2).says("COUNTERSIGN_VERIFY_ALLOW: verify.allow: 'x'");
}

/// VC-05: a command for the whole project says which ones it takes the place of.
#[test]
fn commands_that_replace_others_say_so() {
    let project = web();
    project.write("svc/pyproject.toml", "[project]\nname = \"svc\"\n[tool.ruff]\n");
    project.write("countersign.toml", "[project.commands]\nlint = \"make lint\"\n");
    let ran = project.run(["project", "show"]).expect(0);
    ran.prints("countersign.toml:2:1: project.commands.lint").prints("`ruff check .` of svc");
    project.commit("Settings");
    project.write("src/a.ts", "export {};\n");
    let ran = project.run(["verify", "--task", "Add a module"]);
    ran.prints("project.commands.lint of countersign.toml: it stands for the whole project");
    project.write("countersign.toml", "[project.commands]\n\".:lint\" = \"make lint\"\n");
    let data = project.run(["project", "show", "--format", "json"]).expect(0).data();
    let text = data.to_string();
    assert!(!text.contains("it stands for") && text.contains("ruff check ."), "{text}");
}

/// VC-05: broken manifests are findings with their places, and the rest is used.
#[test]
fn broken_manifests_are_findings() {
    let project = web();
    project.write("Cargo.toml", "[package]\nname = \n");
    project.write("api/package.json", "{\"scripts\": [}");
    let ran = project.run(["project", "show"]).expect(0);
    ran.prints("note: Cargo.toml:2:").prints("note: api/package.json:1:").prints("npm run lint");
}

/// VC-05: what lies in a folder whose name is no UTF-8 is left out, and that is told.
#[test]
fn paths_that_are_no_text_are_told() {
    let project = web();
    let folder = project.root().join(OsStr::from_bytes(b"pkg\xfe"));
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("package.json"), "{\"scripts\": {\"test\": \"jest\"}}").unwrap();
    let ran = project.run(["project", "show"]).expect(0);
    ran.prints("package.json:1:1: its path is no UTF-8").prints("npm run test [jest]");
}

/// VC-05: a repository that says nothing is told so, with what to do.
#[test]
fn a_repository_that_says_nothing_is_told_so() {
    let project = countersign_testkit::Project::new(crate::PROGRAM);
    project.run(["project", "show"]).expect(0).prints("[project.commands]");
    let outside = countersign_testkit::Project::without_repository(crate::PROGRAM);
    outside.run(["project", "show"]).expect(1);
}

/// Who writes a repository doesn't choose which of the user's files are read and shown.
#[test]
fn links_that_lead_out_of_the_repository_are_not_followed() {
    const TOLD: &str = "it is a link that leads out of the repository, and is left alone";
    let project = web();
    let outside = project.outside().join("outside");
    let linked = |name: &str, content: &str| {
        fs::write(&outside, content).unwrap();
        let path = project.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let _ = fs::remove_file(&path);
        symlink(&outside, &path).unwrap();
    };
    linked("package.json", "{\"scripts\": {\"test\": \"jest --secret\"}}");
    let ran = project.run(["project", "show"]).expect(0);
    let ran = ran.prints("package.json:1:1").prints(TOLD);
    assert!(!ran.out().contains("secret"), "{}", ran.out());
    fs::remove_file(project.path("package.json")).unwrap();
    linked("standards/activities.yaml", "secret_key: 1\n");
    let draft = ["contract", "draft", "Fix add so that it adds"];
    let ran = project.run(draft).expect(2).says(TOLD);
    assert!(!ran.err().contains("secret_key"), "{}", ran.err());
    fs::remove_file(project.path("standards/activities.yaml")).unwrap();
    linked("countersign.toml", "secret_key = 1\n");
    let ran = project.run(["project", "show"]).expect(2).says(TOLD);
    assert!(!ran.err().contains("secret_key"), "{}", ran.err());
    // A link that stays inside is a file like any other.
    fs::remove_file(project.path("countersign.toml")).unwrap();
    project.write("ours.json", "{\"scripts\": {\"test\": \"jest\"}}");
    symlink("ours.json", project.path("package.json")).unwrap();
    let ran = project.run(["project", "show"]).expect(0).prints("npm run test [jest]");
    assert!(!ran.out().contains(TOLD), "{}", ran.out());
    // The project's file names no file outside either.
    fs::write(&outside, "secret_key: 1\n").unwrap();
    let rules = format!("[contract]\nrules = \"{}\"\n", outside.display());
    project.write("countersign.toml", &rules);
    let ran = project.run(draft).expect(2).says("outside of the repository");
    assert!(!ran.err().contains("secret_key"), "{}", ran.err());
}
