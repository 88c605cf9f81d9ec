#!/bin/sh
# rqlite on trial, where its server is: one node and three, and what its levels of reading allow.
. "$(dirname "$0")/helpers"

run 2 record rqlite --workload bank
check "a workload that needs answers is refused by its name" mentions err "what bank asks for depends on answers"
run 2 record rqlite --isolation snapshot
check "a level that it does not have is refused" mentions err "only for serializable, strict-serializable"
run 2 record rqlite --connect localhost
check "an address has a scheme" mentions err "http://HOST:PORT"
run 2 record rqlite --binaries /nowhere
check "a program that is not there is missed" mentions err "has no rqlited"

needs rqlite

run 2 record rqlite --setting level=most
check "a level of reading is one of its manual" mentions err "level is none, weak, linearizable or strong, not 'most'"
run 2 record rqlite --setting no-such-flag=1
check "a flag that it does not know ends it, and it is said" mentions err "ended at its start"

for workload in list-append rw-register set ycsb; do
    run 0 record rqlite --workload $workload --level strict-serializable --clients 4 --transactions 300 --json
    check "rqlite keeps strict serializability for $workload" mentions out '"verdict":"valid"'
    check "and commits" sh -c '! grep -q "\"committed\":0," out'
done
run 0 record rqlite --workload rw-register --set abort_percent=20 --transactions 500 --json
check "what is rolled back is not seen" mentions out '"verdict":"valid"'
run 1 record rqlite --workload rw-register --set abort_percent=20 --set keys=5 --transactions 2000 --json \
    --setting rollback=prepare
check "8.26 does not roll back where a statement cannot be prepared" mentions out '"kind":"G1a"'

run 1 record rqlite --topology cluster --level strict-serializable --setting level=none --set keys=5 --for 2s --json
check "reads at none are stale" mentions out '-realtime"'
run 0 record rqlite --topology cluster --level serializable --setting level=none --set keys=5 --for 2s --json
check "and yet serializable" mentions out '"verdict":"valid"'
run 0 record rqlite --topology cluster --level strict-serializable --clients 6 --for 4s --kill every=2s --json
check "reads at strong are not, with a node killed" mentions out '"verdict":"valid"'
check "and it was killed" sh -c '! grep -q "\"kill\":0" out'

finish
