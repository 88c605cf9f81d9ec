#!/bin/sh
# MariaDB on trial: its levels, its own order from the binary log, and a server that is killed.
. "$(dirname "$0")/helpers"

# --- What is refused ------------------------------------------------------------

run 2 record mariadb --connect nonsense
check "a URI names host and database" mentions err "mariadb://user:password@host:port/database"
run 2 record mariadb --connect mariadb://root@%2Fnowhere%2Fsocket/test
check "a server that is not there is missed" mentions err "no connection"
run 2 record mariadb --binaries /nowhere
check "programs that are not there are missed" mentions err "has no mariadbd"
run 2 record mariadb --certificate --level repeatable-read
check "reads and writes that see different states have no certificate" mentions err "not at repeatable-read"
run 2 record mariadb --certificate --isolation read-uncommitted
check "nor have those without snapshots" mentions err "not at read-uncommitted"
run 2 record mariadb --certificate --level snapshot --setting default_storage_engine=ROCKSDB
check "nor has MyRocks" mentions err "MyRocks refuses"

needs mariadb
run 2 record mariadb --setting no_such_setting=1
check "the server's own words are told" mentions err "unknown variable 'no_such_setting=1'"

# --- What it keeps, by its own order ----------------------------------------------

# Whether the checker said so of the last recording.
judged() { mentions out "\"verdict\":\"$2\",\"level\":\"$3\",\"checker\":\"$1\""; }

# Servers of ordeal have their folders here.
chmod 755 .
mkdir servers
TMPDIR=$PWD/servers
export TMPDIR
for level in snapshot serializable; do
    for workload in list-append bank predicate; do
        run 0 record mariadb --certificate --level $level --workload $workload --clients 6 --transactions 300 \
            --set keys=20 --json
        check "MariaDB keeps $level for $workload, by its own order" judged certificate valid $level
        check "and every snapshot has its place in it" mentions out '"missing":0,"aborted":0,"strange":0,"misfits":0'
        check "and something was committed" sh -c '! grep -q "\"committed\":0," out'
    done
done
run 0 record mariadb --isolation read-committed --level read-committed --workload rw-register --transactions 400 --json
check "read committed is kept" mentions out '"verdict":"valid"'
run 0 record mariadb --certificate --level snapshot --workload rw-register --clients 8 --for 3s --kill every=1s --json
check "a server that is killed loses nothing" judged certificate valid snapshot
check "what nobody heard of is looked up" mentions out '"resolved":'
check "and it was killed" sh -c '! grep -q "\"kill\":0" out'

# Where a file of the log begins, the server tells a position before the last commits of the file before can be seen.
run 0 record mariadb --certificate --level snapshot --setting max_binlog_size=16384 --clients 8 --for 1s --json
check "a log of many files is one order" judged certificate valid snapshot

# --- What it does not promise -----------------------------------------------------

run 1 record mariadb --isolation repeatable-read --level snapshot --workload counter --clients 8 --transactions 2000 \
    --set keys=4 --json
check "its repeatable read loses updates" mentions out '"kind":"lost-update"'
run 0 record mariadb --level snapshot --workload counter --clients 8 --transactions 500 --set keys=4 --json
check "with innodb_snapshot_isolation it loses none" mentions out '"verdict":"valid"'
run 0 record mariadb --isolation repeatable-read --level snapshot --setting innodb_snapshot_isolation=ON \
    --workload counter --clients 8 --transactions 500 --set keys=4 --json
check "which may be a setting of the server as well" mentions out '"verdict":"valid"'
run 1 record mariadb --certificate --isolation snapshot --level serializable --workload write-skew --clients 8 \
    --transactions 4000 --set keys=4 --json
check "snapshots allow write skew" judged certificate invalid serializable
check "which is found by name" mentions out '"kind":"G2-item"'
run 1 record mariadb --isolation read-uncommitted --level read-committed --workload rw-register --clients 12 \
    --transactions 12000 --set keys=4 --set abort_percent=10 --json
check "at read uncommitted what is rolled back is seen" mentions out '"kind":"G1a"'

# --- A server that is there -------------------------------------------------------

user=$(id -un)
[ "$user" != root ] || user=nobody
mkdir data
[ "$(id -u)" -ne 0 ] || chown $user data
as_user() { if [ "$(id -un)" = "$user" ]; then exec "$@"; else exec setpriv --reuid=$user --regid="$(id -g $user)" --clear-groups "$@"; fi; }
as_user /usr/sbin/mariadbd --no-defaults --datadir="$PWD/data" --tmpdir="$PWD/data" --socket="$PWD/data/socket" --skip-networking \
    --skip-grant-tables --innodb-buffer-pool-size=32M >server-log 2>&1 </dev/null &
server=$!
uri="mariadb://root@$(echo "$PWD/data/socket" | sed 's|/|%2F|g')/information_schema"
for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    [ -S data/socket ] && break
    sleep 0.25
done
run 2 record mariadb --connect "$uri" --transactions 10
check "it connects, and cannot make a table everywhere" mentions err "CREATE TABLE ordeal_lists"
mkdir data/mine && [ "$(id -u)" -ne 0 ] || chown $user data/mine
uri="${uri%/*}/mine"
run 0 record mariadb --connect "$uri" --transactions 100 --clients 4
check "it records a server that is there" mentions out "verdict    VALID"
check "and leaves nothing there" sh -c '! ls data/mine | grep -q ordeal_'
"$ORDEAL" record mariadb --connect "$uri" --for 60s >out 2>err </dev/null &
recorder=$!
until_table() { # command: whether it comes true within ten seconds
    for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        ls data/mine | "$@" ordeal_ && return 0
        sleep 0.5
    done
    return 1
}
until_table grep -q
sleep 1
check "it records until it is killed" kill -9 $recorder
wait $recorder 2>/dev/null
check "and then leaves nothing there, either" until_table sh -c '! grep -q "$0"'
run 2 record mariadb --connect "$uri" --certificate
check "whose log is not read" mentions err "a MariaDB server that ordeal has started"
run 2 record mariadb --connect "$uri" --kill every=1s
check "and which is not killed" mentions err "not with --connect"
kill -9 $server
wait $server 2>/dev/null

check "no folder of a server is left" sh -c '! ls servers | grep .'
finish
