//! A plan that is as small as a plan can be and still holds: a story for each name, which a script of that
//! name prints.

use std::fmt::Write as _;

/// The two files of the plan `names`.
#[derive(Debug, Clone)]
pub struct NamesPlan {
    pub prd: String,
    pub spec: String,
}

impl NamesPlan {
    /// `US-001` prints the first of `names`, and so on.
    pub fn of<S: AsRef<str>>(names: &[S]) -> Self {
        let mut prd =
            String::from("# PRD: names\n\n## Objective\n\nVisitors read names.\n\n## Stories\n\n");
        let (mut rows, mut impacted) = (String::new(), String::new());
        for (number, name) in (1..).zip(names) {
            let name = name.as_ref();
            prd += &story(number, name);
            for (layer, category) in [("L1", "happy"), ("L1", "negative"), ("L3", "boundary")] {
                let _ = writeln!(
                    rows,
                    "| US-{number:03} | AC1 | {layer} | {category} | `sh tests/{name}.sh` | \
                     `{name}_{category}` | {name} |"
                );
            }
            let _ = writeln!(impacted, "- US-{number:03}: none");
        }
        prd += "## Done when\n\n- All tests pass.\n\n## Run choices\n\n- Iteration unit: per story\n- \
             Verify mode: per story\n- Consensus: none\n- Max iterations: 4\n- Self-verification: no\n";
        Self { prd, spec: spec(&rows, &impacted) }
    }

    /// All files that a project needs for it, by their names.
    pub fn files(&self) -> [(&'static str, &str); 4] {
        [
            ("base.sh", "echo base\n"),
            ("tests/all.sh", "sh base.sh | grep -qx base\n"),
            ("plans/names/prd.md", &self.prd),
            ("plans/names/test-spec.md", &self.spec),
        ]
    }
}

fn story(number: usize, name: &str) -> String {
    format!(
        "### US-{number:03}: Print {name}\n\n- Priority: P1\n- Size: S\n- Type: code\n- Risk: LOW\n- \
         Depends on: none\n- Touches: `{name}.sh`, `tests/{name}.sh`\n\n#### AC1\n\n- Given a \
         visitor who wants \"{name}\"\n- When the visitor asks for it\n- Then the visitor reads \
         \"{name}\"\n\n#### Negative cases\n\n- Nothing else is printed.\n\n#### Boundary cases\n\n\
         - Asked twice, it says the same.\n\n#### Verification layers\n\n- L1: the script by \
         itself\n- L2: N/A — no external services\n- L3: the script as a whole\n- L4: N/A — \
         nothing is deployed\n\n"
    )
}

fn spec(rows: &str, impacted: &str) -> String {
    format!(
        "# Test spec: names\n\n## Verification commands\n\n- Build: N/A — scripts\n- Test: `sh \
         tests/all.sh`\n- Lint: N/A — scripts\n\n## Layers\n\n### L1: Unit\n\n- Command: `sh \
         tests/all.sh`\n\n### L2: Integration\n\nN/A — no external services\n\n### L3: End to \
         end\n\n- Happy input: `none`\n- Happy expected: `base`\n- Happy command: `sh base.sh`\n- Error \
         input: `none`\n- Error expected: `no`\n- Error command: `sh none.sh 2>/dev/null || echo \
         no`\n\n### L4: Deploy\n\nN/A — nothing is deployed\n\n## Mutation gate\n\nN/A — no \
         tool\n\n## Criteria to tests\n\n| US | AC | Layer | Category | Command | Test | Expected \
         |\n|---|---|---|---|---|---|---|\n{rows}\n## Impacted tests\n\n{impacted}\n## \
         Reproducibility\n\n- No downloads.\n"
    )
}
