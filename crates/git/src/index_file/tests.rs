//! Tests of the reader on indexes made by hand.

use super::*;

fn index(bytes: Vec<u8>) -> IndexFile {
    IndexFile::new(bytes, SystemTime::UNIX_EPOCH, 20)
}

#[test]
fn nonsense_is_not_an_index() {
    let cases: [&[u8]; 5] = [
        b"",
        b"DIRC",
        b"DIRC\0\0\0\x05\0\0\0\0",
        b"DIRC\0\0\0\x02\0\0\0\x09",
        b"DIRC\0\0\0\x02\0\0\0\0tiny",
    ];
    for bytes in cases {
        assert_eq!(index(bytes.to_vec()).walk(|_| {}), None, "{bytes:?}");
    }
}

#[test]
fn an_empty_index_is_one() {
    let mut bytes = b"DIRC\0\0\0\x02\0\0\0\0".to_vec();
    bytes.extend([7; 20]);
    assert_eq!(index(bytes).walk(|_| {}), Some(Kind::default()));
}

/// An index of two marked entries, `ab` and `abc`, in the given version.
fn two_entries(version: u8) -> Vec<u8> {
    let mut bytes = vec![b'D', b'I', b'R', b'C', 0, 0, 0, version, 0, 0, 0, 2];
    for (name, dropped, added) in [("ab", 0, "ab"), ("abc", 0, "c")] {
        let start = bytes.len();
        bytes.extend([1; STAT_LEN + 20]);
        bytes.extend([0xc0, 2, 0x40, 0]);
        if version == 4 {
            bytes.push(dropped);
            bytes.extend(added.bytes().chain([0]));
        } else {
            bytes.extend(name.bytes());
            let len = bytes.len() - start;
            bytes.resize(start + ((len + 8) & !7), 0);
        }
    }
    bytes.extend(b"TREE\0\0\0\x02xy");
    bytes.extend([7; 20]);
    bytes
}

#[test]
fn marks_are_found_and_cleared() {
    for version in [3, 4] {
        let mut index = index(two_entries(version));
        let seen = |index: &IndexFile| {
            let mut seen = Vec::new();
            let kind = index.walk(|entry| {
                let name = String::from_utf8(entry.path.to_vec()).unwrap();
                seen.push((name, entry.assume_unchanged, entry.skip_worktree, entry.at));
            });
            assert_eq!(kind, Some(Kind::default()));
            seen
        };
        let before = seen(&index);
        let names: Vec<&str> = before.iter().map(|(name, ..)| name.as_str()).collect();
        assert_eq!(names, ["ab", "abc"]);
        assert!(before.iter().all(|(_, unchanged, skipped, _)| *unchanged && *skipped));
        index.show(before[1].3);
        let after = seen(&index);
        assert_eq!(after[0], before[0]);
        assert_eq!((after[1].1, after[1].2), (false, false));
        assert_eq!(index.bytes()[index.bytes().len() - 20..], [0; 20]);
    }
}

#[test]
fn damage_never_breaks_the_reader() {
    for version in [2, 3, 4] {
        let whole = two_entries(version);
        for at in 0..whole.len() {
            index(whole[..at].to_vec()).walk(|_| {});
            for byte in [0, 0x7f, 0x80, 0xff] {
                let mut damaged = whole.clone();
                damaged[at] = byte;
                let mut damaged = index(damaged);
                let mut found = Vec::new();
                damaged.walk(|entry| found.push(entry.at));
                for at in found {
                    damaged.show(at);
                    damaged.distrust(at);
                }
            }
        }
    }
}

#[test]
fn an_unknown_vital_extension_is_not_passed_over() {
    let mut bytes = b"DIRC\0\0\0\x02\0\0\0\0next\0\0\0\x01x".to_vec();
    bytes.extend([7; 20]);
    assert_eq!(index(bytes).walk(|_| {}), None);
}
