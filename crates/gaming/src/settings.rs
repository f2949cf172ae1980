//! What in a manifest is read by the runner of tests alone: it belongs to the tests, and not to the
//! code.

/// Keys of a `package.json` that set a runner.
const KEYS: &[&str] = &["jest", "vitest", "mocha", "ava", "tap", "nyc", "c8"];

/// How the headings of tables begin that set a runner.
fn headings(name: &str) -> &'static [&'static str] {
    match name {
        "pyproject.toml" => &["[tool.pytest"],
        "setup.cfg" | "tox.ini" => &["[tool:pytest]", "[pytest]"],
        "Cargo.toml" => &["[[test]]", "[profile.test]"],
        _ => &[],
    }
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The manifest without settings of the runner. Other files are as they are.
pub fn without(path: &str, text: &str) -> String {
    if name_of(path) == "package.json" {
        return json(text, None).unwrap_or_else(|| text.to_owned());
    }
    let (rest, _) = parted(path, text);
    rest.trim_end().to_owned()
}

/// The manifest `text` with the settings of the runner that `other` has; nothing if these are the
/// same, or if the file is none that has any.
pub fn with(path: &str, text: &str, other: &str) -> Option<String> {
    if name_of(path) == "package.json" {
        let (own, theirs) = (json(text, Some(text))?, json(text, Some(other))?);
        return (own != theirs).then_some(theirs);
    }
    let ((rest, own), (_, theirs)) = (parted(path, text), parted(path, other));
    (own != theirs).then(|| format!("{}\n\n{theirs}", rest.trim_end()))
}

/// What is not of the runner, and what is.
fn parted(path: &str, text: &str) -> (String, String) {
    let headings = headings(name_of(path));
    let (mut rest, mut settings) = (String::new(), String::new());
    let mut is_setting = false;
    for line in text.lines() {
        if line.starts_with('[') {
            is_setting = headings.iter().any(|heading| line.starts_with(heading));
        }
        let into = if is_setting { &mut settings } else { &mut rest };
        into.push_str(line);
        into.push('\n');
    }
    (rest, settings.trim_end().to_owned())
}

/// A `package.json` with the runner's settings of another one, or with none.
fn json(text: &str, settings: Option<&str>) -> Option<String> {
    let mut value: serde_json::Value = serde_json::from_str(text).ok()?;
    let other: Option<serde_json::Value> = settings.map(serde_json::from_str).transpose().ok()?;
    let all = value.as_object_mut()?;
    for key in KEYS {
        let theirs = other.as_ref().and_then(|other| other.get(key)).cloned();
        match theirs {
            Some(theirs) => all.insert((*key).to_owned(), theirs),
            None => all.remove(*key),
        };
    }
    let is_test =
        |name: &str| ["test", "pretest", "posttest"].iter().any(|one| name.starts_with(one));
    if let Some(scripts) = all.get_mut("scripts").and_then(serde_json::Value::as_object_mut) {
        scripts.retain(|name, _| !is_test(name));
        let theirs = other.as_ref().and_then(|other| other.get("scripts")?.as_object());
        for (name, script) in theirs.into_iter().flatten().filter(|(name, _)| is_test(name)) {
            scripts.insert(name.clone(), script.clone());
        }
    }
    serde_json::to_string_pretty(&value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G05: the clean room has the base's settings, wherever they stand.
    #[test]
    fn settings_of_the_runner_are_exchanged() {
        let old = "[project]\nname = 'a'\n\n[tool.pytest.ini_options]\ntestpaths = ['t']\n";
        let new = "[project]\nname = 'b'\n\n[tool.pytest.ini_options]\naddopts = '-k x'\n";
        let room = with("pyproject.toml", new, old).unwrap();
        assert!(room.contains("name = 'b'") && room.contains("testpaths = ['t']"), "{room}");
        assert!(!room.contains("addopts"), "{room}");
        assert_eq!(with("pyproject.toml", old, old), None);
        assert_eq!(with("README.md", old, new), None);
    }

    #[test]
    fn what_is_left_is_of_the_code() {
        let old = "[package]\nname = \"a\"\n";
        let new = "[package]\nname = \"a\"\n\n[[test]]\nname = \"cases\"\nharness = false\n";
        assert_eq!(without("Cargo.toml", old), without("Cargo.toml", new));
        let old = r#"{"type": "module", "scripts": {"test": "node --test", "build": "tsc"}}"#;
        let new = r#"{"type": "module", "scripts": {"test": "true", "build": "tsc"}, "jest": {}}"#;
        assert_eq!(without("package.json", old), without("package.json", new));
        assert!(with("package.json", new, old).unwrap().contains("node --test"));
        assert_eq!(without("package.json", "not json"), "not json");
    }
}
