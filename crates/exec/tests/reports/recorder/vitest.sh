# vitest, in three versions.

vitest() { # NAME FORMAT VERSION PROJECT ARGUMENTS…
    name=$1 format=$2 version=$3 project=$4
    shift 4
    [ -e "$stage/vitest/node_modules" ] && rm "$stage/vitest/node_modules"
    ln -s "$tools/vitest$version/node_modules" "$stage/vitest/node_modules"
    say "$name" "$format" "vitest/$project" "$tools/vitest$version/node_modules/.bin/vitest" run --root=. --no-cache "$@"
}

mkdir -p "$stage/vitest/empty"
for version in 4 3 1; do
    for project in mixed passing broken; do
        vitest "vitest/$project-$version.txt" vitest $version $project
        vitest "vitest/$project-verbose-$version.txt" vitest $version $project --reporter=verbose
        vitest "vitest/$project-$version.json" vitest_json $version $project --reporter=json
    done
    vitest "vitest/flaky-$version.txt" vitest $version flaky
done
vitest vitest/single.txt vitest 4 single
vitest vitest/skipping.txt vitest 4 skipping
vitest vitest/empty.txt vitest 4 empty
vitest vitest/empty-allowed.txt vitest 4 empty --passWithNoTests
vitest vitest/hooks.txt vitest 4 hooks
vitest vitest/hooks-verbose.txt vitest 4 hooks --reporter=verbose
vitest vitest/flaky-verbose.txt vitest 4 flaky --reporter=verbose
vitest vitest/noisy.txt vitest 4 noisy
vitest vitest/noisy-verbose.txt vitest 4 noisy --reporter=verbose
vitest vitest/exits.txt vitest 4 exits
vitest vitest/unhandled.txt vitest 4 unhandled
vitest vitest/mixed-bail.txt vitest 4 mixed --bail=1
vitest vitest/mixed-named.txt vitest 4 mixed -t adds
vitest vitest/mixed-dot.txt vitest 4 mixed --reporter=dot
vitest vitest/mixed-tree.txt vitest 4 mixed --reporter=tree
vitest vitest/mixed-hide-skipped.txt vitest 4 mixed --hideSkippedTests
vitest vitest/skipping.json vitest_json 4 skipping --reporter=json
vitest vitest/hooks.json vitest_json 4 hooks --reporter=json
vitest vitest/flaky.json vitest_json 4 flaky --reporter=json
vitest vitest/unhandled.json vitest_json 4 unhandled --reporter=json
vitest vitest/empty-allowed.json vitest_json 4 empty --reporter=json --passWithNoTests
vitest tap/vitest-mixed.txt tap 4 mixed --reporter=tap
vitest tap/vitest-mixed-flat.txt tap 4 mixed --reporter=tap-flat
vitest tap/vitest-passing.txt tap 4 passing --reporter=tap
for project in mixed passing broken flaky; do
    vitest junit/vitest-$project.xml junit 4 $project --reporter=junit
done
NO_COLOR= FORCE_COLOR=1 vitest vitest/mixed-color.txt vitest 4 mixed
