#!/bin/sh
# run-tests COMMAND...: runs test programs, JOBS at a time, and adds them up.
#
# A command prints Unity's summary ("12 Tests 1 Failures 0 Ignored"), or lines
# "ok - sentence" and "not ok - sentence". One that prints neither, or fails
# without having said so (a crash, a leak, a time-out), counts as one failure.
# A program that passes is one line of output; one that does not is shown whole.
# Behind them stand the seconds that each part of the suite took, added over its
# programs, and the slowest programs. The last line is "N passed, N failed"; the
# exit status is 1 if any failed.
#
# TEST_SECONDS is the patience for one program.
set -u

seconds=${TEST_SECONDS:-900}
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_stack_use_after_return=1}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}"

judge() { # output, exit status: prints "passed failed ignored", by the output
    awk -v status="$2" '
        /^[0-9]+ Tests [0-9]+ Failures [0-9]+ Ignored/ {
            said = 1; passed += $1 - $3 - $5; failed += $3; ignored += $5
        }
        /^ok - / { said = 1; passed++ }
        /^not ok - / { said = 1; failed++ }
        END {
            if (!said || (status != 0 && !failed)) failed++
            print passed + 0, failed + 0, ignored + 0
        }' "$1"
}

run_one() { # the stem of the files of one command
    command=$(cat "$1.command")
    name=$(printf '%s\n' "$command" | sed 's/^\([A-Z_]*=[^ ]* *\)*//; s/ .*//')
    began=$(date +%s%3N)
    timeout -k 5 "$seconds" sh -c "$command" >"$1.out" 2>&1 </dev/null
    status=$?
    took=$(($(date +%s%3N) - began))
    printf '%s %s\n' "$took" "$name" >"$1.took"
    judge "$1.out" "$status" >"$1.count"
    read -r passed failed ignored <"$1.count"

    {
        if [ "$failed" -eq 0 ]; then
            printf '  ok    %-52s %5d %6d.%d s' "$name" "$passed" $((took / 1000)) $((took / 100 % 10))
            [ "$ignored" -eq 0 ] || printf ' (%d ignored)' "$ignored"
            printf '\n'
            sed -n 's/^# skipped/        &/p' "$1.out"
        else
            printf '  FAIL  %-52s %5d, %d failed' "$name" "$passed" "$failed"
            case $status in
                0 | 1) ;;
                124 | 137) printf ' (no end after %s s)' "$seconds" ;;
                *) printf ' (exit status %d)' "$status" ;;
            esac
            printf '\n'
            sed -e '/:PASS$/d' -e '/^ok - /d' -e 's/^/        /' "$1.out"
            printf '        again, alone: %s\n' "$command"
        fi
    } >"$1.report"
    flock "${1%/*}/lock" cat "$1.report"
}

if [ "${1:-}" = --one ]; then
    run_one "$2"
    exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=1000
for command in "$@"; do
    number=$((number + 1))
    printf '%s\n' "$command" >"$work/$number.command"
    echo "$work/$number"
done >"$work/list"
xargs -r -n 1 -P "${JOBS:-1}" "$0" --one <"$work/list"

# A part is a folder of tests, or of tools.
[ $# -lt 2 ] || cat "$work"/*.took | awk '
    {
        part = $2
        sub(/^.*\/tests\//, "tests/", part)
        sub(/\/[^\/]*$/, "", part)
        sum[part] += $1
    }
    END {
        for (part in sum)
            printf "  %7.1f s  %s\n", sum[part] / 1000, part | "sort -rn"
        close("sort -rn")
    }' | sed '1i\seconds of each part:'
[ $# -lt 20 ] || cat "$work"/*.took | sort -rn | head -n 5 |
    awk 'NR == 1 { print "the slowest:" } { printf "  %7.1f s  %s\n", $1 / 1000, $2 }'

cat "$work"/*.count 2>/dev/null | awk -v programs="$#" '
    { passed += $1; failed += $2 }
    END {
        failed += programs - NR # not even counted: never run
        printf "%d passed, %d failed\n", passed, failed
        exit failed > 0
    }'
