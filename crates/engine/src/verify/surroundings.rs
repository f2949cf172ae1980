//! What a check finds around it: the allowed variables, a home and a temporary folder of its own,
//! and walls where the machine has some.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use countersign_exec::{Confinement, Environment, find_program};

use super::place::TREE;
use super::{Work, caches};
use crate::Engine;
use crate::error::{Error, Result};

/// Where tools keep themselves when nobody says otherwise: below the user's home, which a check
/// does not get.
const TOOLS: [(&str, &str); 7] = [
    ("CARGO_HOME", ".cargo"),
    ("RUSTUP_HOME", ".rustup"),
    ("GOPATH", "go"),
    ("PYENV_ROOT", ".pyenv"),
    ("NVM_DIR", ".nvm"),
    ("VOLTA_HOME", ".volta"),
    ("BUN_INSTALL", ".bun"),
];

/// What any check finds that runs in `place`, a folder of its own that it sees at `seen`: the allowed
/// variables, with a home and a temporary folder there.
pub(crate) fn around(engine: &Engine, place: &Path, seen: &Path) -> Result<Environment> {
    let config = &engine.settings.config.exec;
    let mut all = Environment::from_allow_list(engine.host.variables(), &config.env);
    let home = all.value("HOME").map(PathBuf::from);
    for (variable, folder) in TOOLS {
        let there = home.as_ref().map(|home| home.join(folder)).filter(|path| path.is_dir());
        if let (None, Some(there)) = (all.value(variable), there) {
            all.set(variable, there);
        }
    }
    for name in ["HOME", "TMPDIR"] {
        let inside = name.to_lowercase();
        let folder = place.join(&inside);
        std::fs::create_dir_all(&folder).map_err(|error| Error::io("create", &folder, &error))?;
        all.set(name, seen.join(inside));
    }
    // Python of a user's own is in the home that they don't get.
    // Whatever it loads by itself could do anything to the tests, so all of it stays there then.
    let user_base = home.map(|home| home.join(".local")).filter(|path| path.is_dir());
    if let Some(base) = user_base.filter(|_| customized(engine).is_none()) {
        all.set("PYTHONUSERBASE", base);
    }
    Ok(all)
}

/// A file of the user's own that every Python would run, if there is one.
pub(super) fn customized(engine: &Engine) -> Option<PathBuf> {
    let home = engine.host.variable("HOME").map(PathBuf::from)?;
    let versions = std::fs::read_dir(home.join(".local/lib")).ok()?.flatten();
    let names = ["usercustomize.py", "sitecustomize.py", "usercustomize", "sitecustomize"];
    let mut files = versions.flat_map(|version| {
        let packages = version.path().join("site-packages");
        names.map(|name| packages.join(name))
    });
    files.find(|file| file.exists())
}

/// Where Cargo keeps itself and its settings.
pub(super) fn cargo_home(engine: &Engine) -> Option<PathBuf> {
    let own = engine.host.variable("CARGO_HOME").map(PathBuf::from);
    own.or_else(|| engine.host.variable("HOME").map(|home| Path::new(home).join(".cargo")))
}

/// What tells tools that there is no network: without it they wait for answers that never come, or
/// ask for versions newer than those that are there.
const OFFLINE: [(&str, &str); 6] = [
    ("CARGO_NET_OFFLINE", "true"),
    ("GOPROXY", "off"),
    ("GOTOOLCHAIN", "local"),
    ("npm_config_offline", "true"),
    ("PIP_NO_INDEX", "1"),
    ("UV_OFFLINE", "1"),
];

/// Folders that packages are installed into, and where their programs are.
const INSTALLED: [(&str, &str); 3] = [("node_modules", ".bin"), (".venv", "bin"), ("venv", "bin")];

/// Where the programs are of what is installed into `folder`.
pub(super) fn installed(folder: &Path) -> [PathBuf; 3] {
    INSTALLED.map(|(packages, programs)| folder.join(packages).join(programs))
}

/// The environment of a check that runs in `place`, a folder of its own that it sees at `seen`.
pub(super) fn environment(work: &Work<'_>, place: &Path, seen: &Path) -> Result<Environment> {
    let mut all = around(work.engine, place, seen)?;
    if work.walls.is_offline() {
        for (name, value) in OFFLINE {
            all.set(name, value);
        }
    }
    caches::name(&mut all, seen);
    let path = all.value("PATH").unwrap_or_default().to_owned();
    let (tree, root) = (place.join(TREE), &work.engine.repository.layout().worktree);
    let found = INSTALLED.into_iter().filter(|(folder, programs)| {
        let programs = Path::new(folder).join(programs);
        // What is lent behind walls is an empty folder to everybody else.
        tree.join(&programs).is_dir() || tree.join(folder).is_dir() && root.join(programs).is_dir()
    });
    let found = found.map(|(folder, programs)| seen.join(TREE).join(folder).join(programs));
    if let Ok(path) = std::env::join_paths(found.chain(std::env::split_paths(&path))) {
        all.set("PATH", path);
    }
    // The project may be installed among its own packages; its files in the checkout come first.
    let sources = work.sources();
    if !sources.is_empty() {
        let known = all.value("PYTHONPATH").unwrap_or_default().to_owned();
        let known = std::env::split_paths(&known).filter(|path| !path.as_os_str().is_empty());
        let sources = sources.iter().map(|source| seen.join(TREE).join(source));
        if let Ok(path) = std::env::join_paths(sources.chain(known)) {
            all.set("PYTHONPATH", path);
        }
    }
    Ok(all)
}

/// The walls around checks, if this machine can build them and nobody forbids it.
#[derive(Debug)]
pub(crate) struct Walls {
    program: Option<PathBuf>,
    network: bool,
    /// Whether what runs behind them can't change a file and leave all of its times.
    filtered: bool,
    /// What no check has any business with.
    private: Vec<PathBuf>,
    /// A folder with nothing in it, where a check can see its place.
    vacant: Option<PathBuf>,
    /// The working tree, where a check can see its checkout in the place of it. Packages that are
    /// installed by a link lead there.
    covered: Option<PathBuf>,
}

/// Folders that most machines have and few use.
const VACANT: [&str; 4] = ["/srv", "/media", "/mnt", "/opt"];

/// Folders of a home with keys to other things.
const KEYS: [&str; 8] =
    [".ssh", ".gnupg", ".aws", ".azure", ".docker", ".kube", ".config/gcloud", ".config/gh"];

impl Walls {
    pub(crate) fn find(engine: &Engine) -> Self {
        let config = &engine.settings.config.verify;
        let path = engine.host.variable("PATH").unwrap_or_default();
        let program = config.sandbox.then(|| find_program("bwrap", path)).flatten();
        // Being installed is not being allowed.
        let program = program.filter(|program| countersign_exec::can_confine(program));
        let home = engine.host.variable("HOME").map(PathBuf::from).unwrap_or_default();
        let mut private: Vec<PathBuf> = KEYS.iter().map(|name| home.join(name)).collect();
        // Our own key, and what witnesses the ledger.
        private.extend(engine.home.key().parent().map(Path::to_owned));
        if !config.network {
            // Sockets of the machine's services are a network too.
            private.push("/run".into());
        }
        private.retain(|folder| folder.is_absolute());
        let is_vacant = |folder: &&&str| {
            std::fs::read_dir(folder).is_ok_and(|mut inside| inside.next().is_none())
        };
        let vacant = VACANT.iter().find(is_vacant).filter(|_| program.is_some());
        let root = engine.repository.layout().worktree.clone();
        // Whoever keeps a whole home in a repository has tools there, too.
        let is_home =
            home.starts_with(&root) || engine.home.places(&engine.state).starts_with(&root);
        let covered = program.is_some().then_some(root).filter(|_| !is_home);
        let vacant = vacant.map(PathBuf::from);
        let filtered = program.as_deref().is_some_and(countersign_exec::can_filter);
        Self { program, network: config.network, filtered, private, vacant, covered }
    }

    /// Whether checks see nothing of the working tree but what they are lent.
    pub(super) fn cover(&self) -> bool {
        self.covered.is_some()
    }

    /// As [`Self::around`], for a check on the files of `place`, with folders that are lent from the
    /// working tree, each by its path there.
    pub(super) fn over(
        &self,
        engine: &Engine,
        (place, seen): (&Path, &Path),
        lent: &[PathBuf],
    ) -> Option<Confinement> {
        let mut walls = self.around(place, seen)?;
        let Some(root) = &self.covered else { return Some(walls) };
        walls.writable.push((place.join(TREE), root.clone()));
        for path in lent {
            for seen in [root.join(path), seen.join(TREE).join(path)] {
                walls.lent.push((root.join(path), seen));
            }
        }
        for named in named_inside(engine, root) {
            let path = named.strip_prefix(root).unwrap_or(&named);
            let is_known = lent.iter().any(|lent| path.starts_with(lent));
            // What the tree holds is taken from there.
            if !is_known && !place.join(TREE).join(path).exists() {
                walls.lent.push((named.clone(), named));
            }
        }
        // The checkout's own objects are few: it leans on those of the repository.
        let objects = engine.repository.layout().common_dir.join("objects");
        if objects.starts_with(root) {
            walls.lent.push((objects.clone(), objects));
        }
        Some(walls)
    }

    /// Where a check sees `place`: nothing about the path says whose it is.
    pub(super) fn seen(&self, place: &Path) -> PathBuf {
        self.vacant.as_ref().map_or_else(|| place.to_owned(), |vacant| vacant.join("build"))
    }

    /// Around a check that works in `place`, and sees it at `seen`.
    pub(crate) fn around(&self, place: &Path, seen: &Path) -> Option<Confinement> {
        let mut hidden: Vec<PathBuf> = vec!["/tmp".into()];
        hidden.extend_from_slice(&self.private);
        hidden.extend(self.vacant.clone().filter(|vacant| seen.starts_with(vacant)));
        hidden.retain(|folder| folder.is_dir() && !place.starts_with(folder));
        Some(Confinement {
            program: self.program.clone()?,
            writable: vec![(place.to_owned(), seen.to_owned())],
            lent: Vec::new(),
            hidden,
            network: self.network,
            filtered: self.filtered,
        })
    }

    /// Whether times tell what ran behind them has changed.
    pub(crate) fn are_filtered(&self) -> bool {
        self.filtered
    }

    /// Whether there are any.
    pub(crate) fn are_up(&self) -> bool {
        self.program.is_some()
    }

    /// Whether what runs behind them has no network.
    pub(crate) fn is_offline(&self) -> bool {
        self.program.is_some() && !self.network
    }

    /// What receipts say.
    pub(crate) fn words(&self) -> String {
        self.around(Path::new("/"), Path::new("/"))
            .map_or_else(|| "none".to_owned(), |walls| walls.words())
    }
}

/// Folders of the working tree that the environment names: tools that lie there, such as a virtual
/// environment of another name than most.
fn named_inside(engine: &Engine, root: &Path) -> Vec<PathBuf> {
    let path = engine.host.variable("PATH").unwrap_or_default();
    let programs = std::env::split_paths(path).map(|folder| match folder.parent() {
        Some(parent) if parent.join("pyvenv.cfg").is_file() => parent.to_owned(),
        _ => folder,
    });
    let homes = TOOLS.iter().filter_map(|(name, _)| engine.host.variable(name)).map(PathBuf::from);
    let mut found: Vec<PathBuf> = programs.chain(homes).collect();
    found.retain(|folder| folder != root && folder.starts_with(root) && folder.is_dir());
    found.sort();
    found.dedup();
    found
}

/// A shell command as it is started.
pub(super) fn argv(command: &str) -> Vec<OsString> {
    ["/bin/sh", "-c", command].map(OsString::from).to_vec()
}
