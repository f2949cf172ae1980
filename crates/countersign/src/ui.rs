//! How replies look: text for people, one JSON object for programs. Data goes to standard
//! output, talk to standard error; colours only where a terminal is.

use std::fmt::Display;
use std::io::{ErrorKind, IsTerminal as _, Write};

use anstyle::{AnsiColor, Style};
use countersign_engine::{Error, Kind};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};

/// How to show replies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Format {
    /// Text for people.
    #[default]
    Human,
    /// One object: {success, data, error}.
    Json,
    /// Markdown, for verbs that have it.
    Markdown,
    /// One page, for `run report`; its help tells of it, and no other verb's.
    #[value(hide = true)]
    Html,
}

/// What a verb has to say.
#[derive(Debug)]
pub struct Reply {
    pub data: Value,
    pub human: String,
    /// The same as Markdown, where a verb has it.
    markdown: Option<String>,
    /// The same as a page, where a verb has it.
    html: Option<String>,
    /// Why it is no success, although there is something to show.
    pub problem: Option<Error>,
    /// Whether the data is on standard output already.
    is_streamed: bool,
    /// What follows the text: byte for byte, unless a terminal shows it.
    exact: Vec<u8>,
}

impl Reply {
    pub fn new(data: impl Serialize, human: impl Into<String>) -> Result<Self, Error> {
        Ok(Self {
            data: serde_json::to_value(data)?,
            human: human.into(),
            markdown: None,
            html: None,
            problem: None,
            is_streamed: false,
            exact: Vec::new(),
        })
    }

    /// Bytes that follow the text as they are, so that other programs can take them; on a terminal,
    /// what could steer it is made visible.
    pub fn exact(mut self, bytes: &[u8]) -> Self {
        self.exact = bytes.to_vec();
        self
    }

    /// A reply whose data went to standard output as it came, where nothing may follow it.
    pub fn streamed(problem: Option<Error>) -> Self {
        Self {
            data: Value::Null,
            human: String::new(),
            markdown: None,
            html: None,
            problem,
            is_streamed: true,
            exact: Vec::new(),
        }
    }

    pub fn markdown(mut self, markdown: impl Into<String>) -> Self {
        self.markdown = Some(markdown.into());
        self
    }

    pub fn html(mut self, html: impl Into<String>) -> Self {
        self.html = Some(html.into());
        self
    }

    pub fn problem(mut self, problem: Option<Error>) -> Self {
        self.problem = problem;
        self
    }
}

pub const GOOD: Style = AnsiColor::Green.on_default();
pub const BAD: Style = AnsiColor::Red.on_default();
pub const DIM: Style = Style::new().dimmed();
pub const BOLD: Style = Style::new().bold();

/// `text` in `style`; the stream it is printed to drops the style where it doesn't fit.
pub fn paint(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// Shows a reply; returns its exit code. A reader that went away is no error of ours.
pub fn show(format: Format, reply: &Reply) -> u8 {
    if reply.is_streamed {
        return reply.problem.as_ref().map_or(0, |problem| show_error(Format::Human, problem));
    }
    let shown = match format {
        Format::Human => print_human(reply),
        Format::Markdown | Format::Html => {
            let is_html = format == Format::Html;
            let text = if is_html { &reply.html } else { &reply.markdown };
            let Some(text) = text else {
                let none = Error::new(Kind::Usage, "this verb has no such form");
                return show_error(Format::Human, &none.hint("leave --format out"));
            };
            let mut out = anstream::stdout();
            writeln!(out, "{}", text.trim_end()).and_then(|()| out.flush())
        }
        Format::Json => print_json(&json!({
            "success": reply.problem.is_none(), "data": reply.data, "error": reply.problem
        })),
    };
    if let Err(error) = shown
        && error.kind() != ErrorKind::BrokenPipe
    {
        let lost = Error::new(Kind::Unavailable, format!("can't write the reply: {error}"));
        return show_error(Format::Human, &lost);
    }
    reply.problem.as_ref().map_or(0, |problem| problem.kind.exit_code())
}

fn print_human(reply: &Reply) -> std::io::Result<()> {
    if !reply.human.is_empty() {
        let mut out = anstream::stdout();
        writeln!(out, "{}", reply.human.trim_end()).and_then(|()| out.flush())?;
    }
    if reply.exact.is_empty() {
        return Ok(());
    }
    let mut out = std::io::stdout().lock();
    if out.is_terminal() {
        out.write_all(visible(&String::from_utf8_lossy(&reply.exact)).as_bytes())?;
    } else {
        out.write_all(&reply.exact)?;
    }
    out.flush()
}

/// Shows an error; returns its exit code.
pub fn show_error(format: Format, error: &Error) -> u8 {
    match format {
        Format::Human | Format::Markdown | Format::Html => {
            say(&format!("{}: {}", paint(BAD.bold(), "error"), printable(&error.message)));
            if let Some(hint) = &error.hint {
                say(&format!("{}: {}", paint(BOLD, "hint"), printable(hint)));
            }
        }
        Format::Json => {
            // There is nowhere left to say that it can't be said; the exit code remains.
            let _ = print_json(&json!({ "success": false, "data": Value::Null, "error": error }));
        }
    }
    error.kind.exit_code()
}

/// Tells a person something, on standard error.
pub fn say(text: &str) {
    let _ = writeln!(anstream::stderr(), "{text}");
}

fn print_json(value: &Value) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", escaped(&serde_json::to_string(value)?))?;
    out.flush()
}

/// JSON in which what could steer a terminal is written as an escape: it says the same to programs, and
/// people look at it as well.
fn escaped(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for letter in json.chars() {
        match letter {
            '\u{7f}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                text.push_str(&format!("\\u{:04x}", u32::from(letter)));
            }
            _ => text.push(letter),
        }
    }
    text
}

/// Text from elsewhere without the control characters that could steer a terminal.
pub fn printable(text: &str) -> String {
    let steers = |c: char| {
        (c.is_control() && c != '\n' && c != '\t')
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().map(|c| if steers(c) { '\u{fffd}' } else { c }).collect()
}

/// As [`printable`], on one line: what is a name or a title can't go on to another.
pub fn one_line(text: &str) -> String {
    printable(text).replace(['\n', '\t'], " ")
}

/// Text from elsewhere in which everything that could steer a terminal is to be seen: `^M` for a
/// carriage return.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' | '\t' => shown.push(letter),
            '\0'..='\u{1f}' => shown.extend(['^', char::from(letter as u8 + b'@')]),
            '\u{7f}' => shown.push_str("^?"),
            '\u{80}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                shown.push_str(&format!("<U+{:04X}>", u32::from(letter)));
            }
            _ => shown.push(letter),
        }
    }
    shown
}

/// Rows in columns; the last column is left as it is.
pub fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    // Colours take no room.
    let room = |cell: &String| anstream::adapter::strip_str(cell).to_string().chars().count();
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(room).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            line.push_str(cell);
            if column + 1 < row.len() {
                let missing = widths[column] - room(cell) + 2;
                line.extend(std::iter::repeat_n(' ', missing));
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// A number of things as a person says it.
pub fn count(number: u64, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// Milliseconds as a person says them.
pub fn duration(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{}.{} s", ms / 1000, ms % 1000 / 100),
        _ => format!("{} min {} s", ms / 60_000, ms / 1000 % 60),
    }
}

/// How long ago something was, as a person says it: no finer than it matters.
pub fn ago(then: Timestamp, now: Timestamp) -> String {
    let seconds = now.duration_since(then).as_secs();
    match seconds {
        ..60 => "just now".to_owned(),
        60..7_200 => format!("{} min ago", seconds / 60),
        7_200..172_800 => format!("{} hours ago", seconds / 3_600),
        _ => format!("{} days ago", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert_eq!(printable("a\x1b[31mb\u{202e}c\nd"), "a\u{fffd}[31mb\u{fffd}c\nd");
    }

    /// JSON says the same with escapes.
    #[test]
    fn json_does_not_steer_a_terminal() {
        let json = serde_json::to_string("a\u{9b}b\u{202e}c\u{7f}ä").unwrap();
        assert_eq!(escaped(&json), r#""a\u009bb\u202ec\u007fä""#);
    }

    #[test]
    fn columns_line_up() {
        let rows = [vec!["a".into(), "b".into()], vec!["ccc".into(), "d".into()]];
        assert_eq!(table(&rows), "a    b\nccc  d\n");
    }

    #[test]
    fn counts_read_well() {
        let said: Vec<String> = [0, 1, 2].into_iter().map(|n| count(n, "seal")).collect();
        assert_eq!(said, ["0 seals", "1 seal", "2 seals"]);
    }

    /// A clock that was set back makes nothing of the future.
    #[test]
    fn ages_read_well() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let then = at("2026-11-17T10:00:00Z");
        for (now, said) in [
            ("2026-11-17T09:00:00Z", "just now"),
            ("2026-11-17T10:00:59Z", "just now"),
            ("2026-11-17T11:30:00Z", "90 min ago"),
            ("2026-11-18T10:00:00Z", "24 hours ago"),
            ("2026-11-20T09:00:00Z", "2 days ago"),
        ] {
            assert_eq!(ago(then, at(now)), said);
        }
    }

    #[test]
    fn durations_read_well() {
        let said: Vec<String> = [7, 1_250, 61_000].into_iter().map(duration).collect();
        assert_eq!(said, ["7 ms", "1.2 s", "1 min 1 s"]);
    }
}
