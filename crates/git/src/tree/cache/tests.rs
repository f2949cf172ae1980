//! Tests of the stat cache: what is written is read, and nothing else is.

use super::*;

fn known() -> Known {
    let at = |seconds| Moment { seconds, nanos: 7 };
    let stat = Stat { changed: at(5), modified: at(6), inode: 1 << 40, size: 9, mode: 0o100_644 };
    let mut table = Table::new(20);
    table.push(b"b/c", Row::new(What::File, stat), &[3; 20]);
    let row = Row {
        raw: Some(Box::new(Digest::of(b"x"))),
        conversion: Conversion::Filter,
        is_hidden: true,
        ..Row::new(What::Watched, Stat { changed: at(100), ..stat })
    };
    table.push(b"a\xff\n", row, &[0; 20]);
    table.passed.insert(b"target".to_vec());
    table.sort_out();
    let index = (Some(stat), Some(Digest::of(b"marks")));
    Known { path: b"sub".to_vec(), begun: at(100), index, table }
}

#[test]
fn what_is_written_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/cache");
    let digest = write(&path, &[known()]).unwrap();
    let read = read(&path, &digest).unwrap();
    let [ground] = &read[..] else { panic!("{read:?}") };
    let expected = known();
    assert_eq!((&ground.path, ground.begun), (&expected.path, expected.begun));
    assert_eq!(ground.index, expected.index);
    assert_eq!(ground.table.passed, expected.table.passed);
    for row in &expected.table.rows {
        let found = ground.table.find_path(expected.table.path(row)).unwrap();
        let found = &ground.table.rows[found];
        assert_eq!(ground.table.object(found), expected.table.object(row));
        assert_eq!((found.stat, found.what, &found.raw), (row.stat, row.what, &row.raw));
        assert_eq!((found.conversion, found.is_hidden), (row.conversion, row.is_hidden));
    }
    let is_trusted =
        |path: &[u8]| ground.table.rows[ground.table.find_path(path).unwrap()].is_trusted;
    assert!(is_trusted(b"b/c"));
    assert!(!is_trusted(b"a\xff\n"), "the racy one is trusted");
}

/// CX-10: a cache that was changed by one byte, cut or lost is no cache.
#[test]
fn another_cache_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cache");
    let digest = write(&path, &[known()]).unwrap();
    let bytes = fs::read(&path).unwrap();
    for at in 0..bytes.len() {
        let mut other = bytes.clone();
        other[at] ^= 1;
        fs::write(&path, &other).unwrap();
        assert!(read(&path, &digest).is_none(), "byte {at}");
        // Even one that is sealed again is only read where it makes sense.
        let _ = read(&path, &Digest::of(&other));
        let _ = read_bytes_cut(&path, &bytes[..at]);
    }
    fs::remove_file(&path).unwrap();
    assert!(read(&path, &digest).is_none());
}

fn read_bytes_cut(path: &Path, bytes: &[u8]) -> Option<Vec<Known>> {
    fs::write(path, bytes).unwrap();
    let found = read(path, &Digest::of(bytes));
    assert!(found.is_none(), "a part is not the whole");
    found
}
