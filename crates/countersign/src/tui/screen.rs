//! The terminal: taken over, drawn on, and put back as it was, also after a panic or an error. And
//! the same drawing as plain text.

use std::io::{self, Stdout, Write as _};

use crossterm::cursor::{Hide, Show};
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::execute;
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::backend::{CrosstermBackend, TestBackend};
use ratatui::buffer::Buffer;
use ratatui::{Frame, Terminal};

/// A terminal that is ours until this is dropped.
pub struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl Screen {
    pub fn open() -> io::Result<Self> {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            // What is said about the panic must not be said on a screen that goes away.
            put_back();
            before(info);
        }));
        let opened = Self::take_over();
        if opened.is_err() {
            put_back();
        }
        opened
    }

    fn take_over() -> io::Result<Self> {
        enable_raw_mode()?;
        execute!(io::stdout(), EnterAlternateScreen, EnableBracketedPaste, Hide)?;
        Ok(Self { terminal: Terminal::new(CrosstermBackend::new(io::stdout()))? })
    }

    pub fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.terminal.draw(draw).map(|_| ())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        put_back();
    }
}

/// What can't be put back can't be told either: there is no terminal any more.
fn put_back() {
    let _ = execute!(io::stdout(), DisableBracketedPaste, LeaveAlternateScreen, Show);
    let _ = disable_raw_mode();
    let _ = io::stdout().flush();
}

/// What `draw` draws on a screen of that size, as lines without colours.
pub fn printed(
    (columns, rows): (u16, u16),
    draw: impl FnOnce(&mut Frame<'_>),
) -> io::Result<String> {
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).map_err(io::Error::other)?;
    terminal.draw(draw).map_err(io::Error::other)?;
    Ok(lines(terminal.backend().buffer()))
}

fn lines(buffer: &Buffer) -> String {
    let mut text = String::new();
    for row in buffer.area.rows() {
        let mut line = String::new();
        let mut covered = 0;
        for place in row.columns() {
            let Some(cell) = buffer.cell((place.x, place.y)) else { continue };
            // What is wider than a column covers the cells after it.
            if covered == 0 {
                line.push_str(cell.symbol());
                covered = ratatui::text::Span::raw(cell.symbol()).width().max(1);
            }
            covered -= 1;
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text.trim_end().to_owned()
}
