//! New functions that are called with values and take none of them.

use super::View;
use crate::args::{has_word, squeeze};
use crate::outline::judge::is_literal;
use crate::syntax::Node;

/// Lists of parameters that take whatever comes, and name nothing.
const ANY: &[&str] =
    &["()", "(*args)", "(*_)", "(*args,**kwargs)", "(..._)", "(...args)", "(*_args,**_kwargs)"];

/// A line that calls a new function with values, where the function takes none of them by name and says
/// what is written down: the place of a rule that is not there.
pub(super) fn called<'v>(view: &View<'v>, node: Node<'v>, inner: &str) -> Option<&'v str> {
    let name = node.field("name").map_or("", Node::text);
    let parameters = squeeze(node.field("parameters").map_or("", Node::text));
    let value = inner.strip_prefix("return").unwrap_or(inner).trim();
    if !ANY.contains(&parameters.as_str())
        || !is_literal(value)
        || has_word(view.change.old(), name)
    {
        return None;
    }
    view.change.current().lines().find(|line| hands_over(line, name))
}

/// Whether a line calls `name` with values.
fn hands_over(line: &str, name: &str) -> bool {
    let is_head = ["def ", "function ", "fn ", "func "].iter().any(|word| line.contains(word));
    let open = format!("{name}(");
    let mut calls = line.match_indices(&open).filter(|(at, _)| {
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        !line[..*at].ends_with(is_part)
    });
    !is_head
        && calls.any(|(at, _)| {
            let rest = line[at + open.len()..].trim_start();
            !rest.is_empty() && !rest.starts_with(')')
        })
}

#[cfg(test)]
mod tests {
    use super::hands_over;

    #[test]
    fn calls_with_values() {
        for (line, is_one) in [
            ("if (!hasRest(swapped, person)) throw x;", true),
            ("ok = hasRest()", false),
            ("function hasRest(a) {", false),
            ("nowhasRest(a)", false),
            ("self.hasRest(row)", true),
        ] {
            assert_eq!(hands_over(line, "hasRest"), is_one, "{line}");
        }
    }
}
