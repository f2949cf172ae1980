//! Where the roles of a context work, and how they go on when that place has another path.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use countersign_domain::context::{
    Adopted, Context, ContextEvent, Place, There, Whereabouts, rules,
};

use super::update::{Held, bounded};
use super::view::ContextView;
use crate::Engine;
use crate::error::{Error, Kind, Result};

impl Engine {
    /// What the working tree that we stand in is known by.
    pub(super) fn own_place(&self) -> Result<Place> {
        let layout = self.repository.layout();
        let found = std::fs::metadata(&layout.worktree)
            .map_err(|error| Error::io("look at", &layout.worktree, &error))?;
        let id = layout.git_dir.strip_prefix(&layout.common_dir).unwrap_or(&layout.git_dir);
        Ok(Place { worktree_id: id.to_string_lossy().into_owned(), inode: found.ino() })
    }

    /// The path of the working tree that we stand in.
    pub(super) fn own_worktree(&self) -> String {
        self.repository.layout().worktree.to_string_lossy().into_owned()
    }

    /// What we stand in, if that is not where the roles of `context` work.
    pub(super) fn whereabouts(&self, context: &Context) -> Result<Option<Whereabouts>> {
        if self.own_worktree() == context.worktree {
            return Ok(None);
        }
        let there = match countersign_git::discover(Path::new(&context.worktree)) {
            Ok(found) if found.worktree != Path::new(&context.worktree) => There::Nothing,
            Ok(found) if found.common_dir == self.repository.layout().common_dir => There::Ours,
            Ok(_) => There::Others,
            Err(_) => There::Nothing,
        };
        Ok(Some(Whereabouts::of(context.place.as_ref(), &self.own_place()?, there)))
    }

    /// The name of a folder next to this working tree that is not there yet, for the files of a
    /// step.
    pub(super) fn free_folder(&self, task: &str, step: &str) -> String {
        // The name of an earlier step may have a slash in it.
        let name = format!("{task}-{}", step.replace('/', "-"));
        let top = &self.repository.layout().worktree;
        let is_free = |name: &String| top.with_file_name(name).symlink_metadata().is_err();
        let numbered = (2..1000).map(|number| format!("{name}-{number}"));
        std::iter::once(name.clone()).chain(numbered).find(is_free).unwrap_or(name)
    }

    /// Expects to stand where the roles of `context` work: asking from another working tree
    /// would compare the wrong files.
    pub(super) fn expect_its_worktree(&self, context: &Context) -> Result<()> {
        let Some(found) = self.whereabouts(context)? else { return Ok(()) };
        let words = found.words(&context.task, &context.worktree, &self.own_worktree());
        let adopt = format!("countersign context adopt {} --note \"WHY\"", context.task);
        Err(Error::new(Kind::Refused, words).hint(match found {
            Whereabouts::Moved => format!("go on here: {adopt}"),
            Whereabouts::Copied => format!(
                "go on there: countersign -C {} context …; or here, with a record of its own \
                 from now on: {adopt}",
                context.worktree
            ),
            Whereabouts::Replaced => {
                let step = &context.last_step().name;
                let folder = self.free_folder(&context.task, step);
                format!(
                    "go on here, if it has the files: {adopt}; or where they are put: countersign \
                     context restore {} --role {step} --worktree ../{folder}, and there the same",
                    context.task
                )
            }
            Whereabouts::Elsewhere => format!("countersign -C {} context …", context.worktree),
        }))
    }

    /// Lets the roles of `task` work in the working tree that we stand in, from now on. What is in
    /// it is compared as ever: this changes the place, and not what is expected there.
    pub fn adopt_context(&mut self, task: &str, note: &str, actor: &str) -> Result<ContextView> {
        self.screen(&[("the note", Some(note))], false)?;
        let note = bounded("note", note)?.to_owned();
        let mut held = self.hold_context(task)?;
        let Held { context, .. } = &mut held;
        rules::alive(context)?;
        match self.whereabouts(context)? {
            None => {
                let message = format!("the roles of {task} work here already");
                return Err(Error::new(Kind::Refused, message)
                    .hint(format!("countersign context verify {task}")));
            }
            Some(Whereabouts::Elsewhere) => {
                let message =
                    Whereabouts::Elsewhere.words(task, &context.worktree, &self.own_worktree());
                return Err(Error::new(Kind::Refused, message).hint(format!(
                    "countersign -C {} context …; or take that working tree away first: git \
                     worktree remove",
                    context.worktree
                )));
            }
            Some(Whereabouts::Copied) => self.notices.push(format!(
                "{} is still there, with a ledger of its own that knows nothing of what happens \
                 here",
                context.worktree
            )),
            Some(Whereabouts::Moved | Whereabouts::Replaced) => {}
        }
        let (worktree, place) = (self.own_worktree(), self.own_place()?);
        let event = ContextEvent::Adopted(Adopted { worktree, place, note });
        self.append_context(context, actor, vec![event])?;
        self.seal_what_is_done()?;
        self.view_of(context)
    }
}
