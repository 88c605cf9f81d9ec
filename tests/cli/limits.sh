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

for command in 'check x' 'verify x y' 'convert x --to oh -o y' 'run x' 'bisect x' 'prove' 'program x' \
    'generate rw-mix -o y' 'watch x --profile postgresql/serializable'; do
    # shellcheck disable=SC2086 # several arguments
    exits 2 "$command refuses a limit that is none" $command --timeout soon
    check "and says what it takes" mentions err "--timeout takes seconds"
done

finish
