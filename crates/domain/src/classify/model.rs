//! The linear model: weights per feature and label, as trained by `cargo xtask train`.

use std::collections::HashMap;

use super::features::{Features, Source};
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

/// A kind of work: one label of each field, as indices within the fields.
pub(crate) type Kind = [usize; 4];

/// Reads the kinds of work that exist: four labels a line.
pub(crate) fn parse_kinds(text: &str) -> Result<Vec<Kind>, String> {
    fn index<T: Label>(name: Option<&str>) -> Option<usize> {
        T::ALL.iter().position(|label| Some(label.name()) == name)
    }
    let mut kinds = Vec::new();
    for (at, line) in text
        .lines()
        .enumerate()
        .filter(|(_, l)| !l.is_empty() && !l.starts_with('#'))
    {
        let mut names = line.split_whitespace();
        let kind = (|| {
            let contract = index::<ContractType>(names.next())?;
            let tier = index::<Tier>(names.next())?;
            let risk = index::<Risk>(names.next())?;
            Some([contract, tier, risk, index::<Reversibility>(names.next())?])
        })();
        kinds.push(kind.ok_or_else(|| format!("line {}: {line:?} is no kind", at + 1))?);
    }
    Ok(kinds)
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

/// The names of all labels in the order of a row.
pub fn label_names() -> Vec<String> {
    fn of<T: Label>() -> impl Iterator<Item = String> {
        T::ALL
            .iter()
            .map(|label| format!("{}:{}", T::FIELD, label.name()))
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
            let mut row = [0.0; LABELS];
            for weight in &mut row {
                let cell = cells
                    .next()
                    .ok_or_else(|| format!("line {}: too few weights", at + 1))?;
                *weight = if cell.is_empty() {
                    0.0
                } else {
                    cell.parse().map_err(|e| format!("line {}: {e}", at + 1))?
                };
            }
            match name {
                "(bias)" => model.bias = row,
                "(lean)" => model.lean = row,
                _ => drop(model.rows.insert(name.to_owned(), (row, at + 1))),
            }
        }
        Ok(model)
    }

    /// Probabilities for one text and the kind of work that fits them best.
    pub(crate) fn predict(&self, kinds: &[Kind], features: &Features) -> Prediction {
        let mut score = self.bias;
        for name in features.keys() {
            if let Some((row, _)) = self.rows.get(name) {
                let scale = scale(name);
                score.iter_mut().zip(row).for_each(|(s, w)| *s += scale * w);
            }
        }
        let mut probability = [0.0; LABELS];
        for range in &FIELDS {
            let top = score[range.clone()]
                .iter()
                .copied()
                .fold(f64::MIN, f64::max);
            let sum: f64 = score[range.clone()].iter().map(|s| (s - top).exp()).sum();
            for at in range.clone() {
                probability[at] = (score[at] - top).exp() / sum;
            }
        }
        let fit = |kind: &Kind| -> f64 {
            kind.iter()
                .zip(&FIELDS)
                .map(|(label, range)| range.start + label)
                .map(|at| probability[at].max(1e-12).ln() + self.lean[at])
                .sum()
        };
        let mut chosen = kinds.first().copied().unwrap_or_default();
        for kind in kinds {
            if fit(kind) > fit(&chosen) {
                chosen = *kind;
            }
        }
        Prediction {
            chosen,
            probability,
        }
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
        let mut all: Vec<Contribution<'a>> = features
            .iter()
            .filter_map(|(name, source)| {
                let (row, line) = self.rows.get(name)?;
                let own = row[range.start + label];
                let rest = (range.clone().map(|at| row[at]).sum::<f64>() - own) / others;
                Some(Contribution {
                    name,
                    source,
                    weight: scale(name) * (own - rest),
                    line: *line,
                })
            })
            .filter(|c| c.weight > 0.05)
            .collect();
        all.sort_by(|a, b| {
            b.weight
                .total_cmp(&a.weight)
                .then_with(|| a.name.cmp(b.name))
        });
        all
    }
}
