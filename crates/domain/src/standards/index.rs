//! The sections of a document, found by name.

use std::collections::BTreeMap;

use super::section::{Section, sections};
use super::slug::slug;
use crate::id::Digest;
use crate::mistake::nearest;
use crate::secret::Scanner;

/// How many headings are looked at for the nearest to one that isn't there.
const MAX_COMPARED: usize = 1_000;

pub(super) struct Index {
    sections: Vec<Section>,
    by_slug: BTreeMap<String, usize>,
    /// Several headings can have the same words.
    by_title: BTreeMap<String, Vec<usize>>,
    by_content: BTreeMap<Digest, usize>,
}

impl Index {
    pub(super) fn of(text: &str) -> Self {
        let sections = sections(text);
        let (mut by_slug, mut by_title) = (BTreeMap::new(), BTreeMap::<String, Vec<usize>>::new());
        let mut by_content = BTreeMap::new();
        for (at, section) in sections.iter().enumerate() {
            by_slug.insert(section.slug.clone(), at);
            by_title.entry(slug(&section.title)).or_default().push(at);
            by_content.entry(section.content_sha).or_insert(at);
        }
        Self { sections, by_slug, by_title, by_content }
    }

    pub(super) fn named(&self, slug: &str) -> Option<&Section> {
        self.by_slug.get(slug).map(|at| &self.sections[*at])
    }

    pub(super) fn titled(&self, title: &str) -> Vec<&Section> {
        let found = self.by_title.get(&slug(title)).map_or(&[][..], Vec::as_slice);
        found.iter().map(|at| &self.sections[*at]).collect()
    }

    pub(super) fn with_content(&self, content: Digest) -> Option<&Section> {
        self.by_content.get(&content).map(|at| &self.sections[*at])
    }

    /// Up to three names of headings that are like `name`. A heading that looks like a secret is
    /// not told: its name is the secret without its capitals.
    pub(super) fn nearest(&self, name: &str) -> Vec<&str> {
        let scanner = Scanner::builtin();
        let is_tellable = |section: &&Section| !scanner.finds_any(section.title.as_bytes());
        let names = self.sections.iter().filter(is_tellable).map(|section| section.slug.as_str());
        nearest(&slug(name), names.take(MAX_COMPARED), 3)
    }
}
