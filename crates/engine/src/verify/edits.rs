//! What reading the change shows: the roles of files, what became of tests, and what looks like
//! gaming.

mod asked;
mod exchanged;
mod guards;
mod heirs;
mod moved;
mod places;
mod renamed;
mod roles;
mod same;
mod undone;
mod values;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use countersign_domain::ObjectId;
use countersign_domain::gaming::{Allow, Basis, Finding, Judged, Rule, Severity, allowed};
use countersign_domain::verify::{
    TestEdits, asks_for_change, codes, definitions, is_exchanged, is_reordered, is_respaced,
    is_spoken, is_taken_out, is_told, is_widened, only_adds,
};
use countersign_gaming::{
    Assertion, Changed, Outline, Role, Task, Test, detect, outline, role, variation,
};
use countersign_git::{Change, Listed, Side};

pub(super) use self::places::places;
pub(super) use self::undone::undone;

use self::roles::Roles;
use self::same::{Names, is_as_strong};
use super::borrow::{Borrowed, touched};
use super::installed::{self, Odd};
use crate::Engine;
use crate::config::PROJECT_FILE;
use crate::error::Result;

/// Nobody writes longer files by hand; what is larger is looked at by its path alone.
const MOST_BYTES: u64 = 4 << 20;

/// One changed file with both its sides.
pub(super) struct File {
    pub path: String,
    pub role: Role,
    pub before: Option<Vec<u8>>,
    pub after: Option<Vec<u8>>,
}

impl File {
    fn changed(&self) -> Changed<'_> {
        Changed { path: &self.path, before: self.before.as_deref(), after: self.after.as_deref() }
    }
}

/// The changed files.
pub(super) struct Files(BTreeMap<PathBuf, File>);

impl Files {
    pub(super) fn read(engine: &Engine, changes: &[Change]) -> Result<Self> {
        let objects: Vec<_> = changes
            .iter()
            .flat_map(|change| [&change.old, &change.new])
            .flatten()
            .filter(|side| is_file(side))
            .map(|side| &side.object)
            .collect();
        let sizes: BTreeMap<_, _> =
            objects.iter().copied().zip(engine.repository.sizes(&objects)?).collect();
        let content = |side: &Option<Side>| -> Result<Option<Vec<u8>>> {
            let Some(side) = side.as_ref().filter(|side| is_file(side)) else { return Ok(None) };
            match sizes.get(&side.object).copied().flatten() {
                Some(length) if length <= MOST_BYTES => {
                    Ok(Some(engine.repository.content(&side.object)?))
                }
                _ => Ok(Some(Vec::new())),
            }
        };
        let mut files = BTreeMap::new();
        for change in changes {
            let path = change.path.to_string_lossy().into_owned();
            let file = File {
                role: role(&path),
                before: content(&change.old)?,
                after: content(&change.new)?,
                path,
            };
            files.insert(change.path.clone(), file);
        }
        Ok(Self(files))
    }

    pub(super) fn file(&self, path: &Path) -> Option<&File> {
        self.0.get(path)
    }

    /// Whether `word` was in the code before, and is in none of the changed files any more.
    fn lost(&self, word: &str) -> bool {
        self.differs(word, |file| &file.before, |file| &file.after)
    }

    /// Whether `word` is in the code now, and was in none of the changed files before.
    fn gained(&self, word: &str) -> bool {
        self.differs(word, |file| &file.after, |file| &file.before)
    }

    /// Whether what the product called `old` is called `new` now.
    fn renames(&self, old: &str, new: &str) -> bool {
        let text = |side: &Option<Vec<u8>>| {
            side.as_ref().map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        };
        let sides = |name: &str| {
            let code = self.iter().filter(|file| file.role == Role::Product);
            code.fold((false, false), |(was, is), file| {
                let defines = |side| text(side).is_some_and(|text| definitions(&text, name) > 0);
                (was || defines(&file.before), is || defines(&file.after))
            })
        };
        let is_gone = self.lost(old) || sides(old) == (true, false);
        is_gone && (self.gained(new) || sides(new).1)
    }

    /// Whether a line of the product is new that has `text` in it.
    pub(super) fn adds(&self, text: &str) -> bool {
        let code = |file: &File, side: &Option<Vec<u8>>| {
            let code = side.as_ref().map(|bytes| countersign_gaming::plain_code(&file.path, bytes));
            let lines = code.unwrap_or_default();
            lines.lines().filter(|line| line.contains(text)).map(str::to_owned).collect::<Vec<_>>()
        };
        self.iter().filter(|file| file.role == Role::Product).any(|file| {
            let before = code(file, &file.before);
            code(file, &file.after).iter().any(|line| !before.contains(line))
        })
    }

    /// Whether `word` is on one side of the code, and not on the other.
    fn differs(
        &self,
        word: &str,
        one: fn(&File) -> &Option<Vec<u8>>,
        other: fn(&File) -> &Option<Vec<u8>>,
    ) -> bool {
        let has = |bytes: &Option<Vec<u8>>| {
            bytes.as_ref().is_some_and(|bytes| {
                let text = String::from_utf8_lossy(bytes);
                text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|one| one == word)
            })
        };
        let code = || self.iter().filter(|file| file.role == Role::Product);
        code().any(|file| has(one(file))) && !code().any(|file| has(other(file)))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &File> {
        self.0.values()
    }
}

fn is_file(side: &Side) -> bool {
    side.mode & 0o170_000 == 0o100_000
}

/// So many tests that were not changed are read for what they have in common with the product.
const MOST_TESTS: usize = 300;

/// Tests of the handed tree, and what they read, that were not changed.
pub(super) fn unchanged_tests(
    engine: &Engine,
    tree: &ObjectId,
    files: &Files,
) -> Result<Vec<(String, Vec<u8>)>> {
    let listed = engine.repository.list(tree)?;
    let tests: Vec<(&str, &ObjectId)> = listed
        .iter()
        .filter(|one| is_file(&one.side) && files.file(&one.path).is_none())
        .filter_map(|one| Some((one.path.to_str()?, &one.side.object)))
        .filter(|(path, _)| matches!(role(path), Role::Test | Role::Fixture | Role::Snapshot))
        .take(MOST_TESTS)
        .collect();
    let objects: Vec<&ObjectId> = tests.iter().map(|(_, object)| *object).collect();
    let sizes = engine.repository.sizes(&objects)?;
    let small = tests
        .into_iter()
        .zip(sizes)
        .filter(|(_, size)| size.is_some_and(|size| size <= MOST_BYTES >> 4));
    let (paths, objects): (Vec<&str>, Vec<&ObjectId>) = small.map(|(test, _)| test).unzip();
    let contents = engine.repository.contents(&objects)?;
    let told = paths.into_iter().zip(contents);
    let mut told: Vec<_> =
        told.filter_map(|(path, bytes)| Some((path.to_owned(), bytes?))).collect();
    told.extend(inline_tests(engine, &listed, files)?);
    Ok(told)
}

/// The tests that stand in files of the product, each as a file of its own. Only Rust has them.
fn inline_tests(
    engine: &Engine,
    listed: &[Listed],
    files: &Files,
) -> Result<Vec<(String, Vec<u8>)>> {
    if !files.iter().any(|file| file.path.strip_suffix(".rs").is_some()) {
        return Ok(Vec::new());
    }
    let code: Vec<(&str, &ObjectId)> = listed
        .iter()
        .filter(|one| is_file(&one.side) && files.file(&one.path).is_none())
        .filter_map(|one| Some((one.path.to_str()?.strip_suffix(".rs")?, &one.side.object)))
        .filter(|(stem, _)| role(&format!("{stem}.rs")) == Role::Product)
        .take(MOST_TESTS)
        .collect();
    let objects: Vec<&ObjectId> = code.iter().map(|(_, object)| *object).collect();
    let sizes = engine.repository.sizes(&objects)?;
    let small = code
        .into_iter()
        .zip(sizes)
        .filter(|(_, size)| size.is_some_and(|size| size <= MOST_BYTES >> 4));
    let (stems, objects): (Vec<&str>, Vec<&ObjectId>) = small.map(|(one, _)| one).unzip();
    let contents = engine.repository.contents(&objects)?;
    let tests = stems.into_iter().zip(contents).filter_map(|(stem, bytes)| {
        let bytes = bytes?;
        let found = outline(&format!("{stem}.rs"), &bytes).inline;
        let parts = found.into_iter().filter_map(|range| bytes.get(range));
        let text = parts.collect::<Vec<_>>().join(&b'\n');
        (!text.is_empty()).then(|| (format!("{stem}/tests.rs"), text))
    });
    Ok(tests.collect())
}

/// Values that the new code names and that stand in tests.
pub(super) fn shared(files: &Files, tests: &[(String, Vec<u8>)], task: &str) -> Vec<String> {
    let changed: Vec<Changed<'_>> = files.iter().map(File::changed).collect();
    let tests: Vec<countersign_gaming::File<'_>> =
        tests.iter().map(|(path, bytes)| countersign_gaming::File { path, bytes }).collect();
    variation::shared(&changed, &tests, task)
}

/// What looks like gaming.
pub(super) fn findings(
    files: &Files,
    (task, tests): (&str, &[(String, Vec<u8>)]),
    borrowed: &[Borrowed],
    allows: &[Allow],
) -> Vec<Judged> {
    // What `init` writes says nothing yet.
    let is_ours = |file: &&File| {
        file.path == PROJECT_FILE
            && file.before.is_none()
            && file.after.as_deref() == Some(crate::init::PROJECT.as_bytes())
    };
    let changed: Vec<Changed<'_>> =
        files.iter().filter(|file| !is_ours(file)).map(File::changed).collect();
    let tests: Vec<countersign_gaming::File<'_>> =
        tests.iter().map(|(path, bytes)| countersign_gaming::File { path, bytes }).collect();
    let mut found = detect(&changed, &Task { text: task, tests: &tests });
    for one in borrowed {
        if let Some(file) = touched(one) {
            let path = format!("{}/{}", one.path, file.display());
            let message = "an installed package was changed after its installation";
            let finding = Finding::new(Rule::G42, Basis::Execution, message).at(&path, None);
            found.push(finding.graded(Severity::Block));
        }
        for odd in installed::odd(one) {
            let (file, message, severity) = match &odd {
                Odd::Changed(file) => {
                    let message = "an installed package was changed after its installation";
                    (file, message, Severity::Block)
                }
                Odd::Extra(file) => {
                    let message = "no installed package has this file, and checks would run it";
                    (file, message, Severity::Warn)
                }
            };
            let path = format!("{}/{}", one.path, file.display());
            let finding = Finding::new(Rule::G42, Basis::Execution, message).at(&path, None);
            found.push(finding.graded(severity));
        }
    }
    allowed(found, allows)
}

/// What became of the base's tests, by their names.
pub(super) fn edits(files: &Files, task: &str) -> (TestEdits, Roles) {
    let mut edits = TestEdits::default();
    let mut roles = Roles::default();
    let mut old: Vec<(String, Test)> = Vec::new();
    let mut new: Vec<(String, Test)> = Vec::new();
    for file in files.iter() {
        edits.reverted |= roles.take(file, task);
        edits.named |= is_named(file, task);
        let is_protected = super::grounds::is_protected(file.role);
        edits.reverted |= is_protected && file.before.is_some();
        if matches!(file.role, Role::Fixture | Role::Snapshot) {
            edits.fixtures = true;
        }
        let tests = |bytes: &Option<Vec<u8>>| -> Outline {
            bytes.as_ref().map(|bytes| outline(&file.path, bytes)).unwrap_or_default()
        };
        let (before, after) = (tests(&file.before), tests(&file.after));
        if file.role == Role::Test && file.before.is_some() && before.tests.is_empty() {
            // Tests that nobody could read were changed: any of them may be another now.
            edits.is_partial |= !before.parsed;
        }
        for test in after.tests.iter().filter(|_| after.parsed) {
            let was = before.tests.iter().find(|other| other.id == test.id);
            let is_new = before.tests.iter().all(|other| other.digest != test.digest);
            if is_new && is_weak(test, was) {
                edits.weak.insert(name(test));
            }
            if is_new && is_faint(test) {
                edits.faint.insert(name(test));
            }
        }
        if let (Some(was), Some(is)) = (&file.before, &file.after) {
            edits.equivalent.extend(same::merged((was, &before), (is, &after)));
            edits.tabled.extend(heirs::tabled(&before, &after));
        }
        old.extend(before.tests.into_iter().map(|test| (name(&test), test)));
        new.extend(after.tests.into_iter().map(|test| (name(&test), test)));
    }
    compare(files, task, (&old, &new), &mut edits);
    edits.moved = moved::moved(files);
    edits.fixtures_told = are_recordings_told(files, task);
    asked::take(files, task, (&old, &new), &mut edits);
    edits.values_told = values::are_told(files, task);
    // What is different about them is what the task speaks of.
    edits.beside.retain(|name| !edits.told.contains(name));
    edits.gained = gained(files);
    edits.through = asked::through(files, task, (&old, &new));
    (edits, roles)
}

/// Whether the task calls a changed file by its name; one that was there before also without its ending.
fn is_named(file: &File, task: &str) -> bool {
    const LEAST: usize = 4;
    let name = file.path.rsplit('/').next().unwrap_or(&file.path).to_lowercase();
    let is_part = |letter: char| letter.is_alphanumeric() || "._-".contains(letter);
    let lower = task.to_lowercase();
    let mut said =
        lower.split(|letter: char| !is_part(letter)).map(|word| word.trim_end_matches('.'));
    let stem = name.trim_start_matches('.').split('.').next().unwrap_or(&name);
    let is_known = file.before.is_some() && stem.len() >= LEAST;
    said.any(|word| word == name || is_known && word == stem)
}

/// Tests with the names that their author gave them.
type Named = [(String, Test)];

/// What became of each of the base's tests that is another now, or gone.
fn compare(files: &Files, task: &str, (old, new): (&Named, &Named), edits: &mut TestEdits) {
    let (is_lost, is_gained) = (|word: &str| files.lost(word), |word: &str| files.gained(word));
    let names = Names { is_lost: &is_lost, is_gained: &is_gained };
    let (codes, mut ended) = (codes(task), Vec::new());
    // A mend leaves what passed as it is, whatever both speak of.
    let may_follow = asks_for_change(task);
    let is_spoken = |old: &str, new: &str| may_follow && is_spoken(task, old, new);
    for (name, test) in old {
        if new.iter().any(|(_, other)| other.digest == test.digest && other.id == test.id) {
            continue;
        }
        edits.changed.insert(name.clone());
        let is_renamed =
            |other| renamed::is_renamed(test, other, &|old, new| files.renames(old, new));
        if new.iter().any(|(_, other)| is_as_strong(test, other, &names) || is_renamed(other)) {
            edits.equivalent.insert(name.clone());
        }
        let heir = new.iter().find(|(_, other)| other.id == test.id);
        if heir.is_some_and(|(_, heir)| guards::is_guarded(test, heir)) {
            edits.guarded.insert(name.clone());
        }
        let is_told = |heir: &Test| {
            // What was only added explains no answer that is another one now.
            let (was, is) = exchanged::lines(&test.text, &heir.text);
            let is_explained = is_told(task, &was, &is)
                || [is_respaced, is_exchanged]
                    .iter()
                    .any(|told| told(task, &test.text, &heir.text));
            heirs::is_firm(test, heir) && (is_explained || is_spoken(&was, &is))
        };
        let other = heirs::heir(test, old, new).or_else(|| {
            let fresh = heirs::successor(test, old, new);
            fresh.filter(|heir| is_spoken(&test.text, &heir.text))
        });
        if let Some(other) = other {
            edits.heirs.insert(name.clone(), self::name(other));
        }
        let heir = heir.map(|(_, heir)| heir).or(other);
        if heir.is_some_and(is_told) {
            edits.told.insert(name.clone());
        }
        if heir.is_some_and(|heir| heirs::is_firm(test, heir)) {
            edits.firm.insert(name.clone());
        }
        if heir.is_some_and(|heir| heirs::is_kept(test, heir, files)) {
            edits.kept.insert(name.clone());
        }
        if heir.is_some_and(|heir| heirs::expects(test, heir, &codes)) {
            ended.push(name);
        }
    }
    // An end that the task names explains one test that came to it in another way. Where several do,
    // more is refused than was asked for, as far as anybody knows.
    if let [one] = ended[..] {
        edits.told.insert(one.clone());
    }
}

/// Whether the task explains why what tests read is another now.
fn are_recordings_told(files: &Files, task: &str) -> bool {
    const DATA: &[&str] = &["fixture", "golden", "snapshot", "recording", "recorded", "testdata"];
    let read = files.iter().filter(|file| matches!(file.role, Role::Fixture | Role::Snapshot));
    let sides: Vec<(String, String)> =
        read.map(|file| (text(file.before.as_ref()), text(file.after.as_ref()))).collect();
    // What is new beside the old explains no other answer of the old, whatever words they share.
    let may_differ = asks_for_change(task) && !only_adds(task);
    let names = |was: &str, is: &str| {
        let is_spoken = may_differ && !was.is_empty() && !is.is_empty() && is_spoken(task, was, is);
        is_told(task, was, is)
            || is_reordered(task, was, is)
            || is_widened(task, was, is)
            || is_spoken
    };
    // Empty lines are said of all of them or of none: they name no recording.
    // What is to be gone is gone from what comes out, and stays in what goes in.
    let all = |told: fn(&str, &str, &str) -> bool| {
        !sides.is_empty() && sides.iter().all(|(was, is)| told(task, was, is))
    };
    // What explains one recording explains no other, unless all of them were to follow.
    let lower = task.to_lowercase();
    let are_meant = DATA.iter().any(|word| lower.contains(word));
    let mut others = sides.iter().filter(|(was, is)| !was.is_empty() && !is.is_empty()).peekable();
    let are_named = if are_meant {
        sides.iter().any(|(was, is)| names(was, is))
    } else {
        others.peek().is_some() && others.all(|(was, is)| names(was, is))
    };
    are_named || all(is_respaced) || all(is_taken_out)
}

fn text(side: Option<&Vec<u8>>) -> String {
    side.map(|bytes| String::from_utf8_lossy(bytes).into_owned()).unwrap_or_default()
}

/// Functions of Rust that are new: what their documentation shows could not be built before.
fn gained(files: &Files) -> BTreeSet<String> {
    let code = files
        .iter()
        .filter(|file| file.role == Role::Product && file.path.strip_suffix(".rs").is_some());
    let texts =
        code.filter_map(|file| file.after.as_ref()).map(|after| String::from_utf8_lossy(after));
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut found = BTreeSet::new();
    for text in texts {
        let names = text.split("fn ").skip(1).filter_map(|rest| rest.split(|l| !is_word(l)).next());
        found.extend(names.filter(|name| name.len() > 1 && files.gained(name)).map(str::to_owned));
    }
    found
}

/// Whether what a test asserts now, and did not before, could hardly ever fail.
fn is_weak(test: &Test, was: Option<&Test>) -> bool {
    let is_wide = |tolerance: f64| tolerance >= 0.5;
    let is_old = |one: &&Assertion| {
        let known = was.into_iter().flat_map(|was| &was.assertions);
        known.into_iter().any(|old| old.subject == one.subject && old.expected == one.expected)
    };
    let added: Vec<&Assertion> = test.assertions.iter().filter(|one| !is_old(one)).collect();
    if added.is_empty() {
        // The same is asserted of something that is called in another way, or it asserts in a way
        // that nobody can read; a test without any check is a finding of its own.
        return false;
    }
    // Beside a check that is always true, a type or "anything at all" is no more than decoration.
    let least = if added.iter().any(|one| one.fault.is_some()) { 3 } else { 1 };
    added.iter().all(|one| {
        let is_type =
            ["typeof ", "isinstance(", "instanceof "].iter().any(|word| one.text.contains(word))
                && ![" && ", " and "].iter().any(|word| one.text.contains(word));
        one.fault.is_some() || is_type || one.strength < least || one.tolerance.is_some_and(is_wide)
    })
}

/// Whether all that a test asserts is that something ends well.
fn is_faint(test: &Test) -> bool {
    let ends_well = |one: &Assertion| {
        let is_denied = one.text.contains("(!") || one.text.contains("&&");
        let says = [".is_ok()", ".is_some()", "err != nil"];
        one.strength < 2 && !is_denied && says.iter().any(|word| one.text.contains(word))
    };
    !test.assertions.is_empty() && test.assertions.iter().all(ends_well)
}

/// Adds the tests that findings say little good of: they show nothing about the work.
pub(super) fn discount(edits: &mut TestEdits, findings: &[Judged]) {
    const RULES: [Rule; 8] =
        [Rule::G07, Rule::G11, Rule::G12, Rule::G13, Rule::G14, Rule::G15, Rule::G18, Rule::G29];
    // A new test that checks nothing is no gaming by itself, and shows nothing either.
    let meant = findings.iter().filter(|one| {
        RULES.contains(&one.finding.rule)
            && (one.severity() >= Severity::Warn || one.finding.rule == Rule::G07)
    });
    for one in meant {
        if let Some(name) = one.finding.message.split('\'').nth(1) {
            let bare = name.rsplit("::").next().unwrap_or(name);
            edits.weak.insert(bare.to_owned());
        }
    }
}

/// The bare name of a test.
fn name(test: &Test) -> String {
    test.id.rsplit("::").next().unwrap_or(&test.id).to_owned()
}
