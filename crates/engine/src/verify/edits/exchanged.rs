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
    let (mut gone, mut came) = (Vec::new(), Vec::new());
    let (mut all_gone, mut all_came) = (String::new(), String::new());
    let (mut i, mut j) = (0, 0);
    while i < was.len() || j < is.len() {
        let is_same = i < was.len() && j < is.len() && same(was[i], is[j]);
        if is_same {
            take((&mut gone, &mut came), (&mut all_gone, &mut all_came));
            (i, j) = (i + 1, j + 1);
        } else if i < was.len() && (j == is.len() || common[i + 1][j] >= common[i][j + 1]) {
            gone.push(was[i]);
            i += 1;
        } else {
            came.push(is[j]);
            j += 1;
        }
    }
    take((&mut gone, &mut came), (&mut all_gone, &mut all_came));
    (all_gone, all_came)
}

/// Keeps a run of lines in which some went and others came.
fn take((gone, came): (&mut Vec<&str>, &mut Vec<&str>), all: (&mut String, &mut String)) {
    if !gone.is_empty() && !came.is_empty() {
        gone.iter().for_each(|line| *all.0 += &format!("{line}\n"));
        came.iter().for_each(|line| *all.1 += &format!("{line}\n"));
    }
    gone.clear();
    came.clear();
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
