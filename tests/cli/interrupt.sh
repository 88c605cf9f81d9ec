#!/bin/sh
# SIGINT and SIGTERM: what there is is reported, nothing is left half there, and nobody works on.
. "$(dirname "$0")/helpers"

# A shell's job in the background ignores SIGINT, and so do its children unless they are told otherwise.
heed=
env --default-signal=INT true 2>check.log && heed="env --default-signal=INT"

# interrupt SIGNAL STATUS SECONDS ARGUMENT...: when it has worked so long. Its children must be gone, too.
interrupt() {
    signal=$1
    wanted=$2
    delay=$3
    shift 3
    # shellcheck disable=SC2086 # a command and its flag
    $heed "$ORDEAL" "$@" >out 2>err </dev/null &
    pid=$!
    case $1 in
    sweep | bisect) await_children && sleep "$delay" ;;
    record) sleep "$delay" ;;
    *) await_work "$delay" ;;
    esac
    children=$(cat "/proc/$pid/task/$pid/children" 2>check.log)
    kill -s "$signal" $pid
    wait $pid
    got=$?
    check "SIG$signal ends $1, which exits with $wanted" test $got -eq "$wanted"
    for child in $children; do
        check "its process $child has gone with it" gone "$child"
    done
}
# Before its workers are there it has nothing to report.
await_children() {
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        [ -n "$(cat "/proc/$pid/task/$pid/children" 2>check.log)" ] && return
        sleep 0.2
    done
}
# Seconds of a processor: on a loaded machine it takes longer until a command has begun.
await_work() {
    for _ in $(seq 200); do
        awk -v wanted="$1" '{ sub(/.*\)/, ""); exit !($12 + $13 >= 100 * wanted) }' "/proc/$pid/stat" 2>check.log && return
        sleep 0.05
    done
}
gone() {
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        [ -d "/proc/$1" ] && ! grep -q '^State:.[ZX]' "/proc/$1/status" || return 0
        sleep 0.1
    done
    return 1
}
# leaves NAME...: nothing else stands here.
leaves() {
    for name in *; do
        case " check.log out err $* " in
        *" $name "*) ;;
        *) echo "$name is left"; return 1 ;;
        esac
    done
}

interrupt TERM 143 0.7 sweep "$root/scenarios/swarm.toml" --seeds 1..1000000 -j 2 --out swept
check "a sweep reports the runs that it has" grep -q '^runs  .* not made$' out
check "and says how to go on" says out "ended      by SIGTERM; the same call with --resume goes on with swept"
check "its report is written" mentions swept/sweep.json '"interrupted":"SIGTERM"'
made=$(grep -c ' run ' swept/journal)
check "which has every run of the journal" mentions swept/sweep.json "\"runs\":$made,"
# On a slow machine it may be interrupted before it has made a run.
for seconds in 0.7 3 12; do
    interrupt TERM 143 $seconds sweep "$root/scenarios/swarm.toml" --seeds 1..1000000 -j 2 --out swept --resume --json
    [ "$(grep -c ' run ' swept/journal)" -le "$made" ] || break
done
check "resumed it has more" test "$(grep -c ' run ' swept/journal)" -gt "$made"
check "as it says" mentions out "\"runs\":$(grep -c ' run ' swept/journal),"

cd "$root" || exit 1
"$ORDEAL" prove --out "$work/proved" >"$work/out" 2>"$work/err" </dev/null &
pid=$!
cd "$work" || exit 1
await_children
sleep 0.5
kill -s TERM $pid
wait $pid
status=$?
check "SIGTERM ends prove, which exits with 143" test $status -eq 143
check "it prints the table of what it has" grep -q '^ended      by SIGTERM: bugs may be missed' out
check "and writes it" test -s proved/matrix.md

interrupt TERM 143 0.7 bisect "$root/scenarios/list-append.toml" --seeds 5..1000000 -j 2 --out capsule
check "a search says where to go on" grep -Eq '^ended      by SIGTERM; go on with --seeds [0-9]+\.\.1000000$' out
check "and leaves no folder" leaves swept proved
interrupt TERM 143 0.3 bisect "$root/scenarios/bugs/no-predicate-marks.toml" --seeds 1..100 -j 2 --out capsule
if [ -d capsule ]; then
    check "a capsule so far is whole" test -s capsule/capsule.toml -a -s capsule/story.txt -a -s capsule/story.svg
    run 1 run capsule/capsule.toml
else
    check "without a failure there is no capsule" grep -q '^ended      by SIGTERM; go on with' out
fi
rm -rf capsule

long="--set workload.transactions=10000000 --set workload.duration=1h"
# shellcheck disable=SC2086 # several words
interrupt TERM 143 0.3 run "$root/scenarios/list-append.toml" $long --out ran
check "a run says that it is not judged" says err "ordeal: not judged: interrupted"
check "and leaves no folder" leaves swept proved
# shellcheck disable=SC2086 # several words
interrupt TERM 143 0.3 run "$root/scenarios/list-append.toml" $long --json
check "an object says so, too" says out '{"verdict":"unknown","reason":"not judged: interrupted"}'

for topology in wal processes; do
    interrupt TERM 143 1 record sqlite --for 1h --rate 100 --topology $topology --out recorded
    check "a recording is judged as far as it came, $topology" grep -q '^verdict    ' out
    check "and its folder is whole" test -s recorded/history.jsonl -a -s recorded/run.json
    rm -rf recorded
done
check "and nothing else is left" leaves swept proved

interrupt TERM 143 0.3 generate list-append --transactions 20000000 -o generated.jsonl
check "what is not generated is not there" leaves swept proved
"$ORDEAL" generate list-append --transactions 400000 -o long.jsonl >out 2>err
cp long.jsonl longer.jsonl
interrupt TERM 143 0.3 check long.jsonl
check "a check says what it knows" says out "verdict    UNKNOWN   not judged: interrupted"
"$ORDEAL" generate list-append --transactions 20 -o a-short.jsonl >out 2>err
interrupt TERM 143 0.5 check a-short.jsonl long.jsonl longer.jsonl --json
check "of several histories it has those that it judged" mentions out '{"file":"a-short.jsonl","verdict":"valid"'
rm -f -- *.jsonl

# A search that takes as long as it is given.
echo 'CREATE TABLE t (id bigint PRIMARY KEY, v bigint NOT NULL);' >counter.sql
awk 'BEGIN {
    print "{\"ordeal-log\":1,\"rows\":{\"t\":[{\"id\":\"1\",\"v\":\"0\"}]}}"
    for (i = 1; i <= 200; i++)
        printf "{\"txn\":%d,\"session\":%d,\"statements\":[{\"sql\":\"UPDATE t SET v = v + %d\"}],\"status\":\"unknown\"}\n", i, i, i
    print "{\"txn\":0,\"session\":0,\"statements\":[{\"sql\":\"SELECT v FROM t\"}],\"status\":\"ok\",\"answers\":[{\"rows\":[[\"-1\"]]}]}"
}' >open.log
interrupt TERM 143 0.3 audit open.log --programs counter.sql --level serializable --witness open.witness
check "an audit says that it does not know" grep -q '^audit  .* unknown  not judged: interrupted$' out
rm -f counter.sql open.log
check "and leaves no witness" leaves swept proved

if [ -n "$heed" ]; then
    # shellcheck disable=SC2086 # several words
    interrupt INT 130 0.3 run "$root/scenarios/list-append.toml" $long --out ran
    interrupt INT 130 0.7 sweep "$root/scenarios/swarm.toml" --seeds 1..1000000 -j 2
    check "without a folder it says what would have kept the runs" says out "ended      by SIGINT; with --out it could go on"
fi
# One that is ignored stays ignored.
"$ORDEAL" sweep "$root/scenarios/swarm.toml" --seeds 1..6 -j 1 >out 2>err </dev/null &
pid=$!
sleep 0.1
kill -s INT $pid
wait $pid
check "a job in the background goes on" test $? -eq 0
finish
