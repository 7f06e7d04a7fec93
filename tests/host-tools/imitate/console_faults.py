#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
# Asks the imitated consoles byte by byte: every fault of the roles node and consoles happens, and no other.
# usage: console_faults.py IMITATE FOLDER      in the tree's folder
import os
import socket
import struct
import subprocess
import sys
import time
import tty

IMITATE, FOLDER = sys.argv[1:]
IDENTIFY, PING, SEND, LISTEN, COUNTERS, PART = 1, 2, 3, 4, 5, 9
EVENT = 0xC2
failures = 0


def check(good, what):
    global failures
    failures += not good
    if not good:
        print("FAULT:", what)


def crc(data):
    value = 0xFFFF
    for byte in data:
        value ^= byte << 8
        for _ in range(8):
            value = (value << 1 ^ (0x1021 if value & 0x8000 else 0)) & 0xFFFF
    return value


def request(kind, form, *values):
    body = bytes([kind, 1]) + struct.pack("<" + form, *values)
    body += struct.pack("<H", crc(body))
    return b"\0" + b"".join(bytes([len(part) + 1]) + part for part in body.split(b"\0")) + b"\0"


def decode(chunk):
    out, at = b"", 0
    while at < len(chunk):
        out += chunk[at + 1 : at + chunk[at]] + b"\0"
        at += chunk[at]
    return out[:-1]


def read_frames(raw):
    found = (decode(chunk) for chunk in raw.split(b"\0") if chunk)
    return [(body[0], body[2:-2]) for body in found if len(body) >= 4 and crc(body[:-2]) == struct.unpack("<H", body[-2:])[0]]


def ask(line, *requests, patience=20):
    """What comes back, until nothing has come for a while: all bytes, the frames in them, and the seconds to the first."""
    began, first, raw = time.monotonic(), None, b""
    end = began + patience
    os.set_blocking(line, False)
    try:
        for one in requests:
            os.write(line, one)
    except BrokenPipeError:
        pass
    while time.monotonic() < end:
        try:
            came = os.read(line, 4096)
        except OSError:
            came = b""
        if came:
            first = first or time.monotonic() - began
            end = time.monotonic() + 0.2
        raw += came
        time.sleep(0 if came else 0.01)
    return raw, read_frames(raw), first


def is_silent(line, request):
    return ask(line, request, patience=0.5)[0] == b""


def words(frame, head=3):
    return struct.unpack("<%dI" % ((len(frame[1]) - head) // 4), frame[1][head:])


def ask_node(options, *requests, patience=20):
    """A mesh of nodes with these options; also whether it lives on."""
    path = FOLDER + "/node"
    if os.path.exists(path):
        os.unlink(path)
    with subprocess.Popen([IMITATE, "node", *options.split(), path], stdout=subprocess.PIPE) as node:
        node.stdout.readline()
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(path)
            raw, frames, seconds = ask(line.fileno(), *requests, patience=patience)
            lives = node.poll() is None
        node.kill()
    return raw, frames, seconds, lives


site_4, site_5 = request(IDENTIFY, "H", 4), request(IDENTIFY, "H", 5)
send_5 = request(SEND, "BBHHHH", 1, 0, 1, 0, 5, 0)
counter_3 = request(COUNTERS, "HBB", 0, 3, 1)
plain, frames, _, lives = ask_node("", site_5)
identity = words(frames[0])
check(len(frames) == 1 and identity[1:3] == (5, 1 | 1 << 7) and len(identity) == 21 and lives, "a sound node")

# Options of a node, what is asked, and what is to be found.
for options, requests, wanted in (
    ("-x 2 -y 3", [site_5], lambda a: words(a[1][0])[5:7] == (2, 3)),
    ("-t 9", [site_5], lambda a: words(a[1][0])[3] == 9),
    ("-H 7", [site_5], lambda a: words(a[1][0])[11] == 7),
    ("-p 40", [site_5], lambda a: words(a[1][0])[15] == 40),
    ("-R", [site_5], lambda a: words(a[1][0])[20] == 1),
    ("-O", [site_5], lambda a: len(words(a[1][0])) == 19),
    ("-a 5", [site_5], lambda a: words(a[1][0])[2] == identity[2] ^ 1),
    ("-c 5:1", [site_5], lambda a: words(a[1][0])[8] == identity[8] & ~2),
    ("-s 4", [site_4, site_5], lambda a: a[0] == plain),
    ("-g 30", [site_5], lambda a: len(a[0]) == len(plain) + 30 and a[0].endswith(plain)),
    ("-l", [site_5], lambda a: a[0] == 2 * plain),
    ("-z 200", [site_5], lambda a: a[0] == plain and a[2] >= 0.2),
    ("-d 1", [site_5, site_5], lambda a: a[0] == plain and not a[3]),
    ("-b 1", [site_5, site_5], lambda a: [f[1][0] for f in a[1]] == [2, 0]),
    ("-B 1", [send_5, send_5], lambda a: [f[1][0] for f in a[1] if f[0] == 0x83] == [8, 0]),
    ("-k 3:7:2", [counter_3, counter_3], lambda a: [words(f, 5) for f in a[1]] == [(7,), (9,)]),
    ("", [request(LISTEN, "B", 7), send_5], lambda a: [f[0] for f in a[1]] == [0x84, 0x83, 0xC0]),
    ("-R", [request(LISTEN, "B", 7), send_5], lambda a: [f[1][0] for f in a[1] if f[0] == EVENT] == [6]),
    ("-R -F 5", [request(LISTEN, "B", 7), send_5], lambda a: [f[1][0] for f in a[1] if f[0] == EVENT] == [5, 6]),
    ("-R -Q", [request(LISTEN, "B", 7), send_5], lambda a: [f[0] for f in a[1]] == [0x84, 0x83, 0xC0]),
    ("-P 5", [request(COUNTERS, "HBB", 0, 128, 8)], lambda a: len(words(a[1][0], 5)) == 8),
):
    found = ask_node(options, *requests)
    check(wanted(found), f"node {options}: {found}")

check(ask_node("-m", site_5, patience=0.5)[0] == b"", "node -m answers")

# A board whose flash holds a bitstream and the image of site 2.
board = FOLDER + "/1-8"
os.mkdir(board)
with open(FOLDER + "/square.mesh", "w") as mesh:
    mesh.write("[mesh]\ntopology = grid\nsize = 2x2\n")
image = [0, 1 << 16, 2] + 10 * [0] + [0x1234, 0x5678]
bytes_of = b"".join(struct.pack(">HH", word & 0xFFFF, word >> 16) for word in image)
command = [IMITATE, "consoles", FOLDER + "/square.mesh", FOLDER, "1-8"]
me = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
me.stdout.readline()
line = os.open(board + "/tty", os.O_RDWR | os.O_NOCTTY)
tty.setraw(line)
here, build_id = request(IDENTIFY, "H", 0xFFFF), request(PART, "HBB", 0xFFFF, 21, 2)
check(is_silent(line, here), "a board with an erased flash answers")
with open(board + "/flash", "wb") as flash:
    flash.write(b"\x55" * 4)
    flash.seek(0x300000)
    flash.write(bytes(~byte & 0xFF for byte in bytes_of))
sound = ask(line, here)[1][0]
check(words(sound)[1] == 2 and words(ask(line, build_id)[1][0], 5) == (0x1234, 0x5678), "a sound board")
for fault, wanted in (
    ("mesh", lambda a, b: words(a[1][0])[11] == words(sound)[11] ^ 1),
    ("site", lambda a, b: words(a[1][0])[1] == 3),
    ("firmware", lambda a, b: a[1][0] == sound and words(b[1][0], 5) == (0x1235, 0x5679)),
    ("old", lambda a, b: a[1][0] == sound and b[1][0][1][0] == 1),
    ("strange", lambda a, b: a[1][0][1][0] == 9),
    ("golden", lambda a, b: a[0].startswith(b"golden image: the bitstream is damaged") and not a[1]),
    ("silent", lambda a, b: a and b),
    ("mute", lambda a, b: a[1][0] == sound and b),
    ("noise", lambda a, b: len(a[0]) >= 256 and not a[1]),
):
    with open(board + "/console", "w") as file:
        file.write(fault + "\n")
    one = is_silent(line, here) if fault == "silent" else ask(line, here)
    other = is_silent(line, build_id) if fault in ("silent", "mute") else ask(line, build_id)
    check(wanted(one, other), f"consoles {fault}: {one}, {other}")
me.stdin.close()
me.wait()
sys.exit(failures > 0)
