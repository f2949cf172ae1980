//! Classifying a task by its words, with what the project adds to the shipped knowledge.

use std::borrow::Cow;

use countersign_domain::classify::{
    Classification, Extension, Knowledge, Overrides, classify as by_words,
};

use crate::config::{self, ClassifyConfig};
use crate::error::{Error, Kind, Result};
use crate::{Engine, Host};

/// Everything that is known here.
#[derive(Debug)]
pub struct Classifier(Cow<'static, Knowledge>);

impl Classifier {
    /// The shipped knowledge with what the settings add to it. Needs no repository.
    pub fn open(host: &Host) -> Result<Self> {
        let settings = config::resolve(host, Engine::root(host).as_deref())?;
        Self::with(&settings.config.classify)
    }

    /// As [`Classifier::open`], with settings that are known already.
    pub(crate) fn with(config: &ClassifyConfig) -> Result<Self> {
        let knowledge = extend(config);
        knowledge.map(Self).map_err(|why| Error::new(Kind::Usage, format!("classify: {why}")))
    }

    /// What `text` asks for; what the user said wins.
    pub fn classify(&self, text: &str, said: &Overrides) -> Classification {
        by_words(&self.0, text).with_overrides(said)
    }
}

/// The knowledge with a project's additions, or why they don't fit.
pub(crate) fn extend(
    config: &ClassifyConfig,
) -> std::result::Result<Cow<'static, Knowledge>, String> {
    let extension = Extension { terms: config.terms.clone(), rules: config.rules.clone() };
    if extension == Extension::default() {
        return Ok(Cow::Borrowed(Knowledge::shipped()));
    }
    let extended = Knowledge::shipped().with_extension(&extension);
    extended.map(Cow::Owned).map_err(|error| error.to_string())
}
