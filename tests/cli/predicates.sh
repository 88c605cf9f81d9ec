#!/bin/sh
# check and verify where statements look for rows: what is not judged is never called valid
# unless the caller asks for that.
. "$(dirname "$0")/helpers"

# An aggregate that no checker computes, of a history in which nothing else is wrong.
cat >aggregate.jsonl <<'LINES'
{"ordeal-history":1,"tables":{"t":{"columns":{"id":"bigint","v":"bigint"},"key":["id"]}}}
{"txn":1,"session":0,"status":"ok","at":[10,20],"ops":[{"insert":"t","rows":{"1":{"id":1,"v":4}}}],"ts":1}
{"txn":2,"session":1,"status":"ok","at":[30,40],"ops":[{"select":"t","where":"v >= 3","values":{"stddev(v)":7}}],"ts":2}
{"version-order":{"t/1":[1]}}
LINES
for checker in order certificate blackbox infer interval; do
    exits 3 "$checker does not call valid what it has not judged" \
        check aggregate.jsonl --checker $checker --witness w.json --json
    check "$checker says that it is unknown" mentions out '"verdict":"unknown"'
    check "$checker says why" mentions out 'statement was not judged as a whole'
    check "$checker counts the statement" mentions out '"unjudged":{"predicates":1}'
    check "$checker leaves no evidence" test ! -e w.json
    exits 0 "$checker calls it valid if that is allowed" \
        check aggregate.jsonl --checker $checker --allow-unjudged --witness w.json
    exits 0 "verify accepts that" verify aggregate.jsonl w.json
    check "and says what $checker has not judged" mentions out \
        'but for 1 statement that was not judged'
    rm -f w.json
done

exits 3 "weak judges no statement" check aggregate.jsonl --checker weak --level causal
exits 0 "weak calls it valid if that is allowed" \
    check aggregate.jsonl --checker weak --level causal --allow-unjudged --witness w.json
check "the witness names the statement" mentions w.json '"unjudged":[[2,0]]'
run 0 verify aggregate.jsonl w.json
sed 's/"unjudged":..2,0..,//' w.json >silent.json
exits 1 "a witness that is silent about it is refused" verify aggregate.jsonl silent.json
check "and it is told why" mentions out 'the witness does not say so'
sed 's/\[2,0\]/[1,0]/' w.json >other.json
exits 1 "an insert cannot have been left unjudged" verify aggregate.jsonl other.json
sed 's/\[2,0\]/[2,0],[2,0]/' w.json >twice.json
exits 1 "no statement is named twice" verify aggregate.jsonl twice.json

# What is wrong stays wrong.
sed 's/"stddev(v)":7/"count(*)":7/' aggregate.jsonl >wrong.jsonl
for checker in order certificate; do
    exits 1 "$checker finds a wrong answer, allowed or not" \
        check wrong.jsonl --checker $checker --allow-unjudged
done

finish
