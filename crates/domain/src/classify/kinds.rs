//! The kinds of work that exist (`kinds.txt`) and how one is chosen: first the contract, then each further field among
//! the labels that the former ones leave. So words of danger in a question can't turn it into work.

use super::model::{FIELDS, LABELS, Row};
use super::types::{ContractType, Label, Reversibility, Risk, Tier};

/// A kind of work: one label of each field, as indices within the fields.
pub(crate) type Kind = [usize; 4];

/// What is said if no kind is known: nothing is waved through.
const STRICTEST: Kind = [2, 3, 3, 2];

/// Reads the kinds of work that exist: four labels a line.
pub(crate) fn parse(text: &str) -> Result<Vec<Kind>, String> {
    fn index<T: Label>(name: Option<&str>) -> Option<usize> {
        T::ALL.iter().position(|label| Some(label.name()) == name)
    }
    let mut kinds = Vec::new();
    for (at, line) in text.lines().enumerate().filter(|(_, l)| !l.is_empty() && !l.starts_with('#'))
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

/// How likely each kind is: the product over its fields of the label's share among those still possible.
fn shares(kinds: &[Kind], score: &Row) -> Vec<f64> {
    let share = |kind: &Kind, field: usize| {
        let at = |label: usize| FIELDS[field].start + label;
        let mut possible = [false; LABELS];
        for other in kinds.iter().filter(|other| other[..field] == kind[..field]) {
            possible[at(other[field])] = true;
        }
        let own = score[at(kind[field])];
        let range = FIELDS[field].clone();
        let sum: f64 = range.filter(|i| possible[*i]).map(|i| (score[i] - own).exp()).sum();
        1.0 / sum.max(1.0)
    };
    kinds.iter().map(|kind| (0..4).map(|field| share(kind, field)).product()).collect()
}

/// The kind that fits: the likeliest contract, and of its kinds the likeliest. A tie goes to the stricter.
pub(crate) fn choose(kinds: &[Kind], score: &Row) -> Kind {
    let contract = kinds.iter().map(|kind| kind[0]).max_by(|a, b| {
        score[FIELDS[0].start + a].total_cmp(&score[FIELDS[0].start + b]).then(a.cmp(b))
    });
    kinds
        .iter()
        .zip(shares(kinds, score))
        .filter(|(kind, _)| Some(kind[0]) == contract)
        .max_by(|(a, x), (b, y)| x.total_cmp(y).then(a.cmp(b)))
        .map_or(STRICTEST, |(kind, _)| *kind)
}

/// How likely each label is, over all kinds.
pub(crate) fn probability(kinds: &[Kind], score: &Row) -> Row {
    let mut row = [0.0; LABELS];
    for (kind, share) in kinds.iter().zip(shares(kinds, score)) {
        for (range, label) in FIELDS.iter().zip(kind) {
            row[range.start + label] += share;
        }
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: &str = "advisory EXEMPT LOW full\nverifiable STANDARD MEDIUM full\n\
        verifiable STRICT CRITICAL full\n";

    /// Scores with one number for each label that matters here: advisory, verifiable, STRICT, CRITICAL.
    fn score(advisory: f64, verifiable: f64, danger: f64) -> Row {
        let mut row = [0.0; LABELS];
        (row[1], row[2], row[6], row[10]) = (advisory, verifiable, danger, danger);
        row
    }

    #[test]
    fn danger_does_not_turn_a_question_into_work() {
        let kinds = parse(KINDS).unwrap();
        assert_eq!(choose(&kinds, &score(1.0, 0.5, 9.0)), [1, 0, 0, 0]);
        assert_eq!(choose(&kinds, &score(0.5, 1.0, 9.0)), [2, 3, 3, 0]);
        assert_eq!(choose(&kinds, &score(0.5, 1.0, -9.0)), [2, 2, 1, 0]);
    }

    #[test]
    fn a_tie_goes_to_the_stricter() {
        assert_eq!(choose(&parse(KINDS).unwrap(), &[0.0; LABELS]), [2, 3, 3, 0]);
    }

    #[test]
    fn without_knowledge_nothing_is_waved_through() {
        assert_eq!(choose(&[], &[0.0; LABELS]), STRICTEST);
    }

    #[test]
    fn probabilities_of_a_field_add_up() {
        let row = probability(&parse(KINDS).unwrap(), &score(0.3, 0.2, 2.0));
        for range in FIELDS {
            assert!((row[range].iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn a_line_that_is_no_kind_is_named() {
        assert!(parse("advisory EXEMPT LOW\n").unwrap_err().contains("line 1"));
    }
}
