//! Classifies a task statement by what it means: text in, four judgements with reasons out.
//!
//! Text is folded and cut into clauses (`fold`, `token`, `prefix`), the words of each clause get their roles (`read`)
//! from the lexicon, roles become features (`features`), a linear model weighs them (`model`) and rules set floors
//! (`rules`). A clause that fires a rule is judged apart from the rest and the strictest part decides: that is what
//! makes it impossible to lower a result by adding a dangerous clause.

mod explain;
mod features;
mod fold;
mod knowledge;
mod lexicon;
mod model;
mod paths;
mod prefix;
mod read;
mod rules;
mod token;
mod types;

pub use features::{Features, Source};
pub use knowledge::{Extension, ExtensionError, Knowledge};
pub use model::{FIELDS, LABELS, Model, Row, label_names, scale};
pub use types::{
    Classification, ContractType, Effective, Judged, Label, Origin, Overrides, Reason,
    Reversibility, Risk, Tier,
};

use features::Part;
use model::Prediction;
use rules::Rule;

/// Below these the contract or the tier counts as not known.
const SURE_CONTRACT: f64 = 0.5;
const SURE_TIER: f64 = 0.4;
/// How sure a rule is.
const RULE: f64 = 0.9;
/// How many clauses are judged by the model on their own; rules look at all.
const APART: usize = 64;

/// The features of a text as the model sees them.
pub fn features_of(knowledge: &Knowledge, text: &str) -> Features {
    let parts = features::parts(knowledge, text);
    features::collect(&parts.iter().collect::<Vec<_>>())
}

/// Classifies a task statement.
pub fn classify(knowledge: &Knowledge, text: &str) -> Classification {
    let parts = features::parts(knowledge, text);
    let mut rest: Vec<&Part> = Vec::new();
    let mut apart: Vec<(&Part, Vec<&Rule>)> = Vec::new();
    for part in &parts {
        let fired = rules::fired(&knowledge.rules, part);
        if fired.is_empty() {
            rest.push(part);
        } else {
            apart.push((part, fired));
        }
    }
    let mut documents: Vec<Features> = apart
        .iter()
        .take(APART)
        .map(|(part, _)| features::collect(&[part]))
        .collect();
    if !rest.is_empty() || apart.is_empty() {
        documents.insert(0, features::collect(&rest));
    }
    let judged: Vec<(Features, Prediction)> = documents
        .into_iter()
        .map(|features| {
            let prediction = knowledge.model.predict(&knowledge.kinds, &features);
            (features, prediction)
        })
        .collect();
    let jury = Jury {
        knowledge,
        judged,
        apart,
    };
    let contract = jury.judge(0, |rule| rule.contract);
    let tier = jury.judge(1, |rule| rule.tier);
    let known = parts.iter().any(|part| !part.reading.found.is_empty());
    Classification {
        unsure: !known || contract.confidence < SURE_CONTRACT || tier.confidence < SURE_TIER,
        provisional: contract.value != ContractType::Verifiable,
        risk: jury.judge(2, |rule| rule.risk),
        reversibility: jury.judge(3, |rule| rule.reversibility),
        contract,
        tier,
    }
}

/// Everything that speaks about one text.
struct Jury<'a> {
    knowledge: &'a Knowledge,
    judged: Vec<(Features, Prediction)>,
    apart: Vec<(&'a Part, Vec<&'a Rule>)>,
}

impl Jury<'_> {
    /// The strictest of what the model says of each part and what the rules demand.
    fn judge<T: Label>(&self, field: usize, floor: impl Fn(&Rule) -> Option<T>) -> Judged<T> {
        let lowest = T::ALL[0];
        let mut best = Judged {
            value: lowest,
            confidence: 0.0,
            origin: Origin::Inferred,
            reasons: Vec::new(),
        };
        for (features, prediction) in &self.judged {
            let label = prediction.chosen[field];
            let value = T::ALL.get(label).copied().unwrap_or(lowest);
            let confidence = prediction.probability[FIELDS[field].start + label];
            if (value, confidence) > (best.value, best.confidence) || best.reasons.is_empty() {
                let all = self.knowledge.model.contributions(features, field, label);
                let mut reasons: Vec<Reason> = Vec::new();
                for reason in all.iter().map(|c| explain::contribution(self.knowledge, c)) {
                    let repeated = reasons.iter().any(|r| {
                        r.text == reason.text
                            || (!reason.words.is_empty() && r.words == reason.words)
                    });
                    if !repeated && reasons.len() < explain::REASONS {
                        reasons.push(reason);
                    }
                }
                if reasons.is_empty() {
                    reasons.push(explain::nothing_known());
                }
                best = Judged {
                    value,
                    confidence,
                    origin: Origin::Inferred,
                    reasons,
                };
            }
        }
        for (part, rules) in &self.apart {
            for rule in rules {
                let Some(value) = floor(rule).filter(|value| *value >= best.value) else {
                    continue;
                };
                let reason = explain::rule(rule, &said(part));
                if best.reasons.contains(&reason) {
                    continue;
                }
                if value > best.value {
                    best.reasons.clear();
                }
                best.reasons.insert(0, reason);
                best.reasons.truncate(explain::REASONS);
                best = Judged {
                    value,
                    confidence: best.confidence.max(RULE),
                    ..best
                };
            }
        }
        best.confidence = (best.confidence * 1000.0).round() / 1000.0;
        best
    }
}

/// The beginning of a clause, in plain letters.
fn said(part: &Part) -> String {
    part.clause
        .tokens
        .iter()
        .take(12)
        .map(|t| t.text.as_str())
        .collect::<Vec<_>>()
        .join(" ")
}
