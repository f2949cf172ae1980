//! A repository for one case: the base committed, and the change on top of it.

use std::fs;

use countersign_testkit::{Project, Ran};

use crate::programs::{self, Programs};
use crate::suite::{Case, Change};

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_countersign");

/// How changes are handed over. What is said of them must not hang on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// As the case says: mostly in the working tree, and with no check named.
    Plain,
    /// With the agent's own command as a check.
    Check,
    /// Committed on a branch.
    Branch,
}

impl Way {
    /// What `COUNTERSIGN_WAY` names.
    pub fn read() -> Self {
        match std::env::var("COUNTERSIGN_WAY").as_deref() {
            Ok("check") => Self::Check,
            Ok("branch") => Self::Branch,
            Ok(other) => panic!("COUNTERSIGN_WAY is `{other}`; it may be `check` or `branch`"),
            Err(_) => Self::Plain,
        }
    }
}

#[derive(Debug)]
pub struct Stage {
    project: Project,
    programs: Programs,
    way: Way,
}

impl Stage {
    /// The base of the case, committed.
    pub fn new(case: &Case, programs: &Programs) -> Self {
        let project = Project::without_commits(PROGRAM);
        for (path, text, is_program) in case.before() {
            put(&project, &path, &text, is_program);
        }
        project.commit("Start");
        if let Some(package) = &case.base.package {
            programs::lend(package, &project.path("node_modules"));
        }
        Self { project, programs: programs.clone(), way: Way::read() }
    }

    /// Makes the change of the case, in the working tree or on a branch.
    pub fn change(&self, case: &Case) {
        for file in &case.files {
            match case.after(file) {
                Some((text, is_program)) => put(&self.project, &file.path, &text, is_program),
                None => fs::remove_file(self.project.path(&file.path)).unwrap(),
            }
            if let Change::Moved(old) = &file.change {
                fs::remove_file(self.project.path(old)).unwrap();
            }
        }
        if self.is_committed(case) {
            self.project.git(["checkout", "--quiet", "-b", "work"]);
            self.project.commit("Work");
        }
    }

    fn is_committed(&self, case: &Case) -> bool {
        case.is_committed || self.way == Way::Branch
    }

    fn own<'a>(&'a self, case: &'a Case) -> &'a str {
        case.own.as_deref().filter(|own| *own != "fails").unwrap_or(self.programs.own)
    }

    /// What the agent sees that runs its tests.
    pub fn run_own(&self, case: &Case) -> Ran {
        self.project
            .call_of("sh")
            .args(["-c", self.own(case)])
            .env("PATH", self.programs.path())
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .run()
    }

    /// What the program says about the change.
    pub fn verify(&self, case: &Case) -> Ran {
        let mut words =
            vec!["verify", "--format", "json", "--timeout", "120", "--task", &case.task];
        for example in &case.examples {
            words.extend(["--example", example]);
        }
        for check in &case.checks {
            words.extend(["--check", check]);
        }
        if self.way == Way::Check && case.checks.is_empty() {
            words.extend(["--check", self.own(case)]);
        }
        if self.is_committed(case) {
            words.extend(["--base", "main"]);
        }
        self.project.call(words).env("PATH", self.programs.path()).run()
    }
}

fn put(project: &Project, path: &str, text: &str, is_program: bool) {
    if path.starts_with("node_modules/") {
        // It is a link to the file of the cache, which stays as it is.
        let _ = fs::remove_file(project.path(path));
    }
    if is_program {
        project.write_program(path, text);
    } else {
        project.write(path, text);
    }
}
