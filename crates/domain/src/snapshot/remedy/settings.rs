//! Putting back what git and other programs obey.

use std::collections::BTreeSet;

use super::super::drift::SettingDrift;
use super::super::recorded::Said;
use super::shell::quoted;
use super::{Here, Remedies};
use crate::snapshot::PathText;

/// The marks in the index that git knows, by the names of its options.
const MARKS: [&str; 2] = ["assume-unchanged", "skip-worktree"];

impl SettingDrift {
    pub(super) fn remedy(&self, here: &Here, remedies: &mut Remedies) {
        let name = self.name.to_string();
        if let Some(key) = name.strip_prefix("config ") {
            self.configure(key, here, remedies);
        } else if let Some(object) = name.strip_prefix("replaced ") {
            self.replace(object, here, remedies);
        } else if name == "marks in the index" {
            self.mark(here, remedies);
        } else {
            self.write(here, remedies);
        }
    }

    /// Each file of configuration gets the values that it had.
    fn configure(&self, key: &str, here: &Here, remedies: &mut Remedies) {
        let key = quoted(&PathText::from(key));
        let of = |said: &[Said], file: &PathText| -> Vec<Option<PathText>> {
            let in_it = said.iter().filter(|one| one.at.as_ref() == Some(file));
            in_it.map(|one| one.text.clone()).collect()
        };
        let all = self.was.iter().chain(&self.is);
        let files: BTreeSet<&PathText> = all.filter_map(|said| said.at.as_ref()).collect();
        let mut commands = Vec::new();
        for file in files {
            let (was, is) = (of(&self.was, file), of(&self.is, file));
            let name = here.file(file);
            if was == is && !was.contains(&None) {
                continue;
            }
            if !is.is_empty() {
                commands.push(format!("git config --file {name} --unset-all {key}"));
            }
            for value in was {
                let Some(value) = value else { return self.by_hand(remedies) };
                let value = quoted(&value);
                commands.push(format!("git config --file {name} --add {key} {value}"));
            }
        }
        if self.before.is_some() && self.was.is_empty() || commands.is_empty() {
            return self.by_hand(remedies);
        }
        for command in commands {
            remedies.command(command);
        }
    }

    fn replace(&self, object: &str, here: &Here, remedies: &mut Remedies) {
        let git = here.git();
        let was = self.was.iter().find_map(|said| said.text.as_ref());
        match (&self.before, was) {
            (None, _) => remedies.command(format!("{git} replace -d {object}")),
            (Some(_), Some(was)) => {
                remedies.command(format!("{git} update-ref refs/replace/{object} {was}"));
            }
            (Some(_), None) => self.by_hand(remedies),
        }
    }

    fn mark(&self, here: &Here, remedies: &mut Remedies) {
        let git = here.git();
        let (was, is) = (Marked::of(&self.was), Marked::of(&self.is));
        if self.before.is_some() && (was.is_cut || self.was.is_empty()) {
            return self.by_hand(remedies);
        }
        for (place, mark) in MARKS.into_iter().enumerate() {
            let (was, now) = (&was.paths[place], &is.paths[place]);
            if is.is_cut && !now.is_empty() && was.is_empty() {
                // Too many to be named: git is asked for them.
                let (flag, letter) = if place == 0 { ("-v", "[a-z]") } else { ("-t", "S") };
                remedies.command(format!(
                    "{git} ls-files {flag} -z | sed -zn 's/^{letter} //p' | {git} update-index -z \
                     --no-{mark} --stdin"
                ));
                continue;
            }
            for (from, to, no) in [(now, was, "no-"), (was, now, "")] {
                let differing: Vec<String> = from.difference(to).map(|path| quoted(path)).collect();
                if !differing.is_empty() {
                    let paths = differing.join(" ");
                    remedies.command(format!("{git} update-index --{no}{mark} -- {paths}"));
                }
            }
        }
    }

    /// A file that is new goes; one that is small and was kept comes back.
    fn write(&self, here: &Here, remedies: &mut Remedies) {
        let at = |said: &[Said]| said.iter().find_map(|one| one.at.clone());
        let text = self.was.iter().find_map(|said| said.text.clone());
        let is_program = self.name.as_bytes().starts_with(b"hooks/");
        match (self.before, at(&self.is).or_else(|| at(&self.was)), text) {
            (None, Some(file), _) => remedies.command(format!("rm -f -- {}", here.file(&file))),
            (Some(_), Some(file), Some(text)) if !is_program => {
                let file = here.file(&file);
                remedies.command(format!("printf %s {} > {file}", quoted(&text)));
            }
            _ => self.by_hand(remedies),
        }
    }

    fn by_hand(&self, remedies: &mut Remedies) {
        let is_there = if self.after.is_some() { "put it back as it was" } else { "bring it back" };
        remedies.by_hand(format!(
            "{}: {is_there}; what it said was not stored, as it is long or may hold a secret",
            self.subject()
        ));
    }
}

/// The marks of an index, by kind.
#[derive(Default)]
struct Marked<'s> {
    paths: [BTreeSet<&'s PathText>; 2],
    /// There are more than are named.
    is_cut: bool,
}

impl<'s> Marked<'s> {
    fn of(said: &'s [Said]) -> Self {
        let mut marked = Self::default();
        for one in said {
            let mark = one.text.as_ref().map(ToString::to_string);
            let place = MARKS.iter().position(|known| mark.as_deref() == Some(*known));
            match (place, &one.at) {
                (Some(place), Some(path)) => {
                    marked.paths[place].insert(path);
                }
                _ => marked.is_cut = true,
            }
        }
        marked
    }
}
