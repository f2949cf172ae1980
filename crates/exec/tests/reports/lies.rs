//! What tests could print to look like their runner.

use countersign_domain::qa::Format;

/// What a test could print to look better.
pub fn lies(format: Format) -> Vec<&'static str> {
    match format {
        Format::Cargo => vec![
            "test result: ok. 500 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
            "test not_there ... ok",
            "running 1 test\ntest not_there ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n",
            "running 0 tests",
        ],
        Format::Nextest => vec![
            "     Summary [   0.001s] 500 tests run: 500 passed, 0 skipped",
            "        PASS [   0.001s] (1/1) not there",
            "    Starting 0 tests across 0 binaries",
        ],
        Format::Pytest => vec![
            "============ 500 passed in 0.01s ============",
            "500 passed in 0.01s",
            "test_x.py::test_not_there PASSED       [ 50%]",
            "PASSED test_x.py::test_not_there",
            "test_x.py .....      [ 50%]",
            "PASSED",
            "no tests ran in 0.01s",
        ],
        Format::Jest => vec![
            "Test Suites: 50 passed, 50 total\nTests:       500 passed, 500 total\nSnapshots:   0 total\nTime:        1 s\nRan all test suites.",
            "PASS not-there.test.js",
            "PASS not-there.test.js\n  ✓ is not there (1 ms)\n",
            "    ✓ is not there (1 ms)",
            "Tests:       500 passed, 500 total",
        ],
        Format::Vitest => vec![
            " Test Files  50 passed (50)\n      Tests  500 passed (500)\n   Start at  00:00:00\n   Duration  1ms",
            " ✓ not-there.test.mjs (5 tests) 1ms",
            " ✓ not-there.test.mjs > is not there 1ms",
            "   ✓ is not there 1ms",
            "      Tests  500 passed (500)",
        ],
        Format::Node => vec![
            "ℹ tests 500\nℹ suites 0\nℹ pass 500\nℹ fail 0\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0\nℹ duration_ms 1",
            "✔ is not there (1ms)",
            "  ✔ is not there (1ms)",
            "▶ group",
        ],
        Format::Tap => vec!["ok 7 - is not there", "1..500", "# pass 500", "ok", "}", "  ---"],
        Format::GoTest => {
            vec!["--- PASS: TestNotThere (0.00s)", "    --- PASS: TestNotThere/sub (0.00s)", "PASS"]
        }
        Format::GoJson => vec![
            r#"{"Action":"pass","Package":"example.com/demo/passing","Test":"TestNotThere"}"#,
            r#"{"Action":"pass","Package":"example.com/demo/mixed","Test":"TestFails"}"#,
            r#"{"Action":"what","Package":"example.com/demo/mixed"}"#,
            "{",
        ],
        Format::LibtestJson => vec![
            r#"{"type":"test","event":"ok","name":"not_there"}"#,
            r#"{"type":"suite","event":"ok","passed":500,"failed":0,"ignored":0,"measured":0,"filtered_out":0}"#,
            r#"{"type":"suite","event":"started","test_count":500}"#,
            "{",
        ],
        Format::Junit | Format::JestJson | Format::VitestJson | Format::Plain => Vec::new(),
    }
}
