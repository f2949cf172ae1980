//! The mood of a clause: an order, a question, something forbidden.

use super::read::among;
use super::token::{Form, Token};

const INTERROGATIVES: &str = " is are am was were does do did should shall has have had isn't aren't doesn't don't didn't shouldn't why how what where when which who whose \
    whom whether warum wieso weshalb wie wo welche welcher pourquoi comment quel quelle como donde cual perche почему как где зачем какой ";
const NEGATIONS: &str = " don't dont never nicht kein keine ";
/// "don't forget to …" asks for it.
const REMINDERS: &str = " forget hesitate fail neglect omit miss ";
/// What a program does: "never log the password" is a demand on it, "don't touch auth" a limit of the work.
const BEHAVIOUR: &str = " log send show store leak expose print return cache accept allow let echo render display retry require prompt \
    charge bill emit save persist include trust crash panic swallow ignore reuse trigger redirect expire block treat assume hardcode \
    hard-code reveal forward share reload overwrite rely ";

/// "please drop it, ok?", "could you drop it?": an order with the manners of a question. `verb` is where its action stands.
pub(super) fn polite(tokens: &[Token], verb: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |t| t.text.as_str());
    let asked = among(" can could would will ", word(0)) && word(1) == "you";
    let begged =
        tokens.iter().take(verb).any(|t| among(" please pls kindly let's lets bitte ", &t.text));
    let tail = tokens.iter().rposition(|t| t.breaks).unwrap_or(0);
    let appended = tail > verb && tokens[tail..].iter().all(|t| {
        among(
            " ok okay right alright yes please thanks agreed shall will would can could we you ",
            &t.text,
        )
    });
    asked || begged || appended
}

/// Whether a clause is built like a question. "do not …" and "how to …" as a heading of a text are not.
pub(super) fn interrogative(tokens: &[Token], mark: bool) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |t| t.text.as_str());
    let subject = among(
        " i we you it this that there they he she the a an my our your these those any anyone someone ",
        word(1),
    );
    let auxiliary = among(
        " is are am was were does do did should shall has have had isn't aren't doesn't don't didn't shouldn't ",
        word(0),
    );
    among(INTERROGATIVES, word(0))
        && if auxiliary {
            mark || (subject && word(0) != "don't" && word(0) != "do")
        } else {
            // "comment" is French for "how" and English for something else.
            mark || !matches!(word(0), "when" | "comment")
        }
}

/// Where "don't", "do not", "never" or "without" forbids the rest.
pub(super) fn forbidden_from(tokens: &[Token], opening: usize) -> Option<usize> {
    let word = |at: usize| tokens.get(at).map_or("", |t| t.text.as_str());
    let demanded = |verb: &str| among(REMINDERS, verb) || among(BEHAVIOUR, verb);
    if among(NEGATIONS, word(opening)) {
        return Some(opening).filter(|_| !demanded(word(opening + 1)));
    }
    if (word(opening), word(opening + 1)) == ("do", "not") {
        return Some(opening).filter(|_| !demanded(word(opening + 2)));
    }
    (opening..tokens.len()).find(|&i| {
        let before = i.checked_sub(1).map_or("", word);
        let joined = tokens[i].breaks || matches!(before, "but" | "and" | "please");
        match word(i) {
            "without" => tokens.get(i + 1).is_some_and(|t| t.form == Form::Ing),
            "don't" | "dont" | "never" => joined && !among(REMINDERS, word(i + 1)),
            "do" => joined && word(i + 1) == "not" && !among(REMINDERS, word(i + 2)),
            "leave" => tokens[i].breaks || before == "but",
            _ => false,
        }
    })
}
