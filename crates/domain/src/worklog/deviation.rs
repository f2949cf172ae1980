//! Where a session left its plan: todos that are still open or vanished, files that nobody named,
//! tests that did not pass.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::operation::End;
use super::plan::{Place, Plan, is_generic, is_test, locate};
use super::todo::Todo;
use super::todos::TodoList;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeviationKind {
    TodoIncomplete,
    UnplannedFile,
    TestFailure,
    /// An open todo that a later list left out without a word.
    TodoDropped,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    Low,
    Medium,
    High,
}

/// One way in which the plan was left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deviation {
    pub kind: DeviationKind,
    pub severity: Severity,
    /// The todos, the files or the runner.
    pub items: Vec<String>,
}

/// How a run of tests ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tested {
    Passed,
    Failed,
    /// It ended, but nobody said with which code, or the code is that of another program.
    Unknown,
}

impl Tested {
    /// What the end of a command says about its tests; `None` while it runs or if it never ran.
    /// `exit_counts` as in [`super::command::Runner`].
    pub fn of(end: &End, exit_counts: bool) -> Option<Self> {
        match (end, end.exit()) {
            (End::Initiated | End::Denied { .. } | End::Rejected { .. }, _) => None,
            (End::TimedOut, _) => Some(Self::Failed),
            (End::Interrupted, _) | (End::Completed { .. }, None) => Some(Self::Unknown),
            _ if !exit_counts => Some(Self::Unknown),
            (End::Completed { .. }, Some(0)) => Some(Self::Passed),
            (End::Completed { .. } | End::Failed { .. }, _) => Some(Self::Failed),
        }
    }
}

/// What a session is measured by. Leave out what doesn't apply yet.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    pub plan: &'a Plan,
    /// The root of the repository.
    pub root: Option<&'a str>,
    /// Every file that the session changed, as the agent wrote it.
    pub files: &'a BTreeSet<String>,
    /// The list, once the work should be done.
    pub todos: Option<&'a TodoList>,
    /// The last run of tests and its runner.
    pub tested: Option<(&'a str, Tested)>,
    /// A strict session is at its end: what is open now stays open.
    pub last_chance: bool,
}

/// The deviations, the worst first.
pub fn deviations(evidence: &Evidence<'_>) -> Vec<Deviation> {
    let mut found = Vec::new();
    if let Some((runner, tested)) = evidence.tested {
        let severity = match tested {
            Tested::Passed => None,
            Tested::Failed => Some(Severity::High),
            Tested::Unknown => Some(Severity::Medium),
        };
        let items = vec![runner.to_owned()];
        let kind = DeviationKind::TestFailure;
        found.extend(severity.map(|severity| Deviation { kind, severity, items }));
    }
    let contents = |todos: Vec<&Todo>| todos.iter().map(|todo| todo.content.clone()).collect();
    let open = evidence.todos.into_iter().flat_map(TodoList::open).collect();
    let dropped = evidence.todos.into_iter().flat_map(TodoList::dropped).collect();
    let (incomplete, gone) = (DeviationKind::TodoIncomplete, DeviationKind::TodoDropped);
    for (kind, items) in [(incomplete, contents(open)), (gone, contents(dropped))] {
        let items: Vec<String> = items;
        let severity = if evidence.last_chance { Severity::High } else { Severity::Medium };
        found.extend((!items.is_empty()).then_some(Deviation { kind, severity, items }));
    }
    found.extend(unplanned(evidence));
    found.sort_by_key(|deviation| std::cmp::Reverse(deviation.severity));
    found
}

/// Files that nobody named: those that matter, and the others.
fn unplanned(evidence: &Evidence<'_>) -> Vec<Deviation> {
    let plan = evidence.plan;
    if plan.is_empty() {
        return Vec::new();
    }
    let files: Vec<(String, Place)> =
        evidence.files.iter().map(|path| locate(path, evidence.root)).collect();
    let folder = |path: &str| path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    let named = |path: &str, place: Place| match place {
        Place::Outside => plan.names_outside(path),
        Place::Repository | Place::Scratch => is_planned(plan, path),
    };
    let planned: Vec<&String> =
        files.iter().filter(|(path, place)| named(path, *place)).map(|(path, _)| path).collect();
    let sources = planned.iter().filter(|path| !is_generic(path) && !is_test(path));
    let tested = Plan::new(sources.map(|path| path.rsplit('/').next().unwrap_or(path)));
    // A file that binds others together goes with them; so does the test of a planned file.
    let goes_along = |path: &str| {
        planned.iter().any(|other| is_generic(path) && folder(path) == folder(other))
            || is_test(path) && tested.names(path)
    };
    let mut high = Vec::new();
    let mut other = Vec::new();
    for (path, place) in &files {
        if named(path, *place) || *place == Place::Scratch {
            continue;
        }
        if *place == Place::Outside || kind_of(path).is_some() {
            high.push(path.clone());
        } else if !goes_along(path) {
            other.push(path.clone());
        }
    }
    let usual = if other.len() > 1 { Severity::Medium } else { Severity::Low };
    [(Severity::High, high), (usual, other)]
        .into_iter()
        .filter(|(_, items)| !items.is_empty())
        .map(|(severity, items)| Deviation { kind: DeviationKind::UnplannedFile, severity, items })
        .collect()
}

/// Files whose change does more than it shows, by what they are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sensitive {
    Secrets,
    Pipeline,
    Settings,
}

fn kind_of(path: &str) -> Option<Sensitive> {
    let path = path.to_lowercase();
    let name = path.rsplit('/').next().unwrap_or(&path);
    let within = |folder: &str| path.starts_with(folder) || path.contains(&format!("/{folder}"));
    let ends = |ending: &str| name.ends_with(ending);
    let secrets = name == ".env"
        || name.starts_with(".env.") && !ends(".example") && !ends(".sample")
        || [".pem", ".key", ".p12", ".pfx", ".jks", ".keystore"].into_iter().any(ends)
        || ["id_rsa", "id_ed25519", ".npmrc", ".pypirc", ".netrc", ".pgpass", ".git-credentials"]
            .contains(&name)
        || ["credentials", "secrets", "secret"].contains(&name.split('.').next().unwrap_or(""))
        || [".ssh/", ".aws/", ".kube/", ".gnupg/", "secrets/"].into_iter().any(within);
    let pipeline = [".github/workflows/", ".github/actions/", ".circleci/", ".buildkite/"]
        .into_iter()
        .any(within)
        || [
            ".gitlab-ci.yml",
            ".travis.yml",
            ".drone.yml",
            "jenkinsfile",
            "azure-pipelines.yml",
            "bitbucket-pipelines.yml",
            "cloudbuild.yaml",
            "appveyor.yml",
        ]
        .contains(&name);
    let settings = [
        ".claude/",
        ".codex/",
        ".gemini/",
        ".opencode/",
        ".git/",
        ".husky/",
        ".githooks/",
        ".vscode/",
        ".idea/",
    ]
    .into_iter()
    .any(within)
        || [
            "countersign.toml",
            "opencode.json",
            ".mcp.json",
            ".pre-commit-config.yaml",
            "codeowners",
            ".gitattributes",
            ".gitmodules",
        ]
        .contains(&name)
        || path.ends_with(".cargo/config.toml");
    match (secrets, pipeline, settings) {
        (true, _, _) => Some(Sensitive::Secrets),
        (_, true, _) => Some(Sensitive::Pipeline),
        (_, _, true) => Some(Sensitive::Settings),
        _ => None,
    }
}

/// What is sensitive has to be named, not hinted at.
fn is_planned(plan: &Plan, path: &str) -> bool {
    match kind_of(path) {
        None => plan.names(path),
        Some(Sensitive::Pipeline) => {
            let words = ["ci", "workflow", "workflows", "pipeline", "pipelines", "actions"];
            plan.names_exactly(path) || plan.says_any(&words)
        }
        Some(Sensitive::Secrets | Sensitive::Settings) => plan.names_exactly(path),
    }
}

#[cfg(test)]
#[path = "deviation_tests.rs"]
mod tests;
