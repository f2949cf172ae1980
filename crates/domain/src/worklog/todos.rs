//! The list of todos as it follows from an agent's calls: one fold for every tool that keeps one.
//!
//! It holds what the agent *claims*. What the agent's own program says is compared with it
//! (see [`super::verification`]) and never taken over silently.

use serde::{Deserialize, Serialize};

use super::todo::{Todo, TodoStatus, TodoUpdate};

mod dropped;

/// The fold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TodoList {
    todos: Vec<Todo>,
    /// Open todos that a later list left out without a word.
    dropped: Vec<Todo>,
    /// A person asked for something since the list was written.
    is_new_task: bool,
}

/// How many todos stand where.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    pub pending: usize,
    pub in_progress: usize,
    pub completed: usize,
    pub cancelled: usize,
}

impl Counts {
    pub fn open(self) -> usize {
        self.pending + self.in_progress
    }

    /// What there is or was to do; what was given up doesn't count.
    pub fn total(self) -> usize {
        self.open() + self.completed
    }
}

/// Ids are told as `3` and as `#3`.
pub(super) fn plain(id: &str) -> &str {
    id.trim().trim_start_matches('#')
}

pub(super) fn same_content(one: &str, other: &str) -> bool {
    one.trim() == other.trim()
}

impl TodoList {
    pub fn new(todos: Vec<Todo>) -> Self {
        Self { todos, ..Self::default() }
    }

    /// Takes in a call. Told twice (before and after the call, and in a list of the turn's
    /// calls) it is taken in once.
    pub fn apply(&mut self, update: &TodoUpdate) {
        match update {
            TodoUpdate::Listed { claimed, .. } => self.replace(claimed),
            TodoUpdate::Created { id, content } => self.create(id.as_deref(), content),
            TodoUpdate::Changed { id, content, status, .. } => {
                self.change(id, content.as_deref(), *status);
            }
            TodoUpdate::Read { todos } => self.read(todos),
        }
    }

    fn create(&mut self, id: Option<&str>, content: &str) {
        self.dropped.retain(|gone| !same_content(&gone.content, content));
        if id.is_some_and(|id| self.find(id).is_some()) {
            return;
        }
        let same = |todo: &&mut Todo| {
            let unnamed = id.is_none() || todo.id.is_none();
            unnamed && todo.status.is_open() && same_content(&todo.content, content)
        };
        match self.todos.iter_mut().find(same) {
            Some(known) => known.id = known.id.take().or_else(|| id.map(str::to_owned)),
            None => self.todos.push(Todo {
                id: id.map(str::to_owned),
                content: content.to_owned(),
                status: TodoStatus::Pending,
            }),
        }
    }

    fn change(&mut self, id: &str, content: Option<&str>, status: Option<TodoStatus>) {
        let late = |todo: &Todo| {
            todo.id.is_none() && content.is_some_and(|said| same_content(&todo.content, said))
        };
        let at = self.find(id).or_else(|| self.todos.iter().position(late));
        let at = at.unwrap_or_else(|| {
            // It was made before we looked: that it exists is all we know.
            self.todos.push(Todo {
                id: None,
                content: format!("#{}", plain(id)),
                status: TodoStatus::Pending,
            });
            self.todos.len() - 1
        });
        let Some(todo) = self.todos.get_mut(at) else { return };
        todo.id.get_or_insert_with(|| id.to_owned());
        if let Some(content) = content {
            todo.content = content.to_owned();
        }
        todo.status = status.unwrap_or(todo.status);
    }

    /// Nothing is claimed by looking; but ids that we missed are learned, and a list of which
    /// we know nothing is better than none.
    fn read(&mut self, read: &[Todo]) {
        if self.todos.is_empty() {
            self.todos.extend_from_slice(read);
        }
        for seen in read {
            let Some(id) = seen.id.as_deref().filter(|id| self.find(id).is_none()) else {
                continue;
            };
            let unnamed =
                |todo: &&mut Todo| todo.id.is_none() && same_content(&todo.content, &seen.content);
            if let Some(todo) = self.todos.iter_mut().find(unnamed) {
                todo.id = Some(id.to_owned());
            }
        }
    }

    fn find(&self, id: &str) -> Option<usize> {
        let is = |todo: &Todo| todo.id.as_deref().is_some_and(|known| plain(known) == plain(id));
        self.todos.iter().position(is)
    }

    pub fn todos(&self) -> &[Todo] {
        &self.todos
    }

    /// What is left to do.
    pub fn open(&self) -> impl Iterator<Item = &Todo> {
        self.todos.iter().filter(|todo| todo.status.is_open())
    }

    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for todo in &self.todos {
            match todo.status {
                TodoStatus::Pending => counts.pending += 1,
                TodoStatus::InProgress => counts.in_progress += 1,
                TodoStatus::Completed => counts.completed += 1,
                TodoStatus::Cancelled => counts.cancelled += 1,
            }
        }
        counts
    }
}

#[cfg(test)]
#[path = "todos_tests.rs"]
mod tests;
