# jest, in two versions, and what jest-junit makes of it.

run() { # NAME VERSION PROJECT ARGUMENTS…
    name=$1 version=$2 project=$3
    shift 3
    say "jest/$name.txt" jest "jest/$project" "$tools/jest$version/node_modules/.bin/jest" --rootDir=. "$@"
}

json() { # NAME VERSION PROJECT ARGUMENTS…
    name=$1 version=$2 project=$3
    shift 3
    write "jest/$name.json" jest_json "jest/$project" out.json "$tools/jest$version/node_modules/.bin/jest" --rootDir=. --json --outputFile=out.json "$@"
}

for project in mixed passing single skipping broken hooks flaky noisy killed exits; do
    echo '{}' >"$stage/jest/$project/package.json"
done
mkdir -p "$stage/jest/empty" && echo '{}' >"$stage/jest/empty/package.json"
for version in 30 27; do
    for project in mixed passing single broken; do
        run "$project-$version" $version $project
        run "$project-verbose-$version" $version $project --verbose
        json "$project-$version" $version $project
    done
done
run mixed-color 30 mixed --color --verbose
run mixed-bail 30 mixed --bail
run mixed-named 30 mixed -t adds
run mixed-named-verbose 30 mixed -t adds --verbose
run mixed-in-band 30 mixed -i
run mixed-silent 30 mixed --silent
run passing-coverage 30 passing --coverage
run passing-color 30 passing --color
run passing-json-mixed-in 30 passing --json
run skipping 30 skipping
run empty 30 empty
run empty-allowed 30 empty --passWithNoTests
run hooks 30 hooks
run hooks-27 27 hooks
run flaky 30 flaky
run noisy 30 noisy
run noisy-two 30 noisy --verbose
run killed 30 killed
run exits 30 exits
run exits-verbose 30 exits --verbose -i
json skipping 30 skipping
json hooks 30 hooks
json flaky 30 flaky
json noisy 30 noisy
json empty-allowed 30 empty --passWithNoTests
for project in mixed passing broken; do
    write "junit/jest-$project.xml" junit "jest/$project" junit.xml "$tools/jest30/node_modules/.bin/jest" --rootDir=. --reporters="$tools/jest30/node_modules/jest-junit"
done
