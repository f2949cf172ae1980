//! What a role reads, and whether what it would read still holds.

use countersign_domain::context::{Context, Export, Handover, Immutable, markdown, rules};
use countersign_domain::standards::{Fate, Stale};
use serde::Serialize;
use serde_json::Value;

use crate::Engine;
use crate::error::{Error, Kind, Result};
use crate::worklog;

/// What one role reads.
#[derive(Debug, Clone, Serialize)]
pub struct Exported {
    pub task: String,
    pub role: String,
    /// The role's part of the immutable account.
    pub account: Value,
    /// The same with what was done before, as an agent reads it.
    pub markdown: String,
    /// The most tokens that the two have.
    pub account_tokens: u32,
    pub markdown_tokens: u32,
    /// The file with the account, for `TASK_CONTEXT_PATH`.
    pub path: String,
}

impl Engine {
    /// What `role` has to read for `task`. Cited standards that say something else by now are
    /// refused: nobody is to work by words that no longer hold.
    pub fn export_context(&mut self, task: &str, role: &str) -> Result<Exported> {
        let mut context = self.load_context(task)?;
        rules::role(&context, role)?;
        self.attend_files(&mut context)?;
        let account = self.account_of(&context)?;
        self.refuse_stale(&context, &account)?;
        let export = Export::of(&account, role);
        let bytes = export.to_bytes()?;
        let markdown = markdown(&export, Handover { context: &context });
        let path = self.context_folder(task).join(super::files::export_name(role));
        Ok(Exported {
            task: task.to_owned(),
            role: role.to_owned(),
            account: serde_json::from_slice(&bytes)?,
            account_tokens: worklog::count_tokens(&String::from_utf8_lossy(&bytes)),
            markdown_tokens: worklog::count_tokens(&markdown),
            markdown,
            path: path.to_string_lossy().into_owned(),
        })
    }

    fn refuse_stale(&self, context: &Context, account: &Immutable) -> Result<()> {
        let stale = self.stale_standards(account)?;
        let gone: Vec<String> = stale.iter().filter(|s| s.is_stale()).map(stale_words).collect();
        if gone.is_empty() {
            return Ok(());
        }
        let message =
            format!("standards that {} cites have changed: {}", context.task, gone.join("; "));
        Err(Error::new(Kind::Refused, message)
            .hint(format!("countersign context rebuild {} takes them in", context.task)))
    }

    /// What a reader of `context` should know before believing it.
    pub(super) fn context_warnings(
        &self,
        context: &Context,
        account: &Immutable,
    ) -> Result<Vec<String>> {
        let mut warnings = Vec::new();
        if context.purged.is_some() {
            return Ok(warnings);
        }
        let head = self.repository.head()?.map(|head| head.commit);
        let begun = &account.git.head;
        if head != *begun {
            let name = |id: &Option<countersign_domain::ObjectId>| {
                id.as_ref().map_or("no commit".to_owned(), |id| id.short().to_owned())
            };
            warnings.push(format!(
                "the context was made at {}, and HEAD is at {} now",
                name(begun),
                name(&head)
            ));
        }
        if !self.task_file_is_unchanged(context)? {
            warnings.push(format!(
                "{} changed since the context was made; `countersign context rebuild {}` takes it in",
                context.opened.task_file, context.task
            ));
        }
        warnings.extend(self.stale_standards(account)?.iter().map(stale_words));
        Ok(warnings)
    }
}

fn stale_words(stale: &Stale) -> String {
    let place = format!("{}#{}", stale.file, stale.section);
    match &stale.fate {
        Fate::Moved { now, line_span } => {
            format!("{place} is now at {line_span} under #{now}, with the same words")
        }
        Fate::Changed { .. } => format!("{place} says something else now"),
        Fate::SectionGone { nearest } if nearest.is_empty() => format!("{place} is gone"),
        Fate::SectionGone { nearest } => {
            format!("{place} is gone; the nearest headings are {}", nearest.join(", "))
        }
        Fate::FileGone => format!("{} is gone", stale.file),
    }
}
