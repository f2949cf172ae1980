//! Evidence: files and excerpts that belong to a task, kept whole and named by their digest.

use std::fs;
use std::path::{Path, PathBuf};

use countersign_domain::Digest;
use countersign_domain::context::{Attached, ContextEvent, Evidence, EvidenceKind, rules};

use super::update::{Held, bounded};
use crate::Engine;
use crate::error::{Error, Kind, Result};

/// The longest description, in characters.
const MAX_DESCRIPTION: usize = 200;

/// Something to attach.
#[derive(Debug, Clone)]
pub struct Attachment {
    pub task: String,
    pub path: PathBuf,
    pub kind: EvidenceKind,
    /// Only these lines, such as `42-68`.
    pub lines: Option<String>,
    pub role: Option<String>,
    pub description: Option<String>,
    pub command: Option<String>,
    pub exit_code: Option<i32>,
    pub duration_ms: Option<u64>,
    /// Only what lies in the working tree: for agents, who may not read everything that we may.
    pub only_here: bool,
    pub force_secrets: bool,
    pub actor: String,
}

impl Engine {
    /// Attaches a file, or some of its lines. The same thing twice is attached once.
    pub fn attach_evidence(&mut self, attachment: &Attachment) -> Result<Evidence> {
        check(attachment)?;
        let path = self.host.cwd.join(&attachment.path);
        if attachment.only_here {
            self.expect_here(&path)?;
        }
        let bytes = read_file(&path, attachment.kind.max_bytes(), attachment.kind.name())?;
        let (bytes, lines) = excerpt(bytes, attachment.lines.as_deref())?;
        let texts = [
            ("the file", Some(&bytes[..])),
            ("the description", attachment.description.as_deref().map(str::as_bytes)),
            ("the command", attachment.command.as_deref().map(str::as_bytes)),
        ];
        let given = texts.iter().filter_map(|(name, text)| Some((*name, (*text)?)));
        let forced = self.screen_bytes(given, attachment.force_secrets)?;
        let mut held = self.hold_context(&attachment.task)?;
        let Held { context, .. } = &mut held;
        if let Some(role) = &attachment.role {
            rules::role(context, role)?;
        }
        rules::unhindered(context)?;
        let shown = self.shown_path(&path);
        let id = id_of(attachment.kind, &shown, lines.as_deref(), &bytes);
        let mut known = context.evidence.iter().filter(|known| known.evidence.id == id);
        // What says nothing new is attached once.
        if let Some(same) = known.find(|known| says(known, attachment)) {
            return Ok(same.evidence.clone());
        }
        let evidence = Evidence {
            id,
            kind: attachment.kind,
            path: shown,
            content: self.keep_text(&bytes)?,
            lines,
            description: attachment.description.clone(),
            command: attachment.command.clone(),
            exit_code: attachment.exit_code,
            duration_ms: attachment.duration_ms,
        };
        let attached = Attached {
            role: attachment.role.clone(),
            evidence: evidence.clone(),
            forced_secrets: forced.rules,
        };
        let event = ContextEvent::Attached(attached);
        self.append_context(context, &attachment.actor, vec![event])?;
        Ok(evidence)
    }

    /// Refuses what lies outside of the working tree, also behind a link, and the git folder.
    pub(super) fn expect_here(&self, path: &Path) -> Result<()> {
        let root = &self.repository.layout().worktree;
        let whole = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let inside = whole.strip_prefix(root).ok();
        if inside.is_some_and(|inside| !inside.starts_with(".git")) {
            return Ok(());
        }
        Err(Error::new(Kind::Refused, format!("{} is not in the working tree", path.display()))
            .hint("copy what matters into the working tree, or have a person attach it"))
    }

    /// A path from the root of the working tree, if it lies there.
    pub(crate) fn shown_path(&self, path: &Path) -> String {
        let whole = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let root = &self.repository.layout().worktree;
        whole.strip_prefix(root).unwrap_or(&whole).to_string_lossy().into_owned()
    }
}

/// Whether something that is attached says all that another attachment would.
fn says(known: &Attached, attachment: &Attachment) -> bool {
    let Attachment { role, description, command, exit_code, duration_ms, .. } = attachment;
    let evidence = &known.evidence;
    (role.is_none() || *role == known.role)
        && (description.is_none() || *description == evidence.description)
        && (command.is_none() || *command == evidence.command)
        && (exit_code.is_none() || *exit_code == evidence.exit_code)
        && (duration_ms.is_none() || *duration_ms == evidence.duration_ms)
}

fn check(attachment: &Attachment) -> Result<()> {
    if let Some(text) = &attachment.description {
        let text = bounded("description", text)?;
        if text.chars().count() > MAX_DESCRIPTION {
            let message = format!("the description has more than {MAX_DESCRIPTION} characters");
            return Err(Error::new(Kind::Usage, message)
                .hint("say it shorter, or attach a file of kind summary"));
        }
    }
    let is_whole = attachment.command.is_some()
        && attachment.exit_code.is_some()
        && attachment.duration_ms.is_some();
    if attachment.kind == EvidenceKind::QaOutput && !is_whole {
        return Err(Error::new(Kind::Usage, "the output of a check comes with its command")
            .hint("give --command, --exit-code and --duration-ms"));
    }
    if attachment.kind == EvidenceKind::Excerpt && attachment.lines.is_none() {
        return Err(Error::new(Kind::Usage, "an excerpt needs the lines it is of")
            .hint("--lines FIRST-LAST, such as --lines 42-68"));
    }
    Ok(())
}

/// The content of a plain file that is not too large.
pub(crate) fn read_file(path: &Path, most: u64, what: &str) -> Result<Vec<u8>> {
    let found = fs::metadata(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            Error::new(Kind::NotFound, format!("there is no file {}", path.display()))
                .hint("a path is taken from the folder that you stand in")
        }
        _ => Error::io("read", path, &error),
    })?;
    if !found.is_file() {
        return Err(Error::new(Kind::Usage, format!("{} is not a file", path.display())));
    }
    if found.len() > most {
        let message =
            format!("{} has {} bytes; a {what} may have {most}", path.display(), found.len());
        return Err(Error::new(Kind::Usage, message).hint("attach the part that matters"));
    }
    fs::read(path).map_err(|error| Error::io("read", path, &error))
}

/// The asked-for lines of `bytes`, and how they are named.
fn excerpt(bytes: Vec<u8>, lines: Option<&str>) -> Result<(Vec<u8>, Option<String>)> {
    let Some(lines) = lines else { return Ok((bytes, None)) };
    let wrong = || {
        Error::new(Kind::Usage, format!("'{lines}' names no lines"))
            .hint("the first and the last line, such as 42-68")
    };
    let plain = lines.replace('L', "");
    let (first, last) = plain.split_once('-').unwrap_or((&plain, &plain));
    let (first, last): (usize, usize) =
        (first.parse().map_err(|_| wrong())?, last.parse().map_err(|_| wrong())?);
    if first == 0 || last < first {
        return Err(wrong());
    }
    let all: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    if last > all.len() {
        let count = if all.len() == 1 { "line" } else { "lines" };
        let message = format!("the file has {} {count}, so there is no {lines}", all.len());
        return Err(Error::new(Kind::Usage, message).hint(format!("--lines 1-{}", all.len())));
    }
    Ok((all[first - 1..last].concat(), Some(format!("L{first}-L{last}"))))
}

/// Sixteen digits that name this evidence, and no other.
fn id_of(kind: EvidenceKind, path: &str, lines: Option<&str>, bytes: &[u8]) -> String {
    let head = format!("{}\0{path}\0{}\0", kind.name(), lines.unwrap_or_default());
    let mut text = Digest::of(&[head.as_bytes(), bytes].concat()).to_string();
    text.truncate(16);
    text
}
