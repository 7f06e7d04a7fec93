#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# `postroad report`: one page that needs no other file and has those of the folder. In a browser it has the numbers of the table,
# fits 800 and 1400 pixels, and window, slider and choice of a point change the picture of the links. No word over a link is lost.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/sim/sim_results.bash
source tests/sim/sim_results.bash
folder=$work/run page=$work/run/report.html
mesh=$work/'a<b>&lt;.mesh'
cp hw/mesh/torus-4x4.mesh "$mesh"

# browse PAGE WIDTH: what the page is once its script has run, in $work/dom.
browse() {
    timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$work/chromium" \
        --window-size="$2",1000 --dump-dom "file://$1" >"$work/dom" 2>"$work/log" || fail "chromium: $(tail -n 3 "$work/log")"
}

run 0 "$mesh" --engine functional --packets 3000 --load 0.1,0.2 --repeat 2 --quiet --out "$folder"
verb 0 report "$folder"
verb 0 report "$folder" --output "$work/other.html"
cmp "$page" "$work/other.html" || fail "the name of the page changes it"

# A script behind the page's own does what a hand would, and writes down what it sees.
cat >"$work/hand" <<'HTML'
<p id="seen"></p>
<script>
const element = id => document.getElementById(id), time = element("time"), box = time.getBoundingClientRect();
const lines = () => [...element("mesh").querySelectorAll("line")];
const look = () => element("window").textContent + lines().map(line => line.style.stroke).join();
const point = (kind, share) => time.dispatchEvent(new PointerEvent(kind, {clientX: box.left + share * box.width}));
const seen = [look()];
point("pointerdown", 0.25); point("pointermove", 0.75); point("pointerup", 0.75); seen.push(look());
element("slider").value = element("slider").max; element("slider").dispatchEvent(new Event("input")); seen.push(look());
element("point").value = 1; element("point").dispatchEvent(new Event("change")); seen.push(look());
element("seen").textContent = `different ${new Set(seen).size}, lines ${lines().length}, ` +
    `${document.documentElement.scrollWidth <= innerWidth ? "fits" : "does not fit"} ${innerWidth}`;
</script>
HTML
cat "$page" "$work/hand" >"$work/shown.html"
for width in 800 1400; do
    browse "$work/shown.html" $width
    grep -q "<p id=\"seen\">different 4, lines 64, fits $width</p>" "$work/dom" || fail "$width: $(grep 'id="seen"' "$work/dom")"
done
# The first seed alone, run without a folder.
run 0 "$mesh" --engine functional --packets 3000 --load 0.1,0.2 --quiet --json
python3 - "$folder" "$work/dom" "$out" "$mesh" <<'PYTHON' || fail "the page"
import collections, html.parser, json, sys

class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.texts, self.cells, self.at, self.tag = [], collections.defaultdict(str), [], None, None
        self.feed(open(path).read())
    def handle_starttag(self, tag, attributes):
        self.tag, self.at = tag, dict(attributes).get("id", tag)
        for name, value in attributes:
            assert name not in ("src", "href", "xlink:href") or value.startswith("#"), f"{tag} {name}={value}: another file"
            self.ids += [value] if name == "id" else []
    def handle_data(self, text):
        self.texts[self.at] += text
        self.cells += [text] if self.tag == "td" else []

folder, read = sys.argv[1], lambda path: [json.loads(line) for line in open(path)]
page, shown = Page(folder + "/report.html"), Page(sys.argv[2])
for name in "run.json", "run.mesh", "table.json", "replay.json", "plot-latency.svg", "plot-histogram.svg", "plot-links.svg":
    assert page.texts[name].strip() == open(f"{folder}/{name}").read().strip(), name
assert len(shown.ids) == len(set(shown.ids)) > 20, "an id twice"
assert shown.texts["h1"].strip() == sys.argv[4], shown.texts["h1"]
for point in read(folder + "/table.json"):
    latency = point["latency_clocks"]
    assert f"{latency['mean']:.1f} \u00b1 {latency['mean_ci95']:.1f}" in shown.cells, shown.cells
    assert f"{point['accepted_load']:.4f} \u00b1 {point['accepted_load_ci95']:.4f}" in shown.cells, shown.cells
replays, alone = read(folder + "/replay.json"), read(sys.argv[3])
assert len(replays) == len(alone) == 2
for replay, run in zip(replays, alone):
    assert sum(map(sum, replay["words"])) == run["link_words"] and replay["clocks"][-1] == run["clocks"], replay["point"]
    assert max(map(sum, zip(*replay["words"]))) == run["link_words_most"]
    assert 16 <= len(replay["clocks"]) == len(replay["words"]) <= 64 and replay["clocks"] == sorted(replay["clocks"])
    assert len(replay["links"]) == 64 and {len(frame) for frame in replay["words"]} == {64} and len(replay["sites"]) == 16
PYTHON

# A search has another table, and no replay; a folder without a table; and what is no run folder.
run 0 hw/mesh/csr-hypercube-4.mesh --packets 300 --quiet --load saturation --out "$work/cube"
verb 0 report "$work/cube"
browse "$work/cube/report.html" 800
grep -q '<th>saturation load</th>' "$work/dom" || fail "a search"
grep -q '<section id="replay" hidden' "$work/dom" || fail "a search has a replay"
rm "$folder/table.json"
verb 4 report "$folder"
grep -q "postroad sim --resume $folder makes it" "$err" || fail "no table: $(cat "$err")"
verb 1 report "$work"
finish
