//! Classifies a task statement by what it means: text in, four judgements with reasons out.
//!
//! Text is folded and cut into clauses (`fold`, `token`, `prefix`), the words of each clause get their roles (`read`)
//! from the lexicon, roles become features (`features`), a linear model weighs them (`model`) and rules set floors
//! (`rules`). A clause that is dangerous by itself is judged apart from the rest and the strictest part decides
//! (`jury`): that is what makes it impossible to lower a result by adding a dangerous clause.

mod clause;
mod cut;
mod explain;
mod features;
mod fold;
mod jury;
mod kinds;
mod knowledge;
mod lexicon;
mod model;
mod mood;
mod paths;
mod prefix;
mod read;
mod rules;
mod table;
pub(crate) mod token;
mod types;

pub use features::{Features, Source, is_gram};
pub use knowledge::{Extension, ExtensionError, Knowledge};
pub use model::{FIELDS, LABELS, Model, Row, gram_scale, label_names, scale};
pub use types::{
    Classification, ContractType, Effective, Judged, Label, Origin, Overrides, Reason,
    Reversibility, Risk, Tier,
};

use features::Part;
use jury::Jury;

/// Below these the contract or the tier counts as not known.
const SURE_CONTRACT: f64 = 0.5;
const SURE_TIER: f64 = 0.4;

/// The features of a text as the model sees them.
pub fn features_of(knowledge: &Knowledge, text: &str) -> Features {
    let parts: Vec<Part> = features::parts(knowledge, text).take(features::READ).collect();
    features::collect(&parts.iter().collect::<Vec<_>>())
}

/// Classifies a task statement.
pub fn classify(knowledge: &Knowledge, text: &str) -> Classification {
    let mut jury = Jury::new(knowledge);
    let mut rest: Vec<Part> = Vec::new();
    for part in features::parts(knowledge, text) {
        if !jury.takes_apart(&part) && rest.len() < features::READ {
            rest.push(part);
        }
    }
    jury.hear_rest(&rest);
    let mut said = Classification {
        contract: jury.judge(0, |rule| rule.contract),
        tier: jury.judge(1, |rule| rule.tier),
        risk: jury.judge(2, |rule| rule.risk),
        reversibility: jury.judge(3, |rule| rule.reversibility),
        unsure: false,
        provisional: false,
    };
    let lowered = said.contract.value < ContractType::Verifiable
        || said.tier.value < Tier::Standard
        || said.risk.value < Risk::Medium;
    // A clause that is well understood doesn't vouch for the others.
    said.unsure = (jury.doubts && lowered)
        || jury.knows_nothing()
        || said.contract.confidence < SURE_CONTRACT
        || said.tier.confidence < SURE_TIER;
    said.provisional = said.contract.value != ContractType::Verifiable;
    said
}
