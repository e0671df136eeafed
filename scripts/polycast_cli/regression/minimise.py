# SPDX-License-Identifier: Apache-2.0
"""Makes a failing case smaller as long as it fails in the same way.

A program of its own, so that it is a job as the cases are: `python -m polycast_cli.regression.minimise ORDER.json`
writes minimal.json and the folder of the smallest case into the current folder.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import yaml

from polycast_cli.regression.cases import options
from polycast_cli.regression.execute import DIFFERENCE, REPLAY, Minimal, first_failure, from_root, saying, wave_in

#: Keys of scenarios that may be made smaller, and how small they can be. Other keys stay as they are.
NETWORK = {"switches": 1, "hosts": 2, "nodes": 2, "radix": 2, "dimensions": 1}
WORKLOAD = {"messages": 1, "degree": 1, "message": 1, "flits": 1, "sources": 1, "streams": 1, "round_trips": 1}
#: The same of the parameters in a replay line.
LINE_MINIMA = {
    "ports": 2, "vcs": 1, "vc_flits": 1, "flit_bytes": 1, "chunk_flits": 1, "chunks": 2, "max_hosts": 1,
    "read_ports": 1, "xbar_stages": 0, "max_switches": 1, "header_stops": 1, "radix": 2, "dimensions": 1,
    "max_nodes": 0, "contexts": 1, "slots": 1, "slot_flits": 1, "indices": 2, "destinations": 1, "max_latency": 0,
    "inject_flits": 1,
}  # fmt: skip


@dataclass
class Failing:
    """How a run failed."""

    kind: str
    message: str
    wave: str
    at: int = 0  # cycle of the first difference, else the last one
    point: str = ""

    def like(self, other: Failing) -> bool:
        """The same kind, and no later: a smaller network that has to be looked at for longer is not simpler."""
        return self.kind == other.kind and self.at <= other.at


@dataclass
class Budget:
    """`seconds` altogether; the run that is under way then is the last."""

    seconds: float
    begin: float = field(default_factory=time.monotonic)
    tried: int = 0

    @property
    def over(self) -> bool:
        return time.monotonic() - self.begin > self.seconds


def kind_of(message: str) -> str:
    """What stays the same when a case becomes smaller: the pin that differs, or the words without their numbers."""
    pin = re.search(r"in cycle \d+: (\w+) of (?:port|entry|input|output)", message)
    if pin:
        return pin[1]
    text = re.sub(r"^.*?in cycle \d+: ", "", message.splitlines()[0] if message else "")
    return re.sub(r"\b(?=\w*\d)\w+\b", "#", text)


def reduce_number(value: int, least: int, fails: Callable[[int], bool]) -> int:
    """The smallest value found that fails, in few tries: as if all above one that fails did."""
    if value <= least or fails(least):
        return min(value, least)
    return bisect(fails, least + 1, value)


def bisect(fails: Callable[[int], bool], low: int, high: int) -> int:
    """Smallest value in low..high that fails, where all above one that fails do; `high` does."""
    while low < high:
        middle = (low + high) // 2
        if fails(middle):
            high = middle
        else:
            low = middle + 1
    return high


def parse_quantity(value: Any) -> tuple[int, str] | None:
    found = re.fullmatch(r"(\d+)( \w+)?", str(value)) if not isinstance(value, bool) else None
    return (int(found[1]), found[2] or "") if found else None


class Search:
    """Makes `what` smaller as long as it fails as it did at first; the folder `best` has the smallest run so far."""

    def __init__(self, order: dict[str, Any], what: Any) -> None:
        self.order, self.what = order, what
        self.budget = Budget(order["seconds"])
        self.steps: list[str] = []
        failing = self.run(what, "first")
        if failing is None:
            raise SystemExit("it does not fail any more")
        self.failing, self.best = failing, "first"

    def run(self, what: Any, name: str) -> Failing | None:
        """Runs it into the folder `name`; None where it does not fail."""
        self.budget.tried += 1
        try:
            done = subprocess.run(
                self.command(what, name), capture_output=True, text=True, check=False, timeout=self.order["timeout"]
            )
        except subprocess.TimeoutExpired:
            return None
        return self.read(name, done.stdout) if done.returncode == 1 else None

    def command(self, what: Any, name: str) -> list[str]:
        raise NotImplementedError

    def read(self, name: str, text: str) -> Failing | None:
        raise NotImplementedError

    def keeps(self, what: Any) -> bool:
        """Tries and keeps what still fails in the same way."""
        if self.budget.over:
            return False
        name = f"try{self.budget.tried}"
        failing = self.run(what, name)
        better = failing is not None and failing.like(self.failing)
        shutil.rmtree(self.best if better else name, ignore_errors=True)
        if better:
            self.what, self.failing, self.best = what, failing, name
        return better

    def note(self, what: str, before: Any, after: Any) -> None:
        if before != after:
            self.steps.append(f"{what}: {before} to {after}")

    def minimal(self, replay: Sequence[str]) -> Minimal:
        return Minimal(shlex.join(replay), self.failing.message, self.failing.wave, self.budget.tried, self.steps)


class ScenarioSearch(Search):
    """Overrides of a scenario that make it smaller."""

    def __init__(self, order: dict[str, Any]) -> None:
        super().__init__(order, dict(order["settings"]))
        results = Path(order["results"])
        self.resolved: dict[str, Any] = yaml.safe_load((results / "scenario.yaml").read_text())
        self.workload: list[dict[str, Any]] = self.resolved["workload"]

    def command(self, what: dict[str, Any], name: str) -> list[str]:
        command = [self.order["program"], "run", self.order["scenario"], *options(what, self.order["seed"])]
        return [*command, "--out", name, "--progress", "none", "--jobs", "1"]

    def read(self, name: str, text: str) -> Failing | None:
        point = first_failure(Path(name))
        if point is None:
            return None
        words = saying(point)
        wave = f"{name}/{point.wave}" if point.wave else ""
        found = re.search(r"in cycle (\d+)", words)
        cycle = int(found[1]) if found else point.cycles
        return Failing(f"{point.outcome}: {kind_of(words)}", f"{point.id}: {words}", wave, cycle, point.id)

    def fails(self, changes: dict[str, Any], instead_of: str = "nothing") -> bool:
        """With these settings; those whose key begins with `instead_of` go."""
        return self.keeps({k: v for k, v in self.what.items() if not k.startswith(instead_of)} | changes)

    def value(self, key: str) -> Any:
        if key in self.what:
            return self.what[key]
        node: Any = self.resolved
        for part in key.split("."):
            node = node.get(part) if isinstance(node, dict) else None
        return node

    def number(self, key: str, least: int) -> None:
        self.reduce(key, self.value(key), least)

    def reduce(self, key: str, value: Any, least: int) -> None:
        parsed = parse_quantity(value)
        if parsed is None or parsed[0] <= least:
            return
        found = reduce_number(parsed[0], least, lambda value: self.fails({key: f"{value}{parsed[1]}"}))
        self.note(key, parsed[0], found)

    def with_workload(self, workload: list[dict[str, Any]]) -> bool:
        # The resolved list has the values of what the case sets.
        if not self.fails({"workload": workload}, instead_of="workload."):
            return False
        self.workload = workload
        return True

    def workloads(self) -> None:
        count = len(self.workload)
        name = self.failing.point.partition("/")[2]
        if count > 1 and not self.with_workload([load for load in self.workload if load.get("name") == name]):
            for load in list(self.workload):
                if len(self.workload) > 1:
                    self.with_workload([other for other in self.workload if other is not load])
        self.note("workloads", count, len(self.workload))

    def workload_numbers(self) -> None:
        for load in self.workload:
            for key, least in WORKLOAD.items():
                # The resolved list has what the case sets, too.
                self.reduce(f"workload.{load.get('name')}.{key}", load.get(key), least)

    def window(self) -> None:
        """Runs that end earlier are the same up to their end, so what fails by then does with every longer window."""
        key = "measurement.window"
        parsed = parse_quantity(self.value(key))
        if parsed is None:
            return
        high, unit = parsed
        if self.failing.at < high and self.fails({key: f"{max(1, self.failing.at)}{unit}"}):
            high = max(1, self.failing.at)
        found = bisect(lambda value: self.fails({key: f"{value}{unit}"}), 1, high)
        self.note(key, parsed[0], found)

    def search(self) -> Minimal:
        self.workloads()
        self.workload_numbers()
        self.number("measurement.warmup", 0)
        self.window()
        # Behind the rest: networks of another size may need RTL models of their own, which take a while.
        instance = re.search(r"-(\d+)/", self.failing.point)
        if instance:
            self.number("network.topology.instances", int(instance[1]))
        for key, least in NETWORK.items():
            self.number(f"network.topology.{key}", least)
        self.window()
        words = ["scripts/polycast", "run", from_root(self.order["scenario"])]
        return self.minimal([*words, *options(self.what, self.order["seed"])])


class LineSearch(Search):
    """A replay line with fewer cycles and smaller parameters."""

    def __init__(self, order: dict[str, Any]) -> None:
        super().__init__(order, order["line"])

    def options(self, line: str, rtl: str) -> list[str]:
        return ["--pair", self.order["pair"], *(["--own-rtl", rtl] if rtl else []), "--replay", line]

    def command(self, what: str, name: str) -> list[str]:
        return [self.order["program"], *self.options(what, self.order["rtl"]), "--waves", name]

    def read(self, name: str, text: str) -> Failing | None:
        found = DIFFERENCE.search(text)
        if found is None or REPLAY.search(text) is None:
            return None
        return Failing(kind_of(found[0]), found[0], str(wave_in(text, Path()) or ""), int(found[1]))

    def fails(self, name: str, value: int) -> bool:
        return self.keeps(re.sub(rf"\b{name}=\d+", f"{name}={value}", self.what))

    def number(self, name: str) -> int:
        return int(re.search(rf"\b{name}=(\d+)", self.what)[1])  # type: ignore[index]

    def shorten(self) -> None:
        before = self.number("cycles")
        if self.failing.at + 1 < before:
            self.fails("cycles", self.failing.at + 1)
        bisect(lambda value: self.fails("cycles", value), 1, self.number("cycles"))
        self.note("cycles", before, self.number("cycles"))

    def search(self) -> Minimal:
        self.shorten()
        for name, least in LINE_MINIMA.items():
            if not re.search(rf"\b{name}=\d+", self.what) or self.number(name) <= least:
                continue
            before = self.number(name)
            after = reduce_number(before, least, lambda value, name=name: self.fails(name, value))  # type: ignore[misc]
            self.note(name, before, after)
        self.shorten()
        rtl = from_root(self.order["rtl"]) if self.order["rtl"] else ""
        return self.minimal(["scripts/polycast", "soak", *self.options(self.what, rtl)])


def main(order: Path) -> None:
    said = json.loads(order.read_text())
    search = ScenarioSearch(said) if said["kind"] == "scenario" else LineSearch(said)
    minimal = search.search()
    Path("minimal.json").write_text(json.dumps(asdict(minimal), indent=1) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
