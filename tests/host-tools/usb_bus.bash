# SPDX-License-Identifier: ISC
# A USB bus that is not there, for umockdev-run: sourced by tests. Prints descriptions of devices.

source tests/tools.bash

usb_root=/devices/pci0000:00/0000:00:14.0

# The folder of a path: "1-2.3" is /devices/.../usb1/1-2/1-2.3.
usb_folder() {
    local path=$1 folder=$usb_root/usb${1%%-*} at=${1%%-*}- ports part
    ports=${path#*-}
    local first=yes
    for part in ${ports//./ }; do
        if [ $first = yes ]; then at+=$part; else at+=.$part; fi
        first=no
        folder+=/$at
    done
    echo "$folder"
}

# usb_device PATH VENDOR:PRODUCT BUS DEVICE SERIAL PRODUCT-NAME [TTY-OF-INTERFACE-0 [TTY-OF-INTERFACE-1]]
# SERIAL - means none, and so does a TTY. A tty is held by ftdi_sio.
usb_device() {
    local path=$1 ids=$2 bus=$3 device=$4 serial=$5 product=$6 folder node number=0 tty
    folder=$(usb_folder "$path")
    node=$(printf 'bus/usb/%03d/%03d' "$((10#$bus))" "$((10#$device))")
    printf 'P: %s\nN: %s\nE: DEVTYPE=usb_device\nE: SUBSYSTEM=usb\nE: DEVNAME=/dev/%s\n' "$folder" "$node" "$node"
    printf 'A: idVendor=%s\nA: idProduct=%s\nA: busnum=%s\nA: devnum=%s\nA: bDeviceClass=00\n' "${ids%:*}" "${ids#*:}" "$bus" "$device"
    [ "$serial" = - ] || printf 'A: serial=%s\n' "$serial"
    printf 'A: product=%s\n\n' "$product"
    for tty in "${@:7}"; do
        printf 'P: %s/%s:1.%d\nE: DEVTYPE=usb_interface\nE: SUBSYSTEM=usb\nA: bInterfaceNumber=%02d\n' "$folder" "$path" $number $number
        if [ "$tty" = - ]; then
            echo
        else
            printf 'L: driver=../../../../../../../bus/usb/drivers/ftdi_sio\n\n'
            printf 'P: %s/%s:1.%d/%s/tty/%s\nN: %s\nE: SUBSYSTEM=tty\nE: DEVNAME=/dev/%s\n\n' "$folder" "$path" $number "$tty" "$tty" \
                "$tty" "$tty"
        fi
        number=$((number + 1))
    done
}

# usb_hub PATH BUS DEVICE
usb_hub() {
    local folder
    folder=$(usb_folder "$1")
    printf 'P: %s\nE: DEVTYPE=usb_device\nE: SUBSYSTEM=usb\nA: idVendor=05e3\nA: idProduct=0608\nA: bDeviceClass=09\n' "$folder"
    printf 'A: busnum=%s\nA: devnum=%s\nA: maxchild=4\n\n' "$2" "$3"
}

# begin_bus DESCRIPTION ARGUMENT...: the test, called again with these arguments, runs on the bus that a function prints, for what a
# test leaves running does, too. Its own programs do not: only what `wrap` makes.
begin_bus() {
    if [ -z "${UMOCKDEV_DIR:-}" ]; then
        umockdev-run --device <("$1") -- "$0" "${@:2}"
        exit
    fi
    preload=$LD_PRELOAD
    unset LD_PRELOAD
    bus=$UMOCKDEV_DIR/sys/bus/usb/devices
    mkdir "$bus.away"
}

# A device is on the bus with its interfaces.
take_away() { mv "$bus/$1" "$bus/$1":* "$bus.away"; }
bring_back() { mv "$bus.away/$1" "$bus.away/$1":* "$bus"; }

# wrap FILE [FOLDER]: postroad on the bus; its ttys are in $FAKE_TTYS, and the programs of the folder are those that it calls.
wrap() {
    # shellcheck disable=SC2016  # the wrapper's
    printf '#!/bin/sh\nPATH=%s$PATH LD_PRELOAD=%s exec %s "$@"\n' "${2:+$2:}" "$PWD/build/tests/host-tools/real_ttys.so:$preload" \
        "$PWD/build/postroad" >"$1"
    chmod +x "$1"
}
