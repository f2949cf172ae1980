//! Clocks, chance and places that the product fixes for everybody, or puts something of its own in place of.

use super::View;
use crate::args::{has_word, squeeze};
use crate::language::Language;

/// Fixing what should vary.
const FIXED: &[&str] = &[
    "freeze_time(",
    "time.time=",
    "time.perf_counter=",
    "time.monotonic=",
    "Date.now=",
    "Math.random=",
    "performance.now=",
    "random.random=",
    "np.random.seed(",
    "random.seed(",
    "rand.Seed(",
    "process.env.TZ=",
    "useFakeTimers(",
    "time.sleep=",
    "datetime.datetime=",
    "socket.socket=",
    "globalThis.fetch=",
    "global.Date=",
    "environ[\"TZ\"]=",
    "environ['TZ']=",
    "Timecop.freeze",
    "setlocale(",
];

/// What the modules of Python that tell the time, draw lots or make names are called.
const MODULES: &[&str] = &["time", "datetime", "random", "secrets", "uuid"];
/// The same for everything that a script has everywhere.
const GLOBALS: &[&str] = &["Date", "Math", "performance", "setTimeout", "setInterval", "Temporal"];
/// Modules are brought in at the top of a file, in so many lines.
const TOP: usize = 400;
/// How a script calls all that it has everywhere.
const EVERYWHERE: &[&str] = &["globalThis", "global", "window", "self"];
/// What there is one of for a whole program in Go.
const VARIABLES: &[&str] = &["time.Local", "rand.Reader", "rand.Seed"];
/// Chance that begins at a number that is written down.
const SOURCES: &[&str] = &["rand.NewSource(", "rand.NewPCG(", "::seed_from_u64(", "random.Random("];

/// Whether a line fixes what should vary, by the words in it.
pub(super) fn is_fixed(view: &View<'_>, text: &str, code: &str) -> bool {
    let squeezed = squeeze(text);
    let is_set = |word: &str| {
        squeezed
            .match_indices(word)
            .any(|(index, _)| !squeezed[index + word.len()..].starts_with('='))
    };
    let named =
        FIXED.iter().any(|word| is_set(word)) && !code.trim_start().starts_with(['"', '\'']);
    // A seed that somebody hands in is theirs; while a module is loaded nobody can.
    let is_loading = text.starts_with(|letter: char| letter.is_alphabetic());
    let given = squeezed.split_once("seed(").map(|(_, given)| given);
    let random = given.is_some_and(|given| {
        let says = given.contains(|letter: char| letter.is_ascii_digit());
        given.starts_with(')') || !says && !is_loading
    });
    let begins = SOURCES.iter().any(|word| {
        let rest = squeezed.split_once(word).map(|(_, rest)| rest);
        rest.is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_digit()))
            && squeeze(code).contains(word)
    });
    named && !random || begins || is_fixed_time(view, &squeezed)
}

/// Whether a line puts something in place of what the whole program asks for the time or for chance.
pub(super) fn is_replaced(view: &View<'_>, number: u32, text: &str) -> bool {
    let language = view.change.language;
    let line = dotted(text.trim());
    let is_called = language == Language::Python && is_set_by_call(view, &line)
        || language.is_script() && is_defined(&line);
    (is_called || is_assigned(view, text, &line)) && !is_missing_before(view, number)
}

fn is_assigned(view: &View<'_>, text: &str, line: &str) -> bool {
    let language = view.change.language;
    let Some((left, right)) = line.split_once('=') else { return false };
    let left = left.trim_end();
    if right.starts_with(['=', '>']) {
        return false;
    }
    match language {
        Language::Python => {
            let name = left.split(':').next().unwrap_or(left);
            is_of_module(view, left) || text.starts_with(left) && is_imported(view, name)
        }
        Language::Go => VARIABLES.contains(&left),
        _ if language.is_script() => is_global(left),
        _ => false,
    }
}

/// `globalThis['Date']` as `globalThis.Date`.
fn dotted(text: &str) -> String {
    ["['", "[\""]
        .iter()
        .fold(text.to_owned(), |text, open| text.replace(open, "."))
        .replace("']", "")
        .replace("\"]", "")
}

fn is_path(text: &str) -> bool {
    text.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '$'))
        && text.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
}

/// `globalThis.Date`, `Date.now`, `Date.prototype.getHours`, and a `const Date` of one's own.
fn is_global(left: &str) -> bool {
    let own = ["const ", "let ", "var "].iter().find_map(|word| left.strip_prefix(word));
    if own.is_some() {
        return own == Some("Date");
    }
    let path = EVERYWHERE.iter().find_map(|word| left.strip_prefix(word)?.strip_prefix('.'));
    let is_everywhere = path.is_some();
    let path = path.unwrap_or(left);
    let mut steps = path.split('.');
    let first = steps.next().unwrap_or_default();
    let is_known = GLOBALS.contains(&first) && (is_everywhere || steps.next().is_some());
    let drawn =
        ["crypto.randomUUID", "crypto.getRandomValues", "process.hrtime", "crypto.randomInt"];
    // A static of one's own class is none of the language's.
    is_path(left) && (is_known || drawn.contains(&path)) && !path.ends_with(".prototype")
}

/// `Object.defineProperty(globalThis, 'Date', …)` and what else does the same.
fn is_defined(line: &str) -> bool {
    let squeezed = squeeze(line);
    let ways =
        ["Object.defineProperty(", "Object.assign(", "Reflect.set(", "Reflect.defineProperty("];
    ways.iter().filter_map(|way| squeezed.split_once(way)).any(|(_, rest)| {
        let (target, rest) = rest.split_once(',').unwrap_or((rest, ""));
        let names = |words: &[&str]| words.iter().any(|word| has_word(rest, word));
        EVERYWHERE.contains(&target) && names(GLOBALS)
            || matches!(target, "Date" | "Math" | "performance" | "Date.prototype")
                && names(&["now", "random", "getTime", "getHours", "getTimezoneOffset"])
    })
}

/// What a module of Python's is called in this file.
fn modules<'v>(view: &'v View<'_>) -> impl Iterator<Item = &'v str> {
    view.code.lines().take(TOP).flat_map(|line| {
        let names = line.trim().strip_prefix("import ").unwrap_or_default().split(',');
        names.filter_map(|name| {
            let (module, called) =
                name.trim().split_once(" as ").unwrap_or((name.trim(), name.trim()));
            MODULES.contains(&module).then_some(called)
        })
    })
}

/// Whether a name was taken out of one of these modules.
fn is_imported(view: &View<'_>, name: &str) -> bool {
    view.code.lines().take(TOP).any(|line| {
        let taken = line.strip_prefix("from ").and_then(|rest| rest.split_once(" import "));
        taken.is_some_and(|(module, names)| {
            let called =
                |one: &str| one.trim_matches(['(', ')', ' ']).rsplit(" as ").next() == Some(name);
            MODULES.contains(&module.trim()) && names.split(',').any(called)
        })
    })
}

/// `time.time`, `t.monotonic`, `datetime.datetime.now`, also `date.today` of a date that was imported.
fn is_of_module(view: &View<'_>, left: &str) -> bool {
    let Some((first, _)) = left.split_once('.').filter(|_| is_path(left)) else { return false };
    let is_known = modules(view).any(|module| module == first) || is_imported(view, first);
    is_known
        || left == "os.urandom"
        || MODULES.iter().any(|one| left == format!("sys.modules.{one}"))
}

/// `setattr(time, "time", …)` and `mock.patch("time.time", …)`.
fn is_set_by_call(view: &View<'_>, line: &str) -> bool {
    let after = |word: &str| line.split_once(word).map(|(_, rest)| rest);
    let set = after("setattr(").and_then(|rest| rest.split(',').next());
    let patched = after("patch(").map(|rest| rest.trim_start_matches(['"', '\'']));
    set.is_some_and(|module| modules(view).any(|one| one == module.trim()))
        || patched
            .is_some_and(|path| MODULES.iter().any(|one| path.starts_with(&format!("{one}."))))
}

/// Whether the line before asks whether there is none yet: what is missing may be brought along.
fn is_missing_before(view: &View<'_>, number: u32) -> bool {
    let before = number.checked_sub(2).and_then(|at| view.code.lines().nth(at as usize));
    let asks = [
        "typeof ",
        "undefined",
        "if (!global",
        "if (!window",
        "if (!self",
        "hasattr(",
        "ImportError",
    ];
    before.is_some_and(|line| asks.iter().any(|word| line.contains(word)))
}

/// A day of these years in code that tells the time.
fn is_fixed_time(view: &View<'_>, squeezed: &str) -> bool {
    let days = ["time.Date(20", "datetime(20", "newDate(20", "new Date(20", "Date.UTC(20"];
    let lower = squeezed.to_lowercase();
    let known = ["epoch", "min", "max", "since", "release", "launch", "valid", "cutoff", "until"];
    let tells_time = || {
        view.new_lines().iter().any(|(_, _, code)| {
            let code = squeeze(code);
            ["now", "clock"]
                .iter()
                .any(|word| has_word(&code, word) || code.contains(&format!("{word}=")))
                || code.contains("func()time.Time{return")
        })
    };
    days.iter().any(|day| squeezed.contains(day))
        && !known.iter().any(|word| lower.contains(word))
        && tells_time()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G48: what belongs to all, and what is one's own.
    #[test]
    fn globals_of_scripts() {
        for left in
            ["globalThis.Date", "global.Date", "window.setTimeout", "Date.now", "Math.random"]
        {
            assert!(is_global(left), "{left}");
        }
        for left in
            ["this.Date", "clock.now", "const now", "options.Date", "Math", "event.Date.now"]
        {
            assert!(!is_global(left), "{left}");
        }
        assert!(is_global(dotted("globalThis['Date']").as_str()));
        assert!(is_defined("Object.defineProperty(globalThis, 'Date', { value: Fixed })"));
        assert!(!is_defined("Object.defineProperty(exports, 'Date', { value: Fixed })"));
    }
}
