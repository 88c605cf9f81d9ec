#!/bin/sh
# paths.sh ORDEAL SEEDS [each]: every rare path of the store is reached.
#
# Seeds 1 to SEEDS of scenarios/swarm.toml run with each protocol, without checkers. A path
# that faults inside the model can reach (`ordeal list paths`) must have been taken: by some
# protocol that has it, or with `each`, by each of them. Those outside must be taken by
# scenarios/outside, and never by the swarm. A path that nothing reaches is untested, and fails.
set -u
cd "$(dirname "$0")/.." || exit 2

ordeal=$1 seeds=$2 each=${3:-some}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# names FILE FIELD: the strings of a list of the JSON object, or the paths that were taken.
names() {
    case $2 in
        never) sed 's/.*"never":\[//; s/\].*//' "$1" | sed 's/","/\n/g; s/^"//; s/"$//' ;;
        taken) sed 's/.*"sometimes":{//; s/}.*//' "$1" | sed 's/,"/\n"/g' |
            sed -n '/:0$/d; s/^"\(.*\)":[0-9]*$/\1/p' ;;
    esac
}

"$ordeal" list paths --json | tr '{' '\n' |
    sed -n 's/^"name":"\([^"]*\)".*"reached_by":"\([a-z]*\)".*/\2 \1/p' >"$dir/paths"
[ "$(wc -l <"$dir/paths")" -gt 50 ] || { echo "not ok - rare paths are listed"; exit 1; }

protocols=$("$ordeal" list protocols --json | tr '{' '\n' | sed -n 's/^"name":"\([^"]*\)".*/\1/p')
for protocol in $protocols; do
    "$ordeal" sweep scenarios/swarm.toml --seeds "1..$seeds" -j "${JOBS:-2}" --set cluster.protocol="$protocol" \
        --set check.checkers=[] --json >"$dir/$protocol.json" 2>"$dir/err"
    if [ $? -gt 0 ] && ! grep -q '"failed":0' "$dir/$protocol.json"; then
        echo "not ok - $protocol: $seeds seeds of the swarm run"
        cat "$dir/err"
    fi
    names "$dir/$protocol.json" taken >>"$dir/taken"
    names "$dir/$protocol.json" never | sed "s/^/$protocol: /" >>"$dir/never"
done
for file in scenarios/outside/*.toml; do
    for protocol in $protocols; do
        "$ordeal" sweep "$file" --seeds 1..4 -j "${JOBS:-2}" --set cluster.protocol="$protocol" \
            --set check.checkers=[] --json 2>/dev/null >"$dir/out.json" &&: || true
        [ -s "$dir/out.json" ] && names "$dir/out.json" taken >>"$dir/outside"
    done
done

while read -r reached_by name; do
    if [ "$reached_by" = outside ]; then
        grep -qxF "$name" "$dir/outside" && echo "ok - outside the fault model: $name" ||
            echo "not ok - outside the fault model: $name"
        grep -qxF "$name" "$dir/taken" && echo "not ok - inside it, never: $name"
    elif [ "$each" = each ] && grep -q ": $name\$" "$dir/never"; then
        grep ": $name\$" "$dir/never" | sed 's/^/not ok - reached with /'
    else
        grep -qxF "$name" "$dir/taken" && echo "ok - reached: $name" ||
            echo "not ok - reached: $name"
    fi
done <"$dir/paths" >"$dir/said"
cat "$dir/said"
! grep -q '^not ok' "$dir/said"
