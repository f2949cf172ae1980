//! Tests in languages without a tree, and in files that have none within bounds.

use super::judge::condition;
use super::{Assertion, Marker, Outline, Test, strength};
use crate::args::{short, squeeze};
use crate::language::Language;
use crate::mask;
use crate::similar::{Shape, digest};

/// More lines than this are more than anybody wrote.
const MAX_LINES: usize = 50_000;
const MAX_LINE: usize = 2_000;

pub(super) fn read(language: Language, source: &str) -> Outline {
    let masked = mask::code(source, language);
    let lines: Vec<&str> = source.lines().take(MAX_LINES).collect();
    let code: Vec<&str> = masked.lines().take(MAX_LINES).collect();
    let mut outline = Outline::default();
    let mut above: Vec<&str> = Vec::new();
    let mut at = 0;
    while at < lines.len().min(code.len()) {
        let line = lines[at].trim();
        let name = if line.len() > MAX_LINE { None } else { name(language, line, &above) };
        let Some(name) = name else {
            let is_marker = line.starts_with(['@', '[', '#']);
            if !is_marker && !line.is_empty() {
                above.clear();
            }
            if is_marker && above.len() < 30 {
                above.push(line);
            }
            at += 1;
            continue;
        };
        let end = end_of(language, &code, &lines, at);
        outline.tests.push(test(&name, &lines[at..end], &above, at));
        above.clear();
        at = end.max(at + 1);
    }
    outline
}

/// The name of the test that a line begins, if it begins one.
fn name(language: Language, line: &str, above: &[&str]) -> Option<String> {
    let marked = |marks: &[&str]| {
        above.iter().any(|attribute| marks.iter().any(|mark| attribute.contains(mark)))
            || marks.iter().any(|mark| line.starts_with(mark) && line.contains('('))
    };
    let quoted = |line: &str| {
        let mut parts = line.splitn(3, ['"', '\'']);
        parts.next();
        parts.next().map(str::to_owned)
    };
    let word_before_bracket = |line: &str| {
        let head = line.split_once('(').map_or(line, |(head, _)| head);
        let word = head.trim_end().rsplit([' ', '\t', '`']).find(|word| !word.is_empty())?;
        Some(word.to_owned())
    };
    match language {
        Language::Java | Language::Kotlin => {
            let is_method =
                line.contains('(') && !line.starts_with('@') && line.contains(['{', '=']);
            (is_method && marked(&["@Test", "@ParameterizedTest", "@RepeatedTest"]))
                .then(|| word_before_bracket(line))?
        }
        Language::CSharp => {
            let is_method = line.contains('(') && !line.starts_with('[');
            (is_method && marked(&["[Test", "[Fact", "[Theory", "[TestMethod"]))
                .then(|| word_before_bracket(line))?
        }
        Language::Ruby => {
            let block = ["it ", "it(", "specify ", "xit ", "fit ", "test \"", "scenario "];
            if block.iter().any(|start| line.starts_with(start)) {
                return quoted(line);
            }
            line.strip_prefix("def ").filter(|name| name.starts_with("test_")).map(str::to_owned)
        }
        Language::Php => {
            let named =
                line.contains("function test") || marked(&["#[Test"]) && line.contains("function ");
            named.then(|| word_before_bracket(line))?
        }
        Language::Swift => line.contains("func test").then(|| word_before_bracket(line))?,
        Language::Cpp => {
            let starts = ["TEST(", "TEST_F(", "TEST_P(", "TEST_CASE(", "BOOST_AUTO_TEST_CASE("];
            let found = starts.iter().find_map(|start| line.strip_prefix(start))?;
            Some(squeeze(found.split(')').next()?))
        }
        Language::Shell => line.starts_with("@test ").then(|| quoted(line))?,
        Language::Python => {
            let rest = line.strip_prefix("async ").unwrap_or(line).strip_prefix("def ")?;
            rest.starts_with("test").then(|| rest.split('(').next().map(str::to_owned))?
        }
        Language::Go => {
            let rest = line.strip_prefix("func ")?;
            rest.starts_with("Test").then(|| rest.split('(').next().map(str::to_owned))?
        }
        Language::Rust => {
            let rest =
                line.trim_start_matches("pub ").trim_start_matches("async ").strip_prefix("fn ")?;
            marked(&["#[test", "::test"]).then(|| rest.split('(').next().map(str::to_owned))?
        }
        _ => {
            let starts = [
                "it(",
                "test(",
                "it.only(",
                "test.only(",
                "it.skip(",
                "test.skip(",
                "xit(",
                "fit(",
            ];
            starts.iter().any(|start| line.starts_with(start)).then(|| quoted(line))?
        }
    }
}

/// Where a body ends: with its last brace, with its `end`, or where the text is no deeper.
fn end_of(language: Language, code: &[&str], lines: &[&str], start: usize) -> usize {
    let indented = |line: &str| line.len() - line.trim_start().len();
    if matches!(language, Language::Ruby | Language::Python) {
        let own = indented(lines[start]);
        let rest = lines.iter().enumerate().skip(start + 1);
        let mut rest = rest.filter(|(_, line)| !line.trim().is_empty());
        let end = rest.find(|(_, line)| indented(line) <= own);
        return end.map_or(lines.len(), |(at, line)| at + usize::from(line.trim() == "end"));
    }
    let (mut depth, mut opened) = (0_i64, false);
    for (at, line) in code.iter().enumerate().skip(start) {
        for byte in line.bytes() {
            match byte {
                b'{' => (depth, opened) = (depth + 1, true),
                b'}' => depth -= 1,
                _ => {}
            }
        }
        if (opened && depth <= 0) || (!opened && line.trim_end().ends_with(';')) {
            return at + 1;
        }
    }
    code.len()
}

fn test(name: &str, lines: &[&str], above: &[&str], start: usize) -> Test {
    let body = lines.join("\n");
    let line = u32::try_from(start + 1).unwrap_or(u32::MAX);
    let mut assertions = Vec::new();
    for (number, text) in (line..).zip(lines).filter(|(_, text)| text.len() <= MAX_LINE) {
        assertions.extend(assertion(text, number));
    }
    Test {
        id: name.trim_matches(['"', '\'', '`', ':']).to_owned(),
        line,
        last_line: line + u32::try_from(lines.len().saturating_sub(1)).unwrap_or(0),
        digest: digest(lines.get(1..).unwrap_or(&[]).join("\n").as_str()),
        assertions,
        markers: markers(lines, above),
        cases: cases(above),
        shape: Shape::of(&body),
        text: body,
    }
}

fn markers(lines: &[&str], above: &[&str]) -> Vec<Marker> {
    const SKIPS: &[&str] = &[
        "@Disabled",
        "@Ignore",
        "[Ignore",
        "Skip =",
        "@skip",
        "XCTSkip",
        "markTestSkipped",
        "GTEST_SKIP",
        "DISABLED_",
        "skip(",
        "pending(",
        "Assert.Ignore",
        "xit ",
        "xit(",
        ".skip(",
        "markTestIncomplete",
        "skip \"",
        "skip '",
        ": skip",
        "t.Skip",
        "pytest.skip",
        "#[ignore",
        "mark.skip",
    ];
    let head = above.iter().chain(lines.iter().take(4));
    let mut markers = Vec::new();
    for line in head {
        let line = line.trim();
        let skip = SKIPS.iter().find(|skip| line.contains(**skip));
        if skip.is_some() || line == "skip" || line == "pending" {
            let conditional =
                ["if ", "unless ", "OnOs", "EnabledIf", "DisabledIf", "DisabledOn", "SkipIf"]
                    .iter()
                    .any(|word| line.contains(word));
            markers.push(Marker::Skip { reason: short(line), conditional });
        }
        if ["focus: true", "fit ", "fit(", ".only(", ":focus"]
            .iter()
            .any(|mark| line.starts_with(mark) || mark.len() > 4 && line.contains(mark))
        {
            markers.push(Marker::Focus);
        }
    }
    markers
}

fn cases(above: &[&str]) -> Option<usize> {
    let rows = ["[InlineData", "[TestCase(", "[DataRow", "@CsvSource", "@ValueSource"];
    let count: usize = above
        .iter()
        .filter(|line| rows.iter().any(|row| line.contains(row)))
        .map(|line| if line.starts_with('@') { line.matches(',').count() + 1 } else { 1 })
        .sum();
    (count > 0).then_some(count)
}

/// The check that a line makes, if it makes one.
fn assertion(line: &str, number: u32) -> Option<Assertion> {
    let text = line.trim();
    if text.starts_with("//") || text.starts_with('#') || text.starts_with('*') {
        return None;
    }
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let words = text.split(|letter: char| !is_part(letter)).filter(|word| !word.is_empty());
    let names = words.filter_map(|word| strength::of(word).map(|strength| (word, strength)));
    let asserts =
        ["assert", "Assert", "expect", "EXPECT", "ASSERT", "REQUIRE", "CHECK", "should", "refute"];
    let shell = text.starts_with("[ ") || text.starts_with("[[ ");
    if !shell && !asserts.iter().any(|word| text.contains(word)) {
        return None;
    }
    let (name, strength) =
        names.max_by_key(|(_, strength)| *strength).unwrap_or(("", 1 + u8::from(shell)));
    let inner =
        text.split_once('(').map_or("", |(_, rest)| rest.trim_end_matches([';', ')', ' ', '}']));
    let parts = crate::args::split(inner);
    let (one, other) = (parts.first().copied().unwrap_or(""), parts.get(1).copied());
    let same = strength == 4 && other.is_some_and(|other| squeeze(other) == squeeze(one));
    let judged = (strength == 1 && !one.is_empty()).then(|| condition(one));
    let constant = judged.as_ref().and_then(|judged| judged.fault).filter(|_| parts.len() < 2);
    let literal = super::judge::is_literal;
    let swap = other.is_some_and(|other| literal(one) && !literal(other));
    let (subject, expected) = if swap { (other.unwrap_or(""), Some(one)) } else { (one, other) };
    let subject = if subject.is_empty() { name } else { subject };
    let stronger = judged.map_or(strength, |judged| judged.strength.max(strength));
    Some(Assertion {
        line: number,
        strength: stronger,
        text: short(text),
        subject: squeeze(subject),
        expected: expected.map(squeeze).filter(|_| strength > 1),
        tolerance: None,
        fault: constant.or(same.then_some(super::Fault::Tautology)),
    })
}
