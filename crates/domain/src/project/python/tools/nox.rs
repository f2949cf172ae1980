//! Sessions of nox, by their names: the lints and type checks that a project keeps there.

use super::super::super::files::Files;
use super::super::super::names::{ENVIRONMENTS, activity_of};
use super::super::super::types::{Activity, Evidence, Part};

/// What sessions of nox and environments of tox are called, besides what scripts are.
const SESSIONS: &[(&str, Activity)] = &[
    ("typing", Activity::Typecheck),
    ("mypy", Activity::Typecheck),
    ("pyright", Activity::Typecheck),
    ("linting", Activity::Lint),
    ("flake8", Activity::Lint),
    ("ruff", Activity::Lint),
    ("pylint", Activity::Lint),
    ("pre-commit", Activity::Lint),
    ("pre_commit", Activity::Lint),
    ("tests", Activity::Unit),
    ("pytest", Activity::Unit),
];

/// Adds the sessions of `file` that are named for an activity.
pub(super) fn add(files: &Files<'_>, part: &mut Part, file: &str) {
    let Some(text) = files.text(file) else { return };
    for (name, line) in sessions(&text) {
        let Some(activity) = named_for(&name) else { continue };
        let why = Evidence::new(file, line, format!("a session of nox: {name}"));
        part.add(activity, ENVIRONMENTS, &["nox", "-s", &name], why);
    }
}

/// What a session or an environment is for, by its name.
pub(super) fn named_for(name: &str) -> Option<Activity> {
    let own = SESSIONS.iter().find(|(known, _)| *known == name).map(|(_, activity)| *activity);
    // `check` is a name for anything.
    let other = activity_of(name).filter(|_| name != "check").map(|(activity, _)| activity);
    // A formatter that is called so changes files; nobody says whether it can only look.
    own.or(other).filter(|one| *one != Activity::Format)
}

/// The names of the sessions, each with the line that names it: what the decorator says, or the name of
/// the function below it.
fn sessions(text: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    let mut decorator: Option<String> = None;
    for (number, line) in (1..).zip(text.lines()) {
        let is_session = ["@nox.session", "@session", "@nox_session"].iter().any(|start| {
            line.strip_prefix(start).is_some_and(|r| r.is_empty() || r.starts_with(['(', ' ']))
        });
        if is_session {
            decorator = Some(line.to_owned());
        } else if let Some(function) = line.strip_prefix("def ") {
            let Some(said) = decorator.take() else { continue };
            let own = function.split(['(', ' ']).next().unwrap_or_default();
            found.push((named(&said).unwrap_or_else(|| own.to_owned()), number));
        } else if let Some(said) = decorator.as_mut() {
            // A decorator may take several lines.
            said.push_str(line.trim());
        }
    }
    found
}

/// What a decorator calls its session: `name="lint"`.
fn named(decorator: &str) -> Option<String> {
    let at = decorator.find("name=").or_else(|| decorator.find("name ="))?;
    let rest = decorator[at..].split_once('=')?.1.trim_start();
    let quote = rest.chars().next().filter(|letter| matches!(letter, '"' | '\''))?;
    rest[1..].split(quote).next().filter(|name| !name.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::sessions;

    /// VC-05: sessions are known by their decorators, over several lines as well.
    #[test]
    fn sessions_and_their_names() {
        let text = "import nox\n\n@nox.session\ndef lint(session): ...\n\n@nox.session(\n    \
                    python=[\"3.12\"],\n    name=\"type-check\",\n)\n@nox.parametrize(\"x\", [1])\n\
                    def types(session): ...\n\ndef tests(session): ...\n\n@session(py=3)\n\
                    def unit(session): ...\n\n@sessions\ndef no(session): ...\n";
        let found = sessions(text);
        let names: Vec<(&str, usize)> = found.iter().map(|(n, line)| (n.as_str(), *line)).collect();
        assert_eq!(names, [("lint", 4), ("type-check", 11), ("unit", 16)]);
    }
}
