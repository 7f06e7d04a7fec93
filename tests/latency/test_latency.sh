#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# `postroad latency` on files: figures contain the truth in each format, text, JSON, picture and page agree, broken captures are
# named, comparison with an earlier run; Chromium shows the page.
# usage: test_latency.sh [CHECK...]      default: all of them, see the end
# needs: build/tests/latency/make_capture
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/host-tools/verbs.bash
source tests/host-tools/verbs.bash latency
make_capture=build/tests/latency/make_capture
bench=$directory/bench.ini

# testbed CHANNEL_LINE...: four boards in a row.
testbed() {
    printf '%s\n' '[mesh]' 'fabric = cutthrough' 'topology = grid' 'size = 4x1' '[links]' 'board = yes' '[buffers]' \
        'max_packet = 56' >"$directory/row.mesh"
    printf '%s\n' '[testbed]' 'mesh = row.mesh' '[board a]' 'type = icebreaker' '[board b]' 'type = icebreaker' '[board c]' \
        'type = icebreaker' '[board d]' 'type = icebreaker' '[cables]' 'a.east = b.west' 'b.east = c.west' 'c.east = d.west' \
        "$@" >"$bench"
}
analyser=('[analyser]' 'rate = 24m' 'D0 = a.east' 'D1 = b.east' 'D2 = c.east')

# capture FILE RATE [PACKETS [CHANNELS [BIT_RATE]]]: the truth is in $truth: mean nanoseconds of both hops, and of the way.
capture() {
    read -ra truth < <("$make_capture" "$1" "$2" 35 200 "${5:-3e6}" "${3:-300}" "${4:-D0,D1,D2}")
}

# number JQ_PATH: of the JSON in $said.
number() {
    python3 -c 'import json, sys; print(eval("d" + sys.argv[1], {"d": json.load(sys.stdin)}))' "$1" <<<"$said"
}

# contains PATH TRUTH: the interval of a figure has it.
contains() {
    local low high
    low=$(number "$1['low_ns']") high=$(number "$1['high_ns']")
    awk -v l="$low" -v t="$2" -v h="$high" 'BEGIN { exit !(l <= t && t <= h) }' || fault "$1: $2 is not in $low to $high"
}

check_formats() {
    local file format
    testbed "${analyser[@]}"
    for format in sr vcd csv; do
        file=$directory/all.$format
        if [ $format = csv ]; then
            sigrok-cli -i "$directory/all.sr" -O csv -o "$file" >"$directory/log" 2>&1 || fault "sigrok-cli: $(<"$directory/log")"
        else
            capture "$file" 24e6
        fi
        expect 0 '"count":.300' "$postroad" latency "$file" --testbed "$bench" --json --quiet
        contains "['hops'][0]['mean']" "${truth[0]}"
        contains "['hops'][1]['mean']" "${truth[1]}"
        contains "['ends'][0]['mean']" "${truth[2]}"
        [ "$(number "['hops'][0]['p99']['high_ns']")" = None ] || fault "$format: 300 packets bound p99 from above"
        [ "$(number "['ends'][0]['hops']")" = 2 ] || fault "$format: the way has two hops"
        [ "$(number "['samples_per_second']")" = 24000000 ] || fault "$format: the rate"
    done
}

# true_figures DATA: the least and the greatest latency of each hop are in the intervals of the JSON in $said.
true_figures() {
    local name hop least greatest
    while read -r name hop least greatest; do
        [ "$name" = "$1" ] || continue
        jq -e --argjson hop "$hop" --argjson least "$least" --argjson greatest "$greatest" '.hops[$hop]
            | .min.low_ns <= $least and $least <= .min.high_ns and .max.low_ns <= $greatest and $greatest <= .max.high_ns' \
            <<<"$said" >/dev/null || fault "hop $hop of $1: $least or $greatest is not in $said"
    done <tests/latency/data/truth
}

# Captures whose truth is known from elsewhere (data/README.md), and the same edges as sigrok-cli and others write them.
check_data() {
    local data=tests/latency/data form rows=$directory/rows
    testbed "${analyser[@]}"
    for form in locked slow_board lost_bit; do
        expect 0 . "$postroad" latency "$data/$form.sr" --testbed "$bench" --json --quiet
        true_figures "$form.sr"
    done
    expect 0 'frames left their places 1 times, .*: 2 readings over' "$postroad" latency "$data/lost_bit.sr" --testbed "$bench"
    expect 3 'sooner behind b.east than a frame takes.*not of one' \
        "$postroad" latency "$data/second_analyser.sr" --testbed "$bench"
    ! grep -q '^a.east' <<<"$said" || fault "figures of channels that contradict each other: $said"

    sigrok-cli -i "$data/locked.sr" -O csv:header=false:label=off -o "$rows" 2>"$directory/log"
    for form in csv csv:time=true:dedup=true vcd; do
        sigrok-cli -i "$data/locked.sr" -O "$form" -o "$directory/sigrok" 2>"$directory/log"
        same_truth "sigrok-cli -O $form" 24000000
    done
    for form in newer_times off_grid nine_decimals; do
        "$form" <"$rows" >"$directory/sigrok"
        same_truth "$form" "$([ "$form" = newer_times ] && echo 24000000 || echo null)"
    done
    uniq "$rows" | newer_times >"$directory/sigrok"
    expect 1 'rows that are alike are left out: expected a file that sigrok wrote without its option dedup' \
        "$postroad" latency "$directory/sigrok" --testbed "$bench"
}

# same_truth FORM RATE: $directory/sigrok has the edges of locked.sr.
same_truth() {
    expect 0 . "$postroad" latency "$directory/sigrok" --testbed "$bench" --json --quiet
    true_figures locked.sr
    [ "$(jq .samples_per_second <<<"$said")" = "$2" ] || fault "$1: a rate of $(jq .samples_per_second <<<"$said"), expected $2"
}

# Rows of levels at 24 MS/s as libsigrok 0.6 writes them, as a VCD without a rate that begins off the grid, as Saleae's rows.
newer_times() {
    printf '%s\n' '; CSV generated by libsigrok 0.6.0-git' '; Channels (3/3): D0, D1, D2' '; Samplerate: 24 MHz' \
        'nanoseconds,logic,logic,logic'
    awk '{ printf "%d,%s\n", int((NR - 1) * 1000 / 24), $0 }'
}
off_grid() {
    printf '%s\n' '$timescale 1 ns $end' '$var wire 1 ! D0 $end $var wire 1 " D1 $end' '$var wire 1 # D2 $end' \
        '$enddefinitions $end'
    awk -F, '$0 != last { printf "#%d %d! %d\" %d#\n", (NR - 1) * 1000 / 24 + 1.5, $1, $2, $3; last = $0 }'
}
nine_decimals() {
    echo 'Time [s],D0,D1,D2'
    awk '$0 != last { printf "%.9f,%s\n", (NR - 1) / 24e6 - 0.0001234567, $0; last = $0 }'
}

# A testbed without channels: the capture's are called as the lines.
check_names() {
    testbed
    capture "$directory/names.sr" 24e6 50 a.east,b.east,c.east
    expect 0 'a.east +b.east +(1 +)?50 ' "$postroad" latency "$directory/names.sr" --testbed "$bench"
    grep -q 'no channel b.west, which shows b.west' <<<"$said" || fault "lines that were not captured are not named: $said"
}

check_text() {
    testbed "${analyser[@]}"
    capture "$directory/text.sr" 24e6
    expect 0 'a.east +b.east +1 +300 +min +[0-9.]+ us \+[0-9.]+ -[0-9.]+$' \
        "$postroad" latency "$directory/text.sr" --testbed "$bench"
    grep -Eq '^ +p99 +[0-9.]+ us \+open -[0-9.]+$' <<<"$said" || fault "p99 of 300 packets: $said"
    grep -Eq 'b +-59\.[0-9]+ ppm, within|b +-60\.[0-9]+ ppm, within' <<<"$said" || fault "b's clock: $said"
}

check_page() {
    testbed "${analyser[@]}"
    capture "$directory/page.sr" 24e6
    expect 0 . \
        "$postroad" latency "$directory/page.sr" --testbed "$bench" --html "$directory/page.html" --svg "$directory/page.svg"
    local page=$directory/page.html median
    python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$directory/page.svg" || fault "the picture is no XML"
    python3 - "$page" <<'PYTHON' || fault "the page is not well-formed"
import html.parser, sys
class Check(html.parser.HTMLParser):
    open = []
    def handle_starttag(self, tag, attributes):
        if tag != "meta": self.open.append(tag)
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
checker = Check()
checker.feed(open(sys.argv[1]).read())
assert not checker.open
PYTHON
    median=$(grep -m 1 -o 'median  *[0-9.]* us' <<<"$said" | awk '{ print $2 }')
    grep -q "a.east -&gt; b.east</td><td>1</td><td>300</td>.*<td>$median us" "$page" || fault "the page's median is not $median"
    ! grep -Eq '(src|href)=' "$page" || fault "the page needs other files"
    grep -q '<svg' "$page" || fault "the page has no picture"
    expect 2 'nowhere/x.svg' "$postroad" latency "$directory/page.sr" --testbed "$bench" --svg "$directory/nowhere/x.svg"
}

# The page in a browser: its text has the figures of the JSON, and nothing is wider than the window. It runs as root, in a
# container perhaps: without Chromium's own sandbox.
check_browser() {
    testbed "${analyser[@]}"
    capture "$directory/shown.sr" 24e6
    expect 0 . "$postroad" latency "$directory/shown.sr" --testbed "$bench" --quiet --json --html "$directory/shown.html"
    cat >>"$directory/shown.html" <<'HTML'
<p id="measured"></p><script>
const page = document.documentElement, picture = document.querySelector("svg").getBoundingClientRect()
document.getElementById("measured").textContent = [page.scrollWidth > page.clientWidth ? "too wide" : "fits",
    ...[...document.querySelectorAll(".wide")].map(e => e.scrollWidth > e.clientWidth ? "too wide" : "fits"),
    picture.width > 300 && picture.height > 100 ? "picture" : "no picture"].join(" ")
</script>
HTML
    timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$directory/chromium" \
        --window-size=1280,1000 --dump-dom "file://$directory/shown.html" >"$directory/shown.dom" 2>"$directory/chromium.log" ||
        fault "chromium: $(tail -n 3 "$directory/chromium.log")"
    grep -Eq '<p id="measured">(fits )+picture</p>' "$directory/shown.dom" ||
        fault "$(grep -o 'id="measured".*' "$directory/shown.dom")"
    python3 - "$directory/shown.dom" <<PYTHON || fault "a figure is not on the page"
import json, re, sys
page = re.sub("<[^>]*>", " ", open(sys.argv[1]).read())
report = json.loads("""$said""")
for row in report["hops"] + report["ends"]:
    for figure in "min", "median", "p99", "max", "mean":
        value = row[figure]["value_ns"]
        shown = [float(text) for text in re.findall(r"([0-9.]+) us", page)]
        assert any(abs(text * 1000 - value) <= max(0.005 * value, 0.6) for text in shown), (figure, value)
PYTHON
}

check_simulated() {
    testbed "${analyser[@]}"
    capture "$directory/fast.sr" 400e6
    "$postroad" latency "$directory/fast.sr" --testbed "$bench" --json >"$directory/fast.json"
    capture "$directory/slow.sr" 24e6
    expect 0 'ns, inside' "$postroad" latency "$directory/slow.sr" --testbed "$bench" --simulated "$directory/fast.json"
    python3 - "$directory/fast.json" >"$directory/wrong.json" <<'PYTHON'
import json, sys
report = json.load(open(sys.argv[1]))
for row in report["hops"]:
    for end in ("value_ns", "low_ns", "high_ns"): row["median"][end] += 10000
print(json.dumps(report))
PYTHON
    expect 0 'us, outside' "$postroad" latency "$directory/slow.sr" --testbed "$bench" --simulated "$directory/wrong.json"
    echo '{}' >"$directory/empty.json"
    expect 1 'empty.json: expected what `postroad latency --json` prints' \
        "$postroad" latency "$directory/slow.sr" --testbed "$bench" --simulated "$directory/empty.json"
}

check_broken() {
    testbed "${analyser[@]}"
    capture "$directory/good.sr" 24e6
    head -c $(($(stat -c %s "$directory/good.sr") / 2)) "$directory/good.sr" >"$directory/half.sr"
    expect 1 'half.sr: ' "$postroad" latency "$directory/half.sr" --testbed "$bench"
    capture "$directory/rate.sr" 24e6 50 D0,D1,D2 2e6
    expect 3 'the capture looks like 36 MS/s, or the link like 2 Mbit/s' \
        "$postroad" latency "$directory/rate.sr" --testbed "$bench"
    capture "$directory/swap.sr" 24e6 50 D1,D0,D2
    expect 3 'channel D0 shows b.east, expected a.east: the two channels are swapped' \
        "$postroad" latency "$directory/swap.sr" --testbed "$bench"
    capture "$directory/missing.sr" 24e6 50 D0,D1
    expect 0 'no channel D2, which shows c.east' "$postroad" latency "$directory/missing.sr" --testbed "$bench"
    capture "$directory/foreign.sr" 24e6 50 X,Y,Z
    expect 1 'none of its 3 channels \(X, Y, Z\) is one of .*bench.ini, expected D0' \
        "$postroad" latency "$directory/foreign.sr" --testbed "$bench"
    capture "$directory/twice.sr" 24e6 50 D0,D1,a.east
    expect 1 'its channels 1 \(D0\) and 3 \(a.east\) are both a.east' "$postroad" latency "$directory/twice.sr" --testbed "$bench"
    capture "$directory/coarse.sr" 8e6 50
    expect 1 '8 MS/s are too slow for a.east' "$postroad" latency "$directory/coarse.sr" --testbed "$bench"
    expect 1 'no --testbed' "$postroad" latency "$directory/good.sr"
    expect 1 'nothing.sr: No such file' "$postroad" latency "$directory/nothing.sr" --testbed "$bench"
}

# pins FILE LOST: heads that leave a, and 7 us later are at b's operator, at 24 MS/s; every so many of these are lost.
pins() {
    python3 - "$2" >"$1" <<'PYTHON'
import sys
print("$comment Acquisition with 2/2 channels at 24 MHz $end $timescale 1 ps $end $scope module m $end")
print("$var wire 1 ! H $end $var wire 1 # L $end $upscope $end $enddefinitions $end\n#0 0! 0#")
sample = lambda microseconds: (microseconds * 24 * 1000000 + 12) // 24
lost, level = int(sys.argv[1]), 0
for k in range(40):
    print(f"#{sample(1000 * k + 500)} {1 - k % 2}!")
    if not lost or k % lost != lost - 1:
        level = 1 - level
        print(f"#{sample(1000 * k + 507)} {level}#")
print(f"#{sample(50000)}")
PYTHON
}

# Probe pins alone.
check_pins() {
    testbed '[analyser]' 'rate = 24m' 'H = a.probe0 east.head' 'L = b.probe0 local.head'
    sed -i 's/board = yes/&\nprobe = yes/' "$directory/row.mesh"
    pins "$directory/pins.vcd" 0
    expect 0 '"count":.40,' "$postroad" latency "$directory/pins.vcd" --testbed "$bench" --json
    contains "['strobes'][0]['median']" 7000
    [ "$(number "['probes'][1]['events']") $(number "['probes'][0]['disorder']")" = '40 0' ] || fault "the events: $said"
    pins "$directory/lost.vcd" 13
    expect 4 'channel H .a east.head.: its heads and those at the next board do not take turns .3 of 40' \
        "$postroad" latency "$directory/lost.vcd" --testbed "$bench"
    expect 4 '"disorder":.3$' "$postroad" latency "$directory/lost.vcd" --testbed "$bench" --json --quiet
}

# bits FIGURE LEAST MOST NANOSECONDS: the first hop's figure lies between so many bits of that length.
bits() {
    awk -v value="$(number "['hops'][0]['$1']['value_ns']")" -v least="$2" -v most="$3" -v bit="$4" \
        'BEGIN { exit !(value >= least * bit && value <= most * bit) }' ||
        fault "$1 of the first hop is not $2 to $3 bits of $4 ns"
}

# predict TYPE: packets that go straight on through four boards of this type, simulated.
predict() {
    sed -i "s/^type = .*/type = $1/" "$bench"
    expect 0 "$2 board links" "$postroad" sim --testbed "$bench" --traffic "trace:$directory/row.trace,independent" \
        --warmup 0 --quiet --capture "$directory/$1.sr"
    expect 0 . "$postroad" latency "$directory/$1.sr" --testbed "$bench" --quiet --json
    [ "$(number "['lines'][0]['links']")" = "$2" ] || fault "the links of $1: $said"
    printf '%s\n' "$said" >"$directory/$1.json"
}

# The simulation of a testbed has the links of its boards, and its capture is read with the same testbed. A hop of a head that
# goes straight on takes 1.75 to 2 bit times with eager links (hw/board_link/eager.md), a frame and more with the shared engine.
check_prediction() {
    testbed '[analyser]' 'D0 = a.east' 'D1 = b.east'
    for number in {0..39}; do echo "$((number * 12347)) 0 3 4"; done >"$directory/row.trace"
    predict icebreaker shared
    bits min 33 124 333.3
    awk -v least="$(number "['hops'][0]['min']['high_ns']")" -v most="$(number "['hops'][0]['max']['low_ns']")" \
        'BEGIN { exit !(most > least + 333) }' || fault 'boards whose clocks do not drift: each hop takes the same time'
    testbed
    predict ulx3s_25f eager
    bits median 1.75 2.01 80
    bits mean 1.75 10 80
    expect 0 ' ns, inside' "$postroad" latency "$directory/ulx3s_25f.sr" --testbed "$bench" --quiet \
        --simulated "$directory/ulx3s_25f.json"
    expect 3 'links of the other kind there, here they are eager: nothing is compared' \
        "$postroad" latency "$directory/ulx3s_25f.sr" --testbed "$bench" --simulated "$directory/icebreaker.json"
    ! grep -q 'less simulated' <<<"$said" || fault "links of another kind are compared: $said"
}

check_prediction_refused() {
    local sim=("$postroad" sim --quiet --packets 1)
    testbed
    expect 1 'grid-2x1.mesh and --testbed, expected one of them' "${sim[@]}" --testbed "$bench" hw/mesh/grid-2x1.mesh
    expect 1 'options of output alone' "${sim[@]}" --testbed "$bench" --resume "$directory"
    expect 1 'sites=0: expected a simulated mesh' "${sim[@]}" --testbed "$bench" --capture "$directory/x.sr,sites=0"
    expect 1 'board a has 4 sites in one FPGA, expected boards of one site' \
        "${sim[@]}" --testbed boards/testbeds/ulx3s-85f-square.ini
    sed -i 's/^mesh = .*/bit_ns = 80/; s/^type = .*/&\nbitstream = x/' "$bench"
    expect 1 'no mesh, expected mesh = FILE.mesh in .testbed.' "${sim[@]}" --testbed "$bench"
    testbed
    sed -i 's/^board = yes/board = eager/' "$directory/row.mesh"
    expect 1 'bench.ini:3: .board a.: icebreaker has no eager links, expected board = yes' "${sim[@]}" --testbed "$bench"
    testbed '[analyser]' 'D0 = a.probe0 east.head'
    expect 1 'no lines between boards, expected a channel at one in .analyser.' \
        "${sim[@]}" --testbed "$bench" --capture "$directory/x.sr"
}

[ $# -gt 0 ] || set -- formats data names text page browser simulated broken pins prediction prediction_refused
run_checks "$@"
