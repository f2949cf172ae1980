# cargo test, libtest's JSON, and nextest.

run() { # NAME PROJECT ARGUMENTS…
    name=$1 project=$2
    shift 2
    say "cargo/$name.txt" cargo "cargo/$project" cargo test "$@"
}

nextest() { # NAME PROJECT ARGUMENTS…
    name=$1 project=$2
    shift 2
    say "nextest/$name.txt" nextest "cargo/$project" cargo nextest run "$@"
}

json() { # NAME PROJECT ARGUMENTS…: libtest's own, which only nightly or the bootstrap key allows
    name=$1 project=$2
    shift 2
    export RUSTC_BOOTSTRAP=1
    say "libtest/$name.txt" libtest_json "cargo/$project" cargo test "$@" -- -Z unstable-options --format json
    unset RUSTC_BOOTSTRAP
}

run mixed mixed
run mixed-all mixed --no-fail-fast
run mixed-q mixed -q --no-fail-fast
run mixed-lib mixed --lib
run mixed-one-thread mixed --lib -- --test-threads=1
run mixed-include-ignored mixed --lib -- --include-ignored
RUSTC_BOOTSTRAP=1 run mixed-report-time mixed --lib -- -Z unstable-options --report-time
run mixed-bad-option mixed --lib -- -Z unstable-options
run mixed-show-output mixed --lib -- --show-output
run mixed-terse mixed --lib -- --format terse
run mixed-filtered mixed adds
run mixed-none-match mixed no_such_test
run mixed-list mixed --lib -- --list
run passing passing
run passing-q passing -q
run passing-nocapture chatty --lib -- --nocapture
run passing-nocapture-one-thread chatty --lib -- --nocapture --test-threads=1
run passing-color passing --color always -- --color always
run mixed-color mixed --color always --no-fail-fast -- --color always
run empty empty
run broken broken
run aborts aborts
run exits exits --lib -- --test-threads=1
run noisy noisy --lib
run noisy-nocapture noisy --lib -- --nocapture
run noisy-nocapture-one-thread noisy --lib -- --nocapture --test-threads=1
(cd "$stage/cargo/passing" && cargo test 2>/dev/null) >"$stage/.said"
keep cargo/passing-stdout.txt cargo $? "cargo test 2>/dev/null" <"$stage/.said"

json mixed mixed --no-fail-fast
json passing passing
json empty empty
json aborts aborts --lib
json exits exits --lib
json broken broken

nextest mixed mixed --no-fail-fast
nextest mixed-fail-fast mixed
nextest mixed-all-levels mixed --no-fail-fast --status-level all --final-status-level all
nextest mixed-final-only mixed --no-fail-fast --status-level none --final-status-level fail
nextest mixed-immediate-final mixed --no-fail-fast --failure-output immediate-final
nextest mixed-filtered mixed adds
nextest mixed-none-match mixed no_such_test
nextest mixed-color mixed --no-fail-fast --color always
nextest mixed-success-output mixed --no-fail-fast --success-output immediate
nextest mixed-no-capture mixed --no-fail-fast --no-capture
nextest passing passing
nextest passing-hide passing --status-level fail
nextest empty empty
nextest empty-allowed empty --no-tests=pass
nextest broken broken
nextest aborts aborts --no-fail-fast
nextest exits exits --no-fail-fast
nextest noisy noisy --no-fail-fast
nextest noisy-no-capture noisy --no-fail-fast --no-capture
nextest flaky flaky --no-fail-fast --retries 2
nextest flaky-none flaky --no-fail-fast
nextest flaky-is-failure flaky --no-fail-fast --retries 2 --flaky-result fail
nextest leaky leaky --no-fail-fast
NEXTEST_HIDE_PROGRESS_BAR=0 nextest mixed-counted mixed --no-fail-fast
NEXTEST_HIDE_PROGRESS_BAR=0 nextest flaky-counted flaky --no-fail-fast --retries 2
nextest stress passing --stress-count 2
nextest partition passing --partition count:1/2
export NEXTEST_EXPERIMENTAL_LIBTEST_JSON=1
for json in libtest-json libtest-json-plus; do
    say "libtest/nextest-mixed-$json.txt" libtest_json cargo/mixed cargo nextest run --no-fail-fast --message-format $json
    say "libtest/nextest-flaky-$json.txt" libtest_json cargo/flaky cargo nextest run --no-fail-fast --retries 2 --message-format $json
done
(cd "$stage/cargo/mixed" && cargo nextest run --no-fail-fast --message-format libtest-json 2>/dev/null) >"$stage/.said"
keep libtest/nextest-mixed-stdout.txt libtest_json $? "cargo nextest run --no-fail-fast --message-format libtest-json 2>/dev/null" <"$stage/.said"
say libtest/nextest-passing.txt libtest_json cargo/passing cargo nextest run --message-format libtest-json
say libtest/nextest-aborts.txt libtest_json cargo/aborts cargo nextest run --no-fail-fast --message-format libtest-json
unset NEXTEST_EXPERIMENTAL_LIBTEST_JSON
for project in mixed flaky passing; do
    write junit/nextest-$project.xml junit cargo/$project target/nextest/junit/junit.xml cargo nextest run --no-fail-fast --profile junit
done
