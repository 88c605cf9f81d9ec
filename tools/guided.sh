#!/bin/sh
# guided [BUG...]: how many runs of the shipped swarm it takes until a bug is caught, plainly and
# guided, as a section of docs/matrix.md on standard output.
#
# Of each bug the swarm draws the protocol, among those that have it. RUNS is the most that is
# tried, BEGINNINGS are the first seeds of the sweeps. The first 32 runs of a guided sweep are those of
# the plain one: where that has caught the bug by then, both say the same, and one is run.
# EXTRA is one more setting, such as check.checkers=["order"]. With the name "-" no bug is
# switched on: for a program in which one was planted.
set -eu
: "${ORDEAL:=./ordeal}" "${SCENARIO:=scenarios/swarm.toml}" "${RUNS:=128}"
: "${BEGINNINGS:=1 100001 200001 300001 400001}" "${JOBS:=2}" "${EXTRA:=}" "${LABEL:=planted}"
lag=32

# shellcheck disable=SC2046 # names have no blanks
[ $# -gt 0 ] || set -- $("$ORDEAL" list bugs --json | tr '{' '\n' | sed -n 's/^"name":"\([^"]*\)".*/\1/p')

# wait_for BUG BEGINNING RUNS [--guided]: runs to the first catch, or "never".
wait_for() {
    bug=$1 first=$2 last=$(($2 + $3 - 1))
    shift 3
    [ "$bug" = - ] || set -- "$@" --set "cluster.bugs=[\"$bug\"]"
    [ -z "$EXTRA" ] || set -- "$@" --set "$EXTRA"
    answer=$("$ORDEAL" sweep "$SCENARIO" --seeds "$first..$last" --until-failure -j "$JOBS" --json "$@") ||
        [ $? -ne 2 ] || exit 2
    case $answer in
    *'"failed":0,'*) echo never ;;
    *) printf '%s\n' "$answer" | sed 's/.*"runs":\([0-9]*\),"missing".*/\1/' ;;
    esac
}

# summary NUMBER...: the median and the ninetieth percentile, the smallest numbers that as many have.
summary() {
    printf '%s\n' "$@" | sed "s/never/999999999/" | sort -n | awk -v runs="$RUNS" '
        { at[NR] = $1 }
        function shown(n) { return n == 999999999 ? ">" runs : n }
        function place(percent) { p = int((NR * percent + 99) / 100); return p < 1 ? 1 : p }
        END { print shown(at[place(50)]) ", " shown(at[place(90)]) }'
}

cat <<END
## Guided sweeps

How many runs of \`$SCENARIO\` it takes until a bug is caught, by a plain sweep and by one with \`--guided\`: the median and the
ninetieth percentile, over sweeps that begin at the seeds $(echo "$BEGINNINGS" | sed 's/ /, /g'). \`>$RUNS\`: not
within the $RUNS runs that each was given. This is the shipped swarm, which knows of no bug, and not the bug's own scenario.
Made by \`make guided\`${EXTRA:+ with \`$EXTRA\`}. The first $lag runs of a guided sweep are those of the plain one, so that
the two differ only where a bug takes more.

| bug | plain | guided |
|---|---|---|
END
for bug; do
    plain="" guided=""
    for first in $BEGINNINGS; do
        of_plain=$(wait_for "$bug" "$first" "$RUNS")
        of_guided=$of_plain
        [ "$of_plain" != never ] && [ "$of_plain" -le $lag ] ||
            of_guided=$(wait_for "$bug" "$first" "$RUNS" --guided)
        plain="$plain $of_plain" guided="$guided $of_guided"
        echo "$bug $first: plain $of_plain, guided $of_guided" >&2
    done
    if [ "$bug" = - ]; then name="$LABEL"; else name="\`$bug\`"; fi
    # shellcheck disable=SC2086 # numbers
    echo "| $name | $(summary $plain) | $(summary $guided) |"
done
