//! Features from the roles of words: which meaning stands where, the shape of the clause, its bare words.

use super::super::clause::Clause;
use super::super::lexicon::Lexicon;
use super::super::paths;
use super::super::read::{Found, Reading, Zone};
use super::super::token::{Form, Kind};
use super::{Features, Source, WORDS};

const GROUPS: &[(&str, &[&str])] = &[
    ("@critical", &["auth", "secret", "crypto", "vuln", "pii", "money", "safety"]),
    ("@store", &["data", "schema", "loss"]),
    (
        "@outside",
        &["deploy", "prod", "infra", "firmware", "contract", "masssend", "onchain", "wide"],
    ),
    ("@words", &["docs", "typo", "wording", "i18n"]),
    ("@calm", &["look", "format", "tests", "log"]),
    ("@plain", &["api", "ui", "code", "perf", "build", "deps", "ci", "feature"]),
];

/// Whether a group of classes has this name.
pub(crate) fn is_group(name: &str) -> bool {
    GROUPS.iter().any(|(group, _)| *group == name)
}

fn group_of(class: &str) -> Option<&'static str> {
    GROUPS.iter().find(|(_, members)| members.contains(&class)).map(|(name, _)| *name)
}

/// The features of one clause.
pub(super) fn write(lexicon: &Lexicon, clause: &Clause, reading: &Reading) -> Features {
    Writer { lexicon, clause, reading, out: Features::new() }.write()
}

struct Writer<'a> {
    lexicon: &'a Lexicon,
    clause: &'a Clause,
    reading: &'a Reading,
    out: Features,
}

impl Writer<'_> {
    fn write(mut self) -> Features {
        for found in &self.reading.found {
            self.term(found);
        }
        self.pairs();
        self.shape();
        self.words();
        self.out
    }

    fn set(&mut self, name: String, source: Source) {
        self.out.entry(name).or_insert(source);
    }

    fn class(&self, found: &Found) -> &str {
        &self.lexicon.classes[usize::from(found.hit.class)].name
    }

    fn source(&self, found: &Found) -> Source {
        let (row, at, len) = match found.zone {
            Zone::Tag if found.hit.at == usize::MAX => (&self.clause.tags, 0, usize::MAX),
            _ => (&self.clause.tokens, found.hit.at, found.hit.len),
        };
        let words: Vec<&str> = row.iter().skip(at).take(len).map(|t| t.text.as_str()).collect();
        Source { words: words.join(" "), line: found.hit.line, own: found.hit.own }
    }

    fn term(&mut self, found: &Found) {
        let class = self.class(found).to_owned();
        let source = self.source(found);
        let act = class.starts_with("act.");
        let zone = match found.zone {
            Zone::Act => "act",
            Zone::Object => "obj",
            Zone::Topic => "topic",
            Zone::Around => "around",
            Zone::Name => "name",
            Zone::Negated => "neg",
            Zone::Tag => "tag",
        };
        let short = class.trim_start_matches("act.");
        if self.reading.interrogative && found.zone == Zone::Around {
            // What a question is about says little about the work: its answer is read.
            self.set(format!("asked:{short}"), source);
            return;
        }
        if act && found.zone != Zone::Act {
            let role =
                if found.zone == Zone::Tag || found.zone == Zone::Negated { zone } else { "noun" };
            self.set(format!("{role}:act.{short}"), source);
            return;
        }
        self.set(format!("{zone}:{short}"), source.clone());
        if act || found.zone == Zone::Negated {
            return;
        }
        if found.zone != Zone::Name {
            self.set(format!("any:{short}"), source.clone());
        }
        if let Some(group) = group_of(&class) {
            self.set(format!("{zone}:{group}"), source.clone());
            if found.zone != Zone::Name {
                self.set(format!("any:{group}"), source);
            }
        }
    }

    fn pairs(&mut self) {
        let reading = self.reading;
        let acts: Vec<&Found> =
            reading.found.iter().filter(|f| f.zone == Zone::Act).take(8).collect();
        let core = if acts.is_empty() { Zone::Topic } else { Zone::Object };
        if let Some(first) = acts.iter().find(|f| reading.verb_form.is_some() && f.hit.at <= 8) {
            let name = format!("first:{}", self.class(first).trim_start_matches("act."));
            let source = self.source(first);
            self.set(name, source);
        }
        let things = reading.found.iter().filter(|f| {
            !self.class(f).starts_with("act.") && matches!(f.zone, Zone::Object | Zone::Around)
        });
        let mut pairs = Vec::new();
        for thing in things.take(40) {
            for act in &acts {
                let (verb, thing_class) =
                    (self.class(act).trim_start_matches("act."), self.class(thing));
                let (act_source, thing_source) = (self.source(act), self.source(thing));
                let words = format!("{} … {}", act_source.words, thing_source.words);
                let source = Source { words, ..thing_source };
                let sign = if thing.zone == Zone::Object { '>' } else { '~' };
                pairs.push((format!("{verb}{sign}{thing_class}"), source.clone()));
                if let Some(group) = group_of(thing_class) {
                    pairs.push((format!("{verb}{sign}{group}"), source));
                }
            }
        }
        for (name, source) in pairs {
            self.set(name, source);
        }
        let head = reading
            .found
            .iter()
            .filter(|f| f.zone == core && !self.class(f).starts_with("act."))
            .max_by_key(|f| f.hit.at);
        if let Some(head) = head {
            let (name, source) = (self.class(head).to_owned(), self.source(head));
            if let Some(group) = group_of(&name) {
                self.set(format!("head:{group}"), source.clone());
            }
            self.set(format!("head:{name}"), source);
        }
    }

    fn shape(&mut self) {
        let reading = self.reading;
        let symptom = reading.found.iter().find(|f| self.class(f) == "symptom");
        if let Some(symptom) = symptom {
            let source = self.source(symptom);
            let groups: Vec<&str> = GROUPS
                .iter()
                .map(|(g, _)| *g)
                .filter(|g| self.out.contains_key(&format!("any:{g}")))
                .collect();
            for group in groups {
                self.set(format!("symptom&{group}"), source.clone());
            }
        }
        let critical =
            GROUPS[0].1.iter().filter(|c| self.out.contains_key(&format!("any:{c}"))).count();
        let facts = [
            ("asks", reading.asks),
            ("mark", reading.mark),
            ("interrogative", reading.interrogative),
            ("hedged", reading.hedged),
            ("negated", reading.negated),
            ("verb", reading.verb_form.is_some()),
            ("noverb", reading.verb_form.is_none()),
            ("verb.ed", reading.verb_form == Some(Form::Ed)),
            ("verb.ing", reading.verb_form == Some(Form::Ing)),
            ("breaking", self.clause.breaking),
            ("critical.twice", critical >= 2),
        ];
        for (name, _) in facts.iter().filter(|(_, holds)| *holds) {
            self.set((*name).to_owned(), Source::default());
        }
        for (_, path) in &self.clause.paths {
            let source = Source { words: path.clone(), ..Source::default() };
            self.set(format!("path:{}", paths::kind(path)), source);
        }
    }

    fn words(&mut self) {
        let clause = self.clause;
        for token in clause
            .tokens
            .iter()
            .filter(|t| t.kind == Kind::Word && t.text.chars().any(char::is_alphabetic))
            .take(WORDS)
        {
            self.set(
                format!("w:{}", token.stem),
                Source { words: token.text.clone(), ..Source::default() },
            );
        }
        for token in clause.tags.iter().take(8) {
            self.set(
                format!("t:{}", token.stem),
                Source { words: token.text.clone(), ..Source::default() },
            );
        }
    }
}
