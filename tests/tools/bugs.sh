#!/bin/sh
# Every bug of the catalogue is read at exactly one place, and has a scenario that switches it on.
set -u

bad=0
read_count=0
for bug in $(sed -n 's/^    X(\([A-Z_]*\), "\([a-z-]*\)".*/\1:\2/p' store/bugs.h); do
    enumerator=${bug%%:*} name=${bug#*:}
    read_count=$((read_count + 1))
    count=$(grep -rhow "BUG_$enumerator" store --include='*.c' | wc -l)
    if [ "$count" -ne 1 ]; then
        echo "$name is read at $count places:"
        grep -rnw "BUG_$enumerator" store --include='*.c'
        bad=1
    fi
    grep -q "^bugs = \[\"$name\"\]\$" "scenarios/bugs/$name.toml" ||
        { echo "scenarios/bugs/$name.toml does not switch on $name"; bad=1; }
done
# Not one is passed over, whatever the table comes to look like.
listed=$(grep -c '^ *X([A-Z]' store/bugs.h)
scenarios=$(ls scenarios/bugs/*.toml | wc -l)
if [ "$read_count" -lt 40 ] || [ "$read_count" -ne "$listed" ] || [ "$read_count" -ne "$scenarios" ]; then
    echo "$read_count bugs were looked at, of $listed in store/bugs.h, with $scenarios scenarios"
    bad=1
fi
[ "$bad" -eq 0 ] || { echo "not ok - every bug is read at one place, and has its scenario"; exit 1; }
echo "ok - every bug is read at one place, and has its scenario"
