#!/bin/sh
# fresh SUITE [as root|as user] [COMMAND...]: does a new machine with this release do what the README says?
#
#     tools/fresh.sh trixie                       both, one after the other
#     tools/fresh.sh bookworm as user 'make run'  another command
#
# Makes the smallest root that debootstrap can, from the mirror that apt names on this machine, with `make`
# and nothing else; unpacks the commit that is checked out, and runs there the two commands of the README,
# each with its time. As root they install what is missing; the user has the packages, but no sudo.
#
# Needs root, debootstrap, and a mirror that has the suite; where one of them is missing it says so, and
# exits with 77. The root stands in FRESH_DIR (default: a folder of /var/tmp, removed at the end). What the commands
# print is kept there beside it, in *.log, if one fails or if FRESH_DIR is given.
set -eu
cd "$(dirname "$0")/.."

suite=${1:?names a release: bookworm, trixie}
shift
who="root user"
if [ "${1:-}" = as ]; then
    who=$2
    shift 2
fi
[ $# -gt 0 ] || set -- "make run" "make check"

skip() { echo "fresh: $suite: skipped: $*"; exit 77; }

[ "$(id -u)" -eq 0 ] || skip "only root can make a root"
command -v debootstrap >/dev/null || skip "there is no debootstrap"
command -v apt-get >/dev/null || skip "there is no apt to name a mirror"

work=$(mktemp -d)
dir=${FRESH_DIR:-$(mktemp -d /var/tmp/ordeal-fresh.XXXXXX)}
root=$dir/$suite
# shellcheck disable=SC2317 # it is called by the trap
clean() {
    rm -rf "$work"
    [ -n "${FRESH_DIR:-}" ] || rm -rf "$root"
    [ -n "${FRESH_DIR:-}" ] || rmdir "$dir" 2>/dev/null || echo "fresh: see $dir/*.log"
}
trap clean EXIT
trap 'exit 130' INT TERM
# shellcheck source=tools/mirrors
. tools/mirrors

# --- The root --------------------------------------------------------------------------

has_suite() { # mirror
    /usr/lib/apt/apt-helper download-file "${1%/}/dists/$suite/InRelease" "$work/release" >/dev/null 2>&1
}

find_mirror() { # sets mirror and keyring
    mirrors >"$work/mirrors"
    while IFS='|' read -r mirror _ entry; do
        case $mirror in *security*) continue ;; esac
        keyring=$(entry_options "$entry" | sed -n 's/.*signed-by=\([^] ]*\).*/\1/p')
        ! has_suite "$mirror" || return 0
    done <"$work/mirrors"
    return 1
}

# What apt needs here to reach the mirror, it needs there too.
carry_settings() {
    cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
    apt-config dump | grep -i '^Acquire::\(https\?\|ftp\)::proxy\|^Acquire::Check-Valid-Until' \
        >"$root/etc/apt/apt.conf.d/90fresh" || true
}

make_root() {
    mkdir -p "$dir"
    debootstrap --variant=minbase --include=make ${keyring:+--keyring="$keyring"} \
        "$suite" "$root" "$mirror" >"$dir/$suite-debootstrap.log" 2>&1 || {
        tail -n 5 "$dir/$suite-debootstrap.log"
        echo "fresh: $suite: not ok: debootstrap fails"
        exit 1
    }
    carry_settings
}

find_mirror || skip "no mirror of this machine has $suite"
[ -e "$root/bin/make" ] || make_root

# --- The commands ----------------------------------------------------------------------

# Its processes and mounts end with it.
inside() { # user, command
    # shellcheck disable=SC2016
    unshare --mount --pid --fork sh -c '
        mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" &&
            exec chroot "$1" su - "$2" -c "cd ordeal && $3"' sh "$root" "$1" "$2" </dev/null
}

unpack_as() { # user, its folder
    rm -rf "$root$2/ordeal"
    mkdir -p "$root$2/ordeal"
    git archive HEAD | tar -x -C "$root$2/ordeal"
    chroot "$root" chown -R "$1" "$2/ordeal"
}

commands_as() { # user, commands...
    user=$1
    shift
    for command in "$@"; do
        number=$((number + 1))
        log=$dir/$suite-$user-$number.log
        began=$(date +%s)
        status=0
        inside "$user" "$command" >"$log" 2>&1 || status=$?
        took=$(($(date +%s) - began))
        if [ $status -eq 0 ]; then
            echo "fresh: $suite as $user: ok: $command: $took s: $(tail -n 1 "$log")"
            [ -n "${FRESH_DIR:-}" ] || rm "$log"
        else
            echo "fresh: $suite as $user: not ok: $command: $took s: exit status $status"
            tail -n 20 "$log" | sed 's/^/    /'
            failed=1
        fi
    done
}

number=0
failed=0
echo "fresh: $suite: $(sed -n 's/^PRETTY_NAME=//p' "$root/etc/os-release"), commit $(git rev-parse --short=12 HEAD)"
for each in $who; do
    case $each in
        root)
            unpack_as root /root
            commands_as root "$@"
            ;;
        user)
            # The packages are there, by root's run of before or now.
            unpack_as root /root
            inside root 'make deps' >"$dir/$suite-deps.log" 2>&1 || {
                tail -n 5 "$dir/$suite-deps.log"
                echo "fresh: $suite: not ok: make deps fails"
                exit 1
            }
            chroot "$root" id ordeal >/dev/null 2>&1 || chroot "$root" useradd -m ordeal
            unpack_as ordeal /home/ordeal
            commands_as ordeal "$@"
            ;;
        *) echo "fresh: as root or as user, not $each" >&2; exit 2 ;;
    esac
done
exit $failed
