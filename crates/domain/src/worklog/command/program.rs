//! What one program does as it is called: it runs tests, it runs another command, or neither.

use super::Runner;
use super::index::{Section, Way};
use super::table::{fit, of, says_tests, skip_options, takes_back, values};

/// What is known about a program as it is called.
#[derive(Debug)]
pub(super) enum Found {
    Runner(Runner),
    /// It is known, and runs nothing.
    Nothing,
    Unknown,
}

/// A program that is known to run tests, or a script whose name says so.
pub(super) fn direct(program: &str, words: &[String]) -> Found {
    let arguments = &words[1..];
    let values = values(program);
    for way in of(Section::Tests, program) {
        if fit(way.pattern(), arguments, values).is_some() {
            if takes_back(way.about(), arguments) {
                return Found::Nothing;
            }
            let name = way.about().to_owned();
            return Found::Runner(Runner { name, line: way.line, exit_counts: true });
        }
    }
    let script = if words[0].contains(['/', '\\']) || has_script_ending(&words[0]) {
        Some(&words[0])
    } else {
        script(program, arguments)
    };
    match script.filter(|script| is_test_script(script)) {
        Some(_) if takes_back("", arguments) => Found::Nothing,
        Some(script) => {
            let name = file_name(script).to_owned();
            Found::Runner(Runner { name, line: 0, exit_counts: true })
        }
        None => Found::Unknown,
    }
}

/// The file that an interpreter runs.
fn script<'a>(program: &str, arguments: &'a [String]) -> Option<&'a String> {
    of(Section::Interpreters, program).find_map(|way| {
        let at = fit(way.pattern(), arguments, way.about())?;
        arguments.get(skip(arguments, at, way.about())?)
    })
}

fn is_test_script(path: &str) -> bool {
    let name = file_name(path);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    if says_tests(stem) {
        return true;
    }
    let folders = &path[..path.len() - name.len()];
    let mut folders = folders.split(['/', '\\']).filter(|folder| !folder.is_empty());
    let is_relative = !path.starts_with(['/', '~', '$']);
    let is_tests = |folder: &str| {
        matches!(folder, "test" | "tests" | "spec" | "specs" | "__tests__" | "e2e" | "t")
    };
    // What only prepares tests lies in their folder, too.
    let runs = !name.is_empty() && says_tests(&format!("test-{stem}"));
    let foreign = |folder: &str| {
        matches!(folder, "node_modules" | "vendor" | "venv" | ".venv" | "bin" | ".bin")
    };
    is_relative && runs && folders.clone().any(is_tests) && !folders.any(foreign)
}

/// The command that a program such as `sudo` or `npx` runs.
pub(super) fn after<'a>(program: &str, words: &'a [String]) -> Option<&'a [String]> {
    let arguments = &words[1..];
    let inner = |way: &Way| {
        let mut at = fit(way.pattern(), arguments, way.about())?;
        at = skip(arguments, at, way.about())?;
        if way.about().starts_with("+1") {
            at = skip(arguments, at + 1, way.about())?;
        }
        (at < arguments.len()).then(|| (way.pattern().len(), &arguments[at..]))
    };
    // The line that says most: `yarn run` before `yarn`.
    let ways = of(Section::Before, program).filter_map(inner);
    ways.max_by_key(|(length, _)| *length).map(|(_, rest)| rest)
}
/// Skips options; `None` if one of them says that nothing is run.
pub(super) fn skip(words: &[String], at: usize, options: &str) -> Option<usize> {
    let end = skip_options(words, at, options);
    let forbids = |word: &String| {
        options.split(' ').any(|option| option.strip_prefix('!') == Some(word.as_str()))
    };
    (!words[..end].iter().any(forbids)).then_some(end)
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

fn has_script_ending(word: &str) -> bool {
    [".sh", ".bash", ".zsh", ".bat", ".cmd", ".ps1"].iter().any(|ending| word.ends_with(ending))
}

/// The name by which a program is known: without its folder, ending and version.
pub(super) fn program(word: &str) -> &str {
    let name = file_name(word);
    let name =
        [".exe", ".cmd", ".bat"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    // `npx jest@29`; scopes begin with the sign.
    let name = name.find('@').filter(|at| *at > 0).map_or(name, |at| &name[..at]);
    let bare = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    match bare {
        "python" | "pypy" | "ruby" | "perl" | "php" | "node" | "lua" => bare,
        _ => name,
    }
}
