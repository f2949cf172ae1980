//! Properties of the classifier that hold for every text.

use countersign_domain::classify::{Classification, Knowledge, classify};
use proptest::prelude::*;

fn of(text: &str) -> Classification {
    classify(Knowledge::shipped(), text)
}

fn values(said: &Classification) -> impl PartialEq + std::fmt::Debug + use<> {
    (
        said.contract.value,
        said.tier.value,
        said.risk.value,
        said.reversibility.value,
    )
}

const DANGEROUS: &[&str] = &[
    "delete the users table",
    "drop the orders table",
    "wipe the production database",
    "truncate the events table",
    "rotate the api keys",
    "deploy it to production",
    "decommission the old servers",
];

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
    ]);
    prop::collection::vec(word, 0..12).prop_map(|words| words.join(" "))
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

    /// D0.1, D3.5: adding a dangerous clause never lowers any field.
    #[test]
    fn a_dangerous_clause_never_lowers(text in words(), clause in prop::sample::select(DANGEROUS), joint in prop::sample::select(vec![". ", "\n", "; ", "\n\n- "])) {
        let before = of(&text);
        let after = of(&format!("{text}{joint}{clause}"));
        prop_assert!(after.contract.value >= before.contract.value);
        prop_assert!(after.tier.value >= before.tier.value);
        prop_assert!(after.risk.value >= before.risk.value);
        prop_assert!(after.reversibility.value >= before.reversibility.value);
        prop_assert!(after.effective().tier >= before.effective().tier);
        prop_assert!(after.effective().contract >= before.effective().contract);
        prop_assert!(after.effective().risk >= before.effective().risk);
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

#[test]
fn a_megabyte_is_read() {
    for piece in [
        "delete ",
        "drop the users table. ",
        "a",
        "\u{200b}",
        "[x] ",
        "删除",
        "a.b/c_d ",
        "(((",
        "how do i ",
    ] {
        of(&piece.repeat(1_000_000 / piece.len()));
    }
}
