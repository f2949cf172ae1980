//! Where things stand in `data/worklog/runners.txt`, found by the compiler: every call of a hook
//! is a new process, and would otherwise read the whole file for one command.

const FILE: &str = include_str!("../../../data/worklog/runners.txt");

/// A section of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    Head,
    Tests,
    Unless,
    Values,
    Before,
    Shells,
    Interpreters,
    Names,
}

impl Section {
    /// By the first letter of its name.
    const fn named(letter: u8) -> Self {
        match letter {
            b't' => Self::Tests,
            b'u' => Self::Unless,
            b'v' => Self::Values,
            b'b' => Self::Before,
            b's' => Self::Shells,
            b'i' => Self::Interpreters,
            b'n' => Self::Names,
            _ => Self::Head,
        }
    }
}

/// A stretch of the file.
#[derive(Debug, Clone, Copy)]
struct Span {
    start: usize,
    end: usize,
}

impl Span {
    fn text(self) -> &'static str {
        FILE.get(self.start..self.end).unwrap_or("")
    }

    /// Without the spaces around it.
    const fn trimmed(self) -> Self {
        let bytes = FILE.as_bytes();
        let Self { mut start, mut end } = self;
        while start < end && bytes[start] == b' ' {
            start += 1;
        }
        while end > start && bytes[end - 1] == b' ' {
            end -= 1;
        }
        Self { start, end }
    }

    /// Up to the first of these bytes, or whole; and what follows it.
    const fn cut(self, byte: u8) -> (Self, Self) {
        let bytes = FILE.as_bytes();
        let mut at = self.start;
        while at < self.end && bytes[at] != byte {
            at += 1;
        }
        let after = if at < self.end { at + 1 } else { at };
        (Self { start: self.start, end: at }, Self { start: after, end: self.end })
    }

    const fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// One way to call one program.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way {
    section: Section,
    program: Span,
    pattern: Span,
    about: Span,
    pub line: usize,
}

impl Way {
    pub(super) fn is(&self, section: Section, program: &str) -> bool {
        self.section == section
            && self.program.end - self.program.start == program.len()
            && self.program.text() == program
    }

    /// The arguments, as the file writes them.
    pub(super) fn pattern(&self) -> &'static str {
        self.pattern.text()
    }

    /// In `[tests]` the name of the runner; elsewhere what stands after the colon.
    pub(super) fn about(&self) -> &'static str {
        self.about.text()
    }
}

const NOTHING: Span = Span { start: 0, end: 0 };
const NO_WAY: Way =
    Way { section: Section::Head, program: NOTHING, pattern: NOTHING, about: NOTHING, line: 0 };

struct Ways<const N: usize> {
    list: [Way; N],
    count: usize,
}

impl<const N: usize> Ways<N> {
    /// `one,other arguments`: a way for each program. Only counts them where there is no room.
    const fn add(&mut self, way: Span, about: Span, (section, line): (Section, usize)) {
        let (mut programs, pattern) = way.trimmed().cut(b' ');
        while !programs.is_empty() {
            let (program, others) = programs.cut(b',');
            if self.count < N {
                self.list[self.count] = Way { section, program, pattern, about, line };
            }
            self.count += 1;
            programs = others;
        }
    }
}

const fn read<const N: usize>() -> Ways<N> {
    let mut ways = Ways { list: [NO_WAY; N], count: 0 };
    let mut rest = Span { start: 0, end: FILE.len() };
    let mut section = Section::Head;
    let mut number = 0;
    while !rest.is_empty() {
        let (line, after) = rest.cut(b'\n');
        rest = after;
        number += 1;
        if line.is_empty() || FILE.as_bytes()[line.start] == b'#' {
            continue;
        }
        if FILE.as_bytes()[line.start] == b'[' {
            section = Section::named(FILE.as_bytes()[line.start + 1]);
            continue;
        }
        let (head, about) = line.cut(b':');
        if matches!(section, Section::Tests) {
            let mut about = about;
            while !about.is_empty() {
                let (way, others) = about.cut(b'|');
                ways.add(way, head, (section, number));
                about = others;
            }
        } else if !matches!(section, Section::Head) {
            ways.add(head, about.trimmed(), (section, number));
        }
    }
    ways
}

/// Every way of every program.
pub(super) static INDEX: [Way; read::<0>().count] = read().list;

#[cfg(test)]
mod tests {
    use super::*;

    /// D0.10: every line of the file is understood.
    #[test]
    fn the_file_can_be_read() {
        let count = |section| INDEX.iter().filter(|way| way.section == section).count();
        assert!(count(Section::Tests) > 300 && count(Section::Before) > 100);
        assert_eq!((count(Section::Names), count(Section::Head)), (2, 0));
        let mut head = true;
        for (at, line) in FILE.lines().enumerate() {
            head &= !line.starts_with('[');
            if head || line.is_empty() || line.starts_with(['#', '[']) {
                continue;
            }
            let way = INDEX.iter().find(|way| way.line == at + 1);
            assert!(line.contains(':') && way.is_some(), "line {}: {line}", at + 1);
        }
        let runners = || INDEX.iter().filter(|way| way.section == Section::Tests);
        for way in INDEX.iter().filter(|way| way.section == Section::Unless) {
            let name = way.program.text();
            assert!(name == "*" || runners().any(|way| way.about() == name), "{name}");
        }
        assert!(FILE.contains("\nversion 1\n"));
    }
}
