//! Where the screen's knowledge comes from: a thread that looks at the ledger about twice a second and
//! does what is asked for, so that a busy ledger never stops the keys.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use countersign_engine::relay::Undertaking;
use countersign_engine::watch::{Lookout, Sight};
use countersign_engine::{Engine, Error, Host};

use super::pages::Detail;
use super::state::{Ask, Input};

/// How often the ledger is looked at.
const EVERY: Duration = Duration::from_millis(500);
/// Who is put on the record.
const ACTOR: &str = "user";

/// Looks and does what is asked for, until nobody asks any more.
pub fn run(host: &Host, lookout: Lookout, asks: &Receiver<Ask>, tell: &Sender<Input>) {
    let mut source = Source { lookout, sight: None, detail: None, fault: None };
    let mut next = Instant::now();
    loop {
        // Who went away needs to be told nothing.
        let mut say = |input: Input| {
            let _ = tell.send(input);
        };
        match asks.recv_timeout(next.saturating_duration_since(Instant::now())) {
            Ok(Ask::Look(one)) => source.detail = Some((Detail::new(one), true)),
            Ok(ask) => say(Input::Told(perform(host, ask).unwrap_or_else(|error| words(&error)))),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        source.look(&mut say);
        next = Instant::now() + EVERY;
    }
}

struct Source {
    lookout: Lookout,
    /// What was told last: the same is not told twice.
    sight: Option<Sight>,
    /// Of the selected one, and whether it has to be told in any case.
    detail: Option<(Detail, bool)>,
    fault: Option<String>,
}

impl Source {
    fn look(&mut self, say: &mut dyn FnMut(Input)) {
        if let Err(error) = self.try_look(say) {
            let why = words(&error);
            if self.fault.as_ref() != Some(&why) {
                say(Input::Fault(why.clone()));
            }
            self.fault = Some(why);
            // What is there after a fault is told, also if it is the same as before.
            self.sight = None;
        }
    }

    fn try_look(&mut self, say: &mut dyn FnMut(Input)) -> Result<(), Error> {
        let sight = self.lookout.look()?;
        self.fault = None;
        if self.sight.as_ref() != Some(&sight) {
            say(Input::Sight(Box::new(sight.clone())));
            self.sight = Some(sight);
        }
        if let Some((detail, is_due)) = &mut self.detail {
            let has_moved = detail.follow(&mut self.lookout)?;
            if has_moved || *is_due {
                say(Input::Detail(detail.clone()));
            }
            *is_due = false;
        }
        Ok(())
    }
}

/// Does what was asked for; says what became of it.
fn perform(host: &Host, ask: Ask) -> Result<String, Error> {
    match ask {
        Ask::Answer { id, choice, words } => {
            let mut engine = Engine::open(host.clone())?;
            engine.answer(id, &choice, &words, ACTOR)?;
            let it = engine.undertaking_of(id.run).map_or(id.run, Undertaking::id);
            Ok(format!("answered with {choice}; if nobody drives it: countersign resume {it}"))
        }
        Ask::End(one) => {
            let mut engine = Engine::open(host.clone())?;
            engine.request_end(one, ACTOR)?;
            let what = match one {
                Undertaking::Run(_) => "run",
                Undertaking::Relay(_) => "relay",
            };
            Ok(format!("{what} {} is asked to end", one.id()))
        }
        Ask::Look(_) | Ask::Quit => Ok(String::new()),
    }
}

/// An error in a line.
fn words(error: &Error) -> String {
    match &error.hint {
        Some(hint) => format!("{}; {hint}", error.message),
        None => error.message.clone(),
    }
}
