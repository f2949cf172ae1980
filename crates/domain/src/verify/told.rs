//! Whether what a changed test compares with now stands in the task. Who asks for a message, a mark or
//! a number by its wording has said which tests become others; no word like "change" is needed.

mod outcome;
mod spoken;

pub use outcome::{codes, is_taken_out, is_widened};
pub use spoken::is_spoken;

use crate::quotes;

/// Shorter texts are in every file, unless they are made of signs.
const LEAST: usize = 4;
const LEAST_SIGNS: usize = 2;
/// A text of a test that nobody put in quotes in the task must be longer.
const LEAST_UNQUOTED: usize = 12;
const MOST: usize = 40;
const MOST_LINES: usize = 5_000;

/// Whether `new` has a value that the task names, and `old` does not have it.
pub fn is_told(task: &str, old: &str, new: &str) -> bool {
    let (old, new, said) = (plain(old), plain(new), plain(task));
    let is_new = |text: &str| new.contains(text) && !old.contains(text);
    let quoted = quoted(task).into_iter().map(plain).any(|text| is_value(&text) && is_new(&text));
    // "$12.50" says of "$0.05" as well how it is to be written.
    let of_form = written(task).iter().map(|word| form(word)).any(|form| {
        let has = |text: &str| literals(text).iter().any(|one| self::form(one) == form);
        has(&new) && !has(&old)
    });
    let is_long = |text: &String| text.chars().count() >= LEAST_UNQUOTED && text.contains(' ');
    // "Make it an options object, { flats: true }": what is handed in now.
    let squeezed = |text: &str| text.split_whitespace().collect::<String>();
    let is_handed_in = objects(&said)
        .into_iter()
        .map(squeezed)
        .any(|object| squeezed(&new).contains(&object) && !squeezed(&old).contains(&object));
    // "Show the weekday behind the date (2024-12-17 Tue  refuse)": a whole line of what is to come out.
    let closed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (was, wished) = (closed(&old), closed(&said));
    let is_line = |line: &str| {
        let line = closed(line);
        line.chars().count() >= LEAST_UNQUOTED
            && line.contains(' ')
            && line.contains(|letter: char| letter.is_ascii_digit())
            && wished.contains(&line)
            && !was.contains(&line)
    };
    quoted
        || new.lines().take(MOST_LINES).any(is_line)
        || of_form
        || is_handed_in
        || literals(&new).iter().filter(|text| is_long(text)).any(|text| {
            let text = text.trim();
            !old.contains(text) && said.contains(text)
        })
}

/// Whether the task puts one text in quotes in the place of another, and `new` is `old` with just that.
pub fn is_exchanged(task: &str, old: &str, new: &str) -> bool {
    let squeezed = |text: &str| text.split_whitespace().collect::<String>();
    task.split(['\n', ';']).flat_map(|line| line.split(". ")).any(|sentence| {
        let texts = quoted(sentence);
        let [first, second, ..] = texts[..] else { return false };
        let lower = sentence.to_lowercase();
        let is_meant = ["instead of", "rather than", "replace"].iter().any(|it| lower.contains(it));
        let is_one = |was: &str, is: &str| {
            !was.is_empty() && squeezed(&old.replace(was, is)) == squeezed(new)
        };
        // "- instead of *", and "replace * by -".
        is_meant && old != new && (is_one(second, first) || is_one(first, second))
    })
}

/// Words that say which comes before which.
const ORDERS: &[&str] = &[
    "first",
    "last",
    "newest",
    "oldest",
    "latest",
    "earliest",
    "sorted",
    "sort",
    "order",
    "ordered",
    "alphabetical",
    "alphabetically",
    "reverse",
    "reversed",
    "descending",
    "ascending",
    "above",
    "below",
    "before",
    "after",
];

/// Whether the task asks for an order, and `new` is the parts of `old` in another one.
pub fn is_reordered(task: &str, old: &str, new: &str) -> bool {
    let lower = task.to_lowercase();
    let asks = lower.split(". ").any(|sentence| {
        let words: Vec<&str> = sentence.split(|letter: char| !letter.is_alphanumeric()).collect();
        let has = |list: &[&str]| words.iter().any(|word| list.contains(word));
        has(ORDERS) && has(&["should", "must", "list", "put", "show", "sort", "order"])
    });
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(|line| line.trim().to_owned()).collect();
        lines.retain(|line| !line.is_empty());
        lines.sort_unstable();
        lines
    };
    asks && old != new && sorted(old).len() > 1 && sorted(old) == sorted(new)
}

/// Whether the task asks for more or for fewer empty lines, and `new` is `old` with nothing else than that.
pub fn is_respaced(task: &str, old: &str, new: &str) -> bool {
    const REMOVES: &[&str] =
        &["remove", "drop", "strip", "avoid", "collapse", "squeeze", "skip", "omit", "delete"];
    const NO: &[&str] =
        &["no", "not", "don't", "shouldn't", "mustn't", "without", "never", "fewer"];
    const ASKS: &[&str] =
        &["should", "must", "want", "put", "add", "insert", "leave", "keep", "separate", "don't"];
    let lines = |text: &str| text.replace("\\n", "\n").lines().count();
    let full = |text: &str| -> Vec<String> {
        let text = text.replace("\\n", "\n");
        let full = text.lines().filter(|line| !line.trim().is_empty());
        full.map(|line| line.trim_end().to_owned()).collect()
    };
    let (was, is) = (lines(old), lines(new));
    if was == is || full(old) != full(new) || full(old).is_empty() {
        return false;
    }
    let lower = task.to_lowercase();
    lower.split(['\n', ';']).flat_map(|line| line.split(". ")).any(|sentence| {
        let is_end = |letter: char| !(letter.is_alphanumeric() || letter == '\'');
        let words: Vec<&str> = sentence.split(is_end).filter(|word| !word.is_empty()).collect();
        let has = |list: &[&str]| words.iter().any(|word| list.contains(word));
        let is_meant = words.windows(2).any(|pair| {
            matches!(pair[0], "empty" | "blank") && matches!(pair[1], "line" | "lines")
        });
        // "Should not drop empty lines" wants them.
        let wants_fewer = has(REMOVES) != has(NO);
        let asks = has(ASKS) || has(REMOVES);
        is_meant && asks && wants_fewer == (is < was)
    })
}

fn is_value(text: &str) -> bool {
    let text = text.trim();
    let has_signs = text.chars().any(|letter| !letter.is_alphanumeric() && letter != '_');
    let least = if has_signs { LEAST_SIGNS } else { LEAST };
    text.chars().count() >= least
}

/// The text without what it is escaped with, and with one kind of quotes: a test writes
/// `"got \"x\""` or `/\(x\)/` for what a task writes plainly.
fn plain(text: impl AsRef<str>) -> String {
    text.as_ref().replace('\\', "").replace(['“', '”', '„', '\'', '`'], "\"")
}

/// Words of a task that are an amount with a sign of their own: `$12.50`, `-5s`, `50%`.
fn written(task: &str) -> Vec<&str> {
    let bare = |word: &'_ str| {
        word.trim_end_matches([',', '.', ':', ';', ')', '?']).trim_start_matches('(').len()
    };
    let words = task.split_whitespace().map(|word| {
        let word = word.trim_start_matches('(');
        &word[..bare(word).min(word.len())]
    });
    let is_amount = |word: &&str| {
        let has_digit = word.contains(|letter: char| letter.is_ascii_digit());
        let signs =
            word.chars().filter(|letter| !letter.is_alphanumeric() && *letter != '.').count();
        has_digit && signs > 0 && !word.contains(['(', ')', '=', '#', '_', '/', '"', '`', '\''])
    };
    words.filter(is_amount).take(MOST).collect()
}

/// What a task writes between braces, as code does: `{ flats: true }`.
fn objects(task: &str) -> Vec<&str> {
    let found = task.match_indices('{').filter_map(|(at, _)| {
        let end = at + task[at..].find('}')? + 1;
        let object = &task[at..end];
        let is_code = object.len() < 80 && object[1..].find('{').is_none() && object.contains(':');
        is_code.then_some(object)
    });
    found.take(MOST).collect()
}

/// A text as its form alone: runs of digits and of letters are one sign each.
fn form(text: &str) -> String {
    let mut form = String::new();
    for letter in text.chars() {
        let sign = match letter {
            letter if letter.is_numeric() => '0',
            letter if letter.is_alphabetic() => 'a',
            letter => letter,
        };
        if !(matches!(sign, '0' | 'a') && form.ends_with(sign)) {
            form.push(sign);
        }
    }
    form
}

/// What a task has in quotes, also inside of other quotes.
fn quoted(task: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for quote in ['"', '`', '\'', '“'] {
        let mut behind = 0;
        for (at, sign) in task.match_indices(quote) {
            let Some(end) = quotes::end(task, at).filter(|_| at >= behind) else { continue };
            found.push(&task[at + sign.len()..end]);
            behind = end + 1;
            if found.len() >= MOST {
                return found;
            }
        }
    }
    found
}

/// What stands between quotes in a line of a test. One that has quotes inside is cut at them, and
/// also taken whole.
fn literals(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines().filter(|line| line.len() < 2_000).take(5_000) {
        let ends: Vec<usize> = line.match_indices('"').map(|(at, _)| at).collect();
        found.extend(ends.windows(2).map(|pair| line[pair[0] + 1..pair[1]].to_owned()));
        if let (Some(first), Some(last)) = (ends.first(), ends.last())
            && ends.len() > 2
        {
            found.push(line[first + 1..*last].to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{is_reordered, is_respaced, is_told};

    /// D1.2: an order that was asked for explains the same lines in another one, and nothing else.
    #[test]
    fn what_a_task_orders() {
        let task = "to_markdown should list the newest note first.";
        assert!(is_reordered(task, "# Notes\n\nMilk\n\nPaint\n", "# Notes\n\nPaint\n\nMilk\n"));
        assert!(!is_reordered(task, "# Notes\nMilk\nPaint\n", "# Notes\nPaint\n"));
        assert!(!is_reordered(task, "Milk\nPaint\n", "Milk\nPaint\n"));
        assert!(!is_reordered("Fix the export", "Milk\nPaint\n", "Paint\nMilk\n"));
    }

    /// D1.2: empty lines that were asked for, or are to go, explain a text that differs in nothing else.
    #[test]
    fn what_a_task_says_of_empty_lines() {
        let check = |task: &str, old: &str, new: &str, is: bool| {
            assert_eq!(is_respaced(task, old, new), is, "{task} / {new:?}");
        };
        let none = "update() should not put empty lines between the marks and the list.";
        let (loose, tight) = ("# A\n\n- b\n\n# C\n", "# A\n- b\n# C\n");
        check(none, loose, tight, true);
        check(none, tight, loose, false);
        check(none, loose, "# A\n- c\n# C\n", false);
        check(none, loose, "# A\n# C\n", false);
        check(none, loose, "", false);
        check(none, loose, loose, false);
        check(none, "f() == \"a\\n\\nb\"", "f() == \"a\\nb\"", true);
        check("Put a blank line behind each heading", tight, loose, true);
        check("Put a blank line behind each heading", loose, tight, false);
        check("Don't drop empty lines", tight, loose, true);
        check("Don't drop empty lines", loose, tight, false);
        check("The table is empty. Lines are lost.", loose, tight, false);
        check("A file with blank lines crashes", tight, loose, false);
        check("Fix update()", loose, tight, false);
    }

    /// D1.2: a value that the task names explains a changed test, and no other value does.
    #[test]
    fn what_a_task_names() {
        let check = |task: &str, old: &str, new: &str, told: bool| {
            assert_eq!(is_told(task, old, new), told, "{task} / {new}");
        };
        let message = "The error \"empty line\" confuses. Make it \"a task needs some text\".";
        check(message, "match=\"empty line\"", "match=\"a task needs some text\"", true);
        check(message, "match=\"empty line\"", "match=\"\"", false);
        check(message, "match=\"empty line\"", "match=\"empty line\"\nassert True", false);
        let unquoted = "make the message: not a size: many (expected something like 1.5 KB)";
        let new = r"/not a size: many \(expected something like 1.5 KB\)/";
        check(unquoted, "/not a size/", &new.replace('/', "\""), true);
        let go = "Error should read: line 2: expected \"key = value\", got \"nonsense\"";
        let new = r#"want := "line 2: expected \"key = value\", got \"nonsense\"""#;
        check(go, "want := \"line 2\"", new, true);
        check("Put [x] there, like ` 2 [x] - water`.", " 2 - water", " 2 [x] - water", true);
        let sign = "Put the sign in front for USD and GBP: $12.50, £12.50.";
        check(sign, "f(5) == \"0.05 USD\"", "f(5) == \"$0.05\"", true);
        check(sign, "f(5) == \"0.05 USD\"", "f(5) == \"0.05\"", false);
        let object = "The bare `true` is unreadable. Make it an options object, { flats: true }.";
        check(object, "move('A7', 1, true)", "move('A7', 1, {flats: true})", true);
        check(object, "move('A7', 1, true)", "move('A7', 1, false)", false);
        let line = "Please show the weekday behind the date (2024-12-17 Tue  refuse).";
        check(line, "Elm Row\n2024-12-17  refuse\n", "Elm Row\n2024-12-17 Tue  refuse\n", true);
        check(line, "Elm Row\n2024-12-17  refuse\n", "Elm Row\n2024-12-17 refuse Tue\n", false);
        check("Rounding doesn't work, it's wrong", "== 3", "== 4", false);
        check("The total must be \"12\" euros", "== 11", "== 12", false);
    }
}
