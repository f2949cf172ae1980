//! Fits the weights: multinomial logistic regression with L2 regularisation, one per field, by L-BFGS in f64 from zero.
//!
//! Two models are fitted apart, one on the roles of words and one on plain words and pairs, and their scores are
//! averaged. An average of linear scores is linear, so the result is one table of weights.

use std::collections::{BTreeMap, HashMap};

use countersign_domain::classify::{
    FIELDS, Knowledge, LABELS, Row, features_of, gram_scale, is_gram, label_names, scale,
};

use super::corpus::Statement;
use super::minimize::minimize;

/// One of the two models. The numbers were chosen in cross-validation, see docs/design/classify.md.
struct View {
    grams: bool,
    /// Inverse strength of the regularisation.
    c: f64,
    /// A feature seen in fewer statements is left out.
    seen: usize,
    /// Its part in the average, per field.
    share: [f64; 4],
}

const VIEWS: [View; 2] = [
    View { grams: false, c: 0.3, seen: 2, share: [0.6, 0.6, 0.75, 0.75] },
    View { grams: true, c: 20.0, seen: 3, share: [0.4, 0.4, 0.25, 0.25] },
];

/// How much all made-up examples together count, in statements of the corpus.
const EXAMPLES: f64 = 10_000.0;
/// 1 gives each kind of work among the examples the share that it has in the corpus, 0 leaves it.
const MATCH: f64 = 0.7;
/// 0 leaves labels as frequent as they are, 1 makes all equally frequent.
const BALANCE: f64 = 0.5;
/// How much of a statement counts for the labels that another careful person could give.
const ALTERNATIVE: f64 = 0.3;
/// Added to the score of a dangerous label before choosing; what it costs is in docs/design/classify.md.
const LEAN: &[(&str, f64)] = &[
    ("contract:advisory", 0.2),
    ("tier:STRICT", 0.5),
    ("risk:CRITICAL", 1.3),
    ("reversibility:none", 0.5),
];
/// A row of plain words whose weights are all smaller is left out.
const FAINT: f64 = 0.05;

/// A statement as numbers: feature and value.
type Sparse = Vec<(usize, f64)>;

/// Fits all weights.
pub(crate) fn fit(knowledge: &Knowledge, statements: &[&Statement]) -> Vec<(String, Row)> {
    let read: Vec<Vec<String>> =
        statements.iter().map(|s| features_of(knowledge, &s.text).into_keys().collect()).collect();
    let weights = weights(statements);
    let mut bias = [0.0; LABELS];
    let mut rows = Vec::new();
    for view in &VIEWS {
        let (names, mut table) = view.fit(&read, statements, &weights);
        let last = table.pop().unwrap_or([0.0; LABELS]);
        bias.iter_mut().zip(view.part(last)).for_each(|(b, w)| *b += w);
        rows.extend(
            names
                .into_iter()
                .zip(table)
                .map(|(name, row)| (name, round(view.part(row))))
                .filter(|(_, row)| view.speaks(row)),
        );
    }
    let mut out = vec![("(bias)".to_owned(), round(bias)), ("(lean)".to_owned(), lean())];
    out.extend(rows);
    out
}

fn round(row: Row) -> Row {
    row.map(|w| (w * 100.0).round() / 100.0 + 0.0)
}

fn lean() -> Row {
    let names = label_names();
    let mut row = [0.0; LABELS];
    for (name, value) in LEAN {
        if let Some(at) = names.iter().position(|n| n == name) {
            row[at] = *value;
        }
    }
    row
}

/// The weight of each statement. Examples were written by kind of work, not as often as each kind occurs.
#[allow(clippy::cast_precision_loss)] // counts are small
fn weights(statements: &[&Statement]) -> Vec<f64> {
    let mut counts: BTreeMap<[usize; 4], [usize; 2]> = BTreeMap::new();
    for s in statements {
        counts.entry(s.labels).or_default()[usize::from(s.made_up)] += 1;
    }
    let total = |made_up: usize| counts.values().map(|n| n[made_up]).sum::<usize>().max(1) as f64;
    let (real, made_up) = (total(0), total(1));
    let factor = |labels: &[usize; 4]| {
        let [r, m] = counts[labels].map(|n| n.max(1) as f64);
        ((r / real) / (m / made_up)).powf(MATCH).clamp(0.2, 4.0)
    };
    let mass: f64 = statements.iter().filter(|s| s.made_up).map(|s| factor(&s.labels)).sum();
    let weight = |s: &&Statement| if s.made_up { factor(&s.labels) * EXAMPLES / mass } else { 1.0 };
    statements.iter().map(weight).collect()
}

impl View {
    /// What this model contributes to the average.
    fn part(&self, mut row: Row) -> Row {
        for (range, share) in FIELDS.iter().zip(self.share) {
            row[range.clone()].iter_mut().for_each(|w| *w *= share);
        }
        row
    }

    /// Rounded weights of plain words must say something; those of roles only be there.
    fn speaks(&self, row: &Row) -> bool {
        let least = if self.grams { FAINT } else { 0.0 };
        row.iter().any(|w| w.abs() > least)
    }

    /// The names of the features and one row of weights for each; the last row is the bias.
    fn fit(
        &self,
        read: &[Vec<String>],
        statements: &[&Statement],
        weights: &[f64],
    ) -> (Vec<String>, Vec<Row>) {
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for name in read.iter().flatten().filter(|name| is_gram(name) == self.grams) {
            *seen.entry(name).or_default() += 1;
        }
        seen.retain(|_, n| *n >= self.seen);
        let number: HashMap<&str, usize> =
            seen.keys().enumerate().map(|(at, name)| (*name, at)).collect();
        let rows: Vec<Sparse> = read.iter().map(|names| self.sparse(names, &number)).collect();
        let mut table = vec![[0.0; LABELS]; seen.len() + 1];
        for (field, range) in FIELDS.iter().enumerate() {
            let classes = range.len();
            let problem = Problem {
                rows: &rows,
                targets: &targets(statements, weights, field, classes),
                classes,
                features: seen.len(),
                c: self.c,
            };
            let solution = minimize(vec![0.0; table.len() * classes], |w, g| problem.loss(w, g));
            for (at, row) in table.iter_mut().enumerate() {
                row[range.clone()].copy_from_slice(&solution[at * classes..(at + 1) * classes]);
            }
        }
        (seen.keys().map(|name| (*name).to_owned()).collect(), table)
    }

    fn sparse(&self, names: &[String], number: &HashMap<&str, usize>) -> Sparse {
        let mut row: Sparse = names
            .iter()
            .filter_map(|name| number.get(name.as_str()).map(|at| (*at, scale(name))))
            .collect();
        if self.grams {
            let value = gram_scale(row.len());
            for (_, v) in &mut row {
                *v *= value;
            }
        }
        row
    }
}

/// What each statement should be, as a weight per label: most for its own label, some for its alternatives.
#[allow(clippy::cast_precision_loss)] // counts are small
fn targets(
    statements: &[&Statement],
    weights: &[f64],
    field: usize,
    classes: usize,
) -> Vec<Vec<f64>> {
    let mut targets: Vec<Vec<f64>> = Vec::with_capacity(statements.len());
    for (s, weight) in statements.iter().zip(weights) {
        let mut target = vec![0.0; classes];
        let alt = &s.alt[field];
        target[s.labels[field]] = weight * if alt.is_empty() { 1.0 } else { 1.0 - ALTERNATIVE };
        for other in alt {
            target[*other] += weight * ALTERNATIVE / alt.len() as f64;
        }
        targets.push(target);
    }
    let mass: Vec<f64> = (0..classes).map(|c| targets.iter().map(|t| t[c]).sum()).collect();
    let total: f64 = mass.iter().sum();
    let present = mass.iter().filter(|m| **m > 0.0).count() as f64;
    for target in &mut targets {
        for (t, m) in target.iter_mut().zip(&mass).filter(|(t, _)| **t > 0.0) {
            *t *= (total / present / m).powf(BALANCE);
        }
    }
    targets
}

struct Problem<'a> {
    rows: &'a [Sparse],
    targets: &'a [Vec<f64>],
    classes: usize,
    features: usize,
    c: f64,
}

impl Problem<'_> {
    /// Loss and gradient at `w`: one block of `classes` numbers per feature, the bias last and not regularised.
    fn loss(&self, w: &[f64], gradient: &mut [f64]) -> f64 {
        let (k, bias) = (self.classes, self.features * self.classes);
        let mut loss = 0.0;
        for (at, (g, x)) in gradient.iter_mut().zip(w).enumerate() {
            let penalty = if at < bias { x / self.c } else { 0.0 };
            *g = penalty;
            loss += 0.5 * penalty * x;
        }
        let mut score = vec![0.0; k];
        for (row, target) in self.rows.iter().zip(self.targets) {
            score.copy_from_slice(&w[bias..]);
            for (feature, value) in row {
                score.iter_mut().zip(&w[feature * k..]).for_each(|(s, x)| *s += value * x);
            }
            let top = score.iter().copied().fold(f64::MIN, f64::max);
            let sum: f64 = score.iter().map(|s| (s - top).exp()).sum();
            let weight: f64 = target.iter().sum();
            for (s, t) in score.iter_mut().zip(target) {
                loss += t * (sum.ln() + top - *s);
                *s = weight * (*s - top).exp() / sum - t;
            }
            for (feature, value) in row {
                gradient[feature * k..].iter_mut().zip(&score).for_each(|(g, s)| *g += value * s);
            }
            gradient[bias..].iter_mut().zip(&score).for_each(|(g, s)| *g += s);
        }
        loss
    }
}
