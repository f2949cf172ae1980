//! How a tool gets into a part.

use super::files::Files;
use super::names::{self, Fitness};
use super::types::{Activity, Command, Evidence, Part, Runner, Stack, Tool};

impl Part {
    pub(super) fn new(folder: &str, stack: Stack) -> Self {
        Self { folder: folder.to_owned(), stack, tools: Vec::new(), root: None }
    }

    /// A tool that is run in the part's folder. What runs tests is read from the command.
    pub(super) fn add(&mut self, activity: Activity, rank: u32, argv: &[&str], why: Evidence) {
        self.add_command(activity, rank, Command::of(argv), why);
    }

    pub(super) fn add_command(
        &mut self,
        activity: Activity,
        rank: u32,
        command: Command,
        why: Evidence,
    ) {
        let runner = if activity.is_test() { Runner::of(&command.shell) } else { None };
        let same = |tool: &&mut Tool| tool.activity == activity && tool.command == command;
        if let Some(known) = self.tools.iter_mut().find(same) {
            known.rank = known.rank.min(rank);
            if !known.why.contains(&why) {
                known.why.push(why);
            }
            return;
        }
        let folder = self.folder.clone();
        self.tools.push(Tool { activity, command, folder, runner, why: vec![why], rank });
    }

    /// A script of the project's own, with the text that it runs.
    pub(super) fn add_script(&mut self, files: &Files<'_>, script: &Script<'_>, argv: &[&str]) {
        let Script { name, file, line, rank, .. } = *script;
        let text = script.text.trim();
        let Some((activity, place)) = names::activity_of(name) else { return };
        // `check` is a name for anything.
        if name == "check" && crate::worklog::command::runner_of(text, &[]).is_none() {
            return;
        }
        let mut rank = rank + place.min(9);
        match names::fitness(activity, text, script.shells) {
            Fitness::Fit => {}
            Fitness::Placeholder => return,
            Fitness::Hollow => {
                let what = format!(
                    "'{name}' can't fail, so it proves nothing: {}",
                    crate::yaml::shown(text)
                );
                return files.odd((file, line), &what, "let its exit code be that of the check");
            }
            Fitness::Changes | Fitness::Waits => rank += names::UNFIT,
        }
        self.add(activity, rank, argv, Evidence::new(file, line, format!("{name}: {text}")));
        if let Some(tool) = self.tools.last_mut()
            && activity.is_test()
        {
            tool.runner = Runner::of(text).or(tool.runner);
        }
    }
}

/// A named text that a tool runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Script<'a> {
    pub(super) name: &'a str,
    pub(super) text: &'a str,
    pub(super) file: &'a str,
    pub(super) line: usize,
    /// What it hands to a shell, without what may fail: each has to end well.
    pub(super) shells: &'a [String],
    pub(super) rank: u32,
}
