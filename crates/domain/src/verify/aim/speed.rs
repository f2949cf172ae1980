//! Whether a task is about how long something takes.
//!
//! What takes too long is said in few ways: by a word that means nothing else ("quadratic"), by one that is said
//! of something ("is slow", and not "slow climbs"), by what it takes ("ages", "half of the run time"), or by work
//! that is done again and again where once would do. The last, and a plain number of seconds, may as well be
//! what the code is about: they count where the task also says how time is to be saved.

use super::words;

/// Words that mean nothing else.
const ALWAYS: &[&str] = &[
    "slowly",
    "slowness",
    "slowdown",
    "sluggish",
    "laggy",
    "lags",
    "sluggishly",
    "faster",
    "quicker",
    "performance",
    "performant",
    "perf",
    "quadratic",
    "memoise",
    "memoize",
    "bottleneck",
    "hotspot",
    "throughput",
    "latency",
    "speedup",
    "optimise",
    "optimize",
    "inefficient",
    "inefficiently",
    "efficient",
    "efficiently",
    "profiler",
    "profiling",
    "flamegraph",
];
/// Words that are said of something or belong to something: "it is slow", "slow climbs".
const SAID_OF: &[&str] =
    &["slow", "slower", "slows", "fast", "quick", "instant", "snappy", "crawls"];
/// What stands before such a word where it is said of something.
const BEFORE: &[&str] = &[
    "too",
    "so",
    "very",
    "is",
    "are",
    "was",
    "be",
    "gets",
    "get",
    "getting",
    "got",
    "became",
    "becomes",
    "really",
    "pretty",
    "quite",
    "painfully",
    "terribly",
    "awfully",
    "incredibly",
    "unbearably",
    "how",
    "as",
    "bit",
    "rather",
    "extremely",
    "super",
    "horribly",
    "noticeably",
    "unusably",
];
/// What follows one.
const AFTER: &[&str] = &[
    "for", "on", "with", "because", "in", "at", "when", "since", "and", "as", "from", "once",
    "enough", "again", "here", "now", "too", "if", "please", "but", "even", "to", "after", "over",
    "down", "us", "while", "or",
];
/// What of code may be called slow.
const CODE: &[&str] = &[
    "loop",
    "path",
    "query",
    "queries",
    "scan",
    "lookup",
    "lookups",
    "search",
    "code",
    "regex",
    "function",
    "method",
    "call",
    "calls",
    "endpoint",
    "build",
    "startup",
    "start",
    "implementation",
    "algorithm",
    "version",
    "rendering",
    "parsing",
    "part",
];
/// What something takes that takes too long, whatever the number.
const AGES: &[&str] = &["ages", "forever", "eternity", "eternities"];
/// Units of time, as they are written.
const UNITS: &[&str] = &[
    "s",
    "ms",
    "sec",
    "secs",
    "second",
    "seconds",
    "millisecond",
    "milliseconds",
    "min",
    "minute",
    "minutes",
    "hour",
    "hours",
];
const TAKES: &[&str] = &[
    "take", "takes", "took", "taking", "need", "needs", "needed", "run", "runs", "ran", "lasts",
    "spend", "spends", "spent", "wastes",
];
/// How time is saved.
const SAVES: &[&str] = &[
    "once",
    "remember",
    "remembers",
    "cache",
    "cached",
    "caching",
    "reuse",
    "precompute",
    "index",
    "keep",
    "fast",
    "quick",
    "quickly",
    "stop",
];
/// What is added for speed and for nothing else.
const HELPERS: &[&str] = &[
    "cache",
    "caching",
    "index",
    "memo",
    "memoisation",
    "memoization",
    "lru",
    "pool",
    "test",
    "tests",
    "benchmark",
];
/// Who speaks of these speaks of what is run, and when, and not of what the code does.
const RUNS: &[&str] = &["tests", "test", "suite", "pytest", "vitest", "jest", "ci", "workflow"];
const MARKS: &[&str] = &["ignore", "ignored", "skipped", "quarantine", "xfail"];
/// What says that something is not as it should be, too.
const WRONG: &[&str] = &[
    "wrong",
    "wrongly",
    "bug",
    "fails",
    "failing",
    "red",
    "broken",
    "incorrect",
    "error",
    "crash",
    "crashes",
    "timeout",
    "limit",
];
/// Beside "fix" these say that more is to be mended than the time.
const MORE: &[&str] =
    &["lost", "loses", "missing", "misses", "doesn", "isn", "don", "also", "both", "instead"];

/// Whether a task wants the same, faster.
pub fn is_about_speed(task: &str) -> bool {
    let task = &*task.to_lowercase();
    let all: Vec<&str> = words(task).collect();
    let has = |list: &[&str]| all.iter().any(|word| list.contains(word));
    // "Rendering is slow, can you fix that?"
    let fixes = all.iter().enumerate().any(|(at, word)| {
        let next = all.get(at + 1).copied().unwrap_or_default();
        *word == "fix" && !matches!(next, "" | "it" | "this" | "that")
    });
    let is_wrong = has(WRONG) || fixes || has(&["fix"]) && has(MORE);
    let mut clauses = task.split(". ").flat_map(|one| one.split([',', ';', ':', '\n']));
    !is_wrong && !is_of_runs(task) && speaks_of_speed(task) && !clauses.any(is_new)
}

/// "The tests take ages", "mark it as ignored": what is slow there is what is run.
fn is_of_runs(task: &str) -> bool {
    let first = task.split([',', ';']).flat_map(|one| one.split(". ")).next().unwrap_or_default();
    words(first).any(|word| RUNS.contains(&word)) || words(task).any(|word| MARKS.contains(&word))
}

/// "Add a faster parser", and not "add a cache to it".
fn is_new(sentence: &str) -> bool {
    let mut words = words(sentence).skip_while(|word| *word == "please");
    let adds = matches!(
        words.next().unwrap_or_default(),
        "add" | "implement" | "support" | "introduce" | "create"
    );
    adds && !words.take(4).any(|word| HELPERS.contains(&word))
}

/// Whether a task speaks of how long something takes.
pub fn speaks_of_speed(task: &str) -> bool {
    let lower = task.to_lowercase();
    let ends = |letter: char| matches!(letter, ',' | ';' | ':' | '(' | ')' | '!' | '?' | '\n');
    let clauses: Vec<Vec<&str>> = lower
        .split(". ")
        .flat_map(|sentence| sentence.split(ends))
        .map(|clause| words(clause).collect())
        .collect();
    let is_order = ["o(1)", "o(n)", "o(n²)", "o(n^2)", "o(log", "o(n log", "o(n*"]
        .iter()
        .any(|order| lower.contains(order));
    if is_order || clauses.iter().any(|clause| is_slow(clause)) {
        return true;
    }
    let is_said = clauses.iter().any(|clause| takes_time(clause) || is_repeated(clause));
    let is_wished = || clauses.iter().any(|clause| wishes_time(clause));
    is_said && (words(&lower).any(|word| SAVES.contains(&word)) || is_wished())
}

/// Whether a clause says by itself that something takes too long, or is to take less.
fn is_slow(clause: &[&str]) -> bool {
    let at = |at: usize| clause.get(at).copied().unwrap_or_default();
    (0..clause.len()).any(|here| {
        let (word, next) = (clause[here], at(here + 1));
        let before = here.checked_sub(1).map_or("", at);
        match word {
            word if ALWAYS.contains(&word) => true,
            word if SAID_OF.contains(&word) => {
                next.is_empty()
                    || BEFORE.contains(&before)
                    || AFTER.contains(&next)
                    || word == "slow" && CODE.contains(&next)
            }
            "quickly" => {
                matches!(before, "more" | "too" | "as" | "run" | "runs" | "load" | "loads")
            }
            "speed" => {
                matches!(
                    next,
                    "up" | "of" | "things" | "it" | "improvement" | "improvements" | "matters"
                ) || matches!(before, "for" | "the") && next.is_empty()
            }
            "linear" => {
                matches!(before, "is" | "are" | "it")
                    || matches!(next, "time" | "scan" | "scans" | "search" | "in" | "or")
            }
            "hot" => matches!(next, "path" | "loop" | "spot"),
            // Nothing but a measurement has a top, or shows what is in it; "the user's profile" is of somebody.
            "profile" => {
                next == "it" && here == 0
                    || clause[..here].iter().any(|word| matches!(*word, "top" | "shows" | "slow"))
            }
            // "80 % of our request time", "half of the run time"; "most of the time" is a manner of speaking.
            "time" | "runtime" => is_share(&clause[..here], word, next),
            word if TAKES.contains(&word) => takes_ages(&clause[here + 1..]),
            _ => false,
        }
    })
}

/// Whether what stands before "time" says how much of it: "half of the run".
fn is_share(before: &[&str], word: &str, next: &str) -> bool {
    const KINDS: &[&str] = &[
        "run",
        "running",
        "request",
        "response",
        "execution",
        "cpu",
        "wall",
        "start",
        "startup",
        "build",
    ];
    let last = before.last().copied().unwrap_or_default();
    let is_of = before.iter().rev().take(4).any(|word| *word == "of");
    let is_kind = word == "runtime" || KINDS.contains(&last);
    let is_spent =
        matches!(next, "goes" | "is" | "in" | "on") || before.iter().any(|w| w.starts_with("spen"));
    let is_part = is_of
        && before.iter().any(|word| {
            matches!(
                *word,
                "half" | "most" | "much" | "lot" | "part" | "third" | "quarter" | "percent"
            ) || word.bytes().all(|digit| digit.is_ascii_digit())
        });
    is_part && (is_kind || is_spent)
}

/// "Ages", "far too long", "minutes", behind "takes".
fn takes_ages(behind: &[&str]) -> bool {
    (0..behind.len().min(4)).any(|at| {
        let word = behind[at];
        let before = at.checked_sub(1).map_or("", |at| behind[at]);
        let next = behind.get(at + 1).copied().unwrap_or_default();
        let is_whose = matches!(before, "the" | "their" | "its" | "of" | "two" | "all");
        AGES.contains(&word) && !is_whose
            || word == "long"
                && (matches!(before, "too" | "so" | "very" | "as" | "really" | "this" | "that")
                    || before.is_empty() && (next.is_empty() || AFTER.contains(&next)))
            || matches!(word, "minutes" | "hours")
                && matches!(before, "" | "for" | "several" | "many" | "whole" | "literally")
    })
}

/// "It takes 4 s", "that is half a second".
fn takes_time(clause: &[&str]) -> bool {
    clause.iter().enumerate().any(|(at, word)| {
        let bare = word.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
        let before = &clause[..at];
        let is_counted = bare.len() < word.len()
            || before.last().is_some_and(|word| {
                matches!(*word, "a" | "several" | "few" | "many" | "some")
                    || word.starts_with(|letter: char| letter.is_ascii_digit())
            });
        let near = before.iter().rev().take(5);
        UNITS.contains(&bare)
            && is_counted
            && near
                .into_iter()
                .any(|word| TAKES.contains(word) || matches!(*word, "is" | "s" | "costs"))
    })
}

/// "It should answer in a few milliseconds".
fn wishes_time(clause: &[&str]) -> bool {
    const WITHIN: &[&str] = &["in", "within", "below", "under"];
    let asks =
        clause.iter().any(|word| matches!(*word, "should" | "must" | "make" | "get" | "want"));
    let near = |at: usize| clause[..at].iter().rev().take(4).any(|word| WITHIN.contains(word));
    asks && clause.iter().enumerate().any(|(at, word)| {
        let bare = word.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
        UNITS.contains(&bare) && near(at)
    })
}

/// "Compiles the pattern again for every row", "adds all of it up each time".
fn is_repeated(clause: &[&str]) -> bool {
    let ends = |at: usize| {
        clause
            .get(at)
            .is_none_or(|word| matches!(*word, "for" | "and" | "on" | "when" | "it" | "we"))
    };
    clause.windows(2).enumerate().any(|(at, pair)| {
        pair[0] == "again" && matches!(pair[1], "for" | "and" | "on")
            || matches!(pair[0], "each" | "every") && pair[1] == "time" && ends(at + 2)
    }) || clause.windows(3).any(|three| three[..] == ["over", "and", "over"])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LP-12: who wants the same faster says so in many ways.
    #[test]
    fn what_is_to_be_faster() {
        for task in [
            "free() adds up the whole queue each time, and place() asks it for every lane; in our simulation that is half of the run time. Keep the used length of each lane instead.",
            "`free_berths` goes through all the bookings for every berth; with 300 berths that is half a second. Make it fast, a few milliseconds at most.",
            "binday list town.bins --days 40000 takes ages here. Can you make it fast?",
            "The import takes way too long for large files, please look into it",
            "search() is painfully slow with more than 10k titles",
            "Startup takes several seconds because every template is compiled. Do that once.",
            "Listing orders is O(n²), use a map",
            "Can we speed up the report? It's sluggish",
            "get rid of the slow loop in merge()",
            "80 % of our request time is spent in touch()",
            "parse() shows up at the top of the profile, one allocation per token is enough",
            "Please optimise the diff, it's the bottleneck of the nightly job",
            "perf: don't clone the rows in render",
            "Rendering is slow, can you fix that?",
            "Add a cache to lookup(), it is too slow for the calendar",
            "The page needs 3 s to load with a year of data. Compute the totals once and keep them.",
            "With 2000 shifts assign() runs for minutes.",
            "The regex is compiled over and over, reuse it.",
            "search() takes more than a second with all titles. It should answer in a few milliseconds.",
            "bedplan needs a minute, nearly all of it in build(). It should be done in two seconds or so.",
        ] {
            assert!(is_about_speed(task), "{task}");
        }
    }

    /// LP-12: what is slow or takes its time by its nature is no work that takes too long.
    #[test]
    fn what_is_slow_by_its_nature() {
        for task in [
            "Slow climbs must count in climb(), see the tests",
            "A lease takes 30 s. Let it be renewed.",
            "route() should return the quickest way, not the one with the fewest stretches",
            "A lock is 12 minutes now, not 15. Adapt the numbers.",
            "The slow-cooling profiles come out with odd durations",
            "Add push processing: stops over its film speed",
            "The boat needs 20 minutes for the lock. Print that behind its name.",
            "Most of the time nobody sets a title. Leave the line out then.",
            "The request should time out after 5 seconds",
            "A lock takes 12 minutes. The plan should say when the boat is in.",
            "Fast charging stations have no price, show a dash",
            "The report is slow and its total is wrong, fix both",
            "Add a faster parser",
            "Quotes takes the ages of the children: under 4 they travel free",
            "Ask again for a name that is empty",
            "The user's profile shows no mail address",
            "The tests need too long because one of them sleeps. Make them fast.",
            "big_blanket takes minutes. Until #58 is solved mark it as ignored.",
            "section() is called in a hot loop; add a method that keeps it",
            "Please fix route(). The locks have been made faster: 12 minutes.",
            "Track should wait that long instead of the usual pause",
            "The quick start in the README names the wrong command",
        ] {
            assert!(!is_about_speed(task), "{task}");
        }
    }
}
