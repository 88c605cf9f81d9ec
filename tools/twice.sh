#!/bin/sh
# twice PROGRAM...: is a run a function of its scenario and seed alone?
#
# Every scenarios/*.toml is run by each of the programs (the same one, built by
# different compilers) with its own seed and with those of TWICE_SEEDS, JOBS
# runs at a time, and the trace hashes are compared. With TWICE_TRANSACTIONS
# clients stop after so many.
set -u

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints "scenario, seed, hash, program". An exit status of 1 or 3 is a verdict
# and no concern of ours: whatever a run found, it has a trace.
cat >"$work/run" <<'END'
scenario=$1 seed=$2 program=$3
set -- --set "check.checkers=[]" # whose verdict is no part of the trace
[ "$seed" = own ] || set -- "$@" --seed "$seed"
if [ -n "${TWICE_TRANSACTIONS-}" ] && grep -q '^transactions' "$scenario"; then
    set -- "$@" --set "workload.transactions=$TWICE_TRANSACTIONS"
fi
json=$("$program" run "$scenario" --json "$@" 2>&1)
hash=$(printf '%s\n' "$json" | grep -o '"trace": *"[0-9a-f]*"' | head -n 1 | cut -d '"' -f 4)
[ -n "$hash" ] || hash="no trace: $(printf '%s\n' "$json" | tail -n 1)"
printf '%s\t%s\t%s\t%s\n' "$scenario" "$seed" "$hash" "$program"
END

for scenario in scenarios/*.toml; do
    [ -e "$scenario" ] || continue
    for seed in own ${TWICE_SEEDS-1}; do
        for program in "$@"; do
            printf '%s\0' "$scenario" "$seed" "$program"
        done
    done
done | xargs -0 -r -n 3 -P "${JOBS:-1}" sh "$work/run" >"$work/results"

sort "$work/results" | awk -F '\t' -v builds="$#" '
    function close_seed() {
        if (!same) wrong = wrong lines
        lines = ""
        same = 1
    }
    function close_scenario() {
        close_seed()
        if (scenario == "") return
        scenarios++
        if (wrong == "")
            printf "ok - %s leaves the same trace in %d builds, with %d seeds\n",
                scenario, builds, seeds
        else {
            printf "not ok - %s depends on how it was compiled\n%s", scenario, wrong
            differ++
        }
        wrong = seed = ""
        seeds = 0
    }
    $1 != scenario { close_scenario(); scenario = $1 }
    $2 != seed { close_seed(); seed = $2; hash = $3; seeds++ }
    $3 != hash || $3 ~ /^no trace/ { same = 0 }
    { lines = lines sprintf("    seed %-6s %s  %s\n", $2, $3, $4) }
    END {
        close_scenario()
        if (!scenarios) { print "not ok - there is no scenario to run"; exit 1 }
        if (differ) printf "twice: %d of %d scenarios differ\n", differ, scenarios
        else printf "twice: %d scenarios, same trace hash in %d builds\n", scenarios, builds
        exit differ > 0
    }'
