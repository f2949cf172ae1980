//! The linear model: weights per feature and label, as trained by `cargo xtask train`.

use std::collections::HashMap;

use super::features::{Features, Source, is_gram};
use super::kinds::{self, Kind};
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
    rows: HashMap<String, (Row, usize)>,
    bias: Row,
    /// Added to the score of a label before choosing, so that dangerous labels are missed less often.
    lean: Row,
}

/// What the model says of one text.
#[derive(Debug, Clone)]
pub(crate) struct Prediction {
    /// The chosen label of each field, as an index within the field.
    pub chosen: Kind,
    /// Probability per label.
    pub probability: Row,
}

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
struct Known<'a, 'm> {
    name: &'a str,
    source: &'a Source,
    value: f64,
    row: &'m Row,
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
        for (at, (name, row)) in rows.into_iter().enumerate() {
            match name.as_str() {
                "(bias)" => model.bias = row,
                "(lean)" => model.lean = row,
                _ => drop(model.rows.insert(name, (row, at))),
            }
        }
        model
    }

    /// Reads a table: name, then one weight per label, parted by tabs.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut model = Self::default();
        for (at, line) in text.lines().enumerate() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let mut cells = line.split('\t');
            let name = cells.next().unwrap_or_default();
            let mut row: Row = [0.0; LABELS];
            for weight in &mut row {
                let cell =
                    cells.next().ok_or_else(|| format!("line {}: too few weights", at + 1))?;
                *weight = if cell.is_empty() {
                    0.0
                } else {
                    cell.parse().map_err(|e| format!("line {}: {e}", at + 1))?
                };
                if !weight.is_finite() {
                    return Err(format!("line {}: {cell} is no weight", at + 1));
                }
            }
            match name {
                "(bias)" => model.bias = row,
                "(lean)" => model.lean = row,
                _ => drop(model.rows.insert(name.to_owned(), (row, at + 1))),
            }
        }
        Ok(model)
    }

    /// How many features have weights.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether no feature has one.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The features that have weights, with how much each counts.
    fn known<'a, 'm>(&'m self, features: &'a Features) -> Vec<Known<'a, 'm>> {
        let mut known: Vec<Known<'a, 'm>> = features
            .iter()
            .filter_map(|(name, source)| {
                let (row, line) = self.rows.get(name)?;
                Some(Known { name, source, value: scale(name), row, line: *line })
            })
            .collect();
        let grams = gram_scale(known.iter().filter(|k| is_gram(k.name)).count());
        known.iter_mut().filter(|k| is_gram(k.name)).for_each(|k| k.value *= grams);
        known
    }

    /// Probabilities for one text and the kind of work that fits them best.
    pub(crate) fn predict(&self, kinds: &[Kind], features: &Features) -> Prediction {
        let mut score = self.bias;
        for known in self.known(features) {
            score.iter_mut().zip(known.row).for_each(|(s, w)| *s += known.value * w);
        }
        let mut leaning = score;
        leaning.iter_mut().zip(&self.lean).for_each(|(s, l)| *s += l);
        let chosen = kinds::choose(kinds, &leaning);
        let probability = kinds::probability(kinds, &score);
        Prediction { chosen, probability }
    }

    /// The features that spoke most for a label against the others of its field.
    pub(crate) fn contributions<'a>(
        &self,
        features: &'a Features,
        field: usize,
        label: usize,
    ) -> Vec<Contribution<'a>> {
        let range = FIELDS.get(field).cloned().unwrap_or(0..0);
        let others = f64::from(u32::try_from(range.len().saturating_sub(1)).unwrap_or(1)).max(1.0);
        let mut all: Vec<Contribution<'a>> = self
            .known(features)
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
