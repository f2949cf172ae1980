//! Agents that used more than they may: what they handed in is examined, and only the next start meets the
//! budget.

use std::fs;

use countersign_testkit::{Project, Ran};

use crate::stage::{claim, expect_asked, expect_tidy, last, pass, planted};
use crate::{CHECK, GOAL, greeter};

const DONE: &str = "echo 'echo \"Hello, $1\"' > greet.sh";
/// A turn that costs more than a quarter of a dollar, and an agent that does not come to its end.
const DEAR_TURN: &str = r#"echo '{"type":"assistant","session_id":"s","message":{"id":"1","model":"claude-sonnet-4-5","content":[{"type":"text","text":"At it."}],"usage":{"input_tokens":900000,"output_tokens":10}}}'; sleep 1000"#;

/// A project, and a `claude` on its path that works as `work` says and tells `cost` in dollars at its end.
struct Stage {
    project: Project,
    path: String,
}

impl Stage {
    fn new(work: &str, cost: &str) -> Self {
        let project = greeter();
        let log = project.outside().join("starts");
        let script = format!(
            "echo $COUNTERSIGN_ROLE >> {}; cat > /dev/null; mkdir -p .countersign\n\
             if [ $COUNTERSIGN_ROLE = verifier ]; then cost=0.01; printf '%s' '{}' > .countersign/verdict.json\n\
             else cost={cost}; {work}; fi\n\
             echo '{{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s\",\"model\":\"m\"}}'\n\
             echo '{{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"Done.\",\"num_turns\":1,'\
             '\"session_id\":\"s\",\"total_cost_usd\":'$cost',\"usage\":{{\"input_tokens\":10,\"output_tokens\":10}}}}'\n\
             # It is still there when what it cost is known.\n\
             sleep 0.2",
            log.display(),
            pass(r#"["r1"]"#),
        );
        let path = planted(&project, "claude", &script);
        Self { project, path }
    }

    /// A run with a quarter of a dollar for all of its agents.
    fn run(&self, verifiers: &[&str]) -> Ran {
        let words = ["run", GOAL, "--check", CHECK, "--no-input", "--examine", "--budget", "0.25"];
        let call = self.project.call(words).args(["--worker", "claude"]).args(verifiers);
        call.env("PATH", &self.path).run()
    }

    fn raise(&self) -> Ran {
        self.project.run(["checkpoint", "answer", "latest", "raise"]).expect(0);
        self.project.call(["resume", "--no-input"]).env("PATH", &self.path).run()
    }

    /// The roles that were started, in their order.
    fn starts(&self) -> String {
        let log = fs::read_to_string(self.project.outside().join("starts")).unwrap();
        log.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn count(&self, kind: &str) -> usize {
        let journal = self.project.journal();
        let entries = journal["entries"].as_array().unwrap();
        entries.iter().filter(|entry| entry["kind"] == format!("run.{kind}")).count()
    }

    /// Expects that what was handed in was examined, and that only who judges it waits for a raise; and that
    /// the very same is judged then.
    #[track_caller]
    fn expect_judged_after_a_raise(&self, end: &str) {
        expect_asked(&self.project, self.run(&["--verifier", "claude"]), "budget");
        assert_eq!(last(&self.project, "worked")["body"]["heard"]["end"], end);
        let reasons = last(&self.project, "ruled")["body"]["reasons"].clone();
        assert_eq!(reasons[0]["reason"], "over_budget", "{reasons:#}");
        assert_eq!((self.count("examined"), self.starts().as_str()), (1, "worker"));
        let tree = last(&self.project, "snapshotted")["body"]["tree"].clone();
        self.raise().expect(0);
        assert_eq!(self.starts(), "worker verifier", "nobody works a second time");
        assert_eq!((self.count("launched"), self.count("examined")), (1, 1));
        assert_eq!(last(&self.project, "verified")["body"]["tree"], tree);
        expect_tidy(&self.project);
    }
}

fn handing_in() -> String {
    format!("{DONE}; printf '%s' '{}' > .countersign/claim.json", claim("1"))
}

/// LP-16, LP-18: who finished is examined, however much it used: what it cost beyond its cap is told and on
/// the books, and the budget binds the next start.
#[test]
fn finished_work_over_its_budget_is_examined() {
    let stage = Stage::new(&handing_in(), "0.5");
    stage.expect_judged_after_a_raise("finished");
    let budget = stage.project.run(["budget", "show", "--format", "json"]).expect(0).data();
    let overshoot = &budget["run"]["overshoot"]["money"];
    assert_eq!(*overshoot, 250_000, "{budget:#}");
}

/// LP-16: where nobody is started after it, finished work over its budget needs no question.
#[test]
fn finished_work_over_its_budget_is_accepted() {
    let stage = Stage::new(&handing_in(), "0.5");
    let ran = stage.run(&[]).expect(0);
    assert!(ran.err().contains("$0.25"), "{}", ran.err());
    assert_eq!((stage.starts().as_str(), stage.count("asked")), ("worker", 0));
    expect_tidy(&stage.project);
}

/// LP-16: what an agent handed in as done before it was stopped at its cap is examined.
#[test]
fn what_was_handed_in_before_the_cap_is_examined() {
    let stage = Stage::new(&format!("{}; {DEAR_TURN}", handing_in()), "0");
    stage.expect_judged_after_a_raise("budget_reached");
}

/// LP-16: without a claim, a person is asked at once; with a raise, the next start goes on from what was left.
#[test]
fn without_a_claim_it_goes_on_from_what_was_left() {
    let work = format!(
        "if [ -e begun ]; then rm begun; {}; else touch begun; {DEAR_TURN}; fi",
        handing_in()
    );
    let stage = Stage::new(&work, "0.01");
    expect_asked(&stage.project, stage.run(&[]), "budget");
    let reasons = last(&stage.project, "ruled")["body"]["reasons"].clone();
    assert_eq!(reasons[0]["end"]["end"], "budget_reached", "{reasons:#}");
    assert_eq!((stage.count("examined"), stage.starts().as_str()), (0, "worker"));
    stage.raise().expect(0);
    assert_eq!((stage.count("examined"), stage.starts().as_str()), (1, "worker worker"));
    expect_tidy(&stage.project);
}
