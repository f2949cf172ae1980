//! Snapshots, checkouts, diffs and anchors: the only code that runs git.
//!
//! Everything goes through the `git` program, started in one place with closed surroundings
//! (see `command.rs`). The user's index, `HEAD`, branches, stash, configuration and files are
//! never touched: objects are added, references of our own live under `refs/countersign/`, and
//! a branch is only ever created, never moved. The one exception is `adopt.rs`, which takes accepted
//! work over into the user's branch when the user says so.

mod adopt;
mod anchor;
mod batch;
mod between;
mod checkout;
mod command;
mod commit;
mod compare;
mod compose;
mod create;
mod diff;
mod discard;
mod discover;
mod error;
mod fingerprint;
mod foreign;
mod forged;
mod history;
mod index_file;
mod keep;
mod leave_out;
mod lfs;
mod list;
mod locks;
mod loose;
mod marks;
mod memory;
mod merge;
mod position;
mod private;
mod record;
mod repository;
mod restore;
mod scratch;
mod settings;
mod snapshot;
mod spare;
mod staged;
mod standing;
mod start_index;
mod tree;
mod updates;

pub use adopt::Adoption;
pub use anchor::{Anchor, NewAnchor};
pub use between::Patch;
pub use checkout::{CheckedOut, Checkout, Tip};
pub use commit::{Identity, NewCommit};
pub use compare::Look;
pub use compose::Edit;
pub use create::create;
pub use diff::{Change, DiffStat, Side, Status};
pub use discard::{discard, discard_plain, is_directory};
pub use discover::{Layout, discover};
pub use error::Error;
pub use forged::{Fault, Forged};
pub use history::Past;
pub use list::Listed;
pub use memory::Loose;
pub use merge::{Conflict, Merged};
pub use record::{First, Record, Trust};
pub use repository::{Commit, Head, Repository, Version};
pub use restore::{Modes, Raw, Restore};
pub use scratch::{Purpose, Scratch};
pub use snapshot::Snapshot;
pub use spare::{remove_spares, retire};
pub use staged::Staged;
pub use standing::Standing;
pub use tree::ignored::Frozen;
