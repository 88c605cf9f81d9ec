#!/bin/sh
# limits: --timeout is kept by every command that can take long, whatever it is at.
. "$(dirname "$0")/helpers"

# Whoever reads from a pipe into which nobody writes is at it for ever.
mkfifo silent
sleep 600 >silent &
writer=$!
trap 'kill $writer; rm -rf "$work"' EXIT

reason='not judged: the time limit of 0.1 seconds'
exits 3 "a history that does not come is not judged" check silent --timeout 0.1
check "the verdict says why" says out "verdict    UNKNOWN   $reason"
check "and so does standard error" says err "ordeal: $reason"
exits 3 "likewise with --json" check silent --timeout 0.1 --json
check "with an object of the usual members" \
    grep -q "^{\"verdict\":\"unknown\",\"level\":\"serializable\",.*\"anomalies\":\[\],.*\"reason\":\"$reason\",.*\"checks\":\[\],.*}\$" out
exits 3 "and of one checker" check silent --timeout 0.1 --json --checker order
check "who is named" mentions out '"checker":"order"'

run 0 generate rw-mix --transactions 50 -o good.jsonl
run 0 generate rw-mix --transactions 50 --plant G1a -o bad.jsonl
exits 3 "of several, those that were judged before are told" \
    check good.jsonl silent good.jsonl --timeout 0.1
check "and the one that was not" says out "unknown    silent   $reason"
check "and how many it kept from being judged" says out "not judged 1 more"
exits 1 "a violation that was found stays one" check bad.jsonl silent good.jsonl --timeout 0.1 --json
check "the object has what was found" mentions out '{"file":"bad.jsonl","verdict":"invalid"'
check "and what was not" mentions out '"valid":0,"invalid":1,"unknown":1,"errors":0,"not_reached":1'

exits 3 "a witness that does not come is not judged" verify silent silent --timeout 0.1
check "and verify says so" says err "ordeal: $reason"
exits 3 "what does not come is not converted" convert silent --to oh -o out.oh --timeout 0.1
check "and convert says so" says err "ordeal: not converted: the time limit of 0.1 seconds"
check "and writes nothing" test ! -e out.oh
exits 3 "a scenario that does not come is not run" run silent --timeout 0.1 --json
check "and run says so" says out "{\"verdict\":\"unknown\",\"reason\":\"$reason\"}"
exits 125 "which git bisect skips" run silent --timeout 0.1 --git-bisect
exits 3 "nor bisected" bisect silent --timeout 0.1
check "and bisect says so" says err "ordeal: not finished: the time limit of 0.1 seconds"
exits 3 "a program that does not come is not read" program silent --timeout 0.1
exits 3 "a stream that does not end is watched for that long" \
    watch silent --profile postgresql/serializable --timeout 0.1

programs="--programs $root/scenarios/programs/smallbank.sql"
# shellcheck disable=SC2086 # several arguments
{
    exits 3 "a log that does not come is not audited" audit silent $programs --level snapshot --timeout 0.1
    check "and audit says so" says err "ordeal: $reason"
    exits 3 "nor is it verified" verify silent silent $programs --timeout 0.1
    check "and verify says so" says err "ordeal: $reason"
}

# Of two hundred transactions nobody knows whether they committed, and nobody has a place: 2^200 executions.
cat >counter.sql <<'END'
CREATE TABLE counters (id bigint PRIMARY KEY, v bigint NOT NULL);
CREATE FUNCTION add(p_n bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE counters SET v = v + p_n WHERE id = 1;
END;
$$;
END
awk 'BEGIN {
    print "{\"ordeal-log\":1,\"rows\":{\"counters\":[{\"id\":\"1\",\"v\":\"0\"}]}}"
    for (i = 1; i <= 200; i++)
        printf "{\"txn\":%d,\"session\":%d,\"call\":\"add\",\"arguments\":[\"%d\"],\"status\":\"unknown\"}\n", i, i, i * 7919
    print "{\"txn\":0,\"session\":0,\"statements\":[{\"sql\":\"SELECT v FROM counters\"}],\"status\":\"ok\",\"answers\":[{\"rows\":[[\"5\"]]}]}"
}' >open.jsonl
for level in serializable snapshot read-committed; do
    exits 3 "an audit at $level stops in the middle of its search" \
        audit open.jsonl --programs counter.sql --level $level --timeout 0.3
    check "and says so" mentions out "unknown  not judged: the time limit of 0.3 seconds"
done

# Thousands of selects, each of other rows, over thousands of rows: minutes of work in a small file.
awk 'BEGIN {
    printf "{\"ordeal-history\":1,\"tables\":{\"t\":{\"columns\":{\"id\":\"bigint\",\"s\":\"text\"},\"key\":[\"id\"]}},\"initial\":{"
    for (i = 0; i < 50000; i++)
        printf "%s\"t/%d\":{\"id\":%d,\"s\":\"x\"}", i ? "," : "", i, i
    printf "}}\n"
    line = "{\"txn\":%d,\"session\":0,\"status\":\"ok\",\"ops\":[{\"select\":\"t\",\"where\":\"s = %cy%d%c\",\"rows\":{}}],\"ts\":%d}\n"
    for (i = 1; i <= 25000; i++)
        printf line, i, 39, i, 39, i
}' >selects.jsonl
for checker in order certificate blackbox; do
    exits 3 "$checker stops in the middle of its selects" check selects.jsonl --checker $checker --timeout 0.5
    check "and says so" mentions out 'not judged: the time limit of 0.5 seconds'
done
exits 3 "and so does the whole jury" check selects.jsonl --timeout 0.5 --json
check "which says it as an object" grep -q '^{"verdict":"unknown",.*not judged: the time limit of 0.5 seconds.*}$' out

# Elections every nanosecond: nothing else is ever done.
cp "$root/scenarios/list-append.toml" endless.toml
endless="endless.toml --set cluster.election=1ns"
# shellcheck disable=SC2086 # several arguments
{
    run 3 run $endless --set limits.events=20000 --json
    check "a run beyond its budget of events is too long" \
        mentions out 'more than 20000 events; limits.events allows no more'
    check "and nobody's failure" mentions out '"failures":[],"verdict":"unknown"'
    for wait in 1ns 2ns 3ns; do
        exits 0 "a coordinator that asks again after $wait ends all the same" \
            run endless.toml --set cluster.ask_timeout=$wait --set workload.transactions=20
    done
    exits 3 "so is one that holds too much at once" run endless.toml --set workload.timeout=1ns
    check "which says of what" \
        grep -q '^too long   at .* no room for more than [0-9]* .*; no run holds more at once' out
    run 3 run $endless --set limits.simulated=10us
    check "likewise beyond its simulated time" grep -q '^too long   .* limits.simulated allows no more' out
    run 3 run $endless --timeout 0.3 --json
    check "a run that the clock cut off has no trace" mentions out '"trace":null'
    check "and says what cut it off" mentions out 'not judged: the time limit of 0.3 seconds"'

    run 3 sweep $endless --set limits.events=20000 --seeds 1..3 --out long --json
    check "a sweep counts runs that are too long" mentions out '"undecided":3,"too_long":3,"not_judged":[]'
    check "and its journal says so" grep -q '"too_long":1' long/journal
    run 3 sweep $endless --set limits.events=20000 --seeds 1..3 --out long --resume
    check "they are not tried again, as they would be too long again" \
        test "$(grep -c ' run ' long/journal)" -eq 3

    run 3 sweep $endless --seeds 1..2 --timeout 0.3 --out late --json
    check "a run of a sweep that takes too long is not judged" mentions out 'the time limit of 0.3 seconds'
    check "nor is the other" test "$(grep -o 'the time limit' out | wc -l)" -eq 2
    run 3 sweep $endless --seeds 1..2 --timeout 0.3 --out late --resume --json
    check "and --resume tries both again" test "$(grep -c ' run ' late/journal)" -eq 4
    # On a slow machine a second may be over before there is a run.
    for budget in 1 5 25; do
        run 3 sweep $endless --seeds 1..1000 -j 1 --time-budget $budget --json
        grep -q '"not_judged":\[\]' out || break
    done
    check "a time budget ends the run that is at work" mentions out 'the time budget was over'
}

# What has parts reports those that it has.
ln -s "$root/scenarios" scenarios
exits 3 "a recording that is cut off is not judged, whatever it has by then" \
    record sqlite --rate 1 --for 60s --timeout 0.3
check "and says why" says out "verdict    UNKNOWN   not judged: the time limit of 0.3 seconds"
exits 3 "likewise with --json" record sqlite --rate 1 --for 60s --timeout 0.3 --workload bank --json
check "in the object" mentions out '"verdict":"unknown","reason":"not judged: the time limit of 0.3 seconds"'
run 3 prove --bug upgrade-race --seeds 100000 --timeout 1 --json
check "prove reports what it has when its time is over" mentions out '"interrupted":"--timeout"'
run 3 bisect "$root/scenarios/list-append.toml" --seeds 1..100000 --set workload.transactions=100 --timeout 1
check "and bisect how far it looked" grep -q '^ended      by --timeout; go on with --seeds [0-9]*..100000$' out

for command in 'check x' 'verify x y' 'verify x y --programs z' 'audit x --level snapshot' 'convert x --to oh -o y' 'run x' 'bisect x' 'prove' 'program x' \
    'generate rw-mix -o y' 'sweep x --seeds 1..2' 'watch x --profile postgresql/serializable'; do
    # shellcheck disable=SC2086 # several arguments
    exits 2 "$command refuses a limit that is none" $command --timeout soon
    check "and says what it takes" mentions err "--timeout takes seconds"
done

finish
