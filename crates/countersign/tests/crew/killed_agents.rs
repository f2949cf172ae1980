//! Workers and verifiers of a plan are killed at random moments: they are started again within bounds,
//! and the plan comes to the same end.

use std::fs;
use std::sync::OnceLock;
use std::time::Duration;

use countersign_testkit::Running;

use crate::killing::pause;
use crate::roster::Stage;

/// Each is another row of moments.
const SEEDS: [u64; 4] = [1, 2, 3, 5];
/// How often in a row agents of each role are killed. An attempt is worth three starts more, and a third
/// failure in a row would be a person's.
const IN_A_ROW: [(&str, u32); 2] = [("worker", 2), ("verifier", 1)];
/// About as long as the agent takes.
const LONGEST: u64 = 300;

/// Numbers that look random and are the same for the same seed (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % most
    }
}

/// A stage whose agent notes each of its starts, and takes its time.
fn stage() -> Stage {
    Stage::with_agent("echo $COUNTERSIGN_ROLE $$ $PPID >> ${0%/*}/starts", "sleep 0.04")
}

fn start(stage: &Stage) -> Running {
    let agent = format!("command:exec {}", stage.project.outside().join("bin/claude").display());
    let words = ["run", "--plan", "names", "--worker", &agent, "--verifier", &agent];
    stage.project.call(words).arg("--no-input").start()
}

/// The commits of a plan that nobody interferes with.
fn undisturbed() -> &'static str {
    static ONCE: OnceLock<String> = OnceLock::new();
    ONCE.get_or_init(|| {
        let stage = stage();
        start(&stage).wait().expect(0);
        stage.expect_end("undisturbed").commits
    })
}

/// Kills agents of `running` at moments that follow from `seed`; what was done, in words.
fn kill_agents(stage: &Stage, running: &mut Running, seed: u64) -> Vec<String> {
    let starts = stage.project.outside().join("bin/starts");
    let mut random = Random(seed);
    let (mut noticed, mut rows) = (0, [0, 0]);
    let mut killed = Vec::new();
    while !running.has_ended() {
        pause(Duration::from_millis(5));
        let noted = fs::read_to_string(&starts).unwrap_or_default();
        for line in noted.lines().skip(noticed) {
            noticed += 1;
            let words: Vec<&str> = line.split(' ').collect();
            let [role, agent, supervisor] = words[..] else { panic!("{line}") };
            let at = IN_A_ROW.iter().position(|(known, _)| *known == role).unwrap();
            let row = &mut rows[at];
            let after = random.below(LONGEST);
            let (whom, word) = if random.below(3) == 0 {
                (supervisor, "the supervisor of a")
            } else {
                (agent, "a")
            };
            if *row == IN_A_ROW[at].1 || random.below(4) == 0 {
                *row = 0;
                continue;
            }
            *row += 1;
            pause(Duration::from_millis(after));
            let is_there = stage.project.sh(&format!("kill -9 {whom}")).code == Some(0);
            let late = if is_there { "" } else { ", which had ended" };
            killed.push(format!("start {noticed}: {word} {role} after {after} ms{late}"));
        }
    }
    killed
}

/// LP-10, LP-21: agents that are killed at any moment, or whose supervisors are, are started again: no
/// attempt is lost for it but one that had changed files, and the plan ends with the same work.
#[test]
fn killed_at_random_moments() {
    for seed in SEEDS {
        let stage = stage();
        let before = stage.project.fingerprint();
        let mut running = start(&stage);
        let killed = kill_agents(&stage, &mut running, seed);
        let ran = running.wait();
        let when = format!("seed {seed}: {killed:#?}");
        eprintln!("{when}");
        assert_eq!(ran.code, Some(0), "{when}: {}{}", ran.out(), ran.err());
        let end = stage.expect_end(&when);
        assert_eq!(end.commits, undisturbed(), "{when}");
        assert!(end.starts <= 3 * 3 + 4 * 2, "{when}: {} starts", end.starts);
        before.expect_same(&stage.project.fingerprint());
    }
}
