//! The linear model: weights per feature and label, as trained by `cargo xtask train`.

use std::collections::HashMap;
use std::rc::Rc;

use super::features::{Features, Source, is_gram};
use super::kinds::{self, Kind};
use super::table::{Table, cells};
use super::types::{ContractType, Label, Reversibility, Risk, Tier};

/// The number of labels of all four fields together.
pub const LABELS: usize = 14;
/// Where the labels of each field stand in a row of weights: contract, tier, risk, reversibility.
pub const FIELDS: [std::ops::Range<usize>; 4] = [0..3, 3..7, 7..11, 11..14];
/// One weight per label.
pub type Row = [f64; LABELS];

/// The weights.
#[derive(Debug, Clone, Default)]
pub struct Model {
    rows: Rows,
    bias: Row,
    /// Added to the score of a label before choosing, so that dangerous labels are missed less often.
    lean: Row,
}

/// Where the weights of a feature are looked up, with the number of its line.
#[derive(Debug, Clone)]
enum Rows {
    Read(HashMap<String, (Row, usize)>),
    Shipped(Table),
}

impl Default for Rows {
    fn default() -> Self {
        Self::Read(HashMap::new())
    }
}

/// What the model says of one text.
#[derive(Debug, Clone)]
pub(crate) struct Prediction {
    /// The chosen label of each field, as an index within the field.
    pub chosen: Kind,
    /// Probability per label.
    pub probability: Row,
    /// What was looked up for it.
    pub weights: Weights,
}

/// The weights of each feature of a text in turn, and the number of their line: looking them up is
/// most of the work.
pub(crate) type Weights = Rc<[Option<(Row, usize)>]>;

/// A feature that spoke for a label.
#[derive(Debug, Clone)]
pub(crate) struct Contribution<'a> {
    pub name: &'a str,
    pub source: &'a Source,
    pub weight: f64,
    pub line: usize,
}

/// How much a feature counts by its kind: bare words and the body are weaker evidence than roles in the title.
pub fn scale(name: &str) -> f64 {
    if name.starts_with("w:") || name.starts_with("t:") {
        0.6
    } else if name.starts_with("b.") || name.starts_with("body") {
        0.5
    } else {
        1.0
    }
}

/// How much each of so many words and pairs counts: a long text doesn't speak louder than a short one.
#[allow(clippy::cast_precision_loss)] // counts are small
pub fn gram_scale(known: usize) -> f64 {
    1.0 / (known.max(1) as f64).sqrt()
}

/// A feature of a text that the model has a weight for.
struct Known<'a> {
    name: &'a str,
    source: &'a Source,
    value: f64,
    row: Row,
    line: usize,
}

/// The names of all labels in the order of a row.
pub fn label_names() -> Vec<String> {
    fn of<T: Label>() -> impl Iterator<Item = String> {
        T::ALL.iter().map(|label| format!("{}:{}", T::FIELD, label.name()))
    }
    of::<ContractType>()
        .chain(of::<Tier>())
        .chain(of::<Risk>())
        .chain(of::<Reversibility>())
        .collect()
}

impl Model {
    /// A model from rows; the rows `(bias)` and `(lean)` are not features.
    pub fn new(rows: impl IntoIterator<Item = (String, Row)>) -> Self {
        let mut model = Self::default();
        let mut features = HashMap::new();
        for (at, (name, row)) in rows.into_iter().enumerate() {
            match name.as_str() {
                "(bias)" => model.bias = row,
                "(lean)" => model.lean = row,
                _ => drop(features.insert(name, (row, at + 1))),
            }
        }
        model.rows = Rows::Read(features);
        model
    }

    /// Reads a table: name, then one weight per label, parted by tabs.
    pub fn parse(text: &str) -> Result<Self, String> {
        let lines = text.lines().enumerate();
        let rows = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let read = |(at, line)| {
            let (name, row) = cells(line).map_err(|e| format!("line {}: {e}", at + 1))?;
            Ok((name.to_owned(), row))
        };
        rows.map(read).collect::<Result<Vec<_>, String>>().map(Self::new)
    }

    /// The model of a table that is sorted by name and was found sound by a test.
    pub(super) fn shipped(text: &'static str) -> Result<Self, String> {
        let table = Table::over(text);
        let row = |name: &str| {
            table.row(name).map(|(row, _)| row).ok_or_else(|| format!("there is no row {name}"))
        };
        Ok(Self { bias: row("(bias)")?, lean: row("(lean)")?, rows: Rows::Shipped(table) })
    }

    /// How many features have weights.
    pub fn len(&self) -> usize {
        match &self.rows {
            Rows::Read(rows) => rows.len(),
            Rows::Shipped(table) => table.len(),
        }
    }

    /// Whether no feature has one.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The weights of a feature, and the number of its line.
    fn row(&self, name: &str) -> Option<(Row, usize)> {
        match &self.rows {
            Rows::Read(rows) => rows.get(name).copied(),
            Rows::Shipped(table) => table.row(name),
        }
    }

    /// The features that have weights, with how much each counts.
    fn known<'a>(features: &'a Features, weights: &Weights) -> Vec<Known<'a>> {
        let mut known: Vec<Known<'a>> = features
            .iter()
            .zip(weights.iter())
            .filter_map(|((name, source), weights)| {
                let (row, line) = (*weights)?;
                Some(Known { name, source, value: scale(name), row, line })
            })
            .collect();
        let grams = gram_scale(known.iter().filter(|k| is_gram(k.name)).count());
        known.iter_mut().filter(|k| is_gram(k.name)).for_each(|k| k.value *= grams);
        known
    }

    /// Probabilities for one text and the kind of work that fits them best.
    pub(crate) fn predict(&self, kinds: &[Kind], features: &Features) -> Prediction {
        let mut score = self.bias;
        let weights: Weights = features.keys().map(|name| self.row(name)).collect();
        for known in Self::known(features, &weights) {
            score.iter_mut().zip(known.row).for_each(|(s, w)| *s += known.value * w);
        }
        let mut leaning = score;
        leaning.iter_mut().zip(&self.lean).for_each(|(s, l)| *s += l);
        let chosen = kinds::choose(kinds, &leaning);
        let probability = kinds::probability(kinds, &score);
        Prediction { chosen, probability, weights }
    }

    /// The features that spoke most for a label against the others of its field.
    pub(crate) fn contributions<'a>(
        features: &'a Features,
        weights: &Weights,
        (field, label): (usize, usize),
    ) -> Vec<Contribution<'a>> {
        let range = FIELDS.get(field).cloned().unwrap_or(0..0);
        let others = f64::from(u32::try_from(range.len().saturating_sub(1)).unwrap_or(1)).max(1.0);
        let mut all: Vec<Contribution<'a>> = Self::known(features, weights)
            .into_iter()
            .map(|known| {
                let own = known.row[range.start + label];
                let rest = (range.clone().map(|at| known.row[at]).sum::<f64>() - own) / others;
                Contribution {
                    name: known.name,
                    source: known.source,
                    weight: known.value * (own - rest),
                    line: known.line,
                }
            })
            .filter(|c| c.weight > 0.05)
            .collect();
        all.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.name.cmp(b.name)));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::{Model, Rows};

    const WEIGHTS: &str = include_str!("../../data/classify/weights.tsv");

    /// A row that is looked up where it lies is the row that is read.
    #[test]
    fn every_row_is_found() {
        let (read, shipped) = (Model::parse(WEIGHTS).unwrap(), Model::shipped(WEIGHTS).unwrap());
        assert_eq!(
            format!("{:?}", (read.bias, read.lean)),
            format!("{:?}", (shipped.bias, shipped.lean))
        );
        let Rows::Read(rows) = &read.rows else { panic!("it was read") };
        let lines: Vec<&str> = WEIGHTS.lines().collect();
        for (name, (row, _)) in rows {
            let (found, line) = shipped.row(name).unwrap();
            assert!(
                found.iter().zip(row).all(|(one, other)| one.to_bits() == other.to_bits()),
                "{name}"
            );
            assert!(lines[line - 1].starts_with(&format!("{name}\t")), "{name}");
        }
        for name in ["", "\u{10ffff}", "act:", "no such feature"] {
            assert!(shipped.row(name).is_none(), "{name}");
        }
    }
}
