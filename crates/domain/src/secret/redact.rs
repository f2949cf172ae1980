//! Takes secrets out of text.

use std::borrow::Cow;

use super::{Hit, Scanner};

/// What is left after that many times has secrets that make each other; nothing of it is kept.
const MAX_ROUNDS: usize = 8;

impl Scanner {
    /// The text with `[redacted: RULE]` in the place of every secret. What comes out has none.
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut text = Cow::Borrowed(text);
        // What stood next to a secret may be one itself, now that it stands alone.
        for _ in 0..MAX_ROUNDS {
            let hits = self.hits(text.as_bytes());
            if hits.is_empty() {
                return text;
            }
            text = Cow::Owned(self.without(&text, &hits));
        }
        if self.finds_any(text.as_bytes()) { Cow::Borrowed("[redacted: text]") } else { text }
    }

    fn without(&self, text: &str, hits: &[Hit]) -> String {
        let mut left = String::with_capacity(text.len());
        let mut end = 0;
        for hit in hits {
            // A secret found in bytes may begin or end inside a character: then it goes whole.
            let start =
                (0..=hit.place.start).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            let id = self.rule(hit.rule).map_or("secret", |rule| rule.id());
            left.push_str(text.get(end..start).unwrap_or(""));
            left.push_str("[redacted: ");
            left.push_str(id);
            left.push(']');
            end = (hit.place.end..=text.len())
                .find(|at| text.is_char_boundary(*at))
                .unwrap_or(text.len());
        }
        left.push_str(text.get(end..).unwrap_or(""));
        left
    }
}
