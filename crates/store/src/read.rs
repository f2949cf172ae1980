//! Reading events, heads and seals.

use countersign_domain::Digest;
use countersign_domain::ledger::{Event, Head, Heads, Order, Seal, Span, Stream};
use rusqlite::types::Type;
use rusqlite::{Connection, Row};
use uuid::Uuid;

use crate::append::{Retention, signed};
use crate::error::{Error, Unavailable};
use crate::{Store, append};

const COLUMNS: &str = "position, id, stream, sequence, time, actor, kind, format, body, \
                       body_hash, previous, hash";

/// An event and its position among all events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    pub position: u64,
    pub event: Event,
}

/// How far the ledger goes.
#[derive(Debug, Clone)]
pub struct Extent {
    /// The position of the newest event.
    pub position: u64,
    pub events: u64,
    /// The order of the events since.
    pub order: Digest,
    /// The heads that moved since.
    pub moved: Heads,
    /// All heads.
    pub heads: Heads,
}

impl Store {
    /// Reads; damage that is met is remembered, and the next writing sets the database aside.
    pub(crate) fn reading<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.noting(read(&self.opened.connection))
    }

    /// Looks at every page of the database, so that damage is told that nobody has met yet.
    pub fn expect_sound(&self) -> Result<(), Error> {
        self.reading(|connection| {
            let said: String =
                connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
            if said == "ok" {
                return Ok(());
            }
            let (dir, why) = (self.options.dir.clone(), Unavailable::Corrupt);
            Err(Error::Unavailable { dir, why, detail: said })
        })
    }

    /// The events of `stream` after sequence `after`, in order.
    pub fn read(&self, stream: &Stream, after: u64) -> Result<Vec<Event>, Error> {
        self.reading(|connection| events_of(connection, stream, after))
    }

    /// Hands every event after `position` to `each`, in the order they were written, in
    /// constant memory.
    pub fn scan(
        &self,
        position: u64,
        each: impl FnMut(&Placed) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.reading(|connection| scan(connection, position, each))
    }

    pub fn head(&self, stream: &Stream) -> Result<Option<Head>, Error> {
        self.reading(|connection| append::head_of(connection, stream))
    }

    /// The heads of the streams that moved after `position` (all, for 0).
    pub fn heads_after(&self, position: u64) -> Result<Heads, Error> {
        self.reading(|connection| heads_after(connection, position))
    }

    /// The position of the newest event, which moves with every append; 0 if there is none.
    pub fn position(&self) -> Result<u64, Error> {
        self.reading(|connection| {
            let mut statement = connection.prepare_cached("SELECT max(position) FROM events")?;
            let newest: Option<i64> = statement.query_row([], |row| row.get(0))?;
            Ok(newest.map_or(0, unsigned))
        })
    }

    /// Everything a seal needs to know, as of one moment; `after` is where the last one ended.
    pub fn extent(&self, after: u64) -> Result<Extent, Error> {
        self.reading(|connection| {
            let reading = connection.unchecked_transaction()?;
            let mut statement = reading.prepare_cached(
                "SELECT position, hash FROM events WHERE position > ?1 ORDER BY position",
            )?;
            let mut rows = statement.query([signed(after)])?;
            let mut position = after;
            let mut order = Order::default();
            while let Some(row) = rows.next()? {
                position = unsigned(row.get(0)?);
                order.add(&digest(row, 1)?);
            }
            Ok(Extent {
                position,
                // Events are never removed by us, so the newest position is their number;
                // counting would read the whole table.
                events: position,
                order: order.finish(),
                moved: self.heads_after(after)?,
                heads: self.heads_after(0)?,
            })
        })
    }

    /// All seals, oldest first. One that can't be read is left out: verification then names it
    /// as removed, and goes on.
    pub fn seals(&self) -> Result<Vec<Seal>, Error> {
        self.reading(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT seal FROM seals ORDER BY number")?;
            let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
            let seals = rows.map(|row| Ok(parse_seal(&row?).ok()));
            seals.filter_map(Result::transpose).collect()
        })
    }

    /// The newest seal.
    pub fn last_seal(&self) -> Result<Option<Seal>, Error> {
        self.reading(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT seal FROM seals ORDER BY number DESC LIMIT 1")?;
            let mut rows = statement.query_map([], |row| row.get::<_, String>(0))?;
            rows.next().map(|row| parse_seal(&row?)).transpose()
        })
    }

    /// Has everything that `read` reads be as of one moment, whoever writes meanwhile.
    pub fn at_one_moment<T, E: From<Error>>(
        &self,
        read: impl FnOnce(&Self) -> Result<T, E>,
    ) -> Result<T, E> {
        let begun = self.opened.connection.unchecked_transaction();
        let _moment = self.noting(begun.map_err(Error::from))?;
        read(self)
    }

    /// The streams whose head, as it is kept for appending and sealing, is not their last event.
    pub fn wrong_heads(&self) -> Result<Vec<Stream>, Error> {
        self.reading(|connection| {
            let mut statement = connection.prepare(
                "SELECT s.stream FROM streams AS s
                 LEFT JOIN events AS e ON e.stream = s.stream AND e.sequence = s.sequence
                 WHERE e.hash IS NOT s.hash OR e.position IS NOT s.position OR EXISTS
                   (SELECT 1 FROM events WHERE stream = s.stream AND sequence > s.sequence)
                 UNION SELECT stream FROM events WHERE stream NOT IN (SELECT stream FROM streams)",
            )?;
            let rows = statement.query_map([], |row| stream_name(row, 0))?;
            rows.map(|row| row.map_err(Error::from)).collect()
        })
    }
}

pub(crate) fn heads_after(connection: &Connection, position: u64) -> Result<Heads, Error> {
    let mut statement = connection
        .prepare_cached("SELECT stream, sequence, hash FROM streams WHERE position > ?1")?;
    let rows = statement.query_map([signed(position)], |row| {
        let head = Head { sequence: unsigned(row.get(1)?), hash: digest(row, 2)? };
        Ok((stream_name(row, 0)?, head))
    })?;
    rows.map(|row| row.map_err(Error::from)).collect()
}

/// The events of `stream` after sequence `after`, in order.
pub(crate) fn events_of(
    connection: &Connection,
    stream: &Stream,
    after: u64,
) -> Result<Vec<Event>, Error> {
    let sql = format!(
        "SELECT {COLUMNS} FROM events WHERE stream = ?1 AND sequence > ?2 ORDER BY sequence"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map((stream.as_str(), signed(after)), placed)?;
    rows.map(|row| Ok(row?.event)).collect()
}

pub(crate) fn scan(
    connection: &Connection,
    position: u64,
    mut each: impl FnMut(&Placed) -> Result<(), Error>,
) -> Result<(), Error> {
    let sql = format!("SELECT {COLUMNS} FROM events WHERE position > ?1 ORDER BY position");
    let mut statement = connection.prepare(&sql)?;
    let mut rows = statement.query([signed(position)])?;
    let Some(row) = rows.next()? else { return Ok(()) };
    let mut current = placed(row)?;
    each(&current)?;
    while let Some(row) = rows.next()? {
        // The same strings again and again: a million events need no million allocations.
        refill(&mut current, row)?;
        each(&current)?;
    }
    Ok(())
}

/// The stretches of events that have a body and that `retention` covers. The ledger's own
/// records are never among them: they account for what was removed.
pub(crate) fn spans_with_body(
    connection: &Connection,
    retention: &Retention,
) -> Result<Vec<Span>, Error> {
    let mut statement = connection.prepare(
        "SELECT stream, sequence FROM events WHERE body IS NOT NULL AND time < ?1 \
         AND stream >= ?2 AND substr(stream, 1, length(?2)) = ?2 AND stream <> 'ledger' \
         ORDER BY stream, sequence",
    )?;
    let mut rows = statement.query((&retention.before, &retention.prefix))?;
    let mut spans: Vec<Span> = Vec::new();
    while let Some(row) = rows.next()? {
        let stream = stream_name(row, 0)?;
        let sequence = unsigned(row.get(1)?);
        if retention.spared.contains(&stream) {
            continue;
        }
        match spans.last_mut() {
            Some(last) if last.stream == stream && last.to + 1 == sequence => last.to = sequence,
            _ => spans.push(Span { stream, from: sequence, to: sequence }),
        }
    }
    Ok(spans)
}

fn parse_seal(text: &str) -> Result<Seal, Error> {
    serde_json::from_str(text).map_err(|error| Error::Unreadable(format!("a seal: {error}")))
}

fn placed(row: &Row<'_>) -> rusqlite::Result<Placed> {
    let zero = Digest::from_bytes([0; 32]);
    let event = Event {
        id: Uuid::nil(),
        stream: stream_name(row, 2)?,
        sequence: 0,
        time: String::new(),
        actor: String::new(),
        kind: String::new(),
        format: 0,
        body: None,
        body_hash: zero,
        previous: zero,
        hash: zero,
    };
    let mut placed = Placed { position: 0, event };
    refill(&mut placed, row)?;
    Ok(placed)
}

/// Reads `row` into `placed`, whatever that held.
fn refill(placed: &mut Placed, row: &Row<'_>) -> rusqlite::Result<()> {
    let event = &mut placed.event;
    placed.position = unsigned(row.get(0)?);
    event.id = Uuid::from_bytes(bytes(row, 1)?);
    if event.stream.as_str() != row.get_ref(2)?.as_str()? {
        event.stream = stream_name(row, 2)?;
    }
    event.sequence = unsigned(row.get(3)?);
    refill_text(&mut event.time, row, 4)?;
    refill_text(&mut event.actor, row, 5)?;
    refill_text(&mut event.kind, row, 6)?;
    event.format = row.get(7)?;
    match row.get_ref(8)?.as_str_or_null()? {
        Some(body) => {
            let text = event.body.get_or_insert_default();
            text.clear();
            text.push_str(body);
        }
        None => event.body = None,
    }
    event.body_hash = digest(row, 9)?;
    event.previous = digest(row, 10)?;
    event.hash = digest(row, 11)?;
    Ok(())
}

fn refill_text(text: &mut String, row: &Row<'_>, column: usize) -> rusqlite::Result<()> {
    let new = row.get_ref(column)?.as_str()?;
    if text != new {
        text.clear();
        text.push_str(new);
    }
    Ok(())
}

fn stream_name(row: &Row<'_>, column: usize) -> rusqlite::Result<Stream> {
    row.get_ref(column)?.as_str()?.parse().map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error))
    })
}

pub(crate) fn digest(row: &Row<'_>, column: usize) -> rusqlite::Result<Digest> {
    bytes(row, column).map(Digest::from_bytes)
}

fn bytes<const N: usize>(row: &Row<'_>, column: usize) -> rusqlite::Result<[u8; N]> {
    let bytes = row.get_ref(column)?.as_blob()?;
    bytes.try_into().map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Blob, Box::new(error))
    })
}

pub(crate) fn unsigned(n: i64) -> u64 {
    u64::try_from(n).unwrap_or(0)
}
