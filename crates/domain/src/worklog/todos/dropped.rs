//! Todos that vanish: open in one whole list, and in the next neither done nor given up, but gone.
//!
//! Words change while work goes on, and so do plans; neither is dropping. What is in doubt is not
//! held against the agent.

use super::super::todo::{Todo, TodoStatus};
use super::super::verification::{alike, pair, words};
use super::{TodoList, same_content};

impl TodoList {
    /// Open todos that a later list left out without a word.
    pub fn dropped(&self) -> &[Todo] {
        &self.dropped
    }

    /// A person asked for something: what is listed next may be another plan.
    pub fn begin_task(&mut self) {
        self.is_new_task = true;
    }

    /// A whole new list.
    pub(super) fn replace(&mut self, claimed: &[Todo]) {
        let pairs = self.pairs(claimed);
        let is_back = |gone: &Todo| {
            let is_new = |at: usize| !pairs.iter().any(|(_, other)| *other == at);
            let fits = |todo: &Todo| {
                same_content(&gone.content, &todo.content) || alike(&gone.content, &todo.content)
            };
            claimed.iter().enumerate().any(|(at, todo)| is_new(at) && fits(todo))
        };
        self.dropped.retain(|gone| !is_back(gone));
        if !self.is_another_plan(&pairs, claimed) {
            let left_out = |at: &usize| !pairs.iter().any(|(old, _)| old == at);
            let gone = (0..self.todos.len()).filter(left_out).map(|at| &self.todos[at]);
            let gone = gone.filter(|todo| todo.status.is_open() && !is_part_of(todo, claimed));
            self.dropped.extend(gone.cloned());
        }
        self.todos = claimed.to_vec();
        self.is_new_task = false;
    }

    /// Which todo is which in the new list. In a list of the same length, one word in common at
    /// the same place is enough.
    fn pairs(&self, claimed: &[Todo]) -> Vec<(usize, usize)> {
        let mut pairs = pair(&self.todos, claimed);
        if self.todos.len() != claimed.len() {
            return pairs;
        }
        for (at, (old, new)) in self.todos.iter().zip(claimed).enumerate() {
            let is_taken = pairs.iter().any(|(one, other)| *one == at || *other == at);
            let said = words(&new.content);
            let shares =
                words(&old.content).iter().any(|word| word.len() > 2 && said.contains(word));
            if !is_taken && shares {
                pairs.push((at, at));
            }
        }
        pairs
    }

    /// Whether the list is another one altogether, and may be: for a new task, or because nothing
    /// was begun and no less is to be done.
    fn is_another_plan(&self, pairs: &[(usize, usize)], claimed: &[Todo]) -> bool {
        let is_untouched = self.todos.iter().all(|todo| todo.status == TodoStatus::Pending);
        let open = claimed.iter().filter(|todo| todo.status.is_open()).count();
        let is_as_long = open >= self.todos.len();
        pairs.is_empty() && !claimed.is_empty() && (self.is_new_task || is_untouched && is_as_long)
    }
}

/// Whether the words of a todo are all in one of these: two became one.
fn is_part_of(todo: &Todo, claimed: &[Todo]) -> bool {
    let own = words(&todo.content);
    let has_all = |other: &Todo| {
        let said = words(&other.content);
        own.iter().all(|word| said.contains(word))
    };
    !own.is_empty() && claimed.iter().any(has_all)
}
