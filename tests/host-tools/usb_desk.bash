# SPDX-License-Identifier: ISC
# shellcheck shell=bash disable=SC2154,SC2034,SC2119,SC2120   # other files assign, use and call
# Four boards on a USB bus that is not there (umockdev), whose consoles lead to the nodes of a simulated mesh:
# `source tests/host-tools/usb_desk.bash NAME`, in the tree's folder, at the head of a test. The test's own folder $directory, its
# testbed file $desk, its program $postroad, the daemon's $log.
# shellcheck source=tests/host-tools/usb_bus.bash
source tests/host-tools/usb_bus.bash

# Four boards b0 to b3 at the ports 1-1.1 to 1-1.4; where b2 is plugged in later, with a programmer that has the console at
# another interface; and b3 with two serial lines, neither at the interface of its console.
describe_bus() {
    usb_hub 1-1 1 2
    usb_device 1-1.1 0403:6015 1 8 K00000 'ULX3S' ttyUSB3
    usb_device 1-1.2 0403:6015 1 9 K00001 'ULX3S' ttyUSB2
    usb_device 1-1.3 0403:6015 1 10 K00002 'ULX3S' ttyUSB1
    usb_device 1-1.4 0403:6015 1 11 K00003 'ULX3S' ttyUSB0
    usb_device 1-2 0403:6015 1 12 K00002 'ULX3S' - ttyUSB7
    usb_device 1-3 0403:6015 1 13 K00003 'ULX3S' - ttyUSB8 ttyUSB9
}

# Its arguments are in `arguments`, for here $1 is the name.
begin_bus describe_bus "${arguments[@]}"

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash "$1"
# shellcheck source=tests/host-tools/boards.bash
source tests/host-tools/boards.bash
export FAKE_TTYS=$directory/ttys
mkdir "$FAKE_TTYS"
postroad=$directory/postroad
wrap "$postroad"
log=$directory/postroad-$(id -u)/desk/log
take_away 1-2
take_away 1-3

desk=$directory/desk.ini
# testbed [LINE...]: the testbed file; lines behind that of a board, as `b1: path = 1-7`, are added to its section.
# Without a serial if one is `probe`.
testbed() {
    local k line
    {
        printf '[testbed]\nmesh = square.mesh\n'
        for k in 0 1 2 3; do
            printf '[board b%d]\ntype = ulx3s_25f\nsite = %d\n' $k $k
            case $* in *"b$k: probe"*) ;; *) echo "serial = K0000$k" ;; esac
            for line; do [ "${line%%: *}" != b$k ] || echo "${line#*: }"; done
        done
    } >"$desk"
}

# wire TTY SITE
wire() { ln -sfn "$directory/square/tty-$2" "$FAKE_TTYS/$1"; }

wire_all() {
    local k
    for k in 0 1 2 3; do wire ttyUSB$((3 - k)) $k; done
}

settings='[links]\nboard=yes\n[buffers]\nmax_packet=56\n'
boards_of square 2x2 "$settings"
sed 's/56/55/' "$directory/square.mesh" >"$directory/other.mesh"
testbed
wire_all
