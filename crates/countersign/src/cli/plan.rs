//! `countersign plan`: what is to be built, story by story, and how each is proven.

mod interview;
mod new;
mod shown;

use countersign_domain::plan::IterationUnit;
use countersign_engine::plan::{ImportRequest, schema};
use countersign_engine::{Error, Kind};

use super::Context;
use crate::ui::{self, Reply};

/// Write, check, show and list plans: stories with criteria, and the tests that prove them.
///
/// A plan is two Markdown files in a folder of its own, plans/SLUG/prd.md and
/// plans/SLUG/test-spec.md (the setting plan.folder names another one). They are yours to edit;
/// `plan check` says whether they are good enough to be worked on.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    New(Box<new::New>),
    Check(Check),
    Show(Show),
    /// List the plans.
    List,
    Import(Import),
    /// Print the JSON Schema of a file of answers, for `plan new --from`.
    Schema,
}

/// Say whether a plan is good enough to be worked on, and if not, why and where.
///
/// Ends with 1 if it is not: a criterion is ambiguous, a layer is open, tests are too few, a story
/// is too large or speaks of another one, a command proves nothing.
#[derive(Debug, clap::Args)]
struct Check {
    /// The plan: its slug, or the path of its folder.
    plan: String,
    /// What a model thinks of the criteria, as JSON: it lowers scores and never raises them.
    #[arg(long, value_name = "FILE")]
    scores: Option<String>,
}

/// Show a plan, or what the worker of one story sees of it.
#[derive(Debug, clap::Args)]
struct Show {
    /// The plan: its slug, or the path of its folder.
    plan: String,
    /// Only this story, as its worker sees it: nothing of the others.
    #[arg(long, value_name = "US-001")]
    story: Option<String>,
}

/// Take over a plan of rlp-desk, and tell what could not be taken over.
///
/// The files of rlp-desk are not changed. What they don't say is left open in the new plan, and
/// `plan check` names it.
#[derive(Debug, clap::Args)]
struct Import {
    /// The folder of rlp-desk (.rlp-desk or .claude/ralph-desk), or the one around it.
    folder: String,
    /// Which plan, where there are several.
    #[arg(long)]
    slug: Option<String>,
    /// What one worker does in one iteration: 'per story' or 'all at once'. It is yours to choose.
    #[arg(long, value_name = "UNIT", value_parser = unit)]
    iteration_unit: IterationUnit,
    /// Write nothing, only tell.
    #[arg(long)]
    dry_run: bool,
}

fn unit(text: &str) -> Result<IterationUnit, String> {
    IterationUnit::parse(text).ok_or_else(|| IterationUnit::hint(text))
}

pub fn run(cx: &Context, args: Args) -> Result<Reply, Error> {
    if let Verb::Schema = args.verb {
        let schema = schema();
        let human = serde_json::to_string_pretty(&schema)?;
        return Reply::new(schema, human);
    }
    let engine = cx.engine()?;
    match args.verb {
        Verb::New(new) => new::run(cx, &engine, *new),
        Verb::Check(Check { plan, scores }) => {
            let check = engine.check_plan(&plan, scores.as_deref())?;
            let human = shown::check(&check);
            let problem = check.problem();
            unsettled(check, human, problem)
        }
        Verb::Show(Show { plan, story }) => {
            let files = engine.plan(&plan)?;
            let Some(story) = story else {
                let human = shown::plan(&files);
                return Reply::new(files, human);
            };
            let id = story
                .parse()
                .ok()
                .filter(|id| files.plan.story(*id).is_some())
                .ok_or_else(|| no_story(&story, &files.plan))?;
            let text = files.plan.render_story(id);
            let checks = files.plan.checks_of(id);
            let data = serde_json::json!({ "story": files.plan.story(id), "text": text, "checks": checks });
            Reply::new(data, ui::printable(&text))
        }
        Verb::List => shown::list(&engine.plans()?),
        Verb::Import(Import { folder, slug, iteration_unit, dry_run }) => {
            let request = ImportRequest { folder, slug, unit: iteration_unit, write: !dry_run };
            let imported = engine.import_plan(&request)?;
            let human = shown::imported(&imported);
            Reply::new(imported, human)
        }
        Verb::Schema => Err(Error::new(Kind::Bug, "the schema was shown already")),
    }
}

/// A reply that tells what is wrong, too.
fn unsettled(
    data: impl serde::Serialize,
    human: String,
    problem: Option<Error>,
) -> Result<Reply, Error> {
    let said = problem.as_ref().map(|problem| {
        let hint = problem.hint.as_ref().map(|hint| format!("\n{hint}")).unwrap_or_default();
        format!("\n{}{}\n", ui::printable(&problem.message), ui::printable(&hint))
    });
    let human = human + &said.unwrap_or_default();
    Ok(Reply::new(data, human)?.problem(problem))
}

fn no_story(story: &str, plan: &countersign_domain::plan::Plan) -> Error {
    let known: Vec<String> = plan.stories.iter().map(|story| story.id.to_string()).collect();
    let message = format!("there is no story '{story}' in the plan {}", plan.slug);
    Error::new(Kind::NotFound, message).hint(format!("there is: {}", known.join(", ")))
}
