#!/bin/sh
# The recipes of docs/extending.md work: their diffs are applied to a copy of the tree, which is built, and each example is run.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

report() { # status, sentence
    if [ "$1" -eq 0 ]; then echo "ok - $2"; else
        echo "not ok - $2"
        failed=1
    fi
}

says() { # sentence, text that must be printed, exit code, command...
    sentence=$1 text=$2 code=$3
    shift 3
    "$@" >"$scratch/said" 2>&1
    status=$?
    if [ "$status" -eq "$code" ] && grep -qF -- "$text" "$scratch/said"; then report 0 "$sentence"; else
        sed 's/^/    /' "$scratch/said"
        echo "    exit code $status, wanted $code and \"$text\""
        report 1 "$sentence"
    fi
}

mkdir "$scratch/tree" && cd "$root" &&
    tar -cf - --exclude=./build --exclude=./.git . | tar -xf - -C "$scratch/tree" &&
    mkdir "$scratch/tree/build" && ln -s "$root/build/deps" "$scratch/tree/build/deps" || exit 1
# What `make check` has compiled without optimisation need not be compiled again.
objects=${BUILD:-build}/gcc-O0
[ ! -d "$objects/obj" ] || cp -pR "$objects" "$scratch/tree/build/gcc-O0"

cd "$scratch/tree" || exit 1
awk '/^```diff$/ { p = 1; next } /^```$/ { p = 0 } p' docs/extending.md >"$scratch/patch"
patch -p1 <"$scratch/patch" >"$scratch/said" 2>&1
report $? "the diffs of docs/extending.md can be applied"
[ "$failed" -eq 0 ] || { cat "$scratch/said"; exit 1; }
unset MAKEFLAGS MFLAGS MAKELEVEL BUILD CFLAGS CC
make -j"$(nproc)" build/gcc-O0/ordeal >"$scratch/said" 2>&1
report $? "the tree builds with all of them"
[ "$failed" -eq 0 ] || { tail -20 "$scratch/said"; exit 1; }
tools/rooms.sh >"$scratch/said" 2>&1
report $? "and keeps to the table of rooms"

ordeal=build/gcc-O0/ordeal
says "the bug is in the catalogue" "half-is-a-majority" 0 "$ordeal" list bugs
says "the bug is caught" "INVALID" 1 "$ordeal" run scenarios/bugs/half-is-a-majority.toml

cat >"$scratch/run.toml" <<'END'
name = "extended"
[cluster]
protocol = "weakest"
[workload]
kind = "reread"
transactions = 100
[[nemesis]]
kind = "clock"
shape = "slew"
every = "200ms"
lasts = "100ms"
END
says "the shape strikes, the workload runs, the protocol keeps its word" \
    "clock slews" 0 "$ordeal" run "$scratch/run.toml"
! grep -q unfelt "$scratch/said"
report $? "and the shape is felt"
grep -q 'interval  *read-committed  *valid' "$scratch/said"
report $? "and interval knows the protocol's profile"

printf '0,w,1,7\n1,r,1,7\n' >"$scratch/history"
says "the format is recognised" "verdict    VALID" 0 "$ordeal" check "$scratch/history"
printf '0,w,1,7\n1,r,1\n' >"$scratch/history"
says "and a mistake is told with its place" "history:2: expected SESSION,r|w,KEY,VALUE" 2 "$ordeal" check "$scratch/history"

printf '{"ordeal-history":1}\n{"txn":1,"session":0,"status":"abort","ops":[{"w":"x","v":1}]}\n%s\n' \
    '{"txn":2,"session":1,"status":"ok","ops":[{"r":"x","v":1}]}' >"$scratch/history"
says "the checker finds what it looks for" "G1a: T2 read x as the aborted T1 wrote it" 1 \
    "$ordeal" check "$scratch/history" --checker aborted --level read-committed
says "and is one of the jury" "aborted" 1 "$ordeal" check "$scratch/history" --level read-committed

says "the database is put on trial, and keeps its word" "verdict    VALID" 0 "$ordeal" record notebook \
    --workload rw-register --level strict-serializable --set abort_percent=20 --clients 4 --transactions 1000
says "and refuses what it does not hold" "holds items alone" 2 "$ordeal" record notebook --level strict-serializable
exit "$failed"
