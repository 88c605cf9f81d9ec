#!/bin/sh
# recipes: every database of `ordeal record recipes` in each topology for a few seconds, and every scenario of scenarios/databases.
#
# A violation must be found with one of ten seeds; a control must stay clean. A database whose server is not there is
# skipped, with the words that say so; REQUIRED lists those that may not be.
. "$(dirname "$0")/../cli/helpers"

: "${REQUIRED=postgres mariadb sqlite}"
: "${SECONDS_EACH=2}"
cd "$root" || exit 1
skipped=

# Whether the last command was refused as there is no server or library, or no right.
is_missing() {
    [ "$status" -eq 2 ] &&
        grep -aqE 'there is no .* on this machine|install the package|tools/deps.sh databases|has no lib|cannot be loaded|CAP_SYS_ADMIN' \
            "$work/err"
}

recorded() { "$ORDEAL" "$@" >"$work/out" 2>"$work/err" </dev/null; }

is_skipped() { case " $skipped " in *" $1 "*) return 0 ;; *) return 1 ;; esac; }

"$ORDEAL" record recipes --json | tr '{' '\n' |
    sed -n 's/^"name":"\([a-z]*\)".*"topologies":\[\([^]]*\)\].*/\1 \2/p' | tr -d '"' | tr ',' ' ' >"$work/recipes"
check "there are recipes" test -s "$work/recipes"
while read -r name topologies; do
    for topology in ${topologies:-single}; do
        is_skipped "$name" && continue
        level=serializable
        case $name/$topology in
            galera/* | duckdb/*) level=snapshot ;; # Galera's SERIALIZABLE is each node's own
            postgres/standby | postgres/promote | postgres/logical) level=read-committed ;; # two nodes, two orders
        esac
        recorded record "$name" --topology "$topology" --level $level --for "${SECONDS_EACH}s" --clients 6 --timeout 60 --json
        status=$?
        if is_missing; then
            skipped="$skipped $name"
            skip "$name" "$(head -n 1 "$work/err")"
            continue
        fi
        verdict $((status != 0)) "$name, $topology, keeps what it promises for ${SECONDS_EACH} s"
        [ $status -eq 0 ] || { cat "$work/err"; head -c 2000 "$work/out"; }
    done
done <"$work/recipes"

kind_of() { sed -n 's/^kind = "\([a-z]*\)"$/\1/p' "$1" | head -n 1; }

for file in scenarios/databases/*.toml; do
    is_skipped "$(kind_of "$file")" && continue
    recorded sweep "$file" --seeds 1..10 --until-failure --timeout 60
    status=$?
    if grep -q '^# Needs' "$file" && is_missing; then
        skip "$file" "$(head -n 1 "$work/err")"
        continue
    fi
    if [ $status -eq 0 ] && grep -q '^# Rate:.*on a loaded machine' "$file"; then
        skip "$file" "not met with ten seeds; it takes a loaded machine"
        continue
    fi
    verdict $((status != 1)) "$file is found with one of ten seeds"
    [ $status -eq 1 ] || { cat "$work/err"; head -c 2000 "$work/out"; }
done
# In a few seconds there may be no fault, and then nothing was tried.
control() { # file
    for times in 1 3 6; do
        recorded run "$1" --set workload.duration="$((times * SECONDS_EACH))s" --timeout 60
        status=$?
        [ $status -eq 3 ] && grep -q '^verdict .* the database felt no fault' "$work/out" || break
    done
}

for file in scenarios/databases/controls/*.toml; do
    is_skipped "$(kind_of "$file")" && continue
    control "$file"
    if grep -q '^# Needs' "$file" && is_missing; then
        skip "$file" "$(head -n 1 "$work/err")"
        continue
    fi
    verdict $((status != 0)) "$file stays clean"
    [ $status -eq 0 ] || { cat "$work/err"; head -c 2000 "$work/out"; }
done
finish
