//! The demonstration: a small project in a temporary folder, and the real machinery on it.
//!
//! Three attempts by one worker: it says it is done without doing anything; it does half of
//! it; then it does the work. Nothing is played: the same code runs as for any other goal.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use countersign_domain::receipt::Receipt;
use countersign_domain::run::Outcome;
use countersign_domain::{Digest, Stamp};
use serde::Serialize;

use crate::error::{Error, Kind, Result};
use crate::run::{Driven, Goal, Progress};
use crate::{Engine, Host, path_text};

/// The program that is to be mended.
const PROGRAM: &str = "\
#!/bin/sh
# Prints the words of its arguments in lower case, joined by dashes.
printf '%s\\n' \"$*\"
";
/// The test that was there before the work.
const TEST: &str = "\
#!/bin/sh
# Checks slug.sh against what its users expect.
fail=0
expect() {
    found=$(sh slug.sh \"$1\")
    if [ \"$found\" = \"$2\" ]; then
        echo \"ok: '$1' gives '$2'\"
    else
        echo \"FAILED: '$1' gives '$found', expected '$2'\"
        fail=1
    fi
}
expect 'Hello World' 'hello-world'
expect 'One  Two   Three' 'one-two-three'
exit $fail
";
/// The worker: what it does depends on the attempt, and it always says the same.
const WORKER: &str = "\
case $COUNTERSIGN_ATTEMPT in
    1) : ;;
    2) printf '%s\\n' '#!/bin/sh' 'echo \"$*\" | tr \"A-Z \" \"a-z-\"' > slug.sh ;;
    *) printf '%s\\n' '#!/bin/sh' 'echo \"$*\" | tr A-Z a-z | tr -s \" \" -' > slug.sh ;;
esac
echo 'Done! Everything works and all tests pass.'
";

/// What the demonstration leaves behind to look at.
#[derive(Debug, Clone, Serialize)]
pub struct Demonstration {
    #[serde(serialize_with = "path_text::one")]
    pub project: PathBuf,
    #[serde(serialize_with = "path_text::one")]
    pub home: PathBuf,
    pub run: Stamp,
    pub outcome: Outcome,
    /// The last check's receipt.
    pub receipt: Option<Digest>,
}

/// The goal of the demonstration.
pub const GOAL: &str = "slug.sh prints its words in lower case, joined by single dashes";
/// Its check.
pub const CHECK: &str = "sh test.sh";

/// A new folder for a demonstration, which stays for the user to look at.
pub fn temporary_folder() -> std::io::Result<PathBuf> {
    tempfile::Builder::new().prefix("countersign-demo-").tempdir().map(tempfile::TempDir::keep)
}

/// Makes the project and runs the goal, telling `watch` of each step.
pub fn demonstrate(
    host: &Host,
    folder: &Path,
    watch: &mut dyn FnMut(&Progress<'_>),
) -> Result<Demonstration> {
    let (project, home) = (folder.join("project"), folder.join("home"));
    let write = |name: &str, text: &str| {
        let path = project.join(name);
        std::fs::write(&path, text).map_err(|error| Error::io("write", &path, &error))
    };
    std::fs::create_dir_all(&project).map_err(|error| Error::io("create", &project, &error))?;
    write("slug.sh", PROGRAM)?;
    write("test.sh", TEST)?;
    let mut host = host.clone();
    host.cwd.clone_from(&project);
    host.environment.retain(|name, _| !is_setting(name));
    let message = "A small project for the demonstration";
    countersign_git::create(&project, host.environment.clone(), message)?;
    host.environment.insert("COUNTERSIGN_HOME".into(), home.clone().into());
    let mut engine = Engine::open(host)?;
    let goal = Goal {
        contract: None,
        goal: GOAL.into(),
        checks: vec![CHECK.into()],
        worker: format!("command:{WORKER}"),
        base: None,
        attempts: Some(3),
        worker_seconds: None,
        check_seconds: None,
        own_seconds: BTreeMap::new(),
        crew: None,
    };
    let run = engine.open_run(&goal, watch)?;
    let Driven::Ended(outcome) = engine.drive(run, watch)? else {
        return Err(Error::new(Kind::Bug, "the demonstration waits for a person"));
    };
    let receipt = engine.load(run)?.receipts.last().map(Receipt::id);
    Ok(Demonstration { project, home, run, outcome, receipt })
}

/// The user's own settings have no say in the demonstration.
fn is_setting(name: &OsString) -> bool {
    name.to_string_lossy().starts_with("COUNTERSIGN_")
}
