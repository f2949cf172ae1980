//! How command lines fall apart.

use super::*;

/// Words are joined by `_`, commands by what stands after them.
#[track_caller]
fn check(text: &str, expected: &str) {
    let mut told = String::new();
    for simple in commands(text) {
        let after = match simple.after {
            After::And => "&&",
            After::Or => "||",
            After::Next => ";",
            After::Pipe => "|",
            After::Background => "&",
            After::End => ".",
        };
        let hidden = if simple.substituted { "$" } else { "" };
        told += &format!("{hidden}{} {after} ", simple.words.join("_"));
    }
    assert_eq!(told.trim_end(), expected, "{text}");
}

/// D0.10: the grammar of shells, as far as it says what runs.
#[test]
fn command_lines_fall_into_simple_commands() {
    check("", "");
    check("a b\tc", "a_b_c .");
    check("a && b || c; d | e & f\ng |& h", "a && b || c ; d | e & f ; g | h .");
    check("a 'b c' \"d \\\" e\" f\\ g $'h i'", "a_b c_d \" e_f g_h i .");
    check("a \\\n b", "a_b .");
    check("a # b; c\nd#e", "a ; d#e .");
    check("a > b 2>&1 <c &>d e >>f", "a_e .");
    check("(a; b) && c", "a ; b . ) && c .");
    check("a $(b c) \"$(d)\" `e`", "$b_c . $d . $e . a_$_$_$ .");
    check("a <(b) <<< 'c'", "$b . a_$ .");
    check("a=(b c) d", "a=_d .");
    check("f() { a; }; b", "{_a ; } ; b .");
    check("case $x in a) b ;; c) d;; esac", "b ; d ; esac .");
    check("a <<'EOF' && b\nc; d\nEOF\ne", "a && b ; e .");
    check("a <<-X\n\tb\n\tX\nc", "a ; c .");
    check("a 'unclosed; b", "a_unclosed; b .");
    check("a \"unclosed; b", "a_unclosed; b .");
    check("a $(b; c", "$b ; $c . a_$ .");
    check("a `b; (c` d", "$b ; $c . $) . a_$_d .");
    check(")", "");
    check("a \\", "a_\\ .");
    check("a &", "a &");
}

#[test]
fn here_documents_belong_to_their_command() {
    let found = commands("bash -s <<A; cat <<B\none\nA\ntwo\nB\n");
    let texts: Vec<_> = found.iter().map(|simple| simple.document).collect();
    assert_eq!(texts, [Some("one\n"), Some("two\n")]);
}
