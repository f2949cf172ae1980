//! The figures of one field as text: the line of score.py, precision, the confusion matrix, the worst mistakes.

use std::fmt::Write as _;

use countersign_domain::classify::{ContractType, Label, Reversibility, Risk, Tier};

use super::Scored;
use crate::train::FIELD_NAMES;

pub(super) fn names(field: usize) -> Vec<&'static str> {
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
pub(super) fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// The table of one field: the line of score.py, precision, and the confusion matrix.
pub(super) fn table(scored: &[Scored<'_>], field: usize, last: &mut Vec<String>) -> String {
    let names = names(field);
    let mut matrix = vec![vec![0usize; names.len()]; names.len()];
    let (mut lenient, mut clear, mut clear_right) = (0, 0, 0);
    for s in scored {
        let (gold, predicted, alt) =
            (s.statement.labels[field], s.predicted[field], &s.statement.alt[field]);
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
        f1 += if gold + predicted == 0 { 1.0 } else { ratio(2 * matrix[c][c], gold + predicted) };
        let _ = write!(recall, " {name}={:.2}", ratio(matrix[c][c], gold));
        let _ = write!(precision, " {name}={:.2}", ratio(matrix[c][c], predicted));
    }
    f1 /= ratio(names.len(), 1);
    last.push(format!("{}={f1:.3}", FIELD_NAMES[field]));
    let (strict, lenient, clear) =
        (ratio(right, scored.len()), ratio(lenient, scored.len()), ratio(clear_right, clear));
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
pub(super) fn worst(scored: &[Scored<'_>], field: usize, n: usize) -> String {
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
