//! Objects by the hundred from one `git cat-file --batch`, each hashed as it comes.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout};

use countersign_domain::id::ObjectId;

use crate::command::Git;
use crate::error::Error;
use crate::loose::Naming;

/// Git ends at an object that it can't make sense of. Whoever finds that many of them knows enough.
const MOST_ENDS: usize = 50;

/// What an object turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// A file with the content that its name says.
    File,
    /// A list of files with the content that its name says.
    Tree(Vec<u8>),
    Forged,
    Missing,
    Unreadable,
}

/// Asks one process for objects, and the next one where the first ends.
pub(super) struct Hearing<G> {
    git: G,
    talk: Option<Talk>,
    ends: usize,
}

struct Talk {
    child: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl<G: Fn() -> Git> Hearing<G> {
    pub(super) fn new(git: G) -> Self {
        Self { git, talk: None, ends: 0 }
    }

    /// An answer for each of `objects`, in their order. If too many of them end git, none of the rest
    /// can be read. Lists are given whole if that is wanted.
    pub(super) fn ask(
        &mut self,
        objects: &[&ObjectId],
        wants_lists: bool,
    ) -> Result<Vec<Answer>, Error> {
        let mut answers = Vec::with_capacity(objects.len());
        while answers.len() < objects.len() && self.ends < MOST_ENDS {
            let mut talk = match self.talk.take() {
                Some(talk) => talk,
                None => Talk::start((self.git)())?,
            };
            let left = &objects[answers.len()..];
            if talk.hear(left, wants_lists, &mut answers).is_ok() {
                self.talk = Some(talk);
            } else {
                answers.push(Answer::Unreadable);
                self.ends += 1;
            }
        }
        answers.resize_with(objects.len(), || Answer::Unreadable);
        Ok(answers)
    }
}

impl Talk {
    fn start(git: Git) -> Result<Self, Error> {
        let mut child = git.args(["cat-file", "--batch"]).converse()?;
        let questions = child.stdin.take();
        let Some(answers) = child.stdout.take() else {
            let silent = io::Error::other("it has no output");
            return Err(Error::io("talk with", Path::new("git cat-file"))(silent));
        };
        Ok(Self { child, questions, answers: BufReader::with_capacity(1 << 16, answers) })
    }

    fn hear(
        &mut self,
        objects: &[&ObjectId],
        wants_lists: bool,
        heard: &mut Vec<Answer>,
    ) -> io::Result<()> {
        let Self { questions, answers, .. } = self;
        std::thread::scope(|scope| {
            // Asked ahead, so that git reads the next one while we hash this one.
            scope.spawn(move || {
                let asked: String = objects.iter().map(|object| format!("{object}\n")).collect();
                // One that has ended says so by its silence.
                questions.as_mut().map(|pipe| pipe.write_all(asked.as_bytes()).ok())
            });
            for object in objects {
                heard.push(answer(answers, object, wants_lists)?);
            }
            Ok(())
        })
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        drop(self.questions.take());
        // One that was cut off may still want to write.
        self.child.kill().ok();
        drop(self.child.wait());
    }
}

fn answer(
    answers: &mut BufReader<ChildStdout>,
    object: &ObjectId,
    wants_lists: bool,
) -> io::Result<Answer> {
    let mut head = String::new();
    answers.read_line(&mut head)?;
    if head.trim_end().ends_with(" missing") {
        return Ok(Answer::Missing);
    }
    let fields: Vec<&str> = head.split_whitespace().collect();
    let [_, kind, size] = fields[..] else { return Err(io::ErrorKind::UnexpectedEof.into()) };
    let size: u64 = size.parse().map_err(io::Error::other)?;
    let mut naming = Naming::of(kind, size, object.as_str().len());
    let (is_list, mut list) = (kind == "tree", Vec::new());
    let mut left = size;
    while left > 0 {
        let piece = answers.fill_buf()?;
        if piece.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let len = piece.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        naming.add(&piece[..len]);
        if is_list && wants_lists {
            list.extend_from_slice(&piece[..len]);
        }
        answers.consume(len);
        left -= len as u64;
    }
    answers.read_exact(&mut [0])?;
    Ok(match kind {
        _ if naming.name() != object.as_str() => Answer::Forged,
        "blob" => Answer::File,
        "tree" => Answer::Tree(list),
        _ => Answer::Forged,
    })
}
