#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# time limit: 300 s
# The tests of the host tools can fail: each bug below restores a defect that postroad has had, or takes a defence away. It is
# planted in a copy of one source, postroad is linked with that in a tree of its own, and the checks beside it have to object.
# `make faults` (tests/faults/result.bash) has all of them planted, `make test` those that say `always`.
# needs: build/libcli.a build/libpostroad.a build/libsim.a build/libfirmware.a build/tests/host-tools/imitate
# needs: build/tests/host-tools/real_ttys.so build/tests/latency/make_capture build/tests/libraries
# needs: build/bitstream/icebreaker/golden/top.bin build/firmware/node.elf
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/faults/result.bash
source tests/faults/result.bash
build=$(realpath "${BUILD:-build}")
work=$(mktemp -d "${TMPDIR:-/tmp}/p.XXXXXX") # short: paths of sockets are
tree=$work/tree
export TMPDIR=$work EXPECT_SECONDS=20
failed=0
planted=0
declare -A sound # what is to be run, and its exit status without a bug

# What a planted postroad has left running, and those that the tests have started to talk to it.
end_leftovers() {
    local environment
    for environment in $(grep -lz "^POSTROAD_PLANTED=$work\$" /proc/[0-9]*/environ 2>/dev/null); do
        kill -KILL "${environment//[!0-9]/}" 2>/dev/null
    done
}
trap 'end_leftovers; rm -rf "$work"' EXIT

fail() {
    echo "FAIL $*"
    failed=1
}

# The tree, but for build/postroad, by links: nothing in it is changed.
make_tree() {
    local part
    mkdir -p "$tree/build"
    for part in *; do [ "$part" = build ] || ln -s "$PWD/$part" "$tree/"; done
    ln -s "$build"/* "$tree/build/"
}

# link PROGRAM SOURCE...: these in place of those of the archives.
link() {
    local folders=(hw/protocol firmware sim boards host-tools tests)
    ${CC:-gcc} -std=c11 -O1 "${folders[@]/#/-I}" -o "$1.new" "${@:2}" "$build"/lib{cli,postroad,sim}.a \
        "$build/libfirmware.a" "@$build/tests/libraries" \
        -Wl,--allow-multiple-definition && mv -f "$1.new" "$1"
}

# build_with TEST SOURCE...: what the test runs, with these sources.
build_with() {
    ln -sf "$build/postroad.lua" "$tree/build/"
    case $1/${2:-} in
        *.c/*) link "$work/test" "${@:2}" "tests/host-tools/$1" tests/check.c ;;
        *.lua) rm "$tree/build/postroad.lua" && cat hw/protocol/console_protocol.lua "$2" >"$tree/build/postroad.lua" ;;
        *) link "$tree/build/postroad" "${@:2}" "$build/objects/host-tools/postroad/main.o" ;;
    esac
}

# run_test TEST [CHECK...]
run_test() {
    local program=tests/host-tools/$1 status
    case $1 in *.c) program=$work/test ;; esac
    (cd "$tree" && POSTROAD_PLANTED=$work timeout 120 "$program" "${@:2}") >"$work/log" 2>&1 </dev/null
    status=$?
    end_leftovers
    return $status
}

# is_sound TEST [CHECK...]: it passes without a bug.
is_sound() {
    if [ -z "${sound[$*]:-}" ]; then
        build_with "$1" && run_test "$@"
        sound[$*]=$?
        [ "${sound[$*]}" = 0 ] || tail -n 5 "$work/log"
    fi
    [ "${sound[$*]}" = 0 ]
}

# caught WHEN WHAT FILE SCRIPT TEST [CHECK...]: the test fails with the bug, and says why. TEST+root: only root can run it.
caught() {
    local when=$1 what=$2 file=$3 script=$4 test=${5%+root} verdict=MISSED copy
    copy=$work/$(basename "$file")
    [ "$when" = always ] || [ -n "${FAULTS_RESULTS:-}" ] || return 0
    if [ "$5" != "$test" ] && [ "$(id -u)" != 0 ]; then
        echo "$what: skipped, only root can be two users"
        return
    fi
    set -- "$test" "${@:6}"
    planted=$((planted + 1))
    sed -E "$script" "$file" >"$copy"
    if cmp -s "$file" "$copy"; then
        fail "$what: the script changes nothing in $file"
    elif ! is_sound "$@"; then
        fail "$what: $* fails without it"
    else
        fault_start
        if ! build_with "$test" "$copy"; then
            fail "$what: does not compile"
        elif run_test "$@"; then
            fail "$what: $* passes with it"
        elif ! grep -m 1 -E 'FAULT|test_.*\.c:' "$work/log" >"$work/why"; then
            fail "$what: $* ends without a word"
        else
            verdict=caught
            echo "$what: $(head -c 160 "$work/why")"
        fi
        fault_result $verdict - "postroad: $what" "$*"
    fi
    rm -f "$copy"
}

make_tree

caught always "others may write to a run directory" host-tools/libpostroad/own_file.c 's/ && !\(status.st_mode & OTHERS_WRITE\)//' \
    test_trouble.sh directories
caught more "a run directory may be another user's" host-tools/libpostroad/own_file.c 's/ && status.st_uid == geteuid\(\)//' \
    test_other_user.sh+root mesh_of_other
caught more "a verb talks to another user's process" host-tools/libpostroad/peer.c 's/else if \(pr_peer_is_own\(descriptor\)\)/else if (true)/' \
    test_other_user.sh+root mesh_of_other
caught more "a console serves another user" host-tools/libpostroad/broker.c 's/descriptor < 0 \|\| pr_peer_is_own\(descriptor\)/true/' \
    test_broker.c+root
caught more "the daemon serves another user" host-tools/daemon/daemon_requests.c 's/descriptor >= 0 && pr_peer_is_own\(descriptor\)/descriptor >= 0/' \
    test_other_user.sh+root request_of_other
caught more "down signals the number in the file" host-tools/libpostroad/run_directory.c \
    's/: holder\(place.file\);/: read_pid(place.file);/; s/holder\(place.file\) == pid && //' \
    test_other_user.sh+root number_given_anew
caught always "a daemon removes its successor's directory" host-tools/libpostroad/run_directory.c \
    's/if \(!still_there\(directory, lock\)\)/if (false)/' test_trouble.sh orphan
caught more "down empties any directory" host-tools/libpostroad/run_directory.c \
    's/ && strncmp\(slash - strlen\(own\), own, strlen\(own\)\) == 0//' test_trouble.sh directories
caught more "the daemon's wait does not watch its signals" host-tools/daemon/daemon.c 's/\.fd = end_event/.fd = -1/' \
    test_trouble.sh signal_before_wait
caught more "the daemon's signals do not end its wait" host-tools/daemon/daemon.c 's/ssize_t written = write\(.*/ssize_t written = 0;/' \
    test_trouble.sh signal_before_wait
caught more "a signal is for the daemon's group alone" host-tools/postroad/up.c 's/^    kill\(child, SIGTERM\);$//' test_trouble.sh slow_start
caught more "silent clients stay for ever" host-tools/daemon/daemon_requests.c 's/silence_limit = 5/silence_limit = 5000/' \
    test_trouble.sh silent_clients
caught more "a silent client holds up the daemon" host-tools/daemon/daemon_requests.c 's/SOCK_CLOEXEC \| SOCK_NONBLOCK\);/SOCK_CLOEXEC);/' \
    test_trouble.sh silent_clients
caught more "a console without descriptors does not rest" host-tools/libpostroad/broker.c 's/pr_client_now\(\) \+ deaf_time/0/' test_broker.c
caught more "a daemon without descriptors does not rest" host-tools/daemon/daemon_requests.c 's/pr_client_now\(\) \+ deaf_time/0/' \
    test_trouble.sh descriptors
caught more "requests to a silent gateway go on" host-tools/cli/pipelined_requests.c \
    's/run->silent = status == PR_CLIENT_OK && !answered;/(void)answered;/' test_trouble.sh silent_gateway
caught more "send --count to a silent gateway goes on" host-tools/cli/pipelined_requests.c \
    's/ && !run->silent/ \&\& (!run->silent || run->requests->once)/' test_trouble.sh silent_gateway
caught more "any image is loaded into any mesh" host-tools/postroad/up.c 's/ check_image\(start\) &&//' test_trouble.sh image_limits
caught more "the image's words a packet do not matter" sim/board/firmware_limits.c 's/mesh->max_packet > room/false/' \
    test_trouble.sh image_limits
caught more "a board that comes back may be another site" host-tools/daemon/backend_boards.c 's/line->identity.site != site/false/' \
    test_up_boards.sh returned_otherwise
caught more "the devices are listed only once" host-tools/testbed/console_ttys.c 's/fresh_time = 0.1/fresh_time = 1e9/' \
    test_up_testbed.sh unplugged
caught more "the node of a board may be any site" host-tools/daemon/backend_boards.c 's/one->site != line->console.site/false/' \
    test_up_testbed.sh refused
caught more "boards of several meshes are one mesh" host-tools/daemon/backend_boards.c 's/if \(!same_mesh\(one, &boards->model\)\)/if (false)/' \
    test_up_boards.sh refused
caught more "a board is looked for only once" host-tools/daemon/board_line.c 's/fmin\(2 \* line->pause, longest_pause\)/1e9/' \
    test_up_boards.sh unplugged
caught more "every discarded packet is an alarm" host-tools/postroad/stats_rank.c 's/(PR_COUNTER_RECEIVED_PACKETS\)) \/ OVERRUN_PARTS/\1 * 0/' \
    test_stats.sh alarms
caught always "the alarm of buffers comes late" host-tools/postroad/stats_rank.c 's/<= PR_OPERATOR_RECEIVE_RESERVE/<= 1/' test_stats.sh alarms
caught more "map asks for what no short packet holds" host-tools/cli/discovery.c \
    's/return fit < PR_SITE_IDENTITY_WORDS \? fit :/return false ? fit :/' test_short_packets.sh
caught always "tables do not fit the terminal" host-tools/cli/table.c 's/if \(width && /if (!width \&\& /' test_terminal.sh tables
caught more "NO_COLOR does not matter" host-tools/cli/terminal.c 's/ \|\| \(refused && \*refused\)//' test_terminal.sh colours
caught more "the bytes of a word change places" host-tools/cli/payload_text.c \
    's/bytes\[i\] \| \((.*)\(uint32_t\)bytes\[i \+ 1\] << 8/(uint32_t)bytes[i] << 8 | (\1bytes[i + 1]/' \
    test_postroad.sh bad_requests
caught more "one of several devices with a serial is taken" host-tools/testbed/board_match.c 's/count == 1\)/count >= 1)/' test_boards.sh
caught more "two boards may be one device" host-tools/testbed/board_match.c 's/out\[k\]\.device == out\[i\]\.device/false/' test_boards.sh
caught more "device numbers are octal" host-tools/testbed/usb_scan.c 's/DECIMAL = 10/DECIMAL = 0/' test_boards.sh
caught more "enroll writes serials that several boards have" host-tools/testbed/enrolment.c 's/same_serial == 1 &&/true \&\&/; s/<= 1;/<= 9;/' \
    test_enroll.sh
caught more "enroll replaces a file" host-tools/postroad/enroll.c 's/ && !options->force/ \&\& false/' test_enroll.sh
caught more "doctor takes no notice of other hosts" host-tools/testbed/board_match.c \
    's/strcmp\(testbed->boards\[k\].host, testbed->boards\[board\].host\) == 0/true/' \
    test_doctor.sh
caught always "ssh stays when its line is closed" host-tools/testbed/remote_line.c 's/kill\(line->process, SIGKILL\);//; s/waitpid\(line.*//' \
    test_up_remote.sh cut
caught more "ssh is awaited" host-tools/testbed/remote_line.c 's/kill\(line->process, SIGKILL\);//' test_up_remote.sh cut
caught more "what ssh says is not reported" host-tools/testbed/remote_line.c 's/length \? \(last \? last \+ 1 : said\) : //' \
    test_up_remote.sh refused
caught more "a line at another host stays without its input" host-tools/postroad/line.c 's/flow->ended = count == 0 \|\| /flow->ended = /' \
    test_up_remote.sh verbs
caught more "a connection that is refused is taken for one" host-tools/libpostroad/stream.c 's/&size\) == 0 && failure == 0/\&size) == 0/' \
    test_up_remote.sh sockets
caught more "the board at another host is any board" host-tools/testbed/console_ttys.c 's/ttys->testbed->boards\[board\].host, list/"", list/' \
    test_up_remote.sh verbs
caught more "any interface has the console" host-tools/testbed/usb_scan.c 's/if \(only\)$/if (false)/' test_up_testbed.sh refused
caught more "only the named interface has a console" host-tools/testbed/usb_scan.c 's/if \(only\)$/if (true)/' test_up_remote.sh cut
caught more "doctor takes any rules for its own" host-tools/testbed/udev_rules.c 's/got == length && /got >= length \&\& /' test_doctor.sh
caught more "a flash from which no FPGA starts is a failure" host-tools/testbed/programmer.c \
    's/only_start = reading->refreshed/only_start = false/' test_xvc.sh whole
caught more "an IDCODE that is printed is a fault" host-tools/testbed/programmer_openfpgaloader.c \
    "s/mismatch between target's idcode/idcode/" test_xvc.sh whole ram
caught more "DONE does not matter" host-tools/testbed/programmer.c 's/&& reading->configured == 0/\&\& false/' test_xvc.sh whole ram
caught more "the firmware of the node is not compared" host-tools/testbed/flash_greeting.c \
    's/!has_firmware\(identity, wanted\)/false/' test_flash.sh faults
caught more "a golden image is written each time" host-tools/testbed/flash_command.c 's/stays \? LOOKS/stays ? WRITES/' \
    test_flash_programmers.sh
caught more "a slot behind a golden image has no CRC" host-tools/testbed/golden_slot.c 's/crc >> \(24 - 8 \* k\)/0/' test_flash_programmers.sh
caught more "what a console shows is not printed" host-tools/testbed/hello.c 's/pr_client_on_event\(hello->client, take_text, hello\);//' \
    test_flash.sh faults
caught more "up does not show what a console shows" host-tools/daemon/board_line.c 's/console_text_line\(&frame, line->shown\);/;/' \
    test_up_testbed.sh refused
caught more "inspect wants what would be written" host-tools/testbed/flash_plan.c 's/purpose == FLASH_TO_WRITE/true/' test_flash.sh inspect
caught more "a FIFO is waited for" sim/support/input_file.c 's/ \| O_NONBLOCK//' test_flash.sh files
caught more "firmware without a build id is a failure" host-tools/testbed/flash_greeting.c \
    's/is_unknown\(identity->build_id\)/false/' test_flash.sh faults
caught more "firmware in a bitstream is compared" host-tools/testbed/flash_greeting.c \
    's/is_unknown\(wanted->build_id\)/false/' test_xvc.sh whole ram
caught more "a node that does not name its firmware is asked for ever" host-tools/testbed/hello.c \
    's/\+\+hello->silences == SILENCES_MOST/false/' test_flash.sh faults
caught more "the build id is sought elsewhere in the image" sim/board/firmware_image.c 's/NOTE = 1,/NOTE = 2,/' test_flash.sh faults
caught more "what was written is not compared" host-tools/testbed/flash_verdict.c 's/else if \(at >= 0\)/else if (false)/' \
    test_xvc.sh whole faults
caught more "only records that went out once are timed" host-tools/loader/load_exchange.c \
    's/exchange->slowest = fmax/if (exchange->tries == 1) &/' test_load_boards.sh slow
caught more "records are cast in every round" host-tools/loader/mesh_loader.c 's/loader->send_data = loader->way->send;//' test_load_boards.sh faults
caught more "answers are not listened to again" host-tools/loader/load_exchange.c 's/    exchange->listens = listens;/    return exchange->listens = true, EXIT_OK;/' \
    test_load_boards.sh all
caught always "a damaged record is not sent again" host-tools/loader/load_line.c 's/ \|\| target->answer == PR_LOAD_BAD_CHECK//' \
    test_load_line.sh faults
caught more "a record that is lost on a line is not sent again" host-tools/loader/load_line.c 's/return target->answer == 0 \|\| /return /' \
    test_load_line.sh faults
caught more "firmware gets no order to enter" host-tools/loader/load_line.c 's/is_enter\(record\) \? order_firmware\(line, record\)/false ? 0/' \
    test_load_line.sh all
caught more "the order to enter comes too seldom for a site that crashes" host-tools/loader/load_line.c 's/enter_pause = 1.0 \/ 300/enter_pause = 10/' \
    test_load_line.sh crashed
caught more "answers to orders to enter are left" host-tools/loader/load_line.c 's/is_enter\(record\) \? let_rest\(line\)/false ? 0/' \
    test_load_line.sh late
caught more "a line that has gone is silent" host-tools/loader/load_line.c 's/return EXIT_TRANSPORT;/return EXIT_OK;/' test_load_line.sh pulled
caught always "a line stays with a process that has ended" host-tools/daemon/daemon_requests.c 's/if \(client->lent >= 0\)/if (false)/' \
    test_load_line.sh all
caught more "a line is lent twice" host-tools/daemon/backend_boards.c 's/lent \? -1 : board_line_lend\(line\)/line->descriptor/' test_load_line.sh cut
caught more "the daemon reads a line that is lent" host-tools/daemon/board_line.c 's/line->state = BOARD_LENT;//' test_load_line.sh all
caught more "a line that was given up is not opened for a load" host-tools/daemon/backend_boards.c 's/lent \? EXIT_TRANSPORT : EXIT_TIMEOUT/EXIT_TRANSPORT/' \
    test_load_line.sh pulled
caught more "all parts are compared again" host-tools/loader/mesh_loader.c \
    's/if \(!want_lacking\(loader, part\)\)/want_all(loader);\n        if (false)/' test_load_boards.sh again
caught more "the lock of a testbed does not matter" host-tools/postroad/up.c 's/^    load_lock_text\(.*//' test_up_testbed.sh locked
caught more "every version is loaded" host-tools/loader/load_signature.c 's/signature->version < lock->oldest/false/' \
    test_up_testbed.sh locked
caught more "soak counts what was damaged before" host-tools/cli/link_list.c 's/if \(one->once\)/if (true)/' test_links.sh soak
caught more "soak bounds with half of the confidence" host-tools/postroad/soak.c 's/confidence = 0.05/confidence = 0.5/' test_links.sh bound
caught more "soak takes a link that was down for tested" host-tools/postroad/soak.c 's/status = soak->list.links\[i\].trained/status = false/' \
    test_links.sh soak
caught more "a strobe of a link is that of the port before" host-tools/cli/probe_pins.c 's/PR_PORT_EAST \+ channel/PR_PORT_LOCAL + channel/' \
    test_probe.sh pins
caught more "what a pin has kept does not matter" host-tools/cli/probe_pins.c 's/choice.kept == set->count/true/' test_probe.sh disturbed
caught more "the row of a pin is not written" host-tools/cli/probe_pins.c 's/int status = write_row\(.*/int status = EXIT_OK;/' \
    test_probe.sh pins
caught more "any pin is taken" host-tools/postroad/probe.c 's/pin >= count\)/false)/' test_probe.sh wrong testbed
caught more "a testbed sets its first pin only" host-tools/postroad/probe.c \
    's/(i < testbed->channel_count) && status == EXIT_OK/i < 3 \&\& \1/' test_probe.sh testbed

caught always "the rate of a capture is not compared" host-tools/sigrok/sigrok_capture.c 's/capture_rate\(file\) != rate/false/' \
    test_capture_testbed.sh faults
caught more "samples that are missing do not matter" host-tools/sigrok/sigrok_capture.c 's/capture->came < /(void)capture->came, 0 \&\& /' \
    test_capture_testbed.sh faults
caught more "a channel that is missing does not matter" host-tools/sigrok/sigrok_capture.c \
    's/if \(found < 0\)/if (false)/; s/channel_of\[found\] =/channel_of[found < 0 ? 0 : found] =/' test_capture_testbed.sh faults
caught more "a capture that fails leaves its folder" host-tools/sigrok/sigrok_capture.c 's/^    remove_place\(&place\);$//' \
    test_capture_testbed.sh faults
caught more "files of sigrok-cli stay" host-tools/sigrok/sigrok_capture.c 's/unlinkat\(.*/unlinkat(dirfd(folder), "capture.sr", 0);/' \
    test_capture_testbed.sh interrupt
caught more "the older capture goes first" host-tools/sigrok/sigrok_capture.c 's/^    struct place place = .*/&\n    unlink(capture->file);/' \
    test_capture_testbed.sh faults
caught more "a pipe is replaced by a capture" host-tools/sigrok/sigrok_capture.c 's/ && !S_ISREG/ \&\& 0 \&\& !S_ISREG/' \
    test_capture_testbed.sh usage
caught more "all edges are of the first channel" host-tools/sigrok/sigrok_capture.c 's/edges\[channel_of\[edge.channel\]\]/edges[0]/' \
    test_capture_testbed.sh demo
caught more "a silent sigrok-cli runs for ever" host-tools/sigrok/sigrok_run.c 's/-1, run->limit\}/-1, 1e6}/' \
    test_capture_testbed.sh faults
caught more "an interrupted capture is a failed one" host-tools/sigrok/sigrok_run.c 's/code = EXIT_INTERRUPTED/code = EXIT_TRANSPORT/' \
    test_capture_testbed.sh interrupt
caught more "missing firmware is not named" host-tools/sigrok/sigrok_device.c 's/device->logged \|\| //' test_capture_testbed.sh faults
caught more "an analyser samples at any rate" host-tools/sigrok/sigrok_device.c 's/found = found \|\| .*/found = true;/' \
    test_capture_testbed.sh device
caught more "the highest rate is not looked at" host-tools/sigrok/sigrok_device.c 's/\(double\)rate <= device->highest/true/' \
    test_capture_testbed.sh usage
caught more "an analyser has any channel" host-tools/sigrok/sigrok_device.c 's/return strstr\(.*/return true;/' test_capture_testbed.sh usage
caught more "an analyser has any trigger" host-tools/postroad/capture_testbed.c 's/if \(!strchr\(triggers, .*/if (false) {/' \
    test_capture_testbed.sh device
caught more "an analyser holds any number of samples" host-tools/postroad/capture_testbed.c 's/if \(device->samples_max .*/if (false) {/' \
    test_capture_testbed.sh device
caught more "a capture's packets have no padding" host-tools/pcap/pcapng.c 's/while \(block->writer.length % BYTES_A_WORD\)/while (false)/' \
    test_pcap.sh contents
caught always "times of a capture are in microseconds" host-tools/pcap/pcapng.c 's/NANOSECONDS = 9/NANOSECONDS = 6/' test_pcap.sh times
caught more "a record names another site" host-tools/postroad/listen_capture.c 's/site->site\);/site->site + 1);/' test_pcap.sh contents
caught more "records wait in a buffer" host-tools/postroad/listen_capture.c 's/fflush\(capture->out\) != 0/false/' test_pcap.sh streams
caught more "a reader that has gone is not noticed" host-tools/postroad/listen_capture.c 's/reader.revents & POLLERR/false/' \
    test_pcap.sh streams
caught more "a clock goes on for ever" host-tools/pcap/stamp_time.c 's/\(int32_t\)\(low - \(uint32_t\)expected\)/(int32_t)low/' test_stamp_time.c
caught more "a restart is not noticed" host-tools/pcap/stamp_time.c 's/restart_seconds = 10/restart_seconds = 1000/' test_stamp_time.c
caught more "the dissector has one word too few" host-tools/wireshark/postroad.lua 's/for k = 0, count - 1 do list/for k = 0, count - 2 do list/' \
    test_pcap.sh contents
caught always "a trace takes other packets" host-tools/daemon/daemon_requests.c 's/ && all\[i\].sequence == sequence//' test_trace.sh loaded
caught more "a packet that was stored is not seen as such" host-tools/postroad/trace_mesh.c 's/before->terminator < hop->head;$/false;/' \
    test_trace.sh diverted
caught more "a packet that is sent again is one attempt" host-tools/postroad/trace_mesh.c 's/ tries\+\+;/ tries = 1;/' test_trace.sh damaged
caught more "intervals of a trace forget the line before" host-tools/postroad/trace_capture.c \
    's/passage->began.value - before->began.value/passage->began.value/' test_trace_capture.sh formats
caught more "a line that has no channel was not seen" host-tools/postroad/trace_capture.c 's/"no channel"/"not seen"/' test_trace_capture.sh text
caught more "a trace of half of the way is complete" host-tools/postroad/trace_capture.c 's/seen == count/seen > 0/' test_trace_capture.sh gap
caught more "a capture of another wiring is traced" host-tools/postroad/trace_capture.c 's/ \|\| analysis->misplaced\)/)/' test_trace_capture.sh refused
caught more "a tap counts words that wait" sim/simulation/packet_tap.c 's/link->shown && counter == link->counter \+ 1/link->shown/' \
    test_trace.sh loaded
caught more "two boards have one clock" host-tools/postroad/ping.c 's/gateway->endpoint.kind == PR_ENDPOINT_UP && .*;/true;/' \
    test_trace.sh ping
caught more "bounds of an offset are the last ping's" host-tools/cli/two_clocks.c 's/\|\| is_behind\(out, clocks->high\)/|| true/' test_two_clocks.c

echo "$planted bugs planted"
[ $failed = 0 ] && echo "PASS"
exit $failed
