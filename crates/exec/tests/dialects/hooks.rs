//! Every recorded call of a hook, and what it means.

use countersign_domain::worklog::News;
use countersign_exec::agents::dialect::read;

use crate::support::{report_line, tours};

/// WL-03, WL-04: every recorded call is read without trouble, and means this.
#[test]
fn every_recorded_call_is_understood() {
    for tour in tours() {
        let mut text = String::new();
        for (name, bytes) in tour.payloads() {
            let reading = read(tour.agent, &bytes);
            assert_eq!(reading.trouble, None, "{} {name}", tour.name);
            let report = reading.report;
            assert!(!report.agent_session.is_empty(), "{} {name}", tour.name);
            assert!(report.transcript.is_some() && report.cwd.is_some(), "{} {name}", tour.name);
            text.push_str(&format!("{} {}\n", &name[..3], report_line(&report)));
        }
        insta::assert_snapshot!(format!("hooks-{}", tour.name), text);
    }
}

/// One session keeps its name, through resuming and compaction.
#[test]
fn a_tour_is_one_session() {
    for tour in tours() {
        let mut names: Vec<_> = tour
            .payloads()
            .iter()
            .map(|(_, bytes)| read(tour.agent, bytes).report.agent_session)
            .collect();
        names.dedup();
        assert_eq!(names.len(), 1, "{}", tour.name);
    }
}

/// A call that ends is one that began, with the same id and the same tool.
#[test]
fn ends_are_paired_with_beginnings() {
    let mut pairs = 0;
    for tour in tours() {
        let mut began = Vec::new();
        for (name, bytes) in tour.payloads() {
            match read(tour.agent, &bytes).report.news {
                News::Began(operation) => began.push((operation.call, operation.tool)),
                News::Operated(operation) => {
                    let key = (operation.call, operation.tool);
                    assert!(began.contains(&key), "{} {name}", tour.name);
                    pairs += 1;
                }
                _ => {}
            }
        }
    }
    assert!(pairs > 50, "{pairs}");
}
