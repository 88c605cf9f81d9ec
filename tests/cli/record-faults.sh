#!/bin/sh
# Faults of the network, the disk and the clock, of every server that is there: refused where a right or a package is
# missing, and otherwise felt, counted, and taken back.
. "$(dirname "$0")/helpers"

run 2 record sqlite --partition every=1s
check "a database without nodes cannot be parted" mentions err "has no nodes that could be parted: no --partition"
run 2 record rqlite --clock every=1s
check "nor can one have a wrong clock that does not ask the C library" mentions err "no --clock"

# felt NAME FAULTS DATABASE ARGUMENT...: the recording is valid and has these faults, or the faults are refused with what is missing.
felt() {
    name=$1 faults=$2
    shift 2
    flags=
    for fault in $faults; do
        case $fault in
            partition) flags="$flags --partition every=1s,for=400ms" ;;
            disk-full) flags="$flags --disk-full every=1s,for=200ms" ;;
            clock) flags="$flags --clock every=1s,for=200ms" ;;
            latency) flags="$flags --latency every=1s,for=400ms" ;;
        esac
    done
    # shellcheck disable=SC2086
    "$ORDEAL" record "$@" $flags --clients 4 --for 3s --timeout 60 --json >out 2>err </dev/null
    status=$?
    if [ $status -eq 2 ] && grep -qE "install the package|tools/deps.sh databases|CAP_SYS_ADMIN|needs netem" err; then
        echo "# skipped: $name: $(head -n 1 err)"
        return
    fi
    verdict $((status != 0)) "$name stays what it promises"
    [ $status -eq 0 ] || { sed 's/^/    /' err; head -c 1000 out; }
    for fault in $faults; do
        check "and it feels $fault" grep -q "\"felt\":{\"$fault\":[1-9]" out
    done
    check "and something was committed" sh -c '! grep -q "\"committed\":0," out'
}

before=$(ls /dev/shm 2>/dev/null | grep faketime)
felt "etcd with nodes parted" partition etcd --topology cluster --level strict-serializable --workload rw-register
felt "rqlite with nodes parted" partition rqlite --topology cluster --level strict-serializable --workload rw-register
felt "PostgreSQL with a standby that is cut off" partition postgres --topology standby --level read-committed
felt "PostgreSQL with a full disk" disk-full postgres --certificate
felt "PostgreSQL with a wrong clock" clock postgres --certificate
# One client that writes twice a second, and no fault that lasts: nobody meets it.
"$ORDEAL" record postgres --rate 2 --clients 1 --for 2s --disk-full every=300ms,for=1ms --json >out 2>err </dev/null
status=$?
if [ $status -ne 2 ]; then
    check "faults that nobody has felt are told apart" \
        grep -q '"faults":{"disk-full":[1-9].*"felt":{"disk-full":0}.*"unfelt":\["disk-full"\]' out
    check "and the recording is no trial of them" mentions out '"verdict":"unknown"'
fi
felt "etcd with a slow network" latency etcd --topology cluster --level strict-serializable --workload rw-register
felt "PostgreSQL with a subscriber" "" postgres --topology logical --level read-committed
check "nothing of libfaketime is left" test "$(ls /dev/shm 2>/dev/null | grep faketime)" = "$before"

if ! [ "$(id -u)" -eq 0 ] || ! command -v etcd >/dev/null; then
    echo "# skipped: what is left after signal 9, where there is no etcd or no right to make networks"
    finish
fi
run 2 record etcd --partition every=1s
check "a single node cannot be parted" mentions err "needs another --topology"

# A process that is killed takes its network and its disks along.
mkdir tmp && chmod 755 . tmp
TMPDIR=$work/tmp "$ORDEAL" record etcd --topology cluster --partition every=1s --disk-full every=2s --for 60s >out 2>err </dev/null &
victim=$!
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    grep -q "$work/tmp" /proc/mounts && break
    sleep 0.5
done
check "disks are mounted while it runs" grep -q "$work/tmp" /proc/mounts
sleep 2
kill -9 $victim
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    [ -n "$(ls tmp)" ] || break
    sleep 0.5
done
check "after signal 9 no folder is left" test -z "$(ls tmp)"
check "and no disk" sh -c "! grep -q '$work/tmp' /proc/mounts"
check "and no interface" sh -c '! ip link | grep -q node0'
finish
