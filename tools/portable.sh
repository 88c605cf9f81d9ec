#!/bin/sh
# portable [FOLDER]: does Ordeal do on aarch64 what it does here?
#
# Builds it with Debian's cross compiler against Debian's packages for arm64, and runs it with qemu: runs must leave
# the traces of tests/golden, and generated histories, verdicts and witnesses must be those of the program of
# this machine, whose tables of rows and clocks are gone through by vectors.
#
# The packages are unpacked into FOLDER (default: build/aarch64); nothing is installed. Needs a network the first
# time, and gcc-aarch64-linux-gnu with libc6-dev-arm64-cross. What is missing is said, with exit status 77.
set -eu
cd "$(dirname "$0")/.."

build=$(realpath -m "${BUILD:-build}")
folder=$(realpath -m "${1:-$build/aarch64}")
root=$folder/root
packages="libsodium-dev libzstd-dev libcjson-dev libprotobuf-c-dev libpg-query-dev libz3-dev libpq-dev libmariadb-dev libcurl4-openssl-dev libsqlite3-dev"
# Of each kind: transactions, bugs, faults of disks and clocks, replication without leaders, programs.
runs="bank-under-partition 2pl-everything ssi-everything causal-everything eventual-clocks disk-trouble swarm tpcc ping"
failures=0

skip() { echo "portable: skipped: $*"; exit 77; }

verdict() { # STATUS SENTENCE
    if [ "$1" -eq 0 ]; then echo "ok - $2"; else echo "not ok - $2"; failures=$((failures + 1)); fi
}

# apt with folders of its own, and another machine's packages.
apt_of_arm() {
    apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State="$folder/apt" \
        -o Dir::Cache="$folder/apt" -o Dir::State::status=/dev/null -o APT::Sandbox::User="$(id -un)" "$@"
}

fetch() {
    rm -rf "$root" "$folder/apt"
    mkdir -p "$root" "$folder/apt/lists/partial" "$folder/apt/archives/partial"
    cd "$folder/apt"
    # shellcheck disable=SC2086 # many packages
    if ! apt_of_arm update >log 2>&1 ||
        ! apt_of_arm install --download-only --no-install-recommends -y $packages >>log 2>&1; then
        skip "no packages for arm64: $(tail -n 1 log)"
    fi
    [ -n "$(command -v qemu-aarch64-static)" ] ||
        (cd archives && apt-get -qq download qemu-user-static >>../log 2>&1) || skip "there is no qemu-user-static"
    rm -f archives/libc6*.deb archives/libc-*.deb archives/linux-libc-dev*.deb # the compiler has its own
    for package in archives/*.deb; do dpkg-deb -x "$package" "$root"; done
    touch "$root/complete"
    cd - >/dev/null
}

command -v aarch64-linux-gnu-gcc >/dev/null || skip "there is no aarch64-linux-gnu-gcc"
[ -e /usr/aarch64-linux-gnu/include/stdio.h ] || skip "there is no libc6-dev-arm64-cross"
command -v apt-get >/dev/null || skip "there is no apt"
[ -e "$root/complete" ] || fetch
qemu=$(command -v qemu-aarch64-static || echo "$root/usr/bin/qemu-aarch64-static")

libraries=$root/usr/lib/aarch64-linux-gnu
here=$build/release/ordeal there=$folder/release/ordeal
make BUILD="$build" all
# What pkg-config says of this machine's packages are paths of this machine.
export PKG_CONFIG_SYSROOT_DIR="$root" PKG_CONFIG_LIBDIR="$libraries/pkgconfig:$root/usr/share/pkgconfig"
make BUILD="$folder" CC=aarch64-linux-gnu-gcc AR=aarch64-linux-gnu-ar TOMLC99_DIR="$build/deps/toml" \
    CFLAGS="-isystem $root/usr/include" LDFLAGS="-L$libraries -Wl,-rpath-link,$libraries:$root/lib/aarch64-linux-gnu" "$there"

program=$folder/ordeal
cat >"$program" <<END
#!/bin/sh
exec '$qemu' -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH='$libraries:$root/lib/aarch64-linux-gnu' '$there' "\$@"
END
chmod +x "$program"

for name in $runs; do
    golden=$(sed -n "s|^scenarios/$name.toml 1 ||p" tests/golden/traces)
    [ -n "$golden" ] || { verdict 1 "$name is in tests/golden/traces"; continue; }
    status=0
    "$program" run "scenarios/$name.toml" --seed 1 --json --set 'check.checkers=[]' >"$folder/run" || status=$?
    grep -q "\"trace\": *\"$golden\"" "$folder/run" || status=4
    verdict $((status / 4)) "$name leaves on aarch64 the trace that it leaves here"
done

# The same history, verdict and evidence: HISTORY ARGUMENT...
agree() {
    history=$1
    shift
    for which in here there; do
        judge=$here
        [ $which = here ] || judge=$program
        "$judge" check "$history" "$@" -j 1 --json --witness "$folder/$which.witness" >"$folder/$which.json" || :
        sed -i 's/"[a-z_]*seconds":[0-9.]*//g' "$folder/$which.json"
    done
    status=0
    { cmp "$folder/here.json" "$folder/there.json" && cmp "$folder/here.witness" "$folder/there.witness" &&
        [ -s "$folder/here.witness" ]; } || status=1
    verdict $status "check ${history##*/} $* says on aarch64 what it says here"
}

for workload in rw-mix predicate-mix list-append blindw-rw+; do
    history=$folder/$workload.jsonl
    "$here" generate "$workload" --transactions 3000 -o "$history"
    "$program" generate "$workload" --transactions 3000 -o "$folder/there.jsonl"
    status=0
    cmp "$history" "$folder/there.jsonl" || status=1
    verdict $status "generate $workload makes the same bytes"
done
agree "$folder/rw-mix.jsonl" --checker order
agree "$folder/rw-mix.jsonl" --checker weak --level causal
agree "$folder/rw-mix.jsonl" --checker blackbox --version-order 0
agree "$folder/rw-mix.jsonl" --checker infer
agree "$folder/predicate-mix.jsonl" --checker certificate
agree "$folder/predicate-mix.jsonl" --checker blackbox
agree "$folder/list-append.jsonl" --checker interval --profile postgresql/serializable
agree "$folder/blindw-rw+.jsonl" --checker order

[ $failures -eq 0 ]
