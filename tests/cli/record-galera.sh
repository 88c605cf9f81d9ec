#!/bin/sh
# Galera on trial: two nodes, and three of which one is killed.
. "$(dirname "$0")/helpers"

run 2 record galera --connect mariadb://root@localhost/test
check "a cluster is not connected to" mentions err "record a node of a cluster as mariadb"
run 2 record galera --certificate
check "its order cannot be recovered" mentions err "no --certificate"
run 2 record galera --topology four
check "it has two nodes or three" mentions err "no topology 'four'"

needs galera --level snapshot
run 0 record galera --level snapshot --workload bank --clients 6 --transactions 200 --json
check "two nodes give snapshot isolation" mentions out '"verdict":"valid"'
check "and something was committed" sh -c '! grep -q "\"committed\":0," out'
seen=0
for seed in 1 2 3 4; do
    "$ORDEAL" record galera --workload write-skew --clients 8 --transactions 1500 --for 4s --seed $seed --json \
        --timeout 60 >out 2>err </dev/null
    [ $? -ne 1 ] || { seen=1; break; }
done
check "their SERIALIZABLE allows write skew" test $seen -eq 1
check "which is found by name" mentions out '"kind":"G2-item"'
run 0 record galera --topology three --level snapshot --workload list-append --clients 6 --for 2s --kill every=1s --json
check "of three nodes one may be killed" mentions out '"verdict":"valid"'
check "and was" sh -c '! grep -q "\"kill\":0" out'
finish
