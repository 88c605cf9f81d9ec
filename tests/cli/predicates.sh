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

# Two that missed what the other inserted: nothing but rows that did not come tells that.
cat >phantom.jsonl <<'LINES'
{"ordeal-history":1,"tables":{"t":{"columns":{"id":"bigint","v":"bigint"},"key":["id"]}}}
{"txn":1,"session":0,"status":"ok","at":[448,7452],"ops":[{"select":"t","where":"v >= 1","rows":{}},{"r":"t/1","v":null},{"insert":"t","rows":{"1":{"id":1,"v":101}}}]}
{"txn":2,"session":100,"status":"ok","at":[781,19762],"ops":[{"select":"t","where":"v >= 3","rows":{}},{"insert":"t","rows":{"1":{"id":1,"v":4}}},{"select":"t","where":"v >= 0","rows":{"1":{"id":1,"v":4}}}]}
LINES
for level in serializable session-serializable strict-serializable snapshot; do
    exits 1 "a phantom is found at $level" \
        check phantom.jsonl --checker blackbox --level $level --witness w.json
    exits 0 "and verify accepts why" verify phantom.jsonl w.json
done
exits 1 "no other checker is needed for that" check phantom.jsonl --version-order 0

# Without the store's order, what was generated is found to be right, and what was planted is found.
run 0 generate predicate-mix --transactions 400 --keys 20 -o mix.jsonl
exits 0 "rows that came and rows that did not have an order" \
    check mix.jsonl --checker blackbox --version-order 0 --witness w.json
exits 0 "which verify accepts, with all statements" verify mix.jsonl w.json
check "none of which is left out" sh -c "! grep -q 'not judged' out"
run 0 generate predicate-mix --transactions 400 --keys 20 --plant G2 -o bad.jsonl
exits 1 "a planted phantom is found" \
    check bad.jsonl --checker blackbox --version-order 0 --witness w.json
check "and called what it is" mentions out 'G2: '
exits 0 "verify accepts why" verify bad.jsonl w.json

finish
