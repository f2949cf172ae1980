//! `countersign classify`: what a task in plain words asks for.

use std::io::{BufRead, Write};

use countersign_domain::classify::{
    Classification, ContractType, Judged, Label, Origin, Overrides, Risk, Tier,
};
use countersign_engine::classify::Classifier;
use countersign_engine::run::MAX_GOAL_BYTES;
use countersign_engine::{Error, Kind};
use serde::de::Visitor;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use super::Context;
use crate::fast;
use crate::ui::{self, Reply};

/// Say what a task asks for: contract, tier, risk and reversibility, with the reasons.
///
/// Judged by the meaning of words, without network or model. Words alone never lower a check:
/// what looks like advice or text only stays provisional until a real change has confirmed it.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The task; - reads it from standard input.
    #[arg(required_unless_present = "jsonl")]
    text: Option<String>,

    /// Show every reason, and the line of the data that decided.
    #[arg(long)]
    explain: bool,

    /// Read {"id", "text"} lines from standard input and answer each with one line.
    #[arg(long, conflicts_with_all = ["text", "explain"])]
    jsonl: bool,

    /// What you know better: STRICT, STANDARD, LIGHT or EXEMPT.
    #[arg(long, value_parser = label::<Tier>)]
    tier: Option<Tier>,

    /// What you know better: verifiable, advisory or skip.
    #[arg(long, value_parser = label::<ContractType>)]
    contract: Option<ContractType>,

    /// What you know better: LOW, MEDIUM, HIGH or CRITICAL.
    #[arg(long, value_parser = label::<Risk>)]
    risk: Option<Risk>,
}

pub(super) fn label<T: Label>(text: &str) -> Result<T, String> {
    T::parse(text).ok_or_else(|| {
        let names: Vec<&str> = T::ALL.iter().map(|label| label.name()).collect();
        format!("there are {}", names.join(", "))
    })
}

pub fn run(cx: &Context, args: Args) -> Result<Reply, Error> {
    let classifier = Classifier::open(&cx.host)?;
    let said = Overrides { tier: args.tier, contract: args.contract, risk: args.risk };
    let text = match args.text {
        None => return lines(&classifier, said),
        Some(text) if text == "-" => read_text()?,
        Some(text) => text,
    };
    let found = classifier.classify(&text, &said);
    let human = describe(&found, args.explain);
    let mut data = values(&found);
    data["details"] = json!({
        "contract": found.contract,
        "tier": found.tier,
        "risk": found.risk,
        "reversibility": found.reversibility,
    });
    Reply::new(data, human)
}

/// A task from standard input. What is cut off could be what matters, so too much is refused.
pub(super) fn read_text() -> Result<String, Error> {
    let bytes = fast::read_input(MAX_GOAL_BYTES)?;
    if bytes.len() > MAX_GOAL_BYTES {
        let message = format!("a task has at most {MAX_GOAL_BYTES} bytes");
        return Err(Error::new(Kind::Usage, message).hint("cut out what doesn't say what to do"));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The four values as they were judged, and what to act on.
fn values(found: &Classification) -> Value {
    json!({
        "contract": found.contract.value,
        "tier": found.tier.value,
        "risk": found.risk.value,
        "reversibility": found.reversibility.value,
        "confidence": found.confidence(),
        "unsure": found.unsure,
        "provisional": found.provisional,
        "effective": found.effective(),
    })
}

fn describe(found: &Classification, explain: bool) -> String {
    let rows =
        [row(&found.contract), row(&found.tier), row(&found.risk), row(&found.reversibility)];
    let mut text = ui::table(&rows);
    if found.unsure {
        text += "\nNot sure: treated as verifiable, and at least STANDARD.\n";
    }
    if found.provisional {
        text += "\nProvisional: a change of code will be verified whatever the words said.\n";
    }
    text += &because(&found.contract, explain);
    text += &because(&found.tier, explain);
    text += &because(&found.risk, explain);
    text += &because(&found.reversibility, explain);
    text
}

fn row<T: Label>(judged: &Judged<T>) -> Vec<String> {
    let sure = match judged.origin {
        Origin::User => "as you said".to_owned(),
        Origin::Inferred => format!("{:.0} % sure", judged.confidence * 100.0),
    };
    vec![T::FIELD.to_owned(), judged.value.name().to_owned(), sure]
}

/// The strongest reasons, or all of them with the lines that decided.
fn because<T: Label>(judged: &Judged<T>, explain: bool) -> String {
    let mut text = ui::paint(ui::BOLD, format!("\n{} {}", T::FIELD, judged.value.name()));
    if judged.reasons.is_empty() {
        text += "\n  - nothing in the words speaks for anything else";
    }
    let most = if explain { usize::MAX } else { 2 };
    for reason in judged.reasons.iter().take(most) {
        text += &format!("\n  - {}", ui::printable(&reason.text));
        if explain && reason.line > 0 {
            let place = format!(" ({}:{}, weight {:.2})", reason.file, reason.line, reason.weight);
            text += &ui::paint(ui::DIM, place);
        }
    }
    text + "\n"
}

/// One line of input.
#[derive(Deserialize)]
struct Asked {
    id: Value,
    #[serde(deserialize_with = "any_text")]
    text: String,
}

/// The name of a line whose rest is wrong, so that its answer can be told apart.
#[derive(Deserialize)]
struct Named {
    id: Value,
}

/// A JSON string with whatever is in it: half a surrogate pair or a wrong byte becomes �.
fn any_text<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    struct Lossy;
    impl Visitor<'_> for Lossy {
        type Value = String;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a string")
        }
        fn visit_str<E>(self, text: &str) -> Result<String, E> {
            Ok(text.to_owned())
        }
        fn visit_bytes<E>(self, bytes: &[u8]) -> Result<String, E> {
            Ok(String::from_utf8_lossy(bytes).into_owned())
        }
    }
    from.deserialize_bytes(Lossy)
}

fn lines(classifier: &Classifier, said: Overrides) -> Result<Reply, Error> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut wrong = Vec::new();
    for (number, line) in (1_u64..).zip(std::io::stdin().lock().split(b'\n')) {
        let line = line.map_err(|error| {
            Error::new(Kind::Usage, format!("can't read standard input: {error}"))
        })?;
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&line);
        let reply = match serde_json::from_slice::<Asked>(line) {
            Ok(asked) => answer(&asked.id, &classifier.classify(&asked.text, &said)),
            Err(error) => {
                wrong.push(number);
                let id =
                    serde_json::from_slice::<Named>(line).map_or(Value::Null, |named| named.id);
                json!({ "id": id, "error": format!("line {number}: {error}") })
            }
        };
        // A reader that went away wants no more answers.
        if writeln!(out, "{reply}").is_err() {
            break;
        }
    }
    let _ = out.flush();
    let problem = wrong.first().map(|first| {
        let count = wrong.len();
        let message =
            format!("lines that are no {{\"id\", \"text\"}}: {count}, the first is {first}");
        Error::new(Kind::Usage, message)
    });
    Ok(Reply::streamed(problem))
}

/// One line of output.
fn answer(id: &Value, found: &Classification) -> Value {
    let mut reasons: Vec<&str> = Vec::new();
    let all = [
        &found.contract.reasons,
        &found.tier.reasons,
        &found.risk.reasons,
        &found.reversibility.reasons,
    ];
    for reason in all.into_iter().flatten() {
        if !reasons.contains(&reason.text.as_str()) {
            reasons.push(&reason.text);
        }
    }
    let mut reply = values(found);
    reply["id"] = id.clone();
    reply["reasons"] = json!(reasons);
    reply
}
