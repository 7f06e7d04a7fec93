#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# What verbs do to the files of a user: no result replaces an input or another result, whatever names they have; nothing is
# written through the link of another user, or removed that was not the program's own; no program of a folder is run because a
# user works there.
# usage: test_files.sh [CHECK...]      default: all of them, see the end
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash files
postroad=$PWD/build/postroad
holder=
trap '[ -z "$holder" ] || kill "$holder" 2>/dev/null; rm -rf "$directory"' EXIT
ulimit -f unlimited

put_mesh() { printf '[mesh]\ntopology=grid\nsize=2x2\n' >"$1"; }

# kept STATUS TEXT FILE COMMAND...: it is refused, and the file stays what it was.
kept() {
    local before
    before=$(sha256sum "$3")
    expect "$1" "$2" "${@:4}"
    [ "$before" = "$(sha256sum "$3")" ] || fault "changed: $3, by ${*:4}"
}

read_and_written='this file is read, expected another one to write'
written_twice='would be written twice, expected different ones'

check_latency() {
    local option
    printf '[mesh]\ntopology=grid\nsize=2x1\n[links]\nboard=yes\n' >pair.mesh
    printf '[testbed]\nmesh=pair.mesh\n[board a]\ntype=icebreaker\n[board b]\ntype=icebreaker\n' >bench.ini
    printf '[cables]\na.east=b.west\n' >>bench.ini
    printf 'Time,a.east\n0,0\n0.000001,1\n0.000002,0\n' >same.csv
    echo '{}' >other.json
    ln same.csv hard.csv
    ln -s same.csv soft.csv
    for option in --html --svg; do
        kept 1 "same.csv: $read_and_written" same.csv "$postroad" latency same.csv --testbed bench.ini $option same.csv
        kept 1 "$read_and_written" same.csv "$postroad" latency same.csv --testbed bench.ini $option ./hard.csv
        kept 1 "$read_and_written" same.csv "$postroad" latency soft.csv --testbed bench.ini $option "$PWD/same.csv"
        kept 1 "$read_and_written" bench.ini "$postroad" latency same.csv --testbed bench.ini $option bench.ini
        kept 1 "$read_and_written" other.json \
            "$postroad" latency same.csv --testbed bench.ini --simulated other.json $option other.json
        # bench.ini names this one.
        kept 2 "$read_and_written" pair.mesh "$postroad" latency same.csv --testbed bench.ini $option pair.mesh
    done
    expect 1 "z: this file $written_twice" "$postroad" latency same.csv --testbed bench.ini --html z --svg ./z
    [ ! -e z ] || fault "z is there"
    expect 3 'no line shows frames' "$postroad" latency same.csv --testbed bench.ini --html z --svg /dev/null
    [ -s z ] || fault "no page"
    mkfifo pipe
    expect 1 'no ordinary file, which it has to be to be read twice' "$postroad" latency pipe --testbed bench.ini
    expect 1 'no ordinary file' "$postroad" trace 0 1 --capture pipe --testbed bench.ini
}

check_sim() {
    local names
    put_mesh m.mesh
    printf '0 0 1 8\n' >t,1.trace
    cp t,1.trace t-links.svg
    for names in "--csv m.mesh" "--waves m.mesh" "--firmware m.mesh --csv m.mesh"; do
        # shellcheck disable=SC2086  # words
        kept 1 "$read_and_written" m.mesh "$postroad" sim m.mesh --packets 10 $names
    done
    kept 1 "$read_and_written" t,1.trace "$postroad" sim m.mesh --traffic trace:t,1.trace --csv t,1.trace
    kept 1 "$read_and_written" t-links.svg "$postroad" sim m.mesh --traffic trace:t-links.svg --plot t
    for names in "--csv x --waves x" "--csv x-links.svg --plot x" "--csv x.sr --capture x.sr,rate=24m"; do
        # shellcheck disable=SC2086  # words
        expect 1 "$written_twice" "$postroad" sim m.mesh --packets 10 $names
    done
    if compgen -G 'x*'; then fault "files are left"; fi
    expect 0 '1 of 1 deliveries' "$postroad" sim m.mesh --engine functional --traffic trace:t,1.trace
    put_mesh '=cmd|x.mesh'
    expect 0 '(^|,)\./=cmd\|x.mesh,' "$postroad" sim '=cmd|x.mesh' --engine functional --packets 10 --csv -
    said=$(ulimit -v 20000 && "$postroad" sim hw/mesh/grid-4x4.mesh --packets 10 2>&1)
    if grep -q 'error [0-9]' <<<"$said"; then fault "without memory: $said"; fi
}

check_others() {
    printf '[mesh]\ntopology=grid\nsize=2x1\n[links]\nboard=yes\n' >e.mesh
    kept 1 "$read_and_written" e.mesh "$postroad" enroll e.mesh --output e.mesh --force
    ln e.mesh testbed.sr
    kept 1 "$read_and_written" e.mesh "$postroad" capture e.mesh --output testbed.sr
    kept 1 "$read_and_written" e.mesh "$postroad" up e.mesh --capture testbed.sr,rate=24m
    cp "$tree/build/firmware/node.elf" image
    openssl genpkey -algorithm ed25519 -out image.sig
    chmod 600 image.sig
    kept 2 "$read_and_written" image.sig "$postroad" sign image --key image.sig --number 1
}

# A name that another user has made first, where both can write.
check_links() {
    put_mesh m.mesh
    echo precious >victim
    for name in histogram links; do ln -s victim "p-$name.svg.new"; done
    expect 0 '' "$postroad" sim m.mesh --quiet --engine functional --packets 50 --plot p
    [ "$(cat victim)" = precious ] || fault "written through a link: $(head -c 40 victim)"
    [ -f p-links.svg ] && [ ! -L p-links.svg ] || fault "no picture"
    grep -q '</svg>' p-links.svg || fault "half a picture"
    printf '0 0 1 8\n' >"t'.system('touch pwned').'.trace"
    expect 0 '' "$postroad" sim m.mesh --quiet --engine functional --traffic "trace:t'.system('touch pwned').'.trace" --plot p
    [ ! -e pwned ] || fault "gnuplot runs a name"
    grep -qF "packets of t'.system('touch pwned').'.trace" p-links.svg || fault "the name is not in the picture"
}

# Only what the program itself has written there.
check_checkpoint() {
    local own=(part-1.tex part-list.csv part-7-0x part-07-0 part-7 manifest.txt manifest.1.new.txt other.txt) file
    put_mesh m.mesh
    mkdir -m 700 kept
    for file in "${own[@]}"; do echo thesis >"kept/$file"; done
    touch kept/part-7-0 kept/manifest.123.new kept/manifest.123-4.new
    expect 0 '' "$postroad" sim m.mesh -q --engine functional --packets 5000 --checkpoint kept,every=20000
    for file in "${own[@]}"; do
        [ "$(cat "kept/$file")" = thesis ] || fault "removed: $file"
    done
    [ "$(find kept -type f | wc -l)" = $((${#own[@]} + 2)) ] || fault "kept: $(ls kept)"
    expect 0 'program' "$postroad" sim --help
}

# A program that lies outside of its tree takes none that is around the working folder, and none that others could have written.
check_stranger() {
    mkdir -p bin stranger/sim stranger/meshes
    cp "$postroad" bin/postroad
    touch stranger/sim/rules.mk
    printf 'build/sim/%%/site.so:\n\ttouch pwned; false\n' >stranger/Makefile
    put_mesh stranger/meshes/m.mesh
    cd stranger/meshes || exit
    expect 1 'no sim/rules.mk above this program' ../../bin/postroad sim m.mesh --packets 10
    cd ../..
    mkdir stranger/bin
    cp "$postroad" stranger/bin
    chmod o+w stranger/Makefile
    expect 1 'this user or to root and which no other can write to' stranger/bin/postroad sim stranger/meshes/m.mesh
    chmod o-w stranger/Makefile
    if [ "$(id -u)" = 0 ]; then
        chown 65534 stranger/sim/rules.mk
        expect 1 'which belongs to this user or to root' stranger/bin/postroad sim stranger/meshes/m.mesh
        chown 0 stranger/sim/rules.mk
    fi
    [ ! -e stranger/pwned ] || fault "a stranger's Makefile was run"
    expect 1 'make build/sim/.* failed' stranger/bin/postroad sim stranger/meshes/m.mesh
}

# Another process builds: a set that is up to date does not wait for it, another one says so and can be interrupted.
check_waiting() {
    local set=fabric-cutthrough-16-4-4-64
    rm -rf "$tree/build/sim/$set"
    put_mesh ready.mesh
    printf '[mesh]\ntopology=grid\nsize=2x2\n[buffers]\ndownstream=4\nupstream=64\n' >new.mesh
    flock --no-fork "$tree/build/sim/lock" sleep 60 &
    holder=$!
    within_time is_locked "$tree/build/sim/lock"
    EXPECT_SECONDS=60 expect 0 '' "$postroad" sim ready.mesh --quiet --packets 10
    for signal in INT TERM; do
        start said "$postroad" sim new.mesh --packets 10
        await said 'waits for another build'
        kill -$signal "${helpers[-1]}"
        wait "${helpers[-1]}"
        [ $? = 130 ] || fault "SIG$signal while it waits: $(cat said)"
        if grep -q 'expected a folder' said; then fault "a wrong reason: $(cat said)"; fi
    done
    start said "$postroad" up new.mesh --nodes native
    await said 'waits for another build'
    kill -INT "${helpers[-1]}"
    wait "${helpers[-1]}"
    [ $? = 130 ] || fault "up while it waits: $(cat said)"
    kill $holder
    wait $holder 2>/dev/null
    rm -rf "$tree/build/sim/$set"
}
is_locked() { ! flock --nonblock "$1" true; }

tree=$PWD
work=$directory
checks=("$@")
[ $# -gt 0 ] || checks=(latency sim others links checkpoint stranger waiting)
for check in "${checks[@]}"; do
    mkdir "$work/$check"
    cd "$work/$check" || exit
    "check_$check"
done
echo "$faults faults"
[ "$faults" = 0 ]
