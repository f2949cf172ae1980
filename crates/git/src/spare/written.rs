//! Which files git writes with other bytes than their objects have: those can't be told by their
//! content, so in a spare checkout they are always written anew.

use std::collections::HashSet;

use crate::command::Git;
use crate::discover;
use crate::error::Error;
use crate::settings::Config;

/// The attributes that decide what is written.
const DECIDING: [&str; 4] = ["filter", "ident", "working-tree-encoding", "eol"];

/// Whether line endings are changed in files that have no attributes.
pub(crate) fn everywhere(config: &Config) -> bool {
    let is_crlf = |value: &[u8]| value.eq_ignore_ascii_case(b"crlf");
    config.last("core.autocrlf").is_some_and(discover::is_true)
        || config.last("core.eol").is_some_and(is_crlf)
}

/// Those of the paths in `asked`, each with a zero at its end, that are not written as they are. `git`
/// has the index with them and their attributes.
pub(crate) fn otherwise(git: Git, asked: Vec<u8>) -> Result<HashSet<Vec<u8>>, Error> {
    let git = git.args(["check-attr", "--cached", "-z", "--stdin"]).args(DECIDING).input(asked);
    let said = git.output()?;
    let mut parts = said.split(|byte| *byte == 0);
    let mut found = HashSet::new();
    while let (Some(path), Some(name), Some(value)) = (parts.next(), parts.next(), parts.next()) {
        let is_plain = matches!(value, b"unspecified" | b"unset" | b"")
            || (name == b"eol" && value.eq_ignore_ascii_case(b"lf"));
        if !is_plain {
            found.insert(path.to_vec());
        }
    }
    Ok(found)
}
