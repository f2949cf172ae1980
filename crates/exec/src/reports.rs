//! Readers of what test runners write: bytes in, a report out. Nothing else is touched.
//!
//! A text is evidence given by those it is about: tests print what they like, runs are killed,
//! files are cut. So every reader counts for itself, compares with what the runner claims, and
//! takes for a pass only what nothing speaks against. Where it can't know, it says so, with the
//! line.

mod cargo;
mod go;
mod go_json;
mod jest;
mod jest_json;
mod junit;
mod libtest_json;
mod mistake;
mod nextest;
mod node;
mod printed;
mod pytest;
mod readers;
mod room;
mod tap;
mod text;
mod unbuilt;
mod vitest;
mod words;

use std::io::{BufRead, Read as _};

use countersign_domain::qa::{Certainty, Detection, Format, Report};

pub use mistake::Mistake;
pub use printed::compare as compare_with_printed;
use readers::{Contest, Reader};
use text::{MAX_DOCUMENT, each_line};
pub use unbuilt::{Unbuilt, unbuilt};

/// What is known about a text besides its bytes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known<'a> {
    /// Its format; without, it is found out.
    pub format: Option<Format>,
    /// The code that the runner ended with.
    pub exit_code: Option<i32>,
    /// The folder that the runner ran in: it is left out of the names of files, which would
    /// otherwise be others in every checkout.
    pub root: Option<&'a str>,
}

/// Reads a report that is in memory.
pub fn read(
    bytes: &[u8],
    format: Option<Format>,
    exit_code: Option<i32>,
) -> Result<Report, Mistake> {
    read_from(bytes, &Known { format, exit_code, root: None })
}

/// Reads a report as it comes. What is told in lines needs no more memory than its tests have
/// names; documents (JUnit, JSON of jest and vitest) are read whole, up to 64 MiB.
pub fn read_from(mut input: impl BufRead, known: &Known<'_>) -> Result<Report, Mistake> {
    let failed = |error: std::io::Error| {
        let words = format!("reading it failed: {error}");
        Mistake::new(known.format, words, "try again, or copy it to another place first")
    };
    let format = match known.format {
        Some(format) => Some(format),
        None => document_format(input.fill_buf().map_err(failed)?),
    };
    let mut report = match format {
        Some(Format::Plain) => Report::plain(known.exit_code),
        Some(Format::Junit) => junit::read(&whole(input, known).map_err(failed)?, known.exit_code)?,
        Some(format @ (Format::JestJson | Format::VitestJson)) => {
            let bytes = whole(input, known).map_err(failed)?;
            let text = String::from_utf8_lossy(&bytes);
            let format = known.format.unwrap_or_else(|| match jest_json::format_of(&text) {
                Format::JestJson => Format::JestJson,
                _ => format,
            });
            jest_json::read_text(&text, format, known.exit_code, known.root)?
        }
        Some(format) => {
            let Some(mut reader) = Reader::of(format) else { return Err(unknown(known)) };
            let noticed = each_line(input, |line| reader.take(&line)).map_err(failed)?;
            reader.finish(known.exit_code, noticed)
        }
        None => {
            let mut contest = Contest::new();
            let noticed = each_line(input, |line| contest.take(&line, known)).map_err(failed)?;
            let found = contest.finish(known, noticed)?;
            // A command without tests has nothing but its exit code.
            let detected = Some(Detection { certainty: Certainty::Likely, others: Vec::new() });
            let plain =
                known.exit_code.map(|code| Report { detected, ..Report::plain(Some(code)) });
            found.or(plain).ok_or_else(|| unknown(known))?
        }
    };
    if known.format.is_none() && format.is_some() {
        report.detected = Some(Detection { certainty: Certainty::Sure, others: Vec::new() });
    }
    if let Some(root) = known.root {
        leave_out(&mut report, root);
    }
    Ok(report)
}

/// Leaves the folder out of the names of files.
fn leave_out(report: &mut Report, root: &str) {
    let root = format!("{}/", root.trim_end_matches('/'));
    let cases = report.cases.iter_mut().map(|case| &mut case.id);
    for id in cases.chain(report.suites.iter_mut().map(|suite| &mut suite.id)) {
        if root.len() > 1 && id.starts_with(&root) {
            id.drain(..root.len());
        }
    }
    report.cases.sort_by(|one, other| one.id.cmp(&other.id));
    report.suites.sort_by(|one, other| one.id.cmp(&other.id));
}

fn unknown(known: &Known<'_>) -> Mistake {
    let words = "it is in no format that we know, and the exit code is not known either";
    Mistake::new(known.format, words, "name the format, or hand in the exit code")
}

/// The format of a text that begins like a document.
fn document_format(head: &[u8]) -> Option<Format> {
    let wide = head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]);
    let head = String::from_utf8_lossy(&head[..head.len().min(4096)]);
    if junit::is_document(&head) || wide {
        return Some(Format::Junit);
    }
    // A document that was put on many lines; one line is read as such.
    let text = head.trim_start_matches('\u{feff}').trim_start();
    let is_spread = text.lines().next().is_some_and(|line| line.trim_end() == "{");
    (is_spread && text.contains("\"num")).then_some(Format::VitestJson)
}

fn whole(input: impl BufRead, known: &Known<'_>) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(MAX_DOCUMENT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_DOCUMENT {
        let format = known.format.map_or("a document", Format::name);
        return Err(std::io::Error::other(format!(
            "{format} of more than {} MiB",
            MAX_DOCUMENT >> 20
        )));
    }
    Ok(bytes)
}
