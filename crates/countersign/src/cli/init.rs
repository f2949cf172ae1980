//! `countersign init`: set a repository up.

use countersign_engine::{Engine, Error};

use super::Context;
use crate::ui::Reply;

/// Set this repository up. Says what it wrote; doing it again changes nothing.
#[derive(Debug, clap::Args)]
pub struct Args {}

pub fn run(cx: &Context, _: &Args) -> Result<Reply, Error> {
    let (mut engine, initialised) = Engine::init(cx.host.clone())?;
    super::tell_notices(&mut engine);
    let mut human = String::new();
    for path in &initialised.wrote {
        human += &format!("wrote    {}\n", path.display());
    }
    for path in &initialised.kept {
        human += &format!("kept     {}\n", path.display());
    }
    human += "\nnext: countersign doctor, or countersign demo to see how it works\n";
    Reply::new(initialised, human)
}
