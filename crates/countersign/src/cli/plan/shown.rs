//! How plans look to people.

use countersign_domain::classify::Label as _;
use countersign_domain::plan::{Checked, Dimension, Expectations, Gate, Plan, Severity};
use countersign_engine::Error;
use countersign_engine::plan::{DraftedPlan, ImportedPlan, PlanCheck, PlanFiles, PlanList};

use crate::ui::{self, Reply};

/// How many lines of prose are named.
const MOST_LINES: usize = 8;

/// What `plan check` found.
pub fn check(check: &PlanCheck) -> String {
    let mut text = String::new();
    for mistake in &check.mistakes {
        let mistake = ui::printable(&mistake.to_string());
        text += &format!("{}: {mistake}\n", ui::paint(ui::BAD, "wrong"));
    }
    if let Some(checked) = &check.checked {
        text += &scores(checked);
        text += &shortcomings(checked);
        text += &expected(checked);
        if checked.passes() {
            let slug = ui::printable(&check.slug);
            let fine = ui::paint(ui::GOOD, "fine");
            text += &format!("\n{fine}: {slug} can be worked on ({})\n", checked.hash.short());
        }
    }
    text
}

/// The table of scores.
pub fn scores(checked: &Checked) -> String {
    let mut rows = vec![vec!["story".to_owned(), "criterion".to_owned()]];
    rows[0].extend(Dimension::ALL.iter().map(|dimension| dimension.name().to_owned()));
    rows[0].extend(["total".to_owned(), String::new()]);
    for scored in &checked.scores {
        let mut row = vec![scored.story.to_string(), scored.criterion.to_string()];
        row.extend(Dimension::ALL.iter().map(|it| scored.score.points(*it).to_string()));
        row.push(format!("{}/12", scored.total));
        row.push(match scored.gate {
            Gate::Pass => ui::paint(ui::GOOD, "pass"),
            Gate::Warn => ui::paint(ui::BOLD, "warn"),
            Gate::Reject => ui::paint(ui::BAD, "reject"),
        });
        rows.push(row);
    }
    ui::table(&rows)
}

/// What is wrong or odd, one per line, with its place.
pub fn shortcomings(checked: &Checked) -> String {
    let mut text = String::new();
    for one in &checked.shortcomings {
        let severity = match one.severity {
            Severity::Refuse => ui::paint(ui::BAD, "wrong"),
            Severity::Warn => ui::paint(ui::BOLD, "odd"),
        };
        let (file, line, subject) = (&one.file, one.line, &one.subject);
        let said = format!("{file}:{line}: {subject}: {}; {} [{}]", one.what, one.fix, one.rule);
        text += &format!("{severity}: {}\n", ui::printable(&said));
    }
    if text.is_empty() { text } else { format!("\n{text}") }
}

/// How many rows of the table are compared, and which are not.
fn expected(checked: &Checked) -> String {
    let Expectations { compared, prose } = &checked.expected;
    let all = compared + prose.len();
    if all == 0 {
        return String::new();
    }
    let rows = ui::count(all as u64, "test");
    let mut text = format!(
        "\nexpected: {compared} of {rows} say in `code` what the command must print, which is compared"
    );
    if !prose.is_empty() {
        let shown: Vec<String> = prose.iter().take(MOST_LINES).map(ToString::to_string).collect();
        let more = if prose.len() > MOST_LINES { ", …" } else { "" };
        let lines = if prose.len() == 1 { "line" } else { "lines" };
        text +=
            &format!("; prose is for who judges (test-spec, {lines} {}{more})", shown.join(", "));
    }
    text + "\n"
}

/// A plan at a glance.
pub fn plan(files: &PlanFiles) -> String {
    let mut text = summary(&files.plan);
    text += &format!(
        "\nhash    {}\nfiles   {}\n        {}\n",
        files.hash.short(),
        files.prd,
        files.spec
    );
    text
}

/// All that a plan fixes.
pub fn summary(plan: &Plan) -> String {
    let mut text =
        format!("{}\n\n{}\n", ui::paint(ui::BOLD, &plan.slug), ui::printable(&plan.objective));
    for story in &plan.stories {
        let depends: Vec<String> = story.depends_on.iter().map(ToString::to_string).collect();
        let depends = if depends.is_empty() {
            String::new()
        } else {
            format!(" · after {}", depends.join(", "))
        };
        let head = format!("{}: {}", story.id, ui::printable(&story.title));
        text += &format!(
            "\n{}\n  {} · size {} · {} · risk {}{depends}\n",
            ui::paint(ui::BOLD, head),
            story.priority.name(),
            story.size,
            story.kind,
            story.risk.name()
        );
        for one in &story.criteria {
            let said = format!("Given {}, when {}, then {}", one.given, one.when, one.then);
            let tests = plan
                .spec
                .mapping
                .iter()
                .filter(|row| (row.story, row.criterion) == (story.id, one.id));
            let tests = ui::count(tests.count() as u64, "test");
            text += &format!("  {}  {} ({tests})\n", one.id, ui::printable(&said));
        }
        for (name, cases) in [("must not", &story.negatives), ("limit", &story.boundaries)] {
            for case in cases {
                text += &format!("  {name}: {}\n", ui::printable(case));
            }
        }
        let layers = story.layers.iter().map(|(layer, filled)| format!("{layer} {filled}"));
        text += &format!("  layers: {}\n", ui::printable(&layers.collect::<Vec<_>>().join(" · ")));
        for waiver in &story.waivers {
            let said =
                format!("{} is waived by {}: {}", waiver.law, waiver.by, waiver.justification);
            text += &format!("  {}\n", ui::printable(&said));
        }
    }
    text + &choices(plan) + &commands(plan)
}

fn choices(plan: &Plan) -> String {
    let choices = &plan.choices;
    let agent = |agent: &Option<countersign_domain::agent::AgentSpec>| {
        agent
            .as_ref()
            .map_or_else(|| "as configured".to_owned(), |agent| ui::printable(&agent.to_string()))
    };
    let consensus = choices.consensus.as_ref().map_or_else(
        || "none".to_owned(),
        |consensus| {
            let by = consensus.verifier.as_ref().map(|by| format!("{by}, ")).unwrap_or_default();
            ui::printable(&format!("{by}{}", consensus.scope))
        },
    );
    let report = if choices.self_verification { "yes" } else { "no" };
    let rows = [
        ("iteration unit", choices.iteration_unit.to_string()),
        ("verify mode", choices.verify_mode.to_string()),
        ("worker", agent(&choices.worker)),
        ("verifier", agent(&choices.verifier)),
        ("consensus", consensus),
        ("max iterations", choices.max_iterations.to_string()),
        ("self-verification", report.to_owned()),
    ];
    let rows: Vec<Vec<String>> = rows.map(|(name, value)| vec![name.to_owned(), value]).into();
    format!("\n{}", ui::table(&rows))
}

fn commands(plan: &Plan) -> String {
    let commands = &plan.spec.commands;
    let rows = [("build", &commands.build), ("test", &commands.test), ("lint", &commands.lint)];
    let rows: Vec<Vec<String>> = rows
        .map(|(name, filled)| {
            let said = filled.to_string();
            let said = if said.is_empty() { "still open".to_owned() } else { said };
            vec![name.to_owned(), ui::printable(&said)]
        })
        .into();
    format!("\n{}", ui::table(&rows))
}

/// What is shown before anything is written.
pub fn draft(drafted: &DraftedPlan) -> String {
    let mut text = scores(&drafted.checked) + &shortcomings(&drafted.checked) + "\n";
    text += &summary(&drafted.plan);
    text
}

pub fn list(list: &PlanList) -> Result<Reply, Error> {
    let rows: Vec<Vec<String>> = list
        .plans
        .iter()
        .map(|plan| {
            let state = match plan.refusals {
                0 => ui::paint(ui::GOOD, "can be worked on"),
                count => ui::paint(ui::BAD, format!("{count} wrong")),
            };
            vec![
                ui::printable(&plan.slug),
                ui::count(plan.stories as u64, "story").replace("storys", "stories"),
                state,
                plan.hash.short(),
                ui::printable(&plan.folder),
            ]
        })
        .collect();
    let mut text = if rows.is_empty() && list.mistakes.is_empty() {
        "there is no plan; `countersign plan new` makes one\n".to_owned()
    } else {
        ui::table(&rows)
    };
    for mistake in &list.mistakes {
        let mistake = ui::printable(&mistake.to_string());
        text += &format!("{}: {mistake}\n", ui::paint(ui::BAD, "wrong"));
    }
    Reply::new(list, text)
}

pub fn imported(imported: &ImportedPlan) -> String {
    let mut text = String::new();
    for note in &imported.notes {
        let said = format!("{}:{}: {}", note.file, note.line, note.what);
        text += &format!("{}: {}\n", ui::paint(ui::BOLD, "note"), ui::printable(&said));
    }
    let refusals = imported.drafted.checked.refusals().count();
    let folder = ui::printable(&imported.drafted.folder);
    text += &match &imported.written {
        Some(written) => format!(
            "made: {}\n      {}\n",
            ui::printable(&written.prd),
            ui::printable(&written.spec)
        ),
        None => format!("nothing was written; it would be in {folder}\n"),
    };
    if refusals > 0 {
        let slug = &imported.drafted.plan.slug;
        let left = ui::count(refusals as u64, "thing");
        text +=
            &format!("{left} to mend before it can be worked on: countersign plan check {slug}\n");
    }
    text
}
