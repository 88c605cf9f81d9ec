#!/bin/sh
# recipes: every database of `ordeal record recipes` in each topology for a few seconds, and every scenario of scenarios/databases.
#
# A violation must be found with one of ten seeds; a control must stay clean. A database whose server is not there is
# skipped, with the words that say so; REQUIRED lists those that may not be (all of: postgres mariadb sqlite).
. "$(dirname "$0")/../cli/helpers"

: "${REQUIRED=postgres mariadb sqlite}"
: "${SECONDS_EACH=2}"
cd "$root" || exit 1
skipped=

# Whether the last command says that there is no server or library.
is_missing() { grep -aqE 'there is no .* on this machine|install the package|tools/deps.sh databases|cannot be loaded' "$work/err"; }

# skip NAME: it is fine unless the database is required.
skip() {
    skipped="$skipped $1"
    echo "# skipped: $1: $(head -n 1 "$work/err")"
    case " $REQUIRED " in
        *" $1 "*) verdict 1 "$1 is on this machine" ;;
    esac
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
            galera/* | duckdb/*) level=snapshot ;;                        # Galera's SERIALIZABLE is each node's own
            postgres/standby | postgres/promote) level=read-committed ;; # two nodes, two orders
        esac
        recorded record "$name" --topology "$topology" --level $level --for "${SECONDS_EACH}s" --clients 6 --timeout 60 --json
        status=$?
        if [ $status -eq 2 ] && is_missing; then
            skip "$name"
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
    if [ $status -ne 1 ] && [ $status -ne 0 ] && grep -q '^# Needs' "$file"; then
        echo "# skipped: $file: $(grep '^# Needs' "$file" | head -n 1)"
        continue
    fi
    verdict $((status != 1)) "$file is found with one of ten seeds"
    [ $status -eq 1 ] || { cat "$work/err"; head -c 2000 "$work/out"; }
done
for file in scenarios/databases/controls/*.toml; do
    is_skipped "$(kind_of "$file")" && continue
    recorded run "$file" --set workload.duration="${SECONDS_EACH}s" --timeout 60
    status=$?
    if [ $status -eq 2 ] && grep -q '^# Needs' "$file"; then
        echo "# skipped: $file: $(grep '^# Needs' "$file" | head -n 1)"
        continue
    fi
    verdict $((status != 0)) "$file stays clean"
    [ $status -eq 0 ] || { cat "$work/err"; head -c 2000 "$work/out"; }
done
finish
