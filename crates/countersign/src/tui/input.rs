//! Keys as the terminal reports them, in the few words that the screen knows.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Key {
    Up,
    Down,
    PageUp,
    PageDown,
    Home,
    End,
    Enter,
    Escape,
    Tab,
    Backspace,
    Letter(char),
    /// Text that came at once: line ends in it confirm nothing.
    Pasted(String),
    /// Ctrl-C.
    Interrupt,
}

/// The key that an event is, if it is one that means something.
pub fn key(event: Event) -> Option<Key> {
    match event {
        Event::Key(pressed) if pressed.kind != KeyEventKind::Release => of_key(pressed),
        Event::Paste(text) => Some(Key::Pasted(text)),
        _ => None,
    }
}

fn of_key(KeyEvent { code, modifiers, .. }: KeyEvent) -> Option<Key> {
    if modifiers.contains(KeyModifiers::CONTROL) {
        return match code {
            KeyCode::Char('c' | 'C' | 'd') => Some(Key::Interrupt),
            _ => None,
        };
    }
    Some(match code {
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Escape,
        KeyCode::Tab | KeyCode::BackTab => Key::Tab,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Char(letter) => Key::Letter(letter),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LP-24: keys mean what they say, and what was pasted is no key.
    #[test]
    fn keys_are_told_apart() {
        let press = |code, modifiers| key(Event::Key(KeyEvent::new(code, modifiers)));
        let (none, control) = (KeyModifiers::NONE, KeyModifiers::CONTROL);
        assert_eq!(press(KeyCode::Char('c'), none), Some(Key::Letter('c')));
        assert_eq!(press(KeyCode::Char('c'), control), Some(Key::Interrupt));
        assert_eq!(press(KeyCode::Char('y'), control), None);
        assert_eq!(press(KeyCode::F(1), none), None);
        assert_eq!(key(Event::Paste("y\n".into())), Some(Key::Pasted("y\n".into())));
        assert_eq!(key(Event::Resize(1, 1)), None);
        let released =
            KeyEvent { kind: KeyEventKind::Release, ..KeyEvent::new(KeyCode::Enter, none) };
        assert_eq!(key(Event::Key(released)), None);
    }
}
