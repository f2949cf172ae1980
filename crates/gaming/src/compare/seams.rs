//! Tests that set a function of the product to one of their own, and then test that.

use countersign_domain::gaming::Rule;

use crate::args::{find_word, has_word, short};
use crate::detect::{Change, Found};
use crate::language::Language;
use crate::outline::Test;
use crate::role::Role;

pub(super) fn check(changes: &[Change<'_>]) -> Vec<Found> {
    let products: Vec<&Change<'_>> =
        changes.iter().filter(|change| change.role == Role::Product).collect();
    let mut found = Vec::new();
    for change in changes.iter().filter(|change| change.role == Role::Test) {
        for (number, line) in change.lines().added.iter().filter(|(_, line)| line.len() < 1_000) {
            let Some((module, name)) = assigned(change.language, line) else { continue };
            let around = |test: &&Test| (test.line..=test.last_line).contains(number);
            let Some(test) = change.is.tests.iter().find(around) else { continue };
            let is_own = if change.language == Language::Go {
                products.iter().any(|product| is_seam(product.current(), name))
            } else {
                is_module(change, module) && is_defined(change, &products, (module, name))
            };
            if !is_own || !is_called(test, module, name) {
                continue;
            }
            let message = format!(
                "The test '{}' sets '{name}' to a function of its own, and tests that.",
                test.id
            );
            let finding = change.text(Rule::G29, *number, message);
            found.push(finding.change(None, Some(short(line))).into());
        }
    }
    found
}

/// What a line sets to a function: `module.name = lambda …`, in Go also `Name = func(…`.
fn assigned(language: Language, line: &str) -> Option<(&str, &str)> {
    let (left, right) = line.trim().split_once(" = ")?;
    let is_name = |text: &str| {
        text.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
            && text.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
    };
    let made_up = ["fake", "stub", "mock", "dummy"];
    let is_made_up = made_up.iter().any(|word| right.to_lowercase().starts_with(word));
    if language == Language::Go {
        let name = left.rsplit('.').next()?;
        let module = left.strip_suffix(name)?.trim_end_matches('.');
        let is_plain = is_name(name) && (module.is_empty() || is_name(module));
        return (is_plain && (right.starts_with("func(") || is_made_up)).then_some((module, name));
    }
    let is_function = match language {
        Language::Python => right.starts_with("lambda") || right.starts_with("MagicMock("),
        _ if language.is_script() => {
            right.starts_with("function")
                || right.starts_with("async")
                || right.contains("=>")
                || [".fn(", ".stub("].iter().any(|word| right.contains(word))
        }
        _ => return None,
    };
    let (module, name) = left.split_once('.')?;
    (is_name(module) && is_name(name) && (is_function || is_made_up)).then_some((module, name))
}

/// Whether a variable of the product is a function of its own, and none of another package: a clock
/// or a file system that a test sets is what comes from outside.
fn is_seam(product: &str, name: &str) -> bool {
    let is_own = |line: &str| {
        let line = line.trim();
        let Some((left, right)) = line.split_once('=') else { return false };
        let left = left.trim().trim_start_matches("var ").trim_start();
        let is_it = left.split_whitespace().next() == Some(name) && !left.ends_with(':');
        let right = right.trim();
        is_it && (right.starts_with("func(") || !right.contains(['.', '"', '(']))
    };
    product.contains("var ") && product.lines().any(is_own)
}

/// Whether a test file knows a module by that name.
fn is_module(change: &Change<'_>, module: &str) -> bool {
    let is_loaded = |line: &str| {
        let line = line.trim_start();
        let loads = line.starts_with("import ")
            || line.starts_with("from ") && line.contains(" import ")
            || line.contains("require(");
        loads && has_word(line, module)
    };
    change.current().lines().any(is_loaded)
}

/// Whether the product defines a function of that name in the module that a test file is about.
fn is_defined(change: &Change<'_>, products: &[&Change<'_>], (module, name): (&str, &str)) -> bool {
    let stem = |change: &Change<'_>| change.name().split('.').next().unwrap_or("").to_owned();
    let defines = |text: &str| {
        let words = ["def ", "class ", "function ", "const ", "let ", "var "];
        words.iter().any(|word| find_word(text, &format!("{word}{name}")).is_some())
    };
    let subject = stem(change).replace("test_", "").replace("_test", "");
    let of_module: Vec<_> = products.iter().filter(|product| stem(product) == module).collect();
    if of_module.is_empty() {
        return subject == module;
    }
    of_module.iter().any(|product| defines(product.current()))
}

/// Whether the test calls what it set.
fn is_called(test: &Test, module: &str, name: &str) -> bool {
    let whole = if module.is_empty() { name.to_owned() } else { format!("{module}.{name}") };
    find_word(&test.text, &format!("{whole}(")).is_some()
}
