//! Which test of the old files is which of the new ones.

use std::collections::HashMap;

use super::Place;
use crate::detect::Change;
use crate::similar::ALIKE;

/// Bodies are compared one by one only as long as that is quick.
const MAX_COMPARED: usize = 300;

/// Tests that are on both sides, and tests that are on one.
#[derive(Debug, Default)]
pub(crate) struct Pairs<'c> {
    pub(crate) same: Vec<(Place<'c>, Place<'c>)>,
    pub(crate) lost: Vec<Place<'c>>,
    pub(crate) new: Vec<Place<'c>>,
}

impl<'c> Pairs<'c> {
    pub(crate) fn of(changes: &'c [Change<'c>]) -> Self {
        let mut pairs = Self::default();
        let mut lost: Vec<Place<'c>> = Vec::new();
        for change in changes {
            let mut now: HashMap<&str, Place<'c>> = HashMap::new();
            for test in &change.is.tests {
                now.insert(&test.id, Place { change, test });
            }
            for test in &change.was.tests {
                let before = Place { change, test };
                match now.remove(test.id.as_str()) {
                    Some(after) => pairs.same.push((before, after)),
                    None => lost.push(before),
                }
            }
            let mut new: Vec<Place<'c>> = now.into_values().collect();
            new.sort_by_key(|place| place.test.line);
            pairs.new.extend(new);
        }
        let lost = pairs.take(lost, |new| by_digest(new));
        let lost = pairs.take(lost, |new| by_name(new));
        pairs.lost = pairs.take_alike(lost);
        pairs
    }

    /// Pairs those that have the same key, and hands back the rest.
    fn take<K: std::hash::Hash + Eq>(
        &mut self,
        lost: Vec<Place<'c>>,
        key: impl Fn(&Place<'c>) -> K,
    ) -> Vec<Place<'c>> {
        let mut by_key: HashMap<K, Vec<usize>> = HashMap::new();
        for (index, place) in self.new.iter().enumerate().rev() {
            by_key.entry(key(place)).or_default().push(index);
        }
        let mut taken = vec![false; self.new.len()];
        let mut rest = Vec::new();
        for before in lost {
            match by_key.get_mut(&key(&before)).and_then(Vec::pop) {
                Some(index) => {
                    taken[index] = true;
                    self.same.push((before, self.new[index]));
                }
                None => rest.push(before),
            }
        }
        let mut taken = taken.into_iter();
        self.new.retain(|_| !taken.next().unwrap_or(false));
        rest
    }

    fn take_alike(&mut self, lost: Vec<Place<'c>>) -> Vec<Place<'c>> {
        let mut rest = Vec::new();
        for (number, before) in lost.into_iter().enumerate() {
            let candidates =
                self.new.iter().take(if number < MAX_COMPARED { MAX_COMPARED } else { 0 });
            let scored = candidates
                .enumerate()
                .map(|(index, after)| (index, before.test.shape.likeness(&after.test.shape)));
            let best = scored.max_by(|one, other| one.1.total_cmp(&other.1));
            match best.filter(|(_, likeness)| *likeness >= ALIKE) {
                Some((index, _)) => {
                    let after = self.new.remove(index);
                    self.same.push((before, after));
                }
                None => rest.push(before),
            }
        }
        rest
    }
}

fn by_digest(place: &Place<'_>) -> (String, bool) {
    // Empty bodies are all alike.
    let is_empty = place.test.assertions.is_empty();
    let key = if is_empty { place.test.id.clone() } else { format!("{:?}", place.test.digest) };
    (key, is_empty)
}

/// The same name in another file, which was renamed.
fn by_name(place: &Place<'_>) -> String {
    place.test.id.clone()
}
