//! Gathering what a context is made of: the task file, the standards that bind it, the files of
//! its scope. Everything that was read is in the manifest with its digest.

use std::collections::BTreeMap;
use std::path::Path;

use countersign_domain::Digest;
use countersign_domain::context::{
    Context, Export, GitFacts, Immutable, Manifest, SCHEMA_VERSION, SERIALIZER, Source, TaskFacts,
    Validation, Whereabouts,
};
use countersign_domain::mistake::{Mistake, Warning};
use countersign_domain::normal::{self, Pointer};
use countersign_domain::scope::{self, Globs, Scope};
use countersign_domain::secret::Scanner;
use countersign_domain::snapshot::{PathText, Recorded};
use countersign_domain::standards::{self, Citation, Documents, Mapping, Stale};
use countersign_domain::task::{Placed, Status, Task};

use super::files::{ACCOUNT, export_name};
use crate::Engine;
use crate::error::{Error, Kind, Result};
use crate::regular;
use crate::task::{TaskFile, plain, sha_of};

/// The largest document or settings file that is read.
const MAX_SOURCE: u64 = 4 * 1024 * 1024;

/// What a context is made of.
pub(super) struct Captured {
    pub(super) account: Immutable,
    pub(super) manifest: Manifest,
    /// The texts of the sources, with plain line ends.
    pub(super) texts: Vec<String>,
    pub(super) warnings: Vec<String>,
}

/// The files that were read, by path, with plain line ends.
#[derive(Default)]
struct Sources(BTreeMap<String, String>);

impl Sources {
    fn add(&mut self, path: &str, text: &str) {
        self.0.insert(path.to_owned(), plain(text));
    }
}

impl Engine {
    /// Makes the account of a task from the files as they are, with the paths of `recorded`.
    pub(super) fn capture(
        &self,
        file: &TaskFile,
        (recorded, paths): (&Recorded, &[PathText]),
    ) -> Result<Captured> {
        let mut sources = Sources::default();
        let mut warnings: Vec<String> = file.warnings.iter().map(ToString::to_string).collect();
        sources.add(&file.shown, &file.text);
        let citations = self.citations(file, &mut sources)?;
        let globs = self.globs(&mut sources)?;
        let (scope, odd) =
            Scope::of(&file.task, &globs, paths).map_err(|found| wrong("scope", &found))?;
        warnings.extend(odd.iter().map(ToString::to_string));
        let mut long = Vec::new();
        let account = Immutable {
            version: SCHEMA_VERSION,
            task_id: file.task.id.to_string(),
            git: GitFacts { head: recorded.position.head.clone(), task_file_sha: file.sha() },
            task: facts(file, &mut long),
            roles: self.roles_of(file)?,
            standards_citations: citations,
            validation_baseline: Validation {
                commands: file.task.qa_commands.iter().map(|c| c.value.clone()).collect(),
            },
            repo_paths: scope.repo_paths.iter().map(scope::quoted).collect(),
        };
        warnings.extend(long.iter().map(ToString::to_string));
        expect_complete(file, (&account.task.description, &account.standards_citations))?;
        let manifest = manifest(&account, &sources)?;
        let texts = sources.0.into_values().collect();
        Ok(Captured { account, manifest, texts, warnings })
    }

    fn roles_of(&self, file: &TaskFile) -> Result<Vec<String>> {
        let roles = match file.task.roles.as_slice() {
            [] => self.settings.config.context.roles.clone(),
            roles => roles.to_vec(),
        };
        // These are names of files and of steps.
        let is_plain = |role: &&String| {
            let is_ours = matches!(role.as_str(), "start" | "now" | "resolution");
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
            !is_ours && !role.is_empty() && role.len() <= 40 && role.chars().all(plain)
        };
        match roles.iter().find(|role| !is_plain(role)) {
            None => Ok(roles),
            Some(role) => {
                Err(Error::new(Kind::Usage, format!("'{role}' can't be the name of a role"))
                    .hint("letters, digits, '-' and '_'; start, now and resolution are taken"))
            }
        }
    }

    /// What is wrong with a task that its file alone doesn't show: its standards and its scope.
    /// Gives what is odd.
    pub(crate) fn check_task(&self, file: &TaskFile) -> Result<Vec<Warning>> {
        let mut sources = Sources::default();
        self.roles_of(file)?;
        let citations = self.citations(file, &mut sources)?;
        expect_complete(file, (&file.task.description.value, &citations))?;
        let globs = self.globs(&mut sources)?;
        Scope::of(&file.task, &globs, &[]).map_err(|found| wrong("scope", &found))?;
        let mut long = Vec::new();
        facts(file, &mut long);
        Ok(long)
    }

    /// The standards that bind a task.
    fn citations(&self, file: &TaskFile, sources: &mut Sources) -> Result<Vec<Citation>> {
        let name = &self.settings.config.context.standards;
        let mapping = match self.source(name)? {
            Some(text) => {
                sources.add(name, &text);
                Mapping::parse(&text, name).map_err(|found| wrong("standards", &found))?
            }
            None => Mapping::none(),
        };
        let mut documents = Documents::new();
        for path in standards::files(&file.task, &mapping) {
            if let Some(text) = self.source(&path)? {
                self.expect_inside(&path)?;
                sources.add(&path, &text);
                documents.insert(path, text);
            }
        }
        standards::resolve(&file.task, &mapping, &documents)
            .map_err(|found| wrong("standards", &found))
    }

    /// A standard is what the repository says: one that a link leads to elsewhere is another one on
    /// every machine.
    fn expect_inside(&self, name: &str) -> Result<()> {
        let top = &self.repository.layout().worktree;
        let whole = top.join(name).canonicalize();
        if whole.is_ok_and(|whole| whole.starts_with(top)) {
            return Ok(());
        }
        let message = format!("the standard {name} lies outside of the repository, behind a link");
        Err(Error::new(Kind::Refused, message).hint("put the document itself into the repository"))
    }

    /// Which of the cited standards are no longer what they were.
    pub(super) fn stale_standards(&self, account: &Immutable) -> Result<Vec<Stale>> {
        let mut documents = Documents::new();
        for citation in &account.standards_citations {
            if !documents.contains_key(&citation.file)
                && let Some(text) = self.source(&citation.file)?
            {
                documents.insert(citation.file.clone(), text);
            }
        }
        Ok(standards::stale(&account.standards_citations, &documents))
    }

    /// The names for groups of files that scopes may use.
    fn globs(&self, sources: &mut Sources) -> Result<Globs> {
        let name = &self.settings.config.context.scopes;
        match self.source(name)? {
            Some(text) => {
                sources.add(name, &text);
                Globs::parse(&text, name).map_err(|found| wrong("scopes", &found))
            }
            None => Ok(Globs::none()),
        }
    }

    /// The scope of a context's task; `None` if it names no files. It is that of the texts that
    /// the account was made from: whoever widens it afterwards widens nothing.
    pub(super) fn scope_of(&self, context: &Context) -> Result<Option<Scope>> {
        let manifest = self.manifest_of(context)?;
        let text_of = |path: &str| -> Result<Option<String>> {
            let Some(source) = manifest.sources.iter().find(|source| source.path == path) else {
                return Ok(None);
            };
            let bytes = self.store.blobs().read(&source.sha256)?;
            Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
        };
        let name = &context.opened.task_file;
        let Some(text) = text_of(name)? else { return Ok(None) };
        let (task, _) = Task::parse(&text, name).map_err(|found| wrong("task file", &found))?;
        let globs = &self.settings.config.context.scopes;
        let globs = match text_of(globs)? {
            Some(text) => Globs::parse(&text, globs).map_err(|found| wrong("scopes", &found))?,
            None => Globs::none(),
        };
        // A bare word is a file if there is one of that name.
        let account = self.account_of(context)?;
        let paths: Vec<PathText> =
            account.repo_paths.iter().filter_map(|path| scope::from_quoted(path).ok()).collect();
        let (scope, _) =
            Scope::of(&task, &globs, &paths).map_err(|found| wrong("scope", &found))?;
        let names_files = task.scope_in.len() > scope.words_in.len();
        Ok(names_files.then_some(scope))
    }

    /// What the tree of `recorded` holds.
    pub(super) fn paths_in(&self, recorded: &Recorded) -> Result<Vec<PathText>> {
        let Some(root) = recorded.grounds.first() else { return Ok(Vec::new()) };
        let listed = self.repository.list(&root.tree)?;
        Ok(listed.iter().map(|listed| PathText::from(listed.path.as_path())).collect())
    }

    /// A file of the repository as text; `None` if it isn't there.
    fn source(&self, name: &str) -> Result<Option<String>> {
        let path = self.repository.layout().worktree.join(name);
        if std::fs::symlink_metadata(&path).is_err() {
            return Ok(None);
        }
        if regular::leads_out(&self.repository.layout().worktree, &path) {
            let message = format!("{name}: {}", regular::LEADS_OUT);
            return Err(Error::new(Kind::Usage, message).hint(regular::LEADS_OUT_FIX));
        }
        let bytes = super::evidence::read_file(&path, MAX_SOURCE, "document")?;
        String::from_utf8(bytes).map(Some).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            Error::new(Kind::Usage, format!("{name}: byte {at} is not UTF-8"))
                .hint("save the file as UTF-8")
        })
    }

    /// Whether the task file says what it said when the account was made.
    pub(super) fn task_file_is_unchanged(&self, context: &Context) -> Result<bool> {
        let text = self.source(&context.opened.task_file)?;
        Ok(text.is_some_and(|text| sha_of(&text) == context.task_file_sha))
    }

    /// Whether nobody works on the task of `context` any more.
    pub(super) fn task_is_over(&self, context: &Context) -> bool {
        // A working tree that was moved has its task files with it.
        let is_moved = matches!(self.whereabouts(context), Ok(Some(Whereabouts::Moved)));
        let worktree = if is_moved { self.own_worktree() } else { context.worktree.clone() };
        let path = Path::new(&worktree).join(&context.opened.task_file);
        let file = self.task_file(&path.to_string_lossy());
        let is_ended =
            |file: TaskFile| matches!(file.task.status, Status::Done | Status::Cancelled);
        !path.is_file() || file.is_ok_and(is_ended)
    }
}

/// The task's own words, normalised.
fn facts(file: &TaskFile, warnings: &mut Vec<Warning>) -> TaskFacts {
    let task = &file.task;
    let mut text = |placed: &Placed| {
        let text = normal::normalise(&placed.value);
        let from = Pointer { file: &file.shown, place: placed.place, key: "" };
        let odd = normal::oversized(&text, normal::MAX_FIELD, from);
        warnings.extend(odd);
        text
    };
    let description = text(&task.description);
    let mut set = |items: &[Placed]| -> Vec<String> {
        let mut all: Vec<String> =
            items.iter().map(|item| text(item).trim_end().to_owned()).collect();
        all.sort();
        all.dedup();
        all
    };
    let (scope_in, scope_out) = (set(&task.scope_in), set(&task.scope_out));
    let criteria = task.acceptance_criteria.iter();
    TaskFacts {
        title: task.title.value.trim().to_owned(),
        priority: task.priority.name().to_owned(),
        area: task.area.value.trim().to_owned(),
        description,
        scope_in,
        scope_out,
        acceptance_criteria: criteria.map(|item| text(item).trim_end().to_owned()).collect(),
    }
}

/// The gates: who works by this account must find in it what the work is and what binds it.
fn expect_complete(file: &TaskFile, (description, citations): (&str, &[Citation])) -> Result<()> {
    if description.trim().is_empty() {
        let message = format!("{}: the description is empty", file.shown);
        return Err(Error::new(Kind::Refused, message)
            .hint("say what is to be done: nobody can be held to a task that says nothing"));
    }
    if citations.is_empty() {
        let message = format!("{}: no standard is cited", file.shown);
        return Err(Error::new(Kind::Refused, message).hint(
            "name one in the task file (standards: [CONTRIBUTING.md#how-we-work]), or map its \
             area in the file that context.standards names",
        ));
    }
    Ok(())
}

fn manifest(account: &Immutable, sources: &Sources) -> Result<Manifest> {
    let mut derived =
        vec![Source { path: ACCOUNT.to_owned(), sha256: Digest::of(&account.to_bytes()?) }];
    for role in &account.roles {
        let bytes = Export::of(account, role).to_bytes()?;
        derived.push(Source { path: export_name(role), sha256: Digest::of(&bytes) });
    }
    derived.sort();
    Ok(Manifest {
        version: SCHEMA_VERSION,
        serializer: SERIALIZER.to_owned(),
        normalizer: format!("markdown/{}", normal::VERSION),
        sources: sources.0.iter().map(source).collect(),
        derived,
    })
}

fn source((path, text): (&String, &String)) -> Source {
    Source { path: path.clone(), sha256: Digest::of(text.as_bytes()) }
}

fn wrong(what: &str, mistakes: &[Mistake]) -> Error {
    let lines: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
    let lines = lines.join("\n  ");
    // What is wrong is quoted, and may be a secret at the wrong place.
    let lines = Scanner::builtin().redact(&lines);
    Error::new(Kind::Usage, format!("the {what} can't be used:\n  {lines}"))
        .hint("mend the places named above")
}
