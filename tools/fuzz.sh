#!/bin/sh
# fuzz SECONDS TARGET...: fuzzes each target for so long, JOBS at a time.
#
# A target starts from its committed corpus, tests/fuzz/corpus/NAME/, and from
# what earlier runs added in $BUILD/fuzz/corpus/NAME/. What breaks it is left
# in $BUILD/fuzz/findings/NAME/; to replay it, give it to the target.
set -u

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
    if "$target" -max_total_time="$seconds" -timeout=10 -artifact_prefix="$found/" \
        "$@" >"$log" 2>&1; then
        printf 'ok - %s withstood %s s: %s\n' "$name" "$seconds" \
            "$(grep -a '^Done ' "$log" | tail -n 1)"
    else
        printf 'not ok - %s broke; %s says:\n' "$name" "$log"
        grep -a -m 1 -A 12 -E 'ERROR:|runtime error:|Assertion' "$log" | sed 's/^/    /'
        grep -a 'Test unit written to' "$log" | sed 's/^/    /'
        exit 1
    fi
}

BUILD=${BUILD:-build}
if [ "$1" = --one ]; then
    fuzz_one "$2" "$3"
    exit 0
fi

seconds=$1
shift
[ $# -gt 0 ] || { echo "fuzz: no targets yet"; exit 0; }
printf '%s\0' "$@" | xargs -0 -n 1 -P "${JOBS:-1}" "$0" --one "$seconds"
