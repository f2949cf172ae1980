# pytest, in four versions.

run() { # NAME VERSION PROJECT ARGUMENTS…
    name=$1 version=$2 project=$3
    shift 3
    say "pytest/$name.txt" pytest "pytest/$project" "$tools/pytest$version/bin/python" -m pytest -p no:cacheprovider "$@"
}

xml() { # NAME VERSION PROJECT ARGUMENTS…
    name=$1 version=$2 project=$3
    shift 3
    write "junit/pytest-$name.xml" junit "pytest/$project" out.xml "$tools/pytest$version/bin/python" -m pytest -p no:cacheprovider --junitxml=out.xml "$@"
}

for version in 9 8 7 6; do
    run "mixed-$version" $version mixed
    run "mixed-v-$version" $version mixed -v
    run "mixed-q-$version" $version mixed -q
    run "passing-$version" $version passing
    run "empty-$version" $version empty
    run "broken-$version" $version broken
    xml "mixed-xunit2-$version" $version mixed
done
run mixed-qq 9 mixed -qq
run mixed-vv 9 mixed -vv
run mixed-rA 9 mixed -rA
run mixed-ra-v 9 mixed -ra -v
run mixed-rA-q-notb 9 mixed -rA -q --tb=no
run mixed-no-summary 9 mixed -r N
run mixed-no-header 9 mixed --no-header --tb=line
run mixed-x 9 mixed -x
run mixed-maxfail-v 9 mixed -v --maxfail=2
run mixed-selected-v 9 mixed -v -k "adds or inside"
run mixed-count-v 9 mixed -v -o console_output_style=count
run mixed-classic 9 mixed -o console_output_style=classic
run mixed-times-v 9 mixed -v -o console_output_style=times --durations=3
run mixed-color 9 mixed --color=yes
run mixed-color-v 9 mixed --color=yes -v
run mixed-xdist 9 mixed -n 2
run mixed-xdist-v 9 mixed -n 2 -v
run mixed-timeout-v 9 mixed -v --timeout=60
run passing-q 9 passing -q
run passing-qq 9 passing -qq
run passing-v 9 passing -v
run passing-color-v 9 passing -v --color=yes
run passing-xdist-v 9 passing -n 2 -v
run passing-rA 9 passing -rA
run passing-collect 9 passing --collect-only
run passing-one-v 9 passing -v test_one.py::test_other
run passing-none-selected 9 passing -v -k nothing_is_called_this
run skipping 9 skipping
run skipping-v 9 skipping -v
run broken-v 9 broken -v
run broken-continue-v 9 broken -v --continue-on-collection-errors
run not-there 9 passing not_there.py
run bad-option 9 passing --no-such-option
run flaky-v 9 flaky -v --reruns 2
run flaky 9 flaky --reruns 2
run flaky-none-v 9 flaky -v
run noisy 9 noisy
run noisy-s 9 noisy -s
run noisy-sv 9 noisy -s -v
run killed-v 9 killed -v
run killed 9 killed
run killed-xdist-v 9 killed -n 2 -v
run crash-v 9 crash -v
run stopped-v 9 stopped -v
run stopped 9 stopped
run late-v 9 late -v
run late-q 9 late -q
run subtests 9 subtests
run subtests-v 9 subtests -v
run subtests-8-v 8 subtests -v
run subtests-8 8 subtests
xml mixed-xunit1 9 mixed -o junit_family=xunit1
xml mixed-logs 9 noisy -o junit_logging=all
xml passing 9 passing
xml passing-xdist 9 passing -n 2
xml empty 9 empty
xml broken 9 broken
xml skipping 9 skipping
xml flaky 9 flaky --reruns 2
xml subtests 9 subtests
xml stopped 9 stopped
