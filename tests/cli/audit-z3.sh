#!/bin/sh
# audit-z3: audits by the engine z3, with Z3 and without it.
. "$(dirname "$0")/helpers"

sed -n '/^```sql/,/^```/{/^```/d;p}' "$root/docs/audit.md" >deposit.sql
sed -n '/^```json/,/^```/{/^```/d;p}' "$root/docs/audit.md" >deposits.jsonl
sed '/"txn":2/s/"17"/"22"/; s/"37"/"42"/' deposits.jsonl >serial.jsonl

run 2 audit serial.jsonl --programs deposit.sql --level snapshot --heuristics 12
check "heuristics are those of the engine z3" mentions err "--heuristics and --encoding are for --engine z3"
run 2 audit serial.jsonl --programs deposit.sql --level snapshot --engine z3 --heuristics 5
check "there are four of them" mentions err "--heuristics has the digits 1 to 4, or is none"
run 2 audit serial.jsonl --programs deposit.sql --level snapshot --engine z3 --follow
check "a log that grows is for the native engine" mentions err "--follow is for --engine native"

# Without Z3.
mkdir broken
echo 'no library' >broken/libz3.so.4
LD_LIBRARY_PATH=$work/broken
export LD_LIBRARY_PATH
exits 0 "without Z3 the native engine audits" audit serial.jsonl --programs deposit.sql --level snapshot
exits 2 "without Z3 there is no engine z3" audit serial.jsonl --programs deposit.sql --level snapshot --engine z3
check "and it is told" mentions err "Z3 cannot be loaded: "
unset LD_LIBRARY_PATH
if ! "$ORDEAL" audit serial.jsonl --programs deposit.sql --level snapshot --engine z3 >out 2>err && grep -q "Z3 cannot be loaded" err; then
    echo "# Z3 is not installed: audits by the engine z3 were not tried"
    finish
    exit
fi

for level in serializable strict-serializable snapshot strict-snapshot "read-committed --rc-model paper"; do
    # shellcheck disable=SC2086 # a level and its model are two words
    exits 0 "Z3 finds an execution at $level" audit serial.jsonl --programs deposit.sql --level $level --engine z3 --witness w.json
    run 0 verify serial.jsonl w.json --programs deposit.sql
    check "which the verifier accepts" mentions out "accepted: "
done
for encoding in chains elements; do
    run 1 audit deposits.jsonl --programs deposit.sql --level snapshot --engine z3 --encoding $encoding --heuristics none --witness w.json
    check "a lost update is invalid with $encoding" mentions out "expected   22   after T1"
    run 0 verify deposits.jsonl w.json --programs deposit.sql
    check "with a proof" mentions out "accepted: "
done
sed '/"txn":3/s/SELECT.*accounts/SELECT id FROM accounts LIMIT 1/' serial.jsonl >limit.jsonl
run 3 audit limit.jsonl --programs deposit.sql --level snapshot --engine z3
check "what the engine does not know is named" mentions out "the engine z3 does not know LIMIT (line 4); --engine native does"

finish
