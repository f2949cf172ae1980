//! What a task says of what comes out: how something ends, and what is to be gone.

use super::LEAST;

/// What is to stand for how something ends, as the task says: the numbers behind "exit code" and "status".
pub fn codes(task: &str) -> Vec<&str> {
    let words: Vec<&str> = task
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let is_number = |word: &str| word.len() < 4 && word.chars().all(|l| l.is_ascii_digit());
    let pairs = words.windows(2).filter(|pair| {
        let before = pair[0].to_lowercase();
        matches!(before.as_str(), "code" | "status") && is_number(pair[1])
    });
    pairs.map(|pair| pair[1]).collect()
}

/// Words that say that something is not to come out any more.
const GOES: &[&str] = &["gone", "disappear", "vanish", "removed", "dropped", "hidden", "excluded"];

/// Whether `new` is `old` without some lines, and the task names what stands in each of them as something
/// that is to be gone.
pub fn is_taken_out(task: &str, old: &str, new: &str) -> bool {
    let full = |text: &str| -> Vec<String> {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        lines.map(str::to_owned).collect()
    };
    let (old, new) = (full(old), full(new));
    let mut kept = new.iter().peekable();
    let mut gone: Vec<&String> = Vec::new();
    for line in &old {
        if kept.next_if_eq(&line).is_none() {
            gone.push(line);
        }
    }
    if kept.peek().is_some() || new.is_empty() || gone.is_empty() {
        return false;
    }
    let words = |text: &str| -> Vec<String> {
        let all = text.split(|letter: char| !letter.is_alphanumeric());
        all.filter(|word| word.chars().count() >= LEAST).map(str::to_owned).collect()
    };
    task.split(['\n', ';']).flat_map(|line| line.split(". ")).any(|sentence| {
        let said = words(sentence);
        let goes = said.iter().any(|word| GOES.contains(&word.to_lowercase().as_str()));
        // What is called by a name of its own begins with a large letter, there as here.
        let is_name = |word: &String| word.starts_with(char::is_uppercase) && said.contains(word);
        let lower = sentence.to_lowercase();
        let wants =
            ["should ", "must ", "to be ", "please "].iter().any(|word| lower.contains(word));
        goes && wants && gone.iter().all(|line| words(line).iter().any(is_name))
    })
}

/// Whether the task asks for something more to come out, and `new` is `old` with more in its lines, some of which
/// the task names: "add the overlap to the table".
pub fn is_widened(task: &str, old: &str, new: &str) -> bool {
    const ADDS: &[&str] =
        &["add", "insert", "include", "show", "print", "have", "column", "append", "put"];
    let split = |text: &str| -> Vec<String> {
        let all = text.split(|letter: char| !(letter.is_alphanumeric() || "_.%-".contains(letter)));
        all.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
    };
    let mut fresh: Vec<String> = Vec::new();
    let mut rest = new.lines().filter(|line| !line.trim().is_empty());
    for line in old.lines().filter(|line| !line.trim().is_empty()) {
        // A line of its own may stand between two.
        let found = rest.by_ref().find_map(|other| {
            let own = added(&split(line), &split(other));
            if own.is_none() {
                fresh.extend(split(other));
            }
            own
        });
        let Some(own) = found else { return false };
        fresh.extend(own);
    }
    fresh.extend(rest.flat_map(split));
    task.split(['\n', ';']).flat_map(|line| line.split(". ")).any(|sentence| {
        let said = split(sentence);
        let is_name = |word: &&String| word.len() >= LEAST && said.contains(word);
        said.iter().any(|word| ADDS.contains(&word.as_str()))
            && fresh.iter().any(|word| is_name(&word))
    })
}

/// The words of `new` that `old` has not, if it has all of `old` in its order.
fn added(old: &[String], new: &[String]) -> Option<Vec<String>> {
    let mut wanted = old.iter().peekable();
    let more: Vec<String> =
        new.iter().filter(|word| wanted.next_if_eq(word).is_none()).cloned().collect();
    wanted.peek().is_none().then_some(more)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D1.2: a column that was asked for explains a recording that has it, and nothing else.
    #[test]
    fn what_a_recording_has_more() {
        let task = "Add the overlap (number of shared rings) to the table, between 'to' and 'r'.";
        let (old, new) = (
            " from   to     r\n 1885 1900 0.977\n",
            " from   to overlap     r\n 1885 1900 16 0.977\n",
        );
        assert!(is_widened(task, old, new));
        assert!(!is_widened(task, old, &new.replace("0.977", "0.9")));
        assert!(!is_widened(task, old, &new.replace("overlap", "shared_by")));
        assert!(!is_widened("Fix the overlap in the table.", old, new));
        assert!(!is_widened(task, old, " from   to overlap     r\n"));
    }

    /// D1.2: how something ends is told by a number.
    #[test]
    fn what_a_task_says_of_the_end() {
        assert_eq!(codes("It should refuse it (a message, exit code 1)."), ["1"]);
        assert_eq!(codes("Answer with status 410, and exit status 2 at night"), ["410", "2"]);
        assert!(codes("The code is 12 lines long, in 3 files; error code E12").is_empty());
    }

    /// D1.2: what the task names and wants gone explains that its lines are, and that no others are.
    #[test]
    fn what_a_task_takes_out() {
        let check = |task: &str, new: &str, is: bool| {
            assert_eq!(is_taken_out(task, "Mon\n- Yoga\n- Choir\n", new), is, "{task} / {new}");
        };
        let task =
            "Full courses must not be listed. See Choir in the golden file: it is to be gone.";
        check(task, "Mon\n- Yoga\n", true);
        check(task, "Mon\n- Choir\n", false);
        check(task, "Mon\n", false);
        check(task, "", false);
        check(task, "Mon\n- Yoga\n- Chor\n", false);
        check(task, "Mon\n- Yoga\n- Choir\n", false);
        check("Choir is gone when I add Yoga, see the file.", "Mon\n- Yoga\n", false);
        check("Choir is listed twice. Mend it.", "Mon\n- Yoga\n", false);
    }
}
