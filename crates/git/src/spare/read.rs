//! Reads a spare of which times don't tell enough, while other things are done.
//!
//! Nothing is loose meanwhile, so it makes no difference whether it is read now or just before it is used.
//! If something is let loose before that, what was read here is read again.

use std::os::fd::{AsFd as _, OwnedFd};

use crate::memory::{Calm, Left};
use crate::spare::due::{Dues, Trust};
use crate::spare::look::{Place, is_proven};
use crate::tree::disk::tells_changes;

/// What is known of the checkout at `top` after all of its files were read: those that have all of their
/// times, and the content that the names of their objects say, are proven, and no other.
pub(super) fn through(top: &OwnedFd, (left, calm): (Left, Calm)) -> Left {
    match proven(top, &left) {
        Some(proven) => Left { proven, seen: Some(calm), ..left },
        None => left,
    }
}

fn proven(top: &OwnedFd, left: &Left) -> Option<Vec<bool>> {
    if !tells_changes(top) {
        return None;
    }
    let mut dues = Dues::of(&left.index)?;
    dues.remember(left, Trust::Written);
    let mut buffer = vec![0; 1 << 16];
    let mut read = |number: usize| {
        let place = Place { folder: top.as_fd(), name: dues.path(dues.get(number)) };
        is_proven(place, (&dues, number), &mut buffer)
    };
    Some((0..dues.len()).map(&mut read).collect())
}
