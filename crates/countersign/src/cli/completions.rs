//! `countersign completions`: scripts for shells.

use clap_complete::{Shell, generate};
use countersign_engine::Error;
use serde_json::json;

use crate::ui::Reply;

/// Print the completion script of a shell.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[arg(value_enum)]
    shell: Shell,
}

pub fn run(args: &Args) -> Result<Reply, Error> {
    let mut script = Vec::new();
    generate(args.shell, &mut super::command(), "countersign", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    Reply::new(json!({ "shell": args.shell.to_string(), "script": script }), script)
}
