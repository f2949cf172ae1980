//! Which ignored files are watched, and which are the output of tools. The knowledge is data
//! (`data/snapshot/ignored.txt`), and settings can add to it line by line.

const SHIPPED: &str = include_str!("../../data/snapshot/ignored.txt");

/// What to do about ignored files: the shipped list and what the caller adds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Watch {
    folders: Vec<Pattern>,
    files: Vec<Pattern>,
    /// The name of an output folder, and what is watched in it.
    planted: Vec<(Pattern, String)>,
    home: Vec<String>,
    /// So many ignored files of one folder are watched, or none of it.
    pub max_files_per_folder: usize,
    /// So many ignored files are watched in all.
    pub max_files: usize,
    /// Of a larger file, only the size is watched.
    pub max_file_bytes: u64,
}

/// A line of the list that is not understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of {of}: {what}")]
pub struct WatchError {
    pub of: String,
    pub line: usize,
    pub what: String,
}

/// A name in which `*` stands for any letters.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Pattern(String);

impl Watch {
    /// The shipped list.
    pub fn shipped() -> Self {
        let none = Self {
            folders: Vec::new(),
            files: Vec::new(),
            planted: Vec::new(),
            home: Vec::new(),
            max_files_per_folder: 500,
            max_files: 2_000,
            max_file_bytes: 32 << 20,
        };
        let taken = none.clone().with(SHIPPED, "the shipped list");
        debug_assert!(taken.is_ok(), "{taken:?}");
        // A list that nobody can read watches everything.
        taken.unwrap_or(none)
    }

    /// The same with more lines in the form of the shipped list; `of` names it in errors.
    pub fn with(mut self, text: &str, of: &str) -> Result<Self, WatchError> {
        let mut section = String::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || is_comment(line) || line.starts_with("version ") {
                continue;
            }
            if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                section = name.to_owned();
                continue;
            }
            let taken = self.take(&section, line);
            taken.map_err(|what| WatchError { of: of.to_owned(), line: number + 1, what })?;
        }
        Ok(self)
    }

    fn take(&mut self, section: &str, line: &str) -> Result<(), String> {
        let (is_out, line) = line.strip_prefix('!').map_or((false, line), |rest| (true, rest));
        let patterns = match section {
            "folders" => &mut self.folders,
            "files" => &mut self.files,
            "planted" | "home" if is_out => {
                self.planted.retain(|(folder, inside)| line != format!("{} {inside}", folder.0));
                self.home.retain(|known| known != line);
                return Ok(());
            }
            "planted" => {
                let (folder, inside) =
                    line.split_once(' ').ok_or("a folder, a space and a pattern belong here")?;
                self.planted.push((Pattern(folder.to_owned()), relative(inside.trim())?));
                return Ok(());
            }
            "home" => {
                self.home.push(relative(line)?);
                return Ok(());
            }
            "" => return Err("a section such as [folders] must come first".to_owned()),
            _ => {
                return Err(format!(
                    "there is no section [{section}]; there are [folders], [planted], [files] and [home]"
                ));
            }
        };
        if line.is_empty() || line.contains('/') {
            return Err(format!("'{line}' is not the name of a file or folder"));
        }
        patterns.retain(|known| known.0 != line);
        if !is_out {
            patterns.push(Pattern(line.to_owned()));
        }
        Ok(())
    }

    /// Whether tools fill an ignored folder of this name.
    pub fn is_output_folder(&self, name: &[u8]) -> bool {
        self.folders.iter().any(|pattern| pattern.fits(name))
    }

    /// Whether tools write an ignored file of this name.
    pub fn is_output_file(&self, name: &[u8]) -> bool {
        self.files.iter().any(|pattern| pattern.fits(name))
    }

    /// What is still watched in an output folder of this name, as patterns relative to it.
    pub fn planted_in(&self, name: &[u8]) -> impl Iterator<Item = &str> {
        let of = move |entry: &&(Pattern, String)| entry.0.fits(name);
        self.planted.iter().filter(of).map(|(_, inside)| inside.as_str())
    }

    /// What is watched below the user's home folder.
    pub fn home(&self) -> impl Iterator<Item = &str> {
        self.home.iter().map(String::as_str)
    }

    /// Whether a name fits a pattern in which `*` stands for any letters.
    pub fn fits(pattern: &str, name: &[u8]) -> bool {
        fits(pattern.as_bytes(), name)
    }
}

impl Pattern {
    fn fits(&self, name: &[u8]) -> bool {
        fits(self.0.as_bytes(), name)
    }
}

/// Names such as `#*#` are no comments.
fn is_comment(line: &str) -> bool {
    line == "#" || line.starts_with("# ")
}

fn relative(path: &str) -> Result<String, String> {
    let odd = |part: &str| matches!(part, "" | "." | "..");
    if path.split('/').any(odd) {
        return Err(format!("'{path}' is not a path below a folder"));
    }
    Ok(path.to_owned())
}

/// In time proportional to the product of the lengths at most: names can be hostile.
fn fits(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut from) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while from < name.len() {
        if pattern.get(at) == Some(&b'*') {
            star = Some((at, from));
            at += 1;
        } else if pattern.get(at) == Some(&name[from]) {
            at += 1;
            from += 1;
        } else if let Some((star_at, taken)) = star {
            star = Some((star_at, taken + 1));
            at = star_at + 1;
            from = taken + 1;
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_letters() {
        for (pattern, name, expected) in [
            ("*.pyc", "a.pyc", true),
            ("*.pyc", ".pyc", true),
            ("*.pyc", "a.py", false),
            ("a*b*c", "aXbbYc", true),
            ("a*b*c", "acb", false),
            ("*", "", true),
            ("", "", true),
            ("", "a", false),
            ("core", "core2", false),
            ("*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false),
        ] {
            assert_eq!(Watch::fits(pattern, name.as_bytes()), expected, "{pattern} {name}");
        }
    }

    /// CX-09: what tools fill is passed over, what people write is watched.
    #[test]
    fn the_shipped_list_knows_tools() {
        let watch = Watch::shipped();
        for name in ["target", "node_modules", "__pycache__", ".venv", "dist", "build", "coverage"]
        {
            assert!(watch.is_output_folder(name.as_bytes()), "{name}");
        }
        for name in ["src", "config", "secrets", "generated", "data", "lib", "tests"] {
            assert!(!watch.is_output_folder(name.as_bytes()), "{name}");
        }
        for name in ["x.pyc", "x.o", "debug.log", ".DS_Store", ".a.swp", "#x#", "a~", "core"] {
            assert!(watch.is_output_file(name.as_bytes()), "{name}");
        }
        for name in [".env", ".env.local", "local.properties", "config.local.json", "a.py", "x.rs"]
        {
            assert!(!watch.is_output_file(name.as_bytes()), "{name}");
        }
        let planted: Vec<&str> = watch.planted_in(b"node_modules").collect();
        assert!(planted.contains(&".bin/*") && planted.contains(&"conftest.py"));
        assert!(!watch.planted_in(b"build").any(|inside| inside == ".bin/*"));
        assert_eq!(watch.home().count(), 3);
    }

    #[test]
    fn settings_add_and_take_out() {
        let text = "[folders]\n!dist\nfixtures-out\n\n[planted]\n!* conftest.py\nbuild x/*.sh\n";
        let watch = Watch::shipped().with(text, "settings").unwrap();
        assert!(!watch.is_output_folder(b"dist"));
        assert!(watch.is_output_folder(b"fixtures-out"));
        assert!(!watch.planted_in(b"build").any(|inside| inside == "conftest.py"));
        assert!(watch.planted_in(b"build").any(|inside| inside == "x/*.sh"));
    }

    #[test]
    fn wrong_lines_are_named() {
        for (text, expected) in [
            ("target", "line 1 of here: a section such as [folders] must come first"),
            ("[folders]\na/b", "line 2 of here: 'a/b' is not the name of a file or folder"),
            ("[planted]\nx", "line 2 of here: a folder, a space and a pattern belong here"),
            ("[home]\n../x", "line 2 of here: '../x' is not a path below a folder"),
            (
                "[what]\nx",
                "line 2 of here: there is no section [what]; there are [folders], [planted], [files] and [home]",
            ),
        ] {
            let error = Watch::shipped().with(text, "here").unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
    }
}
