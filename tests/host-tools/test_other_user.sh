#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Another user of the machine makes the names in /tmp first that a user's meshes would have, and serves sockets there. No verb
# signals a process that this one names, or believes a mesh that is his; each says whose directory is in the way, and what to do.
# Users here are numbers without accounts, which takes root.
# usage: test_other_user.sh [CHECK...]      default: all of them, see the end
# needs: build/tests/host-tools/imitate
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash other-user
victim=12345
other=65534
# Both reach it, as they do /tmp, with what they run.
shared=$(mktemp -d /tmp/postroad-users.XXXXXX)

# shellcheck disable=SC2317  # the trap calls it
end() {
    tidy_up
    XDG_RUNTIME_DIR=$shared/mine "$postroad" down --all --quiet 2>/dev/null
    rm -rf "$shared"
}
trap end EXIT

as_victim=(setpriv "--reuid=$victim" "--regid=$victim" --clear-groups)
as_other=(setpriv "--reuid=$other" "--regid=$other" --clear-groups)

start() {
    : >"$shared/out" # here, or an earlier text may be read from it
    "$@" >"$shared/out" 2>&1 </dev/null &
    helpers+=($!)
}

# What this user is to be told about the other one's directory.
told="$shared/run/postroad-$victim is a directory of user $other with mode 0777, expected .*XDG_RUNTIME_DIR"

# verb STATUS TEXT ARGUMENT...: postroad as this user, whose run directories are in $shared/run.
verb() {
    local status=$1 text=$2
    shift 2
    expect "$status" "$text" "${as_victim[@]}" env XDG_RUNTIME_DIR="$shared/run" "$shared/postroad" "$@"
}

is_locked() { ! flock --nonblock "$1" true 2>/dev/null; }

await_lock() {
    within_time is_locked "$1" || fault "$1 is not locked"
}

# squat MESH: the other user's pid file, locked, that names this user's process.
squat() {
    mkdir -p "$1"
    echo "$sleeper" >"$1/pid"
    chmod 666 "$1/pid"
    chmod -R a+w "$(dirname "$1")"
    chown -R $other "$(dirname "$1")"
    start "${as_other[@]}" flock --no-fork "$1/pid" sleep 100
    await_lock "$1/pid"
}

sleeps() { kill -0 "$sleeper" 2>/dev/null && ! grep -q '^State:.Z' "/proc/$sleeper/status"; }

# A socket of the other user with a node behind it that answers everything.
serve() {
    start "${as_other[@]}" "$shared/imitate" node -R "$1"
    await "$shared/out" ready
    chmod 777 "$1"
}

check_squatted_base() {
    squat "$shared/run/postroad-$victim/mesh"
    verb 1 "$told" down --timeout 1
    verb 1 "$told" down --timeout 1 --all
    verb 1 "$told" down --timeout 1 mesh
    verb 2 "$told" map
    verb 2 "$told" load 1 "$shared/postroad" --gateway up:mesh
    serve "$shared/run/postroad-$victim/mesh/site-0"
    verb 2 "$told" map --gateway up:mesh
    sleeps || fault "a process of this user was signalled"
    rm -rf "$shared/run/postroad-$victim"
}

# His mesh, under a name in this user's own directory, or named by its path.
check_mesh_of_other() {
    local mine=$shared/run/postroad-$victim his=$shared/his/postroad-$victim
    squat "$his/mesh"
    chmod -R go-w "$his" # nothing is wrong with it but that it is his
    serve "$his/mesh/site-0"
    "${as_victim[@]}" mkdir -m 700 "$mine"
    ln -s "$his/mesh" "$mine/mesh"
    verb 2 "$mine/mesh is a symbolic link" map --gateway up:mesh
    verb 1 "$mine/mesh is a symbolic link" down mesh
    verb 1 'no mesh is up' down --timeout 1
    verb 2 "$his is a directory of user $other" map --gateway "up:$his/mesh"
    verb 1 "$his is a directory of user $other" down "$his/mesh"
    verb 2 "site-0 is served by a process of user $other, expected one of user $victim" map --gateway "unix:$his/mesh/site-0"
    sleeps || fault "a process of this user was signalled"
    rm -rf "$mine"
}

# This user's own directory, but the process that the file names is no daemon: its number has been given anew.
check_number_given_anew() {
    local mine=$shared/run/postroad-$victim
    "${as_victim[@]}" mkdir -m 700 "$mine" "$mine/mesh"
    echo "$sleeper" | "${as_victim[@]}" tee "$mine/mesh/pid" >/dev/null
    start "${as_victim[@]}" flock --no-fork "$mine/mesh/pid" sleep 100
    await_lock "$mine/mesh/pid"
    verb 2 'mesh/pid is locked, but by no daemon' down --timeout 0.1 mesh
    sleeps || fault "a process that is no daemon was signalled"
    rm -rf "$mine"
}

# A daemon of this user whose socket everybody can reach: what the other one asks for is not done.
check_request_of_other() {
    local run there
    run=$shared/mine/postroad-$(id -u)/pair
    there=(env XDG_RUNTIME_DIR="$shared/mine" "$postroad")
    mkdir "$shared/mine"
    printf '[mesh]\ntopology=grid\nsize=2x1\nword_width=16\n' >"$directory/pair.mesh"
    expect 0 '^up:pair$' "${there[@]}" up "$directory/pair.mesh"
    chmod 711 "$(dirname "$run")" "$run"
    chmod 666 "$run/control"
    printf 'load\n1\n%s' "$PWD/build/firmware/node.elf" | "${as_other[@]}" "$shared/imitate" node -w "$run/control" ||
        fault "the other user cannot reach $run/control"
    expect 0 'loaded: site 0' "${there[@]}" load 0 build/firmware/node.elf
    [ -e "$run/image-0.elf" ] || fault "no image of site 0, which was loaded: $(ls "$run")"
    if [ -e "$run/image-1.elf" ]; then fault "a site is loaded for another user"; fi
    expect 0 '' "${there[@]}" down
}

if [ "$(id -u)" != 0 ] || ! "${as_victim[@]}" true 2>/dev/null; then
    echo "skipped: only root can be two users"
    exit 0
fi
umask 022
chmod 755 "$shared"
mkdir -m 1777 "$shared/run" "$shared/his"
cp "$postroad" build/tests/host-tools/imitate "$shared"
start "${as_victim[@]}" sleep 100
sleeper=${helpers[0]}
[ $# -gt 0 ] || set -- squatted_base mesh_of_other number_given_anew request_of_other
run_checks "$@"
