//! Which stack reads which files, and what is code in a language that nothing here deals with.

use super::types::{Part, Project, Stack};

const NODE: &[&str] = &[
    "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte", "astro", "css", "scss",
    "less", "html",
];
const JVM: &[&str] = &["java", "kt", "scala", "groovy"];
/// Endings of files that a stack reads, and that no compiler or linter need look at.
const UNCHECKED: &[&str] =
    &["css", "scss", "less", "html", "json", "toml", "lock", "mod", "sum", "work", "xml", "erb"];

/// The stacks that programs are written in. The tests of a program cover the SQL and the Terraform
/// beside it often enough, so these are no languages of their own here.
const OF_PROGRAMS: &[Stack] = &[
    Stack::Cargo,
    Stack::Node,
    Stack::Python,
    Stack::Go,
    Stack::Maven,
    Stack::Gradle,
    Stack::Dotnet,
    Stack::Ruby,
    Stack::Php,
];

impl Stack {
    /// Whether a file is this stack's to build or check, by the end of its name.
    pub fn reads(self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let end = name.rsplit_once('.').map_or("", |(_, end)| end);
        match self {
            Self::Cargo => matches!(end, "rs") || name.starts_with("Cargo."),
            Self::Node => NODE.contains(&end) || name == "package.json",
            Self::Python => {
                matches!(end, "py" | "pyi" | "pyx" | "ipynb") || name == "pyproject.toml"
            }
            Self::Go => end == "go" || matches!(name, "go.mod" | "go.sum" | "go.work"),
            Self::Maven => JVM.contains(&end) || name == "pom.xml",
            Self::Gradle => JVM.contains(&end) || matches!(end, "gradle" | "kts"),
            Self::Dotnet => matches!(end, "cs" | "fs" | "vb" | "csproj" | "fsproj" | "razor"),
            Self::Ruby => matches!(end, "rb" | "rake" | "erb") || name.starts_with("Gemfile"),
            Self::Php => matches!(end, "php" | "phtml") || name == "composer.json",
            Self::Sql => end == "sql",
            Self::Terraform => matches!(end, "tf" | "tfvars" | "hcl"),
            Self::Tasks => true,
        }
    }
}

/// Whether compilers and linters would look at a file.
fn is_code(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, end)| !UNCHECKED.contains(&end))
}

impl Project {
    /// The part that `path` is code of, if there is one: the nearest whose stack reads it.
    pub fn part_of_code(&self, path: &str) -> Option<&Part> {
        let fits =
            |part: &&Part| part.stack != Stack::Tasks && part.holds(path) && part.stack.reads(path);
        let is_code = is_code(path);
        self.parts.iter().filter(|_| is_code).filter(fits).max_by_key(|part| part.folder.len())
    }

    /// Whether `path` is code in a language that is known, and that no part has tools for though there
    /// are parts with tools: `tool.py` beside a package of Node.
    pub fn is_strange(&self, path: &str) -> bool {
        let is_known = is_code(path) && OF_PROGRAMS.iter().any(|stack| stack.reads(path));
        let mut stacks =
            self.parts.iter().map(|part| part.stack).filter(|one| *one != Stack::Tasks);
        let has_parts = stacks.clone().next().is_some();
        is_known && has_parts && !stacks.any(|stack| stack.reads(path))
    }
}
