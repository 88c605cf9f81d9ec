#!/bin/sh
# director: calls of a program on the directed store.
. "$(dirname "$0")/helpers"

smallbank=$root/scenarios/smallbank.toml
causal="--set check.level=causal"
small="--set workload.transactions=120 --set workload.sessions=4"
# shellcheck disable=SC2086 # several arguments
direct() { wanted=$1; shift; run "$wanted" run "$smallbank" $small "$@"; }
# The history without its first line, which says by whom it was made.
body() { tail -n +2 "$1/history.jsonl"; }

# --- latest -------------------------------------------------------------------------------------------

direct 0 --director latest --out latest
check "latest reads nothing that is not the latest" mentions out " reads, 0 of them not the latest   serializable: yes"
check "who has the order judges it, statements included" grep -Eq 'certificate +serializable +valid' out
check "each transaction has its place" mentions latest/history.jsonl '"ts":'
run 0 check latest/history.jsonl
check "and others find it serializable" mentions out "VALID   serializable holds"
run 0 audit latest/calls.jsonl --programs "$root/scenarios/programs/smallbank.sql" --level serializable
check "so does the audit of its calls" grep -Eq 'serializable +valid' out
direct 0 --director latest --audit-log log.jsonl
check "--audit-log writes the same log" same latest/calls.jsonl log.jsonl
direct 0 --director latest --audit-log - >/dev/null
check "also to standard output" mentions out '{"ordeal-log":1'

direct 0 --set workload.attempts=1 --audit-log simulated.jsonl
direct 0 --set workload.attempts=1 --director latest --audit-log directed.jsonl
calls() { grep -o '"session":[0-9]*,"call":.*"arguments":\[[^]]*\]' "$1" | sort -s -t, -k1,1; }
calls simulated.jsonl >simulated.calls
calls directed.jsonl >directed.calls
check "the calls are those of the simulated run" same simulated.calls directed.calls

# --- Weak levels --------------------------------------------------------------------------------------

for level in read-committed read-atomic causal prefix; do
    direct 1 --director random --set check.level=$level
    check "money is lost at $level" \
        says out "invariant  BROKEN   invariant_money_conserved() is not true of the final state"
    check "and it is no serializable history" mentions out "serializable: no"
    check "which is what $level allows" grep -Eq "weak +$level +valid" out
done
direct 0 --director random --set check.level=snapshot --set check.skip_invariants=true
check "at snapshot the first committer wins" mentions out "refused by the level"
check "so that snapshot holds" grep -Eq "blackbox +snapshot +valid" out

# shellcheck disable=SC2086
direct 1 $causal --director random --json --out random
for field in '"director":{"mode":"random","level":"causal","reads":' '"serializable":false,"anomaly":"G2-item"' \
    '"divergences":[]' '"verdict":"invalid"' '"checker":"weak"'; do
    check "the answer has $field" mentions out "$field"
done
check "--out writes the answer" same out random/run.json
check "the producer says how to run it again" \
    mentions random/history.jsonl "--set check.level=causal --director random\""
run 0 verify random/items.jsonl random/witness-weak.json
check "the witness is about the items" mentions out "accepted: causal holds"
# shellcheck disable=SC2086
direct 1 $causal --director random --twice
check "the same seed makes the same history" says out "twice      the same history"
# shellcheck disable=SC2086
direct 1 $causal --director random --seed 2 --out two
body random >one.body
body two >two.body
check "another seed makes another" differ one.body two.body
for mode in oldest biased; do
    # shellcheck disable=SC2086
    direct 1 $causal --director $mode --out $mode
    body $mode >other.body
    check "$mode chooses otherwise" differ one.body other.body
done

# --- A file of choices ----------------------------------------------------------------------------------

# shellcheck disable=SC2086
direct 1 $causal --director random/choices.jsonl --out again
check "all choices can be had again" mentions out "could be had"
body again >again.body
check "and make the same history" same one.body again.body
check "from the same calls" sh -c 'tail -n +2 random/calls.jsonl >1; tail -n +2 again/calls.jsonl | cmp - 1'
# shellcheck disable=SC2086
direct 0 $causal --director random/choices.jsonl --seed 9 --set check.skip_invariants=true --json
check "with other calls some cannot be had" mentions out '"kind":"unread"'
sed 1q random/choices.jsonl >order.jsonl
# shellcheck disable=SC2086
direct 0 $causal --director order.jsonl
check "what no line names is the latest" mentions out "0 of them not the latest   serializable: yes"
echo '{"ordeal-choices":1,"order":[1,1,2]}' >three.jsonl
# shellcheck disable=SC2086
direct 0 $causal --director three.jsonl --out three
check "an order may be of a few transactions" test "$(body three | wc -l)" -eq 3
echo '{"ordeal-choices":1,"order":[77]}' >wrong.jsonl
# shellcheck disable=SC2086
direct 2 $causal --director wrong.jsonl
check "a session that is not there is an error" mentions err "wrong.jsonl: the order has a transaction of session 77"
echo '{"session":1}' >wrong.jsonl
# shellcheck disable=SC2086
direct 2 $causal --director wrong.jsonl
check "and so is what is no file of choices" mentions err "wrong.jsonl:1:"
# shellcheck disable=SC2086
direct 2 $causal --director nowhere
check "and one that is not there" mentions err "nowhere: cannot open"

# --- What has no director -------------------------------------------------------------------------------

direct 2 --director random
check "at serializable there is nothing to choose" mentions err "at serializable a director has nothing to choose"
direct 2 --director latest --set check.level=repeatable-read
check "a level that the store does not have is refused" mentions err "the directed store has no repeatable-read"
direct 2 --director latest --trace trace
check "there is no trace" mentions err "--trace is for the simulated world"
run 2 run "$root/scenarios/voter.toml" --director latest
check "nemeses have nothing to strike" mentions err "a scenario with nemeses, or a swarm, has no director"
run 0 run "$root/scenarios/voter.toml" --set 'nemesis=[]' --set workload.transactions=100 --director latest
check "until they are taken away" mentions out "verdict    VALID"
run 2 run "$root/scenarios/list-append.toml" --director latest
check "other workloads are refused" mentions err "--director needs calls of a program's functions"
direct 2 --director latest --set 'cluster.protocol=si' --set 'cluster.bugs=["first-committer-compares-values"]'
check "and so are bugs" mentions err "bugs are of the simulated store"

finish
