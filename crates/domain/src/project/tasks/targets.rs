//! The targets of a Makefile and the recipes of a justfile: both are names, a colon, and lines that are
//! indented.

use super::super::names;

/// What can be called, and what it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) name: String,
    pub(super) line: usize,
    /// As it stands there.
    pub(super) recipe: String,
    /// The shells that have to end well.
    pub(super) shells: Vec<String>,
    /// The argument that it can't be called without.
    pub(super) lacks: Option<String>,
}

/// The beginning of a target, and the lines below it.
#[derive(Debug, Default)]
struct Rule<'a> {
    names: Vec<&'a str>,
    line: usize,
    /// The targets that come before it.
    needs: String,
    lacks: Option<String>,
    steps: Vec<String>,
}

/// The targets of `text`, which `program` reads: make or just.
pub(super) fn targets(text: &str, program: &str) -> Vec<Target> {
    let mut rules: Vec<Rule<'_>> = Vec::new();
    let mut is_open = false;
    for (line, content) in (1..).zip(text.lines()) {
        if content.starts_with([' ', '\t']) {
            if let Some(rule) = rules.last_mut().filter(|_| is_open) {
                push(&mut rule.steps, content.trim());
            }
            continue;
        }
        let named = if program == "just" { of_just(content) } else { of_make(content) };
        // A line that is no target ends the recipe of the one before it.
        is_open = named.is_some() || (is_open && content.trim().is_empty());
        rules.extend(named.map(|rule| Rule { line, ..rule }));
    }
    let strict = text.contains("pipefail");
    rules.iter().flat_map(|rule| targets_of(rule, program, strict)).collect()
}

/// Adds a line to the steps; one that the line before it goes on with is none of its own.
fn push(steps: &mut Vec<String>, line: &str) {
    let is_first = steps.is_empty();
    if let Some(last) = steps.last_mut().filter(|last| last.ends_with('\\')) {
        last.pop();
        last.push_str(line);
    } else if !line.starts_with('#') || (is_first && line.starts_with("#!")) {
        // What begins with the latter is a script of one piece.
        steps.push(line.to_owned());
    }
}

fn targets_of(rule: &Rule<'_>, program: &str, strict: bool) -> Vec<Target> {
    let is_script = rule.steps.first().is_some_and(|step| step.starts_with("#!"));
    let steps = &rule.steps[usize::from(is_script)..];
    let plain = |step: &String| step.trim_start_matches(['@', '+']).trim_start().to_owned();
    let mut recipe = steps.iter().map(plain).collect::<Vec<_>>().join("\n");
    let marks =
        |step: &str| step.chars().take_while(|one| "@-+".contains(*one)).any(|one| one == '-');
    let mut shells: Vec<String> = if is_script {
        vec![steps.join("\n")]
    } else {
        // What may fail decides nothing.
        let counted = steps.iter().filter(|step| !marks(step));
        counted.map(|step| step.trim_start_matches(['@', '+']).trim().to_owned()).collect()
    };
    if strict {
        shells = shells.into_iter().map(|shell| format!("set -o pipefail; {shell}")).collect();
    }
    if recipe.trim().is_empty() && !rule.needs.is_empty() {
        // What only needs other targets does what they do.
        recipe = format!("{program} {}", rule.needs);
        shells = vec![recipe.clone()];
    }
    if recipe.trim().is_empty() {
        return Vec::new();
    }
    // What it needs is a part of it where that is the same activity: `check: lint test`.
    let call = [format!("{program} {}", rule.needs)];
    let activity = |name: &str| names::activity_of(name).map(|(activity, _)| activity);
    let is_whole = shells == call;
    let does_more = |name: &str| {
        let mut needs = rule.needs.split_whitespace();
        !is_whole && activity(name).is_some() && needs.any(|need| activity(need) == activity(name))
    };
    let target = |name: &&str| Target {
        name: (*name).to_owned(),
        line: rule.line,
        recipe: recipe.clone(),
        shells: if does_more(name) { [&shells[..], &call].concat() } else { shells.clone() },
        lacks: rule.lacks.clone(),
    };
    rule.names.iter().map(target).collect()
}

fn is_name(word: &str) -> bool {
    let plain = |letter: char| letter.is_alphanumeric() || "-_:./".contains(letter);
    !word.starts_with('.') && word.chars().all(plain)
}

/// `test check: build | out ; pytest`.
fn of_make(line: &str) -> Option<Rule<'_>> {
    let (head, rest) = line.split('#').next()?.split_once(':')?;
    let rest = rest.trim_start_matches(':');
    let (needs, inline) = rest.split_once(';').map_or((rest, None), |(a, b)| (a, Some(b)));
    // A variable, or one that only holds for some targets.
    if head.contains('=') || needs.contains('=') {
        return None;
    }
    let names: Vec<&str> = head.split_whitespace().filter(|word| is_name(word)).collect();
    let steps = inline.map(str::trim).filter(|step| !step.is_empty()).map(str::to_owned);
    let needs = needs.replace('|', " ").trim().to_owned();
    let rule = Rule { names, needs, steps: steps.into_iter().collect(), ..Rule::default() };
    (!rule.names.is_empty()).then_some(rule)
}

/// `@test target='all' *args: build && clean`.
fn of_just(line: &str) -> Option<Rule<'_>> {
    let bare = without_quoted(line);
    let (head, rest) = bare.split('#').next()?.split_once(':')?;
    if rest.starts_with('=') {
        return None;
    }
    let length = head.trim_start_matches('@').split_whitespace().next()?.len();
    let name = line.trim_start_matches('@').get(..length).filter(|name| is_name(name))?;
    let mut arguments = head.split_whitespace().skip(1);
    let lacks = arguments.find(|argument| !argument.contains('=') && !argument.starts_with('*'));
    let lacks = lacks.map(|argument| argument.trim_start_matches(['$', '+']).to_owned());
    let needs = rest.replace("&&", " ").trim().to_owned();
    Some(Rule { names: vec![name], needs, lacks, ..Rule::default() })
}

/// A line without what stands in quotes, which may be anything.
fn without_quoted(line: &str) -> String {
    let mut open = None;
    let keeps = |letter: &char| match open {
        Some(quote) => {
            if *letter == quote {
                open = None;
            }
            false
        }
        None => {
            open = matches!(letter, '\'' | '"' | '`').then_some(*letter);
            open.is_none()
        }
    };
    line.chars().filter(keeps).collect()
}

#[cfg(test)]
mod tests {
    use super::targets;

    #[track_caller]
    fn check(program: &str, text: &str, expected: &[&str]) {
        let told = targets(text, program).into_iter().map(|target| {
            let lacks = target.lacks.map(|lacks| format!(" ?{lacks}")).unwrap_or_default();
            format!("{}:{}{lacks} [{}]", target.line, target.name, target.shells.join(" / "))
        });
        assert_eq!(told.collect::<Vec<_>>(), expected, "{text}");
    }

    /// VC-05: several names, double colons, steps on the line itself, and what is no target.
    #[test]
    fn targets_of_make() {
        check("make", "test check:\n\tpytest\n", &["1:test [pytest]", "1:check [pytest]"]);
        check("make", "lint fmt: ; @ruff .\n", &["1:lint [ruff .]", "1:fmt [ruff .]"]);
        check("make", "check-fmt::\n\tblack .\n", &["1:check-fmt [black .]"]);
        check(
            "make",
            "a := b:c\nX ::= 1\nlint: V := 1\nlint: export X=1\nlint:\n\tx\n",
            &["5:lint [x]"],
        );
        check("make", "lint:\n\t-false\n\t@-x\nt:\n\t-a\n\t@b\n", &["1:lint []", "4:t [b]"]);
        let both = "check: lint test\n\t@echo ok\ne2e: unit\n\t@true\n";
        check("make", both, &["1:check [echo ok / make lint test]", "3:e2e [true]"]);
        check("make", "t: out | dir\n\t-a\nu: t\n", &["1:t []", "3:u [make t]"]);
        check("make", "t:\n\ta; \\\n\t  b\n# x\n\tc\n", &["1:t [a; b]"]);
        check("make", ".SHELLFLAGS := -o pipefail -c\nt:\n\ta\n", &["2:t [set -o pipefail; a]"]);
    }

    /// VC-05: arguments that nobody gives, and scripts in one piece.
    #[test]
    fn recipes_of_just() {
        check("just", "test NAME:\n  pytest {{NAME}}\n", &["1:test ?NAME [pytest {{NAME}}]"]);
        check("just", "t a='x: y' *b $c='':\n  x\n", &["1:t [x]"]);
        check("just", "t +files:\n  x\n", &["1:t ?files [x]"]);
        check("just", "set shell := ['bash']\n@t: a\n  -x\n", &["2:t []"]);
        check("just", "t:\n  #!/bin/sh\n  # why\n  a\n  b\n", &["1:t [a\nb]"]);
    }
}
