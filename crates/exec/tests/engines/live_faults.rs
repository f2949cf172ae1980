//! The real agents when things go wrong: their model, their budget, their life.

use countersign_domain::agent::{AgentEnd, Money, Role};
use countersign_domain::receipt::Ended;
use countersign_exec::agents::Moment;
use countersign_testkit::agents::RealAgent;
use countersign_testkit::model::{Fault, Script, Turn};

use crate::live::shell;
use crate::scene::{Scene, Wish, told};

const BOTH: [RealAgent; 2] = [RealAgent::Claude, RealAgent::Codex];

/// Claude Code tries for minutes otherwise.
fn impatient() -> Wish {
    Wish { variables: vec![("CLAUDE_CODE_MAX_RETRIES", "1")], ..Wish::default() }
}

fn ended_by(agent: RealAgent, status: u16) -> Option<AgentEnd> {
    let script = Script::new().finally(Turn::fault(Fault::Http(status)));
    let scene = Scene::new(agent, script)?;
    let played = scene.play(Role::Worker, "Do it", &impatient());
    assert_ne!(*played.ended(), Ended::TimedOut, "{}", told(&played).display());
    assert_eq!(played.heard.usage.output_tokens, 0, "{}", told(&played).display());
    Some(played.heard.end)
}

/// LP-18: a model that fails is told from work that is done, and from every other fault.
#[test]
fn faults_of_the_model_are_told_apart() {
    for agent in BOTH {
        let Some(end) = ended_by(agent, 500) else { continue };
        assert!(matches!(end, AgentEnd::Overloaded { .. }), "{agent:?}: {end:?}");
        let end = ended_by(agent, 429).unwrap();
        assert!(matches!(end, AgentEnd::RateLimited { .. }), "{agent:?}: {end:?}");
        let end = ended_by(agent, 401).unwrap();
        assert!(matches!(end, AgentEnd::NotLoggedIn { .. }), "{agent:?}: {end:?}");
        let end = ended_by(agent, 400).unwrap();
        assert!(matches!(end, AgentEnd::Failed { .. }), "{agent:?}: {end:?}");
    }
}

/// LP-18: what an agent retries by itself is told, and doesn't spoil its end.
#[test]
fn a_fault_that_passes_is_no_end() {
    for agent in BOTH {
        let script = Script::new()
            .turn(Turn::fault(Fault::Http(503)))
            .finally(Turn::text("It worked after all."));
        let Some(scene) = Scene::new(agent, script) else { continue };
        let played = scene.play(Role::Worker, "Do it", &impatient());
        assert_eq!(played.heard.end, AgentEnd::Finished, "{}", told(&played).display());
    }
}

/// LP-18: Claude Code stops at its budget by itself, and tells what it used.
#[test]
fn claude_stops_at_its_budget() {
    let turn = || shell(RealAgent::Claude, "ls").input_tokens(100_000);
    let script = Script::new().turn(turn()).turn(turn()).finally(Turn::text("Never said."));
    let Some(scene) = Scene::new(RealAgent::Claude, script) else { return };
    let wish = Wish { max_cost: Some(Money(500_000)), ..Wish::default() };
    let played = scene.play(Role::Worker, "Do it", &wish);
    assert_eq!(played.heard.end, AgentEnd::BudgetReached, "{}", told(&played).display());
    let cost = played.heard.usage.cost.unwrap();
    assert!(cost >= Money(500_000) && cost < Money(1_500_000), "{cost}");
}

/// LP-18: an agent without a budget of its own is stopped by what it is estimated to have used.
#[test]
fn codex_is_stopped_at_a_budget() {
    let mut script = Script::new();
    for _ in 0..100 {
        script = script.turn(shell(RealAgent::Codex, "ls"));
    }
    let Some(scene) = Scene::new(RealAgent::Codex, script) else { return };
    let wish = Wish { stop_at: Some(Money(200_000)), ..Wish::default() };
    let played = scene.play(Role::Worker, "Do it", &wish);
    assert_eq!(*played.ended(), Ended::Cancelled, "{}", told(&played).display());
    assert!(matches!(played.heard.end, AgentEnd::Stopped { .. }));
    let usage = played.heard.usage;
    assert!(usage.is_partial && usage.cost > Some(Money(200_000)), "{usage:?}");
    assert!(scene.stage.model.left() > 0);
}

/// LP-18: Claude Code stops at its number of turns.
#[test]
fn claude_stops_at_its_turns() {
    let turn = || shell(RealAgent::Claude, "ls");
    let script = Script::new().turn(turn()).turn(turn()).turn(turn()).finally(turn());
    let Some(scene) = Scene::new(RealAgent::Claude, script) else { return };
    let wish = Wish { max_turns: Some(2), ..Wish::default() };
    let played = scene.play(Role::Worker, "Do it", &wish);
    assert_eq!(played.heard.end, AgentEnd::TurnsExhausted, "{}", told(&played).display());
}

/// LP-18, LP-21: an agent that is killed leaves nothing behind, and is not taken for finished.
#[test]
fn a_killed_agent_leaves_nobody() {
    for agent in BOTH {
        // Longer than the test may take; the agents' own shells outlive them.
        let script = Script::new().turn(shell(
            agent,
            "python3 -c 'import time, os; open(\"pid\", \"w\").write(str(os.getpid())); time.sleep(300)'",
        ));
        let Some(scene) = Scene::new(agent, script) else { continue };
        let name = scene.stage.program().to_owned();
        let root = scene.stage.project.root();
        let mut killed = false;
        let played = scene.play_with(Role::Worker, "Wait", &Wish::default(), &mut |moment| {
            if !killed && matches!(moment, Moment::ToolStarted { .. }) {
                killed = true;
                kill_when(&name, &root.join("pid"));
            }
        });
        assert!(killed, "{}", told(&played).display());
        assert_eq!(*played.ended(), Ended::Signalled { signal: 9 }, "{}", told(&played).display());
        assert!(matches!(played.heard.end, AgentEnd::Failed { .. }), "{:?}", played.heard.end);
        assert!(played.heard.usage.is_partial, "{:?}", played.heard.usage);
    }
}

/// Kills the agent that runs as `program` in the folder of `file`, once that file is there.
fn kill_when(program: &std::path::Path, file: &std::path::Path) {
    countersign_testkit::wait_until("the agent's command", || file.exists().then_some(()));
    let folder = file.parent().unwrap();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let is = |name: &str, wanted: &std::path::Path| {
            std::fs::read_link(entry.path().join(name)).is_ok_and(|found| found == wanted)
        };
        if is("exe", program) && is("cwd", folder) {
            let pid = entry.file_name().into_string().unwrap().parse().unwrap();
            let pid = rustix::process::Pid::from_raw(pid).unwrap();
            rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        }
    }
}
