#!/bin/sh
# Records anew what the real test runners say: record.sh TOOLS OUT
#
# TOOLS is a folder outside of the repository that holds (or gets) the runners in the versions named
# below; OUT is where the recordings go, which is `recorded` beside this folder. Each recording is the
# output of one command, both streams in one, and a line of index.tsv: its name, its format, the code
# it ended with and the command.
set -u
here=$(cd "$(dirname "$0")" && pwd)
tools=$(mkdir -p "$1" && cd "$1" && pwd)
out=$(mkdir -p "$2" && cd "$2" && pwd)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
export NO_COLOR=1 CARGO_TERM_COLOR=never CARGO_TARGET_DIR="$tools/target" COLUMNS=100 CI=
export CARGO_NET_OFFLINE=true RUST_BACKTRACE=0 NEXTEST_HIDE_PROGRESS_BAR=1 GOFLAGS=-count=1
unset FORCE_COLOR CI
. "$here/tools.sh"

cp -r "$here/fixtures/." "$stage/"

# keep NAME FORMAT CODE COMMAND: what is on standard input becomes a recording.
keep() {
    mkdir -p "$(dirname "$out/$1")"
    python3 "$here/normalise.py" "$stage" "$tools" >"$out/$1"
    printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$(echo "$4" | sed "s#$stage#/repo#g; s#$tools#/tools#g")" >>"$out/index.tsv"
}

# say NAME FORMAT FOLDER COMMAND…: both streams of a command.
say() {
    name=$1 format=$2 folder=$3
    shift 3
    (cd "$stage/$folder" && "$@" </dev/null >"$stage/.said" 2>&1)
    keep "$name" "$format" $? "$*" <"$stage/.said"
}

# write NAME FORMAT FOLDER FILE COMMAND…: a file that a command writes.
write() {
    name=$1 format=$2 folder=$3 file=$4
    shift 4
    rm -f "$stage/$folder/$file"
    (cd "$stage/$folder" && "$@" </dev/null >/dev/null 2>&1)
    keep "$name" "$format" $? "$*" <"$stage/$folder/$file"
}

rm -rf "$out"
mkdir -p "$out"
for runner in pytest jest vitest node cargo go maven; do
    if [ -z "${ONLY:-}" ] || [ "$ONLY" = "$runner" ]; then
        . "$here/$runner.sh"
    fi
done
sort -o "$out/index.tsv" "$out/index.tsv"
