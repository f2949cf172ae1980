//! Runs to ask about: honest ones, and ones that went wrong in different ways.

use countersign_testkit::{Project, Ran};
use serde_json::Value;

use crate::PROGRAM;

/// Fails in the first two attempts, and holds in the third: a check fails the first, a verifier the
/// second.
const WORKER: &str = r#"echo "worker $COUNTERSIGN_ATTEMPT at work"
echo "n=$COUNTERSIGN_ATTEMPT" > sum.sh
mkdir -p .countersign
cat > .countersign/claim.json <<CLAIM
{"iteration": $COUNTERSIGN_ATTEMPT, "status": "done", "claims": ["it sums"], "execution_steps": [
 {"step": "write_test", "ac_id": "AC1", "summary": "t"},
 {"step": "verify_red", "ac_id": "AC1", "command": "false", "exit_code": 1, "summary": "r"},
 {"step": "implement", "ac_id": "AC1", "summary": "i"},
 {"step": "verify_green", "ac_id": "AC1", "command": "true", "exit_code": 0, "summary": "g"}]}
CLAIM
echo "<script>alert('worker')</script>""#;

/// Passes what is neither the first nor the second attempt.
const VERIFIER: &str = r#"cat > /dev/null
for look in 'evidence gate' 'layer enforcement' 'test sufficiency' 'anti-gaming' 'worker process audit'
do looks="$looks,{\"check\":\"$look\",\"decision\":\"pass\",\"basis\":\"r1\"}"; done
rest="\"summary\":\"<b>seen</b>\",\"reasoning\":[${looks#,}],\"missing_evidence\":[],\"receipts\":[\"r1\"]"
case $COUNTERSIGN_ATTEMPT in
3) echo "{\"verdict\":\"pass\",\"criteria\":[{\"criterion\":\"AC1\",\"met\":true,\"evidence\":\"r1\"}],\"issues\":[],$rest}" ;;
*) echo "{\"verdict\":\"fail\",\"criteria\":[{\"criterion\":\"AC1\",\"met\":false,\"evidence\":\"r1\"}],\"issues\":[{\"id\":\"I1\",\"severity\":\"major\",\"criterion\":\"AC1\",\"description\":\"<i>zero</i> is missing\",\"failure_category\":\"spec\"}],$rest}" ;;
esac"#;

/// The check that the first attempt fails.
pub const CHECK: &str = "grep -v n=1 sum.sh || { echo '<script>alert(1)</script>'; exit 1; }";

pub fn project() -> Project {
    Project::new(PROGRAM)
}

fn words<'a>(worker: &'a str, rest: &[&'a str]) -> Vec<&'a str> {
    let mut words =
        vec!["run", "Make it <sum>", "--check", CHECK, "--no-input", "--worker", worker];
    words.extend(rest);
    words
}

/// Two failures, then success.
pub fn failed_twice() -> (Project, Ran) {
    let project = project();
    let (worker, verifier) = (format!("command:{WORKER}"), format!("command:{VERIFIER}"));
    let ran = project.run(words(&worker, &["--verifier", &verifier]));
    (project, ran.expect(0))
}

/// Three failures in a row: a person is asked.
pub fn escalated() -> Project {
    let project = project();
    let worker = "command:echo $COUNTERSIGN_ATTEMPT > tries; echo n=1 > sum.sh; echo no claim";
    project.run(words(worker, &["--examine", "--attempts", "5"])).expect(4);
    project
}

/// A command that never succeeds, and has no crew.
pub fn refused() -> Project {
    let project = project();
    project.run(words("command:echo n=1 > sum.sh", &["--attempts", "2"])).expect(3);
    project
}

/// A verb about the newest run, as data.
#[track_caller]
pub fn data(project: &Project, words: &[&str]) -> Value {
    let words = [&["run"], words, &["--format", "json"]].concat();
    project.run(words).expect(0).data()
}
