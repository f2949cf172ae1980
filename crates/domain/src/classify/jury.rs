//! Hears what the model and the rules say of each part of a text; the strictest decides.
//!
//! An order that is dangerous by itself is taken apart from the rest: what stands beside it can't water it down, and it
//! can't change how the rest is read. So a text is at least as strict as each such order, and as the text without it.

use super::cut;
use super::explain;
use super::features::{self, Features, Part};
use super::knowledge::Knowledge;
use super::model::{FIELDS, Model, Prediction, Weights};
use super::rules::{self, Rule};
use super::types::{Judged, Label, Origin, Reason};
use super::{SURE_CONTRACT, SURE_TIER};

/// From here on what an order of the title asks for counts by itself, dangerous or not.
const SURE_ORDER: f64 = 0.8;
/// How sure a rule is.
const RULE: f64 = 0.9;
/// From these labels on a field is dangerous: STRICT; HIGH and CRITICAL; partial and none.
const DANGER: [(usize, usize); 3] = [(1, 3), (2, 2), (3, 1)];

/// The strictest that was said of a part of the text in one field.
struct Opinion {
    label: usize,
    confidence: f64,
    features: Features,
    weights: Weights,
}

/// Everything that speaks about one text.
pub(super) struct Jury<'a> {
    knowledge: &'a Knowledge,
    best: [Option<Opinion>; 4],
    /// The rules that fired, with the words of the first clause that fired each.
    demands: Vec<(&'a Rule, String)>,
    /// The line that the text begins with, without what was taken apart.
    title: Option<usize>,
    known: bool,
    /// Something was heard whose contract or tier can't be told.
    pub(super) doubts: bool,
}

fn is_dangerous(said: &Prediction) -> bool {
    DANGER.iter().any(|(field, from)| said.chosen[*field] >= *from)
}

impl<'a> Jury<'a> {
    pub(super) fn new(knowledge: &'a Knowledge) -> Self {
        let best = [const { None }; 4];
        Self { knowledge, best, demands: Vec::new(), title: None, known: false, doubts: false }
    }

    /// Whether no word of the text is known.
    pub(super) fn knows_nothing(&self) -> bool {
        !self.known
    }

    /// Takes a clause apart from the rest if it is dangerous by itself.
    pub(super) fn takes_apart(&mut self, part: &Part) -> bool {
        self.known |= !part.reading.found.is_empty();
        let fired = rules::fired(&self.knowledge.rules, part);
        if fired.is_empty() && !part.reading.orders_work {
            self.title.get_or_insert(part.clause.line);
            return false;
        }
        let (features, whole) = self.predict(part);
        let pieces: Vec<Part> = cut::pieces(&part.clause)
            .into_iter()
            .map(|piece| features::part(&self.knowledge.lexicon, piece))
            .filter(|piece| !piece.reading.negated && !piece.reading.hedged)
            .collect();
        let first = pieces.first().is_some_and(|piece| self.is_dangerous(piece));
        if first || !fired.is_empty() || is_dangerous(&whole) {
            self.demand(fired, part);
            self.hear(&features, &whole);
            for piece in &pieces {
                self.demand(rules::fired(&self.knowledge.rules, piece), piece);
                self.hear_together(&[piece]);
            }
            return true;
        }
        let title = *self.title.get_or_insert(part.clause.line) == part.clause.line;
        if title && whole.probability[FIELDS[0].start + whole.chosen[0]] >= SURE_ORDER {
            self.hear(&features, &whole);
        }
        false
    }

    /// Takes what isn't dangerous clause by clause, or doesn't ask for it: once all together, and once without what
    /// sounds dangerous, so that a mention of danger doesn't make less of the others.
    pub(super) fn hear_rest(&mut self, rest: &[Part]) {
        if rest.is_empty() && self.best[0].is_some() {
            return;
        }
        self.doubts |= rest.iter().all(|part| part.reading.found.is_empty());
        let calm: Vec<&Part> = rest.iter().filter(|part| !self.is_dangerous(part)).collect();
        if !calm.is_empty() && calm.len() < rest.len() {
            self.hear_together(&calm);
        }
        self.hear_together(&rest.iter().collect::<Vec<_>>());
    }

    fn hear_together(&mut self, parts: &[&Part]) {
        let features = features::collect(parts);
        let said = self.knowledge.model.predict(&self.knowledge.kinds, &features);
        self.hear(&features, &said);
    }

    /// Whether a rule or the model finds a clause dangerous, whatever stands beside it.
    fn is_dangerous(&self, part: &Part) -> bool {
        !rules::fired(&self.knowledge.rules, part).is_empty() || is_dangerous(&self.predict(part).1)
    }

    fn predict(&self, part: &Part) -> (Features, Prediction) {
        let features = features::collect(&[part]);
        let said = self.knowledge.model.predict(&self.knowledge.kinds, &features);
        (features, said)
    }

    fn demand(&mut self, fired: Vec<&'a Rule>, part: &Part) {
        for rule in fired {
            if !self.demands.iter().any(|(known, _)| std::ptr::eq(*known, rule)) {
                let tokens = part.clause.tokens.iter().take(12);
                let words: Vec<&str> = tokens.map(|token| token.text.as_str()).collect();
                self.demands.push((rule, words.join(" ")));
            }
        }
    }

    /// Keeps what is stricter, or as strict and surer, than all before.
    fn hear(&mut self, features: &Features, said: &Prediction) {
        let sure = |field: usize| said.probability[FIELDS[field].start + said.chosen[field]];
        self.doubts |= sure(0) < SURE_CONTRACT || sure(1) < SURE_TIER;
        for (field, best) in self.best.iter_mut().enumerate() {
            let (label, confidence) = (said.chosen[field], sure(field));
            if best.as_ref().is_none_or(|b| (label, confidence) > (b.label, b.confidence)) {
                let weights = said.weights.clone();
                *best = Some(Opinion { label, confidence, features: features.clone(), weights });
            }
        }
    }

    /// The strictest of what the model says of each part and what the rules demand.
    pub(super) fn judge<T: Label>(
        &self,
        field: usize,
        floor: impl Fn(&Rule) -> Option<T>,
    ) -> Judged<T> {
        let mut best = Judged {
            value: T::ALL[0],
            confidence: 0.0,
            origin: Origin::Inferred,
            reasons: vec![explain::nothing_known()],
        };
        if let Some(opinion) = &self.best[field] {
            best.value = T::ALL.get(opinion.label).copied().unwrap_or(best.value);
            best.confidence = opinion.confidence;
            let reasons = self.reasons(opinion, field);
            if !reasons.is_empty() {
                best.reasons = reasons;
            }
        }
        for (rule, words) in &self.demands {
            let Some(value) = floor(rule).filter(|value| *value >= best.value) else {
                continue;
            };
            if value > best.value {
                best.reasons.clear();
            }
            best.reasons.insert(0, explain::rule(rule, words));
            best.reasons.truncate(explain::REASONS);
            best = Judged { value, confidence: best.confidence.max(RULE), ..best };
        }
        best.confidence = (best.confidence * 1000.0).round() / 1000.0;
        best
    }

    /// What spoke most for an opinion, each ground once.
    fn reasons(&self, opinion: &Opinion, field: usize) -> Vec<Reason> {
        let Opinion { features, weights, label, .. } = opinion;
        let all = Model::contributions(features, weights, (field, *label));
        let mut reasons: Vec<Reason> = Vec::new();
        for reason in all.iter().map(|c| explain::contribution(self.knowledge, c)) {
            let repeated = reasons.iter().any(|r| {
                r.text == reason.text || (!reason.words.is_empty() && r.words == reason.words)
            });
            if !repeated && reasons.len() < explain::REASONS {
                reasons.push(reason);
            }
        }
        reasons
    }
}
