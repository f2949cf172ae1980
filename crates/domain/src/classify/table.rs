//! A table of weights that is searched where it lies. A text asks for a few dozen of its fifteen
//! thousand rows, and every command that classifies would wait for the others to be read.

use super::model::{LABELS, Row};

/// Lines of a name and its weights, sorted by the bytes of the names.
#[derive(Debug, Clone)]
pub(super) struct Table {
    text: &'static str,
    /// How the name of each line begins, and where the line does. The first letters tell most names
    /// apart without touching the text, which is larger than the caches of a processor.
    lines: Vec<(u64, usize)>,
}

impl Table {
    /// Finds the lines. Whether they are sorted and sound is for a test of the shipped file.
    pub(super) fn over(text: &'static str) -> Self {
        let after = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
        let starts = std::iter::once(0).chain(after).filter(|at| *at < text.len());
        let line = |start: usize| (first_letters(&text.as_bytes()[start..]), start);
        Self { text, lines: starts.map(line).collect() }
    }

    /// The weights of a name, and the number of its line.
    pub(super) fn row(&self, name: &str) -> Option<(Row, usize)> {
        let first = first_letters(name.as_bytes());
        let find = |(letters, start): &(u64, usize)| {
            letters.cmp(&first).then_with(|| self.name(*start).cmp(name))
        };
        let at = self.lines.binary_search_by(find).ok()?;
        let line = self.text.get(self.lines.get(at)?.1..)?.lines().next()?;
        Some((cells(line).ok()?.1, at + 1))
    }

    fn name(&self, start: usize) -> &str {
        let line = self.text.get(start..).unwrap_or_default();
        let end = memchr::memchr2(b'\t', b'\n', line.as_bytes()).unwrap_or(line.len());
        line.get(..end).unwrap_or_default()
    }

    /// How many rows there are.
    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }
}

/// The first eight bytes of a name as a number that sorts as they do.
fn first_letters(line: &[u8]) -> u64 {
    let mut letters = [0; 8];
    let name = line.iter().take_while(|byte| !matches!(byte, b'\t' | b'\n'));
    letters.iter_mut().zip(name).for_each(|(to, from)| *to = *from);
    u64::from_be_bytes(letters)
}

/// The name and the weights of a line.
pub(super) fn cells(line: &str) -> Result<(&str, Row), String> {
    let mut cells = line.split('\t');
    let name = cells.next().unwrap_or_default();
    let mut row: Row = [0.0; LABELS];
    for weight in &mut row {
        let cell = cells.next().ok_or("too few weights")?;
        if !cell.is_empty() {
            *weight = cell.parse().map_err(|e| format!("{e}"))?;
        }
        if !weight.is_finite() {
            return Err(format!("{cell} is no weight"));
        }
    }
    Ok((name, row))
}
