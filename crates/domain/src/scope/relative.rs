//! Paths as people write them, made alike.

/// A path from the root of the repository with `/` between its parts: no `.`, no empty part, no
/// `/` at the end. The root itself is empty. Paths that lead out are refused with the reason.
pub(crate) fn relative(text: &str) -> Result<String, &'static str> {
    let text = text.trim();
    // Where no '/' is, '\' can only be meant as one; where one is, it is part of a name.
    let text = if text.contains('/') { text.to_owned() } else { text.replace('\\', "/") };
    let drive = text.as_bytes().get(1) == Some(&b':')
        && text.starts_with(|c: char| c.is_ascii_alphabetic());
    if text.starts_with('/') || drive {
        return Err("it is absolute");
    }
    if text == "~" || text.starts_with("~/") {
        return Err("it is below somebody's home");
    }
    if text.contains('\0') {
        return Err("it has a NUL in it");
    }
    let parts: Vec<&str> = text.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    if parts.contains(&"..") {
        return Err("'..' leads out of the repository, or may");
    }
    Ok(parts.join("/"))
}

/// The same for a glob: `tests/` is all that is below it, and so is `.`.
pub(crate) fn relative_glob(text: &str) -> Result<String, &'static str> {
    let text = text.trim();
    // What is escaped is part of a name, and no folder.
    let is_escaped = ["\\*", "\\?", "\\[", "\\]", "\\{", "\\}"].iter().any(|it| text.contains(it));
    let alike = if is_escaped { relative(&format!("./{text}"))? } else { relative(text)? };
    Ok(match alike.as_str() {
        "" => "**".to_owned(),
        _ if text.ends_with(['/', '\\']) || text.ends_with("/.") => format!("{alike}/**"),
        _ => alike,
    })
}

/// What to do about a path that was refused.
pub(crate) const FIX: &str = "write the path from the root of the repository";

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<&str, &str>) {
        assert_eq!(relative(text), expected.map(str::to_owned), "{text}");
    }

    /// CX-02: paths are the same however they are written, and none leads out.
    #[test]
    fn paths_are_made_alike() {
        check("src/main.rs", Ok("src/main.rs"));
        check("./src//auth/./", Ok("src/auth"));
        check(r"src\auth\login.ts", Ok("src/auth/login.ts"));
        check(r"src/a\b", Ok(r"src/a\b"));
        check(".", Ok(""));
        check("..a/b..", Ok("..a/b.."));
        for out in ["/etc/passwd", r"C:\Users", "c:/x", r"\\host\share"] {
            check(out, Err("it is absolute"));
        }
        for out in ["..", "../x", "src/../../x", "a/..", r"..\x"] {
            check(out, Err("'..' leads out of the repository, or may"));
        }
        check("~/x", Err("it is below somebody's home"));
        check("a\0b", Err("it has a NUL in it"));
    }

    /// CO-14: a glob is the same however it is written, and a folder is what is below it.
    #[test]
    fn globs_are_made_alike() {
        for (text, expected) in [
            ("./lib.sh", "lib.sh"),
            ("tests/", "tests/**"),
            ("./tests/./", "tests/**"),
            ("src//**/*.rs", "src/**/*.rs"),
            (".", "**"),
            (r"\[id\].tsx", r"\[id\].tsx"),
        ] {
            assert_eq!(relative_glob(text).as_deref(), Ok(expected), "{text}");
        }
        for out in ["/etc/passwd", "../x", "a/../lib.sh", "~/x"] {
            assert!(relative_glob(out).is_err(), "{out}");
        }
    }
}
