#!/bin/sh
# Real databases on trial: SQLite, and PostgreSQL where there is a server.
. "$(dirname "$0")/helpers"

# --- What is refused ------------------------------------------------------------

run 2 record oracle
check "a database that is not known is refused" mentions err "oracle"
run 2 record sqlite --connect x
check "SQLite has no server to connect to" mentions err "SQLite has no server"
run 2 record sqlite --kill every=1s
check "nor one to kill, but for processes" mentions err "only its topologies processes and processes-rollback"
run 2 record sqlite --certificate
check "nor an order that can be recovered" mentions err "no --certificate"
run 2 record sqlite --topology cluster
check "a topology is one of the list" mentions err "SQLite has no topology 'cluster'"
run 2 record sqlite --isolation snapshot
check "a level that the database does not have is refused, and those named that it has" \
    mentions err "only for read-uncommitted, serializable"
run 2 record sqlite --isolation read-uncommitted
check "a level that needs a topology says so" mentions err "--topology shared-cache"
run 2 record postgres --connect host=/nowhere --kill every=1s
check "a server that is not ours is not killed" mentions err "not with --connect"
run 2 record sqlite --for soon
check "a time is a number and a unit" mentions err "--for takes a time"
run 2 record sqlite --set keys
check "a parameter has a value" mentions err "--set takes key=value"
run 2 record sqlite --watch --topology shared-cache --isolation read-uncommitted
check "nobody watches a database whose ways are not known" mentions err "nobody can watch"
run 2 record postgres --binaries /nowhere
check "programs that are not there are missed" mentions err "has no initdb and postgres"

run 2 record postgres --connect host=/nowhere --binaries /usr/bin
check "a server that is there needs no programs" mentions err "--binaries not with --connect"

run 0 record recipes
check "recipes are listed" mentions out "sqlite     SQLite"
run 0 record recipes --json
check "in JSON too" mentions out '"name":"postgres"'

# --- SQLite -----------------------------------------------------------------------

# Servers have a temporary folder of their own, which their user can reach.
chmod 711 .
mkdir -m 1777 servers
TMPDIR=$PWD/servers
export TMPDIR
left_behind() { find "$TMPDIR" -mindepth 1 -maxdepth 1 | grep . || pgrep -f "$TMPDIR"; }

for workload in list-append rw-register bank predicate; do
    run 0 record sqlite --workload $workload --clients 4 --transactions 200 --set keys=10 --json
    check "SQLite keeps serializable for $workload" mentions out '"verdict":"valid"'
    check "and something was committed" sh -c '! grep -q "\"committed\":0," out'
done
run 3 record sqlite --workload rw-register --set abort_percent=100 --transactions 20
check "a recording in which nothing committed shows nothing" mentions out "UNKNOWN   nothing was committed"
run 0 record sqlite --topology rollback --clients 2 --transactions 100 --out kept
check "a folder has the history" test -s kept/history.jsonl
check "and the answer" mentions kept/run.json '"topology":"rollback"'
run 0 verify kept/history.jsonl kept/witness-infer.json
check "whose witness verify accepts" mentions out accepted
run 2 record sqlite --transactions 10 --out kept
check "it is not written over" mentions err kept
run 0 check kept/history.jsonl
check "the history is judged as any other" mentions out VALID

for topology in processes processes-rollback; do
    run 0 record sqlite --topology $topology --workload bank --clients 4 --transactions 100 --json
    check "SQLite keeps serializable between processes, $topology" mentions out '"verdict":"valid"'
    run 0 record sqlite --topology $topology --workload rw-register --set keys=5 --clients 4 --for 2s --kill every=100ms --json
    check "and where they are killed" mentions out '"verdict":"valid"'
    check "which they were" sh -c '! grep -q "\"kill\":0" out'
done
run 0 record sqlite --topology processes --clients 4 --for 2s --pause every=500ms,for=100ms
check "a process that is stopped keeps its locks, and goes on" mentions out "pause"

# Uncommitted versions are seen, so that a transaction is seen in part or never was.
seen=0
for seed in 1 2 3 4 5 6 7 8; do
    "$ORDEAL" record sqlite --topology shared-cache --isolation read-uncommitted --level serializable \
        --workload rw-register --set keys=4 --set read_percent=80 --clients 8 --transactions 20000 --seed $seed \
        --timeout 60 >out 2>err </dev/null
    [ $? -ne 1 ] || { seen=1; break; }
done
check "a shared cache at read-uncommitted is not serializable" test $seen -eq 1

# --- PostgreSQL -------------------------------------------------------------------

needs postgres
run 2 record postgres --setting port=1
check "settings by which the server is found are not for others" mentions err "ordeal itself chooses port"
run 2 record postgres --setting nonsense=1
check "a setting that the server does not know is told" mentions err "does not know one of the settings"

# Whether the checker said so of the last recording.
judged() { mentions out "\"verdict\":\"$2\",\"level\":\"$3\",\"checker\":\"$1\""; }

for workload in list-append rw-register bank predicate; do
    run 0 record postgres --certificate --workload $workload --clients 6 --transactions 400 --set keys=20 --json
    check "PostgreSQL keeps serializable for $workload, by its own order" judged certificate valid serializable
    check "and every snapshot has its place in it" mentions out '"missing":0,"aborted":0,"strange":0,"misfits":0'
done
# A statement of a pipeline may have been answered after its transaction had committed: it has no time of its own.
for level in snapshot serializable; do
    for workload in list-append bank; do
        run 0 record postgres --isolation $level --level $level --workload $workload --transactions 1500 \
            --watch --out timed --force --json
        check "interval has nothing against its $level while $workload runs" mentions out '"found_after":null'
        run 0 check timed/history.jsonl --checker interval --level strict-$level --profile postgresql/$level
        check "nor by the history's times" mentions out valid
    done
done
found=0
for try in 1 2 3 4 5; do
    "$ORDEAL" record postgres --watch --workload list-append --set keys=4 --clients 8 --for 12s --kill every=1s \
        --setting synchronous_commit=off --seed $try --json >out 2>err </dev/null
    grep -q '"found_after":[0-9]' out && { found=1; break; }
done
check "commits that a crash takes back are found while it runs" test $found -eq 1
# Which transactions meet is the machine's affair: with one of the seeds they do.
violated() { # arguments of record
    for seed in 1 2 3 4 5 6 7 8; do
        "$ORDEAL" record "$@" --seed $seed --json >out 2>err </dev/null
        [ $? -ne 1 ] || return 0
    done
    return 1
}
check "write skew is found at its repeatable read" violated postgres --certificate --isolation snapshot \
    --workload write-skew --clients 8 --transactions 4000 --set keys=4
check "as what it is" mentions out '"kind":"G2-item"'
check "by its own order" judged certificate invalid serializable
for workload in list-append bank predicate; do
    run 0 record postgres --certificate --level read-committed --workload $workload --clients 6 --transactions 400 --set keys=20 --json
    check "PostgreSQL keeps read committed for $workload, by what each statement saw" judged certificate valid read-committed
done
check "read committed is not serializable" violated postgres --isolation read-committed --workload list-append \
    --clients 8 --transactions 8000 --set keys=3
run 0 record postgres --certificate --workload rw-register --clients 8 --for 4s --kill every=1s --json
check "a server that is killed loses nothing" mentions out '"verdict":"valid"'
check "and it was killed" sh -c '! grep -q "\"kill\":0" out'
check "what nobody heard of is looked up" mentions out '"resolved":'
# Killed before its log is written, it forgets what clients were told.
lost=0
for seed in 1 2 3 4 5 6; do
    "$ORDEAL" record postgres --for 1500ms --kill every=300ms --setting synchronous_commit=off --seed $seed >out 2>err </dev/null
    grep -q "decisions  LOST" out && grep -q "interval      strict-serializable   INVALID" out && { lost=1; break; }
done
check "without synchronous commits a kill loses acknowledged ones, and interval says so, too" test $lost -eq 1
run 0 record postgres --workload predicate --for 1s --set keys=10
check "a row deleted and inserted again is no lost update" mentions out "interval      strict-serializable   valid"
# A start takes longer than the time between two kills, so that one was always due, also when the clients had ended.
run 0 record postgres --transactions 40 --rate 40 --kill every=100ms --timeout 100
check "faults end when the clients do" mentions out "verdict    VALID"
run 3 record postgres --transactions 20 --kill every=100s
check "a fault that was asked for and never came is named" mentions out "unfelt     kill, of which none came"
check "and the recording is no trial of it" mentions out "UNKNOWN   the database felt no fault"

"$ORDEAL" record postgres --for 60s >out 2>err </dev/null &
recorder=$!
sleep 4
check "it records until it is killed" kill -9 $recorder
wait $recorder 2>/dev/null
gone=0
for try in 1 2 3 4 5 6 7 8 9 10; do
    left_behind >left || { gone=1; break; }
    sleep 1
done
check "if ordeal itself is killed, its server and folder go with it" test $gone -eq 1

finish
