#!/bin/sh
# golden PROGRAM [--renew]: does every run still leave the trace that it left before?
#
# Every scenario of scenarios/, scenarios/bugs/ and scenarios/outside/ is run with the seeds 1 to 3,
# JOBS runs at a time, and its trace hash is compared with tests/golden/traces. A change that is not
# meant to change runs must leave that file alone; one that is meant to renews it (`make golden`).
set -u
cd "$(dirname "$0")/.." || exit 2

program=$1
golden=tests/golden/traces
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/run" <<'END'
json=$("$1" run "$2" --seed "$3" --json --set "check.checkers=[]" 2>&1)
hash=$(printf '%s\n' "$json" | grep -o '"trace": *"[0-9a-f]*"' | head -n 1 | cut -d '"' -f 4)
printf '%s %s %s\n' "$2" "$3" "${hash:-no trace: $(printf '%s\n' "$json" | tail -n 1)}"
END

for scenario in scenarios/*.toml scenarios/bugs/*.toml scenarios/outside/*.toml; do
    for seed in 1 2 3; do
        printf '%s\0' "$program" "$scenario" "$seed"
    done
done | xargs -0 -n 3 -P "${JOBS:-1}" sh "$work/run" | LC_ALL=C sort >"$work/traces"

if grep 'no trace' "$work/traces"; then
    echo "not ok - every run leaves a trace"
    exit 1
fi
if [ "${2-}" = --renew ]; then
    cp "$work/traces" "$golden"
    echo "$golden: $(wc -l <"$golden") traces"
elif diff "$golden" "$work/traces" >"$work/changes"; then
    echo "ok - $(wc -l <"$golden") runs leave the traces in $golden"
else
    sed -n 's/^[<>]/    &/p' "$work/changes" | head -n 40
    echo "    If runs were meant to change, renew the file: make golden"
    echo "not ok - runs leave the traces in $golden"
    exit 1
fi
