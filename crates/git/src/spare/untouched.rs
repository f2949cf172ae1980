//! Whether a checkout is still as it was handed over.

use std::os::fd::AsFd as _;
use std::path::Path;

use crate::memory::Left;
use crate::repository::Repository;
use crate::spare::due::{Dues, Trust};
use crate::spare::look::{Look, Place, Time};
use crate::spare::spread::spread;
use crate::tree::disk::{open_top, tells_changes};

/// How many files a thread takes at a time.
const TOGETHER: usize = 64;

impl Repository {
    /// Whether every file of the checkout at `path` is the one that this process handed over there.
    /// `false` where that can't be told without reading them. What came besides does not count.
    pub fn is_as_left(&self, path: &Path) -> bool {
        let Some(left) = self.memory.take_left(path) else { return false };
        let is_same = is_same(path, &left).unwrap_or(false);
        self.memory.keep_left(path, left);
        is_same
    }
}

fn is_same(path: &Path, left: &Left) -> Option<bool> {
    let top = open_top(path).ok().filter(tells_changes)?;
    let mut dues = Dues::of(&left.index)?;
    dues.remember(left, Trust::Written);
    let mut look = Look::new(&path.join(".git")).ok()?;
    (look.moment, look.times) = (left.moment, Time::Stays);
    let is_left = |number: usize, buffer: &mut Vec<u8>| {
        let place = Place { folder: top.as_fd(), name: dues.path(dues.get(number)) };
        look.is_left(place, (&dues, number), buffer)
    };
    let (looked, is_whole) = spread((dues.len(), TOGETHER), is_left);
    Some(is_whole && looked.iter().all(|(_, is_left)| *is_left))
}
