//! How contracts look to people.

use countersign_domain::contract::{
    Comparison, Criterion, CriterionResult, Reassignment, Results, Reviewed, Status, Timing, Why,
};
use countersign_engine::contract::{Amended, ContractRow, ContractView, Drafted};
use countersign_engine::{Error, Kind};

use crate::ui::{self, Reply};

/// A contract in a few lines.
pub fn contract(view: &ContractView) -> String {
    let contract = &view.contract;
    let agreed = match &view.refused {
        Some(refusal) => {
            format!("refused by {}: {}", ui::one_line(&refusal.by), ui::one_line(&refusal.why))
        }
        None if view.is_approved => "agreed".to_owned(),
        None => "not agreed yet".to_owned(),
    };
    let head = format!("contract {} version {} ({agreed})", view.id, contract.version);
    let mut text = ui::paint(ui::BOLD, head) + "\n";
    // Indented, so that no line of a task passes for one of ours.
    text += &format!("{}\n\n", ui::printable(contract.task.trim()).replace('\n', "\n  "));
    let rows = vec![
        vec!["type".to_owned(), contract.contract_type.to_string()],
        vec!["tier".to_owned(), contract.tier.to_string()],
        vec!["risk".to_owned(), contract.risk.to_string()],
        vec!["hash".to_owned(), view.hash.short()],
    ];
    text += &ui::table(&rows);
    if !contract.criteria.is_empty() {
        text += "\ncriteria\n";
        let rows: Vec<Vec<String>> = (1..).zip(&contract.criteria).map(criterion).collect();
        text += &ui::table(&rows);
    }
    if !contract.examples.is_empty() {
        text += "\nexamples\n";
        for example in &contract.examples {
            let (asked, prints) = (&example.command, &example.prints);
            text += &format!("  {} => {}\n", ui::printable(asked), ui::printable(prints));
        }
    }
    if let Some(results) = view.results.last() {
        text += &came_to(results);
    }
    if !contract.expected_files.is_empty() {
        text += "\nexpected files\n";
        let rows: Vec<Vec<String>> = contract
            .expected_files
            .iter()
            .map(|file| {
                let source = format!("{:?}", file.source).to_lowercase();
                let because = ui::one_line(&file.because);
                vec![format!("  {}", ui::one_line(&file.path)), source, because]
            })
            .collect();
        text += &ui::table(&rows);
    }
    text + &remarks(view)
}

/// What came of a contract, criterion by criterion.
fn came_to(results: &Results) -> String {
    let overall = results.words();
    let by = results.agent.as_ref().map(|by| format!(", work of {}", ui::one_line(by)));
    let from = results.made_by.map(|id| format!(" of {id}")).unwrap_or_default();
    let mut text = format!("\nresults{from}: {overall}{}\n", by.unwrap_or_default());
    let rows: Vec<Vec<String>> = results
        .criteria
        .iter()
        .map(|result| {
            let status = match result.status {
                Status::Pass => ui::paint(ui::GOOD, "pass"),
                Status::Fail => ui::paint(ui::BAD, "fail"),
                Status::Skipped => ui::paint(ui::DIM, "skipped"),
            };
            let said = result.reviewed.as_ref().map(Reviewed::words);
            let error = result.error.clone().filter(|_| !is_told_below(result));
            let error = said.or(error).unwrap_or_default();
            let error = error.lines().next().unwrap_or_default();
            vec![
                format!("  {}.", result.criterion),
                result.activity.to_string(),
                status,
                ui::count(u64::from(result.attempts), "attempt"),
                result.level.map(|level| level.to_string()).unwrap_or_default(),
                result.finished_at.strftime("%Y-%m-%d %H:%M:%S").to_string(),
                ui::printable(&error.chars().take(120).collect::<String>()),
            ]
        })
        .collect();
    text += &ui::table(&rows);
    text += &failed(results);
    for reason in &results.reasons {
        text += &format!("  - {}\n", ui::printable(reason));
    }
    text
}

/// The last lines of an output that are shown, for each criterion.
const MOST_LINES: usize = 12;

/// Whether more is to be said of a criterion than fits into its row.
fn is_told_below(result: &CriterionResult) -> bool {
    result.status == Status::Fail
        && result.reviewed.is_none()
        && (result.error.is_some() || !result.output.trim().is_empty())
}

/// What criteria that did not hold say, and the end of what they printed.
fn failed(results: &Results) -> String {
    let mut text = String::new();
    for one in results.criteria.iter().filter(|one| is_told_below(one)) {
        let error = one.error.as_deref().unwrap_or("it failed");
        text += &format!("  {}. {}: {}\n", one.criterion, one.activity, ui::printable(error));
        let lines: Vec<&str> = one.output.trim_end().lines().collect();
        for line in &lines[lines.len().saturating_sub(MOST_LINES)..] {
            text += &ui::paint(ui::DIM, format!("     | {}\n", ui::printable(line)));
        }
    }
    text
}

/// The results of two agents side by side.
pub fn compared(compared: &Comparison) -> String {
    let word = |status: Option<Status>| match status {
        Some(Status::Pass) => ui::paint(ui::GOOD, "pass"),
        Some(Status::Fail) => ui::paint(ui::BAD, "fail"),
        Some(Status::Skipped) => ui::paint(ui::DIM, "skipped"),
        None => "-".to_owned(),
    };
    let who = |results: &Results| {
        let overall = results.words();
        let agent = results.agent.as_deref().unwrap_or("unknown");
        format!("{} ({overall})", ui::one_line(agent))
    };
    let mut rows = vec![vec![who(&compared.before), who(&compared.after), String::new()]];
    for one in &compared.criteria {
        rows.push(vec![word(one.before), word(one.after), ui::printable(&one.words)]);
    }
    let mut text = ui::table(&rows);
    for results in [&compared.before, &compared.after] {
        let failed = failed(results);
        if !failed.is_empty() {
            text += &format!("\nfailed for {}\n{failed}", who(results));
        }
    }
    text
}

fn remarks(view: &ContractView) -> String {
    let mut text = String::new();
    for note in &view.contract.notes {
        text += &format!("\nnote: {}", ui::one_line(note));
    }
    for unresolved in &view.unresolved {
        text += &format!("\n{}: {}", ui::paint(ui::BAD, "no command"), ui::one_line(unresolved));
    }
    if text.is_empty() { text } else { text + "\n" }
}

fn criterion((number, criterion): (usize, &Criterion)) -> Vec<String> {
    let timing = match criterion.timing {
        Timing::Immediate => "immediate",
        Timing::Deferred => "deferred",
    };
    let name = match &criterion.critic {
        Some(critic) => format!("critic {critic}"),
        None => criterion.activity.to_string(),
    };
    let mut what = match &criterion.command {
        Some(command) if criterion.folder.is_empty() => ui::printable(command),
        Some(command) => {
            format!("{} (in {})", ui::printable(command), ui::printable(&criterion.folder))
        }
        None if criterion.is_unresolved() => ui::paint(ui::BAD, "no command"),
        None => ui::printable(&criterion.description),
    };
    if criterion.amended {
        what += " (added from the diff)";
    }
    vec![format!("  {number}."), name, timing.to_owned(), what]
}

/// A contract with the rule and the line behind every criterion.
pub fn explained(view: &ContractView) -> String {
    let mut text = contract(view) + "\nwhy\n";
    for (number, criterion) in (1..).zip(&view.contract.criteria) {
        let name = criterion.critic.as_deref().unwrap_or(criterion.activity.name());
        text += &format!("  {number}. {}\n", ui::one_line(name));
        for why in &criterion.why {
            text += &format!("     - {}\n", ui::one_line(&because(why)));
        }
    }
    if view.contract.criteria.is_empty() {
        text += "  advice is read by a person; nothing is verified\n";
    }
    text
}

fn because(why: &Why) -> String {
    match why {
        Why::Always { text } => text.clone(),
        Why::Rule(hit) | Why::Diff(hit) => {
            let by = if matches!(why, Why::Diff(_)) { "changed" } else { "expected" };
            let reason = if hit.reason.is_empty() { "" } else { ": " };
            format!(
                "{}:{}: {} holds for {} ({by}){reason}{}",
                hit.file, hit.line, hit.rule, hit.path, hit.reason
            )
        }
        Why::Detected { file, line: 0, text } => format!("{file}: {text}"),
        Why::Detected { file, line, text } => format!("{file}:{line}: {text}"),
    }
}

/// What an amendment came to.
pub fn amended(amended: &Amended) -> String {
    let mut text = if amended.is_amended {
        format!("amended: version {}\n\n", amended.view.contract.version)
    } else {
        "nothing to amend: the contract has all that the diff calls for\n\n".to_owned()
    };
    for path in &amended.unexpected {
        text += &format!("not expected: {}\n", ui::one_line(path));
    }
    text + "\n" + &contract(&amended.view)
}

/// The most contracts that are listed without being asked for all.
pub const MOST_ROWS: u32 = 100;

pub fn list(mut rows: Vec<ContractRow>, is_all: bool) -> Result<Reply, Error> {
    let is_cut = !is_all && rows.len() > MOST_ROWS as usize;
    if is_cut {
        rows.truncate(MOST_ROWS as usize);
    }
    let lines: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            vec![
                row.id.clone(),
                row.contract_type.clone(),
                format!("version {}", row.version),
                match (row.is_refused, row.is_approved) {
                    (true, _) => "refused",
                    (_, true) => "agreed",
                    (_, false) => "not agreed",
                }
                .to_owned(),
                ui::one_line(&row.task),
            ]
        })
        .collect();
    let mut human = if rows.is_empty() { "no contracts yet".to_owned() } else { ui::table(&lines) };
    if is_cut {
        human += &format!("the newest {MOST_ROWS}; all of them: countersign contract list --all\n");
    }
    Reply::new(serde_json::json!({ "contracts": rows, "isCut": is_cut }), human)
}

/// What is handed on, and whose work it was.
pub fn handed_on(known: &Reassignment) -> String {
    let agent = known.agent.as_deref().map_or_else(|| "unknown".to_owned(), ui::one_line);
    let mut rows = vec![vec!["work of".to_owned(), agent]];
    rows.extend(known.tree.as_ref().map(|tree| vec!["tree".to_owned(), tree.to_string()]));
    format!("{}\n{}", ui::table(&rows), ui::printable(&known.render()))
}

/// Where a project's own rules go.
pub fn rules_file(name: &str, is_there: bool) -> String {
    let name = ui::one_line(name);
    if name.is_empty() {
        return "contract.rules is empty, so only the shipped rules hold.".to_owned();
    }
    let own = if is_there { "this project's own are in" } else { "a project's own would be in" };
    format!("The shipped rules; {own} {name} (contract.rules), and go over them, glob by glob.")
}

/// That a person is asked before advisory work goes ahead.
pub fn question(drafted: &Drafted) -> Option<Error> {
    let id = drafted.view.id;
    (drafted.asks_first && !drafted.view.is_approved).then(|| {
        Error::new(Kind::Human, "advisory work is not verified, so a person is asked first")
            .hint(format!("to go ahead: countersign contract approve {id}"))
    })
}

/// Why a contract is no success: something in it can't be carried out.
pub fn problem(view: &ContractView) -> Option<Error> {
    let first = view.unresolved.first()?;
    let count = ui::count(view.unresolved.len() as u64, "criterion");
    let count = count.replace("criterions", "criteria");
    Some(
        Error::new(Kind::MissingTool, format!("{count} without a command: {first}"))
            .hint("`countersign project show` says what was found"),
    )
}
