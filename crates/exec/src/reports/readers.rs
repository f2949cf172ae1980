//! The readers of lines, one for each format, and which of them is right.

use countersign_domain::qa::{Certainty, Detection, DoubtKind, Draft, Format, Report};

use super::jest_json;
use super::mistake::Mistake;
use super::text::{Line, Noticed, undisguised};
use super::{Known, cargo, go, go_json, jest, libtest_json, nextest, node, pytest, tap, vitest};

/// A reader of one format.
#[derive(Debug)]
pub(super) enum Reader {
    Cargo(cargo::Reader),
    GoJson(go_json::Reader),
    GoTest(go::Reader),
    Jest(jest::Reader),
    LibtestJson(libtest_json::Reader),
    Nextest(nextest::Reader),
    Node(node::Reader),
    Pytest(pytest::Reader),
    Tap(tap::Reader),
    Vitest(vitest::Reader),
}

/// Calls the same function of whichever reader it is.
macro_rules! each {
    ($reader:expr, $inner:ident => $call:expr) => {
        match $reader {
            Reader::Cargo($inner) => $call,
            Reader::GoJson($inner) => $call,
            Reader::GoTest($inner) => $call,
            Reader::Jest($inner) => $call,
            Reader::LibtestJson($inner) => $call,
            Reader::Nextest($inner) => $call,
            Reader::Node($inner) => $call,
            Reader::Pytest($inner) => $call,
            Reader::Tap($inner) => $call,
            Reader::Vitest($inner) => $call,
        }
    };
}

impl Reader {
    /// The reader of a format that is told in lines.
    pub(super) fn of(format: Format) -> Option<Self> {
        Some(match format {
            Format::Cargo => Self::Cargo(cargo::Reader::new()),
            Format::GoJson => Self::GoJson(go_json::Reader::new()),
            Format::GoTest => Self::GoTest(go::Reader::new()),
            Format::Jest => Self::Jest(jest::Reader::new()),
            Format::LibtestJson => Self::LibtestJson(libtest_json::Reader::new()),
            Format::Nextest => Self::Nextest(nextest::Reader::new()),
            Format::Node => Self::Node(node::Reader::new()),
            Format::Pytest => Self::Pytest(pytest::Reader::new()),
            Format::Tap => Self::Tap(tap::Reader::new()),
            Format::Vitest => Self::Vitest(vitest::Reader::new()),
            Format::Junit | Format::JestJson | Format::VitestJson | Format::Plain => return None,
        })
    }

    pub(super) fn take(&mut self, line: &Line<'_>) {
        each!(self, reader => reader.take(line));
        if let Some(seen) = undisguised(line.text)
            && !self.is_own(line.text)
            && self.is_own(&seen)
        {
            let words = "a line of the runner has characters in it that nobody sees";
            self.draft().doubt(DoubtKind::Disguised, line.at(), words);
        }
    }

    /// Whether a line is one that only this runner writes.
    fn is_own(&self, line: &str) -> bool {
        let line = line.trim_end();
        match self {
            Self::Cargo(_) => cargo::is_own(line),
            Self::GoJson(_) => go_json::is_own(line),
            Self::GoTest(_) => go::is_own(line),
            Self::Jest(_) => jest::is_own(line),
            Self::LibtestJson(_) => libtest_json::is_own(line),
            Self::Nextest(_) => nextest::is_own(line),
            Self::Node(_) => node::is_own(line),
            Self::Pytest(_) => pytest::is_own(line),
            Self::Tap(_) => tap::is_own(line),
            Self::Vitest(_) => vitest::is_own(line),
        }
    }

    fn draft(&mut self) -> &mut Draft {
        each!(self, reader => reader.draft())
    }

    fn evidence(&self) -> Option<Certainty> {
        each!(self, reader => reader.evidence())
    }

    pub(super) fn finish(mut self, exit_code: Option<i32>, noticed: Noticed) -> Report {
        note(self.draft(), noticed);
        each!(self, reader => reader.finish(exit_code))
    }

    fn format(&mut self) -> Format {
        self.draft().format()
    }
}

fn note(draft: &mut Draft, noticed: Noticed) {
    if let Some(line) = noticed.not_utf8 {
        let words = "bytes that are not UTF-8 were replaced";
        draft.doubt(DoubtKind::NotUtf8, Some(line), words);
    }
    if let Some(line) = noticed.too_long {
        draft.doubt(DoubtKind::Unreadable, Some(line), "the line is too long to be read");
    }
}

/// All readers at once, where nobody said which is right.
#[derive(Debug)]
pub(super) struct Contest {
    readers: Vec<Reader>,
    /// Documents of jest or vitest, each on a line of its own.
    documents: Option<(Draft, u64)>,
    mistake: Option<Mistake>,
}

impl Contest {
    pub(super) fn new() -> Self {
        let readers = Format::ALL.into_iter().filter_map(Reader::of).collect();
        Self { readers, documents: None, mistake: None }
    }

    pub(super) fn take(&mut self, line: &Line<'_>, known: &Known<'_>) {
        if jest_json::is_document(line.text) {
            let format = jest_json::format_of(line.text);
            let (draft, count) = self.documents.get_or_insert_with(|| (Draft::new(format), 0));
            *count += 1;
            if *count == 2 {
                draft.doubt(DoubtKind::SeveralRuns, line.at(), "a second run begins here");
            }
            let read = jest_json::read(draft, line.text.trim(), line.number, known.root);
            self.mistake = self.mistake.take().or(read.err());
            return;
        }
        self.readers.iter_mut().for_each(|reader| reader.take(line));
    }

    /// The report of the reader that knows most of its own lines, if any does.
    pub(super) fn finish(
        mut self,
        known: &Known<'_>,
        noticed: Noticed,
    ) -> Result<Option<Report>, Mistake> {
        let mut found: Vec<(Format, Certainty)> = Vec::new();
        if let Some((draft, _)) = &self.documents {
            found.push((draft.format(), Certainty::Sure));
        }
        for reader in &mut self.readers {
            let evidence = reader.evidence();
            found.extend(evidence.map(|certainty| (reader.format(), certainty)));
        }
        // The surest; of those, the one that may hold the others.
        found.sort_by_key(|(format, certainty)| (std::cmp::Reverse(*certainty), *format));
        let Some((format, certainty)) = found.first().copied() else { return Ok(None) };
        let others: Vec<Format> = found[1..]
            .iter()
            .filter(|(other, other_certainty)| {
                !format.holds(*other) && *other_certainty == certainty
            })
            .map(|(other, _)| *other)
            .collect();
        let mut report = match self.documents {
            Some((mut draft, _)) if draft.format() == format => {
                if let Some(mistake) = self.mistake {
                    return Err(mistake);
                }
                note(&mut draft, noticed);
                draft.finish(countersign_domain::qa::Ending::Closed, known.exit_code)
            }
            _ => {
                let reader = self
                    .readers
                    .into_iter()
                    .find_map(|mut reader| (reader.format() == format).then_some(reader));
                let Some(mut reader) = reader else { return Ok(None) };
                if !others.is_empty() {
                    let names: Vec<&str> = others.iter().map(|other| other.name()).collect();
                    let words = format!(
                        "parts of the text look like {}, and were not read",
                        names.join(" and ")
                    );
                    reader.draft().doubt(DoubtKind::OtherFormat, None, words);
                }
                reader.finish(known.exit_code, noticed)
            }
        };
        report.detected = Some(Detection { certainty, others });
        Ok(Some(report))
    }
}
