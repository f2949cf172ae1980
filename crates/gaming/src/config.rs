//! Files around the code: data of tests, settings, scripts, CI, and our own.

mod ci;
mod command;
mod data;
mod gate;
mod guards;
mod native;
mod ours;
mod runner;
mod scripts;
mod shadow;

use countersign_domain::gaming::Finding;

use crate::detect::{Change, Found};

pub(crate) fn check(change: &Change<'_>) -> Vec<Found> {
    let checks: [fn(&Change<'_>) -> Vec<Finding>; 9] = [
        data::check,
        ours::check,
        shadow::check,
        scripts::check,
        runner::check,
        native::check,
        ci::check,
        guards::check,
        gate::check,
    ];
    checks.iter().flat_map(|check| check(change)).map(Found::from).collect()
}
