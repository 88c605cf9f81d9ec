#!/bin/sh
# The ledger of the soak is what it should be, and docs/reliability.md quotes it.
set -u

ledger=docs/soak.ledger
if grep -vEq '^20[0-9-]{8}T[0-9:]{5}Z [0-9a-f]{7,12} [a-z0-9:-]+ [0-9]+ [0-9]+ [0-9]+ [0-9]+$' "$ledger"; then
    echo "not ok - a line of the ledger is a time, a commit, a part, where it began, how many, findings, seconds"
else
    echo "ok - a line of the ledger is a time, a commit, a part, where it began, how many, findings, seconds"
fi

# A piece begins where those before it ended: nothing is counted twice.
gap=$(awk '$3 !~ /^once:/ { if ($4 != sum[$3] + 0) print NR; sum[$3] += $5 }' "$ledger")
[ -z "$gap" ] || { echo "not ok - pieces follow each other; not in line $gap"; exit 1; }
echo "ok - pieces follow each other"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tools/soak.sh table >"$work/table"
sed -n '/^| what | reached |/,/^$/p' docs/reliability.md | sed '/^$/d' >"$work/quoted"
if cmp -s "$work/table" "$work/quoted"; then
    echo "ok - docs/reliability.md quotes the ledger"
else
    diff "$work/table" "$work/quoted"
    echo "not ok - docs/reliability.md quotes the ledger"
fi

# The fuzz targets and the shapes that the page counts are those that there are.
for source in tests/fuzz/fuzz_*.c; do basename "$source" .c; done | sed 's/^fuzz_//' | sort >"$work/targets"
sed -n '/^| target | input |/,/^$/s/^| `\([a-z_]*\)` |.*/\1/p' docs/reliability.md | sort >"$work/named"
count=$(wc -l <"$work/targets")
if cmp -s "$work/targets" "$work/named" && grep -q "^| no crash | $count fuzz targets" docs/reliability.md; then
    echo "ok - docs/reliability.md names every fuzz target and counts them"
else
    diff "$work/targets" "$work/named"
    echo "not ok - docs/reliability.md names every fuzz target and counts them"
fi
count=$(cat tests/hostile/shapes_*.c | grep -c '^    { "')
if grep -q "| $count hostile shapes" docs/reliability.md && grep -q "hostile) full=$count " tools/soak.sh &&
    grep -q "100000 10000 $count [0-9]* 86400" tools/soak.sh; then
    echo "ok - docs/reliability.md and the soak count every hostile shape"
else
    echo "not ok - docs/reliability.md and the soak count every hostile shape: $count"
fi

count=$(ls scenarios/databases/controls/*.toml | wc -l)
if grep -q "an hour of each of the $count controls" docs/reliability.md; then
    echo "ok - docs/reliability.md counts the controls"
else
    echo "not ok - docs/reliability.md counts the controls: $count"
fi

# It goes on where it was, and counts a piece that was cut off for nothing.
printf '2026-01-01T00:00Z 0123456789ab kills 0 10000 0 9\n' >"$work/full"
said=$(SOAK_LEDGER=$work/full tools/soak.sh kills)
if [ "$(wc -l <"$work/full")" -eq 1 ] && printf '%s\n' "$said" | grep -q '^| kills | 10000 | 10000 | 0 | 9 |'; then
    echo "ok - a part that has reached its goal is not begun again"
else
    printf '%s\n' "$said"
    echo "not ok - a part that has reached its goal is not begun again"
fi
for file in scenarios/databases/controls/*.toml; do
    echo "2026-01-01T00:00Z 0123456789ab controls:$(basename "$file" .toml) 0 60 0 9"
done >"$work/full"
said=$(SOAK_LEDGER=$work/full tools/soak.sh controls)
if [ "$(wc -l <"$work/full")" -eq "$count" ] &&
    printf '%s\n' "$said" | grep -q "^| minutes of real databases | $((60 * count)) | $((60 * count)) | 0 |"; then
    echo "ok - controls are counted one by one, and together in the table"
else
    printf '%s\n' "$said"
    echo "not ok - controls are counted one by one, and together in the table"
fi
said=$(SOAK_LEDGER=$work/once tools/soak.sh once a false && echo passed)
[ -z "$said" ] && [ ! -e "$work/once" ] && echo "ok - what fails is not written down as passed" ||
    echo "not ok - what fails is not written down as passed"
SOAK_LEDGER=$work/once tools/soak.sh once a true >/dev/null
said=$(SOAK_LEDGER=$work/once tools/soak.sh once a false)
case $said in
    *passed*) echo "ok - what passed with a commit need not pass again" ;;
    *) echo "not ok - what passed with a commit need not pass again" ;;
esac
