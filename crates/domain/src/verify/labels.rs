//! What a manifest says about a package for people and registries, and whether a task asks for that and
//! for nothing else. No test can show it, as none can show a document.
//!
//! Everything that builds, starts, resolves or tests code is something else, and what a task says besides
//! is something else, too: each of its words has to be about the manifest.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::asks::{is_form_of, words};

/// Fields that only say what a package is, by manifest, with the tables that they stand in.
const LABELS: &[(&str, &[&str], &[&str])] = &[
    (
        "package.json",
        &[""],
        &[
            "license",
            "author",
            "contributors",
            "maintainers",
            "keywords",
            "description",
            "repository",
            "homepage",
            "bugs",
            "funding",
        ],
    ),
    (
        "Cargo.toml",
        &["package", "workspace.package"],
        &[
            "license",
            "license-file",
            "authors",
            "keywords",
            "categories",
            "description",
            "repository",
            "homepage",
            "documentation",
        ],
    ),
    (
        "pyproject.toml",
        &["project"],
        &[
            "license",
            "license-files",
            "authors",
            "maintainers",
            "keywords",
            "description",
            "classifiers",
            "urls",
        ],
    ),
];
/// Fields that say what a package needs. They count only where the task has their very name.
const NEEDS: &[&str] = &["engines", "rust-version", "requires-python"];
/// What manifests and those that read them are called.
const MANIFESTS: &[&str] =
    &["package.json", "cargo.toml", "pyproject.toml", "pyproject", "npm", "crates.io", "pypi"];
/// What is done with a field.
const DEEDS: &[&str] = &[
    "add", "set", "put", "fill", "declare", "specify", "state", "include", "update", "change",
    "give", "mention", "list", "name", "replace",
];
/// Words that ask for nothing by themselves.
const FILLERS: &[&str] = &[
    "a",
    "about",
    "also",
    "an",
    "and",
    "are",
    "as",
    "at",
    "be",
    "by",
    "complains",
    "crate",
    "field",
    "fields",
    "for",
    "from",
    "has",
    "have",
    "in",
    "into",
    "is",
    "it",
    "its",
    "link",
    "metadata",
    "missing",
    "must",
    "needs",
    "no",
    "of",
    "on",
    "or",
    "our",
    "package",
    "please",
    "project",
    "publish",
    "should",
    "that",
    "the",
    "there",
    "this",
    "to",
    "too",
    "url",
    "wants",
    "warns",
    "we",
    "with",
];

/// The fields of a manifest that differ, and the words of what they said and say.
struct Labels {
    fields: BTreeSet<String>,
    words: BTreeSet<String>,
}

/// Whether a manifest differs in nothing but what it says of its package, and the task asks for exactly
/// that.
pub fn is_labelled(task: &str, path: &str, (before, after): (&str, &str)) -> bool {
    let Some(labels) = labels(path, before, after) else { return false };
    let said = told(task);
    let names = |field: &str| {
        let mut parts = field.split('-');
        parts.all(|part| said.iter().any(|word| is_form_of(word, &[part])))
    };
    let is_known = |word: &String| {
        let one = word.as_str();
        FILLERS.contains(&one)
            || MANIFESTS.contains(&one)
            || is_form_of(one, DEEDS)
            || labels.words.contains(one)
            || labels.fields.iter().any(|field| field.split('-').any(|p| is_form_of(one, &[p])))
    };
    // The words that are not about what differs ask for something else, such as a field that is missing.
    said.iter().any(|word| MANIFESTS.contains(&word.as_str()))
        && labels.fields.iter().all(|field| names(field))
        && said.iter().all(is_known)
}

/// The words of a task; the name of a manifest is one word.
fn told(task: &str) -> Vec<String> {
    let mut rest = task.to_lowercase();
    let mut all = Vec::new();
    for name in MANIFESTS.iter().filter(|name| name.contains('.')) {
        if rest.contains(name) {
            all.push((*name).to_owned());
            rest = rest.replace(name, " ");
        }
    }
    all.extend(words(&rest));
    all
}

/// What differs between two versions of a manifest, if it is nothing but labels.
fn labels(path: &str, before: &str, after: &str) -> Option<Labels> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (_, tables, known) = LABELS.iter().find(|(manifest, _, _)| *manifest == name)?;
    let (mut before, mut after) = (read(name, before)?, read(name, after)?);
    let (mut fields, mut values) = (BTreeSet::new(), BTreeSet::new());
    for table in *tables {
        let (was, is) = (take(&mut before, table, known), take(&mut after, table, known));
        let all: BTreeSet<&String> = was.keys().chain(is.keys()).collect();
        for field in all.into_iter().filter(|field| was.get(*field) != is.get(*field)) {
            fields.insert(field.clone());
            let sides = [was.get(field), is.get(field)];
            sides.into_iter().flatten().for_each(|value| spell(value, &mut values));
        }
    }
    (before == after && !fields.is_empty()).then_some(Labels { fields, words: values })
}

fn read(name: &str, text: &str) -> Option<Value> {
    let value: Value = if name == "package.json" {
        serde_json::from_str(text).ok()?
    } else {
        toml::from_str(text).ok()?
    };
    value.is_object().then_some(value)
}

/// Takes the labels out of a table, so that what is left is all the rest.
fn take(manifest: &mut Value, table: &str, known: &[&str]) -> BTreeMap<String, Value> {
    let mut at = Some(manifest);
    for part in table.split('.').filter(|part| !part.is_empty()) {
        at = at.and_then(|value| value.get_mut(part));
    }
    let Some(fields) = at.and_then(Value::as_object_mut) else { return BTreeMap::new() };
    let all = known.iter().chain(NEEDS);
    all.filter_map(|name| Some(((*name).to_owned(), fields.remove(*name)?))).collect()
}

/// The words of a value, and of the names in it.
fn spell(value: &Value, into: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => into.extend(words(text)),
        Value::Array(all) => all.iter().for_each(|one| spell(one, into)),
        Value::Object(all) => {
            for (name, one) in all {
                into.extend(words(name));
                spell(one, into);
            }
        }
        other => into.extend(words(&other.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::is_labelled;

    const NODE: &str = r#"{"name": "e", "version": "1.0.0", "scripts": {"test": "node --test"}}"#;

    fn node(more: &str) -> String {
        NODE.replace(r#""version""#, &format!(r#"{more}, "version""#))
    }

    #[track_caller]
    fn check(task: &str, (path, before, after): (&str, &str, &str), is: bool) {
        assert_eq!(is_labelled(task, path, (before, after)), is, "{task}: {after}");
    }

    /// LP-12: what only says what a package is, and what does more.
    #[test]
    fn labels_of_manifests() {
        let task = "Add license (MIT), repository and \"engines\": node >= 20 to package.json.";
        let all = r#""license": "MIT", "repository": "github:x/e", "engines": {"node": ">=20"}"#;
        let of = |task, more: &str, is| check(task, ("a/package.json", NODE, &node(more)), is);
        of(task, all, true);
        of(task, &format!(r#"{all}, "main": "other.js""#), false);
        of(task, &format!(r#"{all}, "type": "module""#), false);
        of(task, &format!(r#"{all}, "dependencies": {{"left-pad": "1"}}"#), false);
        of(task, &format!(r#"{all}, "jest": {{"bail": true}}"#), false);
        // A part of it, or another value, is not what was asked for.
        of(task, r#""license": "MIT", "repository": "github:x/e""#, false);
        of(task, &all.replace("MIT", "ISC"), false);
        let script = node(all).replace("node --test", "true");
        check(task, ("package.json", NODE, &script), false);
        check(task, ("package.json", NODE, "not json"), false);
        check(task, ("index.js", NODE, &node(all)), false);
        // What nobody asked for may need more than the machine has.
        of("Add the license MIT to package.json", r#""license": "MIT", "engines": {}"#, false);

        let (old, new) = ("[package]\nname = \"e\"\nlicense = \"ISC\"\n", "\nlicense = \"MIT\"\n");
        let new = old.replace("\nlicense = \"ISC\"\n", new);
        let task = "Change the license in Cargo.toml from ISC to MIT";
        check(task, ("Cargo.toml", old, &new), true);
        check(task, ("Cargo.toml", old, &format!("{new}\n[lib]\ntest = false\n")), false);
        check(task, ("Cargo.toml", old, &format!("{new}build = \"x.rs\"\n")), false);
        let (old, new) =
            ("[project]\nname = \"e\"\n", "[project]\nname = \"e\"\nkeywords = [\"a\"]\n");
        check("pyproject.toml needs keywords", ("pyproject.toml", old, new), true);
        let dynamic = format!("{new}scripts = {{ e = \"e:main\" }}\n");
        check("pyproject.toml needs keywords", ("pyproject.toml", old, &dynamic), false);
    }

    /// VC-05: a task for code is not answered by what a package says of itself.
    #[test]
    fn tasks_for_code() {
        let of = |task| {
            let new = node(r#""license": "MIT", "description": "Reads files""#);
            check(task, ("package.json", NODE, &new), false);
            let new = node(r#""description": "Reads files""#);
            check(task, ("package.json", NODE, &new), false);
        };
        of("parse() should return the description");
        of("Add a description field");
        of("Support the description in package.json");
        of("Add a --description flag that prints the description of package.json");
        of("Fix the reading of package.json: the description is lost");
        of("Add the description to package.json, and make it faster");
        of("Update the description in package.json. It does not read comments.");
        of("Add comments");
        of("");
    }
}
