//! The word that was meant, for those who mistyped it.

/// Longer words are compared by their first letters only, so that a comparison stays cheap.
const MAX_LETTERS: usize = 64;

/// Up to `count` of the `known` words that are like `word`, the nearest first.
pub fn nearest<'a>(
    word: &str,
    known: impl IntoIterator<Item = &'a str>,
    count: usize,
) -> Vec<&'a str> {
    let mut near: Vec<(usize, &str)> =
        known.into_iter().map(|known| (distance(word, known), known)).collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().take(count).map(|(_, known)| known).collect()
}

/// What to do about an unknown word: the word that was probably meant, or all of them.
pub fn suggestion<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    match nearest(word, known.iter().copied(), 1).first() {
        Some(near) if distance(word, near) <= 1 + near.chars().count() / 3 => {
            format!("did you mean '{near}'?")
        }
        Some(_) => format!("use one of: {}", known.join(", ")),
        None => "leave it out".to_owned(),
    }
}

/// How many letters differ (Levenshtein); upper and lower case don't.
fn distance(a: &str, b: &str) -> usize {
    let letters = |word: &str| -> Vec<char> {
        word.chars().flat_map(char::to_lowercase).take(MAX_LETTERS).collect()
    };
    let (a, b) = (letters(a), letters(b));
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = corner + usize::from(x != y);
            corner = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(corner + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_named() {
        let known = ["id", "title", "description"];
        assert_eq!(suggestion("titel", known), "did you mean 'title'?");
        assert_eq!(suggestion("Description", known), "did you mean 'description'?");
        assert_eq!(suggestion("colour", known), "use one of: id, title, description");
        assert_eq!(suggestion("colour", []), "leave it out");
        assert_eq!(nearest("a", ["c", "b", "a", "b"], 2), ["a", "b"]);
        assert_eq!(nearest(&"x".repeat(1_000_000), ["a"], 1), ["a"]);
    }
}
