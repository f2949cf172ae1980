//! What the screen knows: a pure machine. Something comes in (a sight, a key, the time), and what
//! comes out is what to ask the ledger for. It draws nothing and reads nothing.

mod answering;
mod rows;

use countersign_engine::relay::Undertaking;
use countersign_engine::watch::Sight;
use jiff::Timestamp;

pub use answering::{Answering, Stage};
pub use rows::Row;

use super::input::Key;
use super::pages::Detail;

/// What comes in.
#[derive(Debug)]
pub enum Input {
    Sight(Box<Sight>),
    Detail(Detail),
    /// The ledger can't be read now, and why.
    Fault(String),
    /// What became of something that was asked for.
    Told(String),
    Now(Timestamp),
    Key(Key),
}

/// What is asked for.
#[derive(Debug, PartialEq, Eq)]
pub enum Ask {
    /// The details of this one, from now on.
    Look(Undertaking),
    Answer {
        id: countersign_domain::checkpoint::CheckpointId,
        choice: String,
        words: String,
    },
    /// The end of it.
    End(Undertaking),
    Quit,
}

/// Which pane has the screen where there is room for one only, and which one scrolls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pane {
    List,
    Detail,
}

/// What lies over the panes.
#[derive(Debug)]
pub enum Overlay {
    Help,
    Answering(Box<Answering>),
    /// Asks once more before it asks for the end.
    Ending(Undertaking),
}

/// Everything that the screen shows.
#[derive(Debug)]
pub struct Model {
    pub sight: Sight,
    pub detail: Option<Detail>,
    pub selected: Option<Undertaking>,
    /// The only one that is shown, if one was named.
    pub only: Option<Undertaking>,
    pub pane: Pane,
    /// How many lines the journal is scrolled back.
    pub back: usize,
    pub overlay: Option<Overlay>,
    pub fault: Option<String>,
    pub told: Option<String>,
    pub now: Timestamp,
    /// Whether anything was seen yet.
    pub has_looked: bool,
}

impl Model {
    pub fn new(now: Timestamp, only: Option<Undertaking>) -> Self {
        Self {
            sight: Sight::default(),
            detail: None,
            selected: only,
            only,
            pane: Pane::List,
            back: 0,
            overlay: None,
            fault: None,
            told: None,
            now,
            has_looked: false,
        }
    }

    /// Takes in what came; says what to ask for.
    pub fn update(&mut self, input: Input) -> Vec<Ask> {
        match input {
            Input::Sight(sight) => return self.see(*sight),
            Input::Detail(detail) if Some(detail.of) == self.selected => self.detail = Some(detail),
            // Of one that is no longer selected.
            Input::Detail(_) => {}
            Input::Fault(why) => self.fault = Some(why),
            Input::Told(words) => self.told = Some(words),
            Input::Now(now) => self.now = now,
            Input::Key(key) => return self.press(key),
        }
        Vec::new()
    }

    fn see(&mut self, sight: Sight) -> Vec<Ask> {
        self.sight = sight;
        self.fault = None;
        self.has_looked = true;
        if let Some(Overlay::Answering(answering)) = &self.overlay
            && !self.sight.questions.iter().any(|known| known.id == answering.question.id)
        {
            self.told = Some(format!("{} waits no more", answering.question.id));
            self.overlay = None;
        }
        let first = self.rows().first().map(Row::of);
        match self.selected {
            Some(selected) if self.rows().iter().any(|row| row.of() == selected) => Vec::new(),
            _ => first.map_or_else(Vec::new, |first| self.select(first)),
        }
    }

    fn select(&mut self, one: Undertaking) -> Vec<Ask> {
        self.selected = Some(one);
        self.detail = None;
        self.back = 0;
        vec![Ask::Look(one)]
    }

    /// Where the selected row is.
    pub fn place(&self) -> Option<usize> {
        self.rows().iter().position(|row| Some(row.of()) == self.selected)
    }

    fn move_by(&mut self, by: isize) -> Vec<Ask> {
        let all: Vec<Undertaking> = self.rows().iter().map(Row::of).collect();
        let Some(last) = all.len().checked_sub(1) else { return Vec::new() };
        let next = self.place().unwrap_or(0).saturating_add_signed(by).min(last);
        if Some(all[next]) == self.selected { Vec::new() } else { self.select(all[next]) }
    }

    fn press(&mut self, key: Key) -> Vec<Ask> {
        self.told = None;
        if key == Key::Interrupt {
            return vec![Ask::Quit];
        }
        match self.overlay.take() {
            None => self.press_plain(&key),
            // Any key closes the help.
            Some(Overlay::Help) => Vec::new(),
            Some(Overlay::Ending(one)) => match key {
                Key::Letter('y' | 'Y') => {
                    self.told = Some(format!("asking for the end of {} …", one.id()));
                    vec![Ask::End(one)]
                }
                _ => Vec::new(),
            },
            Some(Overlay::Answering(answering)) => self.press_answering(*answering, key),
        }
    }

    fn press_plain(&mut self, key: &Key) -> Vec<Ask> {
        let is_list = self.pane == Pane::List;
        match key {
            Key::Letter('q') => return vec![Ask::Quit],
            Key::Letter('?' | 'h') => self.overlay = Some(Overlay::Help),
            Key::Letter('a') => self.begin_answering(),
            Key::Letter('n') => return self.next_question(),
            Key::Letter('c') => self.begin_ending(),
            Key::Enter | Key::Tab if is_list => self.pane = Pane::Detail,
            Key::Enter | Key::Tab | Key::Escape => self.pane = Pane::List,
            Key::Up | Key::Letter('k') if is_list => return self.move_by(-1),
            Key::Down | Key::Letter('j') if is_list => return self.move_by(1),
            Key::PageUp if is_list => return self.move_by(-10),
            Key::PageDown if is_list => return self.move_by(10),
            Key::Home if is_list => return self.move_by(isize::MIN),
            Key::End if is_list => return self.move_by(isize::MAX),
            Key::Up | Key::Letter('k') => self.scroll(1),
            Key::Down | Key::Letter('j') => self.scroll(-1),
            Key::PageUp => self.scroll(10),
            Key::PageDown => self.scroll(-10),
            Key::Home => self.scroll(isize::MAX),
            Key::End => self.back = 0,
            _ => {}
        }
        Vec::new()
    }

    /// Scrolls the journal back by so many lines, or forward.
    fn scroll(&mut self, by: isize) {
        let most = self.detail.as_ref().map_or(0, |detail| detail.pages.len());
        self.back = self.back.saturating_add_signed(by).min(most);
    }

    fn begin_ending(&mut self) {
        let Some(selected) = self.selected else { return };
        let is_over = self.rows().iter().any(|row| row.of() == selected && row.is_over());
        if is_over {
            self.told = Some(format!("{} has ended already", selected.id()));
        } else {
            self.overlay = Some(Overlay::Ending(selected));
        }
    }
}

#[cfg(test)]
pub mod tests;
