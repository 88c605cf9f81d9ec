#!/bin/sh
# keep FILE TEXT: writes TEXT to FILE, unless that is what it says already, so
# that make sees a new file only when the text is new.
set -eu
mkdir -p "$(dirname "$1")"
printf '%s\n' "$2" | cmp -s - "$1" || printf '%s\n' "$2" >"$1"
