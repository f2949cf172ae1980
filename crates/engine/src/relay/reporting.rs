//! LP-22: the report on the process itself, where the plan wants one, written when the relay has ended.

use std::path::PathBuf;

use countersign_domain::Stamp;
use countersign_domain::relay::Relay;

use super::{Told, Undertaking};
use crate::Engine;
use crate::error::{Error, Result};
use crate::report::{Filed, Shape, file_report, written};

impl Engine {
    /// Where the reports on a relay are kept: beside the ledger, where cleaning doesn't reach.
    pub fn reports_folder(&self, relay: Stamp) -> PathBuf {
        self.state.join("reports").join(relay.to_string())
    }

    /// Writes the report if the plan asked for it. That it can't be written takes nothing from the work.
    pub(super) fn leave_report(&self, relay: &Relay, watch: &mut dyn FnMut(&Told<'_>)) {
        if !relay.opened.self_verification {
            return;
        }
        let words = match self.write_report(relay.id()) {
            Ok(filed) => format!("the self-verification report is in {}", filed.path.display()),
            Err(error) => format!(
                "the self-verification report could not be written ({}); `countersign run report {}` \
                 makes it",
                error.message,
                relay.id()
            ),
        };
        watch(&Told::Note(&words));
    }

    fn write_report(&self, relay: Stamp) -> Result<Filed> {
        let report = self.report(Undertaking::Relay(relay))?;
        let text = written(&report, Shape::Markdown)?;
        let folder = self.reports_folder(relay);
        std::fs::create_dir_all(&folder).map_err(|error| Error::io("create", &folder, &error))?;
        file_report(&folder, Shape::Markdown, &text, false)
    }
}
