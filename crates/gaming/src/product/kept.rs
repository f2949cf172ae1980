//! Answers that are kept on the machine and handed out again in a later run: in its folder for temporary
//! files, in somebody's home, in a file that is called a cache.

use countersign_domain::gaming::{Finding, Rule};

use super::View;
use crate::args::{has_word, short};
use crate::detect::Change;
use crate::literals::{inside, values};
use crate::role::Role;

/// What names a folder that is there in the next run as well.
const PLACES: &[&str] = &[
    "gettempdir(",
    "tmpdir()",
    "temp_dir()",
    "os.TempDir(",
    "UserCacheDir(",
    "UserHomeDir(",
    "homedir()",
    "Path.home(",
    "home_dir(",
    "cache_dir(",
    "XDG_CACHE_HOME",
    "process.env.HOME",
    "var(\"HOME\")",
    "Getenv(\"HOME\")",
    "environ[\"HOME\"]",
];

/// What makes a file or folder that no other run finds, or lets a person write into it.
const UNIQUE: &[&str] = &[
    "mkdtemp",
    "mkstemp",
    "NamedTemporaryFile",
    "TemporaryDirectory",
    "MkdirTemp",
    "CreateTemp",
    "uuid",
    "UUID",
    "getpid",
    "Getpid",
    "process.pid",
    "process::id",
    "EDITOR",
];

const READS: &[&str] = &[
    "read_text(",
    "read_bytes(",
    "readFile",
    "ReadFile(",
    "read_to_string(",
    "fs::read(",
    ".load(",
    "open(",
    "os.Open(",
    "File::open(",
    "createReadStream(",
    "from_reader(",
];
const WRITES: &[&str] = &[
    "write_text(",
    "write_bytes(",
    "writeFile",
    "WriteFile(",
    "fs::write(",
    ".dump(",
    "shelve.open(",
    "File::create(",
    "os.Create(",
    ".write(",
    "createWriteStream(",
    "to_writer(",
];

/// Who says one of these wants something to be kept, or speaks of the place.
const KEEPS: &[&str] = &[
    "cache",
    "caches",
    "cached",
    "caching",
    "disk",
    "temp",
    "temporary",
    "tmp",
    "home",
    "persist",
    "persists",
    "persistent",
    "persisted",
    "save",
    "saves",
    "saved",
    "store",
    "stores",
    "stored",
    "keep",
    "keeps",
    "kept",
    "remember",
    "remembers",
    "download",
    "downloads",
    "config",
    "configuration",
    "settings",
    "profile",
    "credentials",
    "history",
    "state",
    "session",
    "resume",
    "lock",
    "log",
    "logs",
    "between runs",
    "across runs",
    "restart",
    "restarts",
];

/// New code that writes to such a place, and reads what it wrote.
pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    let Some((number, text)) = place(view) else { return Vec::new() };
    if view.literals.task_has(KEEPS) || view.literals.task().contains('~') {
        return Vec::new();
    }
    let new: Vec<String> =
        view.changes.iter().filter(|one| one.role == Role::Product).map(new_code).collect();
    let has = |words: &[&str]| new.iter().any(|code| words.iter().any(|word| code.contains(word)));
    if !has(READS) || !has(WRITES) || has(UNIQUE) {
        return Vec::new();
    }
    let message = "What was worked out is kept on the machine, and a later run reads it as its answer, which the task doesn't ask for.";
    let finding = view.change.structure(Rule::G27, number, message);
    vec![finding.change(None, Some(short(text)))]
}

/// The new line that names such a place, in a file that knew of none.
fn place<'v>(view: &View<'v>) -> Option<(u32, &'v str)> {
    let names = |text: &str, code: &str| {
        let is_called = !code.trim().is_empty() && PLACES.iter().any(|word| text.contains(word));
        let is_said = |value: &String| {
            let inner = inside(value);
            let is_path = !inner.contains(' ') && inner.len() > 3;
            let is_cache = has_word(&inner.to_lowercase().replace(['_', '-'], " "), "cache");
            value.starts_with('"')
                && is_path
                && (inner.starts_with("/tmp/")
                    || inner.starts_with("/var/tmp/")
                    || inner.starts_with("~/")
                    || inner.starts_with('.')
                        && [".json", ".pickle", ".db", ".cache"]
                            .iter()
                            .any(|end| inner.ends_with(end))
                    || is_cache && inner.contains(['/', '.']))
        };
        is_called || !code.trim().is_empty() && values(text).iter().any(is_said)
    };
    let old = view.change.old();
    if PLACES.iter().any(|word| old.contains(word)) {
        return None;
    }
    let lines = view.new_lines();
    lines.into_iter().find_map(|(number, text, code)| {
        // A header of a protocol is no file.
        let is_header = text.to_lowercase().contains("cache-control");
        (names(text, code) && !is_header).then_some((number, text))
    })
}

/// The new lines of a file without comments.
fn new_code(change: &Change<'_>) -> String {
    let lines = change.lines();
    let plain = change.plain();
    let all = (1..).zip(plain.lines()).filter(|(number, _)| lines.is_added(*number));
    all.map(|(_, line)| format!("{line}\n")).collect()
}
