//! Reads a spare of which times don't tell enough, while other things are done.
//!
//! Nothing runs there any more, so it makes no difference whether it is read now or just before it is
//! used: whoever could change it in between without changing a time could do so afterwards as well.

use std::os::fd::{AsFd as _, OwnedFd};

use crate::memory::Left;
use crate::spare::due::{Dues, Trust};
use crate::spare::look::{Place, is_proven};
use crate::tree::disk::tells_changes;

/// What is known of the checkout at `top` after all of its files were read: those that have all of their
/// times, and the content that the names of their objects say, are proven, and no other.
pub(super) fn through(top: &OwnedFd, left: Left) -> Left {
    match proven(top, &left) {
        Some(proven) => Left { proven, is_doubted: false, ..left },
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
