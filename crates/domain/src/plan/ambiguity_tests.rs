//! LP-05: scores, gates, and who may change them.

use super::*;
use crate::plan::id::{CriterionId, Line};

fn criterion(given: &str, when: &str, then: &str) -> AcceptanceCriterion {
    let [given, when, then] = [given, when, then].map(str::to_owned);
    AcceptanceCriterion { id: CriterionId::new(1), given, when, then, line: Line(1) }
}

#[track_caller]
fn check(clauses: [&str; 3], expected: [u8; 6]) -> Score {
    let [given, when, then] = clauses;
    let score = score(&criterion(given, when, then));
    let points: Vec<u8> = score.rated.iter().map(|one| one.points).collect();
    assert_eq!(points, expected, "{clauses:?}\n{:#?}", score.rated);
    assert!(score.rated.iter().all(|one| !one.reason.is_empty()));
    score
}

/// LP-05: the two calibration examples have exactly the points that the source gives them.
#[test]
fn the_calibration_examples_score_as_they_must() {
    let five = check(["a user", "they log in", "the system works correctly"], [1, 2, 1, 1, 0, 0]);
    assert_eq!((five.total(), five.gate()), (5, Gate::Reject));
    let seven = check(
        [
            "a registered user with email 'test@example.com' and valid password",
            "they submit the login form",
            "they are redirected to the dashboard within 2 seconds",
        ],
        [2, 1, 1, 1, 2, 0],
    );
    assert_eq!((seven.total(), seven.gate()), (7, Gate::Warn));
    assert_eq!(seven.low()[0].dimension, Dimension::Independence);
}

/// LP-05: a criterion that leaves nothing open has all points.
#[test]
fn a_clear_criterion_passes() {
    let clear = check(
        [
            "a visitor called \"Ada\"",
            "the visitor asks for a greeting",
            "the visitor reads \"Hello, Ada\"",
        ],
        [2, 2, 2, 2, 2, 2],
    );
    assert_eq!((clear.total(), clear.gate()), (12, Gate::Pass));
    check(
        ["a cart of 3 books for 10 € each", "the customer pays", "the customer is charged 30 €"],
        [2, 2, 2, 2, 2, 2],
    );
}

/// LP-05: several behaviours in one are told, and values between two limits are not.
#[test]
fn several_behaviours_are_told() {
    check(
        [
            "an order of 5 €",
            "the clerk cancels it",
            "5 € are paid back and the customer gets a letter",
        ],
        [1, 2, 2, 2, 2, 2],
    );
    check(
        [
            "an order of 5 €",
            "the clerk opens and cancels it",
            "5 € are paid back; 1 letter is sent. A note is kept",
        ],
        [0, 2, 2, 2, 2, 2],
    );
    check(
        [
            "a grade of 7",
            "the teacher enters it",
            "the teacher reads that it must be between 1 and 6",
        ],
        [2, 2, 2, 2, 2, 2],
    );
}

/// LP-05: names from the code, technical terms and products are told.
#[test]
fn the_language_of_the_code_is_told() {
    check(
        ["3 rows in user_table", "UserService.save() is called", "4 rows are there"],
        [2, 0, 0, 0, 2, 2],
    );
    check(["2 users", "POST /api/users is sent", "the response is 201"], [2, 0, 1, 0, 2, 2]);
    check(["2 entries in the Redis cache", "a visitor reads one", "1 is left"], [2, 1, 2, 0, 2, 2]);
    // What is quoted is data.
    check(
        [
            "a reader who looks for \"React and Redis\"",
            "the reader asks",
            "the reader sees 2 books",
        ],
        [2, 2, 2, 2, 2, 2],
    );
    check(
        [
            "a reader's card with 2 marks",
            "the reader's card is shown",
            "the reader's 2 marks are listed",
        ],
        [2, 2, 2, 2, 2, 2],
    );
}

/// LP-05: what is vague, or leans on something else, is told.
#[test]
fn vague_and_leaning_criteria_are_told() {
    check(["some input", "a clerk enters it", "it is handled appropriately"], [1, 1, 2, 2, 0, 2]);
    check(["3 letters", "the clerk sorts them", "they lie there quickly"], [1, 2, 2, 2, 0, 2]);
    check(["3 letters", "the clerk sorts them", "it should work well"], [1, 2, 2, 2, 0, 2]);
    check(["3 letters", "the clerk sorts them", "they lie in order"], [2, 2, 2, 2, 1, 2]);
    check(
        ["AC 1 has passed", "the clerk sorts 3 letters", "the last is \"Z\""],
        [2, 2, 2, 2, 2, 0],
    );
    check(["US-001 is done", "the clerk sorts 3 letters", "the last is \"Z\""], [2, 2, 2, 2, 2, 0]);
    check(
        ["an existing letter of 2 pages", "the clerk copies it", "4 pages lie there"],
        [2, 2, 2, 2, 2, 1],
    );
}

/// LP-05: no text makes the scorer fail, however odd or long it is.
#[test]
fn any_text_has_a_score() {
    for text in
        ["", "\"", "'", "`a", "/", "()", "\u{1}", "…", "ÄÖÜ 'x", "a.b.c.d", &"and ".repeat(50_000)]
    {
        let score = score(&criterion(text, text, text));
        assert!(score.total() <= 12 && score.rated.len() == 6);
    }
}

/// D1.9: another opinion may lower a score, never raise it.
#[test]
fn others_may_lower_a_score_and_never_raise_it() {
    let ours = score(&criterion("a user", "they log in", "the system works correctly"));
    let theirs = |points: u8| Score {
        rated: Dimension::ALL
            .iter()
            .map(|dimension| Rated { dimension: *dimension, points, reason: "they say so".into() })
            .collect(),
    };
    assert_eq!(lower(&ours, &theirs(2)), ours);
    assert_eq!(lower(&ours, &theirs(255)), ours);
    assert_eq!(lower(&ours, &Score { rated: Vec::new() }), ours);
    assert_eq!(lower(&ours, &theirs(0)).total(), 0);
    let one = lower(&ours, &theirs(1));
    assert_eq!((one.total(), one.points(Dimension::Domain)), (4, 1));
    assert_eq!(one.rated[1].reason, "they say so");
    // Whatever is said, no dimension has more than before.
    for points in 0..4 {
        let lowered = lower(&ours, &theirs(points));
        assert!(Dimension::ALL.iter().all(|it| lowered.points(*it) <= ours.points(*it)));
    }
}
