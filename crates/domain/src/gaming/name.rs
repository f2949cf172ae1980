//! The words that a name is made of.

/// The words of a name in lower case, in order: `tests/test_csvExport.py` is made of tests, test,
/// csv, export and py. Digits stay with the word before them.
pub(crate) fn words(name: &str) -> Vec<String> {
    let mut all = Vec::new();
    for piece in name.split(|letter: char| !letter.is_alphanumeric()) {
        let mut word = String::new();
        let mut was_small = false;
        for letter in piece.chars() {
            if letter.is_uppercase() && was_small {
                all.push(std::mem::take(&mut word));
            }
            was_small = letter.is_lowercase() || letter.is_numeric();
            word.extend(letter.to_lowercase());
        }
        all.push(word);
    }
    all.retain(|word| !word.is_empty());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_of_words() {
        let check = |name: &str, expected: &[&str]| assert_eq!(words(name), expected, "{name}");
        check("tests/test_csv_export.py", &["tests", "test", "csv", "export", "py"]);
        check("TestParseUTF8", &["test", "parse", "utf8"]);
        check("parseLine2D", &["parse", "line2", "d"]);
        check("", &[]);
    }
}
