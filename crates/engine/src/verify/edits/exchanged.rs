//! The lines of a text that took the place of others, without those that were only added or only went.

/// Nobody writes longer tests by hand; what is longer is taken whole.
const MOST_LINES: usize = 600;

/// The lines of `old` that were exchanged, and those that they were exchanged for.
pub(super) fn lines(old: &str, new: &str) -> (String, String) {
    let (was, is): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    if was.len() > MOST_LINES || is.len() > MOST_LINES {
        return (old.to_owned(), new.to_owned());
    }
    let same = |one: &str, other: &str| one.trim() == other.trim();
    // How many lines both have in common from here on.
    let mut common = vec![vec![0_usize; is.len() + 1]; was.len() + 1];
    for (i, one) in was.iter().enumerate().rev() {
        for (j, other) in is.iter().enumerate().rev() {
            common[i][j] = if same(one, other) {
                common[i + 1][j + 1] + 1
            } else {
                common[i + 1][j].max(common[i][j + 1])
            };
        }
    }
    let mut runs = Runs::default();
    let (mut i, mut j) = (0, 0);
    while i < was.len() || j < is.len() {
        let is_same = i < was.len() && j < is.len() && same(was[i], is[j]);
        if is_same {
            runs.end();
            (i, j) = (i + 1, j + 1);
        } else if i < was.len() && (j == is.len() || common[i + 1][j] >= common[i][j + 1]) {
            runs.gone.push(was[i]);
            i += 1;
        } else {
            runs.came.push(is[j]);
            j += 1;
        }
    }
    runs.end();
    (runs.old, runs.new)
}

/// Lines that differ, up to the next that is the same.
#[derive(Default)]
struct Runs<'t> {
    gone: Vec<&'t str>,
    came: Vec<&'t str>,
    old: String,
    new: String,
}

impl Runs<'_> {
    /// Keeps the lines of a run in which some went and others came.
    fn end(&mut self) {
        if !self.gone.is_empty() && !self.came.is_empty() {
            for (lines, all) in [(&self.gone, &mut self.old), (&self.came, &mut self.new)] {
                for line in lines {
                    all.push_str(line);
                    all.push('\n');
                }
            }
        }
        self.gone.clear();
        self.came.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::lines;

    /// G10: a row that was added is no reason for a comparison that is another one.
    #[test]
    fn what_took_the_place_of_what() {
        let check = |old: &str, new: &str, gone: &str, came: &str| {
            assert_eq!(lines(old, new), (gone.to_owned(), came.to_owned()), "{new}");
        };
        check("a\nb\nc\n", "a\nx\nc\n", "b\n", "x\n");
        check("a\nb\nc\n", "a\nb\nnew\nc\n", "", "");
        check("a\nb\nc\n", "a\nc\n", "", "");
        check("row\nif x != y\n", "row\nadded\nif x < y\n", "if x != y\n", "added\nif x < y\n");
        check("row\nz\nif x\n", "row\nadded\nz\nif y\n", "if x\n", "if y\n");
        check("", "a\n", "", "");
    }
}
