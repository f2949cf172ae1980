//! Verification of work that is already there: any agent's or person's changes against a base,
//! without any preparation.
//!
//! The working tree is recorded once; everything after that looks at recorded trees only, each
//! check in a fresh checkout of its own. What is run is found in the base, which the work could not
//! change. The receipts and the verdict are on the record before anybody hears of them.

mod agreed;
mod allowed;
mod around;
mod beside;
mod borrow;
mod caches;
mod copies;
mod edits;
mod examples;
mod folders;
mod grounds;
mod installed;
mod journal;
mod lacking;
mod made;
mod mirror;
mod mutants;
mod open;
mod packages;
mod place;
mod results;
mod reuse;
mod review;
mod scripts;
mod stated;
mod submodules;
mod suite;
mod surroundings;
mod tools;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use countersign_domain::classify::{ContractType, Overrides};
use countersign_domain::gaming::Judged;
use countersign_domain::verify::{
    Answered, Checked, Evidence, Example, Ground, Judgement, Reached, Reason, Terms, TestEdits,
    Verdict, Weight, falls_short, has_protected, judge, plainly,
};
use countersign_domain::{Digest, ObjectId, Stamp};
use countersign_git::Change;
use schemars::JsonSchema;
use serde::Serialize;

use crate::Engine;
use crate::error::{Error, Result};

pub(crate) use allowed::check as check_permission;
pub(crate) use journal::rows_of;
pub(crate) use results::not_run;
pub use reuse::Reused;
pub use review::{Review, ReviewRow, Reviewing};
pub(crate) use surroundings::{Walls, around};

/// What somebody wants verified.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// What was to be done, in words; nothing where a contract says it.
    pub task: String,
    /// The contract to verify against: its id, a beginning of it, or `latest`.
    pub contract: Option<String>,
    /// Whether what a contract defers is run as well.
    pub runs_deferred: bool,
    /// Who did the work, for the record.
    pub agent: Option<String>,
    /// What the work began with; without, the last commit, or where this branch left its trunk.
    pub base: Option<String>,
    /// What was handed over, where that is on the record already; without, the working tree.
    pub tree: Option<ObjectId>,
    /// Shell commands; without, what the base's files say.
    pub checks: Vec<String>,
    pub examples: Vec<Example>,
    /// What the user knows better than the words say.
    pub said: Overrides,
    /// How long one command may take.
    pub seconds: Option<u64>,
    /// How long single commands may take, where that is less.
    pub own_seconds: BTreeMap<String, u64>,
    /// Whether everything is run, also what was run before in the same way.
    pub is_fresh: bool,
}

/// A verification that came to its end.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Verification {
    pub id: Stamp,
    pub terms: Terms,
    pub contract: Digest,
    /// The contract that this is the hash of a version of.
    pub agreement: Stamp,
    /// What was handed over.
    pub tree: ObjectId,
    /// The changed paths, in order.
    pub changed: Vec<String>,
    pub judgement: Judgement,
    /// What reading the change found.
    pub findings: Vec<Judged>,
    pub checks: Vec<Checked>,
    pub examples: Vec<Answered>,
    pub edits: TestEdits,
    /// Folders that are not in the tree and were taken from the working tree, such as
    /// `node_modules`.
    pub borrowed: Vec<String>,
    /// How checks were confined, in words.
    pub sandbox: String,
    /// Receipts of earlier verifications that stand for runs of this one.
    pub reused: Vec<Reused>,
    /// The base's code with the new tests.
    pub red: ObjectId,
}

/// What a watcher is told while it goes on.
#[derive(Debug)]
pub enum Moment<'a> {
    Opened {
        terms: &'a Terms,
        changed: usize,
    },
    Running {
        command: &'a str,
        ground: Ground,
    },
    /// An earlier verification ran it already, in the same way.
    Reused {
        command: &'a str,
        ground: Ground,
        from: Stamp,
    },
}

/// One verification at work.
struct Work<'e> {
    engine: &'e mut Engine,
    id: Stamp,
    terms: Terms,
    contract: Digest,
    agreed: agreed::Agreed,
    agent: Option<String>,
    tree: ObjectId,
    /// They are removed at the end.
    folders: folders::Folders,
    /// One that nobody can know before.
    word: String,
    seconds: u64,
    own_seconds: BTreeMap<String, u64>,
    sequence: u64,
    walls: surroundings::Walls,
    is_fresh: bool,
    /// What the folders are that are lent to checkouts, if there are any.
    lent: Option<Digest>,
    asked: tools::Asked,
    /// Where packages are installed for the Pythons that were asked.
    sites: BTreeSet<PathBuf>,
    /// What installing the project wrote beside its code.
    made: Vec<made::Made>,
    /// The project among its own packages.
    copies: Vec<copies::Copy>,
    known: reuse::Known,
    reused: Vec<Reused>,
    receipts: results::Receipts,
    /// What is known of the checkout that its commands run in, one after the other.
    standing: countersign_git::Standing,
    /// The builds of the base that may be lent, as they were before anything was checked out.
    builds: Option<caches::Builds>,
}

impl Engine {
    /// Verifies the working tree as it is.
    pub fn verify_work(
        &mut self,
        request: &Request,
        watch: &mut dyn FnMut(&Moment<'_>),
    ) -> Result<Verification> {
        let own = self.settings.clone();
        self.sweep_verifications();
        let opened = self.open_verification(request);
        let done = opened.and_then(|opened| self.carry_out(request, opened, watch));
        self.settings = own;
        done
    }

    /// The verification that was opened, and what differs between base and handed tree.
    fn begin(&mut self, request: &Request, opened: open::Opened) -> (Work<'_>, Vec<Change>) {
        let open::Opened { id, terms, tree, changes, agreed, folders } = opened;
        let seconds = request.seconds.unwrap_or(self.settings.config.run.check_seconds);
        let walls = surroundings::Walls::find(self);
        let mut work = Work {
            engine: self,
            id,
            terms,
            contract: agreed.hash,
            agreed,
            agent: request.agent.clone(),
            tree,
            folders,
            word: uuid::Uuid::new_v4().simple().to_string(),
            seconds,
            own_seconds: request.own_seconds.clone(),
            sequence: 0,
            walls,
            is_fresh: request.is_fresh,
            lent: None,
            asked: tools::Asked::default(),
            sites: BTreeSet::new(),
            made: Vec::new(),
            copies: Vec::new(),
            known: reuse::Known::default(),
            reused: Vec::new(),
            receipts: results::Receipts::default(),
            standing: countersign_git::Standing::default(),
            builds: None,
        };
        work.builds = caches::found(&work);
        (work, changes)
    }

    fn carry_out(
        &mut self,
        request: &Request,
        opened: open::Opened,
        watch: &mut dyn FnMut(&Moment<'_>),
    ) -> Result<Verification> {
        let (mut work, changes) = self.begin(request, opened);
        watch(&Moment::Opened { terms: &work.terms, changed: changes.len() });
        work.record_opening()?;
        work.engine.expect_genuine_trees(&[&work.terms.base_tree, &work.tree])?;
        let files = edits::Files::read(work.engine, &changes)?;
        let allows = allowed::allows(&work)?;
        let borrowed = borrow::candidates(&work)?;
        work.look_around(&borrowed)?;
        let tests = edits::unchanged_tests(work.engine, &work.tree, &files)?;
        let task = plainly(work.terms.heeded());
        let findings = edits::findings(&files, (&task, &tests), &borrowed, &allows.rules);
        let (mut edits, roles) = edits::edits(&files, &task);
        edits::discount(&mut edits, &findings);
        let paths: Vec<String> =
            changes.iter().map(|one| one.path.to_string_lossy().into_owned()).collect();
        edits.reverted |= work.puts_back(&changes, &paths);
        let has_code = roles.product > roles.built;
        let grounds = grounds::make(&work, &changes, (&files, &tests), has_code)?;
        let checks = work.run_checks((&grounds, &borrowed), &paths, watch)?;
        let examples = examples::ask(&mut work, &borrowed, watch)?;
        let heard = stated::hear(&mut work, (&borrowed, &files), watch)?;
        let undone = edits::undone(&work, &files)?;
        // Whoever answers is the copy that the tests saw, too.
        let is_elsewhere = checks.iter().any(|check| check.elsewhere.is_some());
        let heeded = if is_elsewhere { (&[][..], &[][..]) } else { (&examples[..], &heard[..]) };
        let nowhere = BTreeMap::new();
        let evidence = Evidence {
            task: &task,
            aim: work.terms.aim,
            contract: work.terms.contract,
            tier: work.terms.tier,
            changed: changes.len(),
            code: roles.code,
            product: roles.product,
            built: roles.built,
            cut: roles.cut,
            labelled: roles.labelled,
            touched: roles.touched,
            checks: &checks,
            examples: heeded.0,
            heard: heeded.1,
            findings: &findings,
            undone: &undone,
            edits: &edits,
            allows: &allows.rules,
            places: &nowhere,
        };
        let mut judgement = weigh(&evidence, &files, &tests);
        work.take_in(&mut judgement, &borrowed);
        judgement.add(allowed::protected(&work, &allows, &paths));
        judgement.add(around::reasons(&work, &changes)?);
        judgement.add(falls_short(&judgement, work.reached(&checks, &edits)?));
        work.conclude(&judgement, &findings, &checks)?;
        let lent = borrowed.iter().map(|one| one.path.clone());
        Ok(Verification {
            id: work.id,
            contract: work.contract,
            agreement: work.agreed.id,
            tree: work.tree.clone(),
            changed: paths,
            terms: work.terms.clone(),
            judgement,
            findings,
            checks,
            examples,
            edits,
            borrowed: lent.chain(made::paths(&work.made)).collect(),
            sandbox: work.sandbox(),
            reused: work.reused,
            red: grounds.red,
        })
    }
}

/// That nothing was run, where nothing had to be.
fn idle(work: &Work<'_>, judgement: &Judgement) -> Option<Reason> {
    let terms = &work.terms;
    let is_idle = terms.checks.is_empty() && terms.examples.is_empty();
    if !is_idle || judgement.verdict != Verdict::Accepted {
        return None;
    }
    let waits = match terms.contract {
        ContractType::Skip => "; it waits for a reader: `countersign review list`",
        _ => "",
    };
    let text =
        format!("nothing was run: no code was changed, and no command checks such files{waits}");
    Some(Reason { weight: Weight::Note, text })
}

/// The judgement. Where the tests lie that something was found about is only looked for if there are some.
fn weigh(evidence: &Evidence<'_>, files: &edits::Files, tests: &[(String, Vec<u8>)]) -> Judgement {
    let places = edits::places(&judge(evidence).findings, files, tests);
    judge(&Evidence { places: &places, ..evidence.clone() })
}

impl Work<'_> {
    /// Runs every check, and sets aside what saw other files than those that were handed over.
    fn run_checks(
        &mut self,
        (grounds, borrowed): (&grounds::Grounds, &[borrow::Borrowed]),
        changed: &[String],
        watch: &mut dyn FnMut(&Moment<'_>),
    ) -> Result<Vec<Checked>> {
        let mut checks = Vec::new();
        for number in 0..self.terms.checks.len() {
            let mut checked = suite::check(self, number, (grounds, borrowed), watch)?;
            checked.elsewhere = self.elsewhere(&self.terms.checks[number], &checked);
            checks.push(checked);
        }
        beside::mark(self, &mut checks, changed)?;
        Ok(checks)
    }

    /// Adds to a judgement what is known besides its evidence: what was not run, and what was said
    /// before anything ran.
    fn take_in(&self, judgement: &mut Judgement, borrowed: &[borrow::Borrowed]) {
        judgement.add(self.unknown_criteria(judgement));
        judgement.results.extend(self.unknown_results());
        judgement.not_run.extend(self.lacking());
        judgement.add(self.agreed.notes.clone());
        judgement.add(packages::reasons(self, borrowed));
        judgement.add(idle(self, judgement));
    }

    /// Puts on the record what was found, and leaves the checkout for the next one: all that ran there
    /// has ended.
    fn conclude(
        &mut self,
        judgement: &Judgement,
        findings: &[countersign_domain::gaming::Judged],
        checks: &[Checked],
    ) -> Result<()> {
        self.record_judgement(judgement, findings)?;
        self.record_results(judgement, checks)?;
        self.engine.seal_what_is_done()?;
        let checkout = self.folders.place.join(place::TREE);
        let spares = self.engine.spares_folder();
        self.engine.repository.retire_standing(&checkout, (&mut self.standing, &spares));
        Ok(())
    }

    /// Finds out what is lent to checkouts, and whether the project is among its own packages, before
    /// anything is run with them.
    fn look_around(&mut self, borrowed: &[borrow::Borrowed]) -> Result<()> {
        self.made = made::find(self)?;
        self.lent = borrow::fingerprint(borrowed, made::digest(&self.made));
        for number in 0..self.terms.checks.len() {
            let command = self.terms.checks[number].command.clone();
            self.tools(&command)?;
        }
        self.copies = copies::find(self, borrowed)?;
        Ok(())
    }

    fn scratch(&self) -> PathBuf {
        self.folders.own.join("scratch")
    }

    /// What receipts say about how checks are confined.
    fn sandbox(&self) -> String {
        let covers = if self.walls.cover() { ", which lies over the working tree" } else { "" };
        format!("{}{covers}", self.walls.words())
    }

    /// Whether a changed file that was there before is the base's in the clean room.
    fn puts_back(&self, changes: &[Change], paths: &[String]) -> bool {
        let mut all = changes.iter().zip(paths);
        all.any(|(one, path)| one.old.is_some() && self.is_put_back(path))
    }

    /// What stands behind the checks.
    fn reached(&self, checks: &[Checked], edits: &TestEdits) -> Result<Reached> {
        let listed = self.engine.repository.list(&self.terms.base_tree)?;
        let has_files = listed.iter().filter_map(|one| one.path.to_str()).any(|path| {
            countersign_gaming::role(path) == countersign_gaming::Role::Test
                || self.is_protected(path)
        });
        Ok(Reached {
            contract: self.terms.contract,
            tier: self.terms.tier,
            risk: self.terms.risk,
            is_sure: self.agreed.is_sure,
            has_examples: self.terms.examples.iter().any(Example::is_oracle),
            has_protected: has_protected(checks, edits, has_files),
        })
    }

    fn content(&self, object: &ObjectId) -> Result<Vec<u8>> {
        self.engine.repository.content(object).map_err(Error::from)
    }
}
