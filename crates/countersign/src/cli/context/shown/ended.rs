//! How it looks when an account is made anew, and when contexts end.

use countersign_engine::Error;
use countersign_engine::context::{PurgedContext, RebuiltContext, Swept};

use super::short;
use crate::ui::{self, Reply};

pub fn rebuilt(rebuilt: &RebuiltContext) -> Result<Reply, Error> {
    let mut text = String::new();
    for change in &rebuilt.changed {
        text.push_str(&format!("  {}\n", ui::printable(change)));
    }
    text.push_str(&match (rebuilt.is_new, rebuilt.dry_run) {
        (false, _) => "nothing has changed: the account is what it was\n".to_owned(),
        (true, true) => "the account would be made anew\n".to_owned(),
        (true, false) => format!(
            "the account was made anew: {} → {}\n",
            short(&rebuilt.before),
            short(&rebuilt.after)
        ),
    });
    for warning in &rebuilt.warnings {
        text.push_str(&format!("{}: {}\n", ui::paint(ui::BOLD, "note"), ui::printable(warning)));
    }
    Reply::new(rebuilt, text)
}

pub fn purged(purged: &PurgedContext) -> Result<Reply, Error> {
    let human = match &purged.kept_until {
        Some(until) => format!("purged: {}; its trees can be restored until {until}", purged.task),
        None => format!("{} has nothing to purge", purged.task),
    };
    Reply::new(purged, human)
}

pub fn swept(swept: &Swept) -> Result<Reply, Error> {
    let would = if swept.dry_run { "would be " } else { "" };
    let mut text = String::new();
    for (names, what) in [
        (&swept.purged, "purged"),
        (&swept.released, "let go"),
        (&swept.orphans, "removed, as it belongs to no context"),
    ] {
        for name in names {
            text.push_str(&format!("{}: {would}{what}\n", ui::printable(name)));
        }
    }
    if swept.unfinished > 0 {
        let what = ui::count(swept.unfinished, "unfinished text");
        text.push_str(&format!("{what} of killed processes: removed\n"));
    }
    if text.is_empty() {
        text.push_str("there is nothing to sweep\n");
    }
    Reply::new(swept, text)
}
