//! The legs of a relay: who sees what, who judges when, and who waits for whom.

use countersign_testkit::Project;
use serde_json::Value;

use crate::relay::{answer_all, project, worker};
use crate::stage::pass;

/// A worker that asks to be blocked over this story, and does all others.
pub fn blocked_over(story: &str) -> String {
    let blocked = r#"{"us_id": "'$u'", "status": "blocked", "because": "who knows"}"#;
    let refuses = format!(
        "if [ $u = {story} ]; then mkdir -p .countersign; printf '%s' '{blocked}' > .countersign/claim.json; exit 0; fi; "
    );
    worker("$u").replacen("echo \"echo $n\"", &format!("{refuses}echo \"echo $n\""), 1)
}

/// A verifier that leaves a line for each judging, and says this of the criteria of all stories.
fn verifier(project: &Project, of_all: &str) -> String {
    let of = |criteria: &str| pass(r#"["r1"]"#).replace(r#""criteria":[]"#, criteria);
    let alone = of(r#""criteria":[{"criterion":"AC1","met":true,"evidence":"r1"}]"#);
    let (all, log) = (of(of_all), project.outside().join("judged"));
    format!(
        "command:p=$(cat); case \"$p\" in *'Judge ALL only'*) echo ALL >> {log}; printf '%s' '{all}';; \
         *) echo STORY >> {log}; printf '%s' '{alone}';; esac",
        log = log.display()
    )
}

fn judged(project: &Project) -> String {
    std::fs::read_to_string(project.outside().join("judged")).unwrap_or_default()
}

const BOTH: &str = r#""criteria":[{"criterion":"US-001 AC1","met":true,"evidence":"r1"},{"criterion":"US-002 AC1","met":true,"evidence":"r1"}]"#;

/// A plan with another choice.
fn choosing(names: &[&str], (from, to): (&str, &str)) -> Project {
    let project = project(names);
    let prd = project.read("plans/names/prd.md");
    assert!(prd.contains(from), "{prd}");
    project.write("plans/names/prd.md", prd.replace(from, to));
    project.commit("Another choice");
    project
}

fn status(project: &Project) -> Value {
    project.run(["run", "status", "--format", "json"]).expect(0).data()
}

fn standing(project: &Project, story: &str) -> String {
    let status = status(project);
    let legs = status["legs"].as_array().unwrap();
    let leg = legs.iter().find(|leg| leg["leg"] == story).unwrap();
    leg["standing"].as_str().unwrap().to_owned()
}

/// LP-17, CO-14: a story that waits for a person holds up nobody, also where only one may be worked on at
/// once; its answer goes on with the relay, whatever id one names.
#[test]
fn a_story_that_waits_holds_up_nobody() {
    let project = project(&["alpha", "beta"]);
    let words = ["run", "--plan", "names", "--no-input", "--jobs", "1"];
    let ran = project.call(words).arg("--worker").arg(blocked_over("US-001")).run();
    let code = ran.code;
    let text = format!("{}{}", ran.out(), ran.err());
    assert_eq!(code, Some(4), "{text}");
    assert_eq!(standing(&project, "US-001"), "waiting", "{text}");
    assert_eq!(standing(&project, "US-002"), "landed", "{text}");

    let relay = status(&project)["id"].as_str().unwrap().to_owned();
    let asked = project.run(["checkpoint", "list", "--format", "json"]).expect(0).data();
    let asked = &asked["checkpoints"][0];
    let id = asked["id"].as_str().unwrap().to_owned();
    let run = id.split('.').next().unwrap().to_owned();
    let go_on = format!("countersign resume {relay}");
    let told = project.run(["status", &run]).expect(0).out();
    assert!(told.contains(&go_on), "{told}");
    let told = project.run(["checkpoint", "answer", &id, "stop"]).expect(0).out();
    assert!(told.contains(&go_on) && told.lines().count() < 4, "{told}");
    // The id of the story's run goes on with the relay.
    let ran = project.run(["resume", &run, "--no-input"]);
    let text = ran.out();
    ran.expect(3);
    assert!(text.contains("blocked") && !text.contains("git merge"), "{text}");
    assert_eq!(standing(&project, "US-001"), "refused");
}

/// LP-14: all of them together are judged by every criterion of every story.
#[test]
fn all_together_are_judged_by_every_criterion() {
    let silent = project(&["alpha", "beta"]);
    let words = ["run", "--plan", "names", "--no-input", "--worker", &worker("$u"), "--verifier"];
    let ran = silent.call(words).arg(verifier(&silent, r#""criteria":[]"#)).run();
    assert_eq!(ran.code, Some(4), "{}{}", ran.out(), ran.err());
    assert_eq!(standing(&silent, "US-002"), "landed");
    let told = silent.run(["checkpoint", "show"]).expect(0).out();
    assert!(told.contains("nothing about US-001 AC1"), "{told}");

    let project = project(&["alpha", "beta"]);
    let ran = project.call(words).arg(verifier(&project, BOTH)).run();
    assert_eq!(ran.code, Some(0), "{}{}", ran.out(), ran.err());
    assert_eq!(judged(&project), "STORY\nSTORY\nALL\n");
}

/// LP-04, D1.1: in batch mode who judges sees all stories together, and each alone is only run by us.
#[test]
fn a_batch_is_judged_once() {
    let project = choosing(&["alpha", "beta"], ("Verify mode: per story", "Verify mode: batch"));
    let words = ["run", "--plan", "names", "--no-input", "--worker", &worker("$u"), "--verifier"];
    let ran = project.call(words).arg(verifier(&project, BOTH)).run();
    assert_eq!(ran.code, Some(0), "{}{}", ran.out(), ran.err());
    assert_eq!(judged(&project), "ALL\n");
}

/// LP-19: a second verifier judges every story and all together, or only all together, as the plan says; a
/// consensus without a second one is refused, and no single verdict taken for it.
#[test]
fn a_consensus_has_the_scope_that_the_plan_says() {
    for (scope, seconds) in [("final only", "ALL\n"), ("all", "STORY\nSTORY\nALL\n")] {
        let project = project(&["alpha", "beta"]);
        let first = verifier(&project, BOTH);
        let second = first.replace("/judged", "/second");
        let prd = project.read("plans/names/prd.md");
        let with = |choices: &str| {
            let changed = prd.replace("- Consensus: none", choices);
            assert_ne!(changed, prd);
            project.write("plans/names/prd.md", changed);
        };
        let words = ["run", "--plan", "names", "--no-input", "--worker", &worker("$u")];
        with(&format!("- Verifier: `{first}`\n- Consensus: yes"));
        project.commit("A consensus of one");
        let refused = project.run(words).expect(2).says("wants a consensus");
        refused.says("'- Consensus: codex'");
        with(&format!(
            "- Verifier: `{first}`\n- Consensus: `{second}`\n- Consensus scope: {scope}\n\
             - Consensus rounds: 2"
        ));
        project.commit("A consensus");
        let ran = project.run(words);
        assert_eq!(ran.code, Some(0), "{}{}", ran.out(), ran.err());
        assert_eq!(judged(&project), "STORY\nSTORY\nALL\n", "{scope}");
        let second = std::fs::read_to_string(project.outside().join("second")).unwrap();
        assert_eq!(second, seconds, "{scope}");
        let journal = project.journal();
        let opened = &journal["entries"][0]["event"]["body"];
        assert_eq!(opened["rounds"], 2, "{opened:#}");
    }
}

/// LP-22, D1.1: where the plan wants it, the report of nine sections is there at the end; and of tests
/// whose command tells no names it says just that (LP-07).
#[test]
fn a_report_is_written_where_the_plan_wants_one() {
    let from = ("Self-verification: no", "Self-verification: yes");
    let project = choosing(&["alpha"], from);
    let words = ["run", "--plan", "names", "--no-input", "--worker", &worker("$u")];
    let ran = project.run(words);
    let said = ran.err();
    assert_eq!(answer_all(&project, ran.code.unwrap_or(-1)), 0, "{said}");
    let relay = status(&project)["id"].as_str().unwrap().to_owned();
    let file = project.state().join("reports").join(&relay).join("report-001.md");
    let report = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{error}\n{said}"));
    assert!(report.matches("\n## ").count() >= 9, "{report}");
    assert!(report.contains("of 3 only the exit code of their command was seen"), "{report}");
    assert!(!report.contains("3 were seen to run"), "{report}");
    project.run(["run", "clean"]);
    assert!(file.exists());
}

/// LP-03: a worker sees its own story: the plan is not in its checkout, and in what it hands over it is
/// there unchanged.
#[test]
fn a_worker_does_not_see_the_plan() {
    let project = project(&["alpha"]);
    let seen = project.outside().join("seen");
    let look = format!("command:{{ ls; git status --porcelain; }} > {}; ", seen.display());
    let looks = worker("$u").replacen("command:", &look, 1);
    let ran = project.run(["run", "--plan", "names", "--no-input", "--worker", &looks]);
    let code = answer_all(&project, ran.code.unwrap_or(-1));
    assert_eq!(code, 0, "{}{}", ran.out(), ran.err());
    assert_eq!(std::fs::read_to_string(&seen).unwrap(), "README.md\nbase.sh\ntests\n");
    let branch = project.git(["branch", "--list", "countersign/*", "--format=%(refname:short)"]);
    let differ = project.git(["diff", "--name-only", "main", branch.trim()]);
    assert_eq!(differ, "alpha.sh\ntests/alpha.sh\n");
}

/// LP-03: a worker that writes the plan is found, and may take that back.
#[test]
fn a_plan_that_the_worker_writes_is_found() {
    let project = project(&["alpha"]);
    let once = "command:if [ $COUNTERSIGN_ATTEMPT = 1 ]; then mkdir -p plans/names; echo Mine > \
                plans/names/prd.md; else rm -r plans; fi; ";
    let writes = worker("$u").replacen("command:", once, 1);
    let ran = project.run(["run", "--plan", "names", "--no-input", "--worker", &writes]);
    let told = ran.err();
    assert!(told.contains("'plans/names/prd.md' is not what this story is about"), "{told}");
    let code = answer_all(&project, ran.code.unwrap_or(-1));
    assert_eq!(code, 0, "{told}");
    let branch = project.git(["branch", "--list", "countersign/*", "--format=%(refname:short)"]);
    let differ = project.git(["diff", "--name-only", "main", branch.trim()]);
    assert_eq!(differ, "alpha.sh\ntests/alpha.sh\n");
}
