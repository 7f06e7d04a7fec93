#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# The picture of `make postman-picture`: well-formed, in need of no other file; in every clock the animation shows what the still
# frame shows, in Chromium too, and both show what the trace has, decoded here once more. Bad input is refused with its line.
# usage: test_picture_file.sh [CHECK...]      default: all of them, see the end
# needs only: postman-picture
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
picture=$PWD/build/tests/postman/picture/picture
trace=$PWD/build/tests/postman/picture/trace.txt
source tests/work.bash
animated=$work/animated.svg

# expect STATUS PATTERN COMMAND...: the command ends so, and its output has the pattern.
expect() {
    local status=$1 pattern=$2 got=0
    shift 2
    said=$("$@" 2>&1) || got=$?
    [ $got -eq "$status" ] || fail "$*: status $got, expected $status: $said"
    grep -Eq -- "$pattern" <<<"$said" || fail "$*: expected $pattern: $said"
}

# frames TRACE CLOCKS: the still frame of each clock.
frames() {
    local clock
    for ((clock = 0; clock < $2; clock++)); do
        "$picture" 8 8 8 "$1" "$work/frame.$clock.svg" --frame $clock || fail "frame $clock"
    done
}

# compare ANIMATED TRACE CLOCKS
compare() {
    python3 - "$@" "$work" <<'PYTHON' || fail "the pictures of $2 do not show the trace"
import sys, xml.etree.ElementTree as tree
animated, trace, clocks, work = sys.argv[1], open(sys.argv[2]).read().split(), int(sys.argv[3]), sys.argv[4]
SIZE, FLIT, PITCH, NODE, MARGIN = 8, 8, 60, 28, 24
assert len(trace) == clocks
svg = "{http://www.w3.org/2000/svg}"

def parsed(path):
    root = tree.parse(path).getroot()
    for element in root.iter():
        assert element.tag[len(svg):] in "svg style rect pattern path text animate g".split(), element.tag
        assert not any("href" in name or name.startswith("on") for name in element.attrib), element.attrib
    rectangles = [e for e in root.findall(svg + "rect") if "class" in e.attrib]
    return rectangles, [e.get("class") for e in root.find(svg + "g").findall(svg + "rect")]

def key(element):
    return tuple(int(element.get(name)) for name in ("x", "y", "width", "height"))

# What is to be seen, by place, in each clock: bits by the flits of their line, busies, nodes that receive.
def bit(clock, node, line): return int(trace[clock][node], 16) >> line & 1
expected = [{} for _ in trace]
for node in range(SIZE * SIZE):
    x, y = MARGIN + node % SIZE * PITCH, MARGIN + node // SIZE * PITCH
    for line in 0, 1:
        along, beside = (NODE + PITCH - 12) // 2, (NODE - 12) // 2
        place = (x + along, y + beside, 12, 12) if line == 0 else (x + beside, y + along, 12, 12)
        shown = "".join(str(bit(clock, node, line)) for clock in range(clocks))
        for clock in range(clocks):
            if bit(clock, node, 2 + line):
                expected[clock][(x, y, 5, NODE) if line == 0 else (x, y, NODE, 5)] = "b"
        at = shown.find("1")
        while at >= 0:
            end = at
            while end < clocks and shown[end] == "1":
                end += FLIT + 1
            kind = "p" if min(end, clocks) - at > FLIT + 1 else "d" if end < clocks else "o"
            for clock in range(at, min(end, clocks)):
                expected[clock][place] = kind + shown[clock]
            column, row = node % SIZE + (line == 0), node // SIZE + (line == 1)
            if kind == "p" and column < SIZE and row < SIZE and int(shown[at + 1:at + FLIT + 1], 2) == (column, row)[line]:
                for clock in range(at + FLIT + 1, min(end, clocks)):
                    expected[clock][MARGIN + column * PITCH, MARGIN + row * PITCH, NODE, NODE] = "r"
            at = shown.find("1", end)

rectangles, legend = parsed(animated)
assert legend == "p1 p0 d1 d0 o1 o0 b r".split(), legend
for clock in range(clocks):
    frame, _ = parsed(f"{work}/frame.{clock}.svg")
    assert {key(e): e.get("class") for e in frame} == expected[clock], clock
    moving = {}
    for element in rectangles:
        (animation,) = element
        names, times = animation.get("values").split(";"), [float(t) for t in animation.get("keyTimes").split(";")]
        assert len(names) == len(times) and times[0] == 0 and times == sorted(set(times)) and times[-1] < 1
        assert names[0] == element.get("class") and abs(float(animation.get("dur")[:-1]) - 0.2 * clocks) < 1e-6
        name = names[sum(t <= (clock + 0.5) / clocks for t in times) - 1]
        if name != "i":
            moving[key(element)] = name
    assert moving == expected[clock], ("animated", clock)
PYTHON
}

# All that is to be seen is in the picture, and nothing is cut.
check_shown() {
    local clocks kind
    clocks=$(wc -l <"$trace")
    frames "$trace" "$clocks"
    compare "$animated" "$trace" "$clocks"
    for kind in p0 p1 d0 d1 b r; do
        grep -q "values='[^']*$kind" "$animated" || fail "no $kind in the picture"
    done
    ! grep -q "values='[^']*o[01]" "$animated" || fail "the trace cuts a flit"
}

# Wherever a trace is cut, an address flit whose end it lacks is drawn as one that cannot be told.
check_cut() {
    local clocks
    for clocks in 1 5 12 23; do
        head -n $clocks "$trace" >"$work/cut"
        "$picture" 8 8 8 "$work/cut" "$work/cut.svg" || fail "cut after $clocks clocks"
        frames "$work/cut" $clocks
        compare "$work/cut.svg" "$work/cut" $clocks
    done
}

# The animation is set to the middle of each clock, and shows it with the browser's next frame. Chromium runs as root, in a
# container perhaps: without its own sandbox.
check_browser() {
    local clocks
    clocks=$(wc -l <"$trace")
    {
        echo '<!DOCTYPE html><html><body>'
        cat "$animated"
        cat <<HTML
<p id="measured"></p><script>
addEventListener("load", async () => {
    const picture = document.querySelector("svg"), found = []
    picture.pauseAnimations()
    for (let clock = 0; clock < $clocks; clock++) {
        picture.setCurrentTime((clock + 0.5) * 0.2)
        await new Promise(done => setTimeout(done, 50))
        const all = [...picture.querySelectorAll(":scope > rect[class]")]
        const seen = all.filter(e => getComputedStyle(e).visibility == "visible")
        found.push(seen.map(e => e.className.animVal).sort().join(" "))
    }
    document.getElementById("measured").textContent = found.join(";")
})
</script></body></html>
HTML
    } >"$work/page.html"
    timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$work/chromium" \
        --virtual-time-budget=60000 --dump-dom "file://$work/page.html" >"$work/dom" 2>"$work/chromium.log" ||
        fail "chromium: $(tail -n 3 "$work/chromium.log")"
    frames "$trace" "$clocks"
    python3 - "$work" "$clocks" <<'PYTHON' || fail "Chromium shows something else"
import re, sys
work, clocks = sys.argv[1], int(sys.argv[2])
found = re.search('<p id="measured">([^<]*)</p>', open(work + "/dom").read()).group(1).split(";")
assert len(found) == clocks, len(found)
for clock, seen in enumerate(found):
    frame = open(f"{work}/frame.{clock}.svg").read().split("<g id='legend'>")[0]
    assert sorted(re.findall("<rect class='(..?)'", frame)) == seen.split(), (clock, seen)
PYTHON
}

check_refusals() {
    local out=$work/out.svg
    printf '40\n10\n1x\n' >"$work/letter"
    printf '40\n1\n10\n' >"$work/short"
    printf '40\n10\n00\n100\n' >"$work/long"
    printf '40\n10\r\n' >"$work/dos"
    : >"$work/empty"
    awk 'BEGIN { for (k = 0; k < 2001; k++) print "00" }' >"$work/clocks"
    head -n 2000 "$work/clocks" >"$work/most"
    expect 1 '^usage: ' "$picture"
    expect 1 '^usage: ' "$picture" 2 1 8 "$work/most" "$out" --frames 3
    expect 1 '^picture: SIZE_X 17: expected 1 to 16$' "$picture" 17 1 8 "$work/most" "$out"
    expect 1 '^picture: SIZE_Y 0: expected 1 to 16$' "$picture" 2 0 8 "$work/most" "$out"
    expect 1 '^picture: SIZE_X 5: expected 1 to 4$' "$picture" 5 1 3 "$work/most" "$out"
    expect 1 '^picture: FLIT 17: expected 3 to 16$' "$picture" 2 1 17 "$work/most" "$out"
    expect 1 '^picture: SIZE_X 2x: expected' "$picture" 2x 1 8 "$work/most" "$out"
    expect 1 '^picture: SIZE_X -1: expected' "$picture" -1 1 8 "$work/most" "$out"
    expect 1 '^picture: SIZE_X 4294967298: expected' "$picture" 4294967298 1 8 "$work/most" "$out"
    expect 1 '/letter:3: character 2: expected a hexadecimal digit' "$picture" 2 1 8 "$work/letter" "$out"
    expect 1 '/short:2: 1 digits, expected 2, one for each node$' "$picture" 2 1 8 "$work/short" "$out"
    expect 1 '/long:4: more than 2 digits, one for each node$' "$picture" 2 1 8 "$work/long" "$out"
    expect 1 '/dos:2: more than 2 digits' "$picture" 2 1 8 "$work/dos" "$out"
    expect 1 '/empty: no clocks$' "$picture" 2 1 8 "$work/empty" "$out"
    expect 1 '/clocks:2001: a picture has no more than 2000 clocks$' "$picture" 2 1 8 "$work/clocks" "$out"
    expect 1 '/nothing: No such file' "$picture" 2 1 8 "$work/nothing" "$out"
    expect 1 '^picture: [^ ]*: Is a directory$' "$picture" 2 1 8 "$work" "$out"
    expect 1 '^picture: --frame 2000: expected 0 to 1999$' "$picture" 2 1 8 "$work/most" "$out" --frame 2000
    [ ! -e "$out" ] || fail "a refused trace has left a picture"
    expect 2 'nowhere/x.svg' "$picture" 2 1 8 "$work/most" "$work/nowhere/x.svg"
    expect 2 'No space left' "$picture" 2 1 8 "$work/most" /dev/full
    expect 0 '^$' "$picture" 2 1 8 "$work/most" "$out" --frame 1999
}

# The frame in the manual is that of today's model, in a picture that is small; the goal's picture is the animation.
check_manual() {
    cmp build/postman-picture.svg "$animated" || fail "\`make postman-picture\` writes another picture"
    local manual=sim/postman/picture.svg clock
    clock=$(sed -n 's/.*>clock \([0-9]*\)<.*/\1/p' $manual)
    "$picture" 8 8 8 "$trace" "$work/manual.svg" --frame "$clock"
    cmp $manual "$work/manual.svg" || fail "$manual is not what \`make postman-picture\` writes"
    [ "$(stat -c %s $manual)" -lt 15000 ] || fail "$manual is large"
}

"$picture" 8 8 8 "$trace" "$animated" || fail "no animation"
checks=(shown cut browser refusals manual)
for check in "${@:-${checks[@]}}"; do
    "check_$check"
done
verdict test_picture_file
