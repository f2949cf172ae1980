//! What agents spent, as it is shown, and the caps in the settings.

use std::fs;
use std::time::Duration;

use countersign_domain::agent::{Money, Role, Usage};
use countersign_domain::budget::{ReservationId, Want};
use countersign_engine::Engine;
use countersign_testkit::Project;

use crate::resume::host;
use crate::{project, project_with_run};

fn start(run: &str, attempt: u32) -> ReservationId {
    ReservationId { run: run.parse().unwrap(), attempt, role: Role::Worker, start: 1 }
}

fn user_file(project: &Project, text: &str) {
    fs::create_dir_all(project.home()).unwrap();
    fs::write(project.home().join("config.toml"), text).unwrap();
}

/// CO-05: spent, reserved, left and not known, for today and a run.
#[test]
fn what_was_spent_is_shown() {
    let project = project_with_run();
    let shown = project.run(["budget", "show"]).expect(0);
    shown.prints("cap    $50.00").prints("spent  $0.00, 0 tokens").prints("left   $50.00");
    let rows = project.run(["status", "--format", "json"]).expect(0).data();
    let run = rows[0]["run"].as_str().unwrap();
    let mut engine = Engine::open(host(&project)).unwrap();
    for attempt in 1..=3 {
        engine.reserve(&Want::of(start(run, attempt))).unwrap().unwrap();
    }
    let cost = Some(Money(5_250_000));
    let usage = Usage { input_tokens: 1200, output_tokens: 34, cost, ..Usage::default() };
    engine.settle(start(run, 1), usage).unwrap();
    engine.settle(start(run, 2), Usage::default()).unwrap();
    let shown = project.run(["budget", "show"]).expect(0);
    let shown = shown.prints(&format!("run {run}")).prints("$20.00").prints("each attempt");
    let shown = shown.prints("$10.25, 1234 tokens").prints("$5.00, 0 tokens by 1 start");
    let shown = shown.prints("beyond what was reserved  $0.25, 0 tokens");
    let shown = shown.prints("1 start, counted with all that was reserved");
    shown.prints(&format!("not settled: {run}/3/worker/1"));
    let data = project.run(["budget", "show", run, "--format", "json"]).expect(0).data();
    assert_eq!(data["run"]["spent"]["money"], 10_250_000);
    assert_eq!(data["day"]["left"]["money"], 34_750_000);
    assert_eq!(data["day"]["runs"][0]["run"], run);
    let other =
        project.run(["budget", "show", "--day", "2001-02-03", "--format", "json"]).expect(0);
    assert_eq!(other.data()["day"]["spent"]["money"], 0);
    project.run(["budget", "show", "--day", "yesterday"]).expect(2).says("is no day");
    project.run(["budget", "show", "9999"]).expect(1).says("no run '9999'");
    project.run(["ledger", "verify"]).expect(0).prints("intact");
    project.run(["ledger", "rebuild"]).expect(0);
    project.run(["budget", "show"]).expect(0).prints("$10.25, 1234 tokens");
}

/// CO-05: what no agent told is shown as the estimate that it is, by time or by what was reserved.
#[test]
fn what_was_not_told_is_shown_as_an_estimate() {
    let project = project_with_run();
    let rows = project.run(["status", "--format", "json"]).expect(0).data();
    let run = rows[0]["run"].as_str().unwrap();
    let mut engine = Engine::open(host(&project)).unwrap();
    let mut settle = |attempt, usage| {
        engine.reserve(&Want::of(start(run, attempt))).unwrap().unwrap();
        engine.settle_after(start(run, attempt), usage, Duration::from_millis(40)).unwrap();
    };
    let cost = Some(Money(1_000_000));
    settle(1, Usage { input_tokens: 10, cost, ..Usage::default() });
    project.run(["budget", "show"]).expect(0).prints("spent         $1.00, 10 tokens");
    settle(2, Usage::default());
    let shown = project.run(["budget", "show"]).expect(0).prints("about $1.03, 10 tokens");
    let shown =
        shown.prints("of that an estimate  $0.03, 0 tokens: the most that it can have been");
    shown.prints("1 start, counted with the most that the time it took can cost");
    let data = project.run(["budget", "show", run, "--format", "json"]).expect(0).data();
    let of_run = &data["run"];
    assert_eq!((&of_run["timed"], &of_run["unknown"]), (&1.into(), &0.into()), "{of_run:#}");
    assert_eq!(of_run["untold"]["money"], 30_000, "{of_run:#}");
    assert_eq!(data["day"]["untold"]["money"], 30_000);
}

/// CO-05, D3.11: the day is that of the user's time zone.
#[test]
fn days_are_the_users() {
    let project = project();
    let day = |zone: &str| {
        let call = project.call(["budget", "show", "--format", "json"]);
        call.env("TZ", zone).run().expect(0).data()["day"]["day"].as_str().unwrap().to_owned()
    };
    // A day apart, whatever time it is.
    assert!(day("<+12>-12") > day("<-12>12"));
}

/// CO-05: a project can lower what a user spends, and not raise it.
#[test]
fn a_project_only_lowers_caps() {
    let project = project();
    let cap = |name: &str| {
        let shown = project.run(["config", "show", "--format", "json"]).expect(0).data();
        shown[name]["value"].as_f64().unwrap()
    };
    project.write("countersign.toml", "[budget]\nrun_dollars = 2\nday_tokens = 1000\n");
    assert_eq!((cap("budget.run_dollars"), cap("budget.day_tokens")), (2.0, 1000.0));
    for more in ["run_dollars = 20.01", "run_dollars = 0", "day_dollars = 1e5"] {
        project.write("countersign.toml", format!("[budget]\n{more}\n"));
        let ran = project.run(["status"]).expect(2).says("is more than you set");
        ran.says("countersign.toml:2: budget.").says("in your own file");
    }
    user_file(&project, "[budget]\nday_dollars = 0\nrun_dollars = 100\n");
    project.write("countersign.toml", "[budget]\nday_dollars = 900\nrun_dollars = 99.5\n");
    assert_eq!((cap("budget.day_dollars"), cap("budget.run_dollars")), (900.0, 99.5));
}

/// CO-05, PL-05: amounts that make no sense are told with their place.
#[test]
fn amounts_that_make_no_sense_are_told() {
    let project = project();
    for (wrong, said) in [
        ("run_dollars = -1", "no number of dollars"),
        ("run_dollars = nan", "no number of dollars"),
        ("run_dollars = 1e7", "no number of dollars"),
        ("run_dollars = \"5\"", "number of dollars"),
        ("run_tokens = -1", "invalid value"),
        ("run_cents = 5", "no setting 'budget.run_cents'"),
    ] {
        user_file(&project, &format!("[budget]\n{wrong}\n"));
        project.run(["status"]).expect(2).says("config.toml:2").says(said);
    }
    user_file(&project, "");
    let call = project.call(["status"]).env("COUNTERSIGN_BUDGET_RUN_DOLLARS", "much");
    call.run().expect(2).says("'much' is not a number");
    let call = project.call(["config", "show"]).env("COUNTERSIGN_BUDGET_RUN_DOLLARS", "7.25");
    call.run().expect(0).prints("budget.run_dollars = 7.25");
}
