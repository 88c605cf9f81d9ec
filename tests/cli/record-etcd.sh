#!/bin/sh
# etcd on trial, where its server is: one node and three, and what its levels of reading allow.
. "$(dirname "$0")/helpers"

run 2 record etcd --isolation read-committed
check "a level that it does not have is refused" mentions err "only for snapshot, serializable, strict-serializable"
run 2 record etcd --connect localhost:2379
check "an address has a scheme" mentions err "http://HOST:PORT"
run 2 record etcd --certificate
check "its order cannot be recovered" mentions err "no --certificate"
run 2 record etcd --binaries /nowhere
check "a program that is not there is missed" mentions err "has no etcd"

needs etcd

for workload in list-append rw-register bank predicate; do
    run 0 record etcd --workload $workload --level strict-serializable --clients 4 --transactions 200 --json
    check "etcd keeps strict serializability for $workload" mentions out '"verdict":"valid"'
    check "and commits" sh -c '! grep -q "\"committed\":0," out'
done
run 0 record etcd --workload list-append --level snapshot --clients 6 --transactions 500
check "a commit that compares what it writes keeps snapshot isolation" mentions out "verdict    VALID"
run 1 record etcd --workload write-skew --isolation snapshot --level serializable --set keys=4 --transactions 2000 --json
check "and allows write skew" mentions out '"kind":"G2-item"'

stale=0
for seed in 1 2 3 4 5; do
    "$ORDEAL" record etcd --topology cluster --workload rw-register --isolation serializable --level strict-serializable \
        --set keys=5 --for 2s --seed $seed >out 2>err </dev/null
    [ $? -ne 1 ] || { stale=1; break; }
done
check "what etcd calls serializable reads are stale" test $stale -eq 1
run 0 record etcd --topology cluster --workload rw-register --level serializable --for 2s --json
check "and serializable" mentions out '"verdict":"valid"'
run 0 record etcd --topology cluster --level strict-serializable --clients 6 --for 5s --kill every=2s --json
check "linearizable reads are not, with a node killed" mentions out '"verdict":"valid"'
check "and it was killed" sh -c '! grep -q "\"kill\":0" out'

finish
