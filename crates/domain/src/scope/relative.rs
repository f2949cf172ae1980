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
}
