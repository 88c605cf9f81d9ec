#!/bin/sh
# explore: what is explored, what complete means, and how a violation is repeated.
. "$(dirname "$0")/helpers"

scenario=$root/scenarios/bugs/upgrade-race.toml

run 2 explore "$scenario" --store --window 20
check "a duration has a unit" mentions err "--window takes a duration from 1ns to 1h such as 20ms, not '20'"
run 2 explore "$root/scenarios/ping.toml" --store
check "a ping is refused" mentions err "a ping has no transactions to explore"
run 2 explore "$root/scenarios/isolation/g0.toml" --store --transactions 2
check "what lists its transactions has as many as it lists" mentions err "the scenario lists what its sessions do"
run 2 explore "$root/scenarios/databases/sqlite-dirty-read.toml" --store
check "a real database is refused" mentions err "a real database cannot be explored"
run 2 explore missing.toml --store
check "so is a file that is not there" mentions err "missing.toml: cannot read"

# Without the bug nothing is wrong.
run 0 explore "$scenario" --store --transactions 2 --set 'cluster.bugs=[]'
check "a bound without a violation is complete" says out "verdict    COMPLETE, no violation within the bound"
check "what is fixed is said" mentions out "fixed      a message takes 2750us, a sync 1ms"
check "and what is left out" says out "left out   latencies of messages as they are drawn"
run 0 explore "$scenario" --store --transactions 2 --set 'cluster.bugs=[]' --json
check "the answer is one line" test "$(wc -l <out)" -eq 1
for field in '"level":"strict-serializable","complete":true,"schedules":' '"histories":' '"violations":0,"not_judged":0,"seconds":' \
    '"bound":{"postponed":1,"crashed":0,"isolated":0,"window_ns":20000000,"down_ns":100000000,"apart_ns":200000000}' \
    '"by_deviations":[{"postponed":0,"crashed":0,"isolated":0,"schedules":1,"violations":0,"not_judged":0},{"postponed":1,' \
    '"failures":[],"verdict":"valid"'; do
    check "the answer has $field" mentions out "$field"
done

# With it, it is found, and its schedule repeats it.
run 1 explore "$scenario" --store --transactions 2 -j 1 --out found
check "a violation is told with its schedule" grep -Eq '^failure    .* schedules?, first: (as it is|postpone)' out
check "and how to see it again" mentions out "VIOLATED   again: ordeal run found/scenario.toml"
check "the answer is in the folder" mentions found/explore.json '"verdict":"invalid"'
check "with the history" test -s found/history.jsonl
run 1 run found/scenario.toml
check "and the scenario fails by itself" mentions out "verdict    INVALID"
run 1 explore "$scenario" --store --transactions 2 --until-failure --json
check "--until-failure ends at the first" mentions out '"complete":false,"incomplete":"the first violation ended it"'
check "which is one" mentions out '"violations":1,'

# What a scenario says of its own deviations.
sed 's/^bugs = .*//' "$scenario" >late.toml
printf '\n[explore]\nwindow = "30ms"\npostponed = [60, 70]\ncrashed = [80]\nisolated = [90]\n' >>late.toml
run 0 run late.toml --set workload.transactions=2 --out made
check "a run deviates where it is told" mentions made/run.json '"crash"'
check "in every way" mentions made/run.json '"partition"'
check "and its scenario says so" says made/scenario.toml "postponed = [60, 70]"
run 2 run late.toml --set 'explore.postponed=[7, 7]'
check "events rise" mentions err "explore.postponed should rise from one event to the next"
run 2 run late.toml --set 'explore.crashed=[0]'
check "and begin with 1" mentions err "explore.crashed should list numbers of events, from 1"

cp "$root/scenarios/databases/sqlite-dirty-read.toml" real.toml
printf '\n[explore]\npostponed = [60]\n' >>real.toml
run 2 run real.toml
check "a real database deviates nowhere" mentions err '`explore` is for the simulated world: not with [database]'

# What ends early is not complete.
run 3 explore "$root/scenarios/smallbank.toml" --store --postponed 3 --timeout 1 --json
check "a time limit leaves it incomplete" mentions out '"complete":false,"incomplete":"--timeout"'

# --- All histories at a level ---------------------------------------------------------------------------

cp "$root/tests/trial/explore/accounts.sql" accounts.sql
cat >deposits.toml <<'TOML'
name = "deposits"
[workload]
program = "accounts.sql"
load = "load(2)"
sessions = 2
[[workload.call]]
procedure = "deposit"
arguments = ["1", "5"]
[[invariant]]
query = "SELECT sum(balance) FROM accounts"
equals = 30
TOML
run 2 explore deposits.toml
check "a level is asked for" mentions err "explore needs --level, or a scenario whose [check] has one"
run 2 explore deposits.toml --level repeatable-read
check "which must be one of a directed store" mentions err "histories at repeatable-read cannot be explored"
run 2 explore deposits.toml --level causal --postponed 1
check "histories have no schedule" mentions err "--postponed needs --store: histories have no schedule"
run 2 explore deposits.toml --level causal -j 2
check "and no workers" mentions err "-j needs --store"
run 2 explore deposits.toml --level causal --transactions 33
check "a few transactions are enough" mentions err "--transactions: at most 32 without --store"
run 2 explore "$scenario" --level causal
check "a workload that is no program is refused" mentions err "only the calls of a program are explored"
run 1 explore deposits.toml --level causal --transactions 2 --out histories
check "all histories are counted" grep -Eq '^explored   3 histories in [0-9.]+ s, 1 of them not serializable$' out
check "a lost deposit breaks the invariant" \
    says out "failure    invariant SELECT sum(balance) FROM accounts   1 history, first: number 0"
check "and has a story" mentions out "T2 (session 1) deposit(1, 5)   reads accounts/1 from initial   writes accounts/1"
check "which is in the folder" mentions histories/story.txt "T1 (session 0) deposit(1, 5)"
check "with the choices" mentions histories/choices.jsonl '{"ordeal-choices":1,"order":[0,1]}'
check "and the scenario" says histories/scenario.toml 'level = "causal"'
run 1 run histories/scenario.toml --director histories/choices.jsonl --out again
check "the choices can be made again" says out "choices    all 2 could be had"
sed 1d histories/history.jsonl >first.jsonl
sed 1d again/history.jsonl >second.jsonl
check "and lead to the same history" same first.jsonl second.jsonl
run 1 check histories/history.jsonl --level serializable
run 0 check histories/history.jsonl --level causal --checker weak
run 0 explore deposits.toml --level snapshot --transactions 2
check "at snapshot none is lost" says out "verdict    COMPLETE, no violation"
run 1 explore deposits.toml --level causal --transactions 2 --set 'invariant=[]' --serializable --until-failure --json
for field in '"level":"causal","transactions":2,"sessions":2,"complete":false,"incomplete":"the first violation ended it"' \
    '"histories":1,"unserializable":1,"violations":1,"seconds":' '"executions":' '"other_orders":' '"dead_ends":' \
    '"failures":[{"what":"unserializable","explanation":' '"story":"T1 (session 0)' '"verdict":"invalid"'; do
    check "the answer has $field" mentions out "$field"
done
run 0 explore deposits.toml --level causal --transactions 2 --set 'invariant=[]'
check "it is no violation unless that is asked for" says out "verdict    COMPLETE, no violation"
run 3 explore "$root/scenarios/voter.toml" --level causal --transactions 12 --timeout 1 --json
check "a time limit leaves it incomplete" mentions out '"complete":false,"incomplete":"--timeout"'
printf '[[invariant]]\nquery = "SELECT nothing FROM nowhere"\nequals = 1\n' >>deposits.toml
run 2 explore deposits.toml --level causal
check "a query that means nothing is refused" mentions err "nowhere"

finish
