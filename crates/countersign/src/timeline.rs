//! How sessions are told to people: a small timeline in the terminal, and Markdown.

use countersign_domain::worklog::TodoStatus;
use countersign_domain::worklog::entry::{Entry, Status};
use countersign_engine::worklog::{Account, Rate, Restored, Stats, outcome_word};

use crate::ui::{self, BAD, BOLD, DIM, GOOD};

/// A session with its entries.
pub fn session(account: &Account) -> String {
    let mut text = heading(account);
    if !account.entries.is_empty() {
        text.push('\n');
        text.push_str(&entries(account));
    }
    text.push_str(&todos(account));
    text
}

fn heading(account: &Account) -> String {
    let state = match &account.ended {
        Some(ended) => {
            let word = ui::paint(style_of(ended.outcome), outcome_word(ended.outcome));
            format!("{word}: {}", ui::printable(&ended.because))
        }
        None => "in progress".to_owned(),
    };
    let chosen = if account.overridden {
        "chosen by a person".into()
    } else {
        format!("{:.0} % sure", account.confidence * 100.0)
    };
    let task = if account.task.is_empty() { "(not known)" } else { &account.task };
    let first = task.lines().next().unwrap_or_default();
    let mut rows = vec![
        vec!["session".into(), account.session.to_string()],
        vec!["task".into(), ui::printable(first)],
        vec![
            "agent".into(),
            format!("{} ({})", account.agent, ui::printable(&account.agent_session)),
        ],
        vec!["tier".into(), format!("{} ({chosen})", account.tier)],
        vec!["state".into(), state],
    ];
    if let Some(why) = &account.incomplete {
        let mark = ui::paint(BAD, "incomplete");
        rows.push(vec!["record".into(), format!("{mark}: {}", ui::printable(why))]);
    }
    if let Some(why) = &account.unconfirmed {
        rows.push(vec!["record".into(), format!("by hooks alone: {}", ui::printable(why))]);
    }
    for file in &account.silenced {
        let text = format!("{} would have switched its hooks off", ui::printable(file));
        rows.push(vec!["settings".into(), text]);
    }
    let totals = &account.totals;
    let took = ui::duration(totals.seconds.saturating_mul(1000));
    rows.push(vec![
        "work".into(),
        format!(
            "{}, {} of them entries, {} changed, in {took}",
            ui::count(totals.operations.into(), "operation"),
            totals.entries,
            ui::count(totals.files.len() as u64, "file"),
        ),
    ]);
    let tokens = format!("{} of at most {}", account.tokens, account.max_tokens);
    rows.push(vec!["tokens".into(), tokens]);
    if !account.flags.is_empty() {
        rows.push(vec!["flags".into(), account.flags.join(" ")]);
    }
    ui::table(&rows)
}

/// One line an entry: when, since the start; how it went; what it was.
fn entries(account: &Account) -> String {
    let start: Option<jiff::Timestamp> = account.opened_at.parse().ok();
    let rows: Vec<Vec<String>> = account
        .entries
        .iter()
        .map(|entry| {
            let since = start.map_or(0, |start| entry.time.as_second() - start.as_second());
            let inner = if entry.lane.is_some() { "  " } else { "" };
            vec![
                ui::paint(DIM, clock(since)),
                mark(entry.status),
                format!("{inner}{}", entry.action),
                context(entry),
            ]
        })
        .collect();
    ui::table(&rows)
}

fn context(entry: &Entry) -> String {
    let text = ui::printable(&entry.context);
    match entry.status {
        Status::Failed | Status::Timeout => ui::paint(BAD, text),
        Status::Skipped if entry.unmade => ui::paint(BAD, text),
        Status::Skipped if entry.action == "Verify" => ui::paint(DIM, text),
        Status::Skipped => ui::paint(DIM, format!("{text} (never ran)")),
        _ => text,
    }
}

fn mark(status: Status) -> String {
    match status {
        Status::Completed => ui::paint(GOOD, "✓"),
        Status::Failed => ui::paint(BAD, "✗"),
        Status::Timeout => ui::paint(BAD, "⧖"),
        Status::Retried => "↻".to_owned(),
        Status::Skipped => ui::paint(DIM, "–"),
        Status::Initiated => "…".to_owned(),
    }
}

/// Seconds as `+mm:ss`, or with hours.
fn clock(seconds: i64) -> String {
    let seconds = seconds.max(0);
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("+{hours}:{minutes:02}:{rest:02}")
    } else {
        format!("+{minutes:02}:{rest:02}")
    }
}

fn todos(account: &Account) -> String {
    if account.todos.is_empty() && account.dropped.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{}\n", ui::paint(BOLD, "todos"));
    for todo in &account.todos {
        let mark = match todo.status {
            TodoStatus::Completed => "[x]",
            TodoStatus::InProgress => "[~]",
            TodoStatus::Pending => "[ ]",
            TodoStatus::Cancelled => "[-]",
        };
        text.push_str(&format!("  {mark} {}\n", ui::printable(&todo.content)));
    }
    for todo in &account.dropped {
        let what = format!("{} (dropped)", ui::printable(&todo.content));
        text.push_str(&format!("  [!] {}\n", ui::paint(BAD, what)));
    }
    text
}

fn style_of(outcome: countersign_domain::worklog::Outcome) -> anstyle::Style {
    match outcome {
        countersign_domain::worklog::Outcome::Success => GOOD,
        _ => BAD,
    }
}

/// What a person reads after restoring.
pub fn restored(restored: &Restored) -> String {
    let account = &restored.account;
    let mut text = heading(account);
    if !account.totals.files.is_empty() {
        text.push_str(&format!("\n{}\n", ui::paint(BOLD, "files touched")));
        for file in account.totals.files.iter().take(20) {
            text.push_str(&format!("  {}\n", ui::printable(file)));
        }
        let more = account.totals.files.len().saturating_sub(20);
        if more > 0 {
            text.push_str(&format!("  and {more} more\n"));
        }
    }
    if let Some(summary) = account.summaries.last() {
        text.push_str(&format!(
            "\n{}\n  {}\n",
            ui::paint(BOLD, "last summary"),
            ui::printable(&summary.render())
        ));
    }
    text.push_str(&todos(account));
    text.push_str(&format!("\n{}\n", ui::paint(BOLD, "next")));
    for step in &restored.next {
        text.push_str(&format!("  {}\n", ui::printable(step)));
    }
    text.push_str("\nthe next session of an agent here takes the open todos over");
    if let Some(resume) = &restored.resume {
        text.push_str(&format!("\nor go on in the agent's own session: {resume}"));
    }
    if let Some(folder) = &restored.files_in {
        text.push_str(&format!("\nthe files are in {}", ui::printable(folder)));
    }
    text
}

/// Figures over all sessions.
pub fn stats(stats: &Stats) -> String {
    let percent = |rate: Option<f64>| match rate {
        Some(rate) => format!("{:.1} %", rate * 100.0),
        None => "-".to_owned(),
    };
    let share = |rate: &Rate| format!("{} ({} of {})", percent(rate.rate), rate.count, rate.of);
    let list = |map: &std::collections::BTreeMap<String, u32>| {
        let parts: Vec<String> =
            map.iter().map(|(name, count)| format!("{name} {count}")).collect();
        if parts.is_empty() { "-".to_owned() } else { parts.join(", ") }
    };
    let capture = &stats.capture;
    let rows = [
        ("sessions", format!("{}: {}", stats.sessions, list(&stats.by_tier))),
        ("outcomes", list(&stats.by_outcome)),
        ("incomplete", stats.incomplete.to_string()),
        (
            "capture",
            format!(
                "{} ({} of {}; {} found in transcripts)",
                percent(capture.rate),
                capture.captured,
                capture.significant,
                capture.recovered
            ),
        ),
        ("verification", share(&stats.verification)),
        ("adjustments", share(&stats.adjustments)),
        ("corrections", share(&stats.corrections)),
        ("skips", share(&stats.skips)),
        ("flags", list(&stats.flags)),
        (
            "tokens",
            match stats.tokens.mean {
                Some(mean) => format!("{mean:.0} a session; over the bound: {}", stats.tokens.over),
                None => "-".to_owned(),
            },
        ),
        ("our failures", stats.troubles.to_string()),
    ];
    ui::table(&rows.map(|(name, value)| vec![name.to_owned(), value]))
}

/// A session as Markdown.
pub fn markdown(account: &Account) -> String {
    let task = account.task.lines().next().unwrap_or_default();
    let state = account.ended.as_ref().map_or("in progress", |ended| outcome_word(ended.outcome));
    let mut text = format!("# Session {}\n\n", account.session);
    text.push_str(&format!("- Task: {}\n", inline(task)));
    text.push_str(&format!("- Agent: {} `{}`\n", account.agent, account.agent_session));
    text.push_str(&format!("- Tier: {}\n- State: {state}\n", account.tier));
    if let Some(why) = &account.incomplete {
        text.push_str(&format!("- Record: incomplete, {}\n", inline(why)));
    }
    if let Some(why) = &account.unconfirmed {
        text.push_str(&format!("- Record: by hooks alone, {}\n", inline(why)));
    }
    text.push_str(&format!("- From {} to {}\n", account.opened_at, account.updated_at));
    if !account.entries.is_empty() {
        text.push_str("\n| time | action | status | what |\n|---|---|---|---|\n");
        for entry in &account.entries {
            let time = entry.time.strftime("%H:%M:%S");
            let status = format!("{:?}", entry.status).to_lowercase();
            let what = inline(&entry.context);
            text.push_str(&format!("| {time} | {} | {status} | {what} |\n", entry.action));
        }
    }
    if !(account.todos.is_empty() && account.dropped.is_empty()) {
        text.push_str("\n## Todos\n\n");
        for todo in &account.todos {
            let mark = if todo.status == TodoStatus::Completed { "x" } else { " " };
            text.push_str(&format!("- [{mark}] {}\n", inline(&todo.content)));
        }
        for todo in &account.dropped {
            text.push_str(&format!("- [ ] {} (dropped)\n", inline(&todo.content)));
        }
    }
    text.push('\n');
    text
}

/// Text from elsewhere as one line that can't break a table.
fn inline(text: &str) -> String {
    ui::printable(text).replace(['\n', '\r'], " ").replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_well() {
        let said: Vec<String> = [-5, 0, 65, 3_725].into_iter().map(clock).collect();
        assert_eq!(said, ["+00:00", "+00:00", "+01:05", "+1:02:05"]);
    }

    #[test]
    fn nothing_breaks_a_table() {
        assert_eq!(inline("a|b\nc\u{1b}[1m"), "a\\|b c\u{fffd}[1m");
    }
}
