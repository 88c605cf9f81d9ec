#!/bin/sh
# memory: --memory bounds the process, and where it is reached the program says so.
. "$(dirname "$0")/helpers"
# A build with sanitizers takes memory of its own, and its allocator ends the process.
case $ORDEAL in */sanitize/ordeal) ORDEAL=${ORDEAL%/sanitize/ordeal}/gcc-O3/ordeal ;; esac
export ORDEAL

run 0 generate rw-mix --transactions 20000 -o history.jsonl
exits 2 "a history that does not fit is refused" check history.jsonl --memory 3M
check "with the place, the reason and the limit" \
    grep -qx 'history.jsonl:[0-9]*: out of memory (--memory 3M): .*no memory for .*' err
exits 2 "so it is with --json" check history.jsonl --memory 3M --json
check "which is an object" mentions out '"message":"out of memory (--memory 3M): '

exits 0 "a checker for which there is too little does not keep the others from judging" \
    check history.jsonl --memory 10M
check "it is not judged by that one" \
    grep -q 'blackbox .* unknown  out of memory (--memory 10M): no memory for ' out
check "and no size is told that nobody asked for" sh -c '! grep -q "[0-9]\{16\}" out'
exits 3 "if it was named nobody judges" check history.jsonl --checker blackbox --memory 10M --json
check "and the reason says why" mentions out '"reason":"out of memory (--memory 10M): no memory for '
exits 3 "the same holds within Z3" check history.jsonl --checker blackbox --engine z3 --version-order 0 \
    --memory 48M
check "whose memory is counted, too" mentions out 'out of memory (--memory 48M): '

# Thousands of writes whose order is open: a table of all pairs would take gigabytes.
blind() {
    awk -v n="$1" 'BEGIN {
        print "{\"ordeal-history\":1}"
        for (i = 1; i <= n; i++)
            printf "{\"txn\":%d,\"session\":%d,\"status\":\"ok\",\"at\":[1,9],\"ops\":[{\"w\":\"x\",\"v\":%d}]}\n", i, i, i
    }'
}
blind 4000 >blind.jsonl
for level in snapshot session-snapshot strict-snapshot; do
    exits 0 "at $level open orders take little where any order is right" \
        check blind.jsonl --checker blackbox --level $level --version-order 0 --memory 150M
done
exits 3 "Z3 searches all of them" check blind.jsonl --checker blackbox --engine z3 --level snapshot --memory 100M
check "and the reason is told" mentions out 'out of memory (--memory 100M): no memory for '

# Every command, at twenty sizes below that with which it works: never by a signal, never without a word.
run 0 generate predicate-mix --transactions 300 -o rows.jsonl
run 0 generate rw-mix --transactions 300 -o items.jsonl
run 0 check items.jsonl --checker order --witness witness
run 0 run "$root/scenarios/smallbank.toml" --set workload.transactions=300 --audit-log calls.jsonl
ln -s "$root/scenarios/programs/smallbank.sql" calls.sql
run 0 audit calls.jsonl --programs calls.sql --level snapshot --witness calls.witness
cat >real.toml <<'END'
name = "real"
[workload]
kind = "predicate"
transactions = 20
sessions = 2
[database]
kind = "sqlite"
END

# shellcheck disable=SC2086 # several arguments
# with FLAG KB COMMAND: its exit status. The flag is that of Ordeal, or of `ulimit`.
with() {
    case $1 in
    --memory) "$ORDEAL" $3 --memory "$2K" ;;
    -v) (ulimit -v "$2" && exec "$ORDEAL" $3) ;;
    esac >out 2>err <rows.jsonl
}

# least FLAG LOW HIGH WANTED COMMAND: the least size, within a sixteenth, with which it exits so.
least() {
    low=$2 high=$3
    while [ $((high - low)) -gt $((high / 16 + 1)) ]; do
        middle=$(((low + high) / 2))
        with "$1" $middle "$5"
        if [ $? -eq "$4" ]; then high=$middle; else low=$middle; fi
    done
    echo $high
}

# With less address space than this the loader ends before the program begins.
begins=$(least -v 1000 4000000 0 --version)
while read -r wanted command; do
    for flag in --memory -v; do
        floor=0
        [ $flag = --memory ] || floor=$begins
        works=$(least $flag $floor 4000000 "$wanted" "$command")
        odd=
        for part in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
            size=$((floor + 1 + (works - floor) * part / 21))
            with $flag $size "$command"
            got=$?
            # What `least` found is not exact: a little less may still be enough, with the answer that is usual.
            [ "$got:$wanted" != 3:3 ] || ! grep -q "no failure in 2 runs" out err || continue
            case $got in
            2 | 3) grep -qi memory out err || odd="$odd $size:$got, without the reason;" ;;
            "$wanted") ;;
            *) odd="$odd $size:$got;" ;;
            esac
        done
        check "ordeal $command ends with the reason where $flag is below $works KB$odd" test -z "$odd"
    done
done <<END
0 check rows.jsonl
0 check items.jsonl --checker blackbox
0 verify items.jsonl witness
0 audit calls.jsonl --programs calls.sql --level snapshot
0 verify calls.jsonl calls.witness --programs calls.sql
0 convert rows.jsonl --to oh -o x.oh
0 generate rw-mix -o x.jsonl
0 run $root/scenarios/ping.toml
0 run $root/scenarios/smallbank.toml
0 run $root/scenarios/si-everything.toml
0 program $root/scenarios/programs/smallbank.sql
0 sweep $root/scenarios/ping.toml --seeds 1..3
3 bisect $root/scenarios/ping.toml --seeds 1..2
0 list levels
0 explain G0
1 watch --profile postgresql/serializable
0 record sqlite --clients 2 --transactions 20
0 record sqlite --topology processes --clients 1 --transactions 20
0 run real.toml
END

# Address space is not taken ahead.
(
    ulimit -v 1000000
    exits 0 "a run needs no more address space than it uses" run "$root/scenarios/smallbank.toml"
    exit $failures
) || failures=$((failures + 1))

# A run that asks for more than there is.
cat >rows.toml <<'END'
name = "rows"
seed = 1
[cluster]
nodes = 3
shards = 8
replicas = 3
protocol = "mvto"
[workload]
kind = "ycsb"
keys = 1000000
transactions = 10
END
exits 2 "a run that takes too much in one event ends with an error" run rows.toml --memory 300M
check "that names the limit" mentions err "ordeal: out of memory (--memory 300M): no memory left for more than"

exits 3 "with memory enough it is too long, since a store holds no more than 2 GB" run rows.toml --memory 4G
check "which is no function of the machine" \
    grep -q '^too long   the store holds 2[0-9]* bytes, more than it may; no run holds more at once' out

# A small file may be a large history.
for i in $(seq 1 400); do cat history.jsonl | tail -n +2 | head -100; done | zstd -q -3 >body.zst
(head -1 history.jsonl | zstd -q; cat body.zst) >large.jsonl.zst
exits 2 "what a compressed file expands to is counted" check large.jsonl.zst --memory 5M

for size in 4GB soon 0 -1G; do
    exits 2 "$size is no size" list levels "--memory=$size"
    check "and the error says what is" mentions err "--memory takes a size above 0, as in 512M or 4G, not '$size'"
done
check "help tells of it" sh -c '"$ORDEAL" list --help | grep -q -e "--memory SIZE"'

finish
