//! What a command that did not end well printed, as far as a verdict needs it: its last lines, what it
//! says is missing here, and whether it said the same on another tree.

use std::sync::LazyLock;

use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::Digest;
use crate::qa::plain_lines;

/// How many lines at the end are kept, and how long one may be.
const LINES: usize = 12;
const LONGEST: usize = 400;

/// In so many lines at the end, a command says why it ended.
const END: usize = 60;

/// What a run printed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Said {
    /// Its last lines.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tail: String,
    /// What it could not do without, and did not find.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lacks: Option<Lack>,
    /// All of it, without what is another number in every run; nothing if it printed nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gist: Option<Digest>,
    /// Whether it says that code could not be built or loaded.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_unbuilt: bool,
}

/// Something that is missing on this machine, by the words of whoever looked for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Lack {
    pub line: String,
    /// What would bring it.
    pub mend: String,
    /// Whether it is said at the end of the output.
    pub is_last: bool,
}

/// What programs say when something would have to be fetched or is not installed, in small letters, and
/// what helps.
const WORDS: &[(&str, &str)] = &[
    ("but --offline was specified", CARGO),
    ("failed to get `", CARGO),
    ("failed to download", FETCH),
    ("unable to update registry", CARGO),
    ("no matching package named", CARGO),
    ("could not resolve host", FETCH),
    ("temporary failure in name resolution", FETCH),
    ("name or service not known", FETCH),
    ("enotfound", FETCH),
    ("eai_again", FETCH),
    ("enotcached", NODE),
    ("module lookup disabled by goproxy=off", GO),
    ("dial tcp", FETCH),
];

const CARGO: &str = "`cargo fetch` brings what the project needs";
const GO: &str = "`go mod download` brings what the project needs";
const NODE: &str = "`npm install` brings what the project needs";
const PYTHON: &str =
    "install what the project needs for the Python that runs it, such as with `pip install -e .`";
const FETCH: &str = "fetch it first: checks have no network";
const PROGRAM: &str = "install it";

impl Said {
    /// What is to be kept of `text`. `is_to_come` says of a module whether it is one of the project's
    /// own that the base does not have yet: that is nothing that could be installed.
    pub fn of(text: &str, is_to_come: &dyn Fn(&str) -> bool) -> Self {
        let text = &*plain_lines(text);
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        let kept: Vec<&str> = lines.iter().filter(|line| !line.is_empty()).copied().collect();
        let tail = &kept[kept.len().saturating_sub(LINES)..];
        let tail = tail.iter().map(|line| cut(line)).collect::<Vec<_>>().join("\n");
        let end = lines.len().saturating_sub(END);
        // What is said last is why it ended.
        let found = lines.iter().enumerate().rev();
        let lacks = found.into_iter().find_map(|(at, line)| {
            let (line, mend) = lack(line, is_to_come)?;
            Some(Lack { line, mend: mend.to_owned(), is_last: at >= end })
        });
        let gist = (!kept.is_empty()).then(|| Digest::of(gist(text).as_bytes()));
        let is_unbuilt = lines.iter().any(|line| is_unbuilt(line));
        Self { tail, lacks, gist, is_unbuilt }
    }
}

/// Whether a line says that code could not be built or loaded.
fn is_unbuilt(line: &str) -> bool {
    static UNBUILT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(concat!(
            r"^\s*(?:Uncaught )?(?:Syntax|Import|ModuleNotFound|Indentation|Tab)Error(?-u:\b)",
            r"|No module named|Cannot find (?:module|package)|ERR_MODULE_NOT_FOUND|cannot import name",
            r"|does not provide an export named|error\[E\d|could not compile|(?-u:\b)error TS\d",
            r"|undefined reference to|\[build failed\]|cannot find symbol|fatal error: .*No such file",
            r"|[Ss]yntax error|not found\s*$|No such file or directory\s*$",
        ))
        .ok()
    });
    UNBUILT.as_ref().is_some_and(|unbuilt| unbuilt.is_match(line))
}

/// What a line says is missing, and what would bring it.
pub(super) fn lack(
    line: &str,
    is_to_come: &dyn Fn(&str) -> bool,
) -> Option<(String, &'static str)> {
    static MODULE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r#"(No module named|Cannot find (?:module|package)) ['"]?([^\s'";,]+)"#).ok()
    });
    static PROGRAM_NAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let names = r"(?:^|: |\s)(?:env: )?['‘]?([\w.+/@-]+)['’]?: (?:command )?not found\s*$";
        Regex::new(names).ok()
    });
    if let Some(found) = MODULE.as_ref().and_then(|module| module.captures(line)) {
        let name = &found[2];
        let is_file = name.starts_with(['.', '/']) && !name.contains("node_modules/");
        if is_file || is_to_come(name) {
            return None;
        }
        let mend = if found[1].starts_with("No") { PYTHON } else { NODE };
        return Some((format!("{} '{name}'", &found[1]), mend));
    }
    if let Some(found) = PROGRAM_NAME.as_ref().and_then(|program| program.captures(line)) {
        return Some((format!("{} is not installed", &found[1]), PROGRAM));
    }
    let small = line.to_lowercase();
    let (_, mend) = WORDS.iter().find(|(words, _)| small.contains(words))?;
    Some((cut(line.trim()), mend))
}

fn cut(line: &str) -> String {
    line.chars().take(LONGEST).collect()
}

/// A text without times, addresses and what else is another one in every run.
fn gist(text: &str) -> String {
    static CHANGING: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?-u:\b)0x[0-9a-fA-F]+(?-u:\b)",
            r"|(?-u:\b)\d+(?:[.,]\d+)?\s?(?:ns|µs|us|ms|s|sec|secs|seconds?|min|minutes?)(?-u:\b)",
            r"|(?-u:\b)\d{1,4}(?:[-/]\d{1,2}){2}(?-u:\b)|(?-u:\b)\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?-u:\b)",
            r"|(?-u:\b)(?:pid|PID)[ =:]*\d+(?-u:\b)|/tmp/[^\s:'\x22]+|[ \t]+$",
        ))
        .ok()
    });
    let plain = |line: &str| match CHANGING.as_ref() {
        Some(changing) => changing.replace_all(line, "").trim_end().to_owned(),
        None => line.to_owned(),
    };
    text.lines().map(plain).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lacks(text: &str) -> Option<String> {
        Said::of(text, &|name| name == "shop.cart").lacks.map(|lack| lack.line)
    }

    /// VC-08: what programs of several languages say when something is not installed.
    #[test]
    fn what_is_missing_is_named() {
        let check =
            |text: &str, line: &str| assert_eq!(lacks(text).as_deref(), Some(line), "{text}");
        check(
            "E   ModuleNotFoundError: No module named 'text_unidecode'\n1 error",
            "No module named 'text_unidecode'",
        );
        check("/usr/bin/python3: No module named pytest", "No module named 'pytest'");
        check(
            "Error: Cannot find module 'left-pad'\nRequire stack:",
            "Cannot find module 'left-pad'",
        );
        check(
            "Error [ERR_MODULE_NOT_FOUND]: Cannot find package '@x/core' imported from /a.js",
            "Cannot find package '@x/core'",
        );
        check("sh: 1: xo: not found", "xo is not installed");
        check("bash: line 3: tsd: command not found", "tsd is not installed");
        check(
            "error: failed to get `serde` as a dependency",
            "error: failed to get `serde` as a dependency",
        );
    }

    /// VC-08: whoever says what is missing may say it in colours.
    #[test]
    fn what_is_missing_is_named_in_colours_too() {
        let text = "\u{1b}[31mError: Cannot find module \u{1b}[1m'left-pad'\u{1b}[22m\u{1b}[39m";
        assert_eq!(lacks(text).as_deref(), Some("Cannot find module 'left-pad'"));
        let text = "\u{1b}[33msh: 1: xo: not found\u{1b}[0m";
        assert_eq!(lacks(text).as_deref(), Some("xo is not installed"));
    }

    /// VC-08: files of the project that are yet to be written are nothing to install.
    #[test]
    fn what_is_yet_to_be_written_is_not_missing() {
        assert_eq!(lacks("ModuleNotFoundError: No module named 'shop.cart'"), None);
        assert_eq!(lacks("Error: Cannot find module './cart'"), None);
        assert_eq!(lacks("Error: Cannot find module '/srv/build/project/cart.js'"), None);
        assert_eq!(lacks("AssertionError: 404: page not found here"), None);
        assert_eq!(lacks(""), None);
        let path = "Cannot find module '/p/node_modules/jest/bin/jest.js'";
        assert_eq!(lacks(path).as_deref(), Some(path));
    }

    /// VC-08: what could not be built or loaded is no check that failed.
    #[test]
    fn what_could_not_be_built_is_known() {
        let is_unbuilt = |text: &str| Said::of(text, &|_| true).is_unbuilt;
        for text in [
            "ImportError: cannot import name 'slug' from 'text'",
            "SyntaxError: The requested module './a.js' does not provide an export named 'b'",
            "Error: Cannot find module './cart'",
            "error[E0425]: cannot find function `add`",
            "ok\nModuleNotFoundError: No module named 'shop.cart'\n",
            "cat: names.txt: No such file or directory",
        ] {
            assert!(is_unbuilt(text), "{text}");
        }
        assert!(!is_unbuilt("AssertionError [ERR_ASSERTION]: 'a--b' == 'a-b'\n  at a.js:3"));
        assert!(!is_unbuilt("TypeError: Cannot read properties of undefined"));
        assert!(!is_unbuilt(""));
    }

    /// D1.2: two runs that say the same say it in other times, colours and places.
    #[test]
    fn the_same_output_is_known() {
        let gist = |text: &str| Said::of(text, &|_| false).gist;
        let one = "\u{1b}[31m✖ 3:4 Missing semicolon\u{1b}[39m\n1 error in 1.32s at 10:11:12\n";
        let other = "✖ 3:4 Missing semicolon\n1 error in 2s at 10:12:59\n";
        assert_eq!(gist(one), gist(other));
        assert_ne!(gist(one), gist("✖ 3:4 Missing comma\n1 error in 2s at 10:12:59\n"));
        assert_eq!(gist(" \n\n"), None);
        let long = (0..100).map(|line| format!("line {line}\n")).collect::<String>();
        let tail = Said::of(&long, &|_| false).tail;
        assert!(tail.starts_with("line 88") && tail.ends_with("line 99"), "{tail}");
    }
}
