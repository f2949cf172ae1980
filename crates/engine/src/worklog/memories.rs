//! The memories that follow from worklogs: a session, a day, a task, a checkpoint, each by name.

use countersign_domain::Stamp;
use countersign_domain::worklog::{
    Deed, End, Logged, Operation, Seen, Session, SessionEvent, Todo, TodoStatus, TodoUpdate,
};

mod text;

use super::archive;
use super::rows::SessionRow;
use super::stats::outcome_word;
use crate::Engine;
use crate::error::Result;

const SESSION: &str = "_worklog/";
const DAY: &str = "_worklog_summary/";
const TASK: &str = "_progress/";
const CHECKPOINT: &str = "_checkpoint/";
/// The tool by which agents without a list of their own tell of todos.
pub(super) const NOTE_TODO: &str = "worklog_note_todo";
/// How many sessions a list of memories goes back.
const MOST_SESSIONS: u32 = 1_000;
/// How many sessions may be at work at the same time.
const MOST_OPEN: u32 = 50;
const DAY_SECONDS: i64 = 24 * 3600;

impl Engine {
    /// The names of the memories that follow from worklogs and begin with `prefix`.
    pub(crate) fn worklog_memories(&self, prefix: &str) -> Result<Vec<String>> {
        let rows = self.sessions(MOST_SESSIONS)?;
        let wants = |kind: &str| kind.starts_with(prefix) || prefix.starts_with(kind);
        let mut names = Vec::new();
        for row in &rows {
            if row.archived.is_none() {
                names.push(format!("{SESSION}{}", row.session));
                if wants(CHECKPOINT)
                    && let Some(session) = self.live_session(row.session)?
                {
                    let count = session.summaries.len();
                    names.extend((1..=count).map(|n| format!("{CHECKPOINT}{}/{n}", row.session)));
                }
            } else if self.keeps_day_of(row.session) {
                names.push(format!("{DAY}{}", archive::day_of(row.session)));
            }
            names.push(format!("{TASK}{}", row.task_hash.short()));
        }
        names.retain(|name| name.starts_with(prefix));
        names.sort();
        names.dedup();
        Ok(names)
    }

    /// Whether the summary of the day on which `session` was opened is still kept.
    fn keeps_day_of(&self, session: Stamp) -> bool {
        let days = i64::from(self.settings.config.worklog.summary_days);
        self.host.now().as_second() - archive::seconds_of(session) <= days * DAY_SECONDS
    }

    /// The text of such a memory, if there is one.
    pub(crate) fn worklog_memory(&self, name: &str) -> Result<Option<String>> {
        if let Some(day) = name.strip_prefix(DAY) {
            return self.day_text(day);
        }
        if let Some(id) = name.strip_prefix(SESSION) {
            let session = id.parse().ok().map(|id| self.live_session(id)).transpose()?.flatten();
            return Ok(session.map(|session| text::of_session(&session)));
        }
        if let Some(hash) = name.strip_prefix(TASK) {
            return self.task_text(hash);
        }
        let Some((id, number)) = name.strip_prefix(CHECKPOINT).and_then(|n| n.split_once('/'))
        else {
            return Ok(None);
        };
        let (Ok(id), Ok(number)) = (id.parse::<Stamp>(), number.parse::<usize>()) else {
            return Ok(None);
        };
        let session = self.live_session(id)?;
        let summary = session.and_then(|s| s.summaries.get(number.checked_sub(1)?).cloned());
        Ok(summary
            .map(|summary| format!("{}\n\n{}\n", summary.render(), serde_json::json!(summary))))
    }

    fn day_text(&self, day: &str) -> Result<Option<String>> {
        let archived = self.archived_on(day)?;
        let kept = archived.iter().filter(|archived| self.keeps_day_of(archived.row.session));
        let lines: Vec<String> = kept
            .map(|archived| {
                let totals = &archived.totals;
                format!(
                    "{}, {} operations, {} files, {} todos done, {} open",
                    row_line(&archived.row),
                    totals.operations,
                    totals.files.len(),
                    totals.todos_completed,
                    totals.todos_open
                )
            })
            .collect();
        Ok((!lines.is_empty()).then(|| format!("# Sessions of {day}\n\n{}\n", lines.join("\n"))))
    }

    /// All sessions of one task, newest first, and what the newest of them left to do.
    fn task_text(&self, hash: &str) -> Result<Option<String>> {
        let rows = self.sessions(MOST_SESSIONS)?;
        let same: Vec<&SessionRow> =
            rows.iter().filter(|row| row.task_hash.short() == hash).collect();
        let Some(newest) = same.first() else { return Ok(None) };
        let rows = same.iter().map(|row| row_line(row)).collect();
        let session = self.live_session(newest.session)?;
        let todos = session.as_ref().map(text::todo_lines).unwrap_or_default();
        Ok(Some(text::of_task(&newest.task, rows, todos)))
    }

    /// The session that is open now: the newest that nothing has ended, else the newest.
    pub(crate) fn open_session(&self) -> Result<Option<Session>> {
        let mut open = self.unfinished(MOST_OPEN)?;
        open.retain(|row| row.outcome.is_none());
        // Of several agents at work, the one that started us is meant.
        let is_ours = |row: &&SessionRow| {
            row.process.is_some_and(|agent| countersign_exec::descends_from(agent.pid, agent.born))
        };
        let row = match open.iter().find(is_ours).or(open.first()) {
            Some(row) => Some(row.clone()),
            None => self.sessions(1)?.into_iter().next(),
        };
        row.map(|row| self.live_session(row.session)).transpose().map(Option::flatten)
    }

    /// Puts a todo, or its new status, into the list of the session that is open now.
    pub(crate) fn put_todo(
        &mut self,
        session: &mut Session,
        (content, status): (&str, TodoStatus),
        actor: &str,
    ) -> Result<()> {
        let mut todos = session.todos.todos().to_vec();
        match todos.iter_mut().find(|todo| todo.content == content) {
            Some(known) => known.status = status,
            None => todos.push(Todo { id: None, content: content.to_owned(), status }),
        }
        let operation = Operation {
            call: None,
            tool: NOTE_TODO.into(),
            deed: Deed::Todo {
                update: TodoUpdate::Listed { claimed: todos.clone(), read_back: Some(todos) },
            },
            end: End::Completed { exit: None },
            lane: None,
            duration_ms: None,
            seen: Seen::Hook,
        };
        let logged =
            Logged { operation, significant: true, exit_counts: false, full: None, at: None };
        self.append_facts(session, actor, vec![SessionEvent::Operated(Box::new(logged))])
    }
}

fn row_line(row: &SessionRow) -> String {
    let outcome = row.outcome.map_or("in progress", outcome_word);
    format!("- {} {} {outcome}: {}", row.session, row.tier, row.task)
}
