//! `countersign man`: manual pages.

use std::path::PathBuf;

use countersign_engine::{Error, Kind};
use serde_json::json;

use crate::ui::Reply;

/// Print the manual page, or write the pages of all verbs to a folder.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Write one page for each verb here.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

pub fn run(args: &Args) -> Result<Reply, Error> {
    let failed = |error: std::io::Error| {
        Error::new(Kind::Unavailable, format!("can't write the manual: {error}"))
    };
    if let Some(out) = &args.out {
        std::fs::create_dir_all(out).map_err(failed)?;
        clap_mangen::generate_to(super::command(), out).map_err(failed)?;
        let shown = out.display().to_string();
        return Reply::new(json!({ "out": shown }), format!("wrote the pages to {shown}"));
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(super::command()).render(&mut page).map_err(failed)?;
    let page = String::from_utf8_lossy(&page).into_owned();
    Reply::new(json!({ "page": page }), page)
}
