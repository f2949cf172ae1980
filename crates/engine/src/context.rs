//! Contexts of tasks: what was asked for, fixed once, and the roles that work on it one after
//! the other, each from exactly what the last one left.
//!
//! The record is the ledger's stream `context/TASK`; trees are objects of the repository, kept
//! under `refs/countersign/contexts/`; the files in the state folder are for reading only.

mod attribution;
mod capture;
mod compare;
mod conflict;
mod diff;
mod evidence;
mod export;
mod files;
mod genuine;
mod handover;
mod journal;
mod measure;
mod open;
mod place;
mod purge;
mod recording;
mod restore;
mod screen;
mod update;
mod view;
mod warnings;

pub use diff::{Between, ContextDiff};
pub use evidence::Attachment;
pub use export::Exported;
pub use handover::{HandedOver, Handing};
pub use journal::ContextRow;
pub use measure::{Measuring, Results};
pub use open::{OpenedContext, Opening, Rebuilding, RebuiltContext};
pub use purge::{PurgedContext, Sweeping, Swept};
pub use restore::{Kinship, Restored, Restoring};
pub use update::{Blocking, Update};
pub use view::{Checked, ContextView, StepView, Verification};

pub(crate) use evidence::read_file;
pub(crate) use journal::rows_of;
