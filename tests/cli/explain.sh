#!/bin/sh
# explain: whatever has a name in the lists can be explained by it.
. "$(dirname "$0")/helpers"

# explains KIND AT-LEAST LINE...: each of the list begins its explanation with its name and has those lines.
explains() {
    kind=$1
    least=$2
    shift 2
    "$ORDEAL" list "$kind" >names 2>err
    count=0
    missing=
    while read -r name rest; do
        count=$((count + 1))
        "$ORDEAL" explain "$name" >out 2>err || missing="$missing $name"
        grep -q "^$name is a" out || missing="$missing $name"
        for line in "$@"; do
            grep -q "^$line  *[^ ]" out || missing="$missing $name:$line"
        done
    done <names
    [ "$count" -ge "$least" ] || missing="$missing only $count of them"
    [ -z "$missing" ] || echo "missing:$missing"
    [ -z "$missing" ]
}

check "every level has what it rules out, and the smallest history that it refuses" \
    explains levels 31 'rules out' refuses
check "every anomaly has what it rules out" explains anomalies 25 'rules out'
check "every bug has its protocols, what holds, who catches it and where it was seen" \
    explains bugs 40 protocols holds 'caught by' seen
for anomaly in G0 G1a G1b G1c G-single G-nonadjacent G2-item G2 internal garbage-read future-read \
    duplicate-write duplicate-elements lost-update dirty-update incompatible-order \
    cyclic-versions result-set-mismatch CyclicCO NonMonoReadCO NonMonoReadAO FracturedReadCO \
    FracturedReadAO COConflictAO ConflictAO read-your-writes-violation monotonic-reads-violation \
    monotonic-writes-violation writes-follow-reads-violation pram-violation prefix-violation \
    not-linearizable wrong-total negative-balance lost-element count-out-of-bounds \
    inconsistent-read lock-violation dangerous-structure G0-realtime G2-item-realtime; do
    run 0 explain $anomaly
    check "$anomaly has its smallest example" mentions out "example    T1"
done

# All that interval tells. What it alone tells is of a profile, and of no level.
"$ORDEAL" list anomalies >names
for anomaly in inconsistent-read lock-violation dangerous-structure future-read internal G0 G0-realtime \
    G1a G1b G1c G1c-realtime G-single G-single-realtime G2-item G2-item-realtime G2 G2-realtime \
    lost-update result-set-mismatch; do
    check "the list of anomalies has $anomaly" grep -q "^$anomaly " names
done
for anomaly in inconsistent-read lock-violation dangerous-structure; do
    run 0 explain $anomaly
    check "$anomaly is said to be of a profile" \
        mentions out "rules out  no level: it is of the profile by which"
done
finish
