//! From the entries of a task to the paths of the repository.

use super::entry::{Entry, of_task};
use super::globs::Globs;
use super::patterns::Patterns;
use super::relative::relative;
use super::tree::Tree;
use crate::mistake::{Mistake, Placed, Warning};
use crate::snapshot::PathText;
use crate::task::Task;
use crate::yaml;

/// The most paths and globs that a task's list may stand for.
const MAX_ENTRIES: usize = 1_000;

/// How many entries that match nothing get a hint each.
const MAX_HINTS: usize = 20;

/// How many words of an entry are looked up.
const MAX_WORDS: usize = 100;

/// What a task is about.
#[derive(Debug, Clone)]
pub struct Scope {
    /// The files of the repository that are in scope, in order.
    pub repo_paths: Vec<PathText>,
    /// What is in scope in words, as it was written.
    pub words_in: Vec<String>,
    /// What is out of scope in words, as it was written.
    pub words_out: Vec<String>,
    inside: Patterns,
    outside: Patterns,
}

impl Scope {
    /// Expands the scope of a task against all `paths` of the repository. Entries that match
    /// nothing are warned of: a file that the task will add may well not be there yet.
    pub fn of(
        task: &Task,
        globs: &Globs,
        paths: &[PathText],
    ) -> Result<(Self, Vec<Warning>), Vec<Mistake>> {
        let tree = Tree::of(paths);
        let mut said =
            Said { task, globs, tree: &tree, mistakes: Vec::new(), warnings: Vec::new() };
        let (inside, words_in) = said.side("scope.in", &task.scope_in);
        let (outside, words_out) = said.side("scope.out", &task.scope_out);
        let mut scope = Self { repo_paths: Vec::new(), words_in, words_out, inside, outside };
        let found = tree.paths.iter().filter(|path| scope.has(path));
        scope.repo_paths = found.map(|path| (*path).clone()).collect();
        said.check_rest(&scope);
        if said.mistakes.is_empty() {
            said.warnings.sort();
            Ok((scope, said.warnings))
        } else {
            said.mistakes.sort();
            Err(said.mistakes)
        }
    }

    /// Whether a path is in scope, there or not.
    pub fn has(&self, path: &PathText) -> bool {
        self.inside.has(path) && !self.outside.has(path)
    }
}

/// What is told on the way.
struct Said<'a> {
    task: &'a Task,
    globs: &'a Globs,
    tree: &'a Tree<'a>,
    mistakes: Vec<Mistake>,
    warnings: Vec<Warning>,
}

impl Said<'_> {
    fn wrong(&mut self, (text, key): (&Placed, &str), (what, fix): (String, String)) {
        let what = format!("'{}': {what}", yaml::shown(&text.value));
        self.mistakes.push(Mistake::new((&self.task.file, text.place), key, what, fix));
    }

    fn warn(&mut self, (text, key): (&Placed, &str), what: &str, fix: impl Into<String>) {
        let what = format!("'{}' {what}", yaml::shown(&text.value));
        self.warnings.push(Warning::new((&self.task.file, text.place), key, what, fix));
    }

    /// One of the two lists.
    fn side(&mut self, key: &str, texts: &[Placed]) -> (Patterns, Vec<String>) {
        let mut words = Vec::new();
        let mut entries: Vec<(usize, Entry)> = Vec::new();
        let mut meant = Vec::new();
        for (at, text) in texts.iter().enumerate() {
            let key = format!("{key}[{at}]");
            match of_task(&text.value, self.tree) {
                Err((what, fix)) => self.wrong((text, &key), (what, fix.to_owned())),
                Ok(entry @ Entry::Words(_)) => {
                    self.check_words(text, &key);
                    words.push(text.value.clone());
                    // What is in scope must not depend on what was there when it was asked.
                    entries.push((at, entry));
                }
                Ok(Entry::Macro(name)) => match self.globs.expand(&name) {
                    Some(found) => {
                        meant.push(at);
                        entries.extend(found.into_iter().map(|entry| (at, entry.clone())));
                    }
                    None => self.wrong((text, &key), self.globs.unknown(&name)),
                },
                Ok(entry) => {
                    meant.push(at);
                    entries.push((at, entry));
                }
            }
            if entries.len() > MAX_ENTRIES {
                let what = format!("the list stands for more than {MAX_ENTRIES} paths and globs");
                self.wrong((text, &key), (what, "name folders instead".to_owned()));
                return (Patterns::default(), words);
            }
        }
        match Patterns::of(&entries) {
            Ok(patterns) => {
                let matched = patterns.matched(self.tree, &entries);
                let idle = meant.into_iter().filter(|at| !matched.contains(at));
                for at in idle.take(MAX_HINTS) {
                    self.warn_of_nothing(&texts[at], &format!("{key}[{at}]"), &entries, at);
                }
                (patterns, words)
            }
            Err(why) => {
                let fix = "write fewer or shorter ones".to_owned();
                let what = format!("the globs of this list can't be matched together: {why}");
                if let Some(first) = texts.first() {
                    self.wrong((first, key), (what, fix));
                }
                (Patterns::default(), words)
            }
        }
    }

    fn warn_of_nothing(&mut self, text: &Placed, key: &str, entries: &[(usize, Entry)], at: usize) {
        let own = entries.iter().find(|(from, _)| *from == at).map(|(_, entry)| entry);
        let hint = match own {
            Some(Entry::Path(path) | Entry::Folder(path)) => self.tree.like(path),
            _ => None,
        };
        let fix = match (hint, own) {
            (Some(path), _) => format!("did you mean '{path}'?"),
            (None, Some(Entry::Glob(glob))) if !glob.glob().contains("**") => {
                "'*' stays inside of one folder; write '**' for all below".to_owned()
            }
            (None, _) => "check it, unless the task is to add it".to_owned(),
        };
        self.warn((text, key), "matches nothing", fix);
    }

    /// Words that name files don't put them into the scope.
    fn check_words(&mut self, text: &Placed, key: &str) {
        let single = !text.value.trim().contains(char::is_whitespace);
        if single && !text.value.contains("://") {
            let fix = format!("write '{}/' if it is a folder", text.value.trim());
            self.warn((text, key), "is taken as words, because nothing is called so", fix);
            return;
        }
        let ends = |letter: char| "`'\"()[],;:.!?".contains(letter);
        let named =
            text.value.split_whitespace().take(MAX_WORDS).map(|word| word.trim_matches(ends));
        let path = named
            .filter(|word| word.contains(['/', '.']))
            .find(|word| relative(word).is_ok_and(|path| self.tree.has(path.as_bytes())));
        if let Some(path) = path.map(str::to_owned) {
            let what = format!("is taken as words, and '{path}' in it is not in scope by that");
            self.warn((text, key), &what, "put the path on a line of its own");
        }
    }

    fn check_rest(&mut self, scope: &Scope) {
        let hidden = scope.repo_paths.is_empty()
            && self.tree.paths.iter().any(|path| scope.inside.has(path));
        if let Some(first) = self.task.scope_in.first().filter(|_| hidden) {
            let what = "everything that is in scope is also out of scope";
            let at = (&*self.task.file, first.place);
            self.warnings.push(Warning::new(at, "scope.in", what, "make 'out:' narrower"));
        }
    }
}
