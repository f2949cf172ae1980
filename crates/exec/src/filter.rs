//! What a confined program may not ask of the kernel.
//!
//! One request of ext4 exchanges the blocks of two files (`EXT4_IOC_MOVE_EXT`): a file gets another content
//! and keeps all of its times. Who goes by times to tell whether a file was changed must be sure that
//! nobody can ask for that.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{AsRawFd as _, OwnedFd};

/// Stands in the arguments of bubblewrap where the number of the filter's file belongs.
pub(crate) const PLACE: &str = "countersign-filter";

const LOAD: u16 = 0x20;
const IF_EQUAL: u16 = 0x15;
const RETURN: u16 = 0x06;

const NUMBER_AT: u32 = 0;
const ARCHITECTURE_AT: u32 = 4;
/// The lower half of the second argument.
const REQUEST_AT: u32 = 24;

const ALLOW: u32 = 0x7fff_0000;
/// `EPERM`.
const REFUSE: u32 = 0x0005_0001;
const MOVE_EXT: u32 = 0xC028_660F;

/// Architectures whose programs run on this machine, each with the numbers of `ioctl`.
#[cfg(target_arch = "x86_64")]
const IOCTL: &[(u32, &[u32])] =
    &[(0xC000_003E, &[16, 0x4000_0202, 0x4000_0010]), (0x4000_0003, &[54])];
#[cfg(target_arch = "aarch64")]
const IOCTL: &[(u32, &[u32])] = &[(0xC000_00B7, &[29]), (0x4000_0028, &[54])];
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const IOCTL: &[(u32, &[u32])] = &[];

/// Whether there is a filter for this kind of machine.
pub(crate) fn is_known() -> bool {
    cfg!(target_os = "linux") && cfg!(target_endian = "little") && !IOCTL.is_empty()
}

/// The filter as the kernel reads it: a short program, eight bytes a step.
fn program() -> Vec<u8> {
    let mut steps: Vec<(u16, u8, u8, u32)> = Vec::new();
    for (architecture, numbers) in IOCTL {
        // Five steps for each number, one to read it, and one for what is none of them.
        let length = u8::try_from(numbers.len() * 5 + 2).unwrap_or(u8::MAX);
        steps.push((LOAD, 0, 0, ARCHITECTURE_AT));
        steps.push((IF_EQUAL, 0, length, *architecture));
        steps.push((LOAD, 0, 0, NUMBER_AT));
        for number in *numbers {
            steps.push((IF_EQUAL, 0, 4, *number));
            steps.push((LOAD, 0, 0, REQUEST_AT));
            steps.push((IF_EQUAL, 0, 1, MOVE_EXT));
            steps.push((RETURN, 0, 0, REFUSE));
            steps.push((RETURN, 0, 0, ALLOW));
        }
        steps.push((RETURN, 0, 0, ALLOW));
    }
    steps.push((RETURN, 0, 0, ALLOW));
    let bytes = steps.into_iter().flat_map(|(code, yes, no, value)| {
        let mut step = code.to_ne_bytes().to_vec();
        step.extend([yes, no]);
        step.extend(value.to_ne_bytes());
        step
    });
    bytes.collect()
}

/// Puts the number of a file with the filter where `argv` has a place for it. The file must be open when
/// the program starts.
pub(crate) fn place(argv: &mut [OsString]) -> io::Result<Option<OwnedFd>> {
    let end = argv.iter().position(|word| word == "--").unwrap_or(argv.len());
    let Some(at) = argv[..end].iter().position(|word| word == PLACE) else { return Ok(None) };
    // Who is started inherits it.
    let (read, write) = rustix::pipe::pipe()?;
    File::from(write).write_all(&program())?;
    argv[at] = read.as_raw_fd().to_string().into();
    Ok(Some(read))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs the filter as the kernel would.
    fn answer(architecture: u32, number: u32, request: u32) -> u32 {
        let bytes = program();
        let steps: Vec<&[u8]> = bytes.chunks(8).collect();
        let (mut at, mut loaded) = (0, 0);
        loop {
            let step = steps[at];
            let code = u16::from_ne_bytes([step[0], step[1]]);
            let value = u32::from_ne_bytes([step[4], step[5], step[6], step[7]]);
            at += 1;
            match code {
                RETURN => return value,
                LOAD => {
                    loaded = match value {
                        NUMBER_AT => number,
                        ARCHITECTURE_AT => architecture,
                        _ => request,
                    }
                }
                _ => at += usize::from(if loaded == value { step[2] } else { step[3] }),
            }
        }
    }

    /// D1.8: one request is refused, on every architecture that runs here, and nothing else is.
    #[test]
    fn only_the_exchange_of_blocks_is_refused() {
        for (architecture, numbers) in IOCTL {
            for number in *numbers {
                assert_eq!(answer(*architecture, *number, MOVE_EXT), REFUSE, "{number}");
                assert_eq!(answer(*architecture, *number, 0x5401), ALLOW, "{number}");
            }
            assert_eq!(answer(*architecture, 1, MOVE_EXT), ALLOW);
        }
        assert_eq!(answer(7, 16, MOVE_EXT), ALLOW, "what does not run here");
    }
}
