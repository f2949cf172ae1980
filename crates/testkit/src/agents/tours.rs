//! Tours: what the model has an agent do, and how the agent is started for it.

mod claude;
mod codex;
mod gemini;

use super::real::RealAgent;
use super::stage::{Stage, finish};
use crate::model::Script;
use crate::ran::Ran;

/// One way through what an agent can do.
#[derive(Debug, Clone, Copy)]
pub struct Tour {
    pub name: &'static str,
    pub agent: RealAgent,
    /// What the user asks for.
    pub prompt: &'static str,
    pub script: fn() -> Script,
    /// Plays it on a stage with this script; what the agent printed, call by call.
    pub play: fn(&Stage, &str) -> Vec<Ran>,
}

/// All tours there are.
pub fn all() -> Vec<Tour> {
    [claude::TOURS, codex::TOURS, gemini::TOURS].concat()
}

/// The tour of this name.
///
/// # Panics
/// When there is none.
pub fn named(agent: RealAgent, name: &str) -> Tour {
    let found = all().into_iter().find(|tour| tour.agent == agent && tour.name == name);
    found.unwrap_or_else(|| panic!("there is no tour `{name}` of {agent:?}"))
}

/// A sum that is wrong, and the test that says so.
const WRONG: &str = "def add(a, b):\n    return a - b\n";
const TEST: &str = "import unittest\nfrom calc import add\n\n\n\
    class AddTest(unittest.TestCase):\n    def test_add(self):\n        \
    self.assertEqual(add(1, 2), 3)\n";
/// Without compiled files: they are told from others by the second, and tours are quick.
const RUN_TESTS: &str = "python3 -B -m unittest -q";
