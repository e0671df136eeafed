# SPDX-License-Identifier: Apache-2.0
"""`bench`: the benchmark programs and whole runs, repeated in turn: every ratio is between numbers of one moment."""

from __future__ import annotations

import json
import os
import platform
import re
import statistics
import subprocess
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from rich.text import Text

from polycast_cli.build import build, environment, folder, simulator
from polycast_cli.common import ROOT, Failure, UserError, out, say, shown, write_whole
from polycast_cli.projection import Costs, show_projection
from polycast_cli.ranks import launcher
from polycast_cli.results import Folder
from polycast_cli.terminal import LEFT, progress, table

PLAN = Path(__file__).resolve().parents[1] / "bench.yaml"

#: Fields of Google Benchmark's JSON that are not counters.
NO_COUNTERS = {
    "name", "family_index", "per_family_instance_index", "run_name", "run_type", "repetitions", "repetition_index",
    "threads", "iterations", "real_time", "cpu_time", "time_unit", "label", "error_occurred", "error_message",
}  # fmt: skip
#: What Google Benchmark appends to a name to say how it measures.
SETTINGS = re.compile(r"/(?:iterations|repeats|min_time|min_warmup_time|threads):[^/]*|/(?:manual|real|process)_time")
TO_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


@dataclass
class Measured:
    """Values of one counter of one benchmark, one for each repetition."""

    values: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    def spread(self) -> str:
        return f"{amount(min(self.values))} .. {amount(max(self.values))}"


Table = dict[str, dict[str, Measured]]


def amount(value: float) -> str:
    """Three digits with a unit prefix."""
    for limit, factor, unit in ((1e9, 1e9, " G"), (1e6, 1e6, " M"), (1e4, 1e3, " k")):
        if abs(value) >= limit:
            return f"{value / factor:.3g}{unit}"
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def google(program: Path, filters: Sequence[str]) -> dict[str, dict[str, float]]:
    """Runs one Google Benchmark program once: {benchmark: {counter: value}}."""
    with tempfile.NamedTemporaryFile(suffix=".json") as answer:
        command = [str(program), f"--benchmark_out={answer.name}", "--benchmark_out_format=json"]
        if filters:
            command.append(f"--benchmark_filter={'|'.join(filters)}")
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment(), check=False)
        if done.returncode:
            raise Failure(f"{program.name} failed:\n{(done.stderr or done.stdout)[-2000:]}")
        text = Path(answer.name).read_text()
    if not text.strip():
        return {}
    found: dict[str, dict[str, float]] = {}
    for run in json.loads(text)["benchmarks"]:
        if run.get("error_occurred"):
            raise Failure(f"{program.name}: {run['name']}: {run.get('error_message', 'failed')}")
        counters = {key: float(value) for key, value in run.items() if key not in NO_COUNTERS}
        counters["seconds"] = run["real_time"] * TO_SECONDS[run["time_unit"]]
        found[SETTINGS.sub("", run["name"])] = counters
    return found


def process(name: str, arguments: Sequence[str], ranks: int | None = None) -> dict[str, dict[str, float]]:
    """Runs the simulator once into a scratch folder: wall and CPU seconds, memory, flit-hops and cycles per second; on
    ranks also what they cost."""
    with tempfile.TemporaryDirectory() as scratch:
        target = Path(scratch) / "results"
        command = [*launcher(ranks, None), str(simulator()), *arguments, "--out", str(target), "--progress", "none"]
        begin = time.perf_counter()
        child = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        assert child.stderr is not None
        complaint = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - begin
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise Failure(f"{name}: polycast-sim ended with status {child.returncode}: {complaint.strip()[-1000:]}")
        points = Folder(target).results().points
        costs = json.loads((target / "run.json").read_text()).get("ranks", {}).get("points", {})
        traces = [*target.glob("waves/*"), *target.glob("packets/*")]
        traced = sum(file.stat().st_size for file in traces)
    hops = sum(point.links.flits for point in points if point.links)
    counters = {
        "seconds": seconds,
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "memory_bytes": usage.ru_maxrss * 1024.0,
        "hops": hops / seconds,
        "cycles": sum(point.cycles for point in points) / seconds,
    }
    if traced:
        counters["trace_bytes"] = float(traced)
    for point in costs.values():
        counters |= {key: float(value) for key, value in point.items() if key != "window"}
    return {name: counters}


def has_models(arguments: Sequence[str]) -> bool:
    """Whether the run uses Verilated models, which the first run that needs them builds."""
    return any(argument.endswith(("fidelity=rtl", "processor=rtl")) for argument in arguments)


def value_of(table: Table, place: str) -> list[float]:
    """Values of BENCHMARK:COUNTER; empty where it was not measured."""
    name, _, counter = place.rpartition(":")
    return table.get(name, {}).get(counter, Measured()).values


def ratios(table: Table, plan: Sequence[dict[str, str]]) -> list[dict[str, Any]]:
    found = []
    for row in plan:
        pairs = list(zip(value_of(table, row["of"]), value_of(table, row["over"]), strict=False))
        values = [of / over for of, over in pairs if over]
        if values:
            found.append({**row, "median": statistics.median(values), "least": min(values), "most": max(values)})
    return found


def met(aim: str | None, value: float) -> str:
    if aim is None:
        return ""
    word, limit = aim.rsplit(" ", 1)
    good = value >= float(limit) if word == "at least" else value <= float(limit)
    return f"{'yes' if good else 'no'} ({aim})"


def show(measured: Table, found: Sequence[dict[str, Any]]) -> None:
    numbers = table("benchmark", "counter", "median", "least .. most", left=("benchmark", "counter"))
    for name, counters in measured.items():
        for index, (counter, one) in enumerate(counters.items()):
            numbers.add_row("" if index else name, counter, amount(one.median), one.spread())
    out.print(numbers)
    if found:
        out.print()
        compared = table("ratio", "median", "least .. most", "aim met", left=("ratio", "aim met"))
        for row in found:
            spread = f"{row['least']:.3g} .. {row['most']:.3g}"
            said = met(row.get("aim"), row["median"])
            compared.add_row(
                row["name"], f"{row['median']:.3g}", spread, Text(said, "red" if said[:2] == "no" else "green")
            )
        out.print(compared)


def run_benchmarks(filters: Sequence[str], repetitions: int, output: Path) -> None:
    """Measures, prints, and writes `output`. \\raises Failure when a program fails."""
    build(tests=True)
    plan = yaml.safe_load(PLAN.read_text())
    programs = sorted(path for path in (folder() / "testbench" / "benchmarks").glob("*_bench") if path.is_file())
    processes = [row for row in plan["processes"] if not filters or any(word in row["name"] for word in filters)]
    measured: Table = defaultdict(lambda: defaultdict(Measured))
    with progress("measuring", *LEFT) as bar:
        builders = [row for row in processes if has_models(row["arguments"]) and not row.get("ranks")]
        task = bar.add_task("", total=len(builders) + repetitions * (len(programs) + len(processes)))
        for row in builders:
            bar.update(task, description=f"models of {row['name']}")
            process(row["name"], row["arguments"])
            bar.advance(task)
        for _ in range(repetitions):
            for program in programs:
                bar.update(task, description=program.name)
                take(measured, google(program, filters))
                bar.advance(task)
            for row in processes:
                bar.update(task, description=row["name"])
                take(measured, process(row["name"], row["arguments"], row.get("ranks")))
                bar.advance(task)
    if not measured:
        raise UserError(f"no benchmark matches {' '.join(filters)}")
    found = ratios(measured, plan["ratios"])
    show(measured, found)
    project_ranks(measured, processes)
    machine = {"cores": os.cpu_count(), "processor": processor(), "kernel": platform.release()}
    values = {name: {key: m.values for key, m in counters.items()} for name, counters in measured.items()}
    output.parent.mkdir(parents=True, exist_ok=True)
    write_whole(output, json.dumps({"machine": machine, "measured": values, "ratios": found}, indent=1))
    say(f"written: {shown(output)}")


def project_ranks(measured: Table, processes: Sequence[dict[str, Any]]) -> None:
    """Rows named RUN/R, R the number of ranks."""
    runs: dict[str, dict[int, Costs]] = defaultdict(dict)
    for row in processes:
        run, _, ranks = row["name"].rpartition("/")
        if run.startswith("ranks/"):
            of = {key: one.median for key, one in measured[row["name"]].items()}
            runs[run][int(ranks)] = Costs(
                of["seconds"], *(of.get(key, 0.0) for key in ("windows", "batches", "bytes", "cables")),
                of.get("waiting_seconds", 0.0),
            )  # fmt: skip
    for run, costs in runs.items():
        show_projection(run, costs)


def take(measured: Table, found: dict[str, dict[str, float]]) -> None:
    for name, counters in found.items():
        for counter, value in counters.items():
            measured[name][counter].values.append(value)


def processor() -> str:
    """The model name of the first processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "")
