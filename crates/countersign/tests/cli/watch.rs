//! Looking on: one frame as text, and the live view in a real terminal.

use std::fs;
use std::path::PathBuf;

use countersign_domain::checkpoint::{Offer, Question, Standard, Subject, Trigger, Urgency};
use countersign_domain::secret::Scanner;
use countersign_engine::Engine;
use countersign_testkit::{Project, Ran, Running, kinds, wait_until};

use crate::resume::host;
use crate::{PROGRAM, project, project_with_run};

/// LP-24: one frame for scripts: who works on what, with the journal of the newest.
#[test]
fn one_frame_is_printed() {
    let project = project_with_run();
    let before = project.fingerprint();
    let frame = project.run(["watch", "--once"]).expect(0);
    let frame = frame.prints("watch: 1 run").prints("✓").prints("accepted").prints("Do it");
    let frame = frame.prints("─ run ").prints("countersigned").prints("pass `test -f done.txt`");
    assert!(!frame.out().contains('\u{1b}'), "{}", frame.out());
    assert!(frame.out().lines().all(|line| line.chars().count() <= 100), "{}", frame.out());
    let small = project.run(["watch", "latest", "--once", "--size", "20x10"]).expect(0);
    assert!(small.out().lines().all(|line| line.chars().count() <= 20), "{}", small.out());
    assert!(small.out().lines().count() <= 10, "{}", small.out());
    let data = project.run(["watch", "--once", "--format", "json"]).expect(0).data();
    let run = &data["runs"][0];
    assert_eq!((&run["at"], &run["attempt"]), (&"closed".into(), &1.into()));
    assert_eq!(run["outcome"]["outcome"], "accepted");
    before.expect_same(&project.fingerprint());
}

/// LP-24: who looks on makes nothing, and says what is wrong with what was asked for.
#[test]
fn what_is_not_there_is_told() {
    let project = project();
    project.run(["watch", "--once"]).expect(0).prints("nothing is on record here yet");
    assert!(!project.state().exists(), "a look has made a ledger");
    project.run(["watch", "20261116", "--once"]).expect(1).says("there is no run or relay");
    let ran = project.run(["watch"]).expect(2).says("needs a terminal");
    ran.says("countersign watch --once").says("countersign run status");
    project.run(["watch", "--format", "json"]).expect(2);
    project.run(["watch", "--size", "80x24"]).expect(2).says("--once");
    project.run(["watch", "--once", "--size", "80"]).expect(2).says("COLUMNSxROWS");
    project.goal("true", "true").arg("--attempts=1").run().expect(3);
    project.run(["watch", "2019", "--once"]).expect(1).says("there is no run '2019'");
    let elsewhere = Project::without_repository(PROGRAM);
    elsewhere.run(["watch", "--once"]).expect(1).says("repository");
}

/// LP-24: what agents say and are asked steers no terminal.
#[test]
fn words_of_agents_do_not_steer() {
    let project = project();
    let goal = "Clear\u{1b}[2J the\u{7} screen\u{202e}";
    let worker = "command:printf 'done\\033]0;owned\\007\\n'; echo x > x.txt";
    let args = ["run", goal, "--check", "true", "--worker", worker];
    project.run(args).expect(0);
    for size in ["120x40", "20x10"] {
        let frame = project.run(["watch", "--once", "--size", size]).expect(0).out();
        assert!(!frame.chars().any(|c| c.is_control() && c != '\n'), "{frame:?}");
        assert!(!frame.contains('\u{202e}'), "{frame:?}");
    }
}

/// LP-24: a ledger that is damaged is left as it is; who looks says so.
#[test]
fn a_damaged_ledger_is_left_alone() {
    let project = project_with_run();
    let file = project.state().join("ledger.db");
    fs::write(&file, b"this is no database").unwrap();
    let before = fs::read_dir(project.state()).unwrap().count();
    project.run(["watch", "--once"]).expect(1).says("ledger");
    assert_eq!(fs::read(&file).unwrap(), b"this is no database");
    assert_eq!(fs::read_dir(project.state()).unwrap().count(), before);
}

/// A run whose worker is at work until `open` is called.
struct Gate {
    running: Running,
    gate: PathBuf,
}

fn gated_run(project: &Project) -> Gate {
    let gate = project.outside().join("gate");
    let wait = format!("until test -e '{}'; do sleep 0.1; done; echo x > x.txt", gate.display());
    let running = project.goal(&wait, "true").start();
    wait_until("the worker", || {
        let data = project.run(["watch", "--once", "--format", "json"]).expect(0).data();
        (data["runs"][0]["at"] == "launched").then_some(())
    });
    Gate { running, gate }
}

impl Gate {
    fn open(self) -> Ran {
        fs::write(self.gate, "").unwrap();
        self.running.wait()
    }
}

/// LP-24: a run is seen while its worker works, by however many, and nobody is in its way.
#[test]
fn a_run_is_seen_at_work() {
    let project = project();
    let gate = gated_run(&project);
    for _ in 0..5 {
        let frame = project.run(["watch", "--once"]).expect(0);
        frame.prints("●").prints("working").prints("command:until").prints("1 open");
    }
    gate.open().expect(0);
    let journal = project.journal();
    assert_eq!(kinds(&journal).last().unwrap(), "closed");
    project.run(["ledger", "verify"]).expect(0);
}

/// LP-24: what a worker prints is seen while it works, line by line and without secrets, and also
/// afterwards; looking changes nothing.
#[test]
fn the_last_operations_are_seen() {
    let project = project();
    let secret = Scanner::builtin().example("github-pat", 7).unwrap();
    let (gate, token) = (project.outside().join("gate"), project.outside().join("token"));
    fs::write(&token, &secret).unwrap();
    let work = format!(
        "for n in $(seq 1 30); do echo step $n; done; cat '{}'; printf '\\ncleared\\033[2J\\n'; \
         until test -e '{}'; do sleep 0.1; done; echo x > x.txt; echo all done",
        token.display(),
        gate.display()
    );
    let running = project.goal(&work, "true").start();
    let operations = |data: &serde_json::Value| -> Vec<String> {
        let all = data["operations"].as_array().unwrap();
        all.iter().map(|one| one["what"].as_str().unwrap().to_owned()).collect()
    };
    let data = wait_until("what it printed", || {
        let data = project.run(["watch", "--once", "--format", "json"]).expect(0).data();
        operations(&data).iter().any(|what| what.starts_with("cleared")).then_some(data)
    });
    let seen = operations(&data);
    assert_eq!(seen.len(), 20, "{seen:?}");
    assert!(seen.contains(&"step 30".to_owned()) && !seen.contains(&"step 1".to_owned()));
    let first = &data["operations"][0];
    assert_eq!((&first["by"], &first["went"]), (&"worker".into(), &"told".into()));
    assert!(first["at"].is_string(), "{first}");
    let before = project.fingerprint();
    let frame = project.run(["watch", "--once"]).expect(0);
    let frame = frame.prints("operations (last").prints(" ago · worker: step 30");
    assert!(!frame.out().contains('\u{1b}'), "{}", frame.out());
    before.expect_same(&project.fingerprint());
    fs::write(gate, "").unwrap();
    running.wait().expect(0);
    let after = project.run(["watch", "--once"]).expect(0);
    let after = after.prints("· worker: all done");
    let data = project.run(["watch", "--once", "--format", "json"]).expect(0).data();
    assert_eq!(operations(&data).last().unwrap(), "all done");
    for text in [frame.out(), after.out(), seen.join("\n"), operations(&data).join("\n")] {
        assert!(!text.contains(&secret), "{text}");
    }
}

/// LP-24: a run whose driver was killed is seen to be left.
#[test]
fn a_run_that_nobody_drives_is_told_apart() {
    let project = project();
    let gate = gated_run(&project);
    gate.running.kill();
    project.expect_no_survivors();
    let frame = project.run(["watch", "--once"]).expect(0);
    frame.prints("○").prints("idle").prints("nobody drives it; go on with: countersign resume");
}

/// A terminal of 80 columns and 24 rows, with a shell in the project.
struct Terminal<'a> {
    project: &'a Project,
    socket: PathBuf,
}

impl<'a> Terminal<'a> {
    /// `None` where there is no tmux.
    fn open(project: &'a Project, command: &str) -> Option<Self> {
        let found = project.sh("command -v tmux").code == Some(0);
        if !found {
            eprintln!("SKIPPED: the live view in a terminal, since there is no tmux");
            return None;
        }
        let terminal = Self { project, socket: project.outside().join("tmux") };
        let size = ["-x", "80", "-y", "24"];
        let start = ["-f", "/dev/null", "new-session", "-d"];
        terminal.tmux(&[&start[..], &size, &[command]].concat());
        Some(terminal)
    }

    fn tmux(&self, args: &[&str]) -> Ran {
        let call = self.project.call_of("tmux").env("TERM", "screen-256color").arg("-S");
        call.env("LC_ALL", "C.UTF-8").env("SHELL", "/bin/sh").arg(&self.socket).args(args).run()
    }

    fn press(&self, keys: &[&str]) {
        self.tmux(&[&["send-keys"][..], keys].concat()).expect(0);
    }

    fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p"]).out()
    }

    #[track_caller]
    fn shows(&self, text: &str) -> String {
        wait_until(&format!("'{text}' on the screen"), || {
            let screen = self.screen();
            screen.contains(text).then_some(screen)
        })
    }
}

impl Drop for Terminal<'_> {
    fn drop(&mut self) {
        // One that has ended by itself is gone already.
        let _ = self.tmux(&["kill-server"]);
    }
}

/// The live view, between two looks at the settings of the terminal.
fn around(words: &str) -> String {
    format!("stty -a > before; '{PROGRAM}' watch {words}; echo \"code $?\" > code; stty -a > after")
}

/// LP-24: the live view in a real terminal: it follows a run, ends it after asking, and leaves the
/// terminal as it was.
#[test]
fn a_run_is_watched_and_cancelled_live() {
    let project = project();
    let gate = gated_run(&project);
    let Some(terminal) = Terminal::open(&project, &around("latest")) else {
        gate.open().expect(0);
        return;
    };
    let screen = terminal.shows("working");
    assert!(screen.contains("command:until"), "{screen}");
    terminal.press(&["?"]);
    terminal.shows("quit; runs go on");
    terminal.press(&["Escape"]);
    terminal.shows("Enter details");
    for (columns, rows) in [("20", "10"), ("120", "40"), ("80", "24")] {
        terminal.tmux(&["resize-window", "-x", columns, "-y", rows]).expect(0);
        terminal.shows("Do it");
    }
    terminal.press(&["c"]);
    terminal.shows("y cancels it");
    terminal.press(&["y"]);
    gate.running.wait().expect(3).prints("it was cancelled");
    terminal.shows("refused");
    terminal.press(&["q"]);
    wait_until("the end of the view", || project.path("after").exists().then_some(()));
    wait_until("its settings", || (!project.read("after").is_empty()).then_some(()));
    assert_eq!(project.read("before"), project.read("after"));
    assert_eq!(project.read("code"), "code 0\n");
}

/// LP-24: a signal ends it as a key does; Ctrl-C too.
#[test]
fn a_signal_leaves_the_terminal_as_it_was() {
    let project = project_with_run();
    for end in ["kill -TERM $(pgrep -P PARENT countersign)", "C-c"] {
        for name in ["before", "after", "code"] {
            let _ = fs::remove_file(project.path(name));
        }
        let Some(terminal) = Terminal::open(&project, &around("")) else { return };
        terminal.shows("accepted");
        if end == "C-c" {
            terminal.press(&["C-c"]);
        } else {
            let parent = terminal.tmux(&["display-message", "-p", "#{pane_pid}"]).out();
            project.sh(&end.replace("PARENT", parent.trim())).expect(0);
        }
        wait_until("its settings", || {
            fs::read_to_string(project.path("after")).ok().filter(|text| !text.is_empty())
        });
        assert_eq!(project.read("before"), project.read("after"), "{end}");
        assert_eq!(project.read("code"), "code 0\n", "{end}");
    }
}

/// LP-24, CO-12: a question is answered on the screen: chosen, explained, confirmed.
#[test]
fn a_question_is_answered_live() {
    let project = project_with_run();
    let run = project.journal()["run"].as_str().unwrap().parse().unwrap();
    let Standard { options, why } = Standard::of(Trigger::Gaming, &Offer::default());
    let question = Question {
        trigger: Trigger::Gaming,
        subject: Subject { run, attempt: 1, number: 1 },
        context: "A test was changed.\u{1b}[2J".into(),
        progress: "One of two.".into(),
        risk: String::new(),
        question: "Is this work?".into(),
        options,
        why_recommended: why,
        urgency: Urgency::Normal,
        expires_at: None,
    };
    let id = Engine::open(host(&project)).unwrap().ask(&question).unwrap().to_string();
    let Some(terminal) = Terminal::open(&project, &around("")) else { return };
    terminal.shows("1 question waits (a)");
    terminal.press(&["a"]);
    terminal.shows("Is this work?");
    terminal.press(&["1", "Enter"]);
    terminal.shows("A note on accept, needed");
    terminal.press(&["-l", "a test of ours"]);
    terminal.shows("> a test of ours");
    terminal.press(&["Enter"]);
    terminal.shows("y answers, once and for all");
    terminal.press(&["y"]);
    terminal.shows("answered with accept");
    let data = project.run(["checkpoint", "show", &id, "--format", "json"]).expect(0).data();
    assert_eq!(data["answer"]["choice"], "accept");
    assert_eq!(data["answer"]["words"], "a test of ours");
    terminal.press(&["q"]);
    wait_until("its end", || project.path("after").exists().then_some(()));
}
