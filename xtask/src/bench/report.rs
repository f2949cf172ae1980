//! The figures as a table and as JSON.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Value, json};

use super::measure::Pair;

/// A figure with its unit.
#[derive(Debug, Clone, Copy)]
pub(super) enum Figure {
    Time(Duration),
    PerSecond(f64),
    Bytes(u64),
    /// Of something that the row names.
    Count(u64),
}

/// What a figure must reach.
#[derive(Debug, Clone, Copy)]
pub(super) enum Bar {
    /// The ratio to the floor.
    RatioAtMost(f64),
    PerSecondAtLeast(f64),
    BytesAtMost(u64),
    TimeAtMost(Duration),
    CountIs(u64),
    /// Only reported.
    None,
}

/// One line of the table.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) what: String,
    /// What it is compared with.
    pub(super) floor: Option<(String, Figure)>,
    pub(super) ours: Figure,
    pub(super) bar: Bar,
    pub(super) runs: usize,
}

impl Row {
    pub(super) fn of_pair(what: impl Into<String>, floor: &str, pair: Pair, bar: Bar) -> Self {
        Self {
            what: what.into(),
            floor: Some((floor.to_owned(), Figure::Time(pair.floor))),
            ours: Figure::Time(pair.ours),
            bar,
            runs: pair.runs,
        }
    }

    /// A figure without a floor.
    pub(super) fn alone(what: impl Into<String>, ours: Figure, bar: Bar, runs: usize) -> Self {
        Self { what: what.into(), floor: None, ours, bar, runs }
    }

    fn ratio(&self) -> Option<f64> {
        let (_, floor) = self.floor.as_ref()?;
        Some(self.ours.value() / floor.value())
    }

    pub(super) fn is_over(&self) -> bool {
        let ratio = self.ratio().unwrap_or(f64::NAN);
        let holds = match self.bar {
            Bar::RatioAtMost(most) => ratio <= most,
            Bar::PerSecondAtLeast(least) => self.ours.value() >= least,
            Bar::BytesAtMost(most) => matches!(self.ours, Figure::Bytes(found) if found <= most),
            Bar::TimeAtMost(most) => matches!(self.ours, Figure::Time(found) if found <= most),
            Bar::CountIs(count) => matches!(self.ours, Figure::Count(found) if found == count),
            Bar::None => true,
        };
        !holds
    }

    fn verdict(&self) -> &'static str {
        match self.bar {
            Bar::None => "–",
            _ if self.is_over() => "OVER",
            _ => "ok",
        }
    }
}

impl Figure {
    #[expect(clippy::cast_precision_loss, reason = "for ratios and for people to read")]
    fn value(self) -> f64 {
        match self {
            Self::Time(time) => time.as_secs_f64(),
            Self::PerSecond(rate) => rate,
            Self::Bytes(bytes) => bytes as f64,
            Self::Count(count) => count as f64,
        }
    }

    fn shown(self) -> String {
        let value = self.value();
        match self {
            Self::Time(_) if value < 0.001 => format!("{:.0} µs", value * 1e6),
            Self::Time(_) if value < 1.0 => format!("{:.2} ms", value * 1e3),
            Self::Time(_) => format!("{value:.2} s"),
            Self::PerSecond(_) => format!("{value:.0}/s"),
            Self::Bytes(_) => format!("{:.2} MB", value / 1e6),
            Self::Count(count) => count.to_string(),
        }
    }

    fn json(self) -> Value {
        match self {
            Self::Time(time) => json!({ "seconds": time.as_secs_f64() }),
            Self::PerSecond(rate) => json!({ "per_second": rate }),
            Self::Bytes(bytes) => json!({ "bytes": bytes }),
            Self::Count(count) => json!({ "count": count }),
        }
    }
}

impl Bar {
    fn shown(self) -> String {
        match self {
            Self::RatioAtMost(most) => format!("≤ {most} ×"),
            Self::PerSecondAtLeast(least) => format!("≥ {least:.0}/s"),
            Self::TimeAtMost(most) => format!("≤ {}", Figure::Time(most).shown()),
            Self::BytesAtMost(most) => format!("≤ {}", Figure::Bytes(most).shown()),
            Self::CountIs(count) => count.to_string(),
            Self::None => "–".to_owned(),
        }
    }
}

/// The rows as a Markdown table.
pub(super) fn table(rows: &[Row]) -> String {
    let mut text = String::from(
        "| what | floor | floor took | ours | ratio | bar | | runs |\n|---|---|---|---|---|---|---|---|\n",
    );
    for row in rows {
        let (floor, took) = match &row.floor {
            Some((name, figure)) => (name.as_str(), figure.shown()),
            None => ("–", "–".to_owned()),
        };
        let ratio = row.ratio().map_or("–".to_owned(), |ratio| format!("{ratio:.2}"));
        let (what, ours, bar) = (&row.what, row.ours.shown(), row.bar.shown());
        let (verdict, runs) = (row.verdict(), row.runs);
        let _ = writeln!(
            text,
            "| {what} | {floor} | {took} | {ours} | {ratio} | {bar} | {verdict} | {runs} |"
        );
    }
    text
}

/// The rows for programs, with what is needed to judge them.
pub(super) fn json(rows: &[Row], quick: bool) -> Value {
    let all: Vec<Value> = rows
        .iter()
        .map(|row| {
            json!({
                "what": row.what,
                "floor": row.floor.as_ref().map(|(name, figure)| {
                    json!({ "what": name, "figure": figure.json() })
                }),
                "ours": row.ours.json(),
                "ratio": row.ratio(),
                "bar": row.bar.shown(),
                "verdict": row.verdict(),
                "runs": row.runs,
            })
        })
        .collect();
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    json!({ "quick": quick, "cores": cores, "load_at_the_end": load.trim(), "rows": all })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(floor: u64, ours: u64) -> Pair {
        Pair { floor: Duration::from_millis(floor), ours: Duration::from_millis(ours), runs: 50 }
    }

    #[test]
    fn a_ratio_is_held_against_its_bar() {
        let row = |ours| Row::of_pair("a", "b", pair(10, ours), Bar::RatioAtMost(2.5));
        assert!(!row(25).is_over());
        assert!(row(26).is_over());
        let text = table(&[row(20)]);
        assert!(text.ends_with("| a | b | 10.00 ms | 20.00 ms | 2.00 | ≤ 2.5 × | ok | 50 |\n"));
    }

    #[test]
    fn counts_and_rates_have_bars_too() {
        let count = |n| Row::alone("a", Figure::Count(n), Bar::CountIs(32_000), 1);
        assert!(count(31_999).is_over());
        assert!(!count(32_000).is_over());
        let rate = |n| Row::alone("a", Figure::PerSecond(n), Bar::PerSecondAtLeast(2e5), 1);
        assert!(rate(1e5).is_over());
        assert!(!rate(3e5).is_over());
        assert!(!Row::alone("a", Figure::Bytes(1), Bar::None, 1).is_over());
    }
}
