//! What a person has allowed. A finding that is allowed stays visible, with the reason.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::finding::{Finding, Severity};
use super::rule::Rule;
use crate::scope;

/// A person allows what a rule finds, in some files, for a reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allow {
    pub rule: Rule,
    /// Globs, as in a task's scope. None means no file, and findings without one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    pub reason: String,
}

impl Allow {
    /// Whether it is about a test, by its id, its bare name, or the file that it lies in.
    pub(crate) fn covers_test(&self, (id, bare): (&str, &str), path: Option<&str>) -> bool {
        let is_meant = |glob: &String| {
            [Some(id), Some(bare), path].into_iter().flatten().any(|one| scope::is_match(glob, one))
                || glob == id
        };
        self.paths.iter().any(is_meant) && !self.reason.trim().is_empty()
    }

    /// A reason is what makes a permission; without one it allows nothing.
    pub(crate) fn covers(&self, finding: &Finding) -> bool {
        let meant = match &finding.path {
            Some(path) => self.paths.iter().any(|glob| scope::is_match(glob, path)),
            None => self.paths.is_empty(),
        };
        finding.rule == self.rule && meant && !self.reason.trim().is_empty()
    }
}

/// A finding, and the reason for which a person allowed it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Judged {
    #[serde(flatten)]
    pub finding: Finding,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed: Option<String>,
}

impl Judged {
    /// How grave it still is.
    pub fn severity(&self) -> Severity {
        if self.allowed.is_some() { Severity::Info } else { self.finding.severity }
    }

    pub fn blocks(&self) -> bool {
        self.severity() == Severity::Block
    }
}

/// Every finding, with the reason of the first permission that covers it.
pub fn allowed(findings: Vec<Finding>, allows: &[Allow]) -> Vec<Judged> {
    let judge = |finding: Finding| {
        let allow = allows.iter().find(|allow| allow.covers(&finding));
        Judged { allowed: allow.map(|allow| allow.reason.clone()), finding }
    };
    findings.into_iter().map(judge).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gaming::Basis;

    fn finding(rule: Rule, path: Option<&str>) -> Finding {
        let finding = Finding::new(rule, Basis::Text, "m").graded(Severity::Block);
        match path {
            Some(path) => finding.at(path, Some(1)),
            None => finding,
        }
    }

    /// What is allowed stays visible with its reason, and the rest is as grave as before.
    #[test]
    fn what_is_allowed_stays_visible() {
        let allow = |paths: &[&str], reason: &str| Allow {
            rule: Rule::G43,
            paths: paths.iter().map(|path| (*path).to_owned()).collect(),
            reason: reason.to_owned(),
        };
        let check = |allow: Allow, finding: Finding, blocks: bool| {
            let judged = allowed(vec![finding], std::slice::from_ref(&allow));
            assert_eq!(judged[0].blocks(), blocks, "{allow:?}");
            assert_eq!(judged[0].allowed.is_none(), blocks);
        };
        check(allow(&["Makefile"], "asked"), finding(Rule::G43, Some("Makefile")), false);
        check(allow(&["ci/**"], "asked"), finding(Rule::G43, Some("ci/a/b.yml")), false);
        check(allow(&["ci/**"], "asked"), finding(Rule::G43, Some("Makefile")), true);
        check(allow(&["Makefile"], " "), finding(Rule::G43, Some("Makefile")), true);
        check(allow(&["Makefile"], "asked"), finding(Rule::G44, Some("Makefile")), true);
        check(allow(&[], "asked"), finding(Rule::G43, None), false);
        check(allow(&["**"], "asked"), finding(Rule::G43, None), true);
        check(allow(&[], "asked"), finding(Rule::G43, Some("Makefile")), true);
    }

    /// Stored formats only ever grow.
    #[test]
    fn a_judged_finding_is_stored_flat() {
        let judged = allowed(vec![finding(Rule::G46, None)], &[]);
        let stored = serde_json::to_string(&judged[0]).unwrap();
        assert_eq!(stored, r#"{"rule":"G46","severity":"block","basis":"text","message":"m"}"#);
        assert_eq!(serde_json::from_str::<Judged>(&stored).unwrap(), judged[0]);
    }
}
