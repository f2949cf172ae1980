//! `countersign watch`: all runs and relays on one screen.
//!
//! `source` looks at the ledger, `state` is the pure machine between what comes in and what is asked
//! for, `view` draws it, `input` reads keys, `screen` is the terminal and puts it back as it was.

mod input;
mod pages;
mod screen;
mod source;
mod state;
mod text;
mod view;

use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};
use std::time::Duration;

use countersign_engine::relay::Undertaking;
use countersign_engine::watch::{Lookout, OperationSeen, Sight};
use countersign_engine::{Error, Host, Kind};
use serde::Serialize;

use pages::Detail;
use screen::Screen;
use state::{Ask, Input, Model};
use view::Theme;

/// How long a key is waited for before the rest is looked after.
const TICK: Duration = Duration::from_millis(100);
/// The frame that is printed where no terminal says how large it is.
const PAGE: Size = Size { columns: 100, rows: 30 };
/// As large as a frame may be.
const LARGEST: u16 = 1_000;

/// How large a frame is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    columns: u16,
    rows: u16,
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parse = |part: &str| part.parse().ok().filter(|number| (1..=LARGEST).contains(number));
        let parts = text.split_once('x').map(|(columns, rows)| (parse(columns), parse(rows)));
        match parts {
            Some((Some(columns), Some(rows))) => Ok(Self { columns, rows }),
            _ => Err(format!("write COLUMNSxROWS, such as 80x24, each up to {LARGEST}")),
        }
    }
}

/// What one frame shows.
#[derive(Debug, Serialize)]
pub struct Shown {
    #[serde(flatten)]
    sight: Sight,
    /// What the agents of the selected one did last, oldest first.
    operations: Vec<OperationSeen>,
}

/// One who watches, before the first frame.
#[derive(Debug)]
pub struct Watch {
    host: Host,
    lookout: Lookout,
    only: Option<Undertaking>,
}

impl Watch {
    /// `id` names the only run or relay to show. A ledger that can't be read just now is no reason to
    /// give up, unless something has to be found in it.
    pub fn new(host: Host, id: Option<&str>, most: usize) -> Result<Self, Error> {
        let mut lookout = Lookout::new(host.clone(), most);
        match (lookout.look(), id) {
            (Err(error), Some(_)) => return Err(error),
            (Err(error), None) if error.kind != Kind::Unavailable => return Err(error),
            _ => {}
        }
        let only = id.map(|id| lookout.find(id)).transpose()?;
        Ok(Self { host, lookout, only })
    }

    /// One frame as plain text, and what it shows.
    pub fn once(mut self, size: Option<Size>) -> Result<(Shown, String), Error> {
        let sight = self.lookout.look()?;
        let mut model = Model::new(self.host.now(), self.only);
        let asks = model.update(Input::Sight(Box::new(sight.clone())));
        let named = self.only.into_iter().map(Ask::Look);
        let mut operations = Vec::new();
        if let Some(Ask::Look(one)) = asks.into_iter().chain(named).next() {
            let mut detail = Detail::new(one);
            detail.follow(&mut self.lookout)?;
            operations.clone_from(&detail.operations);
            model.update(Input::Detail(detail));
        }
        let Size { columns, rows } = size.unwrap_or(PAGE);
        let frame =
            screen::printed((columns, rows), |frame| view::draw(frame, &model, Theme::PLAIN))
                .map_err(|error| lost(&error))?;
        Ok((Shown { sight, operations }, frame))
    }

    /// Watches until the person has seen enough. The terminal is as it was afterwards, whatever
    /// happens.
    pub fn live(self) -> Result<(), Error> {
        let stop = Arc::new(AtomicBool::new(false));
        for signal in signal_hook::consts::TERM_SIGNALS {
            // Without it the signal ends us at once, as it always does.
            let _ = signal_hook::flag::register(*signal, Arc::clone(&stop));
        }
        let Self { host, lookout, only } = self;
        let theme = Theme::of(&host);
        let mut screen = Screen::open().map_err(|error| lost(&error))?;
        let (ask, asks) = mpsc::channel();
        let (tell, told) = mpsc::channel();
        let elsewhere = host.clone();
        let thread = std::thread::spawn(move || source::run(&elsewhere, lookout, &asks, &tell));
        if let Some(only) = only {
            // The thread is there as long as we are.
            let _ = ask.send(Ask::Look(only));
        }
        let mut turns = Turns { model: Model::new(host.now(), only), host, theme, ask, told, stop };
        let ended = turns.run(&mut screen);
        drop(screen);
        // An answer that is on its way is waited for.
        drop(turns);
        let joined = thread.join();
        ended.map_err(|error| lost(&error))?;
        joined.map_err(|_| Error::new(Kind::Bug, "the part that reads the ledger has failed"))
    }
}

/// The turns of the screen: take in, draw, wait for a key.
struct Turns {
    model: Model,
    host: Host,
    theme: Theme,
    ask: Sender<Ask>,
    told: Receiver<Input>,
    /// A signal came.
    stop: Arc<AtomicBool>,
}

impl Turns {
    fn run(&mut self, screen: &mut Screen) -> std::io::Result<()> {
        let mut is_due = true;
        while !self.stop.load(Ordering::Relaxed) {
            loop {
                match self.told.try_recv() {
                    Ok(input) => {
                        self.take(input);
                        is_due = true;
                    }
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Disconnected) => return Ok(()),
                }
            }
            let now = self.host.now();
            if now.as_second() != self.model.now.as_second() {
                self.take(Input::Now(now));
                is_due = true;
            }
            if is_due {
                screen.draw(|frame| view::draw(frame, &self.model, self.theme))?;
            }
            is_due = crossterm::event::poll(TICK)?;
            if is_due
                && let Some(key) = input::key(crossterm::event::read()?)
                && self.take(Input::Key(key))
            {
                break;
            }
        }
        Ok(())
    }

    /// Takes something in, and asks for what follows; whether that is the end.
    fn take(&mut self, input: Input) -> bool {
        let mut is_end = false;
        for ask in self.model.update(input) {
            is_end |= ask == Ask::Quit;
            // A thread that is gone is noticed at the next turn.
            let _ = self.ask.send(ask);
        }
        is_end
    }
}

fn lost(error: &std::io::Error) -> Error {
    Error::new(Kind::Unavailable, format!("the terminal can't be drawn on: {error}"))
        .hint("`countersign watch --once` prints one frame as plain text")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_strictly() {
        assert_eq!("80x24".parse(), Ok(Size { columns: 80, rows: 24 }));
        for bad in ["", "80", "80x", "x24", "0x24", "80x0", "80x99999", "-1x3", "80x24x1", "a x b"]
        {
            assert!(bad.parse::<Size>().is_err(), "{bad}");
        }
    }
}
