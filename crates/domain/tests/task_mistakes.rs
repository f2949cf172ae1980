//! CX-02: everything that can be wrong or odd in a task's file, told at once and where it is.

use countersign_domain::task::Task;

const HEAD: &str = "id: T-1\ntitle: T\npriority: P1\narea: core\ndescription: D\n\
                    scope: {in: [src/]}\nacceptance_criteria: [works]\n";

/// All mistakes of a file, one per line, without its name.
#[track_caller]
fn mistakes(text: &str, expected: &[&str]) {
    let found = match Task::parse(text, "t.yaml") {
        Ok((task, _)) => panic!("no mistake was found in\n{text}\n{task:#?}"),
        Err(mistakes) => mistakes,
    };
    let found: Vec<String> = found
        .iter()
        .map(|mistake| mistake.to_string().trim_start_matches("t.yaml:").to_owned())
        .collect();
    assert_eq!(found, expected, "{text}");
}

/// The mistakes of a task that is right but for what is added in line 8.
#[track_caller]
fn mistakes_with(rest: &str, expected: &[&str]) {
    mistakes(&format!("{HEAD}{rest}"), expected);
}

#[track_caller]
fn warnings(text: &str, expected: &[&str]) {
    let (_, found) = Task::parse(text, "t.yaml").unwrap_or_else(|all| panic!("{all:#?}"));
    let found: Vec<String> = found
        .iter()
        .map(|warning| warning.to_string().trim_start_matches("t.yaml:").to_owned())
        .collect();
    assert_eq!(found, expected, "{text}");
}

/// CX-02: times out of bounds are told.
#[test]
fn times_out_of_bounds_are_told() {
    for text in ["0", "999ms", "61m", "soon", "-1", "1.5s", "ms", "99999999999999999999h", "٣s"] {
        let what = format!(
            "8:39: qa.commands[0].timeout: '{text}' is no time from 1 second to 1 hour; write it \
             as 90s or 5m"
        );
        mistakes_with(&format!("qa: {{commands: [{{command: a, timeout: {text}}}]}}\n"), &[&what]);
    }
}

/// CX-02: all mistakes are told at once.
#[test]
fn all_mistakes_are_told_at_once() {
    mistakes(
        include_str!("task/wrong.task.yaml"),
        &[
            "1:1: title: the key 'title' is missing; add 'title: …'",
            "1:5: id: 'TASK 1' can't be a task's id: it has other characters than letters, \
             digits, '-', '_' and '.'; write one like TASK-0824",
            "2:1: titel: there is no key 'titel'; did you mean 'title'?",
            "3:11: priority: 'high' is no priority; use P0, P1, P2 or P3",
            "4:5: area: it is empty; write a text",
            "5:9: status: 'finished' is no status; use one of: todo, in_progress, blocked, done, \
             cancelled",
            "6:14: description: it is a list, and must be a text; write a text, in quotes if it \
             has special characters",
            "8:3: scope.inn: there is no key 'inn'; did you mean 'in'?",
            "9:8: scope.out: it is a text, and must be a list; put each item on a line that \
             begins with '- '",
            "11:5: acceptance_criteria[0]: YAML reads ': ' as the end of a key, so this is no \
             text; put the whole text in quotes",
            "12:5: acceptance_criteria[1]: it is empty; write a text",
            "15:7: qa.commands[0]: the key 'command' is missing; add 'command: …'",
            "16:16: qa.commands[0].timeout: '2 days' is no time from 1 second to 1 hour; write \
             it as 90s or 5m",
            "17:32: qa.commands[0].expected_exit_codes[1]: '256' is no number from 0 to 255; \
             write it in digits",
            "18:13: standards[0]: 'global.md' doesn't say which section; write file#section",
            "18:24: standards[1]: '../a.md': '..' leads out of the repository, or may; write the \
             path from the root of the repository",
            "19:12: roles[1]: 'a' is here twice; leave it out once",
            "19:15: roles[2]: 'The Boss' can't be the name of a role; use up to 40 small letters, \
             digits, '-' and '_', a letter first",
            "20:14: depends_on[0]: 'a b' can't be a task's id: it has other characters than \
             letters, digits, '-', '_' and '.'; write one like TASK-0824",
            "21:1: priority: it is here twice; it was in line 3 first; keep one of the two",
        ],
    );
}

/// CX-02: one broken entry hides no other mistake.
#[test]
fn one_broken_entry_hides_no_other_mistake() {
    mistakes(
        "id: T-1\ntitle: \"open\npriority: P9\narea: core\ndescription: |\n\ttab\n\
         scope:\n  in: [a\nstatus: dnoe\n",
        &[
            "2:8: title: a quote is opened and not closed; close it at the end of the text",
            "3:11: priority: 'P9' is no priority; use P0, P1, P2 or P3",
            "6:1: description: a tab stands where YAML allows only spaces; indent with spaces",
            "8:7: scope: '[' is opened and not closed; close it, or put the text in quotes",
            "9:9: status: 'dnoe' is no status; did you mean 'done'?",
        ],
    );
}

/// CX-02: what is no task is told.
#[test]
fn what_is_no_task_is_told() {
    let empty = "1:1: the file has no task in it; write 'id: …' and the other keys of a task";
    for text in ["", "\n\n", "# only a comment\n", "---\n", "\u{feff}", "~\n"] {
        mistakes(text, &[empty]);
    }
    let no_map = |kind: &str| {
        format!(
            "1:1: it is {kind}, and must have keys of its own; write 'key: value' lines below it"
        )
    };
    mistakes("- a\n- b\n", &[&no_map("a list")]);
    mistakes("just a text\n", &[&no_map("a text")]);
    let second = "8:1: a second document begins here; keep one document; give the other a file of \
                  its own";
    mistakes(&format!("{HEAD}---\nid: T-2\n"), &[second]);
    let large = "1:1: the file has 1048577 bytes, and 1048576 are allowed; move what is large \
                 into files of its own and link to them";
    mistakes(&"#".repeat(1024 * 1024 + 1), &[large]);
}

/// CX-02: single mistakes.
#[test]
fn single_mistakes() {
    let cases = include_str!("task/mistakes.txt").trim_end().split("\n\n").skip(1);
    for case in cases {
        let (added, expected) = case.split_once("\n=> ").expect("a case has a mistake");
        mistakes_with(&format!("{added}\n"), &[expected]);
    }
}

/// CX-02: what is odd is a warning.
#[test]
fn what_is_odd_is_a_warning() {
    let head = HEAD.replace("scope: {in: [src/]}\nacceptance_criteria: [works]\n", "");
    warnings(
        &head,
        &[
            "1:1: acceptance_criteria: there are no acceptance criteria, so nobody can tell when \
             the task is done; write some below 'acceptance_criteria:'",
            "1:1: scope: no scope is given, so no change is outside of it; write some below \
             'scope:'",
        ],
    );
    warnings(
        &HEAD.replace("title: T", "title: Fix #12"),
        &[
            "2:8: title: '#12' is a comment to YAML and not part of the text; put the text in quotes \
           if it belongs to it",
        ],
    );
    warnings(&HEAD.replace("title: T", "title: Fix # a note"), &[]);
    warnings(&HEAD.replace("title: T", "title: 'Fix #12'"), &[]);
    for (text, name) in [("a\\u202eb", "202E"), ("a\\0b", "0000"), ("a\\u200bb", "200B")] {
        let what = format!(
            "2:8: title: it has the invisible character U+{name}; take it out: people can't see \
             it, and agents read it"
        );
        warnings(&HEAD.replace("title: T", &format!("title: \"{text}\"")), &[&what]);
    }
    warnings(&HEAD.replace("title: T", "title: 👩‍💻 नमस्ते"), &[]);
}

/// CX-02: aliases are bounded.
#[test]
fn aliases_are_bounded() {
    let mut bomb = String::from("x-0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..20 {
        let line = format!(
            "x-{level}: &a{level} [{}*a{}]\n",
            format!("*a{}, ", level - 1).repeat(8),
            level - 1
        );
        bomb.push_str(&line);
    }
    let found = Task::parse(&format!("{HEAD}{bomb}"), "t.yaml").err().unwrap_or_default();
    let (last, first) = found.split_last().expect("there are mistakes");
    assert!(first.iter().all(|mistake| mistake.what.contains("more than aliases may")));
    assert_eq!((first.len(), last.what.as_str()), (100, "from here on there are 44 more mistakes"));
    let large = format!("x-a: &a \"{}\"\ntags: [{}]\n", "x".repeat(400_000), "*a, ".repeat(50_000));
    assert!(Task::parse(&format!("{HEAD}{large}"), "t.yaml").is_err());
}
