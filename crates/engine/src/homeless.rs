//! Where the key and the work folders go if the environment names no home that can be written, as in many
//! containers: nobody should have to set anything up to have work judged.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use crate::error::{Error, Kind, Result};
use crate::host::{Home, Host};

const OWN: &str = "COUNTERSIGN_HOME";

/// The users of this machine, with their homes.
const USERS: &str = "/etc/passwd";

/// The host with folders of its own that can be written, and what to say where they are not where a user
/// would look for them.
pub(crate) fn housed(host: Host) -> Result<(Host, Option<String>)> {
    let users = fs::read_to_string(USERS).unwrap_or_default();
    housed_among(host, &users)
}

fn housed_among(host: Host, users: &str) -> Result<(Host, Option<String>)> {
    // Who names a folder wants that one and no other.
    if host.variable(OWN).is_some() || is_at_home(&host) {
        return Ok((host, None));
    }
    let user = rustix::process::getuid().as_raw();
    if let Some(home) = home_of(user, users) {
        let mut there = host.clone();
        there.environment.insert("HOME".into(), home.into());
        if is_at_home(&there) {
            return Ok((there, None));
        }
    }
    let shelter = shelter(&host, user)?;
    let notice = format!(
        "no home that can be written is known, so the key and the work folders are in {}, which may be gone \
         tomorrow; {OWN} names a folder that stays",
        shelter.display()
    );
    let mut there = host;
    there.environment.insert(OWN.into(), shelter.into());
    Ok((there, Some(notice)))
}

/// Whether the folders of a host can be written.
fn is_at_home(host: &Host) -> bool {
    host.home().is_ok_and(|home| can_be_written(&home))
}

fn can_be_written(home: &Home) -> bool {
    let [data, others @ ..] = home.folders();
    let is_writable = |path: &Path| access(path, Access::WRITE_OK | Access::EXEC_OK).is_ok();
    // The first is made on first use, and some file systems tell only then that nothing can be.
    let is_made = fs::create_dir_all(&data).is_ok() && is_writable(&data);
    let nearest = |path: &Path| path.ancestors().find(|one| one.is_dir()).map(Path::to_owned);
    is_made && others.iter().all(|path| nearest(path).is_some_and(|path| is_writable(&path)))
}

/// The home of a user, as the machine's list of them has it.
fn home_of(user: u32, users: &str) -> Option<PathBuf> {
    let user = user.to_string();
    let homes = users.lines().filter_map(|line| {
        let mut fields = line.split(':').skip(2);
        (fields.next()? == user).then(|| fields.nth(2)).flatten()
    });
    homes.map(PathBuf::from).find(|home| home.is_absolute() && home.is_dir())
}

/// A folder for this user alone below the folder for temporary files, which others can write as well:
/// what somebody else put there would be their key.
fn shelter(host: &Host, user: u32) -> Result<PathBuf> {
    let named = host.variable("TMPDIR").map(PathBuf::from).filter(|path| path.is_absolute());
    let shelter = named.unwrap_or_else(|| "/tmp".into()).join(format!("countersign-{user}"));
    let hint = format!("set {OWN} to a folder for the key and the work folders");
    if let Err(error) = DirBuilder::new().mode(0o700).create(&shelter)
        && error.kind() != std::io::ErrorKind::AlreadyExists
    {
        return Err(Error::io("create", &shelter, &error).hint(hint));
    }
    let is_ours = fs::symlink_metadata(&shelter)
        .is_ok_and(|meta| meta.is_dir() && meta.uid() == user && meta.mode() & 0o777 == 0o700);
    if is_ours {
        return Ok(shelter);
    }
    let message = format!(
        "no home that can be written is known, and {} is not this user's alone",
        shelter.display()
    );
    Err(Error::new(Kind::Refused, message).hint(hint))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;
    use crate::host::Clock;

    fn host(variables: &[(&str, &Path)]) -> Host {
        let pairs = variables.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        let environment: BTreeMap<_, _> = pairs.collect();
        Host { clock: Clock::System, environment, cwd: "/".into(), supervisor: Vec::new() }
    }

    /// A home that is there and can be written is used as it is, and a folder that is named, too.
    #[test]
    fn who_has_a_home_keeps_it() {
        let folder = tempfile::tempdir().unwrap();
        let (kept, notice) = housed_among(host(&[("HOME", folder.path())]), "").unwrap();
        assert_eq!((kept.variable("HOME"), notice), (Some(folder.path().as_os_str()), None));
        let named = Path::new("/proc/none");
        let (kept, notice) = housed_among(host(&[(OWN, named)]), "").unwrap();
        assert_eq!((kept.variable(OWN), notice), (Some(named.as_os_str()), None));
    }

    #[test]
    fn without_one_it_is_the_one_of_the_machine() {
        let folder = tempfile::tempdir().unwrap();
        let user = rustix::process::getuid().as_raw();
        let users =
            format!("a:x:{user}9:1::/etc:/bin/sh\nb:x:{user}:1::{}:", folder.path().display());
        for variables in [&[][..], &[("HOME", Path::new("/proc/1"))], &[("HOME", Path::new("x"))]] {
            let (found, notice) = housed_among(host(variables), &users).unwrap();
            assert_eq!(found.variable("HOME"), Some(folder.path().as_os_str()));
            assert_eq!(notice, None);
        }
    }

    /// A folder that others can write or made is no place for a key.
    #[test]
    fn without_any_it_is_a_private_folder() {
        let folder = tempfile::tempdir().unwrap();
        let at = |temporary: &Path| {
            housed_among(host(&[("HOME", Path::new("/proc/1")), ("TMPDIR", temporary)]), "")
        };
        let (found, notice) = at(folder.path()).unwrap();
        let shelter = PathBuf::from(found.variable(OWN).unwrap());
        assert!(shelter.starts_with(folder.path()) && notice.unwrap().contains(OWN));
        assert_eq!(fs::metadata(&shelter).unwrap().mode() & 0o777, 0o700);
        assert!(at(folder.path()).is_ok());
        fs::set_permissions(&shelter, fs::Permissions::from_mode(0o777)).unwrap();
        let error = at(folder.path()).unwrap_err();
        assert!(error.message.contains("not this user's alone"), "{error}");
        fs::remove_dir(&shelter).unwrap();
        symlink(folder.path(), &shelter).unwrap();
        assert!(at(folder.path()).is_err());
        assert!(at(Path::new("/proc/none")).unwrap_err().hint.unwrap().contains(OWN));
    }
}
