//! The environment a program is given: only what somebody allowed by name.
//!
//! Nothing is inherited by accident, so a receipt's environment digest means something and a
//! token in the caller's shell does not reach a program that nobody meant to give it to.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use countersign_domain::Digest;

/// A set of variables, in order of their names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment(BTreeMap<OsString, OsString>);

impl Environment {
    pub fn new() -> Self {
        Self::default()
    }

    /// The variables of `source` that `names` allows: a name, or a beginning followed by `*`.
    pub fn from_allow_list(
        source: impl Iterator<Item = (OsString, OsString)>,
        names: &[String],
    ) -> Self {
        Self(source.filter(|(name, _)| names.iter().any(|allowed| allows(allowed, name))).collect())
    }

    /// Adds a variable, or gives it another value.
    pub fn set(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        self.0.insert(name.into(), value.into());
    }

    pub fn value(&self, name: impl AsRef<OsStr>) -> Option<&OsStr> {
        self.0.get(name.as_ref()).map(OsString::as_os_str)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// The digest of `name=value` pairs in order of names, each ended by a NUL byte, which no
    /// variable can contain: two environments with the same digest are the same.
    pub fn digest(&self) -> Digest {
        let mut bytes = Vec::new();
        for (name, value) in self.iter() {
            add(&mut bytes, name, value.as_bytes());
        }
        Digest::of(&bytes)
    }

    /// As [`Environment::digest`], without the folders at or below `place`: it is another one for
    /// every run, and says nothing about what is in it.
    pub fn digest_without(&self, place: &Path) -> Digest {
        let mut bytes = Vec::new();
        for (name, value) in self.iter() {
            let kept: Vec<&[u8]> = value
                .as_bytes()
                .split(|byte| *byte == b':')
                .filter(|part| !Path::new(OsStr::from_bytes(part)).starts_with(place))
                .collect();
            add(&mut bytes, name, &kept.join(&b':'));
        }
        Digest::of(&bytes)
    }
}

fn add(bytes: &mut Vec<u8>, name: &OsStr, value: &[u8]) {
    bytes.extend_from_slice(name.as_bytes());
    bytes.push(b'=');
    bytes.extend_from_slice(value);
    bytes.push(0);
}

fn allows(allowed: &str, name: &OsStr) -> bool {
    match allowed.strip_suffix('*') {
        Some(start) => name.as_bytes().starts_with(start.as_bytes()),
        None => name.as_bytes() == allowed.as_bytes(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStringExt;

    fn environment(pairs: &[(&str, &str)], names: &[&str]) -> Vec<String> {
        let source = pairs.iter().map(|(name, value)| (name.into(), value.into()));
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        let kept = Environment::from_allow_list(source, &names);
        kept.iter().map(|(name, _)| name.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn only_allowed_names_pass() {
        let all = [("LC_ALL", "C"), ("PATH", "/bin"), ("PATHS", "x"), ("LC", "x"), ("lc_x", "x")];
        assert_eq!(environment(&all, &["PATH", "LC_*"]), ["LC_ALL", "PATH"]);
        assert_eq!(environment(&all, &["*"]).len(), 5);
        assert!(environment(&all, &[]).is_empty());
        assert!(environment(&all, &["LC_", "P*TH"]).is_empty());
    }

    #[test]
    fn the_digest_depends_on_content_and_not_on_order() {
        let digest = |pairs: &[(&str, &str)]| {
            let mut environment = Environment::new();
            for (name, value) in pairs {
                environment.set(name, value);
            }
            environment.digest()
        };
        assert_eq!(digest(&[]), Digest::of(b""));
        assert_eq!(digest(&[("B", "2"), ("A", "1")]), Digest::of(b"A=1\0B=2\0"));
        assert_ne!(digest(&[("A", "1"), ("B", "2")]), digest(&[("A", "1B=2")]));
    }

    /// D1.7: the folder that was made for a run is no part of what it found.
    #[test]
    fn the_digest_can_leave_out_a_place() {
        let digest = |place: &str, more: &str| {
            let mut environment = Environment::new();
            environment.set("HOME", format!("{place}/home"));
            environment.set("PATH", format!("{place}/tree/node_modules/.bin:/bin{more}"));
            environment.digest_without(Path::new(place))
        };
        assert_eq!(digest("/a/1", ""), digest("/b/2", ""));
        assert_eq!(digest("/a/1", ""), Digest::of(b"HOME=\0PATH=/bin\0"));
        assert_ne!(digest("/a/1", ""), digest("/a/1", ":/a/12"));
    }

    #[test]
    fn values_need_not_be_text() {
        let mut environment = Environment::new();
        environment.set("A", OsString::from_vec(vec![0xff]));
        assert_eq!(environment.digest(), Digest::of(b"A=\xff\0"));
    }
}
