//! What the classifier says of statements written for this test, one test per decision.

use countersign_domain::classify::{
    Classification, ContractType, Extension, Knowledge, Origin, Overrides, Reversibility, Risk,
    Tier, classify,
};

fn of(text: &str) -> Classification {
    classify(Knowledge::shipped(), text)
}

fn contract(text: &str) -> ContractType {
    of(text).contract.value
}

/// D0.1: words that make light of the work never win over security and data.
#[test]
fn d0_1_the_strictest_signal_decides() {
    for text in [
        "quick fix for the security hole in the uploader",
        "tiny change: disable the signature check",
        "just a small tweak to the password check",
        "simple cleanup: drop the customers table",
        "minor change in how refunds are paid",
    ] {
        let said = of(text);
        assert_eq!(said.tier.value, Tier::Strict, "{text}");
        assert!(said.risk.value >= Risk::High, "{text}");
    }
}

/// D0.2: no files named means unknown, and unknown is no reason for EXEMPT.
#[test]
fn d0_2_unknown_is_no_boost() {
    for text in ["", "   ", "qwzx", "\u{200b}\u{0}", "1234"] {
        let said = of(text);
        assert!(said.unsure, "{text:?}");
        assert!(said.effective().tier >= Tier::Standard, "{text:?}");
        assert_eq!(
            said.effective().contract,
            ContractType::Verifiable,
            "{text:?}"
        );
    }
}

/// D0.3: documentation changes files, so it is LIGHT; only work that changes no file is EXEMPT.
#[test]
fn d0_3_docs_are_light_not_exempt() {
    for text in [
        "fix typo in README",
        "docs: describe the login flow",
        "Update the changelog",
    ] {
        assert_eq!(of(text).tier.value, Tier::Light, "{text}");
        assert_eq!(contract(text), ContractType::Skip, "{text}");
    }
    for text in [
        "How does the cache work?",
        "explain what the scheduler does",
    ] {
        assert_eq!(of(text).tier.value, Tier::Exempt, "{text}");
    }
}

/// D2.1: roles of words, not substrings; a lowered check is provisional until a diff agrees.
#[test]
fn d2_1_roles_not_substrings() {
    for text in [
        "enforce plan limits on projects",
        "document upload fails for large files",
        "export design tokens for Android",
        "audit log table is not paginated",
        "review page crashes when empty",
        "fix the typography of headings",
        "preview does not refresh",
        "search by prefix is broken",
        "add a drop shadow to the dialog",
        "investigate and fix the slow report",
    ] {
        assert_eq!(contract(text), ContractType::Verifiable, "{text}");
        assert!(!of(text).provisional, "{text}");
    }
    for text in [
        "investigate the slow report",
        "review the design of the cache",
    ] {
        assert_eq!(contract(text), ContractType::Advisory, "{text}");
        assert!(of(text).provisional, "{text}");
    }
}

/// D2.1: the object of the verb decides, not the verb.
#[test]
fn d2_1_object_of_the_verb() {
    assert_eq!(
        of("delete button is misaligned").reversibility.value,
        Reversibility::Full
    );
    assert_eq!(
        of("add a drop shadow to the card").reversibility.value,
        Reversibility::Full
    );
    assert_eq!(
        of("delete the users table").reversibility.value,
        Reversibility::None
    );
    assert_eq!(of("drop the orders table").tier.value, Tier::Strict);
    assert_eq!(
        of("reset password mail is not sent").tier.value,
        Tier::Strict
    );
}

/// D2.1: what is excluded is not what is asked for.
#[test]
fn d2_1_negation() {
    let said = of("make the list faster, don't touch auth");
    assert!(said.risk.value < Risk::Critical);
    assert_eq!(
        of("don't drop the users table, just rename the button")
            .reversibility
            .value,
        Reversibility::Full
    );
}

/// D2.2: one lexicon: a project's terms join its classes, and a reason names the line that decided.
#[test]
fn d2_2_one_lexicon_extended_per_project() {
    let text = "drop the frobnicator";
    assert_ne!(of(text).reversibility.value, Reversibility::None);
    let extension: Extension =
        serde_json::from_str(r#"{"terms": {"data": ["frobnicator"]}}"#).unwrap();
    let knowledge = Knowledge::shipped().with_extension(&extension).unwrap();
    let said = classify(&knowledge, text);
    assert_eq!(said.reversibility.value, Reversibility::None);
    assert!(
        said.reversibility
            .reasons
            .iter()
            .all(|r| r.line > 0 && !r.file.is_empty())
    );
    let wrong: Extension = serde_json::from_str(r#"{"terms": {"dta": ["x"]}}"#).unwrap();
    assert!(Knowledge::shipped().with_extension(&wrong).is_err());
}

/// D3.5: irreversibility is a floor: such a task is never less than STRICT, HIGH, none.
#[test]
fn d3_5_irreversible_is_a_floor() {
    for text in [
        "delete everything",
        "wipe the database",
        "purge old records nightly",
        "truncate the events table",
        "decommission the old servers",
        "fix a typo in the README and drop the users table",
        "Lösche die Tabelle der Kunden",
        "Удалить таблицу заказов",
        "删除数据库",
    ] {
        let said = of(text);
        assert_eq!(said.reversibility.value, Reversibility::None, "{text}");
        assert_eq!(said.tier.value, Tier::Strict, "{text}");
        assert!(said.risk.value >= Risk::High, "{text}");
        assert_eq!(said.contract.value, ContractType::Verifiable, "{text}");
    }
}

/// D3.6: a path is read by segments: `scores.rs` is not core and `latest.rs` is no test.
#[test]
fn d3_6_paths_by_segment() {
    let scores = of("rename a variable in src/scores.rs");
    assert!(scores.tier.value <= Tier::Standard);
    let author = of("sort the list in src/author/list.ts");
    assert!(author.risk.value <= Risk::Medium);
}

#[test]
fn questions_are_not_orders() {
    for text in [
        "Should we drop the users table?",
        "Is it safe to delete the old backups?",
    ] {
        assert_eq!(contract(text), ContractType::Advisory, "{text}");
        assert_eq!(of(text).reversibility.value, Reversibility::Full, "{text}");
    }
}

#[test]
fn the_user_wins_and_it_is_recorded() {
    let overrides = Overrides {
        tier: Some(Tier::Light),
        contract: Some(ContractType::Advisory),
        risk: None,
    };
    let said = of("drop the users table").with_overrides(&overrides);
    assert_eq!(
        (said.tier.value, said.tier.origin),
        (Tier::Light, Origin::User)
    );
    assert_eq!(
        (said.contract.value, said.contract.origin),
        (ContractType::Advisory, Origin::User)
    );
    assert_eq!(said.risk.origin, Origin::Inferred);
    assert_eq!(said.effective().tier, Tier::Light);
}

#[test]
fn look_alikes_and_invisible_characters_hide_nothing() {
    let plain = of("delete the users table");
    for text in [
        "d\u{0435}lete the us\u{0435}rs tabl\u{0435}",
        "de\u{200b}lete the users ta\u{00ad}ble",
        "ＤＥＬＥＴＥ the users table",
    ] {
        let said = of(text);
        assert_eq!(
            said.reversibility.value, plain.reversibility.value,
            "{text}"
        );
        assert_eq!(said.tier.value, plain.tier.value, "{text}");
    }
}

#[test]
fn written_as_in_the_corpus() {
    let json = serde_json::to_value(of("drop the users table")).unwrap();
    assert_eq!(json["tier"]["value"], "STRICT");
    assert_eq!(json["contract"]["value"], "verifiable");
    assert_eq!(json["reversibility"]["value"], "none");
    assert_eq!(json["tier"]["origin"], "inferred");
    let back: Classification = serde_json::from_value(json).unwrap();
    assert_eq!(back, of("drop the users table"));
}

#[test]
fn a_late_clause_in_a_long_text_still_counts() {
    let text = format!(
        "Tidy the list\n\n{}\nDrop the users table.",
        "The list is a bit long. ".repeat(2000)
    );
    assert_eq!(of(&text).reversibility.value, Reversibility::None);
}
