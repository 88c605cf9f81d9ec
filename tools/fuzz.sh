#!/bin/sh
# fuzz SECONDS TARGET...: fuzzes each target for so long, JOBS at a time, and prints a table at its end.
#
# A target starts from its committed corpus, tests/fuzz/corpus/NAME/, and from
# what earlier runs added in $BUILD/fuzz/corpus/NAME/. What breaks it is left
# in $BUILD/fuzz/findings/NAME/; to replay it, give it to the target.
#
# FUZZ_TIMEOUT (10): seconds on the clock after which one input hangs; more, on a busy machine.
#
# fuzz --minimise TARGET...: puts files of the grown corpus into the committed one, first that which reaches
# most that no other there reaches, up to FUZZ_CORPUS_FILES (12) and FUZZ_CORPUS_BYTES (12000) a target.
set -u

# What libFuzzer exits with when it is interrupted.
INTERRUPTED=72

# The lines of libFuzzer begin with a number and tell coverage: "#1024 REDUCE cov: 92 ft: 203 corp: 18/1Kb".
row() { # name, log, seconds of processors, findings
    awk -v name="$1" -v seconds="$3" -v findings="$4" '
        /^#[0-9]+/ {
            n = $1; sub(/^#/, "", n); if (n + 0 > runs) runs = n + 0
            for (i = 2; i < NF; i++) {
                if ($i == "cov:") edges = $(i + 1)
                if ($i == "ft:") features = $(i + 1)
                if ($i == "corp:") { split($(i + 1), corpus, "/"); files = corpus[1] }
            }
        }
        /^stat::number_of_executed_units:/ { runs = $2 }
        END { printf "%s %d %d %d %d %d %d\n", name, runs, edges, features, files, seconds, findings }' "$2"
}

# Of children, as `times` has it: "1m2.50s 0m0.10s". Behind a pipe it would tell of a shell without any.
processor_seconds() { # a file for it
    times >"$1"
    awk 'END { for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); sum += t[1] * 60 + t[2] }
        printf "%d", sum }' "$1"
}

fuzz_one() { # seconds, target
    name=${2##*/fuzz_}
    found=$BUILD/fuzz/findings/$name
    grown=$BUILD/fuzz/corpus/$name
    log=$BUILD/fuzz/$name.log
    mkdir -p "$found" "$grown"

    committed=tests/fuzz/corpus/$name
    set -- "$1" "$2" "$grown"
    [ ! -d "$committed" ] || set -- "$@" "$committed"
    seconds=$1 target=$2
    shift 2
    status=0
    "$target" -max_total_time="$seconds" -timeout="${FUZZ_TIMEOUT:-10}" -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$found/" "$@" >"$log" 2>&1 || status=$?
    [ $status -ne $INTERRUPTED ] || exit 255 # which ends xargs, too
    processor_seconds "$log.times" >"$log.seconds"
    row "$name" "$log" "$(cat "$log.seconds")" $((status != 0)) >"$BUILD/fuzz/$name.row"
    if [ $status -eq 0 ]; then
        printf 'ok - %s withstood %s s: %s\n' "$name" "$seconds" \
            "$(grep -a '^Done ' "$log" | tail -n 1)"
    else
        printf 'not ok - %s broke; %s says:\n' "$name" "$log"
        grep -a -m 1 -A 12 -E 'ERROR:|runtime error:|Assertion' "$log" | sed 's/^/    /'
        grep -a 'Test unit written to' "$log" | sed 's/^/    /'
        exit 1
    fi
}

minimise() { # target
    name=${1##*/fuzz_}
    committed=tests/fuzz/corpus/$name
    merged=$BUILD/fuzz/merged/$name
    rm -rf "$merged"
    mkdir -p "$committed" "$merged"
    # Those that are there stay, and what they reach needs no other file.
    "$1" -set_cover_merge=1 -timeout="${FUZZ_TIMEOUT:-10}" "$committed" "$BUILD/fuzz/corpus/$name" \
        >"$BUILD/fuzz/$name.merge" 2>&1
    # It has written all that is new, in order of what each adds.
    files=${FUZZ_CORPUS_FILES:-12} room=${FUZZ_CORPUS_BYTES:-12000}
    find "$committed" -type f -newer "$merged" -printf '%T@ %s %p\n' | sort -n | while read -r _ size file; do
        if [ "$files" -gt 0 ] && [ "$size" -le "$room" ]; then
            files=$((files - 1)) room=$((room - size))
        else
            rm "$file"
        fi
    done
    printf '%s: %s files, %s bytes\n' "$name" "$(find "$committed" -type f | wc -l)" \
        "$(cat "$committed"/* | wc -c)"
}

BUILD=${BUILD:-build}
# What libraries leak by themselves is no finding.
export LSAN_OPTIONS="${LSAN_OPTIONS:-suppressions=$(pwd)/tools/lsan.supp:print_suppressions=0}"
case $1 in
    --one)
        fuzz_one "$2" "$3"
        exit 0
        ;;
    --minimise)
        shift
        for target; do minimise "$target"; done
        exit 0
        ;;
esac

seconds=$1
shift
[ $# -gt 0 ] || { echo "fuzz: no targets yet"; exit 0; }
mkdir -p "$BUILD/fuzz"
rm -f "$BUILD"/fuzz/*.row
printf '%s\0' "$@" | xargs -0 -n 1 -P "${JOBS:-1}" "$0" --one "$seconds"
status=$?
awk '
    NR == 1 { printf "%-16s %12s %9s %9s %8s %8s %9s\n", "target", "executions", "edges", "features", "corpus", "seconds", "findings" }
    {
        printf "%-16s %12d %9d %9d %8d %8d %9d\n", $1, $2, $3, $4, $5, $6, $7
        runs += $2; seconds += $6; findings += $7
    }
    END {
        printf "fuzz: %d targets, %d executions, %d s of processors, %d findings\n", NR, runs, seconds, findings
    }' "$BUILD"/fuzz/*.row
exit $status
