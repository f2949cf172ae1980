//! The name that a tree has, by what is in it.
//!
//! What git says about a tree is remembered for long, so it must be what the tree's name stands for, and
//! not what somebody put into git's store under that name for a while.

use data_encoding::HEXLOWER;

use crate::loose::Naming;

/// A file, link or submodule: its mode, its path from the top, and the bytes of its object's name.
pub(crate) type Leaf<'l> = (u32, &'l [u8], &'l [u8]);

/// The name of the tree with these leaves, which are in git's order.
pub(crate) fn name_of(leaves: &[Leaf<'_>], hash_len: usize) -> String {
    HEXLOWER.encode(&below(leaves, 0, hash_len))
}

/// The same for one folder, whose path ends where the names in it begin.
fn below(leaves: &[Leaf<'_>], start: usize, hash_len: usize) -> Vec<u8> {
    let (mut content, mut next) = (Vec::new(), 0);
    while let Some((mode, path, object)) = leaves.get(next) {
        let name = path.get(start..).unwrap_or_default();
        let Some(end) = name.iter().position(|byte| *byte == b'/') else {
            content.extend_from_slice(format!("{mode:o} ").as_bytes());
            content.extend_from_slice(name);
            content.push(0);
            content.extend_from_slice(object);
            next += 1;
            continue;
        };
        let folder = &path[..=start + end];
        let inside = leaves[next..].iter().take_while(|leaf| leaf.1.starts_with(folder)).count();
        content.extend_from_slice(b"40000 ");
        content.extend_from_slice(&name[..end]);
        content.push(0);
        content.extend(below(&leaves[next..next + inside], folder.len(), hash_len));
        next += inside;
    }
    let mut naming = Naming::of("tree", content.len() as u64, hash_len * 2);
    naming.add(&content);
    HEXLOWER.decode(naming.name().as_bytes()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names are those that `git mktree` gives.
    #[test]
    fn names_are_git_s() {
        assert_eq!(name_of(&[], 20), "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
        let empty = HEXLOWER.decode(b"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391").unwrap();
        let leaves: [Leaf<'_>; 1] = [(0o100_644, b"a", &empty)];
        assert_eq!(name_of(&leaves, 20), "496d6428b9cf92981dc9495211e6e1120fb6f2ba");
    }
}
