//! A report as readers see it: sections of tables, lists and quotes, before it is Markdown or HTML.

use super::figures::Figures;

/// How a piece of text is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Plain,
    Good,
    Bad,
    /// A command, a digest, a name.
    Code,
}

/// One piece of text. Whatever is in it is data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    pub text: String,
    pub tone: Tone,
}

#[expect(clippy::needless_pass_by_value, reason = "callers hand in what they have just made")]
impl Cell {
    pub fn plain(text: impl ToString) -> Self {
        Self { text: text.to_string(), tone: Tone::Plain }
    }

    pub fn code(text: impl ToString) -> Self {
        Self { text: text.to_string(), tone: Tone::Code }
    }

    pub fn good(text: impl ToString, is_good: bool) -> Self {
        Self { text: text.to_string(), tone: if is_good { Tone::Good } else { Tone::Bad } }
    }
}

#[derive(Debug, Clone)]
pub enum Block {
    Text(String),
    Table {
        head: Vec<&'static str>,
        rows: Vec<Vec<Cell>>,
    },
    List(Vec<Cell>),
    /// What a program printed, or an agent said.
    Quote(String),
}

#[derive(Debug, Clone)]
pub struct Section {
    pub title: String,
    pub blocks: Vec<Block>,
}

/// A whole report.
#[derive(Debug, Clone)]
pub struct Document {
    pub title: String,
    pub goal: String,
    pub facts: Vec<(&'static str, Cell)>,
    pub figures: Figures,
    pub sections: Vec<Section>,
    pub foot: String,
}

impl Document {
    /// The same with every text of others changed by `change`, such as to take secrets out.
    #[must_use]
    pub fn with_texts(mut self, change: impl Fn(&str) -> String) -> Self {
        self.goal = change(&self.goal);
        for (_, cell) in &mut self.facts {
            cell.text = change(&cell.text);
        }
        for block in self.sections.iter_mut().flat_map(|section| &mut section.blocks) {
            match block {
                Block::Text(text) | Block::Quote(text) => *text = change(text),
                Block::List(cells) => cells.iter_mut().for_each(|one| one.text = change(&one.text)),
                Block::Table { rows, .. } => {
                    rows.iter_mut().flatten().for_each(|one| one.text = change(&one.text));
                }
            }
        }
        self
    }
}

/// A fence that `text` can't close.
pub(super) fn fence(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}
