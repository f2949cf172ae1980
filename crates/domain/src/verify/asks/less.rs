//! Whether a task asks that tests go or be skipped. What a bug does ("Delete removes too much") is no
//! request.

use super::about::can_go;
use super::{
    RED, REMOVES, denies, is_form_of, is_kin, names_test, sentences, to_mend, words, words_of_name,
};
use crate::gaming::Rule;

/// What may stand before a verb that asks.
const BEFORE: &[&str] = &[
    "please", "pls", "we", "should", "can", "could", "you", "now", "just", "and", "then", "also",
    "to", "must", "i'd", "like", "let's", "lets", "so", "instead", "or", "may", "might", "need",
    "kindly", "simply", "finally", "either",
];
/// What asks that something go, or become a part of something else.
const VERBS: &[&str] = &[
    "remove",
    "delete",
    "drop",
    "retire",
    "deprecate",
    "merge",
    "consolidate",
    "deduplicate",
    "parametrise",
    "parametrize",
    "replace",
    "rewrite",
];
const TESTS: &[&str] = &["test", "tests", "spec", "specs", "suite", "testcase", "testcases"];
/// What says how something is: "Delete is broken".
const STATES: &[&str] = &[
    "is", "are", "was", "were", "has", "have", "does", "doesn't", "do", "must", "should", "can",
    "cannot", "can't", "will", "would", "of", "too",
];

/// Whether the task asks that the test `id` go, or be skipped.
pub(in crate::verify) fn for_less<'t>(rule: Rule, task: &'t str, id: &str) -> Option<&'t str> {
    // "Remove it together with its tests" explains that those of what goes are gone, and no others.
    let is_own = words_of_name(id).is_empty() || names_test(task, id);
    let is_meant =
        |clause: &str| rule != Rule::G01 || requests(clause) && (is_own || !takes_along(clause));
    rule.asked_where(task, &[id], &is_meant).or_else(|| {
        // "Duration() goes away. Remove the method, the test and its line in the README."
        let about = words_of_name(id);
        let is_named = words(task).iter().any(|word| about.iter().any(|name| is_kin(name, word)));
        let gone = sentences(task).find(|sentence| {
            let words = words(sentence);
            let has = |list: &[&str]| words.iter().any(|word| is_form_of(word, list));
            has(REMOVES) && has(&["test"]) && !denies(&words) && requests(sentence)
        });
        // "legacyParse can go: code, export, tests."
        let goes = || {
            sentences(task).find(|sentence| {
                let words = words(sentence);
                let names = |name: &String| words.iter().any(|word| is_kin(name, word));
                can_go(sentence) && about.iter().any(names) && !denies(&words)
            })
        };
        gone.or_else(goes).filter(|_| rule == Rule::G01 && is_named)
    })
}

/// Whether a clause asks that something go and that its tests go along: "the discount with its tests", "module and
/// tests", and not "the tests of the discount".
fn takes_along(clause: &str) -> bool {
    const ALONG: &[&str] =
        &["its", "their", "with", "and", "including", "plus", "code", "all", "both"];
    let words = words(clause);
    let Some(verb) = words.iter().position(|word| is_form_of(word, REMOVES)) else { return false };
    let Some(test) = words.iter().position(|word| TESTS.contains(&word.as_str())) else {
        return false;
    };
    let between = words.get(verb + 1..test).unwrap_or_default();
    between.len() > 1 && between.last().is_some_and(|word| ALONG.contains(&word.as_str()))
        || between.iter().any(|word| matches!(word.as_str(), "its" | "their"))
}

/// Words of such a sentence that name nothing.
const EMPTY: &[&str] = &[
    "the",
    "and",
    "all",
    "with",
    "from",
    "code",
    "line",
    "lines",
    "any",
    "anymore",
    "more",
    "nobody",
    "uses",
    "used",
    "use",
    "there",
    "then",
    "only",
    "please",
    "together",
    "completely",
    "not",
    "are",
    "was",
    "for",
    "has",
    "have",
    "value",
    "values",
    "name",
    "names",
    "new",
    "old",
    "wrong",
    "anyway",
    "remove",
    "delete",
    "drop",
    "longer",
    "should",
    "must",
    "can",
    "file",
    "files",
    "case",
    "list",
    "function",
    "method",
    "class",
    "type",
    "module",
    "result",
    "error",
    "default",
    "set",
    "get",
];

/// Words for what a task says is to go: those behind the verb, and where that is only "it", those of the sentence
/// before. What is taken along ("its tests", "its line in the README") is left out.
pub fn gone_words(task: &str) -> Vec<String> {
    const POINTS: &[&str] = &["it", "them", "this", "that", "these", "those"];
    const ALONG: &[&str] = &["its", "their", "tests", "test", "readme"];
    let mut found = Vec::new();
    let mut before: Vec<String> = Vec::new();
    for sentence in sentences(task) {
        let said = words(sentence);
        let verb = said.iter().position(|word| is_form_of(word, REMOVES));
        if let Some(verb) = verb.filter(|_| requests(sentence) && !denies(&said)) {
            let behind = &said[verb + 1..];
            let ends = behind.iter().position(|word| ALONG.contains(&word.as_str()));
            let behind = &behind[..ends.unwrap_or(behind.len()).min(8)];
            found.extend(behind.iter().cloned());
            if behind.iter().take(2).any(|word| POINTS.contains(&word.as_str())) {
                found.extend(said[..verb].iter().chain(&before).cloned());
            }
        }
        before = said;
    }
    found.retain(|word| word.len() > 2 && !EMPTY.contains(&word.as_str()));
    found
}

/// The clause that asks that something go which a row of a table is called by: "Remove oz and lb" explains
/// `TestParse/1.5_oz`.
pub(in crate::verify) fn for_a_row<'t>(task: &'t str, id: &str) -> Option<&'t str> {
    let row = id.split_once('[').or_else(|| id.rsplit_once('/')).map(|(_, row)| row)?;
    let names: Vec<String> = words(&row.replace('_', " "));
    let is_name = |word: &&String| word.chars().all(char::is_alphabetic) && word.len() > 1;
    sentences(task).find(|sentence| {
        let said = words(sentence);
        let goes = said.iter().position(|word| is_form_of(word, REMOVES));
        let behind = goes.and_then(|at| said.get(at + 1..)).unwrap_or_default();
        requests(sentence)
            && !denies(&said)
            && names
                .iter()
                .filter(is_name)
                .any(|name| behind.iter().take(6).any(|word| word == name))
    })
}

/// Whether the task asks that something go which is called like `name` in the code: "remove the CSV import"
/// asks so of `importCsv`.
pub fn goes(task: &str, name: &str) -> bool {
    let parts: Vec<String> =
        crate::gaming::name::words(name).into_iter().filter(|word| word.len() > 2).collect();
    sentences(task).any(|sentence| {
        let said = words(sentence);
        let at = said.iter().position(|word| is_form_of(word, REMOVES));
        let behind = at.and_then(|at| said.get(at + 1..)).unwrap_or_default();
        let is_said = |part: &&String| behind.iter().take(8).any(|word| is_kin(part, word));
        let known = parts.iter().filter(is_said).count();
        known > 0 && known * 2 >= parts.len() && !denies(&said) && requests(sentence)
    })
}

/// "The tests are all alike, make a table of them": what they try is to be in rows.
pub(in crate::verify) fn for_a_table(task: &str) -> Option<&str> {
    const MAKES: &[&str] = &[
        "make", "turn", "put", "write", "convert", "collapse", "rework", "fold", "merge", "combine",
    ];
    let mut before: Vec<String> = Vec::new();
    sentences(task).find(|sentence| {
        let words = words(sentence);
        let has = |list: &[&str]| words.iter().any(|word| is_form_of(word, list));
        let is_of_tests =
            |words: &[String]| words.iter().any(|word| TESTS.contains(&word.as_str()));
        // "tests/rows.rs repeats itself. Please turn it into tables."
        let points = words.iter().any(|word| matches!(word.as_str(), "it" | "them" | "these"));
        let is_meant = is_of_tests(&words) || points && is_of_tests(&before);
        let found = is_meant && has(MAKES) && has(&["table"]) && !denies(&words);
        before = words;
        found
    })
}

/// The same of a test that failed on the base. Where something is to be mended, it shows what: only who
/// says that tests are to go has asked for that.
pub(in crate::verify) fn for_less_red<'t>(rule: Rule, task: &'t str, id: &str) -> Option<&'t str> {
    let is_of_tests = |clause: &&str| {
        let words = words(clause);
        words.iter().any(|word| TESTS.contains(&word.as_str()))
            && (!words.iter().any(|word| RED.contains(&word.as_str()))
                || rule == Rule::G02 && is_to_be_skipped(&words))
    };
    let asked = for_less(rule, task, id);
    if to_mend(task) { asked.filter(is_of_tests) } else { asked }
}

/// "Please skip the two failing tests": the verb comes first, and tests are what it is about.
fn is_to_be_skipped(words: &[String]) -> bool {
    const SKIPS: &[&str] = &["skip", "disable", "ignore", "mute", "quarantine"];
    const FIRST: &[&str] = &["please", "just", "so", "and", "then", "to", "only"];
    let asks = words.iter().skip_while(|word| FIRST.contains(&word.as_str())).take(1);
    let begins = asks.into_iter().any(|word| SKIPS.contains(&word.as_str()));
    let at = words.iter().position(|word| SKIPS.contains(&word.as_str())).unwrap_or(0);
    let object = words.iter().skip(at + 1).take(6);
    begins && object.into_iter().any(|word| matches!(word.as_str(), "test" | "tests"))
}

/// Whether a clause asks for nothing but that tests become one. What was merged is still tried, so that
/// explains no test that would fail.
pub(in crate::verify) fn is_merging(clause: &str) -> bool {
    const MERGES: &[&str] =
        &["merge", "consolidate", "deduplicate", "parametrise", "parametrize", "combine", "join"];
    let words = words(clause);
    let has = |list: &[&str]| words.iter().any(|word| is_form_of(word, list));
    has(MERGES) && !has(REMOVES) && !has(&["replace", "rewrite", "retire", "deprecate"])
}

/// Whether a clause asks that something go: a verb that begins it or stands behind a word that asks, and
/// is no name of code.
fn requests(clause: &str) -> bool {
    let raw: Vec<&str> = clause.split_whitespace().collect();
    let trim = |word: &str| {
        word.trim_matches([',', '.', ':', ';', '!', '?', '(', ')', '-']).to_lowercase()
    };
    let bare: Vec<String> = raw.iter().map(|word| trim(word)).collect();
    let before = |at: usize| at.checked_sub(1).map(|at| (raw[at], bare[at].as_str()));
    raw.iter().enumerate().any(|(at, word)| {
        let is_code = word.contains(['(', '`', '"', '_', '.', ':']) && !word.ends_with(['.', ':']);
        let next = bare.get(at + 1).map(String::as_str).unwrap_or_default();
        let is_subject = STATES.contains(&next)
            || next.strip_suffix('s').is_some_and(|verb| VERBS.contains(&verb) || verb == "fail");
        let may_ask = before(at).is_none_or(|(raw, bare)| {
            bare.is_empty() || raw.ends_with([',', ':', ';', ')', '-']) || BEFORE.contains(&bare)
        });
        let is_rid = bare[at] == "rid" && before(at).is_some_and(|(_, one)| one.starts_with("get"));
        let is_verb = VERBS.contains(&bare[at].as_str()) && may_ask;
        let is_passive = ["removed", "deleted", "dropped", "merged", "replaced", "rewritten"]
            .contains(&bare[at].as_str())
            && before(at).is_some_and(|(_, one)| one == "be");
        let is_noun = bare[at] == "removal" && at == 0;
        !is_code && (is_rid || is_verb && !is_subject || is_passive || is_noun)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G01: what a bug does is no request, and a red test goes only where that is said.
    #[test]
    fn what_asks_that_a_test_go() {
        let check = |task: &str, id: &str, asked: bool| {
            assert_eq!(for_less(Rule::G01, task, id).is_some(), asked, "{task} / {id}");
        };
        check("go test fails because Delete removes too much, pls fix", "pkg TestDelete", false);
        check("Fix Delete (it removes longer words too)", "pkg TestDelete", false);
        check("Delete is broken for long words, see the test", "pkg TestDelete", false);
        check("The first row is dropped by the report test", "t > test_report", false);
        check("`Delete(x)` drops the tests of others", "pkg TestDelete", false);
        check("Remove Stock::report and its data.", "t > report_has_rows", true);
        check("Nobody needs the mean. Please delete it.", "t > mean_of_all", true);
        check("Tests of the mean should be removed", "t > mean_of_all", true);
        check("We can get rid of the mean and its test", "t > mean_of_all", true);
        check("mean() and its test: drop both", "t > mean_of_all", true);
        let along =
            "There is no group discount any more. Please remove it together with its tests.";
        check(along, "pkg TestGroup", true);
        check(along, "pkg TestHighSeason", false);
        check("Remove the CSV import: module and tests.", "t > test_season", false);
        check("Remove the duplicate tests of the season.", "t > test_twice", true);
        let red = |task: &str, id: &str, asked: bool| {
            assert_eq!(for_less_red(Rule::G01, task, id).is_some(), asked, "{task} / {id}");
        };
        red("Fix the parser, and remove the mean.", "t > mean_of_all", false);
        red("Fix the parser. Remove the old tests of the mean.", "t > mean_of_all", true);
        red("Remove the mean.", "t > mean_of_all", true);
        let code = |task: &str, name: &str, is: bool| assert_eq!(goes(task, name), is, "{task}");
        code("All have moved, so remove the CSV import: module and tests.", "importCsv", true);
        code("All have moved, so remove the CSV import: module and tests.", "Vault", false);
        code("The CSV import removes too much.", "importCsv", false);
        let table = |task: &str, is: bool| assert_eq!(for_a_table(task).is_some(), is, "{task}");
        table("While there: the tests are all alike, make a table of them.", true);
        table("Turn the tests of the mean into one table.", true);
        table("The five tests are the same, fold them into one table-driven test please.", true);
        table("tests/rows.rs repeats itself a lot. Please turn it into tables.", true);
        table("Make a table of the stops. There are tests.", false);
        table("Don't make a table of the tests.", false);
        assert!(is_merging("and merge the small order tests"));
        assert!(!is_merging("merge the tests and drop those of the mean"));
    }

    /// G01: what a task says is to go, by its words.
    #[test]
    fn what_is_to_go() {
        let gone = |task: &str, words: &[&str]| assert_eq!(gone_words(task), words, "{task}");
        gone(
            "Nobody uses the ics output. Please remove it together with --format, there is the table.",
            &["format", "table", "ics", "output"],
        );
        gone("There is no group discount any more. Please remove it.", &["group", "discount"]);
        gone("The import removes too much.", &[]);
        let row = |task: &str, id: &str, is: bool| {
            assert_eq!(for_a_row(task, id).is_some(), is, "{task}");
        };
        row(
            "Remove oz and lb completely (code, tests).",
            "example.com/brew TestParse/1.5_oz",
            true,
        );
        row("Remove oz and lb completely.", "tests.test_mass > test_parse[9 lb-4082]", true);
        row("Remove oz and lb completely.", "example.com/brew TestParse/2_KG", false);
        row("Don't remove oz.", "example.com/brew TestParse/1.5_oz", false);
        row("Remove oz.", "example.com/brew TestOz", false);
    }
}
