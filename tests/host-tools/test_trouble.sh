#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# What goes wrong around a mesh: an image that has no room for it, a directory that is none of its own, a gateway that falls
# silent, descriptors and disks that are short, a start that takes long. Each is refused or survived, with one true line.
# usage: test_trouble.sh [CHECK...]      default: all of them, see the end
# needs: build/tests/host-tools/imitate
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash trouble
imitate=build/tests/host-tools/imitate
base=$directory/postroad-$(id -u)
mesh=$directory/pair.mesh

# shellcheck disable=SC2317  # the trap calls it
end() {
    end_helpers
    if mountpoint --quiet "$directory/small"; then
        XDG_RUNTIME_DIR=$directory/small "$postroad" down --all --quiet 2>/dev/null
        umount "$directory/small"
    fi
    tidy_up
}
trap end EXIT

up() { expect 0 '^up:' "$postroad" up "$mesh" "$@"; }

down() {
    expect 0 '' "$postroad" down
    if compgen -G "$base/*" >/dev/null; then fault "files are left: $(ls -R "$base")"; fi
}

mesh_of() { printf '[mesh]\ntopology=grid\nsize=%s\nword_width=16\n%b' "$2" "${3:-}" >"$directory/$1.mesh"; }

# The limits are in the image itself: hello has them as node has.
check_image_limits() {
    local image
    mesh_of many 16x16
    mesh_of long 2x1 '[buffers]\nmax_packet=129\n'
    mesh_of fits 2x1 '[buffers]\nmax_packet=128\n'
    mesh_of small 2x1 '[site]\nram_bytes=32768\n'
    for image in build/firmware/{node,hello}.{elf,hex}; do
        expect 1 'built for 64 sites, the mesh has 256: .*--nodes native, .*SITES_MAX=256$' \
            "$postroad" up "$directory/many.mesh" --firmware "$image"
        expect 1 'built for 128 words a packet, the mesh has 129: .* PACKET_WORDS=129$' \
            "$postroad" up "$directory/long.mesh" --nodes qemu:1,native --firmware "$image"
        expect 1 'needs memory .*expected at most the 32768 bytes of RAM' \
            "$postroad" up "$directory/small.mesh" --firmware "$image"
        [ "$(wc -l <<<"$said")" = 1 ] || fault "more than one line: $said"
    done
    expect 1 'firmware/node.elf: the image is built for 64 sites' "$postroad" up "$directory/many.mesh"
    # One that would fit, but was built for more.
    printf '.globl _start\n_start: j _start\n.globl pr_image_ram_bytes\n.set pr_image_ram_bytes, 65536\n' >"$directory/tiny.s"
    riscv64-unknown-elf-gcc -march=rv32i -mabi=ilp32 -nostdlib -Wl,-N,--no-warn-rwx-segments,-Ttext=0x80000000 \
        -o "$directory/tiny.elf" "$directory/tiny.s"
    expect 1 'built for 65536 bytes of RAM, the mesh has 32768: .* RAM_BYTES=32768$' \
        "$postroad" up "$directory/small.mesh" --firmware "$directory/tiny.elf"
    if [ -e "$base" ]; then fault "files are left: $(ls -R "$base")"; fi
    expect 0 '^up:' "$postroad" up "$directory/many.mesh" --nodes native
    down
    expect 0 '^up:' "$postroad" up "$directory/many.mesh" --reliable 0 --nodes qemu:0,native
    down
    expect 0 '^up:' "$postroad" up "$directory/fits.mesh" --nodes qemu
    down
}

check_directories() {
    local mine=$directory/mine names='pid log control site-1 image-2.elf qemu-0.port' name
    mkdir "$mine"
    for name in $names; do echo 1 >"$mine/$name"; done
    expect 1 "$mine is no run directory, expected \.\.\./postroad-$(id -u)/NAME" "$postroad" down "$mine"
    expect 2 'is no run directory' "$postroad" map --gateway "up:$mine"
    [ "$(find "$mine" -type f | wc -l)" = 6 ] || fault "down has removed files: $(ls "$mine")"
    up --nodes native
    touch "$base/pair/"{site-notes,image-1.png,image-all.elf.old,qemu-1}
    expect 0 '' "$postroad" down "$base/pair"
    [ "$(find "$base/pair" -type f | wc -l)" = 4 ] || fault "down has removed files that up did not make: $(ls "$base/pair")"
    rm -r "$base/pair"
    chmod 777 "$base"
    expect 1 "$base is a directory .* with mode 0777, expected .*XDG_RUNTIME_DIR" "$postroad" up "$mesh" --nodes native
    chmod 700 "$base"
}

# The daemon of a directory that was removed does not take that of its successor with it.
check_orphan() {
    local orphan
    up --nodes native
    orphan=$(cat "$base/pair/pid")
    rm -r "$base/pair"
    up --nodes native
    kill "$orphan"
    within_time test ! -e "/proc/$orphan/fd/0" || fault "a daemon whose directory is gone does not end"
    expect 0 '2 of 2 sites' "$postroad" map
    down
}

# connected NUMBER: so many clients, by what the kernel has of the daemon's socket beside the one that listens.
connected() { [ "$(grep -c "$base/pair/control" /proc/net/unix)" = $((1 + $1)) ]; }

# Clients of the daemon's own socket that ask for nothing: eight fill it until they are hung up on.
check_silent_clients() {
    local number
    mkfifo "$directory/nothing"
    exec {nothing}<>"$directory/nothing"
    up --nodes core:1,native
    "$imitate" node -w "$base/pair/control" <&$nothing &
    helpers+=($!)
    within_time connected 1 || fault 'the silent client is not connected'
    expect 0 'loaded: site 1' "$postroad" load 1 build/firmware/node.elf
    kill "${helpers[-1]}"
    within_time connected 0 || fault 'the daemon keeps a client that is gone'
    for number in {1..8}; do
        "$imitate" node -w "$base/pair/control" <&$nothing &
        helpers+=($!)
    done
    for number in {1..40}; do # on a busy machine the first is gone before the last has come
        ! connected 8 || break
        sleep 0.1
    done
    expect 0 'loaded: site 1' "$postroad" load 1 build/firmware/node.elf
    exec {nothing}<&-
    down
}

# has_worked PROCESS: for 50 ms at least.
has_worked() { [ "$(processor_ticks "$1")" -ge 5 ]; }

# A gateway that falls silent in the middle of many requests.
check_silent_gateway() {
    local fake verb
    for verb in 'send 1 --count 100000 --quiet' 'ping 1 --count 100000'; do
        start "$directory/fake.log" "$imitate" node -R "$directory/fake"
        fake=${helpers[-1]}
        await "$directory/fake.log" ready
        # shellcheck disable=SC2086  # words on purpose
        timeout 100 "$postroad" $verb --timeout 1 --gateway "unix:$directory/fake" >"$directory/said" 2>&1 &
        helpers+=($!)
        within_time has_worked "$fake" || fault "$verb asks for nothing"
        kill -STOP "$fake"
        wait "${helpers[-1]}"
        expect 0 '' test $? = 5
        grep -Eq 'any more: of 100000 requests [0-9]+ were answered, [1-9][0-9]* not within 1 s, and' "$directory/said" ||
            fault "$verb does not report that its gateway is silent: $(tail -n 3 "$directory/said")"
        kill "$fake"
        kill -CONT "$fake"
        wait "$fake" 2>/dev/null
        rm -f "$directory/fake"
    done
}

# A mesh whose daemon is held in a call: its `up` says nothing yet.
check_slow_start() {
    local up status
    cat >"$directory/slow.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
static void hold(const char *name)
{
    if (strcmp(getenv("SLOW"), name) != 0)
        return;
    close(open(getenv("HELD"), O_CREAT | O_WRONLY, 0600));
    usleep(3000000);
}
pid_t setsid(void)
{
    hold("setsid");
    return ((pid_t(*)(void))dlsym(RTLD_NEXT, "setsid"))();
}
int bind(int file, const struct sockaddr *address, socklen_t length)
{
    hold("bind");
    return ((int (*)(int, const struct sockaddr *, socklen_t))dlsym(RTLD_NEXT, "bind"))(file, address, length);
}
END
    "${CC:-cc}" -shared -fPIC -o "$directory/slow.so" "$directory/slow.c" || fault "no slow.so"
    local -x HELD=$directory/held
    SLOW=bind LD_PRELOAD=$directory/slow.so "$postroad" up "$mesh" --nodes native >"$directory/up" 2>&1 &
    up=$!
    await "$base/pair/pid" '[0-9]'
    expect 2 "the mesh in $base/pair is starting" "$postroad" send 1 --data hello
    expect 0 '' "$postroad" down
    wait $up
    # Before the daemon has a process group of its own.
    rm -f "$HELD"
    SLOW=setsid LD_PRELOAD=$directory/slow.so timeout --foreground --signal=KILL 20 "$postroad" up "$mesh" --nodes native \
        >"$directory/up" 2>&1 &
    up=$!
    within_time test -e "$HELD" || fault "no daemon starts"
    kill -TERM $up
    wait $up
    status=$?
    [ $status = 130 ] || fault "SIGTERM while the daemon starts gives status $status: $(cat "$directory/up")"
    expect 1 'no mesh is up' "$postroad" down
}

# SIGTERM that comes when the daemon is about to wait, and that another thread handles: the wait has to end all the same.
check_signal_before_wait() {
    cat >"$directory/early.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
static void *take_signal(void *unused)
{
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    raise(SIGTERM);
    return unused;
}
int ppoll(struct pollfd *files, nfds_t count, const struct timespec *time, const sigset_t *mask)
{
    int (*wait)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *) = dlsym(RTLD_NEXT, "ppoll");
    static int signalled;
    pthread_t thread;
    if (!time && !signalled++ && pthread_create(&thread, NULL, take_signal, NULL) == 0)
        pthread_join(thread, NULL);
    return wait(files, count, time, mask);
}
END
    "${CC:-cc}" -shared -fPIC -o "$directory/early.so" "$directory/early.c" || fault "no early.so"
    expect 0 '^up:' env LD_PRELOAD="$directory/early.so" "$postroad" up "$mesh" --nodes native
    within_time test ! -e "$base/pair" || fault "a daemon that was signalled before it waited does not end"
}

check_descriptors() {
    local number limited="ulimit -n 32; exec $postroad up $mesh --nodes native" client ticks nothing
    mkfifo "$directory/silence"
    exec {nothing}<>"$directory/silence"
    expect 0 '^up:pair$' bash -c "$limited"
    for number in {1..40}; do
        start "$directory/crowd.$number" "$postroad" listen 0
    done
    within_time grep -qs 'as many clients wait there as can' "$directory"/crowd.* || fault "no client is refused"
    expect 2 'as many clients wait there as can' "$postroad" map --timeout 1
    "$imitate" node -w "$base/pair/control" <&$nothing &
    helpers+=($!)
    ticks=$(processor_ticks "$(cat "$base/pair/pid")")
    sleep 2
    ticks=$(($(processor_ticks "$(cat "$base/pair/pid")") - ticks))
    [ $ticks -lt 50 ] || fault "a daemon without descriptors used $ticks ticks in 2 s"
    for client in "${helpers[@]: -41}"; do
        kill "$client" 2>/dev/null
        wait "$client"
    done
    exec {nothing}<&-
    expect 0 '2 of 2 sites' "$postroad" map
    down
    local close_all='for ((d = 3; d < 256; d++)); do eval "exec $d>&-"; done' # that this test was started with
    expect 1 'Too many open files' bash -c "$close_all; ulimit -n 6; exec $postroad up $mesh --nodes native"
    if compgen -G "$base/*" >/dev/null; then fault "files are left where descriptors are short"; fi
}

# No room for the images: no site is touched, and nothing is left of them. No room at all: nothing starts.
check_full_disk() {
    local small=$directory/small run there
    there=(env XDG_RUNTIME_DIR="$small" "$postroad")
    mkdir "$small"
    if [ "$(id -u)" != 0 ] || ! mount -t tmpfs -o size=4m,mode=700 none "$small" 2>/dev/null; then
        echo "skipped: only root can mount a small file system"
        return
    fi
    run=$small/postroad-$(id -u)/pair
    expect 0 '^up:pair$' "${there[@]}" up "$mesh" --nodes core,qemu:1
    head -c 4m /dev/zero >"$small/filler" 2>/dev/null
    expect 2 'no site is loaded: .*/image-0.*: No space left' "${there[@]}" load all build/firmware/node.elf
    truncate -s "-$(cat build/firmware/node.{elf,hex,hex} | wc -c)" "$small/filler" # room for one of two
    expect 2 'no site is loaded: .*/image-1.*: No space left' "${there[@]}" load all build/firmware/node.elf
    if compgen -G "$run/image-[01].*" >/dev/null; then fault "images are left: $(ls "$run")"; fi
    expect 0 '2 of 2 sites' "${there[@]}" map
    expect 0 '"peers_restarted":' "${there[@]}" stats --json
    if grep '"peers_restarted":[[:space:]]*[1-9]' <<<"$said"; then fault "a site was touched"; fi
    expect 0 '' "${there[@]}" down
    head -c 4m /dev/zero >>"$small/filler" 2>/dev/null
    expect 1 'No space left' "${there[@]}" up "$mesh" --nodes native
    if [ -e "$run" ]; then fault "files are left on a full disk: $(ls -R "$run")"; fi
    umount "$small"
}

check_bauds() {
    local baud
    for baud in 99999999999 4294976896 0 -1 '' 1e6; do
        expect 1 'expected tty:PATH or tty:PATH@BAUD' "$postroad" map --gateway "tty:/dev/null@$baud"
    done
}

mesh_of pair 2x1
[ $# -gt 0 ] || set -- image_limits directories orphan silent_clients silent_gateway slow_start signal_before_wait descriptors \
    full_disk bauds
run_checks "$@"
