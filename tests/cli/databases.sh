#!/bin/sh
# Scenarios with [database]: the same file on the simulated world and on a real database, run and swept.
. "$(dirname "$0")/helpers"

cat >bank.toml <<'END'
name = "a bank"
seed = 3

[network]
latency = "2ms"

[workload]
kind = "bank"
sessions = 4
transactions = 300
think = "1ms"
timeout = "400ms"

[[invariant]]
query = "SELECT sum(balance) FROM accounts"
equals = 1000
END

run 0 run bank.toml
check "the file runs on the simulated world" mentions out "simulated  "
run 0 run bank.toml --set database.kind=sqlite --out kept
check "and on a real database" mentions out "database   SQLite"
check "with the same invariants" mentions out "verdict    VALID"
check "what is of the simulated world is named" mentions out "unused     network, workload.think: of the simulated world alone"
check "the usual value of a setting says nothing" sh -c '! grep -q workload.timeout out'
check "the folder has the scenario" mentions kept/scenario.toml 'kind = "sqlite"'
check "without what it does not use" sh -c '! grep -q "\[cluster\]" kept/scenario.toml'
check "and the history" test -s kept/history.jsonl
run 0 run kept/scenario.toml
check "which runs again" mentions out "database   SQLite"
run 1 run bank.toml --set database.kind=sqlite --set invariant.0.equals=7
check "an invariant that does not hold is found in the database" mentions out "gives 1000, not 7"
run 0 run bank.toml --set database.kind=sqlite --set check.checkers='["infer"]'
check "the checkers are those of the scenario" sh -c '! grep -q "interval " out'

# --- Sweeps -----------------------------------------------------------------------

run 0 sweep bank.toml --seeds 1..3 --set database.kind=sqlite
check "a sweep says that its runs cannot be repeated" mentions out "database   sqlite: its runs cannot be repeated"
check "and runs each seed" mentions out "3 runs   "
run 1 sweep bank.toml --seeds 1..2 --set database.kind=sqlite --set invariant.0.equals=7 --out swept
check "a failure is not repeated but kept" mentions out "history: swept/bank-1.jsonl"
run 0 check swept/bank-1.jsonl
check "as a history like any other" mentions out VALID
run 2 sweep bank.toml --seeds 1..2 --guided --set database.kind=sqlite
check "no guide leads a real database" mentions err "not with [database]"

# --- What is refused --------------------------------------------------------------

refused() { # words, then the settings
    words=$1
    shift
    run 2 run bank.toml "$@"
    check "refused: $words" mentions err "$words"
}
refused "there is no database" --set database.kind=oracle
refused "database.kind is missing" --set database.topology=wal
refused "cannot be asked for" --set database.kind=sqlite --set database.isolation=snapshot
refused "has no topology" --set database.kind=sqlite --set database.topology=ring
refused "the order of SQLite cannot be recovered" --set database.kind=sqlite --set database.certificate=true
refused "SQLite has no settings" --set database.kind=sqlite --set 'database.settings=["a=b"]'
refused "no server to kill" --set database.kind=sqlite --set nemesis.0.kind=crash --set nemesis.0.every=1s
refused "not with [database]" --set database.kind=sqlite --set 'swarm.kinds=["crash"]'
refused "--twice is for the simulated world" --set database.kind=sqlite --twice
printf 'name = "p"\n[database]\nkind = "sqlite"\n[workload]\nkind = "ping"\n' >ping.toml
run 2 run ping.toml
check "a database answers no pings" mentions err "one of the workloads"
run 2 bisect bank.toml --set database.kind=sqlite
check "no bisection of what cannot be repeated" mentions err "cannot be repeated"

for file in "$root"/scenarios/databases/*.toml; do
    check "$(basename "$file") says how often its violation is found" grep -q '^# Rate: [0-9]* of [0-9]* seeds' "$file"
    check "and what its control is" grep -q '^# Control' "$file"
    run 2 bisect "$file"
    check "$(basename "$file") can be read" mentions err "cannot be repeated"
done
finish
