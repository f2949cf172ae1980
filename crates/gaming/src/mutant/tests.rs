//! Code that is broken on purpose, case by case.

use super::*;

/// What becomes of a file when a test that is written so calls it.
fn broken(path: &str, code: &str, test: (&str, &str), way: Way) -> String {
    let product = Product::of(&[(path, code.as_bytes())]);
    let trials = trials(&[(test.0, test.1.as_bytes())], &[]);
    let mut reached = Reached::default();
    for trial in &trials {
        reached.extend(&product.reached(trial));
    }
    let (files, _) = product.broken(&reached, way);
    let new = files.into_iter().next().map(|(_, bytes)| String::from_utf8(bytes).unwrap());
    new.unwrap_or_else(|| code.to_owned())
}

const PYTHON: (&str, &str) =
    ("tests/test_a.py", "from a import f\n\n\ndef test_f():\n    assert f(1) == 2\n");

#[track_caller]
fn python(body: &str, way: Way, expected: &str) {
    let code = format!("LIMIT = 1\n\n\ndef f(x):\n    {body}\n");
    let new = broken("a.py", &code, PYTHON, way);
    assert_eq!(new, format!("LIMIT = 1\n\n\ndef f(x):\n    {expected}\n"), "{way:?}");
}

/// G13: each way breaks what it is named after, and nothing that would only stop or never end.
#[test]
fn python_is_broken_in_functions_only() {
    python("return x + 41", Way::Numbers, "return x + 42");
    python("return x + 60_000 + 0x1f + 1.5", Way::Numbers, "return x + 60001 + 0x1f + 2.5");
    python("return x[0] + x[1:]", Way::Numbers, "return x[0] + x[1:]");
    python("return x == 1 or x not in [2]", Way::Comparisons, "return x != 1 or x in [2]");
    python(
        "if x is None or not x:\n        pass",
        Way::Comparisons,
        "if x is None or  x:\n        pass",
    );
    python("while x > 3:\n        x -= 1", Way::Numbers, "while x > 3:\n        x -= 1");
    python(
        "\"\"\"Doc.\"\"\"\n    return f\"a{x}\"",
        Way::Texts,
        "\"\"\"Doc.\"\"\"\n    return f\"xa{x}\"",
    );
    python(
        "y = []\n    return open(x, 'r', encoding=\"utf-8\")",
        Way::Texts,
        "y = [\"x\"]\n    return open(x, 'r', encoding=\"utf-8\")",
    );
    python("return x - 1 and True", Way::Signs, "return x + 1 or False");
    python("return \"a\" + x", Way::Signs, "return \"a\" + x");
}

/// G13: what a test calls is broken, and what that calls; nothing else is.
#[test]
fn only_what_tests_call_is_broken() {
    let code = "def f(x):\n    return g(x) + 1\n\n\ndef g(x):\n    return 1\n\n\ndef h(x):\n    return 1\n";
    let new = broken("a.py", code, PYTHON, Way::Numbers);
    assert_eq!(new, code.replacen('1', "2", 2));
    // Through other functions of the tests, and the making of an object.
    let code = "class Cart:\n    def __init__(self):\n        self.sum = 0\n\n    def other(self):\n        return 0\n";
    let test = "def made():\n    return Cart()\n\n\ndef test_it():\n    assert made().sum == 0\n";
    let new = broken("a.py", code, ("tests/test_a.py", test), Way::Numbers);
    assert_eq!(new, code.replacen('0', "1", 1));
    // Nothing of the product is named.
    let test = "def test_it():\n    assert open('README').read()\n";
    assert_eq!(broken("a.py", code, ("tests/test_a.py", test), Way::Numbers), code);
}

/// G13: Rust has to be built after all: no types, lengths or patterns of macros.
#[test]
fn rust_is_broken_where_it_can_be_built() {
    let test = ("tests/a.rs", "#[test]\nfn it() {\n    assert_eq!(f(\"a\"), 2);\n}\n");
    let check = |body: &str, way: Way, expected: &str| {
        let code = format!(
            "const A: usize = 1;\npub fn f(x: &str) -> usize {{ {body} }}\n#[cfg(test)]\nmod tests {{\n    fn f() -> usize {{ 1 }}\n}}\n"
        );
        let new = broken("src/lib.rs", &code, test, way);
        assert_eq!(new, code.replace(body, expected), "{way:?}");
    };
    check(
        "let a = [0; 3]; a.len() + 2_u8 as usize",
        Way::Numbers,
        "let a = [1; 3]; a.len() + 3_u8 as usize",
    );
    check("x[1..].len() + self.0 + 1usize", Way::Numbers, "x[1..].len() + self.0 + 2usize");
    check(
        "format!(\"{x}\"); assert!(x == \"a\"); x.push(\"b\")",
        Way::Texts,
        "format!(\"x{x}\"); assert!(x == \"a\"); x.push(\"xb\")",
    );
    check("if x < y && !z { 1 } else { 2 }", Way::Comparisons, "if x >= y && z { 1 } else { 2 }");
    check("loop { if x < y { break } }", Way::Comparisons, "loop { if x < y { break } }");
    check("if x && y { 3 - 1 } else { 4 }", Way::Signs, "if x || y { 3 + 1 } else { 4 }");
    check(
        "if let Some(a) = x && y { 3 } else { 4 }",
        Way::Signs,
        "if let Some(a) = x && y { 3 } else { 4 }",
    );
    check("join(\"\\n\") + \"\\n\"", Way::Signs, "join(\"\\n\") + \"\\n\"");
}

/// G13: a type that a test names is made and written by what nobody calls by its name.
#[test]
fn what_traits_do_is_reached() {
    let code = "impl FromStr for Chord {\n    fn from_str(x: &str) -> R { Ok(Self(1)) }\n}\n";
    let test = "#[test]\nfn it() {\n    assert!(\"C\".parse::<Chord>().is_ok());\n}\n";
    let new = broken("src/lib.rs", code, ("tests/a.rs", test), Way::Numbers);
    assert_eq!(new, code.replace('1', "2"));
}

/// G13: functions of JavaScript have their names in many places.
#[test]
fn scripts_and_go_are_broken() {
    let test = "const f = require('./a');\ntest('it', () => {\n  assert.equal(f(1), 2);\n});\n";
    let check = |code: &str, way: Way, expected: &str| {
        assert_eq!(broken("a.js", code, ("a.test.js", test), way), expected);
    };
    check("const f = (x) => x >= 1;\n", Way::Comparisons, "const f = (x) => x < 1;\n");
    check(
        "exports.f = function (x) { return `a${x}`; };\n",
        Way::Texts,
        "exports.f = function (x) { return `xa${x}`; };\n",
    );
    let code = "const y = 1;\nfunction f(x) { for (let i = 0; i < 3; i++) g(2); return x[0]; }\n";
    check(code, Way::Numbers, &code.replace("g(2)", "g(3)"));
    check(
        "function f(x) { return require('x')(x, 'y'); }\n",
        Way::Texts,
        "function f(x) { return require('x')(x, 'xy'); }\n",
    );
    let test = "package a\n\nfunc TestF(t *testing.T) {\n\tif F(1) != 2 {\n\t\tt.Fatal()\n\t}\n}\n";
    let check = |body: &str, way: Way, expected: &str| {
        let code = format!("package a\n\nfunc F(x int) int {{\n\t{body}\n}}\n");
        let new = broken("a.go", &code, ("a_test.go", test), way);
        assert_eq!(new, code.replace(body, expected));
    };
    check(
        "if err != nil || x > 1 { return 2 }",
        Way::Comparisons,
        "if err != nil || x <= 1 { return 2 }",
    );
    check("for x > 1 { x-- }", Way::Numbers, "for x > 1 { x-- }");
    check("for _, y := range x { s += 1 }", Way::Numbers, "for _, y := range x { s += 2 }");
    check("var a [2]int; return \"b\" + `c`", Way::Texts, "var a [2]int; return \"xb\" + `xc`");
}

/// G13: titles that are made when tests run belong to them.
#[test]
fn titles_are_made() {
    let test = "for (const [name, from] of STAGES) {\n  test(`${name} begins at ${from}`, () => {\n    assert.equal(f(from), name);\n  });\n}\n";
    let trials = trials(&[("a.test.js", test.as_bytes())], &[]);
    assert_eq!(trials.len(), 1);
    assert!(trials[0].is_called("bloom begins at 210"), "{}", trials[0].name);
    assert!(!trials[0].is_called("bloom ends"));
}

/// G13: what a way of breaking leaves as it is tells nothing of who calls only that.
#[test]
fn functions_without_anything_to_break_are_told_apart() {
    let code = "def tip(x):\n    return x // 100\n\n\ndef split(x, y):\n    return [x // y] * y\n";
    let test = "def test_tip():\n    assert tip(0) == 0\n\n\ndef test_split():\n    assert split(7, 1) == [7]\n";
    let product = Product::of(&[("a.py", code.as_bytes())]);
    let own: Vec<Reached> = trials(&[("tests/test_a.py", test.as_bytes())], &[])
        .iter()
        .map(|trial| product.reached(trial))
        .collect();
    let mut all = own[0].clone();
    all.extend(&own[1]);
    let (files, hit) = product.broken(&all, Way::Numbers);
    assert_eq!(files.len(), 1);
    assert!(own[0].meets(&hit) && !own[1].meets(&hit));
    let (files, hit) = product.broken(&all, Way::Comparisons);
    assert!(files.is_empty() && hit.is_empty());
}
