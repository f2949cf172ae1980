//! The same work for many files, by a few threads.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// More than a few wait for each other in the kernel.
const MOST_THREADS: usize = 4;

/// Does `each` for so many numbers, some together, by as many threads as there are processors; every
/// thread has a buffer. `false` if one came to nothing, with what it had taken.
pub(crate) fn spread<T: Send>(
    (count, together): (usize, usize),
    each: impl Fn(usize, &mut Vec<u8>) -> T + Sync,
) -> (Vec<(usize, T)>, bool) {
    let next = AtomicUsize::new(0);
    let work = || {
        let (mut buffer, mut done) = (vec![0; 1 << 16], Vec::new());
        loop {
            let first = next.fetch_add(together, Ordering::Relaxed);
            if first >= count {
                return done;
            }
            let some = first..count.min(first + together);
            done.extend(some.map(|number| (number, each(number, &mut buffer))));
        }
    };
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = processors.min(MOST_THREADS).min(count.div_ceil(together));
    thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let (mut done, mut is_whole) = (work(), true);
        for other in others {
            match other.join() {
                Ok(more) => done.extend(more),
                Err(_) => is_whole = false,
            }
        }
        (done, is_whole)
    })
}
