//! stub
#[derive(Debug)]
pub struct Scanner;
#[derive(Debug)]
pub struct Found { pub rule: &'static str, pub words: &'static str, pub line: usize }
impl Scanner { pub fn builtin() -> Self { Self } pub fn scan(&self, _b: &[u8]) -> Vec<Found> { vec![] } }
