//! A conversation with `git cat-file --batch`: many objects from one process.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use std::thread::{self, JoinHandle};

use countersign_domain::id::ObjectId;

use crate::error::Error;
use crate::loose::Naming;
use crate::repository::Repository;

/// The running process. It ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Batch {
    child: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    /// The end of what it complains about, when it has ended.
    complaints: Option<JoinHandle<Vec<u8>>>,
    git_dir: PathBuf,
}

/// So much of what it complains about is kept.
const MOST_KEPT: usize = 4096;

/// One object as stored.
#[derive(Debug)]
pub(crate) struct Object {
    pub(crate) id: ObjectId,
    pub(crate) kind: String,
    pub(crate) content: Vec<u8>,
}

impl Object {
    /// Whether it has the content that its name says.
    pub(crate) fn is_genuine(&self) -> bool {
        let digits = self.id.as_str().len();
        let mut naming = Naming::of(&self.kind, self.content.len() as u64, digits);
        naming.add(&self.content);
        naming.name() == self.id.as_str()
    }
}

impl Batch {
    pub(crate) fn start(repository: &Repository) -> Result<Self, Error> {
        let mut child = repository.git().args(["cat-file", "--batch"]).converse_heard()?;
        let questions = child.stdin.take();
        let Some(answers) = child.stdout.take() else {
            return Err(talk(io::Error::other("it has no output")));
        };
        // Somebody has to read them: a full pipe would stop it.
        let complaints = child.stderr.take().map(|pipe| thread::spawn(|| last_of(pipe)));
        let (answers, git_dir) = (BufReader::new(answers), repository.layout().git_dir.clone());
        Ok(Self { child, questions, answers, complaints, git_dir })
    }

    /// The object that `name` stands for; `None` when there is none.
    pub(crate) fn object(&mut self, name: &str) -> Result<Option<Object>, Error> {
        self.ask(name, usize::MAX).map_err(|error| self.why(error))
    }

    /// What git itself said, if it has ended; else what is odd about its answer.
    fn why(&mut self, error: io::Error) -> Error {
        drop(self.questions.take());
        // It may have more to say than anybody will read.
        self.child.kill().ok();
        let ended = self.child.wait();
        let said = self.complaints.take().and_then(|heard| heard.join().ok()).unwrap_or_default();
        let command = format!("git cat-file --batch' in '{}", self.git_dir.display());
        match ended {
            Ok(status) if !said.is_empty() => Error::from_git(command, status.code(), &said),
            _ => Error::io("talk with", Path::new(&command))(error),
        }
    }

    /// The same for one that has at most so many bytes; nothing can be asked after a larger one.
    pub(crate) fn small(&mut self, name: &str, most: usize) -> Result<Option<Object>, Error> {
        self.ask(name, most).map_err(|error| self.why(error))
    }

    fn ask(&mut self, name: &str, most: usize) -> io::Result<Option<Object>> {
        let Some(questions) = &mut self.questions else {
            return Err(io::Error::other("it has no input"));
        };
        questions.write_all(format!("{name}\n").as_bytes())?;
        questions.flush()?;
        let mut head = String::new();
        if self.answers.read_line(&mut head)? == 0 {
            return Err(io::Error::other("it ended without a word"));
        }
        let fields: Vec<&str> = head.split_whitespace().collect();
        let [id, kind, size] = fields[..] else {
            return if head.trim_end().ends_with(" missing") {
                Ok(None)
            } else {
                Err(io::Error::other(format!("it answered '{}'", head.trim_end())))
            };
        };
        let (Ok(id), Ok(size)) = (id.parse(), size.parse()) else {
            return Err(io::Error::other(format!("it answered '{}'", head.trim_end())));
        };
        if size > most {
            return Err(io::Error::other(format!("an object of {size} bytes is not read")));
        }
        let mut content = vec![0; size];
        self.answers.read_exact(&mut content)?;
        self.answers.read_exact(&mut [0])?;
        Ok(Some(Object { id, kind: kind.to_owned(), content }))
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        // Without its input, the process ends by itself; waiting leaves no zombie behind.
        drop(self.questions.take());
        drop(self.child.wait());
    }
}

/// The end of all that comes out of a pipe.
fn last_of(mut pipe: ChildStderr) -> Vec<u8> {
    let (mut kept, mut buffer) = (Vec::new(), [0; MOST_KEPT]);
    while let Ok(count @ 1..) = pipe.read(&mut buffer) {
        kept.extend_from_slice(&buffer[..count]);
        kept.drain(..kept.len().saturating_sub(MOST_KEPT));
    }
    kept
}

fn talk(source: io::Error) -> Error {
    Error::io("talk with", Path::new("git cat-file"))(source)
}
