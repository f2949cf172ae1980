//! `countersign contract`: what "done" means, before the work.

mod shown;

use std::io::{BufRead as _, IsTerminal as _, Write as _};

use countersign_domain::classify::{ContractType, Overrides, Risk, Tier};
use countersign_domain::contract::{Rules, render};
use countersign_domain::verify::Example;
use countersign_engine::contract::{AmendRequest, DraftRequest, Drafted, Shape, schema, schema_of};
use countersign_engine::{Engine, Error, Kind};

use super::classify::label;
use super::verify::example;
use super::{Context, tell_notices};
use crate::ui::{self, Format, Reply};

/// Draft, agree on, amend and show contracts: what will be checked, before the work begins.
///
/// A contract is worked out from the words of a task, the files that are expected to change and what
/// the repository is. After the work it is amended from the real diff, which only ever asks for more.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Draft(Box<Draft>),
    Approve(Approve),
    Reject(Reject),
    List(List),
    /// Show a contract, and what came of it.
    Show(Which),
    /// Show a contract with the rule and the line behind every criterion.
    Explain(Which),
    Amend(Amend),
    /// Show a contract as text for an agent.
    Render(Which),
    /// Show what another agent must know about work that did not hold.
    Reassign(Which),
    /// Show the results of two agents side by side.
    Compare(Which),
    /// Show the shipped activity rules, and where a project's own go.
    Rules,
    Schema(Published),
}

/// List the newest 100 contracts, or all of them.
#[derive(Debug, clap::Args)]
struct List {
    /// All of them.
    #[arg(long)]
    all: bool,
}

/// Print the JSON Schema of contracts, results and verifications.
#[derive(Debug, clap::Args)]
struct Published {
    /// Only this one of them.
    #[arg(value_enum)]
    of: Option<Shown>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Shown {
    Contract,
    Results,
    Reassignment,
    Comparison,
    /// The data of `verify --format json`.
    Verification,
}

/// Draft a contract for a task.
///
/// On a terminal you are asked whether you agree. Elsewhere it waits for `contract approve`, unless
/// --yes is given.
#[derive(Debug, clap::Args)]
struct Draft {
    /// What is to be done, in words.
    #[arg(required_unless_present = "from")]
    task: Option<String>,
    /// Files that you expect to change, from where you are; without any, they are predicted.
    #[arg(long, num_args = 1.., value_name = "PATH")]
    files: Vec<String>,
    /// Take the contract from a JSON file, as `contract schema` describes it; - reads standard input.
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "task", "files", "examples", "task_id", "tier", "contract", "risk",
    ])]
    from: Option<String>,
    /// The task's id, where it has one.
    #[arg(long, value_name = "ID")]
    task_id: Option<String>,
    /// It belongs to a plan of several tasks.
    #[arg(long)]
    plan: bool,
    /// What you know better: STRICT, STANDARD, LIGHT or EXEMPT.
    #[arg(long, value_parser = label::<Tier>)]
    tier: Option<Tier>,
    /// What you know better: verifiable, advisory or skip.
    #[arg(long, value_parser = label::<ContractType>)]
    contract: Option<ContractType>,
    /// What you know better: LOW, MEDIUM, HIGH or CRITICAL.
    #[arg(long, value_parser = label::<Risk>)]
    risk: Option<Risk>,
    /// A shell command and what it must print: 'CMD => OUTPUT'; may be repeated.
    #[arg(long = "example", value_name = "EXAMPLE", value_parser = example)]
    examples: Vec<Example>,
    /// Agree without being asked.
    #[arg(long)]
    yes: bool,
    /// Who is put on the record as the one who agreed.
    #[arg(long, default_value = "user", value_name = "NAME")]
    actor: String,
}

/// Agree to a contract.
#[derive(Debug, clap::Args)]
struct Approve {
    /// The contract: its id, a beginning of it, or latest.
    #[arg(default_value = "latest")]
    contract: String,
    /// Who is put on the record as the one who agreed.
    #[arg(long, default_value = "user", value_name = "NAME")]
    actor: String,
}

/// Refuse a contract.
#[derive(Debug, clap::Args)]
struct Reject {
    /// The contract: its id, a beginning of it, or latest.
    #[arg(default_value = "latest")]
    contract: String,
    /// What is wrong with it.
    #[arg(long, value_name = "WHY")]
    reason: String,
    /// Who is put on the record as the one who refused.
    #[arg(long, default_value = "user", value_name = "NAME")]
    actor: String,
}

#[derive(Debug, clap::Args)]
struct Which {
    /// The contract: its id, a beginning of it, or latest.
    #[arg(default_value = "latest")]
    contract: String,
}

/// Add to a contract what the real diff calls for and it missed.
#[derive(Debug, clap::Args)]
struct Amend {
    /// The contract: its id, a beginning of it, or latest.
    #[arg(default_value = "latest")]
    contract: String,
    /// What the work started from; without it, what was checked out at the draft.
    #[arg(long, value_name = "REVISION")]
    base: Option<String>,
}

pub fn run(cx: &Context, args: Args) -> Result<Reply, Error> {
    if let Verb::Schema(Published { of }) = args.verb {
        let schema = of.map_or_else(schema, |of| {
            schema_of(match of {
                Shown::Contract => Shape::Contract,
                Shown::Results => Shape::Results,
                Shown::Reassignment => Shape::Reassignment,
                Shown::Comparison => Shape::Comparison,
                Shown::Verification => Shape::Verification,
            })
        });
        let human = serde_json::to_string_pretty(&schema)?;
        return Reply::new(schema, human);
    }
    let mut engine = cx.engine()?;
    match args.verb {
        Verb::Draft(draft) => drafted(cx, &mut engine, *draft),
        Verb::Approve(Approve { contract, actor }) => {
            let id = engine.find_contract(&contract)?;
            let view = engine.answer_contract(id, &actor, None)?;
            let human = format!("agreed: {id} version {}", view.contract.version);
            let problem = shown::problem(&view);
            Ok(Reply::new(view, human)?.problem(problem))
        }
        Verb::Reject(Reject { contract, reason, actor }) => {
            let id = engine.find_contract(&contract)?;
            let view = engine.answer_contract(id, &actor, Some(&reason))?;
            let human = format!("refused: {id} version {}", view.contract.version);
            Reply::new(view, human)
        }
        Verb::List(List { all }) => {
            let most = if all { u32::MAX } else { shown::MOST_ROWS + 1 };
            shown::list(engine.contracts(most)?, all)
        }
        Verb::Rules => rules(&engine),
        Verb::Show(Which { contract }) => {
            let view = engine.contract(engine.find_contract(&contract)?)?;
            let human = shown::contract(&view);
            Reply::new(view, human)
        }
        Verb::Explain(Which { contract }) => {
            let view = engine.contract(engine.find_contract(&contract)?)?;
            let human = shown::explained(&view);
            Reply::new(view, human)
        }
        Verb::Render(Which { contract }) => {
            let view = engine.contract(engine.find_contract(&contract)?)?;
            let text = render(&view.contract);
            Reply::new(serde_json::json!({ "id": view.id, "text": text }), ui::printable(&text))
        }
        Verb::Amend(Amend { contract, base }) => {
            let id = engine.find_contract(&contract)?;
            let amended = engine.amend_contract(id, &AmendRequest { base })?;
            tell_notices(&mut engine);
            let human = shown::amended(&amended);
            let problem = shown::problem(&amended.view);
            Ok(Reply::new(amended, human)?.problem(problem))
        }
        Verb::Reassign(Which { contract }) => {
            let known = engine.reassignment(engine.find_contract(&contract)?)?;
            let human = shown::handed_on(&known);
            Reply::new(known, human)
        }
        Verb::Compare(Which { contract }) => {
            let compared = engine.compare_results(engine.find_contract(&contract)?)?;
            let human = shown::compared(&compared);
            Reply::new(compared, human)
        }
        Verb::Schema(_) => Err(Error::new(Kind::Bug, "the schema was shown already")),
    }
}

fn rules(engine: &Engine) -> Result<Reply, Error> {
    let (file, is_there) = engine.rules_file();
    let text = Rules::shipped_text();
    ui::say(&shown::rules_file(file, is_there));
    Reply::new(serde_json::json!({ "file": file, "isThere": is_there, "shipped": text }), text)
}

fn drafted(cx: &Context, engine: &mut Engine, args: Draft) -> Result<Reply, Error> {
    let approved_by = args.yes.then(|| args.actor.clone());
    let mut drafted = match args.from {
        Some(file) => {
            let file = if file == "-" { "/dev/stdin" } else { file.as_str() };
            engine.take_contract(file, args.plan, approved_by.as_deref())?
        }
        None => engine.draft_contract(&DraftRequest {
            task: args.task.unwrap_or_default(),
            files: args.files,
            task_id: args.task_id,
            said: Overrides { tier: args.tier, contract: args.contract, risk: args.risk },
            from_plan: args.plan,
            examples: args.examples,
            approved_by,
        })?,
    };
    let terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    if cx.format == Format::Human && !args.yes && terminal {
        ui::say(&shown::contract(&drafted.view));
        let id = drafted.view.id;
        let (refusal, what) = match asked(&drafted)? {
            Some(true) => (None, "agreed"),
            Some(false) => (Some("not agreed to on the terminal"), "refused"),
            None => {
                let human = format!(
                    "not answered\n\nTo agree: countersign contract approve {id}\nTo refuse: \
                     countersign contract reject {id} --reason WHY\n"
                );
                return Reply::new(drafted, human);
            }
        };
        drafted.view = engine.answer_contract(id, &args.actor, refusal)?;
        let problem = shown::problem(&drafted.view).filter(|_| refusal.is_none());
        return Ok(Reply::new(drafted, format!("{what}: {id}"))?.problem(problem));
    }
    let mut human = shown::contract(&drafted.view);
    let question = shown::question(&drafted);
    human += &question.as_ref().map(|asked| format!("\n{}\n", asked.message)).unwrap_or_default();
    if !drafted.view.is_approved {
        human += &format!("\nTo agree: countersign contract approve {}\n", drafted.view.id);
    }
    let problem = shown::problem(&drafted.view).or(question);
    Ok(Reply::new(drafted, human)?.problem(problem))
}

/// Asks a person whether they agree. A refusal is for good, so only a no is one.
fn asked(drafted: &Drafted) -> Result<Option<bool>, Error> {
    if drafted.unsure {
        ui::say("The words leave open what kind of task this is; it is treated as verifiable.");
    }
    let mut err = std::io::stderr().lock();
    let _ = write!(err, "Agree to this contract? [y/n, or Enter to answer later] ");
    let _ = err.flush();
    let mut line = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut line)
        .map_err(|error| Error::new(Kind::Usage, format!("can't read the answer: {error}")))?;
    Ok(answer_of(&line))
}

/// Yes, no, or nothing that answers the question.
fn answer_of(line: &str) -> Option<bool> {
    match line.trim().to_lowercase().as_str() {
        "y" | "yes" => Some(true),
        "n" | "no" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// VC-01: only a no refuses; Enter, the end of input and anything else leave it open.
    #[test]
    fn only_a_no_refuses() {
        for (line, answer) in [
            ("y\n", Some(true)),
            (" Yes \n", Some(true)),
            ("n\n", Some(false)),
            ("NO", Some(false)),
            ("\n", None),
            ("", None),
            ("maybe\n", None),
        ] {
            assert_eq!(answer_of(line), answer, "{line:?}");
        }
    }
}
