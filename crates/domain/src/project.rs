//! What a repository is, and how it is built, checked and tested.
//!
//! Everything is concluded from the paths and the files of a tree, so the same tree gives the same
//! answer on every machine. Which of the programs are installed is for others to find out.

mod add;
mod cargo;
mod ci;
mod comments;
mod files;
mod go;
mod jvm;
mod lookup;
mod names;
mod node;
mod others;
mod python;
mod reads;
mod recipe;
mod settings;
mod tasks;
mod toml;
mod types;

pub use python::without_keeper;
pub use recipe::{Recipe, recipe};
pub use settings::{Settings, Without};
pub(crate) use types::quoted;
pub use types::{Activity, Command, Evidence, Part, Project, Runner, Stack, Tool};

use files::Files;

/// How many parts a project has at most; what comes later in the order of paths is left out.
const MAX_PARTS: usize = 500;

/// What knows the parts of one stack.
type Find = fn(&Files<'_>) -> Vec<Part>;

const FINDERS: [Find; 12] = [
    cargo::parts,
    node::parts,
    python::parts,
    go::parts,
    jvm::maven,
    jvm::gradle,
    others::dotnet,
    others::ruby,
    others::php,
    others::terraform,
    others::sql,
    tasks::parts,
];

/// What `paths` make up. `read` gives the content of one of them; `None` is a file that can't be
/// read.
pub fn detect<'a>(
    paths: impl IntoIterator<Item = &'a str>,
    read: &'a dyn Fn(&str) -> Option<Vec<u8>>,
) -> Project {
    let files = Files::new(paths, read);
    let mut parts = Vec::new();
    for find in FINDERS {
        parts.extend(find(&files));
    }
    ci::take_in(&files, &mut parts);
    parts.retain(|part| !part.tools.is_empty());
    sort(&mut parts);
    if parts.len() > MAX_PARTS {
        files.odd(
            (&parts[MAX_PARTS].folder, 1),
            "the project has more parts than are looked at",
            "name the commands that count below [project] in countersign.toml",
        );
        parts.truncate(MAX_PARTS);
    }
    Project { parts, findings: files.into_findings() }
}

/// Parts by folder and stack, tools by activity and preference.
fn sort(parts: &mut [Part]) {
    parts.sort_by(|a, b| (&a.folder, a.stack).cmp(&(&b.folder, b.stack)));
    for part in parts {
        part.tools.sort_by_key(|tool| (tool.activity, tool.rank));
    }
}
