//! How long a clean release build takes.

use std::process::{Command, Stdio};

use super::arena::Arena;
use super::measure::time;
use super::report::{Bar, Figure, Row};

pub(super) fn measure(arena: &Arena) -> anyhow::Result<Vec<Row>> {
    let mut command = Command::new(crate::root::cargo());
    command.args(["build", "--release", "--workspace", "--locked"]).current_dir(&arena.root);
    let target = arena.path("build");
    let taken = time(command.arg("--target-dir").arg(&target).stderr(Stdio::null()))?;
    arena.remove("build")?;
    let what = "clean release build of the workspace";
    Ok(vec![Row::alone(what, Figure::Time(taken), Bar::None, 1)])
}
