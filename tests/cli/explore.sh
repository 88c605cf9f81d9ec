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
    '"bound":{"postponed":1,"crashes":0,"window_ns":20000000,"down_ns":100000000}' \
    '"by_deviations":[{"postponed":0,"crashes":0,"schedules":1,"violations":0,"not_judged":0},{"postponed":1,' \
    '"failures":[],"verdict":"valid"'; do
    check "the answer has $field" mentions out "$field"
done

# With it, it is found, and its schedule repeats it.
run 1 explore "$scenario" --store --transactions 2 -j 1 --out found
check "a violation is told with its schedule" grep -Eq '^failure    .* schedules?, first: (as it is|postpone|crash)' out
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
printf '\n[explore]\nwindow = "30ms"\npostponed = [60, 70]\ncrashed = [80]\n' >>late.toml
run 0 run late.toml --set workload.transactions=2 --out made
check "a run deviates where it is told" mentions made/run.json '"crash"'
check "and its scenario says so" says made/scenario.toml "postponed = [60, 70]"
run 2 run late.toml --set 'explore.postponed=[7, 7]'
check "events rise" mentions err "explore.postponed should rise from one event to the next"
run 2 run late.toml --set 'explore.crashed=[0]'
check "and begin with 1" mentions err "explore.crashed should list numbers of events, from 1"

# What ends early is not complete.
run 3 explore "$root/scenarios/smallbank.toml" --store --postponed 3 --timeout 1 --json
check "a time limit leaves it incomplete" mentions out '"complete":false,"incomplete":"--timeout"'

finish
