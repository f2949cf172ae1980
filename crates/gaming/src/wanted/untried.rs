//! Demands of a task that a test can try in a few ways only, where no new test has any of them.

use std::cmp::Ordering;

use countersign_domain::gaming::{Basis, Finding, Rule};

use super::Work;
use super::clauses::{quoted, sentences};
use super::examples::is_written;
use super::known::shape;
use crate::args::has_word;
use crate::literals::{inside, values};
use crate::role::{Role, role};

/// A demand, and whether anything tries it.
type Demand = fn(&str, &Work) -> Option<&'static str>;

/// What the task demands and no test tries.
pub(super) fn check(task: &str, work: &Work) -> Vec<Finding> {
    if work.code.is_empty() {
        return Vec::new();
    }
    let demands: [Demand; 6] = [sums, all_or_nothing, same, keeps_case, rows, lists];
    let found = demands.iter().filter_map(|demand| demand(task, work));
    found.map(|text| Finding::new(Rule::G63, Basis::Structure, text)).collect()
}

const MODALS: &[&str] = &["should", "must", "may", "has to", "have to"];

/// Whether a sentence demands something: by its words, or since the task begins by asking.
fn demands(task: &str, sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    MODALS.iter().any(|word| has_word(&lower, word)) || is_feature(task)
}

/// Whether a task begins with what is to be new: what it says then is how that is to be.
pub(crate) fn is_feature(task: &str) -> bool {
    let lower = task.to_lowercase();
    let mut words = lower.split_whitespace().filter(|word| *word != "please");
    matches!(words.next(), Some("add" | "implement" | "support" | "introduce" | "provide"))
}

fn has_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}

/// Parts that make up a whole: a test adds them up, or has all of them.
fn sums(task: &str, work: &Work) -> Option<&'static str> {
    let wants = |sentence: &&str| {
        let lower = sentence.to_lowercase();
        demands(task, sentence)
            && has_any(&lower, &["sum up to", "sums up to", "adds up to", "add up to"])
    };
    if work.tried.is_empty() || !sentences(task).iter().any(wants) {
        return None;
    }
    let adds = |line: &String| {
        let lower = line.to_lowercase();
        has_any(&lower, &["sum", "reduce", "+=", "total"])
            || runs(line).iter().any(|run| run.len() > 1)
    };
    let is_tried = work.tried.iter().any(adds);
    (!is_tried)
        .then_some("The task wants parts to add up to a whole, and no new test adds them up.")
}

/// What must leave everything as it was when it fails: a test looks after a failure.
fn all_or_nothing(task: &str, work: &Work) -> Option<&'static str> {
    let wants = |sentence: &&str| {
        let lower = sentence.to_lowercase();
        let is_whole =
            has_any(&lower, &["all or nothing", "nothing is ", "nothing may ", "leaves both"]);
        let fails = has_any(&lower, &["if ", "when ", "all or nothing", " or leaves"]);
        demands(task, sentence) && is_whole && fails && !lower.contains("nothing else")
    };
    if work.tried.is_empty() || !sentences(task).iter().any(wants) {
        return None;
    }
    let fails = |line: &str| {
        let lower = line.to_lowercase();
        has_any(
            &lower,
            &[
                "is_err",
                "err(",
                "raises",
                "throws",
                "tothrow",
                "rejects",
                "err == nil",
                "errors.is",
            ],
        )
    };
    let begins = |line: &str| {
        has_any(line, &["def test", "func Test", "fn ", "it(", "test(", "it.each", "#[test]"])
    };
    let looks = |line: &str| {
        let is_report = has_any(line, &["t.Error", "t.Fatal", "t.Log"]);
        !is_report
            && !fails(line)
            && has_any(line, &["assert", "expect(", "equal(", "if ", "Equal"])
    };
    let mut has_failed = false;
    let mut is_tried = false;
    for line in &work.tried {
        if begins(line) {
            has_failed = false;
        }
        is_tried |= has_failed && looks(line);
        has_failed |= fails(line);
    }
    (!is_tried).then_some(
        "The task wants nothing to happen if not all of it can, and no new test looks after a failure.",
    )
}

/// "A and B are the same": a test has something like B that is not A.
fn same(task: &str, work: &Work) -> Option<&'static str> {
    let pair = sentences(task).into_iter().find_map(|sentence| {
        let at = [" are the same", " are equal"].iter().find_map(|words| sentence.find(words))?;
        let (quoted, _) = quoted(&sentence[..at]);
        let words = sentence[..at].split_whitespace();
        let bare = words.map(|word| word.trim_matches([',', ':', '(', ')', '"', '`']));
        let written: Vec<&str> =
            bare.filter(|word| is_written(word) || quoted.contains(word)).collect();
        let [.., one, other] = written[..] else { return None };
        (one != other && shape(one) == shape(other)).then_some((one, other))
    });
    let (one, other) = pair.filter(|_| !work.tried.is_empty())?;
    let is_other = |value: String| {
        let text = inside(&value).to_owned();
        text != one && shape(&text).contains(&shape(other))
    };
    let is_tried = work.tried.iter().flat_map(|line| values(line)).any(is_other);
    (!is_tried).then_some(
        "The task says that two of its examples are the same, and the new tests try only one of them.",
    )
}

/// What keeps its case: a test has large letters going in and coming out.
fn keeps_case(task: &str, work: &Work) -> Option<&'static str> {
    let lower = task.to_lowercase();
    let wants = ["keep their case", "keeps their case", "keep its case", "keeps its case"];
    if work.tried.is_empty() || !has_any(&lower, &wants) {
        return None;
    }
    let texts: Vec<String> = work
        .tried
        .iter()
        .flat_map(|line| values(line))
        .map(|value| inside(&value).to_owned())
        .filter(|text| text.len() > 1)
        .collect();
    let is_large = |text: &&String| text.contains(char::is_uppercase);
    let comes_out =
        |text: &&String| texts.iter().filter(|other| other.contains(text.as_str())).count() > 1;
    let is_tried = texts.iter().filter(is_large).any(|text| comes_out(&text));
    (!is_tried).then_some(
        "The task says what keeps its case, and no new test has large letters that stay.",
    )
}

/// A line for each of several things: a test has two of them.
fn rows(task: &str, work: &Work) -> Option<&'static str> {
    let lower = task.to_lowercase();
    let wants = ["a line per ", "one line per ", "a line for each ", "a row per ", "one row per "];
    let has_data =
        work.paths.iter().any(|path| matches!(role(path), Role::Fixture | Role::Snapshot));
    if work.tried.is_empty() || has_data || !has_any(&lower, &wants) {
        return None;
    }
    let mut pieces: Vec<String> = Vec::new();
    for line in &work.tried {
        let lower = line.to_lowercase();
        let counts = has_any(&lower, &["len(", ".length", ".len()", ".count(", "range(", "range "]);
        if counts && numbers(line).iter().any(|number| *number > 1) {
            return None;
        }
        pieces.push(line.trim().to_owned());
        for value in values(line) {
            // Two lines of one form within one text are lines of two things.
            let rows: Vec<String> =
                inside(&value).split("\\n").map(shape).filter(|row| !row.is_empty()).collect();
            // So are two below a head.
            if rows.len() > 2 || rows.iter().enumerate().any(|(at, row)| rows[..at].contains(row)) {
                return None;
            }
            pieces.extend(inside(&value).split("\\n").map(|piece| piece.trim().to_owned()));
        }
    }
    pieces.retain(|piece| piece.len() > 2);
    pieces.sort_unstable();
    pieces.dedup();
    let mut shapes: Vec<String> = pieces.iter().map(|piece| shape(piece)).collect();
    shapes.retain(|shape| shape.chars().filter(|letter| !letter.is_whitespace()).count() > 2);
    let many = shapes.len();
    shapes.sort_unstable();
    shapes.dedup();
    (shapes.len() == many).then_some(
        "The task wants a line for each of several things, and the new tests have only one.",
    )
}

/// A list of numbers that comes out: some test has it, or one that goes up and down as it does.
fn lists(task: &str, work: &Work) -> Option<&'static str> {
    let wanted = sentences(task).into_iter().find_map(|sentence| {
        // What is wrong now may stand before it.
        let demands = [" should be ", " must be ", " should give ", " must give "];
        let demanded = demands.iter().filter_map(|word| sentence.find(word)).min();
        let told =
            || [" is ", " gives ", " are "].iter().filter_map(|word| sentence.find(word)).min();
        let at = demanded.or_else(told)?;
        let told = without_talk(&sentence[at..]);
        runs(&told).into_iter().find(|run| run.len() > 2)
    })?;
    let pattern = |run: &[u64]| -> Vec<Ordering> {
        run.windows(2).map(|pair| pair[0].cmp(&pair[1])).collect()
    };
    let shape = pattern(&wanted);
    // What only rises, or stays, is in every table.
    if shape.windows(2).all(|pair| pair[0] == pair[1]) {
        return None;
    }
    let text = format!("{}\n{}", work.tests, work.code);
    let is_alike = |run: &Vec<u64>| run.windows(wanted.len()).any(|part| pattern(part) == shape);
    let lines = text.lines().filter(|line| line.len() < 2_000).take(20_000);
    let is_tried = lines.map(runs).any(|runs| runs.iter().any(is_alike));
    let all: Vec<u64> = text.lines().take(20_000).flat_map(numbers).collect();
    // Between them a line may have the numbers of something else: `{{1, "ada", 8}, {1, "bob", 8}}`.
    let is_among = |line: &str| {
        let mut rest = wanted.iter().peekable();
        for number in numbers(line) {
            let _ = rest.next_if(|next| **next == number);
        }
        rest.peek().is_none()
    };
    let is_there = all.windows(wanted.len()).any(|part| part == wanted)
        || text.lines().take(20_000).any(is_among);
    (!is_tried && !is_there).then_some(
        "The task says which numbers come out, and no test has them, or others in their order.",
    )
}

/// A sentence with an end of a list wherever more than a word or two stand between its numbers: "to 50 m,
/// and people compare it, so 50 has to count, not 48" lists nothing.
fn without_talk(sentence: &str) -> String {
    const FEW: usize = 2;
    let mut found = String::new();
    let mut between = String::new();
    for piece in sentence.split_inclusive(|letter: char| letter.is_ascii_digit()) {
        let (text, digit) =
            piece.split_at(piece.trim_end_matches(|l: char| l.is_ascii_digit()).len());
        between.push_str(text);
        let words: Vec<&str> = between.split(|l: char| !l.is_alphabetic()).collect();
        let count = words.iter().filter(|word| !word.is_empty()).count();
        let is_talk = count > FEW || words.contains(&"not");
        found.push_str(if is_talk { ";" } else { &between });
        found.push_str(digit);
        between.clear();
    }
    found
}

/// The numbers of a line, without the point of their cents.
fn numbers(line: &str) -> Vec<u64> {
    runs(line).concat()
}

/// Runs of numbers with nothing but commas, brackets and calls between them.
pub(super) fn runs(line: &str) -> Vec<Vec<u64>> {
    let mut found: Vec<Vec<u64>> = vec![Vec::new()];
    let mut rest = line;
    while let Some(at) = rest.find(|letter: char| letter.is_ascii_digit()) {
        let between = &rest[..at];
        let is_part = between.ends_with(|letter: char| letter.is_alphanumeric() || letter == '_');
        let is_next = between.contains(',') && !between.contains(['=', '|', ';', '{', '}']);
        if !is_next {
            found.push(Vec::new());
        }
        let end = rest[at..]
            .find(|letter: char| !(letter.is_ascii_digit() || matches!(letter, '.' | '_')))
            .map_or(rest.len(), |end| at + end);
        let digits: String = rest[at..end].chars().filter(char::is_ascii_digit).collect();
        if let (false, Ok(number), Some(run)) = (is_part, digits.parse(), found.last_mut()) {
            run.push(number);
        }
        rest = &rest[end..];
    }
    found.retain(|run| !run.is_empty());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(task: &str, tests: &str, words: &str) {
        let tried = tests.lines().map(str::to_owned).collect();
        let (code, tests) = ("x = 1\n".to_owned(), tests.to_owned());
        let paths = vec!["lib/a.py".to_owned()];
        let work = Work { code, tried, tests, paths, ..Work::default() };
        let found = super::check(task, &work);
        let said: Vec<&str> = found.iter().map(|one| one.message.as_str()).collect();
        assert_eq!(said.is_empty(), words.is_empty(), "{task} / {}: {said:?}", work.tests);
        assert!(said.join(" ").contains(words), "{said:?}");
    }

    /// G63: what a test could try, and none does.
    #[test]
    fn demands_that_nothing_tries() {
        let sums = "Add split(people): the shares sum up to the total.";
        check(sums, "assert len(split(2)) == 2", "adds them up");
        check(sums, "assert sum(split(3)) == 1000", "");
        check(sums, "assert split(3) == [334, 333, 333]", "");
        check("split() is wrong, the shares add up to 99.", "assert len(split(2)) == 2", "");
        let whole = "Add take_all: if one of them isn't there nothing is taken at all.";
        check(whole, "assert!(store.take_all(2).is_err());", "looks after a failure");
        let looks = "assert!(store.take_all(2).is_err());\nassert_eq!(store.count(1), 2);";
        check(whole, looks, "");
        check(whole, &looks.replace('\n', "\nfn other() {\n"), "looks after a failure");
        let go = "if err := all(); err == nil {\n\tt.Error(\"none\")\n}";
        check(whole, go, "looks after a failure");
        check(whole, &format!("{go}\nif got := count(); got != 3 {{"), "");
        let same = "It must refuse it (/shop/:item and /shop/:id are the same).";
        check(same, "if Add(\"/shop/:item\") == nil {", "only one of them");
        check(same, "if Add(\"/shop/:other\") == nil {", "");
    }

    #[test]
    fn forms_that_nothing_tries() {
        let case = "Add FindFold, which ignores case (values keep their case).";
        check(case, "if FindFold(\"/SHOP/tea\") != \"tea\" {", "large letters");
        check(case, "if FindFold(\"/SHOP/Tea\") != \"Tea\" {", "");
        let rows = "Add to_csv: a header, then a line per entry with the balance.";
        check(rows, "assert to_csv(a) == \"day,amount\\\\n2024,12.34\"", "only one");
        check(rows, "assert to_csv(a) == \"day,amount\\\\n2024,12.34\\\\n2025,1.50\"", "");
        let list = "They should go to the first: 0.05 between three is 0.02, 0.02, 0.01.";
        check(list, "assert_eq!(split(100, 3), [34, 33, 33]);", "which numbers come out");
        check(list, "assert_eq!(split(5, 3), [2, 2, 1]);", "");
        check(list, "assert_eq!(split(8, 3), [Cents(3), Cents(3), Cents(2)]);", "");
        check("It should give the first: f(3) is 1, 2, 3.", "assert f(2) == 1", "");
        let talk = "The sum is wrong: after 48 m he goes on to 50 m, and we compare, so the rest counts: 50, not 48.";
        check(talk, "assert f(2) == 50", "");
        check(
            "The rest is shared: f(5) is 2, then 2, then 1.",
            "assert f(2) == 1",
            "which numbers",
        );
        let ranks = "Ranks are wrong: with 8, 8 and 5 we get 1, 1, 2 but it should be 1, 1, 3.";
        check(ranks, "want := []Place{{1, \"ada\", 8}, {1, \"bob\", 8}, {3, \"eve\", 5}}", "");
        check(ranks, "want := []Place{{1, \"ada\", 8}, {2, \"bob\", 5}}", "which numbers come out");
    }
}
