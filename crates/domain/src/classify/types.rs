//! What a classification says: four judgements, each with its confidence, origin and reasons.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What "done" means for a task. The order is the order of strictness.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum ContractType {
    /// Text for people or a change without behaviour.
    Skip,
    /// Someone reads an answer, a plan or a finding.
    Advisory,
    /// An automated check can confirm the change.
    Verifiable,
}

/// How much ceremony a task deserves. The order is the order of strictness.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "UPPERCASE")]
pub enum Tier {
    /// No file content changes.
    Exempt,
    /// A few lines without behaviour risk.
    Light,
    /// Any other change of behaviour.
    Standard,
    /// Security, money, stored data, public contracts, production.
    Strict,
}

/// Harm if the work is done wrongly.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "UPPERCASE")]
pub enum Risk {
    /// Read-only, words, looks, tests.
    Low,
    /// An ordinary feature or fix.
    Medium,
    /// Production, stored data, what others rely on.
    High,
    /// Who gets in, secrets, personal data, money, safety.
    Critical,
}

/// What taking the change back restores. The order is the order of danger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reversibility {
    /// A revert restores everything.
    Full,
    /// Effects stay but can be repaired.
    Partial,
    /// Information is destroyed or the act cannot be recalled.
    None,
}

/// A closed set of labels that a model can choose from, least strict first.
pub trait Label: Copy + Ord + 'static {
    /// The name of the field in data files and output.
    const FIELD: &'static str;
    /// Every label, least strict first.
    const ALL: &'static [Self];
    /// The label as written in data files and output.
    fn name(self) -> &'static str;
    /// The label with this name.
    fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|label| label.name().eq_ignore_ascii_case(name))
    }
}

macro_rules! labels {
    ($type:ty, $field:literal, $($variant:ident = $name:literal),+) => {
        impl Label for $type {
            const FIELD: &'static str = $field;
            const ALL: &'static [Self] = &[$(Self::$variant),+];
            fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }
        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

labels!(ContractType, "contract", Skip = "skip", Advisory = "advisory", Verifiable = "verifiable");
labels!(Tier, "tier", Exempt = "EXEMPT", Light = "LIGHT", Standard = "STANDARD", Strict = "STRICT");
labels!(Risk, "risk", Low = "LOW", Medium = "MEDIUM", High = "HIGH", Critical = "CRITICAL");
labels!(Reversibility, "reversibility", Full = "full", Partial = "partial", None = "none");

/// Who decided a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// Concluded from the words.
    Inferred,
    /// Said by the user; never overruled.
    User,
}

/// One ground for a value, in words a user understands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reason {
    /// The ground in words.
    pub text: String,
    /// The words of the task that it rests on, folded to plain letters.
    pub words: String,
    /// The data file that holds the deciding line; empty if none did.
    pub file: String,
    /// The line in that file, from 1; 0 if none.
    pub line: usize,
    /// How much it spoke for the value; rules that decide alone have 1.
    pub weight: f64,
}

/// A value with how sure we are, who decided and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judged<T> {
    /// The value.
    pub value: T,
    /// 0 to 1.
    pub confidence: f64,
    /// Who decided.
    pub origin: Origin,
    /// Strongest first.
    pub reasons: Vec<Reason>,
}

/// What the user said; it wins and is recorded as the user's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Overrides {
    /// `--tier`
    pub tier: Option<Tier>,
    /// `--contract`
    pub contract: Option<ContractType>,
    /// `--risk`
    pub risk: Option<Risk>,
}

/// What callers act on: unknown stays unknown, so an unsure judgement is not allowed to lower a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effective {
    /// Verifiable when unsure.
    pub contract: ContractType,
    /// At least STANDARD when unsure.
    pub tier: Tier,
    /// At least MEDIUM when unsure.
    pub risk: Risk,
    /// As judged.
    pub reversibility: Reversibility,
}

/// Below this, that harm is likely is a guess.
const SURE_HARM: f64 = 0.5;

/// The four things that everything else depends on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Classification {
    /// What "done" means.
    pub contract: Judged<ContractType>,
    /// How much ceremony.
    pub tier: Judged<Tier>,
    /// Harm if done wrongly.
    pub risk: Judged<Risk>,
    /// What a revert restores.
    pub reversibility: Judged<Reversibility>,
    /// Contract or tier could not be told with confidence.
    pub unsure: bool,
    /// Skip or advisory by words only: a real diff has to confirm it.
    pub provisional: bool,
}

impl Classification {
    /// The values to act on.
    pub fn effective(&self) -> Effective {
        let mut effective = Effective {
            contract: self.contract.value,
            tier: self.tier.value,
            risk: self.risk.value,
            reversibility: self.reversibility.value,
        };
        if self.unsure {
            if self.contract.origin == Origin::Inferred {
                effective.contract = ContractType::Verifiable;
            }
            if self.tier.origin == Origin::Inferred {
                effective.tier = effective.tier.max(Tier::Standard);
            }
            if self.risk.origin == Origin::Inferred {
                effective.risk = effective.risk.max(Risk::Medium);
            }
        }
        effective
    }

    /// Whether it is known that harm is likely. A guess at STRICT or CRITICAL is none; and of a risk that
    /// the user stated, no guess at the tier says more.
    pub fn is_surely_grave(&self) -> bool {
        let is_risk_said = self.risk.origin == Origin::User;
        let is_strict = self.tier.value == Tier::Strict
            && self.tier.confidence >= SURE_HARM
            && (self.tier.origin == Origin::User || !is_risk_said);
        is_strict || self.risk.value == Risk::Critical && self.risk.confidence >= SURE_HARM
    }

    /// The least sure of the four.
    pub fn confidence(&self) -> f64 {
        self.contract
            .confidence
            .min(self.tier.confidence)
            .min(self.risk.confidence)
            .min(self.reversibility.confidence)
    }

    /// The same with what the user said.
    #[must_use]
    pub fn with_overrides(mut self, overrides: &Overrides) -> Self {
        said(&mut self.tier, overrides.tier);
        said(&mut self.contract, overrides.contract);
        said(&mut self.risk, overrides.risk);
        let by_words = self.contract.origin == Origin::Inferred;
        self.provisional = by_words && self.contract.value != ContractType::Verifiable;
        if !by_words && self.tier.origin == Origin::User {
            self.unsure = false;
        }
        self
    }
}

fn said<T: Label>(judged: &mut Judged<T>, value: Option<T>) {
    if let Some(value) = value {
        let reason = Reason {
            text: format!("the user said {} {}", T::FIELD, value.name()),
            words: String::new(),
            file: String::new(),
            line: 0,
            weight: 1.0,
        };
        *judged = Judged { value, confidence: 1.0, origin: Origin::User, reasons: vec![reason] };
    }
}
