//! Texts without their comments, which say nothing about what is set up.

/// XML with blanks where its comments are, on the same lines.
pub(super) fn without_xml(text: &str) -> String {
    let mut left = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("<!--") {
        left.push_str(before);
        let (comment, next) = after.split_once("-->").unwrap_or((after, ""));
        left.extend(comment.chars().filter(|letter| *letter == '\n'));
        rest = next;
    }
    left.push_str(rest);
    left
}

/// A text in a language with `//` and `/* */`, without these, on the same lines. What stands in quotes
/// stays.
pub(super) fn without_slashes(text: &str) -> String {
    let mut left = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    let mut quote = None;
    while let Some(letter) = letters.next() {
        match (quote, letter, letters.peek()) {
            (Some(_), '\\', Some(_)) => {
                left.push(letter);
                left.extend(letters.next());
                continue;
            }
            // No text in plain quotes goes on over the end of a line.
            (Some(open), ..) if letter == open || letter == '\n' => quote = None,
            (None, '"' | '\'', _) => quote = Some(letter),
            (None, '/', Some('/')) => {
                while letters.next_if(|letter| *letter != '\n').is_some() {}
                continue;
            }
            (None, '/', Some('*')) => {
                letters.next();
                let mut last = ' ';
                for inner in letters.by_ref() {
                    if inner == '\n' {
                        left.push(inner);
                    }
                    if last == '*' && inner == '/' {
                        break;
                    }
                    last = inner;
                }
                continue;
            }
            _ => {}
        }
        left.push(letter);
    }
    left
}

#[cfg(test)]
mod tests {
    use super::{without_slashes, without_xml};

    /// VC-05: comments go, lines and texts stay.
    #[test]
    fn comments_go_and_lines_stay() {
        assert_eq!(without_xml("<a><!-- b\n c --><d/><!-- e"), "<a>\n<d/>");
        let text = "a // b\n\"http://c\" /* d\n e */ f '/*' g\n/* h";
        assert_eq!(without_slashes(text), "a \n\"http://c\" \n f '/*' g\n");
        assert_eq!(without_slashes("\"a\\\" // b\" // c"), "\"a\\\" // b\" ");
    }
}
