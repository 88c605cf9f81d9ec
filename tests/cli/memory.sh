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

# Every command, at sizes that end it at different places: never by a signal, never without a word.
run 0 generate predicate-mix --transactions 300 -o rows.jsonl
run 0 check history.jsonl --checker order --witness witness
for size in 64K 500K 1M 2M 4M 8M 12M; do
    for command in 'check rows.jsonl' 'verify history.jsonl witness' 'convert rows.jsonl --to oh -o x.oh' \
        'generate rw-mix -o x.jsonl' "run $root/scenarios/ping.toml" "run $root/scenarios/smallbank.toml" \
        "program $root/scenarios/programs/smallbank.sql" "sweep $root/scenarios/ping.toml --seeds 1..3" \
        "bisect $root/scenarios/ping.toml --seeds 1..2" 'list levels' 'explain G0' \
        'watch rows.jsonl --profile postgresql/serializable'; do
        # shellcheck disable=SC2086 # several arguments
        "$ORDEAL" $command --memory $size >out 2>err </dev/null
        got=$?
        [ $got -le 3 ] && [ -s out -o -s err -o $got -eq 0 ]
        verdict $? "ordeal $command --memory $size ends with a word (exit status $got)"
    done
done

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
