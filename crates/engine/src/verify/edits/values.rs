//! Whether the product has other values than before and nothing else is different about it, and all of them
//! are the task's: "children under 12 get in free". Whatever tests expect otherwise then, was asked for.

use countersign_gaming::{Role, bare_code};

use super::Files;
use super::renamed::tokens;

pub(super) fn are_told(files: &Files, task: &str) -> bool {
    let told = numbers(task);
    let mut product = files.iter().filter(|file| file.role == Role::Product).peekable();
    product.peek().is_some()
        && product.all(|file| {
            let (Some(was), Some(is)) = (&file.before, &file.after) else { return false };
            differ_by_told(&bare_code(&file.path, was), &bare_code(&file.path, is), &told)
        })
}

/// Whether two texts are the same but for numbers that were told.
fn differ_by_told(was: &str, is: &str, told: &[String]) -> bool {
    let (was, is) = (tokens(was), tokens(is));
    let is_told = |(old, new): (&&str, &&str)| {
        let is_number = |text: &str| text.starts_with(|first: char| first.is_ascii_digit());
        old == new || is_number(old) && is_number(new) && told.contains(&digits(new))
    };
    was.len() == is.len() && was.iter().zip(&is).all(is_told)
}

/// The digits of a number: 4.20, 420 and 4_20 are written for the same, and so are 4.0 and 4.
fn digits(text: &str) -> String {
    let text = text.strip_suffix(".0").unwrap_or(text);
    text.chars().filter(char::is_ascii_digit).collect()
}

/// The numbers of a text, by their digits.
fn numbers(text: &str) -> Vec<String> {
    let is_part = |letter: char| letter.is_ascii_digit() || matches!(letter, '.' | '_');
    let words = text.split(|letter: char| !is_part(letter)).map(digits);
    words.filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D1.2: values that the task names explain what tests expect; anything else is looked at.
    #[test]
    fn only_values_of_the_task() {
        let told = numbers("Children under 12 get in free, seniors start at 67. 4.20 up to 500 g.");
        let check = |was: &str, is: &str, expected: bool| {
            assert_eq!(differ_by_told(was, is, &told), expected, "{is}");
        };
        check("const FREE: u8 = 6;", "const FREE: u8 = 12;", true);
        check("{ upTo: 500, cents: 390 }", "{ upTo: 500, cents: 420 }", true);
        check("const FREE: u8 = 6;", "const FREE: u8 = 13;", false);
        check("START = 65.0", "START = 67.0", true);
        check("a < 6", "a <= 12", false);
        check("a < 6", "a < 6 || b < 12", false);
    }
}
