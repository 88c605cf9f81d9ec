#!/bin/sh
# isolation: the scripted interleavings that ship, and schedules from file to finding.
. "$(dirname "$0")/helpers"

# On one shard and across shards, each comes out as it says.
for scenario in "$root"/scenarios/isolation/*.toml; do
    name=$(basename "$scenario" .toml)
    for shards in 1 4; do
        exits 0 "$name comes out as it says on $shards shards" \
            run "$scenario" --set cluster.shards=$shards
    done
done

isolation=$root/scenarios/isolation
run 0 run "$isolation/p4-2pl.toml" --twice
check "a schedule leaves the same trace twice" says out "twice      the same trace"
run 0 run "$isolation/total-cash.toml" --out first --json
run 0 run first/scenario.toml --out second --json
check "what --out writes runs a schedule again" same first/scenario.toml second/scenario.toml
check "with the same history" same first/history.jsonl second/history.jsonl
check "its transactions are counted" mentions out '"committed":1,"aborted":1'

# Under a protocol that permits it, an expectation is broken, and that is a finding.
run 1 run "$isolation/g2-item.toml" --set cluster.protocol=si --json
check "a broken expectation is an invariant that is broken" mentions out '"kind":"invariant"'
check "the finding says which step, and what it was" mentions out \
    'step 10 (session 2, \"commit\"): expected aborted, was ok'
run 1 run "$isolation/g-single.toml" --set cluster.protocol=rc --json
check "rows that differ are a finding" mentions out \
    'WHERE id = 2\"): expected rows [[2,20]], was [[2,18]]'

for order in "i DESC" i; do
    sed -e "s/SELECT i, t FROM fruit/& ORDER BY $order/" "$isolation/write-skew.toml" >"$order.toml"
done
cp "$isolation/write-skew.sql" .
run 1 run "i DESC.toml" --json
check "rows in an order must be in that order" mentions out 'was [[11,\"banana\"],[7,\"apple\"]'
exits 0 "and are right if they are" run i.toml

cp "$isolation/g1a.toml" "$isolation/hermitage.sql" .
# refuses SENTENCE MESSAGE SED: what the scenario, changed like that, is refused with.
refuses() {
    sed -e "$3" g1a.toml >changed.toml
    run 2 run changed.toml
    check "$1" mentions err "$2"
}
refuses "a statement that does not compile names its line" \
    'changed.toml:22: column "valu" of relation "test" does not exist' 's/^do = "UPDATE test SET value/do = "UPDATE test SET valu/'
refuses "a mistyped act gets the nearest name" 'did you mean "begin"?' '0,/"begin"/s//"begn"/'
refuses "a statement without a transaction is refused" \
    'changed.toml:12: session 1 has no transaction here' '0,/"begin"/s//"commit"/'
refuses "a transaction without an end is refused" \
    'session 2 does not end its transaction' 's/"commit"/"await"/'
refuses "an outcome that there is not is refused" \
    'schedule.expect should be "ok", "blocked", "aborted" or a list of them' 's/expect = "ok"/expect = "fine"/'
refuses "rows of what gives none are refused" 'step 3 gives no rows' \
    's/WHERE id = 1"/WHERE id = 1"\nrows = [[1]]/'
refuses "a schedule makes no calls" "the workload schedule has no 'call'" \
    's/^load = .*/&\n[[workload.call]]\nprocedure = "load"/'
refuses "a schedule of no program is refused" "a schedule is of the statements of a workload.program" \
    's/^program = .*/kind = "bank"/; s/^load = .*//'
finish
