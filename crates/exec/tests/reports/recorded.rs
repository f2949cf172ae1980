//! Every recording, and what it means.

use std::collections::BTreeMap;

use crate::support::{lines, recordings};

/// CX-12: what every recorded output is read as.
#[test]
fn every_recording_is_understood() {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for recording in recordings() {
        let text = texts.entry(recording.folder().to_owned()).or_default();
        text.push_str(&format!("{}\n{}\n", recording.name, lines(&recording.read())));
    }
    for (folder, text) in texts {
        insta::assert_snapshot!(folder, text);
    }
}
