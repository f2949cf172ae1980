//! Changes of a file as hunks: lines that stay, go and come, at the one place where they fit.

/// The text after all hunks. Each is looked for in the text that the ones before it left.
pub fn apply(text: &str, hunks: &str) -> Result<String, String> {
    let mut text = text.to_owned();
    for hunk in hunks.split("@@\n") {
        let (mut old, mut new) = (String::new(), String::new());
        for line in hunk.trim_end_matches('\n').lines() {
            let (sign, rest) = line.split_at_checked(1).unwrap_or((" ", ""));
            let goes = matches!(sign, " " | "-");
            let comes = matches!(sign, " " | "+");
            if !goes && !comes {
                return Err(format!("a line of a hunk begins with neither +, - nor space: {line}"));
            }
            if goes {
                old += &format!("{rest}\n");
            }
            if comes {
                new += &format!("{rest}\n");
            }
        }
        let start = find(&text, &old)?;
        text.replace_range(start..start + old.len(), &new);
    }
    Ok(text)
}

/// Where the lines stand, which must be at one place only.
fn find(text: &str, lines: &str) -> Result<usize, String> {
    if lines.is_empty() {
        return Err("a hunk has no line that was there before".to_owned());
    }
    let is_start = |at: &usize| *at == 0 || text[..*at].ends_with('\n');
    let mut places = text.match_indices(lines).map(|(at, _)| at).filter(is_start);
    match (places.next(), places.next()) {
        (Some(at), None) => Ok(at),
        (None, _) => Err(format!("these lines are not there:\n{lines}")),
        _ => Err(format!("these lines are there more than once:\n{lines}")),
    }
}

#[test]
fn hunks_are_applied_where_they_fit() {
    let text = "a\nb\nc\n";
    assert_eq!(apply(text, "-b\n+x\n+y\n").unwrap(), "a\nx\ny\nc\n");
    assert_eq!(apply(text, " a\n+x\n@@\n-c\n").unwrap(), "a\nx\nb\n");
    assert!(apply(text, "-d\n").unwrap_err().contains("not there"));
    assert!(apply("a\na\n", "-a\n").unwrap_err().contains("more than once"));
    assert!(apply(text, "+x\n").unwrap_err().contains("no line"));
    assert!(apply(text, "?b\n").unwrap_err().contains("neither"));
    assert_eq!(apply("ab\nb\n", "-b\n").unwrap(), "ab\n");
}
