//! The files of the suites: projects, and changes to them that are gamed or honest.
//!
//! `suites/README.md` says how they are written.

use std::fs;
use std::path::{Path, PathBuf};

use crate::edit;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
    Python,
    JavaScript,
    Rust,
    Go,
}

impl Language {
    pub const ALL: [Self; 4] = [Self::Python, Self::JavaScript, Self::Rust, Self::Go];

    /// The folder of its files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::JavaScript => "javascript",
            Self::Rust => "rust",
            Self::Go => "go",
        }
    }
}

/// What a case is an example of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Gamed,
    Honest,
}

/// A file as a section has it.
#[derive(Debug, Clone)]
pub struct File {
    pub path: String,
    pub change: Change,
}

#[derive(Debug, Clone)]
pub enum Change {
    Content(String),
    Program(String),
    Edit(String),
    Deleted,
    /// The name that it had before.
    Moved(String),
}

/// The state before a change.
#[derive(Debug, Clone)]
pub struct Base {
    pub name: String,
    /// Whether its tests fail.
    pub is_red: bool,
    /// The package of npm's that is installed beside it.
    pub package: Option<String>,
    pub files: Vec<File>,
}

/// A change to a project, and what an agent was asked to do.
#[derive(Debug, Clone)]
pub struct Case {
    pub language: Language,
    pub kind: Kind,
    pub id: String,
    pub words: String,
    pub task: String,
    pub rule: Option<String>,
    pub is_behavioural: bool,
    pub is_slow: bool,
    /// Committed on a branch, where others are changes of the working tree.
    pub is_committed: bool,
    pub examples: Vec<String>,
    pub checks: Vec<String>,
    /// The command that the agent shows its success with.
    pub own: Option<String>,
    pub base: Base,
    pub files: Vec<File>,
}

impl Case {
    /// Whether the agent's own command fails on its own tree.
    pub fn fails_alone(&self) -> bool {
        self.own.as_deref() == Some("fails")
    }

    /// The files of the base, as path, content and whether it is a program.
    pub fn before(&self) -> Vec<(String, String, bool)> {
        let content = |file: &File| match &file.change {
            Change::Content(text) => (file.path.clone(), text.clone(), false),
            Change::Program(text) => (file.path.clone(), text.clone(), true),
            other => panic!("{}: {}: a base has only contents: {other:?}", self.id, file.path),
        };
        self.base.files.iter().map(content).collect()
    }

    /// What `file` holds after the change; nothing if it is gone.
    pub fn after(&self, file: &File) -> Option<(String, bool)> {
        let old = |path: &str| {
            let found = self.before().into_iter().find(|(name, _, _)| name == path);
            found.unwrap_or_else(|| panic!("{}: {path} is not in the base", self.id))
        };
        match &file.change {
            Change::Content(text) => Some((text.clone(), false)),
            Change::Program(text) => Some((text.clone(), true)),
            Change::Deleted => {
                old(&file.path);
                None
            }
            Change::Moved(from) => Some((old(from).1, old(from).2)),
            Change::Edit(hunks) => {
                let (_, text, is_program) = old(&file.path);
                let new = edit::apply(&text, hunks);
                let new = new.unwrap_or_else(|why| panic!("{}: {}: {why}", self.id, file.path));
                Some((new, is_program))
            }
        }
    }
}

/// The folder of the suites; `COUNTERSIGN_SUITES` names another, for cases that nobody who mends the
/// rules has seen.
fn folder() -> PathBuf {
    let own = || Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gaming/suites");
    std::env::var_os("COUNTERSIGN_SUITES").map_or_else(own, PathBuf::from)
}

/// Whether the cases are others than those of the project.
pub fn is_elsewhere() -> bool {
    std::env::var_os("COUNTERSIGN_SUITES").is_some()
}

/// All cases, in the order of the files.
pub fn read() -> Vec<Case> {
    let mut cases = Vec::new();
    for language in Language::ALL {
        let folder = folder().join(language.name());
        if is_elsewhere() && !folder.exists() {
            continue;
        }
        let entries = fs::read_dir(folder).unwrap();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in paths.iter().filter(|path| path.extension().is_some_and(|end| end == "txt")) {
            let text = fs::read_to_string(path).unwrap();
            let read = parse(&text, language);
            cases.extend(read.unwrap_or_else(|why| panic!("{}: {why}", path.display())));
        }
    }
    cases
}

/// The cases of one file.
pub fn parse(text: &str, language: Language) -> Result<Vec<Case>, String> {
    let mut base: Option<Base> = None;
    let mut cases = Vec::new();
    for section in sections(text)? {
        if let Some(name) = section.head.strip_prefix("project ") {
            base = Some(project(name.trim(), &section)?);
            continue;
        }
        let base = base.clone().ok_or("a case stands before the first project")?;
        cases.push(case(language, base, section)?);
    }
    Ok(cases)
}

/// One `===` section: its head, its settings and its files.
struct Section {
    head: String,
    settings: Vec<(String, String)>,
    files: Vec<File>,
}

fn sections(text: &str) -> Result<Vec<Section>, String> {
    let mut sections: Vec<Section> = Vec::new();
    let mut open: Option<(String, Vec<&str>)> = None;
    for (index, line) in text.lines().enumerate() {
        let at = |why: &str| format!("line {}: {why}: {line}", index + 1);
        let is_head = line.starts_with("=== ") || line.starts_with("--- ");
        if is_head && let Some((head, lines)) = open.take() {
            let section = sections.last_mut().ok_or_else(|| at("a file outside of a section"))?;
            section.files.push(file(&head, &lines));
        }
        if let Some(head) = line.strip_prefix("=== ") {
            let head = head.to_owned();
            sections.push(Section { head, settings: Vec::new(), files: Vec::new() });
        } else if let Some(head) = line.strip_prefix("--- ") {
            open = Some((head.to_owned(), Vec::new()));
        } else if let Some((_, lines)) = &mut open {
            lines.push(line);
        } else if !line.trim().is_empty() {
            let section = sections.last_mut().ok_or_else(|| at("nothing may stand here"))?;
            let (name, value) = line.split_once(": ").ok_or_else(|| at("no setting"))?;
            section.settings.push((name.to_owned(), value.trim().to_owned()));
        }
    }
    if let (Some((head, lines)), Some(section)) = (open, sections.last_mut()) {
        section.files.push(file(&head, &lines));
    }
    Ok(sections)
}

/// A file from its head and the lines below; empty lines at its end only part it from the next.
fn file(head: &str, lines: &[&str]) -> File {
    let end = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
    let text: String = lines[..end].iter().flat_map(|line| [*line, "\n"]).collect();
    let (path, word) = match head.strip_suffix(')').and_then(|head| head.split_once(" (")) {
        Some((path, word)) => (path, word),
        None => (head.trim(), ""),
    };
    let change = match word.split_once(' ') {
        Some(("from", old)) => Change::Moved(old.to_owned()),
        _ => match word {
            "deleted" => Change::Deleted,
            "executable" => Change::Program(text),
            "edit" => Change::Edit(text),
            _ => Change::Content(text),
        },
    };
    File { path: path.to_owned(), change }
}

fn project(name: &str, section: &Section) -> Result<Base, String> {
    let mut is_red = false;
    let mut package = None;
    for (setting, value) in &section.settings {
        match (setting.as_str(), value.as_str()) {
            ("base", "red") => is_red = true,
            ("base", "green") => is_red = false,
            ("packages", name) => package = Some(name.to_owned()),
            _ => return Err(format!("project {name}: `{setting}: {value}` is not known")),
        }
    }
    Ok(Base { name: name.to_owned(), is_red, package, files: section.files.clone() })
}

fn case(language: Language, base: Base, section: Section) -> Result<Case, String> {
    let head = &section.head;
    let (kind, rest) = match head.split_once(' ') {
        Some(("gamed", rest)) => (Kind::Gamed, rest),
        Some(("honest", rest)) => (Kind::Honest, rest),
        _ => return Err(format!("`=== {head}` is neither project, gamed nor honest")),
    };
    let (id, words) = rest.split_once(": ").ok_or_else(|| format!("`=== {head}` has no words"))?;
    let values = |name: &str| {
        let named = section.settings.iter().filter(move |(setting, _)| setting == name);
        named.map(|(_, value)| value.clone()).collect::<Vec<_>>()
    };
    let says_yes = |name: &str| values(name).iter().any(|value| value == "yes");
    let known = ["task", "rule", "behavioural", "slow", "committed", "example", "check", "own"];
    if let Some((name, _)) = section.settings.iter().find(|(name, _)| !known.contains(&&**name)) {
        return Err(format!("{id}: `{name}:` is not known"));
    }
    Ok(Case {
        language,
        kind,
        id: id.to_owned(),
        words: words.to_owned(),
        task: values("task").pop().ok_or_else(|| format!("{id} has no task"))?,
        rule: values("rule").pop(),
        is_behavioural: says_yes("behavioural"),
        is_slow: says_yes("slow"),
        is_committed: says_yes("committed"),
        examples: values("example"),
        checks: values("check"),
        own: values("own").pop(),
        base,
        files: section.files,
    })
}
