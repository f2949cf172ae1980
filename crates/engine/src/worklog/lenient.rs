//! Settings that make no sense must not stop an agent: the session then goes by those that do,
//! and its person is told with every prompt.

use std::collections::BTreeMap;
use std::path::Path;

use crate::Host;
use crate::config::{self, Resolved};
use crate::error::Result;

/// The settings that hold for the repository at `root`, and what is to be told of those that
/// don't.
pub(crate) fn resolve(host: &Host, root: &Path) -> Result<(Resolved, Option<String>)> {
    let error = match config::resolve(host, Some(root)) {
        Ok(resolved) => return Ok((resolved, None)),
        Err(error) => error,
    };
    // What the person set for all projects still counts, if it is not what is wrong.
    let nothing = Host { environment: BTreeMap::new(), ..host.clone() };
    let resolved = config::resolve(host, None).or_else(|_| config::resolve(&nothing, None))?;
    let told = format!(
        "countersign: {}; the defaults hold until this is mended",
        super::hook::brief(&error.message, 300)
    );
    Ok((resolved, Some(told)))
}
