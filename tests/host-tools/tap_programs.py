# SPDX-License-Identifier: ISC
"""What a host does that no program from Debian does for a test.

usage: tap_programs.py hostile SEED COUNT | flood COUNT | big | watch FILE | tell ADDRESS FIRST LAST"""
import os
import random
import socket
import sys
import time

INTERFACE = "mesh0"


def raw():
    link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    link.bind((INTERFACE, 0))
    return link


def send(link, frame):
    try:
        link.send(frame)
    except OSError:
        pass  # what no driver takes never reaches the tap


def hostile(seed, count):
    """Frames of any content; half of them begin as frames to somebody do."""
    draw = random.Random(seed)
    own = open(f"/sys/class/net/{INTERFACE}/address").read().strip().replace(":", "")
    heads = ["ffffffffffff" + own + "0806", "027072000005" + own + "0800", "01005e010203" + own + "080046c0",
             "3333000000fb" + own + "86dd60", "01005e000016" + own + "080046c00028000040000102",
             "333300000016" + own + "86dd6000000000240001", "02707200ffff" + own + "0800", "027072000005" + "02" * 6]
    link = raw()
    for _ in range(count):
        head = bytes.fromhex(draw.choice(heads)) if draw.random() < 0.8 else b""
        send(link, head + draw.randbytes(draw.choice([0, 1, 20, 46, 100, 1500 - 40, 1600])))


def flood(count):
    """Whole frames to another site, as fast as they go."""
    link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for _ in range(count):
        link.sendto(bytes(1000), ("10.1.0.5", 9))


def big():
    """Frames beyond the MTU, on an interface that was told to take them."""
    own = bytes.fromhex(open(f"/sys/class/net/{INTERFACE}/address").read().strip().replace(":", ""))
    link = raw()
    for length in (1519, 4000, 9000):
        send(link, bytes.fromhex("027072000005") + own + b"\x08\x00" + os.urandom(length - 14))


def watch(path):
    """The data of all UDP multicasts that come, link-local ones left out."""
    link = raw()
    print("ready", flush=True)
    with open(path, "ab", buffering=0) as file:
        while True:
            frame, (_, _, kind, *_) = link.recvfrom(65536)
            if kind == socket.PACKET_OUTGOING:
                continue
            if frame[:3] == b"\x01\x00\x5e" and frame[3:5] != b"\0\0":
                file.write(frame[42:])
            elif frame[:2] == b"\x33\x33" and frame[39] != 2:
                file.write(frame[62:])


def tell(address, first, last):
    """Numbered lines to a multicast address, a datagram each."""
    link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    link.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 2)
    for number in range(first, last + 1):
        line = f"line {number} {'0' * (number * 37 % 900)}\n"
        link.sendto(line.encode(), (address, 5000))
        sys.stdout.write(line)
        if number % 20 == 0:
            time.sleep(0.2)  # fewer than a queue of frames at once


if sys.argv[1] == "hostile":
    hostile(int(sys.argv[2]), int(sys.argv[3]))
elif sys.argv[1] == "flood":
    flood(int(sys.argv[2]))
elif sys.argv[1] == "watch":
    watch(sys.argv[2])
elif sys.argv[1] == "tell":
    tell(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
else:
    big()
