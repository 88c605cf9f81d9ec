#!/bin/sh
# DuckDB on trial, where its library is: what it keeps, and what it allows.
. "$(dirname "$0")/helpers"

run 2 record duckdb --level serializable
check "snapshot isolation is its one level" mentions err "only for snapshot"
run 2 record duckdb --level snapshot --connect x
check "it has no server to connect to" mentions err "DuckDB has no server"
run 2 record duckdb --level snapshot --binaries /nowhere
check "a library that is not there is missed" mentions err "has no libduckdb.so"
echo >libduckdb.so
run 2 record duckdb --level snapshot --binaries .
check "and one that is none is refused" mentions err "cannot be loaded"

needs duckdb --level snapshot

for workload in list-append rw-register bank; do
    for topology in memory file; do
        run 0 record duckdb --topology $topology --workload $workload --level snapshot --clients 4 --transactions 150 --json
        check "DuckDB keeps snapshot isolation for $workload, in $topology" mentions out '"verdict":"valid"'
        check "and commits" sh -c '! grep -q "\"committed\":0," out'
    done
done
run 1 record duckdb --workload write-skew --isolation snapshot --level serializable --set keys=4 --clients 8 \
    --transactions 1000 --json
check "it allows write skew" mentions out '"kind":"G2-item"'

# A deletion and an update at the same time are no conflict for it, and UPDATE ... RETURNING is both.
lost=0
for seed in 1 2 3 4 5; do
    "$ORDEAL" record duckdb --workload predicate --level snapshot --set keys=10 --clients 8 --for 2s --seed $seed >out 2>err </dev/null
    [ $? -ne 1 ] || { lost=1; break; }
done
check "updates are lost where one deletes, against its own promise" test $lost -eq 1

cat >bank.toml <<'END'
name = "bank"
[database]
kind = "duckdb"
[workload]
kind = "bank"
sessions = 4
transactions = 100
duration = "10s"
keys = 10
[[invariant]]
query = "SELECT sum(balance) FROM accounts"
equals = 1000
[check]
level = "snapshot"
END
run 0 run bank.toml
check "a scenario's invariant is asked of it" mentions out "verdict    VALID"
run 1 run bank.toml --set invariant.0.equals=7
check "and told if it does not hold" mentions out "gives 1000, not 7"

finish
