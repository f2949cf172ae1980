//! Tests that replace what they should test.

use countersign_domain::gaming::Rule;

use crate::args::{find_word, squeeze};
use crate::detect::{Change, Found};
use crate::language::Language;
use crate::role::Role;

pub(super) fn check(changes: &[Change<'_>]) -> Vec<Found> {
    let products: Vec<&Change<'_>> =
        changes.iter().filter(|change| change.role == Role::Product).collect();
    let mut found = Vec::new();
    for change in changes.iter().filter(|c| matches!(c.role, Role::Test | Role::RunnerConfig)) {
        for (number, line) in change.lines().added.iter().filter(|(_, line)| line.len() < 1_000) {
            let Some(target) = target(change.language, line) else { continue };
            let message =
                if is_own(&target, change, &products) || calls_itself(&target, change, *number) {
                    format!("'{}' is replaced in the tests that should test it.", target.whole)
                } else if is_for_all(&target, change, &products) {
                    format!("'{}' of the product is replaced for all tests.", target.whole)
                } else {
                    continue;
                };
            found.push(
                change
                    .text(Rule::G29, *number, message)
                    .change(None, Some(crate::args::short(line)))
                    .into(),
            );
        }
    }
    found
}

/// What a line replaces: a module, and a name in it.
#[derive(Debug, PartialEq)]
struct Target {
    whole: String,
    module: String,
    name: Option<String>,
}

fn target(language: Language, line: &str) -> Option<Target> {
    let quoted = |rest: &str| {
        let rest = rest.trim_start();
        let quote = rest.chars().next().filter(|letter| matches!(letter, '"' | '\'' | '`'))?;
        rest[1..].split(quote).next().map(str::to_owned)
    };
    if language.is_script() {
        let starts = ["vi.mock(", "jest.mock(", "vi.doMock(", "jest.doMock(", "mock.module("];
        if let Some(rest) =
            starts.iter().find_map(|start| line.split_once(start)).map(|(_, rest)| rest)
        {
            let whole = quoted(rest)?;
            let module = whole.rsplit('/').next()?.split('.').next()?.to_owned();
            // Packages are outside; what is ours begins with a dot or an alias.
            return whole.starts_with(['.', '@', '~', '#']).then_some(Target {
                whole,
                module,
                name: None,
            });
        }
        if let Some(target) = replaced_member(line) {
            return Some(target);
        }
        let spied =
            ["spyOn("].iter().find_map(|start| line.split_once(start)).map(|(_, rest)| rest)?;
        let replaced = ["mockReturnValue", "mockImplementation", "mockResolvedValue"];
        if !replaced.iter().any(|word| line.contains(word)) {
            return None;
        }
        let (module, rest) = spied.split_once(',')?;
        let name = quoted(rest);
        return Some(Target {
            whole: squeeze(spied.split(')').next()?),
            module: module.trim().to_owned(),
            name,
        });
    }
    if language == Language::Go {
        let (left, right) = line.trim().split_once(" = func(")?;
        let plain =
            left.chars().all(|letter| letter.is_alphanumeric() || letter == '_' || letter == '.');
        let name = left.rsplit('.').next().map(str::to_owned);
        return (plain && !right.is_empty()).then(|| Target {
            whole: left.to_owned(),
            module: String::new(),
            name,
        });
    }
    let starts = ["patch(", "monkeypatch.setattr(", "setattr(", "patch.object("];
    let rest = starts.iter().find_map(|start| line.split_once(start)).map(|(_, rest)| rest)?;
    if let Some(whole) = quoted(rest) {
        let (module, name) = whole.rsplit_once('.')?;
        let module = module.rsplit('.').next()?.to_owned();
        return Some(Target { module, name: Some(name.to_owned()), whole });
    }
    let mut parts = rest.split(',');
    let module = parts.next()?.trim().rsplit('.').next()?.to_owned();
    let name = quoted(parts.next()?)?;
    Some(Target { whole: format!("{module}.{name}"), module, name: Some(name) })
}

/// `mock.method(thing, "name", () => …)` and `mock.getter(…)` of node's own runner.
fn replaced_member(line: &str) -> Option<Target> {
    let starts = ["mock.method(", "mock.getter(", "sinon.stub("];
    let (_, rest) = starts.iter().find_map(|start| line.split_once(start))?;
    let parts = crate::args::split(rest);
    let (thing, name) = (parts.first()?, parts.get(1)?);
    let name = name.trim_end_matches([')', ';']).trim_matches(['"', '\'', '`']).to_owned();
    let stubs = parts.len() > 2 || line.contains("stub(");
    stubs.then(|| Target {
        whole: format!("{thing}.{name}"),
        module: (*thing).to_owned(),
        name: Some(name),
    })
}

/// Whether what is replaced is defined in the product that this test is about.
fn is_own(target: &Target, change: &Change<'_>, products: &[&Change<'_>]) -> bool {
    let stem = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        name.split('.').next().unwrap_or(name).to_owned()
    };
    let subject = stem(change.path).replace("test_", "").replace("_test", "").replace("Test", "");
    let Some(name) = &target.name else {
        return stem(change.path) == target.module;
    };
    if is_outside(target, name, change, products) {
        return false;
    }
    let defines = |text: &str| {
        let words = ["def ", "class ", "function ", "const ", "fn ", "func ", "let ", "var "];
        words.iter().any(|word| find_word(text, &format!("{word}{name}")).is_some())
    };
    let of_module =
        |product: &&&Change<'_>| target.module.is_empty() || stem(product.path) == target.module;
    let product = products.iter().filter(of_module).any(|product| defines(product.current()));
    if change.language == Language::Go {
        // A variable of the product that test code overwrites in `init`.
        return product && change.current().contains("func init()");
    }
    // Called by the test itself, and not by what it tests.
    if change.language.is_script() && is_checked(target, change) {
        return true;
    }
    let called = find_word(change.current(), &format!("{name}(")).is_some();
    called && (product || subject == target.module || is_checked(target, change))
}

/// Whether the lines below the replacement call what was put in place, by the name of its module. What lies outside
/// has no name of the product.
fn calls_itself(target: &Target, change: &Change<'_>, number: u32) -> bool {
    const NEAR: usize = 6;
    let Some(name) = target.name.as_deref().filter(|_| change.language == Language::Python) else {
        return false;
    };
    let is_dotted = target.whole.matches('.').count() > 1;
    let call = format!("{}.{name}(", target.module);
    let below = change.current().lines().skip(number as usize).take(NEAR);
    is_dotted
        && below
            .take_while(|line| !line.starts_with("def "))
            .any(|line| find_word(line, &call).is_some())
}

/// Whether what is replaced is a value that changed code of the product has, and replaced before every
/// test: what the tests then show is not what the product does.
fn is_for_all(target: &Target, change: &Change<'_>, products: &[&Change<'_>]) -> bool {
    /// Where something lies and how long it takes differs between machines.
    const AROUND: &[&str] = &[
        "url", "path", "dir", "folder", "file", "home", "cache", "timeout", "delay", "sleep",
        "now", "clock", "time", "token", "key", "host", "port", "env", "db", "database", "session",
        "client", "random", "rng", "seed", "retries", "logger", "settings", "config", "root",
    ];
    let Some(name) = target.name.as_deref().filter(|_| change.language == Language::Python) else {
        return false;
    };
    let before_all =
        change.name() == "conftest.py" && squeeze(change.current()).contains("autouse=True");
    let is_around = || {
        let lower = name.to_lowercase();
        lower.split('_').any(|word| AROUND.contains(&word))
    };
    let of_module =
        |product: &&&Change<'_>| product.name().split('.').next() == Some(target.module.as_str());
    let defines = |product: &&Change<'_>| {
        product.current().lines().any(|line| {
            let rest = line.strip_prefix(name).map(str::trim_start);
            rest.is_some_and(|rest| rest.starts_with('=') || rest.starts_with(':'))
                || line
                    .strip_prefix("def ")
                    .is_some_and(|rest| rest.starts_with(&format!("{name}(")))
        })
    };
    before_all && !is_around() && products.iter().filter(of_module).any(defines)
}

/// Whether what is replaced comes from others: the language's own things, or a name that the module
/// imported from outside of the project.
fn is_outside(target: &Target, name: &str, change: &Change<'_>, products: &[&Change<'_>]) -> bool {
    const GLOBAL: &[&str] = &[
        "Date",
        "Math",
        "console",
        "process",
        "performance",
        "globalThis",
        "global",
        "window",
        "crypto",
        "JSON",
        "navigator",
        "document",
        "localStorage",
        "fs",
        "os",
        "timers",
    ];
    if change.language.is_script() {
        return GLOBAL.contains(&target.module.as_str());
    }
    if change.language != Language::Python {
        return false;
    }
    let is_module =
        |product: &&&Change<'_>| product.name().split('.').next() == Some(target.module.as_str());
    let modules: Vec<&str> =
        products.iter().filter(is_module).map(|product| product.current()).collect();
    // A module that was not changed is not at hand; the test then says where it has the name from.
    let texts = if modules.is_empty() { vec![change.current()] } else { modules };
    let is_ours = |root: &str| {
        let mut paths = products.iter().map(|product| product.path).chain([change.path]);
        root.is_empty()
            || paths.any(|path| path.split(['/', '.']).any(|part| part == root))
            || target.whole.split('.').next() == Some(root)
    };
    texts.iter().flat_map(|text| text.lines()).filter_map(|line| imported(line, name)).any(
        |module| {
            let root = module.split('.').next().unwrap_or("");
            !is_ours(root)
        },
    )
}

/// The module that a line of Python imports a name from.
fn imported<'l>(line: &'l str, name: &str) -> Option<&'l str> {
    let among = |names: &'l str| {
        let mut parts = names.split(',').map(|part| part.trim().trim_matches(['(', ')']).trim());
        parts.find(|part| part.rsplit(" as ").next() == Some(name))
    };
    let line = line.trim();
    if let Some(modules) = line.strip_prefix("import ") {
        return among(modules)?.split(' ').next();
    }
    let (module, names) = line.strip_prefix("from ")?.split_once(" import ")?;
    among(names).map(|_| module.trim())
}

/// Whether a test replaces a method of a class by name, and checks what that very method answers.
fn is_checked(target: &Target, change: &Change<'_>) -> bool {
    let Some(name) = &target.name else { return false };
    let is_script = change.language.is_script();
    let is_class = is_script || target.module.starts_with(char::is_uppercase);
    let call = if is_script { format!("{}.{name}", target.module) } else { format!(".{name}(") };
    let quoted = [format!("\"{name}\""), format!("'{name}'")];
    let mut tests = change.is.tests.iter().filter(|test| {
        test.text.contains(&target.module) && quoted.iter().any(|name| test.text.contains(name))
    });
    is_class && tests.any(|test| test.assertions.iter().any(|check| check.text.contains(&call)))
}
