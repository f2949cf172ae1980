# node --test, in four versions.

node_test() { # NAME FORMAT NODE PROJECT ARGUMENTS…
    name=$1 format=$2 node=$3 project=$4
    shift 4
    say "$name" "$format" "node/$project" "$node" --test "$@"
}

mkdir -p "$stage/node/empty"
for version in 18 20 22 24; do
    node=node
    [ $version = 20 ] || node="$tools/node$version/node_modules/node/bin/node"
    for project in mixed passing broken; do
        node_test "tap/node-$project-$version.txt" tap "$node" $project --test-reporter=tap
        node_test "node/$project-$version.txt" node "$node" $project --test-reporter=spec
    done
done
node="$tools/node24/node_modules/node/bin/node"
for project in plain exits noisy cancelled empty; do
    node_test "tap/node-$project.txt" tap "$node" $project --test-reporter=tap
    node_test "node/$project.txt" node "$node" $project --test-reporter=spec
done
node_test node/mixed-named.txt node "$node" mixed --test-reporter=spec --test-name-pattern=adds
for project in mixed passing broken cancelled; do
    node_test junit/node-$project.xml junit "$node" $project --test-reporter=junit
done
say tap/node-file-mixed.txt tap node/mixed "$node" --test-reporter=tap mixed.test.mjs
NO_COLOR= FORCE_COLOR=1 node_test node/mixed-color.txt node "$node" mixed --test-reporter=spec
