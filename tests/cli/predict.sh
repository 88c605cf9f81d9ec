#!/bin/sh
# predict: from an observed history to a prediction, its files, and the verification of its witness.
. "$(dirname "$0")/helpers"

header='{"ordeal-history":1}'
cat >skew.jsonl <<JSONL
$header
{"txn":1,"session":0,"status":"ok","ops":[{"r":"x","v":null},{"w":"x","v":10}]}
{"txn":2,"session":1,"status":"ok","ops":[{"r":"x","v":10},{"r":"y","v":null},{"w":"x","v":20}]}
{"txn":3,"session":0,"status":"ok","ops":[{"r":"x","v":20},{"r":"y","v":null},{"w":"y","v":5}]}
JSONL
cat >torn.jsonl <<JSONL
$header
{"txn":1,"session":0,"status":"ok","ops":[{"w":"x","v":1}]}
{"txn":2,"session":0,"status":"ok","ops":[{"r":"x","v":1},{"w":"y","v":1}]}
{"txn":3,"session":1,"status":"ok","ops":[{"r":"y","v":1},{"r":"x","v":1},{"w":"z","v":1}]}
{"txn":4,"session":2,"status":"ok","ops":[{"r":"z","v":1}]}
JSONL
cat >alone.jsonl <<JSONL
$header
{"txn":1,"session":0,"status":"ok","ops":[{"r":"x","v":null},{"w":"x","v":1}]}
JSONL
cat >rows.jsonl <<'JSONL'
{"ordeal-history":1,"tables":{"t":{"columns":{"id":"bigint","v":"bigint"},"key":["id"]}}}
{"txn":1,"session":0,"status":"ok","ops":[{"insert":"t","rows":{"7":{"id":7,"v":12}}}]}
{"txn":2,"session":1,"status":"ok","ops":[{"select":"t","where":"v >= 10","rows":{}}]}
JSONL

# --- What is said ---------------------------------------------------------------

run 1 predict skew.jsonl --level causal --strategy approx-relaxed
tr '\n' ' ' <out >line
check "a prediction says who reads what from whom, instead of from whom" \
    mentions line "T3 (session 0) reads x from T1 instead of from T2."
check "and the circle that follows from it" says out "  T3 -rw x-> T2"
check "and that the level allows it" mentions line "Causal allows it: what is seen includes all that it depends on."
run 0 predict skew.jsonl --level causal
check "behind a strict cut there is no write, and so no skew" mentions out "none       causal, exact-strict"
check "and it is said what looks further" mentions out "--strategy approx-relaxed"
run 1 predict torn.jsonl --level read-committed
tr '\n' ' ' <out >line
check "the session that is cut is named" mentions line "Session 1 is cut in T3, behind that read."
check "and who read from the rest of it" mentions line "Session 2 is left out."
check "what is behind the cut is left out" says out "  - writes z"
run 0 predict torn.jsonl --level causal
check "a stronger level does not allow it" mentions out "none       causal"
run 3 predict rows.jsonl --level causal
check "nothing is ruled out of what statements saw without a version set" \
    mentions out "unknown    causal, exact-strict: none was found, but of 1 statements nobody knows"

run 1 predict skew.jsonl --level causal --strategy approx-relaxed --json
check "an object has the prediction" \
    mentions out '{"prediction":"predicted","level":"causal","strategy":"approx-relaxed","transactions":3,'
check "with where each session ends" mentions out \
    '"boundary":[{"session":0,"full":1,"txn":3,"included":3,"reads":[{"key":"x","from":1,"observed":2}]},{"session":1,"full":1}]'
check "with its cycle" mentions out '"cycle":[{"from":3,"to":2,"edge":"rw","key":"x"},'
check "nothing was validated, and no file written" sh -c 'grep -q "\"validated\":null" out && grep -q "\"files\":{}" out'
run 0 predict alone.jsonl --level snapshot --json
check "or that there is none" mentions out '"prediction":"none"'
run 3 predict rows.jsonl --level prefix --json
check "or why nobody knows" mentions out '"reason":"none was found, but of 1 statements'
"$ORDEAL" predict - --level causal --strategy approx-relaxed <skew.jsonl >piped 2>err
check "a history may come by a pipe" grep -q "^predicted  causal" piped

# --- Files and their witness ------------------------------------------------------

run 1 predict torn.jsonl --level read-committed --out made/here
ls made/here >files
check "the folder has four files" test "$(tr '\n' ' ' <files)" = "predicted.jsonl prediction.svg prediction.txt witness.json "
check "they are named" mentions out "made/here/witness.json"
exits 0 "the witness is accepted" verify torn.jsonl made/here/witness.json
check "and it is said what it proves" mentions out "accepted: read-committed allows an execution that is not serializable: 3 transactions, 1 of"
run 1 verify skew.jsonl made/here/witness.json
check "not for another history" mentions out "refused: the witness is of another history"
sed 's/"included":2/"included":3/' made/here/witness.json >moved.json
run 1 verify torn.jsonl moved.json
check "a cut that was moved is refused" mentions out "refused: transaction 3 is not cut behind the read"
exits 1 "the predicted history is none of the level that was lost" check made/here/predicted.jsonl --level session-serializable --checker blackbox
exits 0 "but one of the level that was promised" check made/here/predicted.jsonl --level read-committed --checker weak
check "the drawing has both" sh -c 'grep -q ">observed<" made/here/prediction.svg && grep -q ">predicted at read-committed<" made/here/prediction.svg'
run 2 predict torn.jsonl --level read-committed --out made/here
check "a folder in which something stands is refused" mentions err "made/here"
exits 1 "unless it is forced" predict torn.jsonl --level read-committed --out made/here --force --json
check "files are in the object" mentions out '"files":{"predicted":"made/here/predicted.jsonl","witness":"made/here/witness.json",'

# That there is none.
run 0 predict skew.jsonl --level causal --out made/none
check "that there is none is proven" grep -Eq '^proof +[0-9]+ lemmas, [0-9]+ steps$' out
check "the folder has the witness alone" test "$(ls made/none)" = witness.json
exits 0 "which is accepted" verify skew.jsonl made/none/witness.json
check "and it is said what it proves" mentions out "accepted: causal allows no other execution that is not serializable, with the strict boundary: 3"
run 1 verify alone.jsonl made/none/witness.json
check "not of another history" mentions out "refused: the witness is of another history"
sed 's/"strict"/"relaxed"/' made/none/witness.json >relaxed.json
run 1 verify skew.jsonl relaxed.json
check "nor with the relaxed boundary, where there is one" mentions out "refused: "
run 0 predict alone.jsonl --level snapshot --out made/unproven
check "it is said where there is no proof" mentions out "proof      none: there is no proof of that at this level"
check "and no folder" test ! -e made/unproven
run 0 predict skew.jsonl --level causal --out made/none --force --json
check "the object has the proof's size" mentions out '"proof":{"lemmas":'

# Each level and boundary, of generated histories with items and with rows.
"$ORDEAL" generate rw-mix --transactions 14 --keys 3 --sessions 3 -o items.jsonl 2>err
"$ORDEAL" generate predicate-mix --transactions 12 --keys 3 --sessions 3 -o statements.jsonl 2>err
refused=
for history in items statements; do
    for level in read-committed read-atomic causal prefix; do
        for strategy in exact-strict approx-strict approx-relaxed; do
            rm -rf made/all
            "$ORDEAL" predict $history.jsonl --level $level --strategy $strategy --out made/all >out 2>err
            case $? in
                0 | 1) [ -e made/all/witness.json ] || [ $level = prefix ] || refused="$refused $history:$level:$strategy:unproven"
                    [ ! -e made/all/witness.json ] || "$ORDEAL" verify $history.jsonl made/all/witness.json >out 2>err || refused="$refused $history:$level:$strategy" ;;
                *) refused="$refused $history:$level:$strategy:$(cat err)" ;;
            esac
        done
    done
done
check "every witness is accepted, at each level and boundary" test -z "$refused"

# --- Cells, and Z3 ------------------------------------------------------------------

cat >wide.jsonl <<'JSONL'
{"ordeal-history":1,"tables":{"t":{"columns":{"id":"bigint","a":"bigint","b":"bigint"},"key":["id"]}},"initial":{"t/7":{"id":7,"a":0,"b":0}}}
{"txn":1,"session":0,"status":"ok","ops":[{"update":"t","where":"id = 7","rows":{"7":{"id":7,"a":1,"b":0}},"set":{"t/7":null}}]}
{"txn":2,"session":1,"status":"ok","ops":[{"update":"t","where":"id = 7","rows":{"7":{"id":7,"a":1,"b":2}},"set":{"t/7":1}}]}
JSONL
run 0 predict wide.jsonl --level snapshot --strategy approx-relaxed
check "of two who write one row, the first to commit wins" mentions out "none "
run 1 predict wide.jsonl --level snapshot --strategy approx-relaxed --encoding cells --out made/cells
check "unless each wrote a cell of its own" mentions out "t/7.b"
run 0 verify made/cells/cells.jsonl made/cells/witness.json
check "the history of the cells is written, too" mentions out "accepted: snapshot allows"
run 2 predict wide.jsonl --level causal --encoding cells --program x.sql
check "programs know no cells" mentions err "--encoding cells is not for --program"

if "$ORDEAL" predict skew.jsonl --level causal --engine z3 --json >out 2>err || [ $? -ne 2 ]; then
    run 0 predict skew.jsonl --level causal --engine z3 --json
    check "Z3 says that there is none, if it looks at all orders" mentions out '"engine":"z3"'
    run 3 predict skew.jsonl --level causal --engine z3 --strategy approx-strict
    check "and that there may be one, if not" mentions out "the approximate encoding has none"
    run 1 predict skew.jsonl --level causal --engine z3 --strategy approx-relaxed --out made/z3
    run 0 verify skew.jsonl made/z3/witness.json
    check "what it finds has a witness" mentions out "accepted: causal allows"
fi

# --- Calls that are wrong -----------------------------------------------------------

run 2 predict skew.jsonl
check "the level must be named" mentions err "predict needs --level L"
run 2 predict skew.jsonl --level serializable
check "it is one that can be predicted at" mentions err "there is no 'serializable'"
run 2 predict skew.jsonl --level causal --strategy semantic
check "what is executed again needs a program" mentions err "--strategy semantic needs --program"
run 2 predict skew.jsonl --level causal --validate
check "so does a validation" mentions err "--validate needs --program"
run 2 predict skew.jsonl --level causal --force
check "only a folder can be forced" mentions err "--force is for --out"
run 2 predict missing.jsonl --level causal
check "a history that is not there is named" mentions err "missing.jsonl: cannot"
"$ORDEAL" generate list-append --transactions 5 -o lists.jsonl 2>err
run 2 predict lists.jsonl --level causal
check "lists are refused" mentions err "lists.jsonl: T1 appends to a list"
finish
