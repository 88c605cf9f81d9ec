#!/bin/sh
# What Ordeal is not written for is refused by name, before anything is compiled.
set -u
cd "$(dirname "$0")/../.." || exit 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc=${CC:-gcc}

expect() { # sentence, compiler, what must be said
    if CC=$2 tools/deps.sh build >"$work/out" 2>&1; then
        echo "not ok - $1"
        echo "    accepted: $2"
    elif grep -qF -e "$3" "$work/out"; then
        echo "ok - $1"
    else
        echo "not ok - $1"
        echo "    wanted: $3"
        sed 's/^/    /' "$work/out"
    fi
}

mkdir "$work/z3" "$work/pg"
printf '#define Z3_MAJOR_VERSION 4\n#define Z3_MINOR_VERSION 11\n#define Z3_BUILD_NUMBER 2\n' \
    >"$work/z3/z3_version.h"
echo '#define PG_MAJORVERSION "16"' >"$work/pg/pg_query.h"
expect "a Z3 of another version is refused" "$cc -I$work/z3" "Z3 4.11.2 is installed"
expect "a libpg_query of another version is refused" "$cc -I$work/pg" "libpg_query 16 is installed"
expect "a compiler for 32 bits is refused" "$cc -m32" "Ordeal needs 64"

if CC=$cc tools/deps.sh build >"$work/out" 2>&1; then
    echo "ok - what this machine has is accepted"
else
    echo "not ok - what this machine has is accepted"
    sed 's/^/    /' "$work/out"
fi

# Somebody may say -m32 where only the compiler sees it.
if echo '#include "base/error.h"' | $cc -m32 -ffreestanding -I. -fsyntax-only -xc - 2>"$work/out"; then
    echo "not ok - no file compiles for 32 bits"
elif grep -q 'needs a machine and a compiler of 64 bits' "$work/out"; then
    echo "ok - no file compiles for 32 bits"
else
    echo "not ok - a compiler for 32 bits is told why it cannot"
    sed 's/^/    /' "$work/out"
fi
