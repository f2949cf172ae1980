//! Reads a clause: which word is the verb asked for, what is its object, what is only mentioned.
//!
//! Roles come from position, never from spelling: a verb counts as an action only at the head of a clause (after
//! "please", "we should", …) or after "to" and modals; elsewhere the same word is a noun.

use super::clause::Clause;
use super::lexicon::{Hit, Lexicon};
use super::mood;
use super::token::{Form, Kind, Token};

/// The role of a term in its clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Zone {
    /// In front of the clause: `[docs]`, `fix(auth):`
    Tag,
    /// An action that is asked for.
    Act,
    /// Direct object of the action.
    Object,
    /// The noun phrase of a clause that asks for no action.
    Topic,
    /// After a preposition: where, for what, with what.
    Around,
    /// In an identifier or path.
    Name,
    /// Under "don't", "without".
    Negated,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Found {
    pub hit: Hit,
    pub zone: Zone,
}

/// A clause with the roles of its words.
#[allow(clippy::struct_excessive_bools)] // independent facts about one clause
#[derive(Debug, Clone, Default)]
pub(crate) struct Reading {
    pub found: Vec<Found>,
    /// Starts like a question or ends with a question mark.
    pub asks: bool,
    pub mark: bool,
    /// Built like a question: "is it …", "why does …". What such a clause names is asked about, not asked for.
    pub interrogative: bool,
    /// The first word is an action, in this form.
    pub verb_form: Option<Form>,
    /// Begins with an order that is more than an answer: "disable …", "please remove …".
    pub orders_work: bool,
    /// The whole clause is forbidden, not asked for.
    pub negated: bool,
    /// The token from which on all is forbidden.
    pub forbidden: Option<usize>,
    /// Undecided: "consider", "maybe", "should we".
    pub hedged: bool,
}

impl Reading {
    /// Whether the clause asks for something to be done: no question, nothing undecided or forbidden.
    pub(crate) fn allows(&self) -> bool {
        !self.asks && !self.hedged && !self.negated
    }
}

const FILLERS: &str = " please pls kindly we i you they need needs needed to should must shall want wants would like let's lets let us can could also then and \
    just now quickly todo task the a an following so first second third next finally afterwards additionally furthermore ok okay hi hey hello team \
    only instead rather but we'd i'd we'll i'll have has got gotta going it's time is be able properly automatically simply either again actually really maybe \
    bitte veuillez merci por favor favor per favore bitte пожалуйста нужно надо необходимо müssen muss hay que ";
const LEADS: &str = " to should must shall will can could would please and or then let's lets & ";
const PREPOSITIONS: &str = " in on for from to of with without by at when if that so because since via using after before into during as while \
    where which who whose under over between across through within per against about around until unless than whether instead due like \
    is are was were has have had does do did be been being should must can could would will may might gets get seems \
    im in der beim für fur mit von aus auf bei dans pour avec sur de des du en para con sobre del por no na em com da do per nel della dalla \
    в на для с из от по при для к у в о ";
const UI_NOUNS: &str = " button page form table tab dialog modal menu icon popup view screen panel list link field column card box bar dropdown widget \
    banner toast endpoint api route handler flow email mail message notification link token event log entry upload download limit count number status \
    feature command option flag function method class module component service job queue section title label header footer template viewer editor \
    history reason order group system pattern doc file path date time id name type mode state action hook request response test ";
const NOUNISH: &str = " delete drop reset document design plan review audit research comment report test release deploy save edit update upload download \
    search sort filter log merge commit branch push pull request question answer build export import copy share print view list note plan sketch \
    draft outline scope estimate survey study start stop run call import return group record display support import patch port cover cache process \
    transfer purge rollback default sync load set store train pass deposit bill charge schedule ";

pub(super) fn among(list: &str, word: &str) -> bool {
    !word.is_empty() && word.len() < 24 && list.contains(&format!(" {word} "))
}

/// Whether an action ends in an answer or a plan.
pub(super) fn is_thought(lexicon: &Lexicon, hit: &Hit) -> bool {
    matches!(lexicon.classes[usize::from(hit.class)].name.as_str(), "act.inquire" | "act.plan")
}

pub(super) fn is_act(lexicon: &Lexicon, hit: &Hit) -> bool {
    lexicon.classes[usize::from(hit.class)].name.starts_with("act.")
}

/// Whether a word of action stands for the action here, and is not part of a compound noun.
pub(super) fn acts(lexicon: &Lexicon, tokens: &[Token], hit: Hit) -> bool {
    let Some(token) = tokens.get(hit.at) else {
        return false;
    };
    if token.kind != Kind::Word {
        return false;
    }
    if hit.len > 1 || !hit.english || token.form == Form::Ed {
        return true;
    }
    let Some(next) = tokens.get(hit.at + 1).filter(|next| !next.breaks) else {
        return hit.at > 0 || tokens.len() == 1 || !among(NOUNISH, &token.text);
    };
    let compound = among(NOUNISH, &token.text) && among(UI_NOUNS, &next.stem_or_text());
    let described = matches!(
        next.text.as_str(),
        "is" | "are" | "was" | "does" | "doesn't" | "isn't" | "not" | "fails" | "crashes" | "has"
    );
    let second = among(NOUNISH, &token.text) && is_verb_like(lexicon, tokens, hit.at + 1);
    !compound && !described && !second
}

/// "review crashes …", "test flakes": what follows is the verb, so this is its subject.
fn is_verb_like(lexicon: &Lexicon, tokens: &[Token], at: usize) -> bool {
    let symptom = lexicon.find_class("symptom");
    tokens.get(at).is_some_and(|t| t.form == Form::S)
        && lexicon.find(&tokens[at..=at]).iter().any(|h| Some(h.class) == symptom)
}

impl Token {
    fn stem_or_text(&self) -> String {
        match self.form {
            Form::S => self.text.strip_suffix('s').unwrap_or(&self.text).to_owned(),
            _ => self.text.clone(),
        }
    }
}

/// The first token that carries meaning.
fn opening(tokens: &[Token]) -> usize {
    let word = |at: usize| tokens.get(at).map_or("", |t| t.text.as_str());
    let provided = word(0) == "if" && among(" so not yes needed necessary possible ", word(1));
    let from = if provided { 2 } else { 0 };
    from + tokens.iter().skip(from).take(8).take_while(|t| among(FILLERS, &t.text)).count()
}

/// Gives every term of a clause its role.
pub(crate) fn read(lexicon: &Lexicon, clause: &Clause) -> Reading {
    let tokens = &clause.tokens;
    let hits = lexicon.find(tokens);
    let mut head = opening(tokens);
    let ask = lexicon.find_class("ask");
    let hedge = lexicon.find_class("hedge");
    let verb_at = |at: usize| {
        hits.iter().find(|h| h.at == at && is_act(lexicon, h) && acts(lexicon, tokens, **h))
    };
    // "CI migrate …", "DOC remove …": an area in front of the verb is a tag.
    let tagged = verb_at(head).is_none()
        && head == 0
        && tokens.first().is_some_and(|t| t.text.len() <= 5)
        && verb_at(1).is_some_and(|h| {
            h.english && tokens[1].form == Form::Base && !among(NOUNISH, &tokens[1].text)
        });
    if tagged {
        head = 1;
    }
    let verb = verb_at(head).copied();
    let thinks = verb.is_some_and(|h| is_thought(lexicon, &h));
    let mut reading = Reading {
        verb_form: verb.map(|h| tokens[h.at].form),
        mark: clause.question
            && (verb.is_none() || thinks || !mood::polite(tokens, verb.map_or(0, |h| h.at))),
        ..Reading::default()
    };
    reading.interrogative = mood::interrogative(tokens, reading.mark);
    let forbidden = mood::forbidden_from(tokens, opening(tokens));
    reading.forbidden = forbidden;
    reading.negated = forbidden.is_some_and(|at| at <= head);
    // Some languages ask at the end, but none that is written in plain Latin letters.
    let late = |at: usize| tokens[at].breaks || !tokens[at].text.is_ascii();
    let asking = |h: &&Hit| h.at <= head || (!h.english && late(h.at));
    let first_ask = hits.iter().filter(|h| Some(h.class) == ask).find(asking);
    reading.asks = reading.mark || reading.interrogative || first_ask.is_some();
    reading.hedged = hits.iter().any(|h| Some(h.class) == hedge && h.at <= head + 1);
    reading.orders_work =
        reading.allows() && !thinks && matches!(reading.verb_form, Some(Form::Base | Form::S));
    let border = verb.map_or(head, |v| v.at + v.len);
    let around = (border..tokens.len())
        .find(|&i| i > border.min(head) && among(PREPOSITIONS, &tokens[i].text))
        .unwrap_or(tokens.len());
    let frame = Frame { lexicon, tokens, verb, forbidden, tagged, around };
    for hit in &hits {
        let zone = frame.zone(hit, reading.interrogative);
        reading.found.push(Found { hit: *hit, zone });
    }
    for hit in lexicon.find(&clause.tags) {
        reading.found.push(Found { hit: Hit { at: usize::MAX, ..hit }, zone: Zone::Tag });
    }
    reading
}

/// The places in a clause that give its terms their roles.
struct Frame<'a> {
    lexicon: &'a Lexicon,
    tokens: &'a [Token],
    verb: Option<Hit>,
    forbidden: Option<usize>,
    tagged: bool,
    /// Where the first preposition stands.
    around: usize,
}

impl Frame<'_> {
    fn zone(&self, hit: &Hit, interrogative: bool) -> Zone {
        let verb = self.verb.map(|v| v.at);
        let acting = || {
            Some(hit.at) == verb || (acts(self.lexicon, self.tokens, *hit) && led(self.tokens, hit))
        };
        if self.forbidden.is_some_and(|from| hit.at >= from) {
            Zone::Negated
        } else if self.tokens[hit.at].kind != Kind::Word {
            Zone::Name
        } else if self.tagged && hit.at == 0 {
            Zone::Tag
        } else if interrogative {
            Zone::Around
        } else if is_act(self.lexicon, hit) && acting() {
            Zone::Act
        } else if hit.at >= self.around {
            Zone::Around
        } else if verb.is_some_and(|at| hit.at > at) {
            Zone::Object
        } else {
            Zone::Topic
        }
    }
}

/// "to delete", "should drop", or a verb of a language whose verbs stand elsewhere.
fn led(tokens: &[Token], hit: &Hit) -> bool {
    if !hit.english {
        return true;
    }
    let base = tokens[hit.at].form == Form::Base;
    base && hit.at.checked_sub(1).and_then(|i| tokens.get(i)).is_some_and(|t| among(LEADS, &t.text))
}
