//! Checks of certificates and signatures that new code switches off, where nobody spoke of them.

use countersign_domain::gaming::{Finding, Rule};

use super::View;
use crate::args::{short, squeeze};

/// What switches such a check off, without spaces.
const SWITCHES: &[&str] = &[
    "InsecureSkipVerify:true",
    "InsecureSkipVerify=true",
    "InsecureIgnoreHostKey(",
    "verify=False",
    "_create_unverified_context",
    "CERT_NONE",
    "check_hostname=False",
    "ssl=False",
    "verify_signature\":False",
    "AutoAddPolicy(",
    "rejectUnauthorized:false",
    "rejectUnauthorized=false",
    "strictSSL:false",
    "NODE_TLS_REJECT_UNAUTHORIZED",
    "danger_accept_invalid_certs(true",
    "danger_accept_invalid_hostnames(true",
    "SslVerifyMode::NONE",
    "StrictHostKeyChecking=no",
];

/// Who says one of these speaks of such checks.
const SPOKEN: &[&str] = &[
    "certificate",
    "certificates",
    "cert",
    "certs",
    "tls",
    "ssl",
    "insecure",
    "self-signed",
    "unverified",
    "hostname",
    "host key",
    "host keys",
    "signature",
    "signatures",
];

pub(super) fn check(view: &View<'_>) -> Vec<Finding> {
    if view.literals.task_has(SPOKEN) {
        return Vec::new();
    }
    let old = squeeze_all(view.change.old());
    let is_off = |text: &str, code: &str| {
        let squeezed = squeeze(text);
        // An option of one's own has to be handed in by somebody.
        let is_option = ["def ", "func ", "fn ", "function "]
            .iter()
            .any(|word| code.trim_start().starts_with(word));
        !code.trim().is_empty()
            && !is_option
            && SWITCHES.iter().any(|word| squeezed.contains(word) && !old.contains(word))
    };
    let lines = view.new_lines().into_iter().filter(|(_, text, code)| is_off(text, code));
    let message = "New code no longer checks whom it talks to, and the task doesn't speak of that.";
    lines
        .map(|(number, text, _)| {
            let finding = view.change.structure(Rule::G64, number, message);
            finding.change(None, Some(short(text)))
        })
        .collect()
}

fn squeeze_all(text: &str) -> String {
    text.lines().map(|line| squeeze(line) + "\n").collect()
}
