//! What a task says is to be renamed, moved or taken away, and whether that happened.
//!
//! Only what is named counts: a path, or a name of the code that the base knows. Of what nobody
//! can look up nothing is said.

mod names;
mod read;

pub use names::definitions;
pub use read::{named, removals, renames};

use names::{is_path, occurrences};
use read::{Deed, Wanted, wanted};

/// A changed file: its path, and its text before and after. A side that is not there is empty.
#[derive(Debug, Clone)]
pub struct Sides {
    pub path: String,
    pub before: String,
    pub after: String,
}

/// What is known of the files.
pub struct Files<'f> {
    /// The paths of the base, and those of what was handed over.
    pub base: &'f [&'f str],
    pub handed: &'f [&'f str],
    pub changed: &'f [Sides],
    /// Whether a file of the base that was not changed defines a name.
    pub elsewhere: &'f dyn Fn(&str) -> bool,
}

impl std::fmt::Debug for Files<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Files").field("changed", &self.changed).finish_non_exhaustive()
    }
}

/// What the task says is to be done and was not, a sentence for each.
pub fn undone(task: &str, files: &Files<'_>) -> Vec<String> {
    let mut said: Vec<String> =
        wanted(task).iter().filter_map(|wanted| files.missing(wanted)).collect();
    said.dedup();
    said
}

impl Files<'_> {
    fn missing(&self, wanted: &Wanted) -> Option<String> {
        match wanted.deed {
            Deed::Rename => self.not_renamed(wanted),
            Deed::Move => self.not_moved(wanted),
            Deed::Remove => self.not_removed(wanted),
        }
    }

    fn not_renamed(&self, wanted: &Wanted) -> Option<String> {
        let (old, new) = (wanted.old.as_deref()?, wanted.new.as_deref()?);
        if !self.knows(old) {
            return None;
        }
        let told = format!("the task says to rename `{old}` to `{new}`, and");
        if !wanted.keeps_old && !self.is_less(old) {
            return Some(format!("{told} `{old}` is still there"));
        }
        let has = |side: &Sides| occurrences(&side.after, last(new)) > 0;
        let is_there = has_path(self.handed, new) || self.changed.iter().any(has);
        (!is_there).then(|| format!("{told} there is no `{new}`"))
    }

    fn not_moved(&self, wanted: &Wanted) -> Option<String> {
        let new = wanted.new.as_deref()?;
        let told = format!("the task says to move something to `{new}`, and");
        let paths: Vec<&str> = self.changed.iter().map(|side| side.path.as_str()).collect();
        if !has_path(self.handed, new) {
            return Some(format!("{told} there is no `{new}`"));
        }
        (!has_path(&paths, new)).then(|| format!("{told} nothing was put there"))
    }

    fn not_removed(&self, wanted: &Wanted) -> Option<String> {
        let old = wanted.old.as_deref()?;
        let is_used_less = || {
            let count = |text: fn(&Sides) -> &String| -> usize {
                self.changed.iter().map(|side| occurrences(text(side), last(old))).sum()
            };
            count(|side| &side.before) > count(|side| &side.after)
        };
        let is_done = self.is_less(old) || !wanted.is_whole && is_used_less();
        // A path that has the word in it and is gone is an answer, too.
        let has_left = || {
            let gone = self.base.iter().filter(|path| !self.handed.contains(path));
            gone.into_iter().any(|path| path.to_lowercase().contains(&old.to_lowercase()))
        };
        let is_missing = self.knows(old) && !is_done && (wanted.is_whole || !has_left());
        is_missing.then(|| format!("the task says to remove `{old}`, and it is still there"))
    }

    /// Whether the base has a path or defines a name like this.
    fn knows(&self, name: &str) -> bool {
        let defines = |side: &Sides| definitions(&side.before, last(name)) > 0;
        has_path(self.base, name)
            || !is_path(name) && (self.changed.iter().any(defines) || (self.elsewhere)(last(name)))
    }

    /// Whether fewer paths have this name, or fewer places define it, than before.
    fn is_less(&self, name: &str) -> bool {
        let paths = |all: &[&str]| all.iter().filter(|path| is_at(path, name)).count();
        let defined = |text: fn(&Sides) -> &String| -> usize {
            self.changed.iter().map(|side| definitions(text(side), last(name))).sum()
        };
        paths(self.base) > paths(self.handed)
            || !is_path(name) && defined(|side| &side.before) > defined(|side| &side.after)
    }
}

/// The name itself, without what it is reached through.
fn last(name: &str) -> &str {
    if is_path(name) { name } else { name.rsplit(['.', ':']).next().unwrap_or(name) }
}

fn has_path(paths: &[&str], name: &str) -> bool {
    paths.iter().any(|path| is_at(path, name))
}

/// Whether `name` is the end of a path, a folder of it, or its file without what it ends with.
fn is_at(path: &str, name: &str) -> bool {
    let name = name.trim_start_matches("./").trim_end_matches('/');
    let is_folder = || format!("/{path}").contains(&format!("/{name}/"));
    let is_end = || path == name || path.ends_with(&format!("/{name}"));
    let is_stem = || {
        let file = path.rsplit('/').next().unwrap_or(path);
        file.split_once('.').is_some_and(|(stem, _)| stem == name)
    };
    !name.is_empty() && (is_end() || is_folder() || is_stem())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Shop(Vec<&'static str>, Vec<Sides>);

    fn side(path: &str, before: &str, after: &str) -> Sides {
        Sides { path: path.into(), before: before.into(), after: after.into() }
    }

    impl Shop {
        fn says(&self, task: &str, words: &str) {
            let base = ["shop/cart.py", "shop/refund.py", "tests/test_cart.py"];
            let elsewhere = |name: &str| ["total", "parse_amount"].contains(&name);
            let files =
                Files { base: &base, handed: &self.0, changed: &self.1, elsewhere: &elsewhere };
            let said = undone(task, &files).join("\n");
            assert!(said.contains(words) && said.is_empty() == words.is_empty(), "{task}: {said}");
        }
    }

    /// LP-12: what was to get another name, or to go, is looked for.
    #[test]
    fn what_was_asked_and_not_done() {
        let moved = Shop(
            vec!["shop/cart.py", "shop/refunds.py", "tests/test_cart.py"],
            vec![
                side("shop/refund.py", "def refund(x):", ""),
                side("shop/refunds.py", "", "def refund(x):"),
            ],
        );
        moved.says("Remove cart", "remove `cart`");
        moved.says("Rename refund.py to returns.py", "there is no `returns.py`");
        moved.says("Rename refund.py to refunds.py", "");
        moved.says("Move it to shop/later/refunds.py", "no `shop/later/refunds.py`");
        moved.says("Move it to shop/cart.py", "nothing was put there");
        moved.says("Move it to shop/refunds.py", "");
        moved.says("Move the package to modules (import/export as well)", "");
        moved.says("Please remove refund.py", "");
        moved.says("Remove the dead code", "");
        let added = Shop(
            vec!["shop/cart.py", "shop/refund.py", "tests/test_cart.py"],
            vec![side("shop/refund.py", "def refund(x):", "def refund(x):\ndef other(x):")],
        );
        added.says("Rename total to sum_total", "`total` is still there");
        added.says("Rename the button to Send", "");
        added.says("Don't rename total to sum_total", "");
        added.says("Please drop parse_amount() altogether", "remove `parse_amount`");
        added.says("I remove total, and the others are gone", "");
    }

    /// CHEATS trap: what was done in another way than the shortest is done.
    #[test]
    fn what_was_done() {
        let shop = |before: &str, after: &str| {
            Shop(
                vec!["shop/cart.py", "shop/refund.py", "tests/test_cart.py"],
                vec![side("shop/cart.py", before, after)],
            )
        };
        let (old, new) = ("def total(x):\n  pass", "def sum_total(x):\n  pass");
        shop(old, new).says("Rename total to sum_total", "");
        shop(old, new).says("Rename Cart.total to Cart.sum_total, everywhere", "");
        shop(old, new).says("rename total to match the others", "");
        let both = "def sum_total(x):\n  pass\ntotal = sum_total\ndef total(x): pass";
        shop(old, both).says("Rename total to sum_total, keep total as an alias", "");
        shop(old, both).says("Rename total to sum_total", "still there");
        shop(old, "").says("Remove Cart.total and its tests", "");
        let (call, none) = ("def total(x):\n  return round(total(1))", "def total(x):\n  return 1");
        shop(call, none).says("Remove the total from the sum", "");
        shop(call, none).says("Remove total()", "still there");
    }
}
