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
        assert_eq!(said.effective().contract, ContractType::Verifiable, "{text:?}");
    }
}

/// D0.3: documentation changes files, so it is LIGHT; only work that changes no file is EXEMPT.
#[test]
fn d0_3_docs_are_light_not_exempt() {
    for text in ["fix typo in README", "docs: describe the login flow", "Update the changelog"] {
        assert_eq!(of(text).tier.value, Tier::Light, "{text}");
        assert_eq!(contract(text), ContractType::Skip, "{text}");
    }
    for text in ["How does the cache work?", "explain what the scheduler does"] {
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
    for text in ["investigate the slow report", "review the design of the cache"] {
        assert_eq!(contract(text), ContractType::Advisory, "{text}");
        assert!(of(text).provisional, "{text}");
    }
}

/// D2.1: the object of the verb decides, not the verb.
#[test]
fn d2_1_object_of_the_verb() {
    assert_eq!(of("delete button is misaligned").reversibility.value, Reversibility::Full);
    assert_eq!(of("add a drop shadow to the card").reversibility.value, Reversibility::Full);
    assert_eq!(of("delete the users table").reversibility.value, Reversibility::None);
    assert_eq!(of("drop the orders table").tier.value, Tier::Strict);
    assert_eq!(of("reset password mail is not sent").tier.value, Tier::Strict);
}

/// D2.1: what is excluded is not what is asked for.
#[test]
fn d2_1_negation() {
    let said = of("make the list faster, don't touch auth");
    assert!(said.risk.value < Risk::Critical);
    assert_eq!(
        of("don't drop the users table, just rename the button").reversibility.value,
        Reversibility::Full
    );
}

/// D2.2: one lexicon: a project's terms join its classes, and a reason names the line that decided.
#[test]
fn d2_2_one_lexicon_extended_per_project() {
    let text = "purge the frobnicators nightly";
    let ruled = |said: &Classification| {
        said.reversibility.reasons.iter().any(|r| r.file == "rules.txt" && r.line > 0)
    };
    assert!(!ruled(&of(text)));
    let extension: Extension =
        serde_json::from_str(r#"{"terms": {"data": ["frobnicator"]}}"#).unwrap();
    let knowledge = Knowledge::shipped().with_extension(&extension).unwrap();
    let said = classify(&knowledge, text);
    assert_eq!(said.reversibility.value, Reversibility::None);
    assert!(ruled(&said));
    assert!(said.reversibility.reasons.iter().all(|r| r.line > 0 && !r.file.is_empty()));
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

/// D3.5: what a forced push overwrites on a branch that others work from is repaired, if at all; on one's own it is not.
#[test]
fn d3_5_a_forced_push_to_a_shared_branch_is_strict() {
    for text in ["force push to main", "force-push the rebased branch to master"] {
        let said = of(text);
        assert_eq!(said.tier.value, Tier::Strict, "{text}");
        assert!(said.risk.value >= Risk::High, "{text}");
        assert!(said.reversibility.value >= Reversibility::Partial, "{text}");
        assert_eq!(said.contract.value, ContractType::Verifiable, "{text}");
    }
    assert!(of("force push my feature branch").risk.value < Risk::High);
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
    for text in ["Should we drop the users table?", "Is it safe to delete the old backups?"] {
        assert_eq!(contract(text), ContractType::Advisory, "{text}");
        assert_eq!(of(text).reversibility.value, Reversibility::Full, "{text}");
    }
}

#[test]
fn the_user_wins_and_it_is_recorded() {
    let overrides =
        Overrides { tier: Some(Tier::Light), contract: Some(ContractType::Advisory), risk: None };
    let said = of("drop the users table").with_overrides(&overrides);
    assert_eq!((said.tier.value, said.tier.origin), (Tier::Light, Origin::User));
    assert_eq!((said.contract.value, said.contract.origin), (ContractType::Advisory, Origin::User));
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
        assert_eq!(said.reversibility.value, plain.reversibility.value, "{text}");
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

/// Behind a label that says "not decided", actions are what is weighed, not what is asked for.
#[test]
fn a_label_of_thought_makes_it_advisory() {
    for text in [
        "Spike: swap the template engine",
        "Decide: stay with Gulp or use Vite\n\n## Options\nA stay, B move",
        "RFC: remove the synchronous client",
        "Proposal: one repository for all services",
    ] {
        assert_eq!(contract(text), ContractType::Advisory, "{text}");
    }
}

/// Looking and then doing is doing.
#[test]
fn thought_followed_by_action_is_verifiable() {
    for text in ["Review the retry loop and fix what is wrong", "audit and remove unused flags"] {
        assert_eq!(contract(text), ContractType::Verifiable, "{text}");
    }
}

/// Several tasks in one text: the strictest decides, also where no rule but only the weights call it strict.
#[test]
fn the_strictest_of_several_tasks_decides() {
    for text in [
        "Remove the users table. changelog entry for 0.14",
        "fix a typo in the README, then disable two factor authentication",
        "tidy the imports; change the password hashing",
        "Sort the list\n- hard-code the admin password\n- add a tooltip",
        "add a tooltip and while at it nuke the database",
        "review the form as well as wipe the database",
        "rename the label, but first drop the orders table",
        "rename the label, afterwards drop the orders table",
        "fix a link<br>truncate the events table",
    ] {
        let said = of(text);
        assert_eq!(said.tier.value, Tier::Strict, "{text}");
        assert!(said.risk.value >= Risk::High, "{text}");
        assert_eq!(said.contract.value, ContractType::Verifiable, "{text}");
    }
}

/// A reminder is an order, a demand on the program is work; only limits of the work are excluded.
#[test]
fn not_every_dont_forbids() {
    for text in [
        "don't forget to drop the users table",
        "don't hesitate to delete all backups",
        "fix the label and do not forget to wipe the production database",
    ] {
        assert_eq!(of(text).reversibility.value, Reversibility::None, "{text}");
    }
    for text in ["never log the password", "don't send the session token to the tracker"] {
        assert_eq!(of(text).tier.value, Tier::Strict, "{text}");
    }
    let said = of("don't touch auth, only rename the label");
    assert!(said.risk.value < Risk::Critical);
}

/// Manners don't make a question of an order.
#[test]
fn a_polite_order_is_an_order() {
    for text in [
        "please drop the users table, ok?",
        "let's drop the users table, shall we?",
        "could you delete all backups?",
        "fix a typo. Can you drop the orders table?",
    ] {
        assert_eq!(of(text).reversibility.value, Reversibility::None, "{text}");
        assert_eq!(contract(text), ContractType::Verifiable, "{text}");
    }
}

#[test]
fn an_order_after_a_question_is_an_order() {
    for text in [
        "What's wrong with the pager? Please fix it.",
        "Is the retry limit 3? If not, set it to 3.",
        "why is the zip empty?? it worked last week, pls fix",
        "do we need to rotate the keys? please rotate them",
    ] {
        let said = of(text);
        assert_eq!(said.contract.value, ContractType::Verifiable, "{text}");
        assert!(said.tier.value >= Tier::Standard, "{text}");
    }
}

/// A block of code is shown unless something says to run it; one that never ends hides nothing.
#[test]
fn code_counts_if_it_is_to_be_run() {
    assert_eq!(contract("Explain this:\n```sql\nDROP TABLE users;\n```"), ContractType::Advisory);
    for text in [
        "Run this:\n```sql\nDROP TABLE users;\n```",
        "```sql\nDROP TABLE users;\n```",
        "fix a typo\n```\ndrop the users table",
        "DELETE FROM customers WHERE id < 100",
        "rm -rf /var/lib/postgresql",
        "git filter-branch to get the key out",
    ] {
        assert_eq!(of(text).reversibility.value, Reversibility::None, "{text}");
    }
}

/// Words that sound dangerous in names of harmless things.
#[test]
fn harmless_compounds() {
    for text in [
        "rotate the image by 90 degrees",
        "truncate table cells with an ellipsis",
        "merge cells in the spreadsheet",
        "token bucket is too strict",
        "security camera feed freezes",
        "balance the tree after an insert",
        "allow another user agent string",
    ] {
        let said = of(text);
        assert!(said.tier.value < Tier::Strict, "{text}");
        assert_eq!(said.reversibility.value, Reversibility::Full, "{text}");
        assert_eq!(said.contract.value, ContractType::Verifiable, "{text}");
    }
}

#[test]
fn other_languages() {
    let destroys =
        ["Lösche die Benutzertabelle", "सभी बैकअप हटा दें", "احذف قاعدة البيانات", "Tabloyu sil"];
    for text in destroys {
        assert_eq!(of(text).reversibility.value, Reversibility::None, "{text}");
    }
    assert_eq!(of("Ajouter l'authentification à deux facteurs").risk.value, Risk::Critical);
    assert_eq!(of("पासवर्ड रीसेट काम नहीं करता").risk.value, Risk::Critical);
    for text in ["Qu'est-ce que fait le cache ?", "टेस्ट कैसे चलाएं?"] {
        assert_eq!(contract(text), ContractType::Advisory, "{text}");
    }
}

/// Every reason is told in words, without the signs that the features use.
#[test]
fn reasons_are_words() {
    for text in ["don't touch auth, only rename the label", "why?", "x", "fix it", "how do I sort?"]
    {
        let said = of(text);
        let all = [&said.contract.reasons, &said.tier.reasons, &said.risk.reasons];
        for reason in all.into_iter().flatten() {
            let text = &reason.text;
            assert!(!text.contains("\"!\"") && !text.contains("\"?\""), "{text}");
            assert!(!text.contains("len."), "{text}");
        }
    }
}

/// The words of a joint belong to neither side.
#[test]
fn joints_say_nothing() {
    let same = |a: &str, b: &str| {
        let (a, b) = (of(a), of(b));
        assert_eq!(a.contract, b.contract);
        assert_eq!((a.tier, a.risk, a.reversibility), (b.tier, b.risk, b.reversibility));
    };
    same("the users page and", "the users page");
    same("Also delete the users table", "delete the users table");
    let alone = of("users");
    let joined = of("users and while at it delete the users table");
    assert!(joined.risk.value >= alone.risk.value);
    assert_eq!(joined.reversibility.value, Reversibility::None);
}

/// What stands behind a dangerous order without a verb neither hides nor is hidden.
#[test]
fn every_piece_of_a_dangerous_order_counts() {
    for text in ["delete the users table and old comment docs", "delete the users table, docs typo"]
    {
        assert_eq!(of(text).reversibility.value, Reversibility::None, "{text}");
    }
    assert_eq!(of("drop the orders table and card payments").risk.value, Risk::Critical);
}

/// "comment" is French for "how", but hardly ever in a task.
#[test]
fn a_comment_is_no_question() {
    for text in ["Comment box crashes on submit", "Sort the list by newest comment"] {
        assert_eq!(contract(text), ContractType::Verifiable, "{text}");
    }
    assert_eq!(contract("Comment configurer le proxy ?"), ContractType::Advisory);
}

/// A path belongs to the action that names it.
#[test]
fn a_path_stays_with_its_action() {
    let text = "fix a typo in docs/guide.md and delete db/migrations/0001_init.sql";
    assert!(of(text).tier.value >= of("fix a typo in docs/guide.md").tier.value);
    assert!(of(text).tier.value >= of("delete db/migrations/0001_init.sql").tier.value);
}

/// A plain wish for a list or a page changes what a program does.
#[test]
fn a_plain_wish_is_standard() {
    for text in [
        "Add pagination to the list of articles",
        "Add a search box to the course page",
        "Add an RSS feed to the blog",
        "Show the newest comments on the start page",
    ] {
        let said = of(text);
        assert_eq!(said.contract.value, ContractType::Verifiable, "{text}");
        assert_eq!(said.tier.value, Tier::Standard, "{text}");
        assert_eq!(said.risk.value, Risk::Medium, "{text}");
    }
}

/// What is well understood doesn't vouch for what isn't.
#[test]
fn doubts_stay() {
    assert!(of("xqz vlorp").unsure);
    let said = of("force push to main\nxqz vlorp");
    assert!(said.effective().tier >= Tier::Standard);
    assert_eq!(said.effective().contract, ContractType::Verifiable);
}
