//! Telling somebody of every event that a store writes, at the moment it is durable.

use std::fmt;
use std::sync::Arc;

use countersign_domain::ledger::Event;

use crate::Store;

/// Is told of events. Who wrote one goes on when it returns.
#[derive(Clone)]
pub struct Observer(Arc<dyn Fn(&Event) + Send + Sync>);

impl Observer {
    pub fn new(tell: impl Fn(&Event) + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Observer")
    }
}

impl Store {
    /// Has `observer` told of every event that is appended from now on, right after it is durable and
    /// before the append returns.
    pub fn observe(&mut self, observer: Observer) {
        self.observer = Some(observer);
    }

    pub fn observer(&self) -> Option<&Observer> {
        self.observer.as_ref()
    }

    pub(crate) fn tell_of(&self, events: &[Event]) {
        if let Some(Observer(tell)) = &self.observer {
            for event in events {
                tell(event);
            }
        }
    }
}
