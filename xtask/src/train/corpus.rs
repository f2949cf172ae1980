//! Labelled statements: the corpus, one JSON object a line, and the project's own made-up examples.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use countersign_domain::classify::{ContractType, Label, Reversibility, Risk, Tier};

/// A labelled statement.
#[derive(Debug, Clone)]
pub(crate) struct Statement {
    pub id: String,
    pub text: String,
    /// Index of the label within its field.
    pub labels: [usize; 4],
    /// Other labels that a careful person could give.
    pub alt: [Vec<usize>; 4],
    /// One of our own examples, not a statement of the corpus.
    pub made_up: bool,
}

pub(crate) fn data_file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../crates/domain/data/classify").join(name)
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
    text.lines().filter(|l| !l.trim().is_empty()).map(statement).collect()
}

fn statement(line: &str) -> Result<Statement> {
    let value: serde_json::Value = serde_json::from_str(line)?;
    let string = |key: &str| {
        value[key].as_str().map(str::to_owned).with_context(|| format!("no {key} in {line}"))
    };
    let mut labels = [0; 4];
    let mut alt: [Vec<usize>; 4] = Default::default();
    for (field, name) in FIELD_NAMES.iter().enumerate() {
        labels[field] = index_of(field, &string(name)?)?;
        for other in value["alt"][name].as_array().into_iter().flatten().filter_map(|v| v.as_str())
        {
            alt[field].push(index_of(field, other)?);
        }
    }
    Ok(Statement { id: string("id")?, text: string("text")?, labels, alt, made_up: false })
}

/// Reads the made-up examples.
pub(crate) fn examples() -> Result<Vec<Statement>> {
    let text = std::fs::read_to_string(data_file("examples.txt"))?;
    let mut labels = None;
    let mut out = Vec::new();
    for (at, line) in
        text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty() && !l.starts_with('#'))
    {
        let head = line
            .strip_prefix('[')
            .and_then(|l| l.strip_suffix(']'))
            .map(|l| l.split(' ').collect::<Vec<_>>());
        if let Some([c, t, r, v]) = head.as_deref() {
            labels = Some([index_of(0, c)?, index_of(1, t)?, index_of(2, r)?, index_of(3, v)?]);
            continue;
        }
        let Some(labels) = labels else { bail!("examples.txt line {}: no labels yet", at + 1) };
        let (id, text) = (format!("example {}", at + 1), line.replace(" // ", "\n\n"));
        out.push(Statement { id, text, labels, alt: Default::default(), made_up: true });
    }
    Ok(out)
}
