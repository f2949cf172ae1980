//! What the names in a task have to do with tests that were changed: one for another, gone, or not
//! touched by them at all.

use std::collections::BTreeSet;

use countersign_domain::verify::{
    TestEdits, definitions, goes, gone_words, is_about_removal, named, plainly, removals, renames,
};
use countersign_gaming::{Role, Test, outline};

use super::renamed::{is_as_asked, keeps_rest, tokens};
use super::{File, Files, name, text};

type Tests = [(String, Test)];

/// Takes what the task's names say of the tests.
pub(super) fn take(files: &Files, task: &str, (old, new): (&Tests, &Tests), edits: &mut TestEdits) {
    edits.renamed = renamed(files, &renames(task));
    edits.retired = retired(files, task, (old, new));
    edits.kept.extend(trimmed(files, task, (old, new)));
    edits.beside = beside(files, (task, &named(task)), (old, new));
    let is_gated = |(_, test): &&(String, Test)| {
        let heirs = new.iter().filter(|(_, heir)| heir.digest == test.digest || heir.id == test.id);
        let heirs: Vec<&Test> = heirs.map(|(_, heir)| heir).collect();
        !heirs.is_empty() && heirs.iter().all(|heir| heir.markers.len() > test.markers.len())
    };
    edits.gated = old.iter().filter(is_gated).map(|(name, _)| name.clone()).collect();
}

/// The tests that are what they were but for names that the task gives, in files that are what they were
/// around them.
fn renamed(files: &Files, pairs: &[(String, String)]) -> BTreeSet<String> {
    // A name that the code does not have is none that it was given.
    let is_done = |(_, new): &&(String, String)| {
        let has = |side: &Option<Vec<u8>>| has_word(&text(side.as_ref()), new);
        let mut code = files.iter().filter(|file| file.role == Role::Product);
        code.any(|file| has(&file.after) && !has(&file.before))
    };
    let pairs: Vec<(String, String)> = pairs.iter().filter(is_done).cloned().collect();
    let mut found = BTreeSet::new();
    for file in files.iter().filter(|_| !pairs.is_empty()) {
        let (Some(was), Some(is)) = (&file.before, &file.after) else { continue };
        let (before, after) = (outline(&file.path, was), outline(&file.path, is));
        let sides = (text(file.before.as_ref()), text(file.after.as_ref()));
        let is_test = file.role == Role::Test && before.parsed && after.parsed;
        if !is_test || !keeps_rest((&sides.0, &before.tests), (&sides.1, &after.tests), &pairs) {
            continue;
        }
        for test in &before.tests {
            let heir = after.tests.iter().find(|heir| heir.id == test.id);
            if heir.is_some_and(|heir| is_as_asked(test, heir, &pairs)) {
                found.insert(name(test));
            }
        }
    }
    found
}

/// The tests that are gone with what they tried, as the task says. What else they call is still called
/// by other tests, where it is still there.
fn retired(files: &Files, task: &str, (old, new): (&Tests, &Tests)) -> BTreeSet<String> {
    let code = || files.iter().filter(|file| file.role == Role::Product);
    let defines = |side: fn(&File) -> &Option<Vec<u8>>, name: &str| {
        code().any(|file| definitions(&text(side(file).as_ref()), name) > 0)
    };
    let is_gone = |name: &&String| {
        files.lost(name) || defines(|file| &file.before, name) && !defines(|file| &file.after, name)
    };
    let mut gone = removals(task);
    // "Remove the CSV import": the code may call it `importCsv`.
    let calls_of = |(_, test): &(String, Test)| -> Vec<String> {
        calls(&test.text).into_iter().filter(|call| goes(task, call)).map(str::to_owned).collect()
    };
    gone.extend(old.iter().flat_map(calls_of));
    // "Remove the ics output": a test that asks for ics is about that, whatever it is called.
    gone.extend(gone_words(task).into_iter().filter(|word| files.lost(word)));
    let gone: Vec<&String> = gone.iter().filter(is_gone).collect();
    let is_kept = |call: &&str| {
        let is_there = defines(|file| &file.after, call);
        !is_there || new.iter().any(|(_, other)| has_word(&other.text, call))
    };
    let is_retired = |(_, test): &&(String, Test)| {
        let mentions = gone.iter().any(|name| has_word(&test.text, name));
        let is_left = new.iter().any(|(_, other)| other.id == test.id);
        mentions && !is_left && calls(&test.text).iter().all(is_kept)
    };
    old.iter().filter(is_retired).map(|(name, _)| name.clone()).collect()
}

/// The tests that lost only lines about what the task names and the code does not have any more: "We've stopped
/// making Munster. Take it out."
fn trimmed(files: &Files, task: &str, (old, new): (&Tests, &Tests)) -> BTreeSet<String> {
    const LEAST: usize = 4;
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let goes = is_about_removal(&plainly(task));
    let gone: Vec<&str> = task
        .split(|letter: char| !is_part(letter))
        .filter(|word| word.len() >= LEAST && word.contains(char::is_uppercase) && files.lost(word))
        .collect();
    let is_trimmed = |(name, test): &&(String, Test)| {
        let Some((_, heir)) = new.iter().find(|(other, _)| other == name) else { return false };
        let kept: Vec<&str> = heir.text.lines().map(str::trim).collect();
        let mut lost = test.text.lines().map(str::trim).filter(|line| !kept.contains(line));
        let compares = heir.assertions.iter().any(|one| one.fault.is_none() && one.strength > 2);
        compares && lost.all(|line| gone.iter().any(|name| has_word(line, name)))
    };
    let tests = old.iter().filter(|_| goes && !gone.is_empty());
    tests.filter(is_trimmed).map(|(name, _)| name.clone()).collect()
}

/// What a test calls.
pub(super) fn calls(text: &str) -> Vec<&str> {
    let tokens = tokens(text);
    tokens.windows(2).filter(|pair| pair[1] == "(").map(|pair| pair[0]).collect()
}

/// New tests that call what the task names and the base has, themselves or by a function beside them.
pub(super) fn through(files: &Files, task: &str, (old, new): (&Tests, &Tests)) -> BTreeSet<String> {
    const LINES: usize = 40;
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let code = || files.iter().filter(|file| file.role == Role::Product);
    let is_known = |name: &&str| {
        name.len() > 2 && code().any(|file| definitions(&text(file.before.as_ref()), name) > 0)
    };
    let named: Vec<&str> = task.split(|letter: char| !is_part(letter)).filter(is_known).collect();
    if named.is_empty() {
        return BTreeSet::new();
    }
    let sides: Vec<String> = files
        .iter()
        .filter(|file| file.role == Role::Test)
        .map(|file| text(file.after.as_ref()))
        .collect();
    // A function of the tests, from its name on.
    let helper = |call: &str| -> Option<String> {
        let side = sides.iter().find(|side| definitions(side, call) > 0)?;
        let heads = ["func ", "def ", "fn ", "function ", "const "];
        let at = heads.iter().find_map(|head| side.find(&format!("{head}{call}")))?;
        Some(side[at..].lines().take(LINES).collect::<Vec<_>>().join("\n"))
    };
    let goes_there = |text: &str| calls(text).iter().any(|call| named.contains(call));
    let is_through = |(id, test): &&(String, Test)| {
        let is_new = !old.iter().any(|(other, _)| other == id);
        let by_helper = || {
            calls(&test.text).iter().filter_map(|call| helper(call)).any(|text| goes_there(&text))
        };
        is_new && (goes_there(&test.text) || by_helper())
    };
    new.iter().filter(is_through).map(|(name, _)| name.clone()).collect()
}

/// Changed tests that have nothing of what the task names in the code.
fn beside(
    files: &Files,
    (task, named): (&str, &[String]),
    (old, new): (&Tests, &Tests),
) -> BTreeSet<String> {
    let stems: Vec<&str> = task
        .split(|letter: char| letter.is_whitespace() || "`\"'(),;".contains(letter))
        .map(|word| word.trim_end_matches(['.', ':', '?', '!']))
        .filter(|word| {
            files.iter().any(|file| file.role == Role::Product && is_at(&file.path, word))
        })
        .map(subject)
        .collect();
    let is_code = |name: &&String| {
        let sides = |file: &File| [text(file.before.as_ref()), text(file.after.as_ref())];
        let mut code = files.iter().filter(|file| file.role == Role::Product);
        code.any(|file| sides(file).iter().any(|text| has_word(text, name)))
    };
    let named: Vec<&String> = named.iter().filter(is_code).collect();
    let has = |test: &Test| named.iter().any(|name| has_word(&test.text, name));
    // A file of tests that is called after a file which the task names is about it.
    let is_of_named = |test: &Test| {
        let files = files.iter().filter(|file| file.role == Role::Test);
        let mut own = files.filter(|file| text(file.before.as_ref()).contains(&test.text));
        own.any(|file| stems.iter().any(|stem| subject(&file.path) == *stem))
    };
    let is_beside = |(_, test): &&(String, Test)| {
        if is_of_named(test) {
            return false;
        }
        let heir = new.iter().find(|(_, other)| other.id == test.id).map(|(_, heir)| heir);
        heir.is_some_and(|heir| heir.digest != test.digest && !has(test) && !has(heir))
    };
    let beside = old.iter().filter(|_| !named.is_empty()).filter(is_beside);
    beside.map(|(name, _)| name.clone()).collect()
}

/// Whether a word is the name of a file, or the end of its path.
fn is_at(path: &str, word: &str) -> bool {
    word.contains('.')
        && path.strip_suffix(word).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

/// What a file is about by its name: `fares` of `src/fares.js` and of `test/fares.test.js`.
fn subject(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    let stem = stem.strip_prefix("test_").unwrap_or(stem);
    stem.strip_suffix("_test").or_else(|| stem.strip_suffix("_tests")).unwrap_or(stem)
}

/// Whether a text has a word, as a whole.
fn has_word(text: &str, word: &str) -> bool {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let is_whole = |(at, _): (usize, &str)| {
        !text[..at].ends_with(is_word) && !text[at + word.len()..].starts_with(is_word)
    };
    !word.is_empty() && text.match_indices(word).any(is_whole)
}
