//! Whether every criterion has enough tests of more than one sort.

use std::collections::BTreeSet;

use super::{Findings, Place, unless_waived};
use crate::plan::filled::is_promise;
use crate::plan::types::{Category, Law, Mapped, Plan, Story};

const MIN_TESTS: usize = 3;
const MIN_CATEGORIES: usize = 2;

pub(super) fn check(plan: &Plan, story: &Story, found: &mut Findings<'_>) {
    for criterion in &story.criteria {
        let rows: Vec<&Mapped> = plan
            .spec
            .mapping
            .iter()
            .filter(|row| row.story == story.id && row.criterion == criterion.id)
            // What is still to be written tests nothing.
            .filter(|row| !is_promise(&row.test) && !is_promise(&row.command))
            .collect();
        let tests: BTreeSet<(&str, &str)> =
            rows.iter().map(|row| (row.command.as_str(), row.test.as_str())).collect();
        let categories: BTreeSet<Category> = rows.iter().map(|row| row.category).collect();
        let subject = format!("{} {}", story.id, criterion.id);
        let place =
            rows.first().map_or(Place::Prd(criterion.line.0), |row| Place::Spec(row.line.0));
        let tell = |found: &mut Findings<'_>, what: String, fix: &str| {
            let about = unless_waived(story, Law::Tests, "tests", &subject);
            found.add(about, place, what, fix);
        };
        if tests.len() < MIN_TESTS {
            let what = format!("it has {} of at least {MIN_TESTS} tests", tests.len());
            tell(found, what, "add tests to 'Criteria to tests'; only those there count");
        } else if categories.len() < MIN_CATEGORIES {
            let only = categories.first().map_or("one sort", |one| one.name());
            let what = format!("all of its tests are {only}");
            tell(found, what, "add tests of another category: happy, negative, boundary");
        }
    }
}
