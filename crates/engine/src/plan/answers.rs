//! Answers from a file, with what was said besides.

use countersign_domain::mistake::utf8;
use countersign_domain::plan::Answers;
use serde_json::{Map, Value};

use super::files::MAX_BYTES;
use crate::Engine;
use crate::error::{Error, Kind, Result};

/// Answers, and what they are called in messages.
#[derive(Debug, Clone)]
pub struct AnswersFile {
    pub answers: Answers,
    pub name: String,
}

/// The JSON Schema of a file of answers.
pub fn schema() -> Value {
    Answers::schema()
}

const HINT: &str = "`countersign plan schema` says what there is to answer";

impl Engine {
    /// The answers of a file in TOML or JSON, with `said` over them.
    pub fn answers(&self, file: Option<&str>, said: Map<String, Value>) -> Result<AnswersFile> {
        let Some(file) = file else {
            let name = "the options".to_owned();
            return typed(Value::Object(said), name);
        };
        let path = self.host.cwd.join(file);
        let bytes = crate::context::read_file(&path, MAX_BYTES, "file of answers")?;
        let text =
            utf8(file, &bytes).map_err(|mistake| Error::new(Kind::Usage, mistake.to_string()))?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let wrong = |error: String| Error::new(Kind::Usage, format!("{file}: {error}")).hint(HINT);
        let is_json = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
        if said.is_empty() {
            // Read at once, an error knows its line.
            let answers = if is_json {
                serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?
            } else {
                toml::from_str(text).map_err(|error| wrong(error.to_string()))?
            };
            return Ok(AnswersFile { answers, name: file.to_owned() });
        }
        let mut value: Value = if is_json {
            serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?
        } else {
            toml::from_str(text).map_err(|error| wrong(error.to_string()))?
        };
        merge(&mut value, Value::Object(said));
        typed(value, format!("{file} and the options"))
    }
}

/// Lays one value over another: maps are merged, everything else is replaced.
fn merge(under: &mut Value, over: Value) {
    match (under, over) {
        (Value::Object(under), Value::Object(over)) => {
            for (key, value) in over {
                merge(under.entry(key).or_insert(Value::Null), value);
            }
        }
        (under, over) => *under = over,
    }
}

fn typed(value: Value, name: String) -> Result<AnswersFile> {
    let answers = serde_json::from_value(value)
        .map_err(|error| Error::new(Kind::Usage, format!("{name}: {error}")).hint(HINT))?;
    Ok(AnswersFile { answers, name })
}
