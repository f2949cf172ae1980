//! What may keep a test from coming to its checks: conditions, early ends, loops, caught failures.

use countersign_gaming::Test;

use super::renamed::tokens;

/// What parts the way, or ends it.
const TURNS: &[&str] = &[
    "if",
    "elif",
    "unless",
    "match",
    "switch",
    "case",
    "for",
    "while",
    "loop",
    "forEach",
    "catch",
    "except",
    "suppress",
    "recover",
    "catch_unwind",
    "continue",
    "break",
    "goto",
    "return",
    "skip",
    "Skip",
    "Skipf",
    "SkipNow",
    "skipTest",
    "SkipTest",
    "exit",
    "Exit",
    "_exit",
    "and",
    "or",
];
/// What a condition leads to that is itself a check.
const FAILS: &[&str] = &[
    "Error",
    "Errorf",
    "Fatal",
    "Fatalf",
    "Fail",
    "FailNow",
    "fail",
    "panic",
    "throw",
    "raise",
    "unreachable",
];
/// What a check of its own begins with, so that handing it back is no early end.
const CHECKS: &[&str] = &["assert", "expect", "t", "rejects"];

/// Whether `new` has more between its beginning and its checks than `old`.
pub(super) fn is_guarded(old: &Test, new: &Test) -> bool {
    guards(&new.text) > guards(&old.text)
}

/// Whether a value is handed back by a function that is written where it is handed on.
fn is_handed_back(tokens: &[&str], at: usize) -> bool {
    let has_value = tokens.get(at + 1).is_some_and(|next| !matches!(*next, "}" | ";"));
    let before = &tokens[at.saturating_sub(8)..at];
    let is_function = before.iter().any(|one| matches!(*one, "func" | "function" | "lambda"));
    let asks = before.iter().any(|one| matches!(*one, "if" | "for" | "switch" | "case"));
    has_value && before.last() == Some(&"{") && is_function && !asks
}

fn guards(text: &str) -> usize {
    let tokens = tokens(text);
    let mut turns = 0_usize;
    let mut fails = 0_usize;
    let mut ors = 0_usize;
    let mut last = "";
    for (at, token) in tokens.iter().enumerate() {
        let next = tokens.get(at + 1).copied().unwrap_or_default();
        // `func() time.Time { return now }`: what a function on one line hands back ends no test.
        let is_inner = *token == "return" && is_handed_back(&tokens, at);
        let hands_back = is_inner
            || *token == "return"
                && (CHECKS.contains(&next) || next == "await" || next == "Promise");
        // `Ok(x)?` is no question; `a ? b : c` and `a && b` are.
        let is_sign = *token == "&" && *token == last;
        ors += usize::from(*token == "|" && *token == last);
        // A macro, a method and a name of a field are no words of the language.
        let is_key = next == ":" && *token != "except" || *token == "match" && next == "=";
        let is_word = TURNS.contains(token) && (last != "." || is_call(token)) && !is_key;
        turns += usize::from(is_sign || is_word && !hands_back);
        fails += usize::from(FAILS.contains(token) && matches!(next, "(" | "!" | "new"));
        last = token;
    }
    // `if err != nil || n != 2 { t.Fatal(…) }`: the more is asked there, the more fails.
    let ors = if fails == 0 { ors } else { 0 };
    (turns + ors).saturating_sub(fails)
}

/// What is reached through another name.
fn is_call(token: &str) -> bool {
    !matches!(token, "match" | "and" | "or" | "case" | "return" | "if" | "for" | "loop" | "while")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G07: a way around the checks is another test, in every language.
    #[test]
    fn ways_around_the_checks() {
        let plain = "f(); assert.equal(fn.calls, 4);";
        for way in [
            "f(); if (fn.calls !== 4) return; assert.equal(fn.calls, 4);",
            "f(); fn.calls === 4 && assert.equal(fn.calls, 4);",
            "f(); try { assert.equal(fn.calls, 4); } catch {}",
            "f(); for (const x of fn.all) assert.equal(fn.calls, 4);",
            "f();\n    if not fn.calls:\n        return\n    assert fn.calls == 4",
            "f();\n    try:\n        assert fn.calls == 4\n    except:\n        pass",
            "f();\n    with suppress(AssertionError):\n        assert fn.calls == 4",
            "f(); fn.all.forEach((x) => assert.equal(fn.calls, 4));",
            "let Some(x) = f() else { return }; assert_eq!(x, 4);",
        ] {
            assert!(guards(way) > guards(plain), "{way}");
        }
        for same in [
            "await f(); assert.equal(await fn.calls, 4);",
            "return assert.rejects(f());",
            "// if it returns, continue\nf(); assert.equal(fn.calls, 4, 'or else it may return');",
            "assert!(f().or(None).is_some_and(|x| x == 4));",
            "with pytest.raises(PatternError, match=\"'kk3'\"):\n        f()",
        ] {
            assert_eq!(guards(same), guards(plain), "{same}");
        }
        let go = "if got := f(); got != 4 { t.Errorf(\"got %d\", got) }";
        assert_eq!(guards(go), 0);
        assert_eq!(guards("if err != nil || n != 2 || m != 0 { t.Errorf(\"x\") }"), 0);
        assert!(guards("fn.calls !== 4 || assert.equal(fn.calls, 4);") > 0);
        assert_eq!(guards("if f() == 4 { if got := f(); got != 4 { t.Errorf(\"x\") } }"), 1);
        assert_eq!(guards("if f() != 4 { return }; if f() != 4 { t.Fatal(\"x\") }"), 2);
    }
}
