//! `countersign doctor`: is everything there that is needed?

use countersign_engine::doctor::{Health, examine};
use countersign_engine::{Error, Kind};
use serde_json::json;

use super::Context;
use crate::ui::{self, Reply};

/// Look at git, the ledger, the key, the disk, the agents and the sandbox.
#[derive(Debug, clap::Args)]
pub struct Args {}

pub fn run(cx: &Context, _: &Args) -> Result<Reply, Error> {
    let findings = examine(&cx.host);
    let mut human = String::new();
    for finding in &findings {
        let mark = match finding.health {
            Health::Good => ui::paint(ui::GOOD, "ok  "),
            Health::Note => ui::paint(ui::BOLD, "note"),
            Health::Bad => ui::paint(ui::BAD, "BAD "),
        };
        human += &format!("{mark}  {:<10}  {}\n", finding.what, ui::printable(&finding.detail));
        if let Some(hint) = &finding.hint {
            human += &format!("                  {}\n", ui::printable(hint));
        }
    }
    let bad = findings.iter().any(|finding| finding.health == Health::Bad);
    let reply = Reply::new(json!({ "healthy": !bad, "findings": findings }), human)?;
    let problem = bad.then(|| Error::new(Kind::Refused, "something needs mending; see findings"));
    Ok(reply.problem(problem))
}
