//! What agents wrote: from blobs where they have ended, from what is known of them while they work.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read as _, Write};
use std::time::Duration;

use countersign_domain::agent::Role;
use countersign_domain::relay::RelayEvent;
use countersign_domain::report::{Iteration, RelayTrail, Source, Trail};
use countersign_domain::run::RunEvent;
use countersign_domain::secret::Scanner;
use countersign_domain::{Digest, Stamp};
use jiff::Timestamp;
use serde::Serialize;

use crate::Engine;
use crate::error::{Error, Kind, Result};
use crate::relay::Undertaking;
use crate::run::Live;

/// How often a follower looks.
const EVERY: Duration = Duration::from_millis(300);

/// What of all that was written is wanted.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted {
    pub attempt: Option<u32>,
    pub role: Option<Role>,
    /// What agents were told, in place of what they wrote.
    pub prompts: bool,
}

/// One start of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Written {
    pub run: Stamp,
    /// A story, `ALL` or `GOAL`.
    pub leg: String,
    pub iteration: u32,
    pub attempt: u32,
    pub role: Role,
    /// Which verifier, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verifier: Option<u32>,
    pub agent: String,
    pub started_at: Timestamp,
    /// How it ended; nothing while it is at work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    pub prompt: Digest,
    /// What it wrote; nothing while it is at work or if it was cut off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Digest>,
    pub bytes: u64,
}

/// What a follower hears.
#[derive(Debug)]
pub enum Heard<'a> {
    /// An agent was started.
    Began(&'a Written),
    /// An agent has ended; what it wrote can be read.
    Ended(&'a Written),
    /// What an agent is doing now.
    Doing(Stamp, &'a Live),
}

/// How much of a blob is looked at for secrets at once, and how much of it at most.
const PIECE: usize = 64 * 1024;
const LONGEST: usize = 1 << 20;

impl Engine {
    /// The starts of agents that `wanted` is about, oldest first.
    pub fn logs(&self, it: Undertaking, wanted: &Wanted) -> Result<Vec<Written>> {
        Ok(starts(&self.source_of(it)?, wanted))
    }

    /// The beginning of a blob as text without secrets, and whether there is more.
    pub fn blob_beginning(&self, blob: &Digest, most: u64) -> Result<(String, bool)> {
        let mut bytes = Vec::new();
        let reader = self.store.blobs().open(blob)?;
        let read = reader.take(most + 1).read_to_end(&mut bytes);
        read.map_err(|error| Error::new(Kind::Unavailable, format!("reading a blob: {error}")))?;
        let is_cut = bytes.len() as u64 > most;
        bytes.truncate(usize::try_from(most).unwrap_or(usize::MAX));
        let text = String::from_utf8_lossy(&bytes);
        Ok((Scanner::builtin().redact(&text).into_owned(), is_cut))
    }

    /// Copies a blob to `out` without secrets, piece by piece; returns how many bytes it has.
    pub fn copy_blob(&self, blob: &Digest, out: &mut dyn Write) -> Result<u64> {
        let mut reader = self.store.blobs().open(blob)?;
        let mut buffer = vec![0; PIECE];
        let mut held: Vec<u8> = Vec::new();
        let mut bytes = 0;
        let failed =
            |error: &std::io::Error| Error::new(Kind::Unavailable, format!("copying: {error}"));
        loop {
            let count = reader.read(&mut buffer).map_err(|error| failed(&error))?;
            held.extend_from_slice(&buffer[..count]);
            bytes += count as u64;
            // A secret ends with its line; a line that has no end is told in pieces.
            let whole = match held.iter().rposition(|byte| *byte == b'\n') {
                _ if count == 0 || held.len() > LONGEST => held.len(),
                Some(end) if held.len() >= PIECE => end + 1,
                _ => 0,
            };
            let rest = held.split_off(whole);
            out.write_all(&redacted(&held)).map_err(|error| failed(&error))?;
            held = rest;
            if count == 0 {
                return Ok(bytes);
            }
        }
    }

    /// Tells of every start and end of an agent, from the first to the last of a run or a relay, and
    /// goes on until it has ended or `tell` returns `false`.
    pub fn follow_logs(
        &self,
        it: Undertaking,
        wanted: &Wanted,
        tell: &mut dyn FnMut(&Heard<'_>) -> Result<bool>,
    ) -> Result<()> {
        let mut told: BTreeSet<(Stamp, Timestamp, Role, bool)> = BTreeSet::new();
        let mut doing: BTreeMap<Stamp, (Option<String>, Option<String>)> = BTreeMap::new();
        let mut source = self.source_of(it)?;
        loop {
            for start in starts(&source, wanted) {
                let (run, at, role) = (start.run, start.started_at, start.role);
                if told.insert((run, at, role, false)) && !tell(&Heard::Began(&start))? {
                    return Ok(());
                }
                let is_new = start.ended.is_some() && told.insert((run, at, role, true));
                if is_new && !tell(&Heard::Ended(&start))? {
                    return Ok(());
                }
            }
            if has_ended(&source) {
                return Ok(());
            }
            for trail in source.runs.iter().filter(|trail| trail.outcome.is_none()) {
                let Some(live) = self.live(trail.run).filter(|live| fits(live, wanted)) else {
                    continue;
                };
                let now = (live.doing.clone(), live.said.clone());
                if doing.insert(trail.run, now.clone()) != Some(now)
                    && !tell(&Heard::Doing(trail.run, &live))?
                {
                    return Ok(());
                }
            }
            std::thread::sleep(EVERY);
            if self.has_moved(&source)? {
                source = self.source_of(it)?;
            }
        }
    }

    /// Whether something was appended since `source` was read.
    fn has_moved(&self, source: &Source) -> Result<bool> {
        let sequence = |stream: &str| -> Result<u64> {
            let stream = stream
                .parse()
                .map_err(|error| Error::new(Kind::Bug, format!("the name of a stream: {error}")))?;
            Ok(self.store.head(&stream)?.map_or(0, |head| head.sequence))
        };
        if let Some(RelayTrail { relay, .. }) = &source.relay {
            if sequence(&RelayEvent::stream(relay.id()))? != relay.sequence {
                return Ok(true);
            }
            // A run that was named and is opened now.
            let is_read = |run: &Stamp| source.runs.iter().any(|trail| trail.run == *run);
            for (_, run) in relay.runs.iter().filter(|(_, run)| !is_read(run)) {
                if !source.lost.contains(run) && sequence(&RunEvent::stream(*run))? > 0 {
                    return Ok(true);
                }
            }
        }
        for trail in &source.runs {
            if sequence(&RunEvent::stream(trail.run))? != trail.events {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Bytes without secrets, as far as they are text; a line that is none stays as it is.
fn redacted(bytes: &[u8]) -> Vec<u8> {
    let scanner = Scanner::builtin();
    if let Ok(text) = str::from_utf8(bytes) {
        return scanner.redact(text).into_owned().into_bytes();
    }
    let lines = bytes.split_inclusive(|byte| *byte == b'\n');
    let clean = |line: &[u8]| match str::from_utf8(line) {
        Ok(text) => scanner.redact(text).into_owned().into_bytes(),
        Err(_) => line.to_vec(),
    };
    lines.flat_map(clean).collect()
}

fn fits(live: &Live, wanted: &Wanted) -> bool {
    wanted.role.is_none_or(|role| role == live.role)
        && wanted.attempt.is_none_or(|attempt| attempt == live.attempt)
        && !wanted.prompts
}

fn has_ended(source: &Source) -> bool {
    match &source.relay {
        Some(relay) => relay.relay.outcome.is_some(),
        None => source.runs.iter().all(|trail| trail.outcome.is_some()),
    }
}

fn starts(source: &Source, wanted: &Wanted) -> Vec<Written> {
    let iterations =
        source.runs.iter().flat_map(|trail| trail.iterations.iter().map(move |one| (trail, one)));
    let all = iterations.flat_map(|(trail, iteration)| starts_of(trail, iteration));
    all.filter(|start| wanted.role.is_none_or(|role| role == start.role))
        .filter(|start| wanted.attempt.is_none_or(|attempt| attempt == start.attempt))
        .collect()
}

fn starts_of(trail: &Trail, iteration: &Iteration) -> Vec<Written> {
    let of = |role, agent: String, (started_at, prompt): (Timestamp, Digest)| Written {
        run: trail.run,
        leg: trail.leg(),
        iteration: iteration.number,
        attempt: iteration.attempt,
        role,
        verifier: None,
        agent,
        started_at,
        ended: None,
        prompt,
        output: None,
        bytes: 0,
    };
    let mut starts = Vec::new();
    let review = iteration.review.as_ref();
    if let Some((review, prompt)) = review.and_then(|one| Some((one, one.prompt?)))
        && let Some(execution) = &review.execution
    {
        let crew = trail.opened.crew.as_ref();
        let agent = crew.and_then(|crew| crew.reviewer.as_ref()).map(ToString::to_string);
        let start = of(Role::Reviewer, agent.unwrap_or_default(), (execution.started_at, prompt));
        starts.push(ended(start, execution.ended.to_string(), Some(execution)));
    }
    if let Some(work) = &iteration.worker {
        let start = of(Role::Worker, work.agent.clone(), (work.at, work.prompt));
        let words = work.heard.as_ref().map(|heard| heard.end.to_string());
        let words = words.or(work.execution.as_ref().map(|one| one.ended.to_string()));
        let words = words.or(work.is_interrupted.then(|| "cut off".to_owned()));
        starts.push(match words {
            Some(words) => ended(start, words, work.execution.as_ref()),
            None => start,
        });
    }
    for judging in &iteration.judgings {
        let crew = trail.opened.crew.as_ref();
        let agent = crew.and_then(|crew| crew.verifiers.get(judging.verifier as usize));
        let agent = agent.map(ToString::to_string).unwrap_or_default();
        let start = of(Role::Verifier, agent, (judging.at, judging.prompt));
        let start = Written { verifier: Some(judging.verifier + 1), ..start };
        let verified = judging.verified.as_ref();
        let words = verified.map(|verified| verified.heard.end.to_string());
        let words = words.or(judging.is_interrupted.then(|| "cut off".to_owned()));
        starts.push(match words {
            Some(words) => ended(start, words, verified.map(|verified| &*verified.execution)),
            None => start,
        });
    }
    starts
}

fn ended(
    start: Written,
    words: String,
    execution: Option<&countersign_domain::receipt::Execution>,
) -> Written {
    let output = execution.map(|execution| &execution.output);
    Written {
        ended: Some(words),
        output: output.map(|output| output.blob),
        bytes: output.map_or(0, |output| output.bytes),
        ..start
    }
}
