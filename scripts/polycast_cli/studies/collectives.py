# SPDX-License-Identifier: Apache-2.0
"""`advise --collective`: which algorithm a collective takes on a network, predicted and simulated."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import yaml

from polycast_cli.common import Failure, Status, UserError, err, out, write_whole
from polycast_cli.jobs.model import Job, JobStatus
from polycast_cli.jobs.store import Store
from polycast_cli.jobs.work import Work
from polycast_cli.studies.model import Settings
from polycast_cli.studies.network import Network
from polycast_cli.studies.plan import scenario_text
from polycast_cli.studies.runs import RESULTS, simulation
from polycast_cli.terminal import table

Which = Literal["none", "near", "all"]

#: Algorithms predicted within so many times of the best one are simulated with `near`.
NEAR = 1.5


@dataclass
class Row:
    """A collective at a size; cycles by algorithm, the fastest prediction first."""

    network: str
    collective: str
    size: int
    predicted: dict[str, int]
    simulated: dict[str, int] = field(default_factory=dict)
    #: Algorithms whose multicasts switches, interfaces or hosts copy by a scheme.
    schemes: frozenset[str] = frozenset()

    @property
    def choice(self) -> str:
        return next(iter(self.predicted))

    @property
    def winner(self) -> str | None:
        """Of the simulated ones; of equals the one predicted to be faster."""
        return min(self.simulated, key=lambda name: self.simulated[name]) if self.simulated else None

    @property
    def regret(self) -> float | None:
        """What the predicted winner takes more than the best simulated one."""
        if self.winner is None or self.choice not in self.simulated:
            return None
        return self.simulated[self.choice] / self.simulated[self.winner] - 1

    @property
    def plain(self) -> str | None:
        """The best algorithm of messages alone: of the simulated ones, else by prediction."""
        times = {name: took for name, took in self.simulated.items() if name not in self.schemes}
        times = times or {name: took for name, took in self.predicted.items() if name not in self.schemes}
        return min(times, key=lambda name: times[name]) if times else None

    @property
    def gain(self) -> float | None:
        """How many times as fast the winner is as the best algorithm of messages alone; None where it is one, or one of
        the two was not simulated."""
        if self.winner not in self.schemes or self.winner is None or self.plain not in self.simulated:
            return None
        return self.simulated[self.plain] / self.simulated[self.winner]

    def errors(self) -> list[float]:
        """Of each prediction that was simulated, against the simulation."""
        return [self.predicted[name] / took - 1 for name, took in self.simulated.items()]


@dataclass
class Advice:
    """What the predictions of a network say, and rows of all its collectives and sizes."""

    network: str
    ranks: int
    calibration: dict[str, Any]
    crossovers: dict[str, list[dict[str, Any]]]
    rows: list[Row]

    def of(self, collective: str) -> list[Row]:
        return [row for row in self.rows if row.collective == collective]


@dataclass(frozen=True)
class Question:
    program: Path
    network: Network
    collectives: str
    sizes: str
    ranks: int | None = None
    which: Which = "near"

    def scenario(self, workload: Settings) -> str:
        more: Settings = {"name": "w", "kind": "collective"} | workload
        if self.ranks is not None:
            more["ranks"] = self.ranks
        return scenario_text({"name": "advise", "trace.activity": False} | self.network.settings, more)

    def predictions(self) -> list[Advice]:
        """Of each network of the scenario. \\raises UserError with what the simulator says"""
        with tempfile.TemporaryDirectory() as scratch:
            file = Path(scratch) / "scenario"
            file.write_text(self.scenario({"algorithm": "auto"}))
            command = [self.program, "advise", file, "--written-by", "advise"]
            command += ["--collective", self.collectives, "--sizes", self.sizes]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise UserError(done.stderr.strip().removeprefix("error: "))
        return [advice_of(found) for found in json.loads(done.stdout)["networks"]]

    def job(self, row: Row, algorithm: str, folder: Path) -> Job:
        workload: Settings = {"collective": row.collective, "algorithm": algorithm}
        if row.collective != "barrier":
            workload["size"] = row.size
        name = f"{row.collective} by {algorithm}, {row.size} B"
        command = simulation(self.program, self.scenario(workload))
        return Job(name, name, command, folder / name.replace(" ", "_"), outputs=(RESULTS / "results.json",))

    def wanted(self, row: Row) -> list[str]:
        if self.which == "none":
            return []
        most = NEAR * row.predicted[row.choice]
        # And the best one of messages alone, for what multicasts gain.
        return [
            name for name, cycles in row.predicted.items() if self.which == "all" or cycles <= most or name == row.plain
        ]

    def simulate(self, advice: Sequence[Advice], folder: Path, workers: int | None) -> None:
        """Each a checked run on all networks of the scenario. \\raises Failure where one is not right"""
        by_size = {(row.collective, row.size): [] for one in advice for row in one.rows}  # type: dict[tuple[str, int], list[Row]]
        for one in advice:
            for row in one.rows:
                by_size[row.collective, row.size].append(row)
        wanted = {
            key: dict.fromkeys(name for row in rows for name in self.wanted(row)) for key, rows in by_size.items()
        }
        jobs = {(key, name): self.job(by_size[key][0], name, folder) for key, names in wanted.items() for name in names}
        with Store(folder / "jobs.sqlite") as store:
            work = Work(list(jobs.values()), store, again=True)
            work.run("simulating", workers=workers, tells_failures=False)
            for (key, name), job in jobs.items():
                outcome = work.outcomes[job.key]
                if outcome.status is JobStatus.REFUSED:
                    raise UserError(outcome.tail.removeprefix("error: "))
                if not outcome.passed:
                    raise Failure(f"{job.name}: {outcome.status}: {outcome.tail}")
                points = json.loads((job.folder / RESULTS / "results.json").read_text())["points"]
                for row, point in zip(by_size[key], points, strict=True):
                    row.simulated[name] = int(point["program"]["finish"]["cycles"])


def advice_of(found: dict[str, Any]) -> Advice:
    rows, crossovers = [], {}
    for one in found["collectives"]:
        crossovers[one["collective"]] = one["crossovers"]
        for at in one["sizes"]:
            predicted = {each["algorithm"]: int(each["cycles"]) for each in at["predictions"]}
            schemes = frozenset(each["algorithm"] for each in at["predictions"] if "scheme" in each)
            rows.append(Row(found["network"], one["collective"], int(at["size"]), predicted, schemes=schemes))
    return Advice(found["network"], int(found["ranks"]), found["calibration"], crossovers, rows)


def ask(question: Question, folder: Path | None, workers: int | None) -> list[Advice]:
    """`folder`: where runs are kept, so that they are not repeated; None: nowhere."""
    advice = question.predictions()
    if question.which == "none":
        return advice
    if folder is not None:
        question.simulate(advice, folder, workers)
    else:
        with tempfile.TemporaryDirectory() as scratch:
            question.simulate(advice, Path(scratch), workers)
    return advice


def bytes_text(size: int) -> str:
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit and size % unit == 0:
            return f"{size // unit} {name}"
    return f"{size} B"


def percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"


@dataclass(frozen=True)
class Summary:
    """Of rows: errors are those of all predictions that were simulated."""

    count: int
    error_mean: float
    error_worst: float
    regret_mean: float
    regret_worst: float
    worst: Row | None


def summary(rows: Iterable[Row]) -> Summary | None:
    """None where nothing was simulated."""
    known = [row for row in rows if row.regret is not None]
    if not known:
        return None
    errors = [abs(error) for row in known for error in row.errors()]
    worst = max(known, key=lambda row: row.regret or 0)
    regrets = [row.regret or 0 for row in known]
    return Summary(len(known), sum(errors) / len(errors), max(errors), sum(regrets) / len(regrets), max(regrets), worst)


def print_calibration(advice: Advice) -> None:
    measured = advice.calibration
    ways = table("bytes", "way, cycles", "least", "most", "gap")
    for row in measured["lengths"]:
        ways.add_row(*(f"{row[key]:,}" for key in ("bytes", "way", "way_least", "way_most", "gap")))
    out.print(f"{advice.network}: {advice.ranks} ranks; o {measured['o']}, o_receive {measured['o_receive']}")
    out.print(ways)
    if len(measured["distances"]) > 1:
        spread = "; ".join(
            f"{one['links']}: {one['way'][0]:,} to {one['way'][-1]:,} ({one['pairs']} pairs)"
            for one in measured["distances"]
        )
        out.print(f"by links between switches, shortest and longest message: {spread}")
    if measured["shared"]:
        out.print(f"interfaces send and receive in turn: {measured['gap_both']:,} cycles a message both ways at once")


def print_collective(name: str, advice: Advice) -> None:
    printed = table(
        name,
        "predicted winner",
        "cycles",
        "simulated winner",
        "cycles",
        "error",
        "regret",
        left=(name, "predicted winner", "simulated winner"),
    )
    for row in advice.of(name):
        error = row.predicted[row.choice] / row.simulated[row.choice] - 1 if row.choice in row.simulated else None
        best = row.winner
        took = f"{row.simulated[best]:,}" if best else "–"
        cells = (row.choice, f"{row.predicted[row.choice]:,}", best or "–", took, percent(error), percent(row.regret))
        printed.add_row("" if name == "barrier" else bytes_text(row.size), *cells)
    out.print(printed)
    gains = [
        f"{row.winner} {row.gain:.2f} times as fast as {row.plain} at {bytes_text(row.size)}"
        for row in advice.of(name)
        if row.gain is not None
    ]
    if gains:
        out.print(f"against the best algorithm of messages alone: {', '.join(gains)}")
    changes = [f"{one['before']} to {one['after']} at {one['size']:,} B" for one in advice.crossovers[name]]
    if changes:
        out.print(f"predicted to change: {', '.join(changes)}")
    found = summary(advice.of(name))
    if found:
        out.print(
            f"prediction error: mean {percent(found.error_mean)}, worst {percent(found.error_worst)}; "
            f"regret: mean {percent(found.regret_mean)}, worst {percent(found.regret_worst)}"
        )
    out.print()


def table_text(advice: Advice) -> str:
    """What `algorithm: auto` reads: from which size on which algorithm, as simulated where it was, else predicted."""
    content: dict[str, Any] = {"network": advice.network, "ranks": advice.ranks}
    for name in advice.crossovers:
        rows: list[dict[str, Any]] = []
        for row in advice.of(name):
            chosen = row.winner or row.choice
            if not rows or rows[-1]["algorithm"] != chosen:
                rows.append({"from": row.size, "algorithm": chosen})
        content[name] = rows
    return "# Written by `polycast advise`.\n" + yaml.safe_dump(content, sort_keys=False, default_flow_style=None)


def advice_json(advice: Advice) -> dict[str, Any]:
    def summed(rows: list[Row]) -> dict[str, Any] | None:
        found = summary(rows)
        return found and {
            "error": {"mean": found.error_mean, "worst": found.error_worst},
            "regret": {"mean": found.regret_mean, "worst": found.regret_worst},
        }

    return {
        "network": advice.network,
        "ranks": advice.ranks,
        "calibration": advice.calibration,
        "collectives": [
            {
                "collective": name,
                "sizes": [
                    {
                        "size": row.size,
                        "predicted": row.predicted,
                        "simulated": row.simulated,
                        "predicted_winner": row.choice,
                        "simulated_winner": row.winner,
                        "regret": row.regret,
                        "schemes": sorted(row.schemes),
                        "messages_alone": row.plain,
                        "gain": row.gain,
                    }
                    for row in advice.of(name)
                ],
                "crossovers": changes,
                "summary": summed(advice.of(name)),
            }
            for name, changes in advice.crossovers.items()
        ],
    }


def advise(question: Question, workers: int | None, as_json: bool, target: Path | None) -> int:
    advice = ask(question, None, workers)
    if target is not None:
        if len(advice) > 1:
            raise UserError("-o: the scenario has several networks, and a table is for one")
        write_whole(target, table_text(advice[0]))
    if as_json:
        print(json.dumps([advice_json(one) for one in advice], indent=1))
        return Status.OK
    for one in advice:
        print_calibration(one)
        out.print()
        for name in one.crossovers:
            print_collective(name, one)
    if target is not None:
        err.print(f"table: {target}", highlight=False)
    return Status.OK
