# SPDX-License-Identifier: ISC
"""What test_python.sh checks of the Python client, in the tree's folder. usage: python_checks.py CHECK FOLDER"""
import contextlib
import io
import json
import os
import re
import sys
import typing
import xml.dom.minidom
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import postroad

folder = Path(sys.argv[2])
grid = "hw/mesh/grid-4x4.mesh"


def fits(value: Any, kind: Any) -> bool:
    """Whether a value is of a type; of a TypedDict, whether it names all keys that are there."""
    if typing.is_typeddict(kind):
        hints = typing.get_type_hints(kind)
        return all(name in hints and fits(inner, hints[name]) for name, inner in value.items())
    inside = typing.get_args(kind)
    if typing.get_origin(kind) is list:
        return isinstance(value, list) and all(fits(inner, inside[0]) for inner in value)
    if inside:
        return any(fits(value, one) for one in inside)
    return isinstance(value, (int, float) if kind is float else kind)


def failing(code: int, text: str, function: Callable[[], object]) -> postroad.Error:
    try:
        found = function()
    except postroad.Error as error:
        assert error.code == code and text in error.text and text in str(error), repr(error)
        return error
    raise AssertionError(f"no error '{text}', but {found}")


def check_mesh() -> None:
    with postroad.up(grid, nodes="native", name="python") as mesh:
        found, = postroad.meshes()
        assert fits(found, postroad.Found) and found["name"] == "python" and found["sites"] == 16, found
        pings = mesh.ping([3, 12], count=2, from_=5)
        assert fits(pings, list[postroad.Ping]) and [ping["hops"] for ping in pings] == [3, 3], pings
        assert [ping["answered"] for ping in pings] == [2, 2], pings
        with mesh.listen([3, 12], events=True) as heard:
            sent, = mesh.send([3, 12], b"odd", from_=5)
            arrived = [next(heard), next(heard)]
            assert fits(sent, postroad.Sent) and fits(arrived, list[postroad.Heard]), (sent, arrived)
            assert sorted(one["site"] for one in arrived) == [3, 12], arrived
            assert all(one["sequence"] == sent["sequence"] and one["source"] == 5 for one in arrived), arrived
            assert all(one["data"] == [0x646f, 0x64] for one in arrived), arrived
            mesh.send("1,2", [1])
            mesh.send(3, "text of letters")
            assert next(heard)["text"] == "text of letters"
        assert not list(heard) and heard._verb.returncode is not None
        heard = postroad.Mesh().listen(3, count=2, timeout=20)
        mesh.send(3)
        mesh.send(3, [0xffff, 7], handler=1, info=["9"])
        assert [(one["data"], one["info"]) for one in heard] == [([], []), ([0xffff, 7], [9])]
        assert mesh.map()["links_good"] == 24
        before: list[tuple[int, int]] = []
        after: list[tuple[int, int]] = []
        for counted in (before, after):
            mesh.send(3, count=9)
            counted += sorted((site["site"], site["delivered"]) for site in mesh.stats([12, 3])["sites"])
        assert [site for site, delivered in after] == [3, 12] and after[0][1] >= before[0][1] + 9, (before, after)
        said = mesh.console(3, "id", "echo a b").splitlines()
        assert said[0].startswith("site 3 of 16") and said[1] == "a b", said
    assert postroad.meshes() == []


def check_errors() -> None:
    with postroad.up("hw/mesh/grid-2x2.mesh", nodes="native", fault="stop:3:1") as mesh:
        failing(1, "unknown site 99", lambda: mesh.ping(99))
        failing(1, "unknown command", lambda: mesh.console(1, "nonsense"))
        failing(5, "0 of 1 deliveries", lambda: list(mesh.listen(1, count=1, timeout=0.1)))
        some = failing(4, "answers", lambda: mesh.send([1, 3], [1], timeout=20))
        outcomes = {target["site"]: target["outcome"] for target in some.answers[0]["packets"][0]["targets"]}
        assert outcomes == {1: "delivered", 3: "failed"}, outcomes
    gone = postroad.Mesh("up:none")
    failing(2, "no mesh is up", gone.map)
    failing(2, "no mesh is up", lambda: list(gone.listen()))
    failing(1, "expected a .mesh file", lambda: postroad.sim("none.mesh"))
    failing(1, "--load", lambda: postroad.sim(grid, load=-1))
    failing(3, "no samples of logic", lambda: postroad.samples(grid))
    faulty = failing(4, "reported as failed", lambda: postroad.sim(grid, packets=300, fault=["stop:3:500", "stop:4:500"]))
    assert faulty.answers[0]["stops"] == 2 and faulty.answers[0]["latency_clocks_count"] > 0, faulty.answers


def check_sim() -> None:
    def measured(rows: list[postroad.Row]) -> list[postroad.Row]:
        return [{name: value for name, value in row.items() if "cpu_" not in name} for row in rows]

    table = folder / "sweep.csv"
    sweep = postroad.sim(grid, load="0.1:0.2:0.1", packets=300, traffic="hot-spot", hot_share=0.5, csv=table)
    assert [row["load"] for row in sweep] == [0.1, 0.2] and sweep[0]["traffic"] == "hot-spot", sweep
    assert sweep[0]["latency_clocks_mean"] > sweep[0]["latency_clocks_min"] > 0 and sweep[0]["trace"] is None, sweep
    assert postroad.rows(table) == sweep
    (folder / "sweep.json").write_text("\n".join(map(json.dumps, postroad.call(
        "sim", grid, load="0.1:0.2:0.1", packets=300, traffic="hot-spot", hot_share=0.5))))
    assert measured(postroad.rows(folder / "sweep.json")) == measured(sweep)
    kept = postroad.sim(grid, load="0.1:0.2:0.1", packets=300, traffic="hot-spot", hot_share=0.5, out=folder / "run")
    assert kept == postroad.rows(folder / "run") and measured(kept) == measured(sweep), kept
    (folder / "hash.csv").write_text("mesh_hash,load,latency\n00123e45,0.1,1e3\n")
    assert postroad.rows(folder / "hash.csv") == [{"mesh_hash": "00123e45", "load": 0.1, "latency": 1000}]


def stored(session: Path, channels: int) -> list[bytes]:
    """The samples of each channel, as a .sr file has them."""
    width = (channels + 7) // 8
    with zipfile.ZipFile(session) as parts:
        count = sum(name.startswith("logic-1") for name in parts.namelist())
        raw = b"".join(parts.read(f"logic-1-{part + 1}") for part in range(count))
    samples = [int.from_bytes(raw[at:at + width], "little") for at in range(0, len(raw), width)]
    return [bytes(sample >> bit & 1 for sample in samples) for bit in range(channels)]


def check_captures() -> None:
    capture = Path("tests/latency/data/locked.sr")
    found = postroad.samples(capture)
    assert found.rate == 24000000 and list(found.channels) == ["D0", "D1", "D2"], found.channels.keys()
    assert list(found.channels.values()) == stored(capture, 3)
    # More than eight channels; and VCD, of which sigrok-cli makes a sample for each nanosecond.
    for name in ("lines.sr", "lines.vcd"):
        postroad.sim("boards/testbeds/grid-4x4.mesh", packets=1, load=0.1, capture=folder / name)
    lines, exact = postroad.samples(folder / "lines.sr"), postroad.samples(folder / "lines.vcd", reader="vcd")
    assert list(lines.channels.values()) == stored(folder / "lines.sr", 48) and exact.rate == 1000000000
    for name, line in lines.channels.items():
        assert bytes(exact.channels[name][round(k * 1e9 / lines.rate)] for k in range(len(line))) == line, name
    (folder / "row.mesh").write_text("[mesh]\nfabric = cutthrough\ntopology = grid\nsize = 4x1\n[links]\nboard = yes\n"
                                     "[buffers]\nmax_packet = 56\n")
    bench = "[testbed]\nmesh = row.mesh\n" + "".join(f"[board {name}]\ntype = icebreaker\n" for name in "abcd")
    (folder / "row.ini").write_text(bench + "[cables]\na.east = b.west\nb.east = c.west\nc.east = d.west\n"
                                    "[analyser]\nrate = 24m\nD0 = a.east\nD1 = b.east\nD2 = c.east\n")
    hop = postroad.latency(capture, testbed=folder / "row.ini")["hops"][0]
    assert hop["min"]["low_ns"] <= 17110 <= hop["min"]["high_ns"], hop["min"]


def check_readme() -> None:
    said, = re.findall("```python\n(.*?)```", Path("host-tools/python/README.md").read_text(), re.S)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(said, {})
    lines = printed.getvalue().splitlines()
    assert len(lines) == 16 + 1 + 1 + 4 and lines[0].startswith("0 0 ") and lines[16].startswith("hello "), lines
    assert [float(line.split()[0]) for line in lines[-4:]] == [0.05, 0.1, 0.15, 0.2], lines


def check_notebook() -> None:
    """The cells in their order, as Jupyter runs them; none of their output is kept in the file."""
    os.chdir("host-tools/python")
    names: dict[str, Any] = {}
    for cell in json.loads(Path("latency.ipynb").read_text())["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None
            exec("".join(cell["source"]), names)
    steady = {mesh: [row for row in sweep if not row["saturated"]] for mesh, sweep in names["sweeps"].items()}
    assert 4 < len(steady["grid"]) < len(names["sweeps"]["grid"]), "the sweep does not end above saturation"
    assert steady["grid"][4]["latency_clocks_mean"] > steady["torus"][4]["latency_clocks_mean"]
    for picture, curves in ((names["latency"], steady), (names["throughput"], names["sweeps"])):
        uses = xml.dom.minidom.parseString(picture._repr_svg_()).getElementsByTagName("use")
        # A point of each row, and one of each curve in the key; what has no colour are the marks' shapes.
        points = sum(use.hasAttribute("color") for use in uses)
        assert points == sum(map(len, curves.values())) + len(curves), points
    assert names["faulty"][0]["resets"] > 0 and names["faulty"][0]["lost"] == 0


globals()[f"check_{sys.argv[1]}"]()
