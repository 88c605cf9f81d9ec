#!/bin/sh
# list: what there is by name, for people and for programs.
. "$(dirname "$0")/helpers"

while read -r what name; do
    run 0 list "$what"
    check "list $what shows $name" mentions out "$name"
    run 0 list "$what" --json
    check "list $what --json is one line" test "$(wc -l <out)" -eq 1
    check "list $what --json names $name" mentions out "{\"name\":\"$name\","
    if command -v python3 >/dev/null; then
        check "list $what --json is an array of objects with a name" python3 -c '
import json, sys
things = json.load(open(sys.argv[1]))
assert isinstance(things, list) and things
assert all(isinstance(thing["name"], str) for thing in things)
assert len({(thing["name"], thing.get("used_by")) for thing in things}) == len(things)' out
    fi
done <<'END'
protocols mvto
protocols eventual
bugs no-timestamp-cache
bugs own-delete-then-insert-returns-both
nemeses partition
workloads list-append
workloads ping
workloads write-skew
workloads ycsb
levels serializable
anomalies G-single-realtime
profiles postgresql/serializable
profiles ordeal/2pl
formats jsonl
buggify sync-lags
paths a snapshot was installed
END

# Profiles and their page must not drift apart.
run 0 list profiles --json
tr '{' '\n' <out | sed -n 's/^"name":"\([^"]*\)".*"level":"\([^"]*\)","view":"\([^"]*\)","timing":"\([^"]*\)".*/| `\1` | \2 | \3 | \4 |/p' >rows
check "all profiles have a level, a view and a timing" test "$(wc -l <rows)" -gt 40
while read -r row; do
    check "docs/profiles.md has the row $row" mentions "$root/docs/profiles.md" "$row"
done <rows
grep -o '"rules":\[[^]]*\]' out | tr -d '":[]' | sed 's/^rules//' | tr ',' '\n' | sort -u >rules
while read -r rule; do
    [ -z "$rule" ] || check "and says what $rule is" mentions "$root/docs/profiles.md" "| \`$rule\` |"
done <rules

run 0 list workloads
check "people read who runs a workload" mentions out "generate  lists: half reads of the whole"
check "and that list-append is two of them" test "$(grep -c '^list-append ' out)" -eq 2
run 0 list workloads --json
check "programs read parameters with defaults" mentions out "\"name\":\"balance\",\"description\":\
\"what each account holds at first\",\"default\":100}"
check "decimals as text" mentions out "\"default\":\"0.99\"}"
check "and words" mentions out "\"default\":\"zipf\"}"

cp -r "$root/scenarios" .
run 0 list scenarios
check "scenarios are those of this folder" mentions out "scenarios/ping.toml"
check "with their titles" mentions out "ping under partition and skew"
check "those in folders come behind them" sh -c 'awk "/scenarios\\/[a-z]*\\// { behind = 1; next }
    behind { exit 1 } END { exit !behind }" out'
check "all can be read" sh -c '! "$ORDEAL" list scenarios --json | grep -q "\"error\":\""'
printf 'nmae = "x"\n' >scenarios/broken.toml
run 0 list scenarios --json
check "one that cannot be read is listed with the reason" \
    mentions out "\"error\":\"a scenario has no 'nmae'; did you mean 'name'?\""
rm -r scenarios

mkdir -p usr/bin usr/share/ordeal
cp -L "$ORDEAL" usr/bin/ordeal
cp -r "$root/scenarios" usr/share/ordeal/
usr/bin/ordeal list scenarios >out
check "elsewhere they are the installed ones" mentions out "share/ordeal/scenarios/ping.toml"
rm -r usr/share
usr/bin/ordeal list scenarios >out 2>err
verdict $(($? != 2)) "without either, list says so"

run 2 list
check "what to list must be said" says err "ordeal: list needs WHAT; see: ordeal help list"
run 2 list formts
check "a mistyped list gets the nearest name" \
    says err "ordeal: WHAT: there is no 'formts'; did you mean formats?"
run 2 list zebras
check "what there is no list of is refused with what there is" \
    mentions err "there is no 'zebras'; there is protocols, bugs, nemeses, workloads"

run 0 list protocols --json
check "a protocol has the level that it promises" \
    mentions out '"level":"strict-serializable"}'
run 0 list bugs --json
check "a bug has its protocols" mentions out '"protocols":["si","ssi"]'
check "what holds all the same" mentions out '"holds":"repeatable-read"'
check "and who must catch it" mentions out '"checkers":["order","certificate","blackbox"]'

finish
