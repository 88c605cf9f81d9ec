#!/bin/sh
# scenarios: every scenario that ships is valid, commits most of what it tries, and feels its faults.
. "$(dirname "$0")/helpers"

# How many seeds: each scenario's own, and with ORDEAL_SOAK a hundred more.
last=0
[ -z "${ORDEAL_SOAK-}" ] || last=100
number() { grep -o "\"$2\":[0-9]*" "$1" | cut -d : -f 2; }
# asked FILE: how many transactions the scenario asks for.
asked() { sed -n 's/_//g; s/^transactions = //p' "$1"; }
# is_felt SCENARIO: whether none of its nemeses was left out; a swarm draws some that are.
is_felt() {
    case $1 in
        */swarm.toml | */disk-trouble.toml) return 0 ;;
        *) mentions out '"unfelt":[]' ;;
    esac
}

judge() { # SCENARIO NAME ARGUMENT...: one run
    scenario=$1 name=$2
    shift 2
    run 0 run "$scenario" --json "$@" || { sed 's/^/    /' out; return; }
    check "$name is valid" mentions out '"verdict":"valid"'
    [ $# -eq 0 ] || return
    check "$name feels its faults" is_felt "$scenario"
    wanted=$(asked "$scenario")
    [ -n "$wanted" ] || return
    check "$name commits two thirds at least" \
        test "$(number out committed)" -ge $((wanted * 2 / 3))
}

count=0
for scenario in "$root"/scenarios/*.toml; do
    name=${scenario##*/}
    count=$((count + 1))
    judge "$scenario" "$name"
    seed=0
    while [ $((seed += 1)) -le $last ]; do
        judge "$scenario" "$name with seed $seed" --seed $seed
    done
done
check "there are two dozen of them" test $count -ge 24

cat "$root"/scenarios/*.toml >all
for protocol in $("$ORDEAL" list protocols | cut -d ' ' -f 1); do
    check "one is of $protocol" mentions all "protocol = \"$protocol\""
done
for workload in $("$ORDEAL" list workloads | awk '$2 == "run" { print $1 }'); do
    check "one runs $workload" mentions all "kind = \"$workload\""
done

# Those for predictions run on the directed store as well. At read-committed all of them can go wrong: with one of a
# few seeds at least, something is predicted that happens when it is executed.
for scenario in "$root"/scenarios/predict/*.toml; do
    name=predict/${scenario##*/}
    judge "$scenario" "$name"
    happened=0
    for seed in 1 2 3; do
        rm -rf observed
        run 0 run "$scenario" --seed $seed --director latest --out observed
        "$ORDEAL" predict observed/history.jsonl --program observed/scenario.toml --level read-committed \
            --strategy approx-relaxed --validate --json >out 2>err
        case $? in
            0 | 3) ;;
            1) happened=$((happened + 1)) ;;
            *) verdict 1 "what is predicted from $name with seed $seed" && sed 's/^/    /' err ;;
        esac
    done
    check "$name has predictions that happen" test $happened -gt 0
done

# Outside the fault model a store may do anything, so long as it is said.
for scenario in "$root"/scenarios/outside/*.toml; do
    name=${scenario##*/}
    broken=0
    for seed in 1 2 3; do
        "$ORDEAL" run "$scenario" --seed $seed >out 2>err
        case $? in
            0) ;;
            1) broken=$((broken + 1)) ;;
            *) verdict 1 "$name runs with seed $seed" && sed 's/^/    /' err ;;
        esac
    done
    check "$name breaks the store" test $broken -gt 0
    grep -q '"bit-rot"' "$scenario" && continue # which may stay inside, on a minority
    grep -v '^outside = true' "$scenario" >inside.toml
    run 2 run inside.toml
    check "$name must say that it is outside" mentions err "it needs outside = true"
done

finish
