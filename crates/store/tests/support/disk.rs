//! A disk that loses power: system calls recorded by strace, replayed into the states that the
//! disk may be in afterwards.
//!
//! Guaranteed is only what was synced: a file's bytes by a sync of the file, a name by a sync
//! of its folder. Whatever else was written is dropped, kept or torn by sectors, at random. A
//! rename happens as a whole or not at all. Shared memory and lock-file contents are ordinary
//! unsynced files.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::expect_used)]

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use crate::support::Random;

const SECTOR: usize = 512;

/// One thing that happened to the disk, or an acknowledgement.
#[derive(Debug, Clone)]
pub enum Op {
    /// Opened for writing; made if it wasn't there.
    Open {
        path: PathBuf,
        truncate: bool,
    },
    Write {
        path: PathBuf,
        at: u64,
        bytes: Vec<u8>,
    },
    Truncate {
        path: PathBuf,
        length: u64,
    },
    Sync {
        path: PathBuf,
    },
    MakeDir {
        path: PathBuf,
    },
    Rename {
        from: PathBuf,
        to: PathBuf,
    },
    Remove {
        path: PathBuf,
    },
    Acknowledge {
        text: String,
    },
}

/// The calls that matter, for strace's `-e trace=`.
pub const CALLS: &str = "openat,write,pwrite64,ftruncate,fdatasync,fsync,sync_file_range,rename,\
                         renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,writev,pwritev,\
                         copy_file_range,link,linkat";

/// Reads what strace wrote with `-f -y -xx`; only what is below `root`, and `ack` lines.
pub fn parse(trace: &str, root: &Path) -> Vec<Op> {
    let mut parser = Parser { root, offsets: HashMap::new(), lengths: HashMap::new() };
    let mut halves: HashMap<&str, &str> = HashMap::new();
    let mut ops = Vec::new();
    for line in trace.lines() {
        let Some((pid, call)) = line.split_once(' ') else { continue };
        let call = call.trim_start();
        if let Some(half) = call.strip_suffix(" <unfinished ...>") {
            halves.insert(pid, half);
        } else if let Some((_, rest)) = call.split_once(" resumed>") {
            let whole = format!("{}{rest}", halves.remove(pid).unwrap_or_default());
            ops.extend(parser.call(&whole));
        } else {
            ops.extend(parser.call(call));
        }
    }
    ops
}

struct Parser<'a> {
    root: &'a Path,
    /// Of open files that are written without naming a place; `None` for appending.
    offsets: HashMap<String, Option<u64>>,
    lengths: HashMap<PathBuf, u64>,
}

impl Parser<'_> {
    fn call(&mut self, call: &str) -> Option<Op> {
        let (name, rest) = call.split_once('(')?;
        let (args, result) = rest.rsplit_once(") = ")?;
        if result.starts_with('-') || result.starts_with('?') {
            return None;
        }
        let args: Vec<&str> = args.split(", ").collect();
        match name {
            "openat" => self.open(&args, result),
            "write" | "pwrite64" => self.write(&args),
            "ftruncate" => {
                let path = self.path_of(args[0])?;
                let length = args[1].parse().unwrap();
                self.lengths.insert(path.clone(), length);
                Some(Op::Truncate { path, length })
            }
            "fsync" | "fdatasync" => Some(Op::Sync { path: self.path_of(args[0])? }),
            "mkdir" => Some(Op::MakeDir { path: self.below(text(args[0]))? }),
            "rename" => {
                let (from, to) = (self.below(text(args[0]))?, self.below(text(args[1]))?);
                let length = self.lengths.remove(&from).unwrap_or(0);
                self.lengths.insert(to.clone(), length);
                Some(Op::Rename { from, to })
            }
            "unlink" => {
                let path = self.below(text(args[0]))?;
                self.lengths.remove(&path);
                Some(Op::Remove { path })
            }
            "copy_file_range" => {
                let to = self.path_of(args[2])?;
                panic!("{} is copied: the model doesn't know that", to.display())
            }
            // Scratch folders are removed by handle; nothing in them is relied upon.
            "unlinkat" => None,
            other => panic!("{other}: the model doesn't know that"),
        }
    }

    fn open(&mut self, args: &[&str], result: &str) -> Option<Op> {
        let path = self.path_of(result)?;
        let (fd, flags) = (result.split('<').next().unwrap(), args[2]);
        if !flags.contains("O_RDWR") && !flags.contains("O_WRONLY") {
            return None;
        }
        let truncate = flags.contains("O_TRUNC");
        if truncate {
            self.lengths.insert(path.clone(), 0);
        }
        let offset = (!flags.contains("O_APPEND")).then_some(0);
        self.offsets.insert(fd.to_owned(), offset);
        Some(Op::Open { path, truncate })
    }

    fn write(&mut self, args: &[&str]) -> Option<Op> {
        let bytes = unhex(args[1].trim_matches('"'));
        if args[0].starts_with("1<") {
            let said = String::from_utf8_lossy(&bytes).into_owned();
            return said.starts_with("ack ").then_some(Op::Acknowledge { text: said });
        }
        let path = self.path_of(args[0])?;
        let length = self.lengths.entry(path.clone()).or_default();
        let at = match args.get(3) {
            Some(at) => at.parse().unwrap(),
            None => match self.offsets.get_mut(args[0].split('<').next().unwrap()) {
                Some(Some(offset)) => {
                    let at = *offset;
                    *offset += bytes.len() as u64;
                    at
                }
                _ => *length,
            },
        };
        *length = (*length).max(at + bytes.len() as u64);
        Some(Op::Write { path, at, bytes })
    }

    /// The path that strace tells beside a file descriptor.
    fn path_of(&self, fd: &str) -> Option<PathBuf> {
        let hex = fd.split_once('<')?.1.split('>').next()?;
        self.below(String::from_utf8(unhex(hex)).ok()?)
    }

    /// `path` from the root on; `None` if it isn't below, or is only scratch.
    fn below(&self, path: String) -> Option<PathBuf> {
        let path = PathBuf::from(path).strip_prefix(self.root).ok()?.to_owned();
        (!path.starts_with("ledger/salvage")).then_some(path)
    }
}

fn text(arg: &str) -> String {
    String::from_utf8(unhex(arg.trim_matches('"'))).unwrap()
}

fn unhex(hex: &str) -> Vec<u8> {
    hex.split("\\x").skip(1).map(|digits| u8::from_str_radix(&digits[..2], 16).unwrap()).collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Node {
    Dir,
    File(usize),
}

#[derive(Debug, Clone, Default)]
struct File {
    durable: Vec<u8>,
    /// What was done since the last sync.
    pending: Vec<Change>,
}

#[derive(Debug, Clone)]
enum Change {
    Write(usize, Vec<u8>),
    Truncate(usize),
}

impl Change {
    /// Does the change to `bytes`; of a write, only the sectors that `keep` says.
    fn apply(&self, bytes: &mut Vec<u8>, mut keep: impl FnMut() -> bool) {
        match self {
            Self::Truncate(length) => bytes.resize(*length, 0),
            Self::Write(at, new) => {
                let mut done = 0;
                while done < new.len() {
                    let from = at + done;
                    let length = (SECTOR - from % SECTOR).min(new.len() - done);
                    if keep() {
                        if bytes.len() < from + length {
                            bytes.resize(from + length, 0);
                        }
                        bytes[from..from + length].copy_from_slice(&new[done..done + length]);
                    }
                    done += length;
                }
            }
        }
    }
}

/// A change of names: those that go, and one that comes.
#[derive(Debug, Clone)]
struct Naming {
    gone: Option<PathBuf>,
    made: Option<(PathBuf, Node)>,
}

impl Naming {
    fn is_in(&self, dir: &Path) -> bool {
        let made = self.made.as_ref().map(|(path, _)| path);
        [self.gone.as_ref(), made].into_iter().flatten().any(|path| path.parent() == Some(dir))
    }

    fn apply(&self, names: &mut BTreeMap<PathBuf, Node>) {
        if let Some(gone) = &self.gone {
            names.remove(gone);
        }
        if let Some((path, node)) = &self.made {
            names.insert(path.clone(), *node);
        }
    }
}

/// The disk, up to some moment.
#[derive(Debug, Clone, Default)]
pub struct Disk {
    files: Vec<File>,
    /// As programs see them.
    names: BTreeMap<PathBuf, Node>,
    durable: BTreeMap<PathBuf, Node>,
    pending: Vec<Naming>,
}

impl Disk {
    fn name(&mut self, naming: Naming) {
        naming.apply(&mut self.names);
        self.pending.push(naming);
    }

    fn file(&mut self, path: &Path) -> &mut File {
        match self.names.get(path) {
            Some(Node::File(n)) => &mut self.files[*n],
            other => panic!("{} is {other:?}", path.display()),
        }
    }

    pub fn apply(&mut self, op: &Op) {
        match op {
            Op::Open { path, truncate } => {
                if !self.names.contains_key(path) {
                    self.files.push(File::default());
                    let node = Node::File(self.files.len() - 1);
                    self.name(Naming { gone: None, made: Some((path.clone(), node)) });
                }
                if *truncate {
                    self.file(path).pending.push(Change::Truncate(0));
                }
            }
            Op::Write { path, at, bytes } => {
                let at = usize::try_from(*at).unwrap();
                self.file(path).pending.push(Change::Write(at, bytes.clone()));
            }
            Op::Truncate { path, length } => {
                let length = usize::try_from(*length).unwrap();
                self.file(path).pending.push(Change::Truncate(length));
            }
            Op::Sync { path } => self.sync(path),
            Op::MakeDir { path } => {
                self.name(Naming { gone: None, made: Some((path.clone(), Node::Dir)) });
            }
            Op::Rename { from, to } => {
                let node = self.names[from];
                self.name(Naming { gone: Some(from.clone()), made: Some((to.clone(), node)) });
            }
            Op::Remove { path } => self.name(Naming { gone: Some(path.clone()), made: None }),
            Op::Acknowledge { .. } => {}
        }
    }

    fn sync(&mut self, path: &Path) {
        if let Some(Node::File(n)) = self.names.get(path) {
            let file = &mut self.files[*n];
            for change in std::mem::take(&mut file.pending) {
                change.apply(&mut file.durable, || true);
            }
            return;
        }
        let (synced, rest): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.pending).into_iter().partition(|naming| naming.is_in(path));
        for naming in &synced {
            naming.apply(&mut self.durable);
        }
        self.pending = rest;
    }

    /// Loses power, and writes what may be left to `dir`. How much of the unsynced is kept is
    /// `share` of 8.
    pub fn lose_power(&self, dir: &Path, random: &mut Random, share: u64) {
        let mut names = self.durable.clone();
        for naming in &self.pending {
            if random.below(8) < share {
                naming.apply(&mut names);
            }
        }
        for (path, node) in &names {
            // Only what can be reached from the root is there.
            let parents = path.ancestors().skip(1).filter(|p| !p.as_os_str().is_empty());
            let mut parents = parents.map(|parent| names.get(parent));
            if !parents.all(|parent| parent == Some(&Node::Dir)) {
                continue;
            }
            match node {
                Node::Dir => std::fs::create_dir_all(dir.join(path)).unwrap(),
                Node::File(n) => {
                    let file = &self.files[*n];
                    let mut bytes = file.durable.clone();
                    for change in &file.pending {
                        match change {
                            Change::Truncate(_) if random.below(8) >= share => {}
                            change => change.apply(&mut bytes, || random.below(8) < share),
                        }
                    }
                    std::fs::write(dir.join(path), bytes).unwrap();
                }
            }
        }
    }
}
