//! What may be believed of a file that is not read.

use super::stat::Stat;
use super::table::Table;

impl Table {
    /// Believes no more than `earlier` does: a row counts as known only if it is the same there,
    /// and the file looks as it did then.
    pub(crate) fn trust_only(&mut self, earlier: &Self) {
        self.is_narrow = false;
        for folder in 0..self.folders.len() {
            let same = earlier.folder(&self.folders[folder].path);
            let mut known = same.map_or(&[][..], |same| &earlier.folders[same].rows).iter();
            let mut next = known.next();
            for at in 0..self.folders[folder].rows.len() {
                let number = self.folders[folder].rows[at];
                while next.is_some_and(|row| earlier.name(*row) < self.name(number)) {
                    next = known.next();
                }
                let same = next.filter(|row| earlier.name(**row) == self.name(number));
                let same = same.map(|row| &earlier.rows[*row]);
                let row = &mut self.rows[number];
                let same = same.filter(|same| same.what == row.what && same.object == row.object);
                row.is_trusted = same.is_some_and(|same| same.is_trusted);
                row.stat = same.map_or_else(Stat::default, |same| same.stat);
            }
        }
    }

    /// Makes every file suspect, whatever it looks like.
    pub(crate) fn trust_nothing(&mut self) {
        self.rows.iter_mut().for_each(|row| row.is_trusted = false);
        self.folders.iter_mut().for_each(|folder| folder.stat = None);
    }
}
