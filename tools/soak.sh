#!/bin/sh
# soak PART...: works towards what docs/reliability.md says that is tried, and writes down how far it came.
#
#     tools/soak.sh table                 what the ledger says, by part
#     tools/soak.sh damaged clean kills   a piece of each in turn, until all have reached their goals
#     tools/soak.sh controls              a piece of each control in turn; controls:NAME is one of them
#     tools/soak.sh once NAME COMMAND     a command that need not pass twice with the same commit; it exits
#                                         with 77 where it cannot be tried, which is not written down
#     tools/soak.sh sample                a little of the first and of hostile files, for `make check`
#
# Parts: damaged (files), clean (runs), kills, oom (commands, all allocations of which fail), hostile (shapes), fuzz (seconds),
# audits (tiny logs, compared with the brute force at each level), controls (minutes of each scenario in scenarios/databases/controls; a database that is not there is left out).
#
# The ledger, docs/soak.ledger, has a line for each piece that was done:
#
#     2026-11-19T13:40Z a3f09c2e11d4 damaged 20000 5000 0 61
#
# the time, the commit, the part, the first number of its piece, how many there were, how many findings,
# and the seconds that it took. Whoever stops this loses the piece that was being done, and nothing else: the
# next piece begins behind the last in the ledger. What a finding needs to be seen again is kept in
# $BUILD/soak/findings.
#
# SOAK_PERCENT: how much of the goals is wanted (100). SOAK_SECONDS: no piece is begun after so many.
# SOAK_FUZZ_SECONDS: of a piece of fuzzing, which is one target (60).
set -u
cd "$(dirname "$0")/.." || exit 2

BUILD=${BUILD:-build}
ledger=${SOAK_LEDGER:-docs/soak.ledger}
ordeal=$(pwd)/$BUILD/release/ordeal
hostile=$(pwd)/$BUILD/release/hostile
soak=$(pwd)/$BUILD/soak
commit=$(git rev-parse --short=12 HEAD 2>/dev/null || echo none)
began=$(date +%s)
found=0
mkdir -p "$soak/findings"
# Files that are tried. There are many small ones, which a disk would only make slow, and some large ones.
fast=$(mktemp -d /dev/shm/ordeal-soak.XXXXXX 2>/dev/null || mktemp -d)
large=$(mktemp -d "$soak/large.XXXXXX")
trap 'rm -rf "$fast" "$large"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

goal() { # part
    case $1 in
        damaged) full=1000000 ;;
        clean) full=100000 ;;
        kills) full=10000 ;;
        hostile) full=92 ;;
        oom) full=46 ;;
        fuzz) full=86400 ;;
        audits) full=100000 ;;
        controls:*) full=60 ;;
        *) echo "soak: there is no part $1" >&2; exit 2 ;;
    esac
    echo $((full * ${SOAK_PERCENT:-100} / 100))
}

reached() { # part: how many of it, and where the next piece begins
    [ -e "$ledger" ] || { echo 0; return; }
    awk -v part="$1" '$3 == part { sum += $5 } END { print sum + 0 }' "$ledger"
}

note() { # part, first, count, findings, when it began
    printf '%s %s %s %s %s %s %s\n' "$(date -u +%Y-%m-%dT%H:%MZ)" "$commit" "$1" "$2" "$3" "$4" \
        $(($(date +%s) - $5)) >>"$ledger"
    found=$((found + $4))
    printf 'soak: %s: %s more, %s in all of %s, %s findings\n' "$1" "$3" "$(reached "$1")" "$(goal "$1")" "$4"
}

# Of real databases, which must stay clean.
controls() {
    for file in scenarios/databases/controls/*.toml; do echo "controls:$(basename "$file" .toml)"; done
}

table() {
    [ -e "$ledger" ] || { echo "soak: there is no $ledger"; return; }
    awk '
        { part = $3; sub(/^controls:.*/, "controls", part) }
        { count[part] += $5; findings[part] += $6; seconds[part] += $7 }
        END {
            split("damaged clean kills hostile oom fuzz audits controls", parts)
            split("damaged files|clean runs|kills|hostile shapes|commands whose allocations fail|seconds of fuzzing|tiny logs audited|minutes of real databases", names, "|")
            split("1000000 100000 10000 92 46 86400 100000 " 60 * '"$(controls | wc -l)"', goals)
            print "| what | reached | goal | findings | seconds |"
            print "|---|---|---|---|---|"
            for (i = 1; i <= 8; i++) {
                part = parts[i]
                printf "| %s | %d | %d | %d | %d |\n", names[i], count[part], goals[i], findings[part], seconds[part]
            }
        }' "$ledger"
}

# --- Damaged files ------------------------------------------------------------------------------------

# Small good files of every kind that is read. The name before the first point is that of the history.
samples() {
    into=$soak/samples
    [ ! -e "$into/.whole" ] || return 0
    rm -rf "$into"
    mkdir -p "$into"
    for format in jsonl oh plume dbcop jepsen-edn jepsen-json isopredict; do
        "$ordeal" generate rw-mix --transactions 20 --sessions 3 --keys 5 --seed 1 -o - 2>/dev/null |
            "$ordeal" convert - --to "$format" -o "$into/items-$format.history" >/dev/null 2>&1
        "$ordeal" generate list-append --transactions 20 --sessions 3 --keys 3 --seed 2 -o - 2>/dev/null |
            "$ordeal" convert - --to "$format" -o "$into/lists-$format.history" >/dev/null 2>&1
        "$ordeal" generate predicate-mix --transactions 12 --sessions 3 --predicates 50 --seed 3 -o - 2>/dev/null |
            "$ordeal" convert - --to "$format" -o "$into/rows-$format.history" >/dev/null 2>&1
    done
    "$ordeal" generate rw-mix --transactions 40 --keys 5 --seed 4 -o "$into/packed.jsonl.zst" >/dev/null
    "$ordeal" generate rw-mix --transactions 40 --keys 5 --seed 5 -o "$into/packed.oh.zst" >/dev/null
    mv "$into/packed.jsonl.zst" "$into/packed-jsonl.history"
    mv "$into/packed.oh.zst" "$into/packed-oh.history"
    for name in awdit-test chronos.json dbcop.json porcupine.log viper.json jepsen.edn; do
        cp "tests/fuzz/corpus/foreign/$name" "$into/$(echo "$name" | tr . -).history"
    done
    # Of an invalid history too: its witness has anomalies.
    "$ordeal" generate rw-mix --transactions 30 --keys 5 --seed 6 --plant G-single -o "$into/planted.jsonl" >/dev/null
    mv "$into/planted.jsonl" "$into/planted.history"
    rm -f "$into/planted.jsonl.planted.json"
    for stem in items-jsonl lists-jsonl rows-jsonl planted; do
        for checker in order certificate blackbox weak infer interval; do
            level=serializable
            [ $checker != weak ] || level=causal
            "$ordeal" check "$into/$stem.history" --checker $checker --level $level \
                --witness "$into/$stem.$checker.witness" >/dev/null 2>&1
        done
    done
    cp tests/fuzz/corpus/profile/whole "$into/items-jsonl.whole.profile"
    for file in scenarios/programs/bank.sql scenarios/programs/smallbank.sql scenarios/programs/voter.sql; do
        cp "$file" "$into/$(basename "$file" .sql).program"
    done
    for name in smallbank voter; do
        "$ordeal" run "scenarios/$name.toml" --set workload.transactions=20 --set workload.sessions=3 \
            --audit-log "$into/$name.log" >/dev/null 2>&1
    done
    for file in scenarios/swarm.toml scenarios/bank-under-partition.toml scenarios/ping.toml \
        scenarios/disk-trouble.toml scenarios/causal-everything.toml; do
        {
            sed 's/^transactions = .*/transactions = 20/; s/^duration = .*/duration = "2s"/' "$file"
            printf '\n[limits]\nevents = 30_000\n'
        } >"$into/$(basename "$file" .toml).scenario"
    done
    "$ordeal" sweep scenarios/ping.toml --seeds 1..3 -j 1 --out "$soak/sweep" --resume >/dev/null 2>&1
    cp "$soak/sweep/journal" "$into/sweep.journal"
    rm -rf "$soak/sweep"
    find "$into" -size 0 -delete
    touch "$into/.whole"
}

damaged() {
    samples
    first=$(reached damaged) at=$(date +%s)
    TMPDIR=$fast HOSTILE_KEEP=$soak/findings "$hostile" damaged "$ordeal" "$soak/samples" "$first" 10000 >"$soak/damaged.log" 2>&1
    [ $? -ne 2 ] || { cat "$soak/damaged.log"; exit 2; }
    grep -a '^not ok' "$soak/damaged.log"
    grep -a '^not ok' -A 1 "$soak/damaged.log" >>"$soak/findings/log"
    note damaged "$first" 10000 "$(grep -ac '^not ok - [0-9]*-' "$soak/damaged.log")" "$at"
}

# --- Clean runs -----------------------------------------------------------------------------------------

# Seeds that `make check` and `prove` do not use. A run is a finding if somebody accuses it.
clean() {
    first=$(reached clean) at=$(date +%s)
    "$ordeal" sweep scenarios/swarm.toml --seeds $((7000000 + first))..$((7000000 + first + 499)) -j "${JOBS:-1}" \
        --json >"$soak/clean.json" 2>"$soak/clean.log"
    failed=$(sed -n 's/.*"failed":\([0-9]*\),.*/\1/p' "$soak/clean.json")
    runs=$(sed -n 's/.*"runs":\([0-9]*\),"missing".*/\1/p' "$soak/clean.json")
    [ -n "$failed" ] && [ "$runs" = 500 ] || { cat "$soak/clean.log"; exit 2; }
    [ "$failed" -eq 0 ] || { cp "$soak/clean.json" "$soak/findings/clean-$first.json"; cat "$soak/clean.json"; }
    note clean "$first" 500 "$failed" "$at"
}

# --- Kills ----------------------------------------------------------------------------------------------

# What a sweep says, but for how long it took and which jobs it tried again.
timeless() {
    sed 's/"seconds":[0-9.]*,"runs_per_second":[0-9.]*,//; s/"tried_again":[0-9]*,//' "$1"
}

# A moment in seconds, by the number of the kill.
moment() { # number, longest in milliseconds
    awk -v n="$1" -v longest="$2" 'BEGIN { srand(n); rand(); printf "%.3f", (1 + rand() * longest) / 1000 }'
}

# killed NUMBER LONGEST COMMAND...: whether the command was killed before it ended.
killed() {
    wait_for=$(moment "$1" "$2")
    shift 2
    timeout -s KILL "$wait_for" "$@" >/dev/null 2>&1
    [ $? -eq 137 ]
}

# A worker of a sweep is killed, as the machine does that runs out of memory.
worker_killed() { # number, longest, command
    wait_for=$(moment "$1" "$2")
    shift 2
    "$@" >/dev/null 2>&1 &
    sweep=$!
    sleep "$wait_for"
    worker=$(pgrep -P $sweep | head -n 1)
    [ -n "$worker" ] && kill -9 "$worker" 2>/dev/null
    is_killed=$?
    wait $sweep
    return $is_killed
}

# Whether the sweep in $room/sweep says what the one that was not killed said; and each run is there once.
compare_sweeps() { # number of the kill
    timeless "$room/sweep/sweep.json" >"$room/a"
    timeless "$room/whole/sweep.json" >"$room/b"
    cmp -s "$room/a" "$room/b" || {
        kill_finding "kill $1: a sweep that was killed says something else, seeds $seeds"
        cp "$room/sweep/journal" "$soak/findings/kill-$1.journal"
        cp "$room/a" "$soak/findings/kill-$1.json"
    }
    sed -n 's/^[0-9a-f]* run .*{"seed":\([0-9]*\),.*/\1/p' "$room/sweep/journal" | sort -n >"$room/c"
    [ "$(wc -l <"$room/c")" -eq 30 ] && [ -z "$(uniq -d "$room/c")" ] ||
        kill_finding "kill $1: runs are lost or repeated"
    rm -rf "$room/sweep"
}

kill_finding() {
    echo "not ok - $*" | tee -a "$soak/findings/log"
    bad=$((bad + 1))
}

# A sweep that is killed and resumed until it ends, or whose worker is killed, says what one says that was not; a
# run and a conversion appear whole or not at all.
kills() {
    first=$(reached kills) at=$(date +%s)
    number=$first bad=0 room=$soak/kills
    rm -rf "$room"
    mkdir -p "$room"
    seeds=$((first + 1))..$((first + 30))
    "$ordeal" sweep scenarios/swarm.toml --seeds $seeds -j 2 --out "$room/whole" >/dev/null 2>&1
    "$ordeal" generate list-append --transactions 20000 --seed "$first" -o "$room/whole.jsonl" >/dev/null 2>&1
    "$ordeal" convert "$room/whole.jsonl" --to oh -o "$room/whole.oh" >/dev/null 2>&1
    "$ordeal" run scenarios/list-append.toml --set workload.transactions=2000 --seed "$first" --out "$room/run" \
        >/dev/null 2>&1
    tries=0
    while [ $((number - first)) -lt 50 ] && [ $tries -lt 500 ]; do
        tries=$((tries + 1))
        case $((tries % 5)) in
            0)
                ! killed $number 60 "$ordeal" convert "$room/whole.jsonl" --to oh -o "$room/part.oh" ||
                    number=$((number + 1))
                [ ! -e "$room/part.oh" ] || cmp -s "$room/part.oh" "$room/whole.oh" ||
                    kill_finding "kill $number: half a history is left"
                rm -f "$room/part.oh"
                ;;
            1)
                ! killed $number 300 "$ordeal" run scenarios/list-append.toml --set workload.transactions=2000 \
                    --seed "$first" --out "$room/part" || number=$((number + 1))
                if [ -e "$room/part" ]; then
                    for file in scenario.toml history.jsonl; do
                        cmp -s "$room/part/$file" "$room/run/$file" ||
                            kill_finding "kill $number: a folder is there without its $file"
                    done
                fi
                rm -rf "$room/part"
                ;;
            2)
                if worker_killed $number 100 "$ordeal" sweep scenarios/swarm.toml --seeds $seeds -j 2 \
                    --out "$room/sweep" --resume; then
                    number=$((number + 1))
                fi
                compare_sweeps $number
                ;;
            *)
                if killed $number 250 "$ordeal" sweep scenarios/swarm.toml --seeds $seeds -j 2 --out "$room/sweep" \
                    --resume; then
                    number=$((number + 1))
                else
                    compare_sweeps $number
                fi
                ;;
        esac
    done
    rm -rf "$room"
    [ "$number" -gt "$first" ] || kill_finding "nothing could be killed"
    note kills "$first" $((number - first)) "$bad" "$at"
}

# --- Hostile files --------------------------------------------------------------------------------------

# One shape at its whole size, to all that read it.
hostile() {
    first=$(reached hostile) at=$(date +%s)
    name=$("$hostile" list | awk -v n="$first" '{ line[NR - 1] = $1 } END { print line[n % NR] }')
    TMPDIR=$large HOSTILE_KEEP=$soak/findings "$hostile" shapes "$ordeal" 100 "$name" >"$soak/hostile.log" 2>&1
    [ $? -ne 2 ] || { cat "$soak/hostile.log"; exit 2; }
    grep -a '^not ok' "$soak/hostile.log" | tee -a "$soak/findings/log"
    note hostile "$first" 1 "$(grep -ac "^not ok - $name: " "$soak/hostile.log")" "$at"
}

# --- Allocations that fail ------------------------------------------------------------------------------

# All allocations of one command.
oom() {
    first=$(reached oom) at=$(date +%s)
    name=$(tests/tools/oom.sh list | awk -v n="$first" '{ line[NR - 1] = $1 } END { print line[n % NR] }')
    ORDEAL_SOAK=1 ORDEAL=$ordeal FAILING=$(pwd)/$BUILD/failing.so tests/tools/oom.sh "$name" >"$soak/oom.log" 2>&1
    grep -aq '^ok\|^not ok' "$soak/oom.log" || { cat "$soak/oom.log"; exit 2; }
    grep -a '^not ok' -B 40 "$soak/oom.log" | tee -a "$soak/findings/log"
    note oom "$first" 1 "$(grep -ac '^not ok' "$soak/oom.log")" "$at"
}

# --- Fuzzing --------------------------------------------------------------------------------------------

# Of the targets, the one that was fuzzed least here; of several, the one with the smallest corpus.
next_target() {
    for target in "$BUILD"/fuzz/tests/fuzz/fuzz_*; do
        name=${target##*/fuzz_}
        case $name in *.*) continue ;; esac
        printf '%s %s %s\n' "$(cat "$soak/fuzz/$name" 2>/dev/null || echo 0)" \
            "$(cat tests/fuzz/corpus/"$name"/* 2>/dev/null | wc -c)" "$target"
    done | sort -n | head -n 1
}

fuzz() {
    first=$(reached fuzz) at=$(date +%s) wanted=${SOAK_FUZZ_SECONDS:-60}
    mkdir -p "$soak/fuzz"
    next=$(next_target)
    target=${next##* } spent=${next%% *}
    [ -x "$target" ] || { echo "soak: there are no fuzz targets: make fuzz"; exit 2; }
    # An input hangs by the clock, on which others may be at work, too.
    FUZZ_TIMEOUT=${FUZZ_TIMEOUT:-60} JOBS=1 BUILD=$BUILD tools/fuzz.sh "$wanted" "$target" >"$soak/fuzz.log" 2>&1
    echo $((spent + wanted)) >"$soak/fuzz/${target##*/fuzz_}"
    cat "$soak/fuzz.log"
    [ "$(grep -ac '^not ok' "$soak/fuzz.log")" -eq 0 ] || cat "$soak/fuzz.log" >>"$soak/findings/log"
    note fuzz "$first" "$(sed -n 's/^fuzz: .* \([0-9]*\) s of processors.*/\1/p' "$soak/fuzz.log")" \
        "$(grep -ac '^not ok' "$soak/fuzz.log")" "$at"
}

# --- Audits ---------------------------------------------------------------------------------------------

# As many tiny logs as the test draws from one seed; make check has the seed 1.
audits() {
    first=$(reached audits) at=$(date +%s) logs=12500
    TINY_SEED=$((1000 + first / logs)) ORDEAL_SOAK=1 "$BUILD/release/tests/audit/test_tiny_audit" >"$soak/audits.log" 2>&1
    grep -aq ' Tests ' "$soak/audits.log" || { cat "$soak/audits.log"; exit 2; }
    bad=$(grep -ac ':FAIL' "$soak/audits.log")
    [ "$bad" -eq 0 ] || tee -a "$soak/findings/log" <"$soak/audits.log"
    note audits "$first" $logs "$bad" "$at"
}

# --- Controls -------------------------------------------------------------------------------------------

# Two minutes of one control, at a rate that leaves others something of the machine. What is inconclusive or cannot
# be had is not counted.
control() { # part
    first=$(reached "$1") at=$(date +%s) name=${1#controls:} bad=0
    "$ordeal" run "scenarios/databases/controls/$name.toml" --seed "$first" --set workload.duration=2m \
        --set workload.transactions=1_000_000 --set database.rate=500 --memory 4G --timeout 900 \
        --out "$soak/control-$name" --force >"$soak/control-$name.log" 2>&1
    case $? in
        0) ;;
        1) bad=1 ;;
        *) cat "$soak/control-$name.log"; return ;;
    esac
    if [ $bad -eq 1 ]; then
        cat "$soak/control-$name.log"
        mv "$soak/control-$name" "$soak/findings/control-$name-$first"
    fi
    note "$1" "$first" 2 $bad "$at"
}

# --- All of them ------------------------------------------------------------------------------------------

case ${1:-table} in
    table) table; exit 0 ;;
    sample)
        samples
        TMPDIR=$fast "$hostile" damaged "$ordeal" "$soak/samples" 900000000 1000 &&
            TMPDIR=$large "$hostile" shapes "$ordeal" 1
        exit
        ;;
    once)
        name=$2 at=$(date +%s)
        shift 2
        if [ -e "$ledger" ] && grep -q "^[^ ]* $commit once:$name " "$ledger"; then
            echo "soak: $name passed with $commit"
            exit 0
        fi
        status=0
        "$@" || status=$?
        [ $status -ne 77 ] || exit 0 # it cannot be tried here, and said why
        [ $status -eq 0 ] || exit 1
        printf '%s %s once:%s 0 1 0 %s\n' "$(date -u +%Y-%m-%dT%H:%MZ)" "$commit" "$name" $(($(date +%s) - at)) >>"$ledger"
        exit 0
        ;;
esac

# shellcheck disable=SC2046
set -- $(for part; do if [ "$part" = controls ]; then controls; else echo "$part"; fi; done)
for part; do goal "$part" >/dev/null || exit 2; done
busy=1
while [ $busy -eq 1 ]; do
    busy=0
    for part; do
        [ "$(reached "$part")" -lt "$(goal "$part")" ] || continue
        [ -z "${SOAK_SECONDS:-}" ] || [ $(($(date +%s) - began)) -lt "$SOAK_SECONDS" ] || continue
        before=$(reached "$part")
        case $part in
            controls:*) control "$part" ;;
            *) "$part" ;;
        esac
        [ "$(reached "$part")" -eq "$before" ] || busy=1
    done
done
table
[ $found -eq 0 ]
