//! `cargo xtask eval CORPUS [--folds N] [--seed N] [--train OTHER] [--worst N] [--features | --predictions]`: how well the classifier does.
//!
//! Without `--folds` the shipped weights are scored; with it the weights are fitted anew for every fold on the other
//! folds (and the made-up examples), so that no statement is scored by weights that have seen it; with `--train` on
//! another corpus.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use countersign_domain::classify::{
    Classification, ContractType, Knowledge, Label, Model, Reversibility, Risk, Tier, classify,
    features_of,
};

use crate::train::{self, FIELD_NAMES, Statement};

pub(crate) const VERB: crate::Verb = crate::Verb {
    name: "eval",
    about: "Say how well the classifier does on a corpus",
    run,
};

struct Options {
    path: String,
    folds: usize,
    seed: u64,
    worst: usize,
    train: Option<String>,
    features: bool,
    predictions: bool,
}

fn options(args: &[String]) -> Result<Options> {
    let mut options = Options {
        path: String::new(),
        folds: 0,
        seed: 1,
        worst: 10,
        train: None,
        features: false,
        predictions: false,
    };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut number = || {
            args.next()
                .with_context(|| format!("{arg} needs a number"))?
                .parse::<u64>()
                .context("a number")
        };
        match arg.as_str() {
            "--folds" => options.folds = usize::try_from(number()?)?,
            "--seed" => options.seed = number()?,
            "--worst" => options.worst = usize::try_from(number()?)?,
            "--train" => {
                options.train = Some(args.next().context("--train needs a corpus")?.clone());
            }
            "--features" => options.features = true,
            "--predictions" => options.predictions = true,
            path if !path.starts_with('-') && options.path.is_empty() => {
                path.clone_into(&mut options.path);
            }
            other => bail!("unknown option {other}"),
        }
    }
    if options.path.is_empty() {
        bail!(
            "usage: cargo xtask eval CORPUS [--folds N] [--seed N] [--train OTHER] [--worst N] [--features | --predictions]"
        );
    }
    Ok(options)
}

/// One scored statement.
struct Scored<'a> {
    statement: &'a Statement,
    predicted: [usize; 4],
    confidence: [f64; 4],
}

fn position<T: Label>(value: T) -> usize {
    T::ALL.iter().position(|label| *label == value).unwrap_or(0)
}

fn score<'a>(knowledge: &Knowledge, statement: &'a Statement) -> Scored<'a> {
    let Classification {
        contract,
        tier,
        risk,
        reversibility,
        ..
    } = classify(knowledge, &statement.text);
    Scored {
        statement,
        predicted: [
            position(contract.value),
            position(tier.value),
            position(risk.value),
            position(reversibility.value),
        ],
        confidence: [
            contract.confidence,
            tier.confidence,
            risk.confidence,
            reversibility.confidence,
        ],
    }
}

/// A number that spreads ids evenly, the same on every machine (FNV-1a).
fn spread(id: &str, seed: u64) -> u64 {
    id.bytes()
        .chain(seed.to_le_bytes())
        .fold(0xcbf2_9ce4_8422_2325, |h, b| {
            (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
        })
}

/// The fold of each statement: dealt out evenly within each combination of labels.
fn folds(statements: &[Statement], n: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..statements.len()).collect();
    order.sort_by_key(|&i| (statements[i].labels, spread(&statements[i].id, seed)));
    let mut fold = vec![0; statements.len()];
    for (at, i) in order.into_iter().enumerate() {
        fold[i] = at % n;
    }
    fold
}

/// The shipped knowledge with weights fitted on these statements only.
fn fitted(statements: &[&Statement]) -> Knowledge {
    let shipped = Knowledge::shipped();
    shipped.with_model(Model::new(train::fit(shipped, statements)))
}

fn cross_validated<'a>(statements: &'a [Statement], options: &Options) -> Result<Vec<Scored<'a>>> {
    let examples = train::examples()?;
    let fold = folds(statements, options.folds, options.seed);
    let mut scored = Vec::new();
    for held in 0..options.folds {
        let kept = statements
            .iter()
            .zip(&fold)
            .filter(|(_, f)| **f != held)
            .map(|(s, _)| s);
        let knowledge = fitted(&kept.chain(&examples).collect::<Vec<_>>());
        scored.extend(
            statements
                .iter()
                .zip(&fold)
                .filter(|(_, f)| **f == held)
                .map(|(s, _)| score(&knowledge, s)),
        );
    }
    Ok(scored)
}

fn names(field: usize) -> Vec<&'static str> {
    fn of<T: Label>() -> Vec<&'static str> {
        T::ALL.iter().map(|label| label.name()).collect()
    }
    match field {
        0 => of::<ContractType>(),
        1 => of::<Tier>(),
        2 => of::<Risk>(),
        _ => of::<Reversibility>(),
    }
}

#[allow(clippy::cast_precision_loss)] // counts are small
fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// The table of one field: the line of score.py, precision, and the confusion matrix.
fn table(scored: &[Scored<'_>], field: usize, last: &mut Vec<String>) -> String {
    let names = names(field);
    let mut matrix = vec![vec![0usize; names.len()]; names.len()];
    let (mut lenient, mut clear, mut clear_right) = (0, 0, 0);
    for s in scored {
        let (gold, predicted, alt) = (
            s.statement.labels[field],
            s.predicted[field],
            &s.statement.alt[field],
        );
        matrix[gold][predicted] += 1;
        lenient += usize::from(gold == predicted || alt.contains(&predicted));
        clear += usize::from(alt.is_empty());
        clear_right += usize::from(alt.is_empty() && gold == predicted);
    }
    let right: usize = (0..names.len()).map(|c| matrix[c][c]).sum();
    let (mut f1, mut recall, mut precision) = (0.0, String::new(), String::new());
    for (c, name) in names.iter().enumerate() {
        let gold: usize = matrix[c].iter().sum();
        let predicted: usize = matrix.iter().map(|row| row[c]).sum();
        f1 += if gold + predicted == 0 {
            1.0
        } else {
            ratio(2 * matrix[c][c], gold + predicted)
        };
        let _ = write!(recall, " {name}={:.2}", ratio(matrix[c][c], gold));
        let _ = write!(precision, " {name}={:.2}", ratio(matrix[c][c], predicted));
    }
    f1 /= ratio(names.len(), 1);
    last.push(format!("{}={f1:.3}", FIELD_NAMES[field]));
    let (strict, lenient, clear) = (
        ratio(right, scored.len()),
        ratio(lenient, scored.len()),
        ratio(clear_right, clear),
    );
    let mut out = format!(
        "{:13} macro-F1 {f1:.3}  strict {strict:.3}  lenient {lenient:.3}  clear {clear:.3}  recall{recall}\n",
        FIELD_NAMES[field]
    );
    let _ = writeln!(out, "{:13} precision{precision}", "");
    let _ = write!(out, "{:>24} ", "is \\ said");
    for name in &names {
        let _ = write!(out, "{name:>11}");
    }
    for (name, row) in names.iter().zip(&matrix) {
        let _ = write!(out, "\n{name:>24} ");
        for n in row {
            let _ = write!(out, "{n:>11}");
        }
    }
    out.push('\n');
    out
}

/// The mistakes made with most confidence, without an accepted alternative; too lenient ones first.
fn worst(scored: &[Scored<'_>], field: usize, n: usize) -> String {
    let names = names(field);
    let mut wrong: Vec<&Scored<'_>> = scored
        .iter()
        .filter(|s| {
            s.predicted[field] != s.statement.labels[field]
                && !s.statement.alt[field].contains(&s.predicted[field])
        })
        .collect();
    wrong.sort_by(|a, b| {
        let lenient = |s: &Scored<'_>| s.predicted[field] > s.statement.labels[field];
        lenient(a)
            .cmp(&lenient(b))
            .then(b.confidence[field].total_cmp(&a.confidence[field]))
            .then_with(|| a.statement.id.cmp(&b.statement.id))
    });
    wrong.iter().take(n).fold(String::new(), |mut out, s| {
        let text: String = s
            .statement
            .text
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .chars()
            .take(100)
            .collect();
        let (is, said) = (names[s.statement.labels[field]], names[s.predicted[field]]);
        let _ = writeln!(
            out,
            "  {} is {is}, said {said} ({:.2}): {text}",
            s.statement.id, s.confidence[field]
        );
        out
    })
}

/// A line that score.py reads.
fn prediction(scored: &Scored<'_>) -> serde_json::Value {
    let mut line = serde_json::Map::new();
    line.insert("id".to_owned(), scored.statement.id.clone().into());
    for (field, name) in FIELD_NAMES.iter().enumerate() {
        line.insert(
            (*name).to_owned(),
            names(field)[scored.predicted[field]].into(),
        );
    }
    line.into()
}

fn run(_root: &Path, args: &[String]) -> Result<ExitCode> {
    let options = options(args)?;
    let statements = train::corpus(&options.path)?;
    if options.features {
        for s in &statements {
            let names: Vec<String> = features_of(Knowledge::shipped(), &s.text)
                .into_keys()
                .collect();
            println!("{}", serde_json::json!({ "id": s.id, "f": names }));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let scored = match (&options.train, options.folds) {
        (Some(path), _) => {
            let mut other = train::corpus(path)?;
            other.extend(train::examples()?);
            let knowledge = fitted(&other.iter().collect::<Vec<_>>());
            statements.iter().map(|s| score(&knowledge, s)).collect()
        }
        (None, 0 | 1) => statements
            .iter()
            .map(|s| score(Knowledge::shipped(), s))
            .collect(),
        _ => cross_validated(&statements, &options)?,
    };
    if options.predictions {
        for s in &scored {
            println!("{}", prediction(s));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let mut last = Vec::new();
    for field in 0..4 {
        print!("{}", table(&scored, field, &mut last));
        print!("{}", worst(&scored, field, options.worst));
        println!();
    }
    println!("{}", last.join(" "));
    let start = std::time::Instant::now();
    for s in &statements {
        classify(Knowledge::shipped(), &s.text);
    }
    let each = start.elapsed().as_secs_f64() * 1e6 / ratio(statements.len(), 1);
    let start = std::time::Instant::now();
    drop(classify(
        Knowledge::shipped(),
        &"drop the users table. ".repeat(45_000),
    ));
    println!(
        "{each:.0} µs a statement; {} ms for a megabyte",
        start.elapsed().as_millis()
    );
    Ok(ExitCode::SUCCESS)
}
