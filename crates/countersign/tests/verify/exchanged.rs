//! Checks that change files of their checkout without any time telling: ext4 exchanges the blocks of two files
//! for whoever asks.

use countersign_testkit::Project;

use crate::PROGRAM;

/// Asks for the exchange of the file that comes to the check after it; elsewhere than on ext4, and where
/// it is refused, nothing happens.
const EXCHANGES: &str = r#"import fcntl, os, struct, time
time.sleep(0.06)
victim = "strict/check.sh"
with open("other", "wb") as file:
    file.write(b"x" * os.stat(victim).st_size)
    file.flush()
    os.fsync(file.fileno())
one, two = os.open("other", os.O_RDWR), os.open(victim, os.O_RDWR)
os.fsync(two)
try:
    fcntl.ioctl(one, 0xC028660F, struct.pack("=IIQQQQ", 0, two, 0, 0, 1, 0))
except OSError:
    pass
os.fsync(two)
os.posix_fadvise(two, 0, 0, os.POSIX_FADV_DONTNEED)
"#;

fn check(environment: &[(&str, &str)]) {
    let project = Project::new(PROGRAM);
    project.write("strict/check.sh", "exit 1\n");
    project.write("wait.py", "import time\ntime.sleep(0.06)\n");
    project.commit("base");
    project.write("exchange.py", EXCHANGES);
    let waits = ["1", "2", "3", "4"].map(|number| format!("python3 wait.py {number}"));
    let mut words = vec!["verify", "--task", "Add a tool", "--fresh"];
    for wait in &waits {
        words.extend(["--check", wait]);
    }
    words.extend(["--check", "python3 exchange.py || true", "--check", "sh strict/check.sh"]);
    let mut call = project.call(words);
    for (name, value) in environment {
        call = call.env(name, value);
    }
    let ran = call.run();
    let out = ran.out();
    let line = out.lines().find(|line| line.contains("sh strict/check.sh")).unwrap_or_default();
    assert!(!line.is_empty() && !line.trim_start().starts_with("pass"), "{out}");
    assert!(!out.starts_with("accepted"), "{out}");
}

/// VC-06, G47: behind walls the request is refused.
#[test]
fn blocks_are_not_exchanged_behind_walls() {
    check(&[]);
}

/// VC-06, G47: where nothing can refuse it, times are not believed.
#[test]
fn without_walls_every_file_is_read() {
    check(&[("COUNTERSIGN_VERIFY_SANDBOX", "false")]);
}
