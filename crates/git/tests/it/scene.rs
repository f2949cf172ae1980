//! A project in the middle of a task, recorded, so that something can be done to it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use countersign_domain::snapshot::{
    Drift, Exact, Found, Here, IgnoreRules, Recorded, Remedies, Watch, explain,
};
use countersign_git::{Error, Look, Record, Repository, Trust};

use crate::common::{Lab, look, make_executable};

const IGNORED: &str =
    "*.log\n.env\ntarget/\nbuild/\ngenerated/\n.venv/\nnode_modules/\n__pycache__/\n*.swp\n";

pub(crate) struct Scene {
    pub(crate) lab: Lab,
    /// The working tree, which need not be that of the repository.
    pub(crate) worktree: PathBuf,
    rules: IgnoreRules,
    watch: Watch,
    recorded: Option<Recorded>,
}

impl Scene {
    /// A repository of two commits with uncommitted work: an edited file, a staged one, new ones.
    pub(crate) fn new() -> Self {
        let lab = Lab::new();
        lab.write(".gitignore", IGNORED);
        lab.write("run.sh", "#!/bin/sh\n");
        make_executable(&lab.file("run.sh"));
        symlink("a.txt", lab.file("link")).unwrap();
        lab.write("tests/test_a.py", "def test_a():\n    assert add(1, 1) == 2\n");
        lab.write("big.txt", "line\n".repeat(200));
        lab.commit_all("second");
        lab.write("a.txt", "work\n");
        lab.write("staged.txt", "staged\n");
        lab.git(&lab.root(), &["add", "staged.txt"]);
        lab.write("new.txt", "new\n");
        lab.write("fresh/one.txt", "one\n");
        lab.write(".env", "KEY=1\n");
        lab.write("generated/api.py", "x = 1\n");
        lab.write("target/debug/out", "binary\n");
        lab.write("build/out.o", "object\n");
        lab.write("node_modules/.bin/jest", "#!/bin/sh\n");
        Self::of(lab)
    }

    /// A laboratory as it is, to be recorded.
    pub(crate) fn of(lab: Lab) -> Self {
        let worktree = lab.root();
        Self::at(lab, worktree)
    }

    pub(crate) fn at(lab: Lab, worktree: PathBuf) -> Self {
        let rules = lab.open_at(&worktree).freeze().unwrap().rules;
        Self { lab, worktree, rules, watch: Watch::shipped(), recorded: None }
    }

    /// A scene that was recorded.
    pub(crate) fn recorded() -> Self {
        let mut scene = Self::new();
        scene.record();
        scene
    }

    pub(crate) fn repository(&self) -> Repository {
        self.lab.open_at(&self.worktree)
    }

    pub(crate) fn cache(&self) -> PathBuf {
        self.lab.path("kept/cache")
    }

    pub(crate) fn scratch(&self) -> PathBuf {
        self.lab.path("scratch")
    }

    fn with<T>(&self, act: impl FnOnce(&Repository, &Record<'_>) -> T) -> T {
        let (cache, scratch) = (self.cache(), self.scratch());
        let record = Record {
            worktree: &self.worktree,
            scratch: &scratch,
            cache: &cache,
            rules: &self.rules,
            watch: &self.watch,
            raw: None,
        };
        act(&self.repository(), &record)
    }

    pub(crate) fn try_record(&self) -> Result<Recorded, Error> {
        self.with(Repository::record)
    }

    /// Records, touches nothing, and gives what was recorded, as it comes back from an event.
    pub(crate) fn record(&mut self) -> Recorded {
        let before = (self.lab.everything(), self.times());
        let recorded = self.try_record().unwrap();
        assert_eq!((self.lab.everything(), self.times()), before, "recording touched something");
        let text = serde_json::to_string(&recorded).unwrap();
        let recorded: Recorded = serde_json::from_str(&text).unwrap();
        let name = format!("test/{}", recorded.cache.short());
        self.repository().keep_all(&name, &recorded).unwrap();
        self.recorded = Some(recorded.clone());
        recorded
    }

    /// Records where not everything can be read.
    pub(crate) fn record_blindly(&mut self) {
        self.recorded = Some(self.try_record().unwrap());
    }

    /// When everything in the working tree and its repository was last modified, but for objects.
    fn times(&self) -> BTreeMap<PathBuf, SystemTime> {
        let all = look(&self.worktree, &[OsStr::new("objects")]);
        let modified = |path: &Path| path.symlink_metadata().and_then(|found| found.modified());
        // Git says of a shared index that it is still in use by its time.
        let is_shared = |path: &PathBuf| path.to_string_lossy().starts_with(".git/sharedindex.");
        let times = all.into_keys().filter(|path| !is_shared(path));
        let times = times.map(|path| self.worktree.join(path));
        times.map(|path| (path.clone(), modified(&path).unwrap())).collect()
    }

    pub(crate) fn last(&self) -> &Recorded {
        self.recorded.as_ref().expect("nothing is recorded yet")
    }

    /// Records anew, believing what was recorded last, or nothing at all.
    pub(crate) fn record_trusting(&self, is_earlier: bool) -> Recorded {
        let (cache, again) = (self.cache(), self.lab.path("kept/again"));
        let trust = if is_earlier {
            Trust::Earlier { cache: &cache, recorded: self.last() }
        } else {
            Trust::Nothing
        };
        let record = |repository: &Repository, record: &Record<'_>| {
            repository.record_trusting(&Record { cache: &again, ..*record }, trust)
        };
        self.with(record).unwrap()
    }

    pub(crate) fn try_compare(&self, look: Look) -> Result<Found, Error> {
        self.with(|repository, record| repository.compare(self.last(), record, look))
    }

    pub(crate) fn drift_by(&self, closely: Look) -> Drift {
        let before = (self.lab.everything(), self.times());
        let found = self.try_compare(closely).unwrap();
        assert_eq!((self.lab.everything(), self.times()), before, "comparing touched something");
        explain(self.last(), &found)
    }

    pub(crate) fn drift(&self) -> Drift {
        self.drift_by(Look::Cached)
    }

    /// The drift in short lines, in order: `stashed`, `edited a.txt`, `setting …`, `note …`. Files
    /// that follow from what was done to the whole tree are in brackets.
    pub(crate) fn told(&self) -> Vec<String> {
        told(&self.drift())
    }

    /// Performs the remedies that are told, once and in their order, from the top or from a folder
    /// below it; nothing may be left but what a person was told to do.
    #[track_caller]
    pub(crate) fn mend(&self, after: &str) {
        self.mend_from("", after);
    }

    #[track_caller]
    pub(crate) fn mend_from(&self, folder: &str, after: &str) {
        let drift = self.drift();
        let folder = self.worktree.join(folder);
        let here = Here::new(&self.worktree, &folder);
        let Remedies { commands, by_hand } = drift.remedies(self.last(), &here, &Exact::default());
        for command in &commands {
            self.sh_in(&folder, command);
        }
        let left = told(&self.drift());
        let is_for_people =
            |line: &&String| by_hand.iter().any(|words| names(words, line)) || is_note(line);
        let unmended: Vec<&String> = left.iter().filter(|line| !is_for_people(line)).collect();
        assert!(unmended.is_empty(), "{after}: after {commands:#?} there is {unmended:?}");
        assert!(by_hand.len() <= left.len(), "{after}: {by_hand:?} and only {left:?} is left");
    }

    pub(crate) fn git(&self, args: &[&str]) -> String {
        self.lab.git(&self.worktree, args)
    }

    /// Does what a person would do in a shell.
    #[track_caller]
    pub(crate) fn sh(&self, script: &str) {
        self.sh_in(&self.worktree, script);
    }

    #[track_caller]
    fn sh_in(&self, folder: &Path, script: &str) {
        let mut command = Command::new("bash");
        command.args(["-euc", script]).current_dir(folder).env_clear();
        let output = command.envs(self.lab.env()).stdin(Stdio::null()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{script}: {said}");
    }

    pub(crate) fn write(&self, name: &str, content: &str) {
        crate::common::put(&self.worktree.join(name), content);
    }
}

pub(crate) fn told(drift: &Drift) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    lines.extend(drift.moved.iter().map(|moved| moved.name().to_owned()));
    for file in &drift.files {
        let line = format!("{} {}", file.kind.name(), file.path);
        lines.push(if file.follows { format!("({line})") } else { line });
    }
    lines.extend(drift.settings.iter().map(|setting| format!("setting {}", setting.name)));
    lines.extend(drift.notes.iter().map(|note| format!("note {}", note.name())));
    lines
}

/// Whether what a person is told to do is about a line of [`told`].
fn names(words: &str, line: &str) -> bool {
    let name = line.rsplit_once(' ').map_or(line, |(_, name)| name).trim_end_matches(')');
    words.contains(name)
}

fn is_note(line: &str) -> bool {
    line.starts_with("note ") && line != "note beside changed"
}
