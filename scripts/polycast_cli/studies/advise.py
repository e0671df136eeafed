# SPDX-License-Identifier: Apache-2.0
"""`advise`: the best multicast scheme on a network, predicted from plans and simulated."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from polycast_cli.common import Failure, Status, UserError, out
from polycast_cli.jobs.model import Job, JobStatus, Outcome
from polycast_cli.jobs.store import Store
from polycast_cli.jobs.work import Work
from polycast_cli.reading import proposal
from polycast_cli.studies.model import Settings
from polycast_cli.studies.network import Network
from polycast_cli.studies.plan import Unit, scenario_text
from polycast_cli.studies.runs import RESULTS, read, simulation
from polycast_cli.studies.statistics import Estimate, estimate
from polycast_cli.terminal import table

#: A place in the generated scenario, which the user does not know.
PLACE = re.compile(r"^scenario:\d+:\d+: ")

#: Latencies nearer than this share of the best one are as good.
TIE = 0.02


@dataclass(frozen=True)
class Candidate:
    """A scheme: its workload, and the name and options by which `analyse plan` knows it."""

    label: str
    workload: Settings
    key: str
    options: tuple[str, ...] = ()
    why: str = ""


CANDIDATES = [
    Candidate("tree worm", {"scheme": "tree"}, "tree", (), "the switches copy one worm, hosts pay once"),
    Candidate(
        "path worms, less greedy", {"scheme": "path", "phases": "less_greedy"}, "path_less_greedy", (),
        "few phases of worms that drop copies along chains of switches",
    ),
    Candidate(
        "path worms, greedy", {"scheme": "path", "phases": "greedy"}, "path_greedy", (),
        "few phases of worms, every host that has the message sends",
    ),
    Candidate(
        "SSR worms, less greedy", {"scheme": "ssr", "phases": "less_greedy"}, "ssr_less_greedy", (),
        "one worm to each switch, short headers",
    ),
    Candidate(
        "SSR worms, greedy", {"scheme": "ssr", "phases": "greedy"}, "ssr_greedy", (),
        "one worm to each switch, every host that has the message sends",
    ),
    Candidate(
        "path worms and NIs", {"scheme": "hybrid"}, "hybrid_less_greedy", (),
        "worms whose phases cost interfaces time, not hosts",
    ),
    Candidate(
        "NI, k by steps", {"scheme": "ni", "fanout": "best"}, "ni", ("--fanout", "best"),
        "interfaces forward packet by packet, switches need no multicast",
    ),
    Candidate(
        "NI, k by timing", {"scheme": "ni", "fanout": "timing"}, "ni", ("--fanout", "timing"),
        "interfaces forward packet by packet, switches need no multicast",
    ),
    Candidate("software, binomial", {"scheme": "software"}, "software", (), "hosts forward, nothing else is needed"),
    Candidate("unicasts", {"scheme": "unicasts"}, "unicasts", (), "no forwarding at all"),
]  # fmt: skip


@dataclass(frozen=True)
class Multicast:
    source: str
    destinations: tuple[str, ...]


@dataclass
class Row:
    """A candidate's numbers; `refused`: why it cannot be done here."""

    candidate: Candidate
    predicted: list[float] = field(default_factory=list)
    simulated: list[float] = field(default_factory=list)
    refused: str = ""

    @property
    def latency(self) -> Estimate | None:
        return estimate(self.simulated) if self.simulated else None


@dataclass
class Question:
    """A multicast to be advised on; jobs run in folders below `scratch`."""

    network: Network
    size: int
    sets: list[Multicast]
    program: Path
    scratch: Path

    def scenario(self, candidate: Candidate, multicast: Multicast) -> str:
        workload = {"name": "w", "kind": "multicast", "message": self.size, "source": multicast.source}
        workload |= {"destinations": list(multicast.destinations)} | candidate.workload
        return scenario_text({"name": "advise", "trace.activity": False} | self.network.settings, workload)

    def simulation(self, candidate: Candidate, number: int) -> Job:
        name = f"{candidate.label} {number}"
        command = simulation(self.program, self.scenario(candidate, self.sets[number]))
        outputs = (RESULTS / "results.json",)
        return Job(name, name, command, self.scratch / name, expected=(0, 1), outputs=outputs)

    def prediction(self, options: Sequence[str], number: int) -> Job:
        """Predicts all schemes with these options."""
        multicast, name = self.sets[number], f"plan {' '.join(options)} {number}"
        command = [str(self.program), "analyse", "plan", str(self.scratch / "network.yaml")]
        command += ["--source", multicast.source, "--destinations", ",".join(multicast.destinations)]
        command += ["--bytes", str(self.size), "--json", *options]
        return Job(name, name, tuple(command), self.scratch / name)

    def row(self, candidate: Candidate, outcomes: Mapping[str, Outcome]) -> Row:
        """\\raises Failure where the simulator did not end as it should"""
        found = Row(candidate)
        for number, multicast in enumerate(self.sets):
            job, plan = self.simulation(candidate, number), self.prediction(candidate.options, number)
            outcome = outcomes[job.key]
            if outcome.status is JobStatus.REFUSED:
                return Row(candidate, refused=PLACE.sub("", outcome.tail.removeprefix("error: ")))
            if not outcome.passed:
                raise Failure(f"{job.name}: {outcome.status}: {outcome.tail}")
            unit = Unit(job.command[-1], (1,), 0, len(multicast.destinations), 0)
            sample = read(job, unit).samples[0]
            if sample.problem or sample.latency is None:
                return Row(candidate, refused=f"{candidate.label}: {sample.problem or sample.outcome}")
            found.simulated.append(sample.latency)
            if outcomes[plan.key].passed:
                schemes = json.loads((plan.folder / "stdout").read_text())["schemes"]
                if candidate.key in schemes:
                    found.predicted.append(float(schemes[candidate.key]["predicted_latency"]))
        return found


def drawn_sets(hosts: Sequence[str], degree: int, count: int, seed: int) -> list[Multicast]:
    """Random sources with random destinations."""
    generator = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        source, *destinations = (hosts[place] for place in generator.permutation(len(hosts))[: degree + 1])
        found.append(Multicast(source, tuple(destinations)))
    return found


def named(names: Iterable[str], hosts: Sequence[str]) -> list[str]:
    """Hosts by name or number. \\raises UserError with a proposal"""
    found = []
    for name in names:
        if name in hosts:
            found.append(name)
        elif name.isdigit() and int(name) < len(hosts):
            found.append(hosts[int(name)])
        else:
            near = proposal(name, hosts) if len(hosts) <= 64 or "'" in proposal(name, hosts) else ""
            raise UserError(f"no host '{name}'{near}")
    return found


def given_set(hosts: Sequence[str], source: str | None, destinations: Sequence[str]) -> Multicast:
    """\\raises UserError on an empty set, an unknown host, the source among the destinations, a host twice"""
    chosen = named(destinations, hosts)
    if not chosen:
        raise UserError("--destinations: no host is named")
    if len(set(chosen)) != len(chosen):
        raise UserError("--destinations: a host is named twice")
    start = named([source], hosts)[0] if source else next((host for host in hosts if host not in chosen), None)
    if start is None:
        raise UserError("--destinations: all hosts are destinations, so there is no source")
    if start in chosen:
        raise UserError(f"--source {start}: is among the destinations; leave it out, because it has the message")
    return Multicast(start, tuple(chosen))


def ask(program: Path, network: Network, size: int, sets: list[Multicast], jobs: int | None) -> list[Row]:
    """Rows, the fastest first, refused schemes last."""
    with tempfile.TemporaryDirectory() as scratch, Store(Path(scratch) / "jobs.sqlite") as store:
        question = Question(network, size, sets, program, Path(scratch))
        (question.scratch / "network.yaml").write_text(question.scenario(CANDIDATES[-1], sets[0]))
        numbers = range(len(sets))
        todo = [question.simulation(candidate, number) for candidate in CANDIDATES for number in numbers]
        options = dict.fromkeys(candidate.options for candidate in CANDIDATES)
        todo += [question.prediction(option, number) for option in options for number in numbers]
        work = Work(todo, store)
        work.run("simulating", workers=jobs, tells_failures=False)
        rows = [question.row(candidate, work.outcomes) for candidate in CANDIDATES]
    if not any(row.simulated for row in rows):
        raise UserError(next(row.refused for row in rows))
    return sorted(rows, key=lambda row: row.latency.mean if row.latency else float("inf"))


def shown_estimate(values: Sequence[float]) -> str:
    if not values:
        return "–"
    found = estimate(values)
    return f"{found.mean:,.0f}" + (f" ± {found.half:,.0f}" if found.half is not None else "")


def print_rows(rows: Sequence[Row]) -> None:
    printed = table("scheme", "predicted, cycles", "simulated, cycles", "of the best", "why", left=("scheme", "why"))
    best = rows[0].latency
    for row in rows:
        ratio = f"{row.latency.mean / best.mean:.2f}" if row.latency and best else "–"
        why = f"cannot be used: {row.refused}" if row.refused else row.candidate.why
        printed.add_row(row.candidate.label, shown_estimate(row.predicted), shown_estimate(row.simulated), ratio, why)
    out.print(printed)


def advice(rows: Sequence[Row]) -> str:
    """The best scheme in words, with those that are as good."""
    best = rows[0]
    assert best.latency is not None
    said = f"best: {best.candidate.label}, {best.latency.mean:,.0f} cycles: {best.candidate.why}"
    close = [
        row.candidate.label for row in rows[1:] if row.latency and row.latency.mean <= best.latency.mean * (1 + TIE)
    ]
    return said + (f"; as good: {', '.join(close)}" if close else "")


def rows_json(rows: Sequence[Row], size: int, sets: Sequence[Multicast]) -> dict[str, Any]:
    def numbers(values: Sequence[float]) -> dict[str, Any] | None:
        found = estimate(values) if values else None
        return {"mean": found.mean, "ci95": found.half, "count": found.count} if found else None

    return {
        "best": rows[0].candidate.label,
        "bytes": size,
        "degree": len(sets[0].destinations),
        "sets": [{"source": one.source, "destinations": list(one.destinations)} for one in sets],
        "schemes": [
            {
                "scheme": row.candidate.label,
                "workload": row.candidate.workload,
                "predicted": numbers(row.predicted),
                "simulated": numbers(row.simulated),
                "refused": row.refused or None,
            }
            for row in rows
        ],
    }


def advise(program: Path, network: Network, size: int, sets: list[Multicast], jobs: int | None, as_json: bool) -> int:
    rows = ask(program, network, size, sets, jobs)
    if as_json:
        print(json.dumps(rows_json(rows, size, sets), indent=1))
        return Status.OK
    degree = len(sets[0].destinations)
    what = f"{len(sets)} random sets" if len(sets) > 1 else f"from {sets[0].source}"
    out.print(f"{network.name}: {len(network.hosts)} hosts; {size} bytes to {degree} of them, {what}")
    out.print()
    print_rows(rows)
    out.print()
    out.print(advice(rows))
    return Status.OK
