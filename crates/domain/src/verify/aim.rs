//! What a task wants of the code: another behaviour, which has to show, or the same as before.

mod speed;
mod words;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use speed::{is_about_speed, speaks_of_speed};
use words::{
    AROUND, AROUND_VERBS, ASKING, DECLARED, DOCUMENTS, FILLERS, FORMATS, FORMATTERS, SAME, SHAPES,
    STATES, UPKEEP, UPKEEP_OBJECTS, USES, WRONG,
};

/// What a task wants of the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Aim {
    /// Something that was not so before: some test must fail on the base and pass now.
    Behaviour,
    /// The same behaviour in another shape, or nothing of the code at all.
    Upkeep,
    /// Tests, documents, what a server runs: if the code does something else afterwards, that has
    /// to show as well.
    Around,
}

/// What the words ask for. Not knowing is taken for another behaviour: that is the stricter one.
pub fn aim(task: &str) -> Aim {
    let all = task.to_lowercase();
    if SAME.iter().any(|words| all.contains(words)) {
        return Aim::Upkeep;
    }
    if is_about_speed(task) || is_about_unused(&all) || is_about_warnings(&all) {
        return Aim::Upkeep;
    }
    let first = all.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let led = led(first);
    if led != Aim::Behaviour || words(&all).any(|word| ASKING.contains(&word)) {
        return led;
    }
    // "Nobody reads the report. Remove it." begins with how it is.
    let later = all.split(". ").flat_map(str::lines).skip(1).map(self::led);
    later.into_iter().find(|aim| *aim != Aim::Behaviour).unwrap_or(Aim::Behaviour)
}

/// "Get rid of the compiler warnings": tools complain, and what is done stays.
fn is_about_warnings(task: &str) -> bool {
    const WHOSE: &[&str] =
        &["compiler", "clippy", "eslint", "linter", "lint", "rustc", "vet", "mypy"];
    // "The lint step on CI is red because of two lines": what a lint says is no behaviour.
    const SAYS: &[&str] =
        &["red", "fails", "failing", "complains", "complaint", "complaints", "findings", "unhappy"];
    let first = task.split(". ").next().unwrap_or_default();
    let begin: Vec<&str> = words(first).take(4).collect();
    let is_of_lint = begin.iter().any(|word| *word != "compiler" && WHOSE.contains(word));
    if is_of_lint && words(first).any(|word| SAYS.contains(&word)) {
        return true;
    }
    let all: Vec<&str> = words(first).collect();
    let is_unused = all.windows(2).any(|pair| {
        matches!(pair[0], "unused" | "redundant")
            && matches!(pair[1], "import" | "imports" | "variable" | "variables")
    });
    let is_theirs = is_unused
        || all
            .windows(2)
            .any(|pair| WHOSE.contains(&pair[0]) && matches!(pair[1], "warning" | "warnings"));
    let verbs = ["rid", "fix", "silence", "remove", "address", "resolve", "clear"];
    is_theirs && all.iter().any(|word| verbs.contains(word))
}

/// Whether a task in lower case says that nobody has a use for something, and wants it gone.
fn is_about_unused(task: &str) -> bool {
    let all: Vec<&str> = words(task).collect();
    let is_unused = all.windows(2).any(|pair| pair[0] == "nobody" && USES.contains(&pair[1]));
    let goes = all.iter().any(|word| matches!(*word, "remove" | "delete" | "drop"));
    let asks = all.iter().any(|word| {
        WRONG.contains(word) || ASKING.contains(word) && !matches!(*word, "return" | "make")
    });
    is_unused && goes && !asks
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !(letter.is_alphanumeric() || letter == '-' || letter == '_'))
        .filter(|word| !word.is_empty())
}

/// What a sentence in lower case asks for by its first words.
fn led(sentence: &str) -> Aim {
    let mut words = words(sentence).skip_while(|word| {
        matches!(*word, "please" | "we" | "should" | "can" | "you" | "now" | "just")
    });
    let Some(verb) = words.next() else { return Aim::Behaviour };
    if is_subject(sentence, verb) {
        return Aim::Behaviour;
    }
    if AROUND_VERBS.contains(&verb) {
        return Aim::Around;
    }
    if UPKEEP.contains(&verb) {
        return Aim::Upkeep;
    }
    if matches!(verb, "use" | "replace" | "switch" | "swap") && is_of_code(sentence, verb) {
        return Aim::Upkeep;
    }
    // "Run our formatter over it" asks for another layout.
    if verb == "run" && self::words(sentence).any(|word| FORMATTERS.contains(&word)) {
        return Aim::Upkeep;
    }
    if verb == "make" && self::words(sentence).any(|word| SHAPES.contains(&word)) {
        return Aim::Upkeep;
    }
    // "Add missing tests for the parser" is about tests, "add a test mode" is not: what a verb is
    // about is the first noun that is followed by no other.
    let mut rest = words.skip_while(|word| FILLERS.contains(word));
    let object = rest.next().unwrap_or_default();
    if is_of_tests(sentence) || self::words(sentence).any(|word| DOCUMENTS.contains(&word)) {
        return Aim::Around;
    }
    let next = rest.next().unwrap_or_default();
    let ends_there = next.is_empty()
        || matches!(
            next,
            "for"
                | "in"
                | "of"
                | "to"
                | "on"
                | "with"
                | "so"
                | "that"
                | "and"
                | "after"
                | "about"
                | "from"
                | "around"
                | "file"
                | "files"
                | "suite"
                | "warnings"
                | "errors"
        );
    match object {
        // "Add type hints to the parser", "add TypeScript declarations".
        _ if DECLARED.contains(&next) => Aim::Upkeep,
        // "Add json tags to Item".
        object if next == "tags" && FORMATS.contains(&object) => Aim::Upkeep,
        _ if !ends_there => Aim::Behaviour,
        object if UPKEEP_OBJECTS.contains(&object) => Aim::Upkeep,
        object if AROUND.contains(&object) => Aim::Around,
        _ => Aim::Behaviour,
    }
}

/// Whether a word that may be a verb is what the sentence speaks of: "split() loses cents", "format
/// is slow".
fn is_subject(sentence: &str, word: &str) -> bool {
    let Some(after) = sentence.split_once(word).map(|(_, after)| after) else { return false };
    let next = words(after).next().unwrap_or_default();
    let is_code = after.starts_with(['(', '`', '_'])
        || after.starts_with(['.', ':']) && {
            after.chars().nth(1).is_some_and(|letter| letter.is_alphanumeric() || letter == ':')
        };
    is_code && !after.starts_with(":: ") && !is_scope(after) || STATES.contains(&next)
}

/// Whether one piece of code takes the place of another: "use `open()` instead of read_text".
fn is_of_code(sentence: &str, verb: &str) -> bool {
    let rest = sentence.split_once(verb).map_or("", |(_, rest)| rest);
    let parts =
        ["instead of ", " with ", " by ", " to "].iter().find_map(|word| rest.split_once(word));
    let is_code = |text: &str| {
        let mut words = text.split_whitespace().filter(|word| !FILLERS.contains(word));
        words.next().is_some_and(|word| {
            let word = word.trim_end_matches(['.', ',', ';']);
            word.contains(['`', '_', '(', '.', ':'])
        })
    };
    parts.is_some_and(|(one, other)| is_code(one) && is_code(other))
}

/// `refactor(core): …` names what a commit is about.
fn is_scope(after: &str) -> bool {
    after.split_once(')').is_some_and(|(_, rest)| rest.starts_with(':') || rest.starts_with("!:"))
}

/// Whether what a verb is about is a file of tests: "add tests/cases.rs with a table".
fn is_of_tests(sentence: &str) -> bool {
    let object = sentence.split_whitespace().skip(1).find(|word| !FILLERS.contains(word));
    object.is_some_and(|word| {
        let is_file = word.trim_end_matches(['.', ',']).contains('.');
        let starts = ["tests/", "test/", "test_", "spec/", "__tests__/"];
        is_file && starts.iter().any(|start| word.trim_matches('`').starts_with(start))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LP-12: what has to be red before it is green.
    #[test]
    fn what_is_to_change_and_what_is_not() {
        let behaviour = [
            "Fix add: it must return the sum",
            "add a retry to the client",
            "Implement slugify(text)",
            "feat: support negative numbers",
            "fix: rounding",
            "The parser should accept tabs",
            "Add a test mode to the client",
            "",
            "¿Qué?",
            "Make the tests pass",
        ];
        let upkeep = [
            "Refactor the parser",
            "refactor(core): split utils",
            "Add tests for the parser",
            "Add missing unit tests",
            "Update the snapshots after the new layout",
            "Fix typo in README",
            "Rename foo to bar",
            "test: cover edge cases",
            "Fix the flaky tests",
            "Please move the helpers into their own module",
            "Improve documentation of the API",
            "allow and left do the same. Put that into one method; behaviour must not change.",
        ];
        for task in behaviour {
            assert_eq!(aim(task), Aim::Behaviour, "{task}");
        }
        assert_eq!(aim("Add tests for the parser"), Aim::Around);
        assert_eq!(aim("Add tests/cases.rs with a table of orders"), Aim::Around);
        assert_eq!(aim("Nobody reads the report any more. Remove it."), Aim::Upkeep);
        assert_eq!(aim("The report is wrong. Remove the first line."), Aim::Behaviour);
        let unused = "Rows is public but nobody names it; return an iterator and remove the module";
        assert_eq!(aim(unused), Aim::Upkeep);
        assert_eq!(aim("Nobody uses it since the total is wrong; remove it"), Aim::Behaviour);
        assert_eq!(aim("split() loses cents"), Aim::Behaviour);
        assert_eq!(aim("format of dates is wrong"), Aim::Behaviour);
        assert_eq!(aim("Tests fail since last week, get them green"), Aim::Behaviour);
        assert_eq!(aim("refactor(core): split utils"), Aim::Upkeep);
        assert_eq!(aim("Add JSDoc types to all functions"), Aim::Around);
        assert_eq!(aim("Run our formatter over stats.py"), Aim::Upkeep);
        assert_eq!(aim("Add json tags in snake case to Item"), Aim::Upkeep);
        assert_eq!(aim("Add html tags to the report"), Aim::Behaviour);
        assert_eq!(aim("Make Ring generic over its values"), Aim::Upkeep);
        assert_eq!(aim("Please add type hints to bill/money.py"), Aim::Upkeep);
        assert_eq!(aim("Please add TypeScript declarations for parse"), Aim::Upkeep);
        assert_eq!(aim("total() is slow. Cache it, and make sure add() clears it"), Aim::Upkeep);
        assert_eq!(aim("The slow path returns a wrong total"), Aim::Behaviour);
        assert_eq!(aim("Add a faster parser"), Aim::Behaviour);
        let again =
            "sort() builds its table again for every row. Build it once and keep it in a cache";
        assert_eq!(aim(again), Aim::Upkeep);
        let long = "The report takes 4 s for a year. Remember the names that were looked up";
        assert_eq!(aim(long), Aim::Upkeep);
        assert_eq!(aim("A lease takes 30 s. Let it be renewed"), Aim::Behaviour);
        assert_eq!(aim("Ask again for a name that is empty"), Aim::Behaviour);
        assert_eq!(aim("Use `self.path.open()` and load instead of read_text"), Aim::Upkeep);
        assert_eq!(aim("Use cents instead of euros"), Aim::Behaviour);
        assert_eq!(aim("Resolve redundant import warning"), Aim::Upkeep);
        assert_eq!(aim("Keep the sum; the results must stay the same"), Aim::Upkeep);
        assert_eq!(aim("Fix the lint warnings"), Aim::Upkeep);
        for task in upkeep {
            assert_ne!(aim(task), Aim::Behaviour, "{task}");
        }
    }
}
