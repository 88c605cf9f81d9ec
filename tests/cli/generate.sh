#!/bin/sh
# generate: histories by the book, the same for the same arguments.
. "$(dirname "$0")/helpers"

run 0 list workloads --json
grep -o '{"name":"[^"]*","description":"[^"]*","used_by":"generate"}' out |
    cut -d '"' -f 4 >workloads
check "there are workloads" test -s workloads
while read -r workload; do
    run 0 generate "$workload" --transactions 300 --seed 3 -o one.jsonl
    run 0 generate "$workload" --transactions 300 --seed 3 -o two.jsonl
    check "$workload: the same arguments make the same bytes" same one.jsonl two.jsonl
    run 0 generate "$workload" --transactions 300 --seed 4 -o other.jsonl
    check "$workload: another seed makes others" differ one.jsonl other.jsonl
    check "$workload: there are as many transactions as asked for" \
        test "$(grep -c '^{"txn":' one.jsonl)" -eq 300
    run 0 generate "$workload" --transactions 300 --seed 3 -o one.oh
    run 0 convert one.oh --to jsonl -o two.jsonl
    check "$workload: in binary it is the same" same one.jsonl two.jsonl
done <workloads

run 0 generate rw-mix --transactions 1_000 --sessions 7 --keys 10 --operations 3 \
    --level snapshot -o - --seed 9007199254740991
cp out piped.jsonl
run 0 generate rw-mix --transactions 1000 --sessions 7 --keys 10 --operations 3 \
    --level snapshot -o named.jsonl --seed 9_007_199_254_740_991
check "-o - is standard output" same piped.jsonl named.jsonl
run 0 generate rw-mix --transactions 1000 -o packed.jsonl.zst
run 0 generate rw-mix --transactions 1000 -o packed.oh.zst
run 0 convert packed.oh.zst --to jsonl -o one.jsonl
run 0 convert packed.jsonl.zst --to jsonl -o two.jsonl
check "names that end in .zst are compressed, in either format" same one.jsonl two.jsonl

run 0 generate rw-mix --transactions 500 --seed 7 --plant G-single -o bad.jsonl
check "--plant says which transactions carry it" \
    grep -Eqx '\{"kind":"G-single","transactions":\[[0-9]+(,[0-9]+)+\]\}' bad.jsonl.planted.json
ids=$(grep -o '\[.*\]' bad.jsonl.planted.json | tr -d '[]' | tr ',' ' ')
for id in $ids; do
    check "planted transaction $id is there" grep -q "^{\"txn\":$id," bad.jsonl
done
run 0 generate rw-mix --transactions 500 --seed 7 --plant G-single -o again.jsonl
check "a plant is reproducible" same bad.jsonl again.jsonl
run 2 generate rw-mix --plant G-single -o -
check "--plant has nowhere to write beside standard output" mentions err "-o -"
run 2 generate rw-mix --plant stuck -o x.jsonl
check "what no history can show cannot be planted" mentions err "stuck"
run 2 generate rw-mix --plant G-sinlge -o x.jsonl
check "a mistyped anomaly gets the nearest name" mentions err "did you mean G-single?"
run 2 generate rw-mx -o x.jsonl
check "a mistyped workload gets the nearest name" mentions err "did you mean rw-mix?"
run 2 generate rw-mix --level serialisable -o x.jsonl
check "a mistyped level gets the nearest name" mentions err "did you mean serializable?"
run 2 generate rw-mix --transactions 0 -o x.jsonl
check "no transactions are too few" mentions err "--transactions must be between 1 and"
run 2 generate predicate-mix --predicates 101 -o x.jsonl
check "more than all cannot be predicates" mentions err "--predicates must be between 0 and 100"
run 2 generate rw-mix
check "a file must be named" says err "ordeal: generate needs -o FILE; see: ordeal help generate"
check "what was refused wrote nothing" test ! -e x.jsonl

finish
