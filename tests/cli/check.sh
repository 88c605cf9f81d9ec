#!/bin/sh
# check: verdicts, exit statuses, JSON and witnesses of histories good and bad.
. "$(dirname "$0")/helpers"

run 0 generate rw-mix --transactions 500 -o good.jsonl
run 0 check good.jsonl
check "a good history is valid, by order" mentions out "order "
run 0 check good.jsonl --checker certificate --json
check "the answer is JSON" mentions out '"verdict":"valid"'
run 0 check good.jsonl --witness good.json
run 0 verify good.jsonl good.json
run 0 generate rw-mix --transactions 500 --plant G-single -o bad.jsonl
run 1 check bad.jsonl
check "every checker that can judge it is asked" [ "$(grep -c 'serializable  *INVALID' out)" -ge 3 ]
check "and what they say together is told" mentions out "verdict    INVALID"
check "with the transactions that are named, as they stand" \
    [ "$(grep -c '^where .*"txn":[0-9]*,"session"\|^  *{"txn":[0-9]*,"session"' out)" -eq 2 ]
run 1 check bad.jsonl --json
check "one object has the merged verdict and those of all" \
    mentions out '"verdict":"invalid","level":"serializable","checker":"certificate"'
check "each has its own" mentions out '"checks":[{"verdict":"invalid","level":"serializable","checker"'
run 1 check bad.jsonl --first
check "one is enough with --first" [ "$(grep -c INVALID out)" -eq 2 ]
run 0 check good.jsonl
check "all of them agree" [ "$(grep -c ' valid$' out)" -ge 4 ]
mkdir -p many/deeper
cp good.jsonl many/
cp bad.jsonl many/deeper/
echo "no history" >many/readme.txt
run 1 check many --junit many.xml
check "a folder has a line for each history" mentions out "valid      many/good.jsonl"
check "in its folders too" mentions out "INVALID    many/deeper/bad.jsonl   certificate: G-single"
check "and a summary" mentions out "histories  2: 1 valid, 1 invalid, 0 unknown, 0 with an error"
check "what is no history is counted" mentions out "1 file that is no history"
check "JUnit has a case for each" [ "$(grep -c '<testcase' many.xml)" -eq 2 ]
check "and says what failed" mentions many.xml '<failure message="certificate: G-single"/>'
run 2 check good.jsonl missing.jsonl
check "what cannot be read does not keep the others from being judged" mentions out "valid      good.jsonl"
check "and is told" mentions out "ERROR      missing.jsonl"
run 1 check good.jsonl bad.jsonl --json
check "as JSON" mentions out '"files":[{"file":"good.jsonl","verdict":"valid"'
run 2 check good.jsonl bad.jsonl --witness w.json
check "a witness is of one history" mentions err "of one history"
mkdir empty
run 2 check empty
check "a folder without any is an error" mentions err "no file in this folder is a history"
run 1 check bad.jsonl --checker certificate --level snapshot --witness bad.json --json
check "the anomaly is named" mentions out '"kind":"G-single"'
check "what still holds is told" mentions out '"strongest":"read-committed"'
run 0 verify bad.jsonl bad.json
run 1 verify good.jsonl bad.json
if [ -e /dev/full ]; then
    "$ORDEAL" verify good.jsonl good.json >/dev/full 2>err
    check "a verdict that cannot be written is no verdict" [ $? -eq 2 ]
fi
run 0 check bad.jsonl --checker certificate --level read-committed
run 2 check good.jsonl --checker order --level snapshot
check "a level that a checker does not decide is refused" mentions err "does not decide snapshot"
grep -v version-order good.jsonl >partial.jsonl
run 2 check partial.jsonl --checker certificate
check "a partial certificate is refused" mentions err "has no version order"
run 0 explain G2-item
run 0 explain strict-snapshot
run 0 explain no-timestamp-cache
run 2 explain G-singel
check "the nearest name is told" mentions err "did you mean 'G-single'"
cat >own.jsonl <<'END'
{"ordeal-history":1}
{"txn":1,"session":1,"status":"ok","ops":[{"w":"x","v":1}]}
{"txn":2,"session":1,"status":"ok","ops":[{"w":"x","v":2}]}
{"txn":3,"session":1,"status":"ok","ops":[{"r":"x","v":1}]}
END
run 1 check own.jsonl --checker weak --level read-your-writes
check "a broken guarantee is told, wanted a witness or not" mentions out "read-your-writes-violation"
run 1 check own.jsonl --checker weak --level read-your-writes --witness own.json
run 0 verify own.jsonl own.json
cat >rows.jsonl <<'END'
{"ordeal-history":1,"tables":{"t":{"columns":{"id":"bigint","v":"bigint"},"key":["id"]}}}
{"txn":1,"session":1,"status":"ok","ops":[{"insert":"t","rows":{"7":{"id":7,"v":12}}}]}
{"txn":2,"session":1,"status":"ok","ops":[{"select":"t","where":"v >= 10","rows":{"7":{"id":7,"v":12}}}]}
END
run 0 check rows.jsonl --checker weak --level causal --allow-unjudged
check "who is told that all is well is told what was not looked at" \
    mentions out "unjudged   1 statement, but for the rows that came"
run 0 check good.jsonl --checker certificate
check "and nothing where all was" [ "$(grep -c unjudged out)" -eq 0 ]
cat >stale.edn <<'END'
({:process 0 :type :invoke :f :write :value 1}
 {:process 0 :type :ok :f :write :value 1}
 {:process 1 :type :invoke :f :read}
 {:process 1 :type :ok :f :read :value 0})
END
run 1 check stale.edn --level strict-serializable
check "what nobody wrote is not told of a file that cannot say what was there" mentions out "garbage-read"
run 1 check stale.edn --level strict-serializable --initial 0 --witness stale.json
check "a stale read in a file without times is one" mentions out "G-single-realtime"
run 0 verify stale.edn stale.json --initial 0
run 1 verify stale.edn stale.json
check "what check was told is to be said again" mentions out "another history"
run 1 check stale.edn --level linearizable --initial register=0
check "linearizable needs no checker to be named" mentions out "infer         linearizable"
run 0 check stale.edn --level session-serializable --initial 0
run 2 check stale.edn --initial shelf=0
check "a key that nobody knows is named" mentions err "'shelf'"
sed 's/:value 0/:value nil/' stale.edn >nil.edn
run 1 check nil.edn --level linearizable
run 0 check nil.edn --level linearizable --nil-read any
cat >named.edn <<'END'
{:index 40 :process 3 :type :invoke :f :txn :value [[:w 1 5]]}
{:index 41 :process 3 :type :ok :f :txn :value [[:w 1 5]]}
{:index 42 :process 4 :type :invoke :f :txn :value [[:r 1 nil]]}
{:index 43 :process 4 :type :ok :f :txn :value [[:r 1 6]]}
END
run 1 check named.edn
check "a transaction is called what its file calls it" \
    mentions out "T1 (index 42, process 4) read 1=6, which nobody wrote"
run 0 convert named.edn --to oh -o named.oh
run 0 convert named.oh --to jsonl -o named.jsonl
run 1 check named.jsonl
check "also after conversion" mentions out "T1 (index 42, process 4) read 1=6, which nobody wrote"
run 0 convert nil.edn --nil-read any --to jsonl -o nil.jsonl
run 0 check nil.jsonl --level linearizable

# Nothing is no proof of anything.
echo '{"ordeal-history":1}' >nothing.jsonl
run 3 check nothing.jsonl
check "a history without transactions is unknown" mentions out "verdict    UNKNOWN"
run 3 check nothing.jsonl --first
for checker in order certificate blackbox infer interval; do
    run 3 check nothing.jsonl --checker $checker
    check "so says $checker" mentions out "unknown  there is no transaction in the history"
done
run 3 check nothing.jsonl --checker weak --level causal --json
check "and why" mentions out '"verdict":"unknown","level":"causal","checker":"weak","anomalies":[],"strongest":null,"weakest_violated":null,"reason":"there is no transaction in the history"'
printf '%s\n' '{"ordeal-history":1}' \
    '{"txn":1,"session":1,"status":"abort","at":[1,2],"ops":[{"w":"x","v":1,"at":[1,2]}]}' >aborted.jsonl
run 3 check aborted.jsonl --checker blackbox
check "and so is one in which nothing committed" mentions out "no transaction of the history committed"
finish
