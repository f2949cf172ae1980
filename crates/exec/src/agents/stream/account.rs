//! What an agent used: as it told, and until then as it can be estimated.

use countersign_domain::agent::{Money, Usage};

use crate::agents::prices::Prices;

/// What agents send along with every request: instructions and tools, in tokens. From what the
/// real ones send.
const INSTRUCTIONS: u64 = 8_000;
/// How many bytes of text are one token, about.
const BYTES_PER_TOKEN: u64 = 4;

/// The account of one conversation.
#[derive(Debug, Default)]
pub(crate) struct Account {
    /// Told by the agent, for everything up to now.
    told: Option<Told>,
    /// In bytes: what the model has read by now besides its instructions.
    context: u64,
    /// The estimate of all requests by now.
    estimate: Usage,
    /// What came in since the last request was estimated.
    is_open: bool,
}

#[derive(Debug, Clone, Copy)]
struct Told {
    usage: Usage,
    /// Whether nothing is left out.
    is_whole: bool,
}

impl Account {
    /// The agent told what everything up to now took. Its cost may be among it.
    pub(crate) fn told(&mut self, usage: Usage) {
        self.told = Some(Told { usage, is_whole: true });
    }

    /// The agent told what everything up to now took, but more is known to be under way.
    pub(crate) fn told_so_far(&mut self, usage: Usage) {
        self.told = Some(Told { usage, is_whole: false });
    }

    /// So many bytes of text came out of the model.
    pub(crate) fn came_out(&mut self, bytes: usize) {
        let bytes = bytes as u64;
        if !self.is_open {
            self.is_open = true;
            self.request();
        }
        self.estimate.output_tokens += bytes / BYTES_PER_TOKEN;
        self.context = self.context.saturating_add(bytes);
    }

    /// So many bytes go into it with its next request.
    pub(crate) fn went_in(&mut self, bytes: usize) {
        self.is_open = false;
        self.context = self.context.saturating_add(bytes as u64);
    }

    /// A request sends all of the context again, most of it from a cache.
    fn request(&mut self) {
        let all = INSTRUCTIONS + self.context / BYTES_PER_TOKEN;
        let is_first = self.estimate.input_tokens == 0;
        self.estimate.input_tokens = self.estimate.input_tokens.saturating_add(all);
        if !is_first {
            let cached = all - all / 10;
            self.estimate.cached_tokens = self.estimate.cached_tokens.saturating_add(cached);
        }
    }

    /// What is known, with a cost if somebody knows one.
    pub(crate) fn usage(&self, prices: &Prices, model: Option<&str>) -> Usage {
        let (mut usage, is_whole) = match self.told {
            Some(told) => (told.usage, told.is_whole),
            None => (self.estimate, false),
        };
        if usage.cost.is_none() && usage.tokens() > 0 {
            usage.cost = model.and_then(|model| prices.cost(model, &usage));
            usage.is_priced_by_us = usage.cost.is_some();
        }
        usage.is_partial |= !is_whole && usage != Usage::default();
        usage
    }
}

/// A cost as an agent tells it. Nothing is not a cost if tokens were used: it then knows no price.
pub(crate) fn told_cost(dollars: Option<f64>, tokens: u64) -> Option<Money> {
    let cost = Money::from_dollars(dollars?)?;
    (cost > Money::ZERO || tokens == 0).then_some(cost)
}
