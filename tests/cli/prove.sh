#!/bin/sh
# prove: bugs are seen, and nothing where there is none.
. "$(dirname "$0")/helpers"

timeless() { sed -e '/^time /d' -e 's/"seconds":[0-9.]*,//' "$1" >"$1.timeless"; }

run 2 prove --bug upgrade-race
check "without scenarios there is nothing to run" mentions err "no folder of scenarios"
cp -r "$root/scenarios" scenarios
run 0 prove --bug upgrade-race --seeds 5 -j 2 --out page
check "a bug has a row" grep -Eq '^upgrade-race +2pl +\(100%\) +100% +100% ' out
check "its scenario without it is clean" says out "clean      5 runs of 1 scenarios, 0 false alarms"
check "all is well" says out "verdict    VALID   1 of 1 bugs caught by all who must"
check "on no terminal there is no progress bar" is_empty err
cp out two.txt
check "--out writes the page" grep -Eq '^\| `upgrade-race` \| 2pl \| strict-serializable \| read-committed \| 5 \| 100 / 1, 1 \| \*\*100\*\* / 1, 1 \|' page/matrix.md
check "which says how it was made" grep -q 'ordeal prove --bug upgrade-race --seeds 5 --out' page/matrix.md
run 0 prove --bug upgrade-race --seeds 5 -j 1
timeless out
timeless two.txt
check "however many work" same out.timeless two.txt.timeless
run 0 prove --bug upgrade-race --seeds 5 -j 1 --json
cp out one.json
timeless one.json
timeless page/prove.json
check "and --out writes the answer" same one.json.timeless page/prove.json.timeless
check "the answer is one line" test "$(wc -l <out)" -eq 1
for field in '"bugs":[{"name":"upgrade-race","protocol":"2pl","level":"strict-serializable"' \
    '"holds":"read-committed"' '"expected":{' '"order":true' '"caught":{"run":5,"order":5,"certificate":5' \
    '"runs":5,' '"missed":[]' '"details":{"run":{"first_seed":1,"median_seeds":1,"p90_seeds":1,"anomalies":{"invariant":5}}' \
    '"clean":{"runs":5,"false_alarms":0,' '"seconds":' '"verdict":"valid"}'; do
    check "the answer has $field" mentions out "$field"
done

# Mutants.
run 2 prove --bug upgrade-race --seeds 2 --out page
check "a folder that holds an answer is not written into again" mentions err "page: there is something in this folder"
run 0 prove --bug upgrade-race --seeds 2 --mutate -j 2 --out page --force --json
cp out two.json
check "mutants are made of sixteen histories" mentions out '"mutations":{"recordings":16,"kinds":[{"name":"none","mutants":16,"wrong":0,'
check "some of which are wrong, and caught" \
    grep -Eq '"name":"drop-write","mutants":[0-9]+,"wrong":[1-9][0-9]*,"checkers":\{"order":\{"not_asked":[0-9]+,"undecided":0,"caught":[1-9]' out
check "and none is missed but by those who only see anomalies" sh -c \
    '! grep -Eq "\"(order|certificate|blackbox|weak)\":\{\"not_asked\":[0-9]+,\"undecided\":[0-9]+,\"caught\":[0-9]+,\"missed\":[1-9]" out'
check "and nobody accuses what is right" sh -c '! grep -Eq "\"accused\":[1-9]" out'
check "they are on the page" grep -q '^| stale-read | a read returns what an earlier write of the key left | ' page/matrix.md
run 0 prove --bug upgrade-race --seeds 2 --mutate -j 1 --json
cp out one.json
timeless one.json
timeless two.json
check "and the same however many work" same one.json.timeless two.json.timeless

touch file
run 2 prove --bug upgrade-race --seeds 100000 --out file
check "a folder that cannot be made is told before the runs" mentions err "file: this is no folder"

# A checker that must see a bug and does not.
scenario=scenarios/bugs/upgrade-race.toml
sed 's/^transactions = .*/transactions = 1/' "$root/$scenario" >$scenario
run 1 prove --bug upgrade-race --seeds 2
check "what nobody sees is missed" grep -Eq '^upgrade-race +2pl +\. +MISSED +MISSED ' out
check "and named" says out "verdict    INVALID   0 of 1 bugs caught by all who must"
run 1 prove --bug upgrade-race --seeds 2 --json
check "after ten times as many seeds" mentions out '"runs":20,"failed":0,"missed":["order","certificate"'

# A checker that sees what is not there.
{ cat "$root/$scenario"; printf '\n[[invariant]]\nquery = "SELECT count(*) FROM counters"\nequals = 3\n'; } >$scenario
run 1 prove --bug upgrade-race --seeds 2 --clean 4
check "what is found without the bug is a false alarm" \
    says out "clean      4 runs of 1 scenarios, 4 false alarms"
check "and told" mentions out "alarm      run - invariant SELECT count(*) FROM counters   4 of 4 runs"
check "with the line to run it again" \
    mentions out "again: ordeal run $scenario --seed 1 --set 'cluster.bugs=[]'"
exits 1 "which fails" run $scenario --seed 1 --set 'cluster.bugs=[]'

sed 's/^bugs = .*//' "$root/$scenario" >$scenario
run 2 prove --bug upgrade-race --seeds 2
check "a scenario that does not switch its bug on is refused" \
    mentions err "$scenario: the scenario does not switch the bug upgrade-race on"
run 2 prove --bug upgrade-rac
check "a mistyped bug gets the nearest name" mentions err "did you mean upgrade-race?"

finish
