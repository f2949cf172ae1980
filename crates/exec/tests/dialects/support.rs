//! The recordings, and how what was read of them is written down.

use std::path::{Path, PathBuf};

use countersign_domain::worklog::{
    Agent, Deed, End, FileChange, News, Operation, Report, Seen, Todo, TodoUpdate,
};
use countersign_exec::agents::dialect::{Transcript, What};

/// One session of a real agent.
pub struct Tour {
    pub agent: Agent,
    pub name: String,
    folder: PathBuf,
}

pub fn tours() -> Vec<Tour> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/payloads");
    let mut tours = Vec::new();
    for folder in folders(&root).iter().flat_map(|agent| folders(agent)) {
        let name = folder.strip_prefix(&root).unwrap().to_str().unwrap().replace('/', "-");
        let agent = name.split('-').next().unwrap().parse().unwrap();
        tours.push(Tour { agent, name, folder });
    }
    assert!(tours.len() > 10, "the recordings are not there");
    tours
}

pub fn tour(name: &str) -> Tour {
    tours().into_iter().find(|tour| tour.name == name).unwrap()
}

fn folders(path: &Path) -> Vec<PathBuf> {
    entries(path).into_iter().filter(|entry| entry.is_dir()).collect()
}

fn entries(path: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<_> =
        std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries
}

impl Tour {
    /// The calls of its hooks: the name of the file, and the bytes.
    pub fn payloads(&self) -> Vec<(String, Vec<u8>)> {
        self.files(|name| Path::new(name).extension().is_some_and(|e| e == "json"))
    }

    /// Its transcript, and those of its sub-agents.
    pub fn transcripts(&self) -> Vec<(String, Vec<u8>)> {
        self.files(|name| name.starts_with("transcript"))
    }

    fn files(&self, wanted: impl Fn(&str) -> bool) -> Vec<(String, Vec<u8>)> {
        let named = entries(&self.folder).into_iter().map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, path)
        });
        let wanted = named.filter(|(name, _)| wanted(name));
        wanted.map(|(name, path)| (name, std::fs::read(path).unwrap())).collect()
    }
}

/// One line about a call of a hook.
pub fn report_line(report: &Report) -> String {
    let lane = report.lane.as_ref().map(|lane| format!(" <{}>", lane.kind)).unwrap_or_default();
    format!("{}{lane}: {}", report.event, news(&report.news))
}

fn news(news: &News) -> String {
    match news {
        News::Began(operation) => format!("began {}", operation_line(operation)),
        News::Operated(operation) => format!("did {}", operation_line(operation)),
        News::Batch(all) => {
            let all: Vec<_> = all.iter().map(|o| format!("\n    {}", operation_line(o))).collect();
            format!("batch{}", all.concat())
        }
        other => format!("{other:?}"),
    }
}

pub fn operation_line(operation: &Operation) -> String {
    let seen = match operation.seen {
        Seen::Hook => "",
        Seen::Batch => " (batch)",
        Seen::Transcript => " (transcript)",
    };
    format!("{} {} → {}{seen}", operation.tool, deed(&operation.deed), end(&operation.end))
}

fn deed(deed: &Deed) -> String {
    match deed {
        Deed::Todo { update } => format!("todo {}", todo_update(update)),
        Deed::Edit { files } => format!("edit {}", all_files(files)),
        Deed::Write { files } => format!("write {}", all_files(files)),
        Deed::Command { command, background, .. } => {
            let background = if background.is_some() { " &" } else { "" };
            format!("command {:?}{background}", command.chars().take(60).collect::<String>())
        }
        Deed::Delegate { agent, purpose } => format!("delegate {agent:?} {purpose:?}"),
        Deed::Look { what } => format!("look {what:?}"),
        Deed::Other { what } => format!("other {what:?}"),
    }
}

fn all_files(files: &[FileChange]) -> String {
    let file = |f: &FileChange| format!("{} {:?} +{}-{}", f.path, f.fate, f.added, f.removed);
    format!("[{}]", files.iter().map(file).collect::<Vec<_>>().join(", "))
}

fn todo_update(update: &TodoUpdate) -> String {
    match update {
        TodoUpdate::Listed { claimed, read_back } => {
            let same = read_back.as_ref().map(|back| back == claimed);
            format!("listed {}, read back the same: {same:?}", todos(claimed))
        }
        TodoUpdate::Read { todos: read } => format!("read {}", todos(read)),
        update => format!("{update:?}"),
    }
}

pub fn todos(todos: &[Todo]) -> String {
    let todo = |todo: &Todo| format!("{:?} {:?}", todo.content, todo.status);
    format!("[{}]", todos.iter().map(todo).collect::<Vec<_>>().join(", "))
}

fn end(end: &End) -> String {
    match end {
        End::Completed { exit: Some(exit) } => format!("completed {exit}"),
        End::Completed { exit: None } => "completed".to_owned(),
        End::Failed { exit: Some(exit), why } => format!("failed {exit} {why:?}"),
        End::Failed { exit: None, why } => format!("failed {why:?}"),
        End::Denied { why } => format!("denied {why:?}"),
        End::Rejected { why } => format!("rejected {why:?}"),
        end => format!("{end:?}").to_lowercase(),
    }
}

/// A transcript, one line for each moment.
pub fn transcript_lines(transcript: &Transcript) -> String {
    let mut text = format!(
        "version {:?}, damaged {}, cut {}\n",
        transcript.version, transcript.damaged, transcript.is_cut
    );
    for moment in &transcript.moments {
        assert!(moment.at.ends_with('Z'), "{moment:?} has no time");
        let lane = match &moment.what {
            What::Call(operation) if operation.lane.is_some() => "<sub> ",
            _ => "",
        };
        let what = match &moment.what {
            What::Call(operation) => operation_line(operation),
            other => format!("{other:?}"),
        };
        text.push_str(&format!("{lane}{what}\n"));
    }
    if !transcript.todos().is_empty() {
        text.push_str(&format!("todos {}\n", todos(&transcript.todos())));
    }
    text
}
