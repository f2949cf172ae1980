//! A plan of three stories and one agent for all of its roles: a script that does the story of its
//! prompt, and judges what others did. Each start of it tells what it cost.

use std::ffi::OsString;

use countersign_domain::budget::Amount;
use countersign_engine::relay::{RelayDriven, RelayRequest, RelaySummary, Undertaking};
use countersign_engine::{Engine, Host};
use countersign_testkit::{Project, normalised, without_interruptions};
use serde_json::{Value, json};

use crate::killing;
use crate::relay;
use crate::stage::planted;

/// What a start of the agent costs, in millionths of a dollar.
pub const COST: u64 = 10_000;

/// What the agent does; `PAUSE` is a moment between its steps, and `BEGIN` what it does first.
const AGENT: &str = r#"BEGIN
prompt=$(cat); PAUSE; mkdir -p .countersign
if [ "$COUNTERSIGN_ROLE" = worker ]; then
  name=$(printf '%s' "$prompt" | sed -n 's/^# US-00.: Print //p' | head -n 1)
  story=$(printf '%s' "$prompt" | sed -n 's/^# \(US-00.\): Print .*/\1/p' | head -n 1)
  echo "echo $name" > $name.sh
  PAUSE
  printf 'a=$(sh %s.sh); b=$(sh %s.sh); test "$a" = %s && test "$b" = %s\n' $name $name $name $name > tests/$name.sh
  PAUSE
  printf '{"us_id": "%s", "execution_steps": [{"step": "implement", "ac_id": "AC1"}]}' $story > .countersign/claim.json
else
  for look in 'evidence gate' 'layer enforcement' 'test sufficiency' 'anti-gaming' 'worker process audit'
  do looks="$looks,{\"check\":\"$look\",\"decision\":\"pass\",\"basis\":\"r1\"}"; done
  PAUSE
  case "$prompt" in *'Judge ALL only'*) names='US-001_AC1 US-002_AC1 US-003_AC1';; *) names=AC1;; esac
  for name in $names
  do criteria="$criteria,{\"criterion\":\"$(echo $name | tr _ ' ')\",\"met\":true,\"evidence\":\"r1\"}"; done
  criteria="[${criteria#,}]"
  rest="\"missing_evidence\":[],\"receipts\":[\"r1\"],\"issues\":[]"
  echo "{\"verdict\":\"pass\",\"summary\":\"-\",\"criteria\":$criteria,\"reasoning\":[${looks#,}],$rest}" > .countersign/verdict.json
fi
PAUSE
echo '{"type":"system","subtype":"init","session_id":"s","model":"m"}'
echo '{"type":"result","subtype":"success","is_error":false,"result":"Done.","num_turns":1,"session_id":"s","total_cost_usd":0.01,"usage":{"input_tokens":10,"output_tokens":10}}'
PAUSE"#;

/// A project with the plan and the agent, as `claude`, on the search path.
pub struct Stage {
    pub project: Project,
    pub path: OsString,
}

impl Stage {
    pub fn new() -> Self {
        Self::with_agent("", ":")
    }

    /// As [`Stage::new`], with an agent that does `begin` first and `pause` between its steps.
    pub fn with_agent(begin: &str, pause: &str) -> Self {
        let project = relay::project(&["alpha", "beta", "gamma"]);
        let script = AGENT.replace("BEGIN", begin).replace("PAUSE", pause);
        let path = planted(&project, "claude", &script).into();
        Self { project, path }
    }

    /// A host that is this process but for the project's environment.
    pub fn host(&self) -> Host {
        let mut host = killing::host(&self.project);
        host.environment.insert("PATH".into(), self.path.clone());
        host
    }

    /// Expects the relay at its end, all of it, with nothing left over; what it came to.
    #[track_caller]
    pub fn expect_end(&self, when: &str) -> End {
        killing::expect_nothing_left(&self.project, when);
        let engine = Engine::open(self.host()).unwrap();
        let Undertaking::Relay(relay) = engine.find_undertaking("latest").unwrap() else {
            panic!("{when}: the newest is no relay")
        };
        assert_eq!(engine.relays(9).unwrap().len(), 1, "{when}: there is a second relay");
        let summary = engine.relay_summary(relay).unwrap();
        let journals = journals(&engine, &summary);
        let questions = engine.checkpoints(false).unwrap();
        assert!(questions.is_empty(), "{when}: {questions:?}");
        let starts = journals[1..].iter().map(starts).sum();
        let spent = expect_balanced(&engine, &summary, starts, when);
        self.expect_kept(&journals, when);
        let branch = format!("countersign/{relay}");
        let commits = self.project.git(["log", "--format=%T %s", &format!("main..{branch}")]);
        assert_eq!(commits.lines().count(), 3, "{when}: one commit a story:\n{commits}");
        let names = ["branch", "--list", "countersign/*", "--format=%(refname:short)"];
        assert_eq!(self.project.git(names).trim(), branch, "{when}");
        let cut_off = journals.iter().map(|one| interruptions(one).count()).sum();
        let outside = self.project.outside();
        let of = |one: &Value| {
            let text = one.to_string().replace(outside.to_str().unwrap(), "{outside}");
            let mut journal =
                without_interruptions(normalised(&serde_json::from_str(&text).unwrap()));
            journal.iter_mut().for_each(erase_rest);
            journal
        };
        End { journals: journals.iter().map(of).collect(), commits, starts, cut_off, spent }
    }

    /// Expects that what a cut-off attempt had done is still there.
    #[track_caller]
    fn expect_kept(&self, journals: &[Value], when: &str) {
        for one in journals.iter().flat_map(interruptions) {
            if let Some(tree) = one["event"]["body"]["tree"].as_str() {
                let kind = self.project.git(["cat-file", "-t", tree]);
                assert_eq!(kind.trim(), "tree", "{when}: what was cut off is lost");
                let kept = self.project.git(["for-each-ref", "--points-at", tree]);
                assert!(kept.contains("/interrupted-"), "{when}: nothing keeps {tree}");
            }
        }
    }
}

/// Drives the newest relay, or opens one with so many places, until it ends.
pub fn drive(engine: &mut Engine, jobs: Option<u32>) {
    let relay = match engine.find_undertaking("latest") {
        Ok(Undertaking::Relay(relay)) => relay,
        Ok(Undertaking::Run(run)) => panic!("{run} is a run"),
        Err(_) => {
            let request = RelayRequest {
                plan: "names".into(),
                workers: vec!["claude".into()],
                verifiers: vec!["claude".into()],
                jobs,
                ..RelayRequest::default()
            };
            engine.open_relay(&request, &mut |_| {}).unwrap()
        }
    };
    let driven = engine.drive_relay(relay, &mut |_| {}).unwrap();
    assert!(matches!(driven, RelayDriven::Ended(_)), "{driven:?}");
}

/// What a relay came to.
pub struct End {
    /// Of the relay and of each of its runs, without what was cut off.
    pub journals: Vec<Vec<Value>>,
    /// The tree and the subject of each commit.
    pub commits: String,
    /// Agents that were started.
    pub starts: u64,
    /// Starts that were cut off.
    pub cut_off: usize,
    /// What all of them cost.
    pub spent: u64,
}

impl End {
    #[track_caller]
    pub fn expect_same(&self, other: &Self, when: &str) {
        assert_eq!(self.commits, other.commits, "{when}: other commits");
        assert_eq!(self.journals.len(), other.journals.len(), "{when}: other runs");
        for (one, other) in self.journals.iter().zip(&other.journals) {
            let kinds = |journal: &[Value]| -> Vec<Value> {
                journal.iter().map(|event| event["kind"].clone()).collect()
            };
            assert_eq!(kinds(one), kinds(other), "{when}");
            for (event, other) in one.iter().zip(other) {
                assert_eq!(event, other, "{when}");
            }
        }
    }
}

/// The journal of the relay, then those of its runs.
fn journals(engine: &Engine, relay: &RelaySummary) -> Vec<Value> {
    let own = json!({ "entries": engine.relay_journal(relay.relay).unwrap() });
    let run = |run| serde_json::to_value(engine.journal(run).unwrap()).unwrap();
    std::iter::once(own).chain(relay.runs.iter().copied().map(run)).collect()
}

/// Who was cut off has spent something, so that less is left for who comes after.
fn erase_rest(event: &mut Value) {
    let words = event.pointer_mut("/event/body/execution/argv").and_then(Value::as_array_mut);
    if let Some(words) = words
        && let Some(at) = words.iter().position(|word| *word == "--max-budget-usd")
    {
        words[at + 1] = json!("…");
    }
}

fn entries(journal: &Value) -> impl Iterator<Item = &Value> {
    journal["entries"].as_array().into_iter().flatten()
}

fn interruptions(journal: &Value) -> impl Iterator<Item = &Value> {
    let is_one = |entry: &&Value| {
        matches!(entry["kind"].as_str(), Some("run.interrupted" | "run.verifier_interrupted"))
    };
    entries(journal).filter(is_one)
}

/// How many agents a run has started.
fn starts(journal: &Value) -> u64 {
    let is_start = |entry: &&Value| {
        matches!(entry["kind"].as_str(), Some("run.launched" | "run.verifier_launched"))
    };
    entries(journal).filter(is_start).count() as u64
}

/// Expects the books to be closed: nothing is reserved any more, and what was spent is what the agents
/// told, at most as often as they were started. What that is.
#[track_caller]
fn expect_balanced(engine: &Engine, relay: &RelaySummary, starts: u64, when: &str) -> u64 {
    let mut spent = 0;
    for run in &relay.runs {
        let status = engine.budget_status(None, Some(*run)).unwrap().run.unwrap();
        assert!(status.unsettled.is_empty(), "{when}: {:?}", status.unsettled);
        let (purse, sums) = status.shared.unwrap();
        assert_eq!(purse, relay.relay, "{when}");
        assert_eq!(sums.reserved, Amount::default(), "{when}");
        spent = sums.spent.money.0;
        // Of those that were cut off, some had not begun.
        assert!(spent <= COST * starts, "{when}: {starts} starts cost {spent}");
    }
    spent
}
