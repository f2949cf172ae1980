//! Projects and contracts as people and agents use them: real repositories, the real program.

#![allow(clippy::unwrap_used)]

mod amend;
mod draft;
mod faults;
mod project;
mod runs;

use countersign_testkit::Project;

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_countersign");

/// A repository with a small web project: scripts that need no more than a shell.
fn web() -> Project {
    let project = Project::new(PROGRAM);
    project.write(
        "package.json",
        "{\n  \"scripts\": {\n    \"typecheck\": \"tsc --noEmit\",\n    \"lint\": \"eslint .\",\n    \
         \"test\": \"jest\",\n    \"test:e2e\": \"playwright test\"\n  }\n}\n",
    );
    project.write("src/settings/DarkModeToggle.tsx", "export const on = 1;\n");
    project.write("src/auth/login.ts", "export const a = 1;\n");
    project.write("docs/guide.md", "# Guide\n");
    project.commit("Begin");
    project
}
