//! `countersign accept`: countersigned work comes into your own branch.

use std::fmt::Write as _;

use countersign_domain::acceptance::Way;
use countersign_engine::accept::{Acceptance, Clash, Done, Extent, How, Wish};
use countersign_engine::verify::{Moment, Verification};
use countersign_engine::{Error, Kind};
use serde_json::json;

use super::Context;
use crate::ui::{self, Format, Reply};
use crate::verified;

/// Take the work of an accepted run or plan over into the branch that is checked out.
///
/// A branch that is where the work began just moves. One that has moved on is merged with it: conflicts
/// are listed and nothing is changed; otherwise the merged files are verified before anything moves.
/// Your uncommitted files are never written over. Ends with 1 if there are conflicts or files in the
/// way, 3 if the merged work does not hold, 4 if a person must look at it.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
#[command(group(clap::ArgGroup::new("way").required(true).args(["merge", "squash", "pr_body"])))]
pub struct Args {
    /// The run or the relay: its id, the beginning of it, or latest.
    #[arg(default_value = "latest")]
    undertaking: String,

    /// Take its commits as they are, with a merge commit where the branch has others.
    #[arg(long)]
    merge: bool,

    /// Make one commit of it.
    #[arg(long)]
    squash: bool,

    /// Print what a pull request should say about it, and change nothing.
    #[arg(long)]
    pr_body: bool,

    /// Of a plan that was blocked, take the stories that landed. They are verified as a whole first, and
    /// what is missing is said.
    #[arg(long)]
    landed: bool,

    /// Why you take merged work that a person must look at; goes on the record.
    #[arg(long, value_name = "WHY", conflicts_with = "pr_body")]
    looked: Option<String>,

    /// Who is put on the record as the one who accepted.
    #[arg(long, default_value = "user", value_name = "NAME")]
    actor: String,
}

pub fn run(cx: &Context, args: Args) -> Result<Reply, Error> {
    let mut engine = cx.engine()?;
    let undertaking = engine.find_undertaking(&args.undertaking)?;
    let extent = if args.landed { Extent::Landed } else { Extent::Whole };
    if args.pr_body {
        let body = engine.pull_request(undertaking, extent)?;
        let human = ui::printable(&body);
        return Reply::new(json!({ "body": body }), human);
    }
    let way = if args.squash { Way::Squash } else { Way::Merge };
    let wish = Wish { undertaking, way, extent, looked: args.looked, by: args.actor };
    let accepted = engine.accept(&wish, &mut |moment| tell(cx.format, moment))?;
    super::tell_notices(&mut engine);
    let (human, problem) = match &accepted {
        Acceptance::Done(done) => (taken_over(done), None),
        Acceptance::AlreadyThere { branch, head } => {
            let place = place(branch.as_deref());
            (format!("{place} has this work already, at {}\n", head.short()), None)
        }
        Acceptance::Conflicts { branch, conflicts, work, head } => {
            let place = place(branch.as_deref());
            let message = format!("the work and {place} both changed the same places");
            let hint = format!(
                "nothing was changed; solve it on a branch of its own: git switch -c solve && git merge \
                 {}, then countersign verify --base {}",
                ui::printable(work),
                head.short()
            );
            let problem = Error::new(Kind::Refused, message).hint(hint);
            (clashes(conflicts), Some(problem))
        }
        Acceptance::Refused { verification } => {
            let message = "together with what the branch has meanwhile, the work does not hold";
            let hint = "nothing was changed; have it worked on from here: countersign run";
            (verified::human(verification), Some(Error::new(Kind::NotAccepted, message).hint(hint)))
        }
        Acceptance::Human { verification } => {
            (verified::human(verification), Some(waiting(verification)))
        }
    };
    let human = match &problem {
        Some(problem) => format!("{human}\n{}\n", said(problem)),
        None => human,
    };
    Ok(Reply::new(&accepted, human)?.problem(problem))
}

fn taken_over(done: &Done) -> String {
    let how = match done.how {
        How::FastForward => "fast-forward",
        How::MergeCommit => "merge commit",
        How::Squashed => "one commit",
    };
    let place = place(done.branch.as_deref());
    let mut text = format!(
        "{} {place} has the work of {}: {}..{} ({how}), {}\n",
        ui::paint(ui::GOOD, "accepted"),
        done.undertaking,
        done.from.short(),
        done.to.short(),
        ui::count(done.changed as u64, "changed path")
    );
    if let Some(verification) = done.verification {
        let _ = writeln!(text, "  verified again, together with what was there: {verification}");
    }
    if !done.missing.is_empty() {
        text.push_str("  not in it:\n");
    }
    for one in &done.missing {
        let _ = writeln!(text, "    {}", ui::printable(one));
    }
    let _ = writeln!(text, "  undo it:  git reset --keep {}", done.from.short());
    text
}

fn clashes(conflicts: &[Clash]) -> String {
    let mut text = String::from("conflicts:\n");
    for clash in conflicts {
        let kinds = if clash.kinds.is_empty() {
            String::new()
        } else {
            format!(" ({})", clash.kinds.join(", "))
        };
        let _ = writeln!(text, "  {}{kinds}", ui::printable(&clash.path.to_string()));
    }
    text
}

/// Why nothing was changed, and what to do.
fn said(problem: &Error) -> String {
    let hint = problem.hint.as_deref().unwrap_or_default();
    format!("{}: {}\n  {hint}", ui::paint(ui::BAD, "not accepted"), problem.message)
}

fn place(branch: Option<&str>) -> String {
    branch.map_or_else(|| "HEAD".to_owned(), ui::printable)
}

fn waiting(done: &Verification) -> Error {
    let hint = format!(
        "nothing was changed; after a look: accept again with --looked WHY, or countersign review \
         accept {} --note WHY",
        done.id
    );
    Error::new(Kind::Human, "a human must look at the work together with the branch").hint(hint)
}

fn tell(format: Format, moment: &Moment<'_>) {
    if format == Format::Human {
        ui::say(&verified::moment(moment));
    }
}
