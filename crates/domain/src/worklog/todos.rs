//! The list of todos as it follows from an agent's calls: one fold for every tool that keeps one.
//!
//! It holds what the agent *claims*. What the agent's own program says is compared with it
//! (see [`super::verification`]) and never taken over silently.

use serde::{Deserialize, Serialize};

use super::todo::{Todo, TodoStatus, TodoUpdate};
use super::verification::pair;

/// The fold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TodoList {
    todos: Vec<Todo>,
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
        Self { todos }
    }

    /// Takes in a call. Told twice (before and after the call, and in a list of the turn's
    /// calls) it is taken in once.
    pub fn apply(&mut self, update: &TodoUpdate) {
        match update {
            TodoUpdate::Listed { claimed, .. } => self.todos.clone_from(claimed),
            TodoUpdate::Created { id, content } => self.create(id.as_deref(), content),
            TodoUpdate::Changed { id, content, status, .. } => {
                self.change(id, content.as_deref(), *status);
            }
            TodoUpdate::Read { todos } => self.read(todos),
        }
    }

    fn create(&mut self, id: Option<&str>, content: &str) {
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

    /// The open todos that a whole new list leaves out without a word. A list of other todos
    /// altogether is a new plan.
    pub fn dropped_by(&self, update: &TodoUpdate) -> Vec<&Todo> {
        let TodoUpdate::Listed { claimed, .. } = update else { return Vec::new() };
        let pairs = pair(&self.todos, claimed);
        let kept = |at: usize| pairs.iter().any(|(old, _)| *old == at);
        let left_out = self.todos.iter().enumerate().filter(|(at, _)| !kept(*at));
        if pairs.is_empty() && !claimed.is_empty() {
            return Vec::new();
        }
        left_out.map(|(_, todo)| todo).filter(|todo| todo.status.is_open()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `#1 write tests [x]`: an id if it begins with `#`, and `[ ]`, `[>]`, `[x]` or `[-]`.
    fn todo(text: &str) -> Todo {
        let (text, mark) = text.rsplit_once(" [").unwrap();
        let status = match mark {
            " ]" => TodoStatus::Pending,
            ">]" => TodoStatus::InProgress,
            "x]" => TodoStatus::Completed,
            _ => TodoStatus::Cancelled,
        };
        let (id, content) = match text.strip_prefix('#').and_then(|text| text.split_once(' ')) {
            Some((id, content)) => (Some(id.to_owned()), content),
            None => (None, text),
        };
        Todo { id, content: content.to_owned(), status }
    }

    fn list(todos: &[&str]) -> Vec<Todo> {
        todos.iter().map(|text| todo(text)).collect()
    }

    fn listed(todos: &[&str]) -> TodoUpdate {
        TodoUpdate::Listed { claimed: list(todos), read_back: None }
    }

    fn created(id: &str, content: &str) -> TodoUpdate {
        let id = (!id.is_empty()).then(|| id.to_owned());
        TodoUpdate::Created { id, content: content.to_owned() }
    }

    fn changed(id: &str, content: &str, status: &str) -> TodoUpdate {
        TodoUpdate::Changed {
            id: id.to_owned(),
            content: (!content.is_empty()).then(|| content.to_owned()),
            status: TodoStatus::parse(status),
            read_back: None,
        }
    }

    #[track_caller]
    fn check(updates: &[TodoUpdate], expected: &[&str]) {
        let mut fold = TodoList::default();
        for update in updates {
            fold.apply(update);
        }
        assert_eq!(fold.todos(), list(expected), "{updates:?}");
    }

    /// D0.8: whole lists replace each other, also with the same text twice.
    #[test]
    fn whole_lists() {
        check(&[listed(&["a [ ]", "b [ ]"]), listed(&["a [x]", "b [>]"])], &["a [x]", "b [>]"]);
        check(&[listed(&["a [ ]", "a [x]"])], &["a [ ]", "a [x]"]);
        check(&[listed(&["a [ ]"]), listed(&[])], &[]);
    }

    /// D0.8: single todos, with ids that come before, with or after the rest.
    #[test]
    fn single_todos() {
        let whole = [created("1", "a"), created("2", "b"), changed("1", "", "completed")];
        check(&whole, &["#1 a [x]", "#2 b [ ]"]);
        check(&[created("", "a"), created("1", "a")], &["#1 a [ ]"]);
        check(&[created("1", "a"), created("", "a"), created("#1", "a")], &["#1 a [ ]"]);
        let parallel = [created("", "a"), created("", "a"), created("1", "a"), created("2", "a")];
        check(&parallel, &["#1 a [ ]", "#2 a [ ]"]);
        let again = [created("1", "a"), changed("1", "", "completed"), created("", "a")];
        check(&again, &["#1 a [x]", "a [ ]"]);
        check(&[created("", "a"), changed("7", "a", "in_progress")], &["#7 a [>]"]);
        check(&[changed("4", "", "in_progress")], &["#4 #4 [>]"]);
        check(&[created("1", "a"), changed("#1", "better a", "")], &["#1 better a [ ]"]);
        check(&[created("1", "a"), changed("1", "", "deleted")], &["#1 a [-]"]);
    }

    /// D0.8: looking at the list claims nothing.
    #[test]
    fn reading_claims_nothing() {
        let read = |todos| TodoUpdate::Read { todos: list(todos) };
        check(&[created("", "a"), read(&["#3 a [x]", "#4 b [ ]"])], &["#3 a [ ]"]);
        check(&[created("3", "a"), read(&[])], &["#3 a [ ]"]);
        check(&[read(&["#3 a [x]"])], &["#3 a [x]"]);
    }

    #[test]
    fn what_is_open() {
        let list = TodoList::new(list(&["a [ ]", "b [>]", "c [x]", "d [-]", "e [x]"]));
        let open: Vec<_> = list.open().map(|todo| todo.content.as_str()).collect();
        assert_eq!(open, ["a", "b"]);
        let counts = list.counts();
        assert_eq!(counts, Counts { pending: 1, in_progress: 1, completed: 2, cancelled: 1 });
        assert_eq!((counts.open(), counts.total()), (2, 4));
    }

    /// D0.8: a todo that vanishes from a list that goes on is noticed.
    #[test]
    fn what_a_new_list_leaves_out() {
        for (before, after, dropped) in [
            (&["a [ ]", "b [ ]"][..], &["a [x]"][..], &["b"][..]),
            (&["a [x]", "b [ ]"], &["b [x]"], &[]),
            (&["write a [ ]", "b [ ]"], &["write a well [ ]", "b [ ]"], &[]),
            (&["a [ ]", "b [ ]"], &["c [ ]", "d [ ]", "e [ ]"], &[]),
            (&["a [ ]", "b [x]"], &[], &["a"]),
        ] {
            let list = TodoList::new(list(before));
            let update = listed(after);
            let found: Vec<_> =
                list.dropped_by(&update).into_iter().map(|todo| todo.content.as_str()).collect();
            assert_eq!(found, dropped, "{before:?} {after:?}");
        }
    }
}
