//! Which language a file is written in, by its name.

/// A language that something is known about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    Python,
    JavaScript,
    TypeScript,
    Tsx,
    Rust,
    Go,
    Java,
    Kotlin,
    CSharp,
    Ruby,
    Php,
    Swift,
    Cpp,
    Shell,
    /// Settings, data, prose, and whatever else.
    Other,
}

impl Language {
    pub fn of(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        match extension.to_ascii_lowercase().as_str() {
            "py" | "pyi" => Self::Python,
            "js" | "mjs" | "cjs" | "jsx" => Self::JavaScript,
            "ts" | "mts" | "cts" => Self::TypeScript,
            "tsx" => Self::Tsx,
            "rs" => Self::Rust,
            "go" => Self::Go,
            "java" | "groovy" | "scala" => Self::Java,
            "kt" | "kts" => Self::Kotlin,
            "cs" | "fs" | "vb" => Self::CSharp,
            "rb" => Self::Ruby,
            "php" => Self::Php,
            "swift" => Self::Swift,
            "c" | "cc" | "cpp" | "cxx" | "h" | "hh" | "hpp" | "m" | "mm" => Self::Cpp,
            "sh" | "bash" | "zsh" | "bats" => Self::Shell,
            _ => Self::Other,
        }
    }

    pub(crate) fn is_script(self) -> bool {
        matches!(self, Self::JavaScript | Self::TypeScript | Self::Tsx)
    }

    pub fn is_code(self) -> bool {
        self != Self::Other
    }

    /// What begins a comment that ends with its line.
    pub(crate) fn line_comment(self) -> &'static str {
        match self {
            Self::Python | Self::Ruby | Self::Shell | Self::Other => "#",
            _ => "//",
        }
    }
}
