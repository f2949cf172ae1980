//! Properties of the classifier that hold for every text.

use countersign_domain::classify::{
    Classification, Knowledge, Reversibility, Risk, Tier, classify,
};
use proptest::prelude::*;

fn of(text: &str) -> Classification {
    classify(Knowledge::shipped(), text)
}

fn values(said: &Classification) -> impl PartialEq + std::fmt::Debug + use<> {
    (said.contract.value, said.tier.value, said.risk.value, said.reversibility.value)
}

const DANGEROUS: &[&str] = &[
    "delete the users table",
    "drop the orders table",
    "wipe the production database",
    "truncate the events table",
    "rotate the api keys",
    "deploy it to production",
    "decommission the old servers",
    "remove the users table",
    "disable two factor authentication",
    "change the password hashing",
    "hard-code the password",
    "revoke all tokens",
    "migrate production to another region",
    "DROP TABLE users",
    "delete all backups",
    "purge the customer records",
    "erase all personal data",
    "rewrite the git history",
    "send an email to all users",
    "grant everyone admin rights",
    "disable the signature check",
    "publish the package to npm",
    "rm -rf /var/lib/postgresql",
    "force push to main",
];

/// What parts a clause from the text before it, or from the text behind it.
const BORDERS: &[&str] =
    &[". ", "\n", "; ", "! ", "\n\n- ", "\n* ", "\n• ", "\n2. ", "\n- [ ] ", "\n> ", "<br>"];

/// Words and signs that join a clause to the text before it.
const JOINTS: &[&str] = &[
    ", and ",
    " and ",
    " then ",
    ", then ",
    " and then ",
    ", also ",
    " and also ",
    " plus ",
    " — ",
    " & ",
    ", ",
    ", but first ",
    ", afterwards ",
    " as well as ",
    " and while at it ",
    " and, while you are at it, just ",
    ". Then please ",
];

/// Joints behind which anything can stand, not only an action.
const PLAIN: &[&str] = &[", and ", " and ", " plus ", " & ", " — ", ", "];

/// Things that may stand there.
const THINGS: &[&str] = &[
    "the login form",
    "payments",
    "the backups of last year",
    "a typo in the docs",
    "the save button",
    "password rules",
    "old comments",
    "the deploy script",
];

/// Whether nothing in `after` is lower than in `before`, judged or acted on.
fn at_least(after: &Classification, before: &Classification) -> bool {
    let (a, b) = (after.effective(), before.effective());
    after.contract.value >= before.contract.value
        && after.tier.value >= before.tier.value
        && after.risk.value >= before.risk.value
        && after.reversibility.value >= before.reversibility.value
        && a.contract >= b.contract
        && a.tier >= b.tier
        && a.risk >= b.risk
        && a.reversibility >= b.reversibility
}

fn words() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "fix",
        "add",
        "the",
        "login",
        "docs",
        "typo",
        "in",
        "table",
        "button",
        "review",
        "plan",
        "why",
        "is",
        "slow",
        "and",
        "password",
        "for",
        "users",
        "test",
        "payment",
        "update",
        "investigate",
        "remove",
        "old",
        "page",
        "please",
        "should",
        "we",
        "not",
        "release",
        "now",
        "also",
        "then",
        "backup",
        "deploy",
        "comment",
    ]);
    // Small words alone say nothing, and nothing can't be lowered.
    let joints = ["and", "also", "then", "now", "please"];
    prop::collection::vec(word, 1..12)
        .prop_filter("only small words", move |words| {
            words.iter().any(|word| !joints.contains(word))
        })
        .prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn never_panics(text in any::<String>()) {
        let said = of(&text);
        prop_assert!((0.0..=1.0).contains(&said.confidence()));
    }

    #[test]
    fn never_panics_on_odd_shapes(text in "[\\[\\](){}:;.,!?#*/_\\-'`\"\n\r\t a-zé一\u{200b}]{0,80}") {
        of(&text);
    }

    /// D0.1, D3.5: adding a dangerous clause never lowers any field, and it is taken as seriously as alone.
    #[test]
    fn a_dangerous_clause_behind_never_lowers(text in words(), clause in prop::sample::select(DANGEROUS), joint in prop::sample::select([BORDERS, JOINTS].concat())) {
        let after = of(&format!("{text}{joint}{clause}"));
        prop_assert!(at_least(&after, &of(&text)));
        prop_assert!(at_least(&after, &of(clause)));
    }

    #[test]
    fn a_dangerous_clause_in_front_never_lowers(text in words(), clause in prop::sample::select(DANGEROUS), joint in prop::sample::select([BORDERS, JOINTS].concat())) {
        let after = of(&format!("{clause}{joint}{text}"));
        prop_assert!(at_least(&after, &of(clause)));
        // What is joined by words may belong to it.
        if BORDERS.contains(&joint) {
            prop_assert!(at_least(&after, &of(&text)));
        }
    }

    #[test]
    fn a_dangerous_clause_in_the_middle_never_lowers(text in words(), clause in prop::sample::select(DANGEROUS), next in words(), joint in prop::sample::select([BORDERS, JOINTS].concat()), border in prop::sample::select(BORDERS)) {
        let after = of(&format!("{text}{joint}{clause}{border}{next}"));
        // The title ends where it ended.
        let between = if joint.contains(['\n', '<']) { joint } else { border };
        let before = of(&format!("{text}{between}{next}"));
        prop_assert!(at_least(&after, &before));
        prop_assert!(at_least(&after, &of(clause)));
        // What is joined behind it may belong to it, so the text without it is another.
        let after = of(&format!("{text}{border}{clause}{joint}{next}"));
        prop_assert!(at_least(&after, &of(clause)));
    }

    /// What is joined to a dangerous clause hides nothing and isn't hidden.
    #[test]
    fn a_thing_joined_to_a_dangerous_clause_counts(clause in prop::sample::select(DANGEROUS), joint in prop::sample::select(PLAIN), thing in prop::sample::select(THINGS)) {
        let after = of(&format!("{clause}{joint}{thing}"));
        prop_assert!(at_least(&after, &of(clause)));
        prop_assert!(at_least(&after, &of(thing)));
    }

    /// However many there are.
    #[test]
    fn dangerous_clauses_add_up(clauses in prop::collection::vec(prop::sample::select(DANGEROUS), 1..6), joint in prop::sample::select([BORDERS, JOINTS].concat())) {
        let after = of(&clauses.join(joint));
        for clause in clauses {
            prop_assert!(at_least(&after, &of(clause)), "{clause}");
        }
    }

    #[test]
    fn case_and_whitespace_do_not_matter(text in words()) {
        let plain = of(&text);
        prop_assert_eq!(values(&plain), values(&of(&text.to_uppercase())));
        prop_assert_eq!(values(&plain), values(&of(&format!(" \t{}  ", text.replace(' ', " \t ")))));
    }

    #[test]
    fn the_same_text_gives_the_same_answer(text in words()) {
        prop_assert_eq!(of(&text), of(&text));
    }
}

/// What stands behind a dangerous clause is the title of the rest, and an order in it counts by itself (D0.1).
#[test]
fn a_clause_that_is_judged_apart_takes_no_title_away() {
    for text in ["fix test and comment", "fix test", "update the comment"] {
        for clause in DANGEROUS {
            for border in BORDERS {
                let after = of(&format!("{clause}{border}{text}"));
                assert!(at_least(&after, &of(text)), "{clause}{border}{text}");
            }
        }
    }
}

/// The clauses that the properties are about are what they are called.
#[test]
fn the_dangerous_clauses_are_dangerous() {
    for clause in DANGEROUS {
        let said = of(clause);
        let strict = said.tier.value == Tier::Strict && said.risk.value >= Risk::High;
        assert!(strict || said.reversibility.value > Reversibility::Full, "{clause}");
    }
}

#[test]
fn a_megabyte_is_read() {
    for piece in [
        "delete ",
        "drop the users table. ",
        "a",
        "\u{200b}",
        "[x] ",
        "disable the login check and ",
        "```\n",
        "<br>",
        "e\u{301}",
        "删除",
        "a.b/c_d ",
        "(((",
        "how do i ",
    ] {
        of(&piece.repeat(1_000_000 / piece.len()));
    }
}
