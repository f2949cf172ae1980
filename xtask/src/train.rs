//! `cargo xtask train CORPUS`: fits the weights of the classifier and writes `weights.tsv`.
//!
//! Multinomial logistic regression with L2 regularisation, one per field, by L-BFGS in f64 from zero: the same input
//! gives the same file. Training data is the corpus and the project's own made-up `examples.txt`.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use countersign_domain::classify::{
    ContractType, FIELDS, Knowledge, LABELS, Label, Reversibility, Risk, Row, Tier, features_of,
    label_names, scale,
};

use crate::minimize::minimize;

pub(crate) const VERB: crate::Verb = crate::Verb {
    name: "train",
    about: "Fit the weights of the classifier on a corpus",
    run,
};

/// Inverse strength of the regularisation. Chosen in cross-validation, see docs/design/classify.md.
const C: f64 = 0.3;
/// Weight of a made-up example against a real statement.
const EXAMPLE: f64 = 0.5;
/// 0 leaves classes as frequent as they are, 1 makes all equally frequent.
const BALANCE: f64 = 0.5;
/// A feature seen in fewer statements is left out.
const SEEN: usize = 2;
/// Added to the score of a dangerous label before choosing; what it costs is in docs/design/classify.md.
const LEAN: &[(&str, f64)] = &[
    ("tier:STRICT", 0.3),
    ("risk:CRITICAL", 0.3),
    ("reversibility:none", 0.5),
];

/// A labelled statement.
#[derive(Debug, Clone)]
pub(crate) struct Statement {
    pub id: String,
    pub text: String,
    /// Index of the label within its field.
    pub labels: [usize; 4],
    /// Other labels that a careful person could give.
    pub alt: [Vec<usize>; 4],
    pub weight: f64,
}

pub(crate) fn data_file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../crates/domain/data/classify")
        .join(name)
}

fn index<T: Label>(name: &str) -> Result<usize> {
    T::ALL
        .iter()
        .position(|label| label.name() == name)
        .with_context(|| format!("{name:?} is no {}", T::FIELD))
}

fn index_of(field: usize, name: &str) -> Result<usize> {
    match field {
        0 => index::<ContractType>(name),
        1 => index::<Tier>(name),
        2 => index::<Risk>(name),
        _ => index::<Reversibility>(name),
    }
}

pub(crate) const FIELD_NAMES: [&str; 4] = ["contract", "tier", "risk", "reversibility"];

/// Reads a corpus: one JSON object a line.
pub(crate) fn corpus(path: &str) -> Result<Vec<Statement>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("reading {path}"))?;
    text.lines()
        .filter(|l| !l.trim().is_empty())
        .map(statement)
        .collect()
}

fn statement(line: &str) -> Result<Statement> {
    let value: serde_json::Value = serde_json::from_str(line)?;
    let string = |key: &str| {
        value[key]
            .as_str()
            .map(str::to_owned)
            .with_context(|| format!("no {key} in {line}"))
    };
    let mut labels = [0; 4];
    let mut alt: [Vec<usize>; 4] = Default::default();
    for (field, name) in FIELD_NAMES.iter().enumerate() {
        labels[field] = index_of(field, &string(name)?)?;
        for other in value["alt"][name]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|v| v.as_str())
        {
            alt[field].push(index_of(field, other)?);
        }
    }
    Ok(Statement {
        id: string("id")?,
        text: string("text")?,
        labels,
        alt,
        weight: 1.0,
    })
}

/// Reads the made-up examples.
pub(crate) fn examples() -> Result<Vec<Statement>> {
    let text = std::fs::read_to_string(data_file("examples.txt"))?;
    let mut labels = None;
    let mut out = Vec::new();
    for (at, line) in text
        .lines()
        .enumerate()
        .filter(|(_, l)| !l.trim().is_empty() && !l.starts_with('#'))
    {
        let head = line
            .strip_prefix('[')
            .and_then(|l| l.strip_suffix(']'))
            .map(|l| l.split(' ').collect::<Vec<_>>());
        if let Some([c, t, r, v]) = head.as_deref() {
            labels = Some([
                index_of(0, c)?,
                index_of(1, t)?,
                index_of(2, r)?,
                index_of(3, v)?,
            ]);
            continue;
        }
        let Some(labels) = labels else {
            bail!("examples.txt line {}: no labels yet", at + 1)
        };
        let (id, text) = (format!("example {}", at + 1), line.replace(" // ", "\n\n"));
        out.push(Statement {
            id,
            text,
            labels,
            alt: Default::default(),
            weight: EXAMPLE,
        });
    }
    Ok(out)
}

/// A statement as numbers: feature and value.
type Sparse = Vec<(usize, f64)>;

/// Fits all weights.
pub(crate) fn fit(knowledge: &Knowledge, statements: &[&Statement]) -> Vec<(String, Row)> {
    let read: Vec<Vec<String>> = statements
        .iter()
        .map(|s| features_of(knowledge, &s.text).into_keys().collect())
        .collect();
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    read.iter()
        .flatten()
        .for_each(|name| *seen.entry(name).or_default() += 1);
    let names: Vec<&str> = seen
        .iter()
        .filter(|(_, n)| **n >= SEEN)
        .map(|(name, _)| *name)
        .collect();
    let number: HashMap<&str, usize> = names
        .iter()
        .enumerate()
        .map(|(at, name)| (*name, at))
        .collect();
    let rows: Vec<Sparse> = read
        .iter()
        .map(|features| {
            features
                .iter()
                .filter_map(|n| number.get(n.as_str()).map(|at| (*at, scale(n))))
                .collect()
        })
        .collect();
    let mut table = vec![[0.0; LABELS]; names.len() + 1];
    for (field, range) in FIELDS.iter().enumerate() {
        let classes = range.len();
        let labels: Vec<usize> = statements.iter().map(|s| s.labels[field]).collect();
        let weights = balanced(statements, &labels, classes);
        let problem = Problem {
            rows: &rows,
            labels: &labels,
            weights: &weights,
            classes,
            features: names.len(),
        };
        let solution = minimize(vec![0.0; (names.len() + 1) * classes], |w, g| {
            problem.loss(w, g)
        });
        for (at, row) in table.iter_mut().enumerate() {
            row[range.clone()].copy_from_slice(&solution[at * classes..(at + 1) * classes]);
        }
    }
    let round = |row: &Row| row.map(|w| (w * 1000.0).round() / 1000.0 + 0.0);
    let mut out = vec![
        ("(bias)".to_owned(), round(&table[names.len()])),
        ("(lean)".to_owned(), lean()),
    ];
    out.extend(
        names
            .iter()
            .zip(&table)
            .map(|(name, row)| ((*name).to_owned(), round(row))),
    );
    out.retain(|(name, row)| name.starts_with('(') || row.iter().any(|w| *w != 0.0));
    out
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

#[allow(clippy::cast_precision_loss)] // counts are small
fn balanced(statements: &[&Statement], labels: &[usize], classes: usize) -> Vec<f64> {
    let mut mass = vec![0.0; classes];
    statements
        .iter()
        .zip(labels)
        .for_each(|(s, l)| mass[*l] += s.weight);
    let total: f64 = mass.iter().sum();
    let present = mass.iter().filter(|m| **m > 0.0).count() as f64;
    statements
        .iter()
        .zip(labels)
        .map(|(s, l)| s.weight * (total / present / mass[*l]).powf(BALANCE))
        .collect()
}

struct Problem<'a> {
    rows: &'a [Sparse],
    labels: &'a [usize],
    weights: &'a [f64],
    classes: usize,
    features: usize,
}

impl Problem<'_> {
    /// Loss and gradient at `w`: one block of `classes` numbers per feature, the bias last and not regularised.
    fn loss(&self, w: &[f64], gradient: &mut [f64]) -> f64 {
        let (k, bias) = (self.classes, self.features * self.classes);
        let mut loss = 0.0;
        for (at, (g, x)) in gradient.iter_mut().zip(w).enumerate() {
            let penalty = if at < bias { x / C } else { 0.0 };
            *g = penalty;
            loss += 0.5 * penalty * x;
        }
        let mut score = vec![0.0; k];
        for ((row, label), weight) in self.rows.iter().zip(self.labels).zip(self.weights) {
            score.copy_from_slice(&w[bias..]);
            for (feature, value) in row {
                score
                    .iter_mut()
                    .zip(&w[feature * k..])
                    .for_each(|(s, x)| *s += value * x);
            }
            let top = score.iter().copied().fold(f64::MIN, f64::max);
            let sum: f64 = score.iter().map(|s| (s - top).exp()).sum();
            loss += weight * (sum.ln() + top - score[*label]);
            for (class, s) in score.iter_mut().enumerate() {
                *s = weight * ((*s - top).exp() / sum - if class == *label { 1.0 } else { 0.0 });
            }
            for (feature, value) in row {
                gradient[feature * k..]
                    .iter_mut()
                    .zip(&score)
                    .for_each(|(g, s)| *g += value * s);
            }
            gradient[bias..]
                .iter_mut()
                .zip(&score)
                .for_each(|(g, s)| *g += s);
        }
        loss
    }
}

fn table(rows: &[(String, Row)]) -> String {
    let mut out = String::from(
        "# Weights of the classifier: feature, then one weight per label. Written by `cargo xtask train`; don't edit.\n",
    );
    let _ = writeln!(out, "# feature\t{}", label_names().join("\t"));
    for (name, row) in rows {
        let cells: Vec<String> = row
            .iter()
            .map(|w| {
                if *w == 0.0 {
                    String::new()
                } else {
                    format!("{w}")
                }
            })
            .collect();
        let _ = writeln!(out, "{name}\t{}", cells.join("\t"));
    }
    out
}

fn run(_root: &Path, args: &[String]) -> Result<ExitCode> {
    let [path] = args else {
        bail!("usage: cargo xtask train CORPUS")
    };
    let mut all = corpus(path)?;
    all.extend(examples()?);
    let rows = fit(Knowledge::shipped(), &all.iter().collect::<Vec<_>>());
    std::fs::write(data_file("weights.tsv"), table(&rows))?;
    println!("{} statements, {} rows", all.len(), rows.len());
    Ok(ExitCode::SUCCESS)
}
