//! What an agent that asks is answered, by what it may do.

use std::fs;
use std::path::{Component, Path, PathBuf};

use serde_json::{Value, json};

use super::Permissions;

/// The longest file that is handed over.
const MAX_FILE: u64 = 16 * 1024 * 1024;

/// JSON-RPC: there is no such method; the parameters are wrong.
const NO_METHOD: i64 = -32601;
const WRONG: i64 = -32602;

/// Commands that only read, by their first words.
const READERS: &[&[&str]] = &[
    &["ls"],
    &["cat"],
    &["head"],
    &["tail"],
    &["wc"],
    &["pwd"],
    &["grep"],
    &["git", "status"],
    &["git", "log"],
    &["git", "show"],
    &["git", "diff"],
];

#[derive(Debug)]
pub(super) struct Answerer {
    permissions: Permissions,
    folder: PathBuf,
}

impl Answerer {
    pub(super) fn new(permissions: Permissions, folder: PathBuf) -> Self {
        Self { permissions, folder }
    }

    /// The mode in which the agent asks before it changes anything, if it has modes.
    pub(super) fn mode(&self, modes: &Value) -> Option<String> {
        if self.permissions != Permissions::ReadOnly {
            return None;
        }
        let offered: Vec<&str> = modes["availableModes"]
            .as_array()?
            .iter()
            .filter_map(|mode| mode["id"].as_str())
            .collect();
        let wanted = ["read-only", "approve", "default", "ask", "plan"];
        let mode = wanted.into_iter().find(|mode| offered.contains(mode))?;
        (modes["currentModeId"] != mode).then(|| mode.to_owned())
    }

    /// Whether a call of a tool may go on.
    pub(super) fn allows(&self, call: &Value) -> bool {
        let kind = call["kind"].as_str().unwrap_or("other");
        match self.permissions {
            Permissions::Full => true,
            Permissions::Edit => {
                let places = call["locations"].as_array().into_iter().flatten();
                let paths = places.filter_map(|place| place["path"].as_str());
                !matches!(kind, "fetch" | "switch_mode")
                    && paths.into_iter().all(|path| self.within(Path::new(path)).is_some())
            }
            Permissions::ReadOnly => match kind {
                "read" | "search" | "think" => true,
                "execute" => call["rawInput"]["command"].as_str().is_some_and(only_reads),
                _ => false,
            },
        }
    }

    /// Reads or writes a file for the agent, inside of its folder.
    pub(super) fn file(&self, method: &str, params: &Value) -> Result<Value, Value> {
        let wrong = |text: String| json!({"code": WRONG, "message": text});
        let path = || {
            let path = params["path"].as_str().ok_or_else(|| wrong("there is no path".into()))?;
            let outside = || wrong(format!("'{path}' is outside of the folder"));
            self.within(Path::new(path)).ok_or_else(outside)
        };
        match method {
            "fs/read_text_file" => {
                let path = path()?;
                let text = read(&path).map_err(wrong)?;
                Ok(json!({"content": lines(&text, &params["line"], &params["limit"])}))
            }
            "fs/write_text_file" if self.permissions == Permissions::ReadOnly => {
                Err(wrong("nothing may be written".to_owned()))
            }
            "fs/write_text_file" => {
                let path = path()?;
                let content = params["content"].as_str().unwrap_or_default();
                let written = fs::write(&path, content);
                written.map_err(|error| wrong(format!("it can't be written: {error}")))?;
                Ok(json!({}))
            }
            other => Err(json!({"code": NO_METHOD, "message": format!("there is no '{other}'")})),
        }
    }

    /// The path, if it lies in the folder once all links are followed; its file need not be there.
    fn within(&self, path: &Path) -> Option<PathBuf> {
        let path = self.folder.join(path);
        if path.components().any(|part| part == Component::ParentDir) {
            return None;
        }
        let folder = self.folder.canonicalize().ok()?;
        let real = match path.canonicalize() {
            Ok(real) => real,
            // A link that leads nowhere would be written through.
            Err(_) if fs::symlink_metadata(&path).is_ok() => return None,
            Err(_) => path.parent()?.canonicalize().ok()?.join(path.file_name()?),
        };
        real.starts_with(&folder).then_some(real)
    }
}

/// The option to choose, by its kind: names differ from version to version.
pub(super) fn choice(options: &Value, is_allowed: bool) -> Value {
    let kinds =
        if is_allowed { ["allow_once", "allow_always"] } else { ["reject_once", "reject_always"] };
    let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
    let found = kinds.iter().find_map(|kind| options.iter().find(|option| option["kind"] == *kind));
    match found {
        Some(option) => {
            json!({"outcome": {"outcome": "selected", "optionId": option["optionId"]}})
        }
        None => json!({"outcome": {"outcome": "cancelled"}}),
    }
}

/// Whether a command is one of those that only read, and nothing else with it.
fn only_reads(command: &str) -> bool {
    if command.contains(['\n', ';', '|', '&', '<', '>', '$', '`', '(', ')', '{', '}', '\\']) {
        return false;
    }
    let Ok(words) = shell_words::split(command) else { return false };
    let writes = |word: &String| {
        ["--output", "--ext-diff", "--textconv", "--open-files-in-pager", "-O"]
            .iter()
            .any(|option| word.starts_with(option))
    };
    let begins = |known: &&&[&str]| {
        words.len() >= known.len() && words.iter().zip(**known).all(|(word, known)| word == known)
    };
    READERS.iter().any(|known| begins(&known)) && !words.iter().any(writes)
}

fn read(path: &Path) -> Result<String, String> {
    let found = fs::metadata(path).map_err(|error| format!("it can't be read: {error}"))?;
    if !found.is_file() || found.len() > MAX_FILE {
        return Err("it is no file, or too long".to_owned());
    }
    let bytes = fs::read(path).map_err(|error| format!("it can't be read: {error}"))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The lines that were asked for; the first is 1.
fn lines(text: &str, line: &Value, limit: &Value) -> String {
    let number = |value: &Value| value.as_u64().and_then(|count| usize::try_from(count).ok());
    let skipped = number(line).unwrap_or(1).saturating_sub(1);
    let most = number(limit).unwrap_or(usize::MAX);
    text.split_inclusive('\n').skip(skipped).take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answerer(permissions: Permissions) -> (tempfile::TempDir, Answerer) {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().canonicalize().unwrap();
        (folder, Answerer::new(permissions, place))
    }

    /// LP-18: who judges may read, and run what only reads.
    #[test]
    fn a_judge_is_allowed_to_read() {
        let (_folder, judge) = answerer(Permissions::ReadOnly);
        let runs = |command: &str| {
            judge.allows(&json!({"kind": "execute", "rawInput": {"command": command}}))
        };
        for command in ["git diff HEAD~1", "ls -la", "cat 'a b.txt'", "git status"] {
            assert!(runs(command), "{command}");
        }
        for command in [
            "git push",
            "git diff --output=x",
            "ls; rm x",
            "cat x > y",
            "grep x $(touch y)",
            "make",
            "git -c core.pager=x log",
            "cat x\nrm y",
            "",
            "'",
            "git log --ext-diff",
            "lsx",
        ] {
            assert!(!runs(command), "{command}");
        }
        assert!(judge.allows(&json!({"kind": "read"})));
        assert!(!judge.allows(&json!({"kind": "edit"})));
        assert!(!judge.allows(&json!({})));
    }

    /// LP-18: a worker's files are those of its folder, links included.
    #[test]
    fn files_are_those_of_the_folder() {
        let (folder, worker) = answerer(Permissions::Edit);
        let elsewhere = tempfile::tempdir().unwrap();
        fs::write(elsewhere.path().join("secret"), "x").unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), folder.path().join("link")).unwrap();
        std::os::unix::fs::symlink("/nowhere/at/all", folder.path().join("dangling")).unwrap();
        let write = |path: &str| {
            worker.file("fs/write_text_file", &json!({"path": path, "content": "one\ntwo\n"}))
        };
        assert!(write("new.txt").is_ok());
        for path in ["link/secret", "../x", "/etc/passwd", "dangling", "link/new"] {
            assert!(write(path).is_err(), "{path}");
        }
        let asked = json!({"path": "new.txt", "line": 2, "limit": 5});
        assert_eq!(worker.file("fs/read_text_file", &asked).unwrap()["content"], "two\n");
        let (_other, judge) = answerer(Permissions::ReadOnly);
        assert!(judge.file("fs/write_text_file", &json!({"path": "x", "content": ""})).is_err());
        assert!(judge.file("terminal/create", &json!({})).is_err());
    }

    #[test]
    fn options_are_chosen_by_their_kind() {
        let options = json!([
            {"optionId": "a", "kind": "allow_always"}, {"optionId": "b", "kind": "allow_once"},
            {"optionId": "c", "kind": "reject_once"},
        ]);
        assert_eq!(choice(&options, true)["outcome"]["optionId"], "b");
        assert_eq!(choice(&options, false)["outcome"]["optionId"], "c");
        assert_eq!(choice(&json!([]), true)["outcome"]["outcome"], "cancelled");
    }
}
