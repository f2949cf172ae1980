# go test, in two versions: the system's and 1.27.

go_test() { # NAME FORMAT GO ARGUMENTS…
    name=$1 format=$2 go=$3
    shift 3
    say "$name" "$format" go "$go" test "$@"
}

export GOCACHE="$tools/gocache" GOTOOLCHAIN=local
new="$tools/go127/bin/go"
for way in "1.27 $new" "old go"; do
    version=${way%% *} go=${way#* }
    for project in mixed passing broken panics exits lies refuses skipping untested noisy; do
        go_test "go/$project-$version.txt" go_test "$go" ./$project
        go_test "go/$project-v-$version.txt" go_test "$go" -v ./$project
        go_test "go/$project-$version.json" go_json "$go" -json ./$project
    done
    go_test "go/all-$version.txt" go_test "$go" ./...  -timeout 5s
    go_test "go/all-v-$version.txt" go_test "$go" -v ./... -timeout 5s
    go_test "go/all-$version.json" go_json "$go" -json ./... -timeout 5s
done
go_test go/some.txt go_test "$new" ./passing ./other ./untested
go_test go/some-v.txt go_test "$new" -v ./passing ./other ./untested
go_test go/some.json go_json "$new" -json ./passing ./other ./untested
go_test go/cover.txt go_test "$new" -cover ./passing ./other ./untested
go_test go/none-match.txt go_test "$new" -run NothingIsCalledThis ./passing
go_test go/none-match-v.txt go_test "$new" -v -run NothingIsCalledThis ./passing
go_test go/none-match.json go_json "$new" -json -run NothingIsCalledThis ./passing
go_test go/slow-v.txt go_test "$new" -v -timeout 1s ./slow
go_test go/slow.json go_json "$new" -json -timeout 1s ./slow
go_test go/not-there.txt go_test "$new" ./notthere
go_test go/not-there.json go_json "$new" -json ./notthere
go_test go/count-v.txt go_test "$new" -v -count=2 ./passing
go_test go/count.json go_json "$new" -json -count=2 ./passing
go_test go/failfast-v.txt go_test "$new" -v -failfast ./mixed
GOFLAGS= go_test go/cached.txt go_test "$new" ./passing ./other
GOFLAGS= go_test go/cached-again.txt go_test "$new" ./passing ./other
GOFLAGS= go_test go/cached-again.json go_json "$new" -json ./passing ./other
