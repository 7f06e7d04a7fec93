# SPDX-License-Identifier: ISC
"""Meshes, simulations and captures of Postroad for programs in Python.

All of it is done by the program `postroad`: a function runs a verb, and gives what `--json` prints (build/doc/reference.md has
the keys). An option of a verb is a keyword, `--group-share 0.5` is group_share=0.5; True is an option without a value, a list is
one that is given often, and `--from` is from_. SITES are 3, [1, 2, 5] or text as in the shell.
"""
import csv
import json
import os
import re
import subprocess
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

Sites = int | str | Iterable[int]
Row = dict[str, Any]  # a point of `postroad sim`: the columns of --csv


class Found(TypedDict, total=False):
    """A mesh of this user: a row of `postroad list`."""
    name: str
    state: str
    directory: str
    pid: int
    sites: int
    sites_in_trouble: int
    nodes: str
    mesh: str
    since: str


class Range(TypedDict, total=False):
    min: int | None
    mean: float | None
    max: int | None


class Ping(TypedDict):
    site: int
    hops: int
    sent: int
    answered: int
    round_trip_clocks: Range
    out_clocks_mean: float | None
    back_clocks_mean: float | None
    both_ways_clocks: Range
    clock_offset: Range


class Outcome(TypedDict, total=False):
    site: int
    outcome: str
    reason: str


class Sent(TypedDict, total=False):
    """A packet of `postroad send`; the last three keys only if the verb waited."""
    sequence: int
    accepted_clock: int
    settled: bool
    settled_clock: int
    targets: list[Outcome]


class Heard(TypedDict, total=False):
    """A delivery, or with events=True an event, of `postroad listen`."""
    schema: str
    version: str
    kind: str
    site: int
    source: int
    sequence: int
    handler: int
    first_word_clock: int
    terminator_clock: int
    delivered_clock: int
    info: list[int]
    data: list[int]
    text: str
    what: str
    remaining: int
    target: int
    reason: str
    clock: int


class Samples(NamedTuple):
    """Of a capture: samples a second, and 0 or 1 for each sample of a channel. numpy.frombuffer takes them without a copy."""
    rate: int
    channels: dict[str, bytes]


class Error(Exception):
    """A verb has failed: its exit code, its text, and what it had found until then (a send to several sites, a sweep)."""

    def __init__(self, code: int, text: str, answers: list[Any]) -> None:
        super().__init__(f"{text} (exit code {code})")
        self.code, self.text, self.answers = code, text, answers


def _program() -> str:
    """That of the tree or of the installation which this file lies in, else the first on PATH."""
    above = Path(__file__).absolute().parents
    places = [above[n] / name for n, name in ((3, "build/postroad"), (4, "bin/postroad")) if n < len(above)]
    return next((str(place) for place in places if os.access(place, os.X_OK)), "postroad")


def _words(verb: str, *operands: object, **options: Any) -> list[str]:
    words = [_program(), verb, *(str(operand) for operand in operands)]
    for name, values in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        for value in values if isinstance(values, (list, tuple)) else [values]:
            if value is not None and value is not False:
                words.append(option if value is True else f"{option}={value}")
    return words


def _objects(text: str) -> list[Any]:
    """JSON, one object behind the other."""
    objects = []
    while text := text.lstrip():
        found, end = json.JSONDecoder().raw_decode(text)
        objects.append(found)
        text = text[end:]
    return objects


def call(verb: str, *operands: object, **options: Any) -> list[Any]:
    """Runs any verb that has --json, and gives the objects that it prints."""
    done = subprocess.run(_words(verb, *operands, json=True, **options), stdin=subprocess.DEVNULL, capture_output=True, text=True)
    answers = _objects(done.stdout)
    if done.returncode:
        raise Error(done.returncode, done.stderr.strip() or f"postroad {verb}: not all is well, see answers", answers)
    return answers


def meshes() -> list[Found]:
    """The meshes of this user that are up, or have died; Mesh("up:" + name) is one of them."""
    found: list[Found] = call("list")[0]["meshes"]
    return found


def up(file: str | Path, **options: Any) -> "Mesh":
    """Starts a mesh. `with up(...) as mesh:` stops it at the end."""
    return Mesh(call("up", file, quiet=True, **options)[0]["endpoint"])


def _sites(sites: Sites) -> str:
    return str(sites) if isinstance(sites, (int, str)) else ",".join(map(str, sites))


class Listening(AbstractContextManager["Listening"], Iterator[Heard]):
    """What `postroad listen` prints. Ends by itself with count= or timeout=, else by close() or with its `with` block."""

    def __init__(self, words: list[str]) -> None:
        self._verb = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                      text=True)
        self._lines, self._notes = self._read(), deque[str](maxlen=20)
        # So nobody has to guess from when on packets are seen: the verb says when every site has been asked to report.
        any(line.startswith("postroad listen: listening at ") for line in self._lines)

    def _read(self) -> Iterator[str]:
        assert self._verb.stdout
        for line in self._verb.stdout:
            if not line.startswith("{"):
                self._notes.append(line)
            yield line
        if self._verb.wait():
            raise Error(self._verb.returncode, "".join(self._notes).strip(), [])

    def __next__(self) -> Heard:
        heard: Heard = json.loads(next(line for line in self._lines if line.startswith("{")))
        return heard

    def close(self) -> None:
        self._lines = iter(())
        self._verb.terminate()
        with self._verb:  # closes the pipe, and waits
            pass

    __del__ = close

    def __exit__(self, *_: object) -> None:
        self.close()


class Mesh(AbstractContextManager["Mesh"]):
    """A mesh that is up, through the console of one of its sites. `gateway` is that of the verbs: up:NAME, tty:PATH, ..."""

    def __init__(self, gateway: str = "") -> None:
        self.gateway = gateway or None  # None: $POSTROAD_GATEWAY, or the only mesh that is up

    def call(self, verb: str, *operands: object, **options: Any) -> Any:
        """Any verb that asks a mesh: the first object that it prints."""
        return call(verb, *operands, gateway=self.gateway, quiet=True, **options)[0]

    def ping(self, sites: Sites = "all", **options: Any) -> list[Ping]:
        pings: list[Ping] = self.call("ping", _sites(sites), **options)["sites"]
        return pings

    def send(self, sites: Sites, data: str | bytes | Iterable[int] = b"", **options: Any) -> list[Sent]:
        """Sends words, or bytes, of which a word has two. Error with code 4, 3 or 5: some targets have it, none, not known."""
        if isinstance(data, (str, bytes)):
            text = "hex:" + (data.encode() if isinstance(data, str) else data).hex()
        else:
            text = "words:" + ",".join(map(str, data))
        packets: list[Sent] = self.call("send", _sites(sites), data=text if text[-1] != ":" else None, **options)["packets"]
        return packets

    def listen(self, sites: Sites = "all", **options: Any) -> Listening:
        """What arrives from now on: `for heard in mesh.listen(3, count=10):`."""
        return Listening(_words("listen", _sites(sites), gateway=self.gateway, json=True, **options))

    def map(self, **options: Any) -> dict[str, Any]:
        """Sites and links, as the sites report them."""
        found: dict[str, Any] = self.call("map", **options)
        return found

    def stats(self, sites: Sites = "all", **options: Any) -> dict[str, Any]:
        """Counters of sites and links."""
        counters: dict[str, Any] = self.call("stats", _sites(sites), **options)
        return counters

    def console(self, site: int, *lines: str) -> str:
        """What the shell of a site answers to these lines."""
        words = _words("console", site, gateway=self.gateway)
        done = subprocess.run(words, input="\n".join(lines), capture_output=True, text=True)
        if done.returncode:
            raise Error(done.returncode, done.stderr.strip() or done.stdout.strip(), [done.stdout])
        return done.stdout.rstrip()

    def down(self) -> None:
        self.call("down")

    def __exit__(self, *_: object) -> None:
        self.down()


def _flat(found: dict[str, Any]) -> Row:
    """latency_clocks.mean is the column latency_clocks_mean of --csv."""
    row: Row = {}
    for name, value in found.items():
        row |= {f"{name}_{inner}": deep for inner, deep in value.items()} if isinstance(value, dict) else {name: value}
    return row


def _value(column: str, text: str) -> Any:
    """CSV does not say what is text: the digits of a hash are."""
    for kind in () if column.endswith("hash") else (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text or None


def sim(mesh: str | Path, **options: Any) -> list[Row]:
    """A point of `postroad sim`, or with load="0.02:0.3:0.04" a sweep: a row for each point."""
    try:
        return [_flat(point) for point in call("sim", mesh, quiet=True, **options)]
    except Error as error:
        error.answers = [_flat(point) for point in error.answers]
        raise


def rows(file: str | Path) -> list[Row]:
    """What `postroad sim` has written with --json or --csv, or the table of a run folder (--out). In CSV, true is 1."""
    path = Path(file)
    text = (path / "table.json" if path.is_dir() else path).read_text()
    if text.startswith("{"):
        return [_flat(point) for point in _objects(text)]
    return [{name: _value(name, value) for name, value in row.items()} for row in csv.DictReader(text.splitlines())]


def latency(capture: str | Path, **options: Any) -> dict[str, Any]:
    """Latencies of a logic analyser's capture; testbed=FILE names its channels."""
    found: dict[str, Any] = call("latency", capture, quiet=True, **options)[0]
    return found


def samples(capture: str | Path, reader: str | None = None) -> Samples:
    """The channels of a capture, .sr, VCD or what else sigrok-cli reads; reader="vcd:downsample=10" is its option -I."""
    words = ["sigrok-cli", f"--input-file={capture}", *([f"--input-format={reader}"] if reader else [])]
    shown = subprocess.run([*words, "--show"], capture_output=True, text=True)
    names = re.findall("^- (.*): logic$", shown.stdout, re.M)
    figures = dict(re.findall("^(Samplerate|Logic unitsize|Logic sample count): ([0-9]+)$", shown.stdout, re.M))
    if not names or len(figures) != 3:
        raise Error(3, f"{capture}: no samples of logic: {shown.stderr.strip() or shown.stdout.strip()}", [])
    rate, unit, count = (int(figures[name]) for name in ("Samplerate", "Logic unitsize", "Logic sample count"))
    # sigrok-cli ends with 0 after most errors, and may write a line before the samples.
    raw = subprocess.run([*words, "--output-format=binary"], capture_output=True).stdout
    if len(raw) < count * unit:
        raise Error(3, f"{capture}: {len(raw)} bytes of samples, expected {count * unit}", [])
    raw = raw[len(raw) - count * unit:]
    bits = [bytes(byte >> bit & 1 for byte in range(256)) for bit in range(8)]
    return Samples(rate, {name: raw[place // 8::unit].translate(bits[place % 8]) for place, name in enumerate(names)})
