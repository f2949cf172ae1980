//! The fast path: `ledger append` is started for every operation of an agent, so it goes
//! straight from its arguments to the spool. Anything unusual is left to the full parser.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::process::ExitCode;

use countersign_engine::record::{MAX_BYTES, Note, record};
use countersign_engine::{Error, Host};

use crate::ui::{self, Format};

/// The arguments of a plain append.
#[derive(Default)]
struct Words {
    stream: Option<String>,
    kind: Option<String>,
    actor: Option<String>,
}

/// Does the append, if the command line is a plain one.
pub fn try_append() -> Option<ExitCode> {
    let words = parse(std::env::args_os().skip(1))?;
    let (stream, kind) = (words.stream?, words.kind?);
    let actor = words.actor.unwrap_or_else(|| "user".into());
    let code = match Host::of_process().and_then(|host| append(&host, (&stream, &kind, &actor))) {
        Ok(id) => {
            // The entry is acknowledged by its id; a reader that went away loses nothing.
            let _ = writeln!(std::io::stdout(), "{id}");
            0
        }
        Err(error) => ui::show_error(Format::Human, &error),
    };
    Some(ExitCode::from(code))
}

fn parse(mut args: impl Iterator<Item = OsString>) -> Option<Words> {
    if args.next()? != "ledger" || args.next()? != "append" {
        return None;
    }
    let mut words = Words::default();
    while let Some(name) = args.next() {
        let slot = match name.to_str()? {
            "--stream" => &mut words.stream,
            "--kind" => &mut words.kind,
            "--actor" => &mut words.actor,
            _ => return None,
        };
        if slot.replace(args.next()?.into_string().ok()?).is_some() {
            return None;
        }
    }
    Some(words)
}

/// Appends what is on standard input.
pub fn append(host: &Host, (stream, kind, actor): (&str, &str, &str)) -> Result<String, Error> {
    let body = read_input(MAX_BYTES)?;
    record(host, &Note { stream, kind, actor, body: &body })
}

/// Standard input, up to one byte more than `most`: enough for the callee to refuse it.
pub fn read_input(most: usize) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::with_capacity(4096);
    std::io::stdin().lock().take(most as u64 + 1).read_to_end(&mut bytes).map_err(|error| {
        Error::new(countersign_engine::Kind::Usage, format!("can't read standard input: {error}"))
    })?;
    Ok(bytes)
}
