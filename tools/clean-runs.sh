#!/bin/sh
# clean-runs ORDEAL A..B: runs every clean scenario with these seeds. No checker may accuse
# a run, something must commit, and every fault that a scenario asks for must be felt.
set -u
cd "$(dirname "$0")/.." || exit 2

if report=$("$1" sweep scenarios --seeds "$2" -j "${JOBS:-1}" 2>&1); then
    runs=$(printf '%s\n' "$report" | sed -n 's/^runs  *//p')
    echo "ok - ${runs:-no} clean runs keep their word"
else
    printf '%s\n' "$report"
    echo "not ok - clean runs keep their word"
    exit 1
fi
