//! The words for what a repository is.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mistake::Warning;

/// A repository: its parts, and what is odd about the files that describe them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Project {
    /// By folder and stack.
    pub parts: Vec<Part>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Warning>,
}

/// A folder with what is below it, as one stack sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// From the root of the repository; empty for the root itself.
    pub folder: String,
    pub stack: Stack,
    /// By activity, and within an activity the best one first.
    pub tools: Vec<Tool>,
    /// The folder of the workspace that it belongs to, where that is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
}

/// One way to do one activity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    pub activity: Activity,
    pub command: Command,
    /// Where the command is run, from the root of the repository; empty for the root itself.
    pub folder: String,
    /// What runs the tests, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner: Option<Runner>,
    /// The strongest first; never empty.
    pub why: Vec<Evidence>,
    /// The lowest is preferred.
    pub rank: u32,
}

/// What is run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Command {
    pub argv: Vec<String>,
    /// The same as a shell takes it.
    pub shell: String,
}

/// A line of a file that speaks for a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    pub file: String,
    /// From 1; 0 where the file's being there is what speaks.
    pub line: usize,
    /// What stands there, or what its being there says.
    pub text: String,
}

impl Evidence {
    pub(crate) fn new(file: impl Into<String>, line: usize, text: impl Into<String>) -> Self {
        let text: String = text.into();
        let short: String =
            text.split(['\n', '\r']).next().unwrap_or("").chars().take(120).collect();
        Self { file: file.into(), line, text: short }
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file, self.text),
            line => write!(f, "{}:{line}: {}", self.file, self.text),
        }
    }
}

impl Command {
    pub fn of(argv: &[&str]) -> Self {
        let argv: Vec<String> = argv.iter().map(|&word| word.to_owned()).collect();
        let shell = argv.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
        Self { argv, shell }
    }

    /// A text for the shell.
    pub fn of_shell(text: &str) -> Self {
        let argv = ["sh", "-c", text].map(str::to_owned).to_vec();
        Self { argv, shell: text.to_owned() }
    }

    /// The program that must be there; for a text of a shell, the first program in it.
    pub fn program(&self) -> &str {
        match &self.argv[..] {
            [sh, c, _] if sh == "sh" && c == "-c" => {
                let mut words = self.shell.split_whitespace();
                words.find(|word| !word.contains('=')).unwrap_or("sh")
            }
            [program, ..] => program,
            [] => "",
        }
    }
}

/// A word as a shell reads it.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:=,@+%".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// An enum whose members have names that are stored and typed.
macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[$about:meta])* $member:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
            JsonSchema,
        )]
        pub enum $name { $($(#[$about])* #[serde(rename = $text)] $member),+ }

        impl $name {
            pub const ALL: &'static [Self] = &[$(Self::$member),+];

            pub fn name(self) -> &'static str {
                match self { $(Self::$member => $text),+ }
            }

            pub fn parse(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.name() == name)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

named! {
    /// What can be done to find out whether work is good, in the order in which it is done.
    Activity {
        Build = "build",
        Typecheck = "typecheck",
        Lint = "lint",
        Format = "format",
        Unit = "unit",
        Integration = "integration",
        E2e = "e2e",
        Coverage = "coverage",
        Mutation = "mutation",
        /// A judgement by a reader, and no command.
        Critic = "critic",
        /// A command that a person named for one task, whatever it does.
        Check = "check",
    }
}

named! {
    /// How a part is made.
    Stack {
        Cargo = "cargo",
        Node = "node",
        Python = "python",
        Go = "go",
        Maven = "maven",
        Gradle = "gradle",
        Dotnet = "dotnet",
        Ruby = "ruby",
        Php = "php",
        Terraform = "terraform",
        Sql = "sql",
        /// Make, just, Task, pre-commit, CI and settings: commands for files of any kind.
        Tasks = "tasks",
    }
}

named! {
    /// What runs tests, as far as the words that it reports in go.
    Runner {
        CargoTest = "cargo_test",
        Nextest = "nextest",
        Pytest = "pytest",
        Unittest = "unittest",
        Django = "django",
        Tox = "tox",
        Nox = "nox",
        Jest = "jest",
        Vitest = "vitest",
        NodeTest = "node_test",
        Mocha = "mocha",
        Ava = "ava",
        Bun = "bun",
        Deno = "deno",
        Playwright = "playwright",
        Cypress = "cypress",
        GoTest = "go_test",
        /// Maven's and Gradle's: both leave JUnit files.
        Junit = "junit",
        DotnetTest = "dotnet_test",
        Rspec = "rspec",
        Minitest = "minitest",
        Phpunit = "phpunit",
        Pest = "pest",
    }
}

impl Activity {
    /// Whether it is done by running a command.
    pub fn is_run(self) -> bool {
        self != Self::Critic
    }

    /// Whether a project has a way to do it, or says that it has none.
    pub fn is_of_project(self) -> bool {
        !matches!(self, Self::Critic | Self::Check)
    }

    /// Whether it runs tests.
    pub fn is_test(self) -> bool {
        matches!(
            self,
            Self::Unit
                | Self::Integration
                | Self::E2e
                | Self::Coverage
                | Self::Mutation
                | Self::Check
        )
    }
}

impl Runner {
    /// What a command line runs tests with, where it says so itself.
    pub fn of(command: &str) -> Option<Self> {
        let found = crate::worklog::command::runner_of(command, &[])?;
        Some(match found.name.as_str() {
            "cargo" if command.contains("nextest") => Self::Nextest,
            "cargo" => Self::CargoTest,
            "node" => Self::NodeTest,
            "go" => Self::GoTest,
            "maven" | "gradle" => Self::Junit,
            "dotnet" => Self::DotnetTest,
            name => Self::parse(name)?,
        })
    }
}

impl Part {
    /// The best way to do `activity`.
    pub fn tool(&self, activity: Activity) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.activity == activity)
    }

    /// Whether `path` lies in it.
    pub fn holds(&self, path: &str) -> bool {
        self.folder.is_empty()
            || path.strip_prefix(&*self.folder).is_some_and(|rest| rest.starts_with('/'))
    }
}

impl Project {
    /// The best way to do `activity` for the file `path`: that of the nearest part that has one
    /// and whose stack reads such files.
    pub fn tool_for(&self, activity: Activity, path: &str) -> Option<&Tool> {
        let fits = |part: &&Part| part.holds(path) && part.stack.reads(path);
        let tools = self.parts.iter().filter(fits).filter_map(|part| {
            let tool = part.tool(activity)?;
            Some((std::cmp::Reverse(part.folder.len()), tool))
        });
        tools.min_by_key(|(near, tool)| (*near, tool.rank)).map(|(_, tool)| tool)
    }

    /// This project with what `newer` has besides: parts that are new, and activities that a part
    /// had no tool for. What was there before stands, whatever became of it.
    pub fn with_additions(mut self, newer: Self) -> Self {
        for part in newer.parts {
            let same = |own: &&mut Part| own.folder == part.folder && own.stack == part.stack;
            match self.parts.iter_mut().find(same) {
                Some(own) => {
                    let known: Vec<Activity> = own.tools.iter().map(|tool| tool.activity).collect();
                    let is_new = |tool: &Tool| !known.contains(&tool.activity);
                    own.tools.extend(part.tools.into_iter().filter(is_new));
                }
                None => self.parts.push(part),
            }
        }
        super::sort(&mut self.parts);
        self
    }

    /// The best ways to do `activity` for the whole project: one for each part that has one and
    /// that no other part stands for.
    pub fn tools(&self, activity: Activity) -> Vec<&Tool> {
        let of_stacks: Vec<&Tool> = self
            .parts
            .iter()
            .filter(|part| part.root.is_none() && part.stack != Stack::Tasks)
            .filter_map(|part| {
                let own = part.tool(activity)?;
                // What CI or the user prefers for the same folder stands for it.
                let beside =
                    |other: &&Part| other.stack == Stack::Tasks && other.folder == part.folder;
                let other = self.parts.iter().find(beside).and_then(|other| other.tool(activity));
                Some(other.filter(|other| other.rank < own.rank).unwrap_or(own))
            })
            .collect();
        if !of_stacks.is_empty() {
            let mut tools: Vec<&Tool> = Vec::new();
            for tool in of_stacks {
                if !tools.contains(&tool) {
                    tools.push(tool);
                }
            }
            return tools;
        }
        let any = self.parts.iter().filter_map(|part| part.tool(activity));
        any.min_by_key(|tool| (tool.folder.len(), tool.rank)).into_iter().collect()
    }
}
