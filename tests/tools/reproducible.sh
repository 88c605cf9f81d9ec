#!/bin/sh
# reproducible [whole]: the same sources in two folders give the same bytes.
#
# A few objects are compared: what holds for them holds for all, since they are compiled alike, and
# a link adds nothing of its own. With `whole`, as in `make soak`, the program and the library are.
set -u
cd "$(dirname "$0")/../.." || exit 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CCACHE_DISABLE=1

# With assertions, debug information, a version, and headers of a system folder of build/.
targets="build/release/obj/base/arena.o build/release/obj/base/version.o build/release/obj/trial/scenario/toml.o"
[ "${1:-}" != whole ] || targets="build/release/ordeal build/release/libordeal.a"

deps=$(realpath "${BUILD:-build}/deps")

build_in() { # folder
    mkdir -p "$1/build"
    tar -cf - --exclude=./build --exclude=./.git . | tar -xf - -C "$1"
    # Whole means tomlc99 too, from its sources.
    if [ "${2:-}" = whole ]; then export TOMLC99_DIR="$deps/toml"; else cp -r "$deps" "$1/build/"; fi
    # shellcheck disable=SC2086
    (cd "$1" && env -u MAKEFLAGS -u MAKELEVEL make BUILD=build JOBS="${JOBS:-1}" $targets) >"$work/log" 2>&1 ||
        { echo "not ok - it builds in $1"; tail -n 20 "$work/log" | sed 's/^/    /'; exit 1; }
}

failed=0
build_in "$work/one" "$@"
build_in "$work/another/of/them" "$@"
for target in $targets; do
    if cmp "$work/one/$target" "$work/another/of/them/$target"; then
        echo "ok - $target is the same in two folders"
    else
        echo "not ok - $target is the same in two folders"
        failed=1
    fi
done
exit $failed
