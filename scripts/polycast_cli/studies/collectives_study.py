# SPDX-License-Identifier: Apache-2.0
"""`reproduce collectives`: what is said of algorithms of collectives, and whether a prediction names the best one."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from polycast_cli.common import Status, UserError, out, say, shown, write_whole
from polycast_cli.simulator import ready
from polycast_cli.studies.collectives import Advice, Question, Row, ask, bytes_text, percent, summary
from polycast_cli.studies.model import Settings
from polycast_cli.studies.network import Network
from polycast_cli.terminal import table

Depth = Literal["quick", "full"]
Verdict = Literal["holds", "fails", "not run"]

#: The aim: regret of the predicted winner.
MEAN_AIM, WORST_AIM = 0.03, 0.20


@dataclass(frozen=True)
class Case:
    name: str
    label: str
    settings: Settings
    hosts: int
    quick: str  #: sizes
    quick_settings: Settings


FREE: Settings = {"packet.header": "free"}
CASES = [
    Case(
        "switch8",
        "one switch of 8",
        FREE
        | {
            "network.topology.kind": "irregular",
            "network.topology.switches": 1,
            "network.topology.ports": 8,
            "network.topology.hosts": 8,
            "network.topology.instances": 1,
        },
        8,
        "64B..64KiB",
        {},
    ),
    Case(
        "irregular32",
        "irregular, 32 hosts",
        FREE
        | {
            "network.topology.kind": "irregular",
            "network.topology.switches": 8,
            "network.topology.ports": 8,
            "network.topology.hosts": 32,
            "network.topology.instances": 10,
        },
        32,
        "64B..4KiB",
        {"network.topology.instances": 1},
    ),
    Case(
        "mesh64",
        "mesh 8x8",
        {"network.topology.kind": "mesh", "network.topology.radix": 8, "network.topology.dimensions": 2},
        64,
        "64B..256B",
        {},
    ),
    Case(
        "fat_tree64",
        "fat tree of 64",
        {"network.topology.kind": "fat_tree", "network.topology.nodes": 64, "network.topology.arity": 4},
        64,
        "64B..256B",
        {},
    ),
]
FULL_SIZES = "64B..1MiB"


@dataclass(frozen=True)
class Judged:
    claim: str
    verdict: Verdict
    why: str


def rows_of(advice: Sequence[Advice], collective: str) -> list[Row]:
    return [row for one in advice for row in one.of(collective) if row.simulated]


def sizes_where(rows: Sequence[Row], holds: Callable[[Row], bool]) -> list[int]:
    return [row.size for row in rows if holds(row)]


def sizes_text(sizes: Sequence[int]) -> str:
    return ", ".join(bytes_text(size) for size in sorted(set(sizes))) or "none"


def allreduce_winners(switch: Sequence[Advice]) -> Judged:
    """Ring is best for long, doubling for short allreduces."""
    rows = rows_of(switch, "allreduce")
    claim = "Ring is the best allreduce for long vectors, doubling for short ones (one switch of 8)."
    if not rows:
        return Judged(claim, "not run", "")
    winners = ", ".join(f"{bytes_text(row.size)}: {row.winner}" for row in rows)
    right = rows[0].winner == "doubling" and rows[-1].winner == "ring"
    return Judged(claim, "holds" if right else "fails", winners)


def bruck(advice: Sequence[Advice]) -> Judged:
    claim = "Bruck's all_to_all beats pairwise only below some size."
    both = [row for row in rows_of(advice, "all_to_all") if {"bruck", "pairwise"} <= row.simulated.keys()]
    if not both:
        return Judged(claim, "not run", "pairwise and bruck are nowhere both simulated")
    wins = sizes_where(both, lambda row: row.simulated["bruck"] < row.simulated["pairwise"])
    losses = sizes_where(both, lambda row: row.simulated["bruck"] >= row.simulated["pairwise"])
    right = bool(wins) and (not losses or max(wins) < min(losses))
    said = f"wins at {sizes_text(wins)}; loses at {sizes_text(losses)}"
    return Judged(claim, "holds" if right else "fails", said)


def halving(switch: Sequence[Advice]) -> Judged:
    claim = "halving_doubling is never worse than ring on one switch."
    both = [row for row in rows_of(switch, "allreduce") if {"halving_doubling", "ring"} <= row.simulated.keys()]
    if not both:
        return Judged(claim, "not run", "")
    ratios = [row.simulated["halving_doubling"] / row.simulated["ring"] for row in both]
    said = ", ".join(f"{bytes_text(row.size)}: {ratio:.2f}" for row, ratio in zip(both, ratios, strict=True))
    return Judged(claim, "holds" if max(ratios) <= 1 else "fails", f"its time over ring's: {said}")


def worm(switch: Sequence[Advice]) -> Judged:
    claim = "One tree worm is the fastest broadcast at every size (one switch of 8)."
    rows = [row for row in rows_of(switch, "broadcast") if "worm" in row.simulated]
    if not rows:
        return Judged(claim, "not run", "")

    def said(row: Row) -> str:
        took = {name: cycles for name, cycles in row.simulated.items() if name != "worm"}
        best = min(took, key=lambda name: took[name])
        return f"{bytes_text(row.size)}: {row.simulated['worm']:,} against {took[best]:,} ({best})"

    right = all(row.simulated["worm"] == min(row.simulated.values()) for row in rows)
    return Judged(claim, "holds" if right else "fails", ", ".join(said(row) for row in rows))


def copies(advice: dict[str, list[Advice]]) -> Judged:
    """On networks whose switches or interfaces can copy: the best of these against the best of messages alone."""
    claim = "Broadcasts that switches or interfaces copy beat those of messages alone at every size on every network."
    rows = {case: [row for row in rows_of(found, "broadcast") if row.schemes] for case, found in advice.items()}
    said = [
        f"{case}: "
        + ", ".join(
            f"{bytes_text(row.size)} {row.gain:.2f} ({row.winner} for {row.plain})"
            if row.gain
            else f"{bytes_text(row.size)} no gain ({row.winner})"
            for row in own
        )
        for case, own in rows.items()
        if own
    ]
    if not said:
        return Judged(claim, "not run", "")
    right = all(row.gain is not None and row.gain > 1 for own in rows.values() for row in own)
    return Judged(claim, "holds" if right else "fails", "times as fast: " + "; ".join(said))


def prediction(advice: Sequence[Advice]) -> Judged:
    aims = f"{percent(MEAN_AIM)} on average, {percent(WORST_AIM)} at worst"
    claim = f"The prediction names the right winner: regret at most {aims}."
    found = summary(row for one in advice for row in one.rows)
    if found is None or found.worst is None:
        return Judged(claim, "not run", "")
    right = found.regret_mean <= MEAN_AIM and found.regret_worst <= WORST_AIM
    worst = found.worst
    said = (
        f"{found.count} points, mean {percent(found.regret_mean)}, worst {percent(found.regret_worst)} "
        f"({worst.network}, {worst.collective} of {bytes_text(worst.size)}: {worst.choice}, not {worst.winner})"
    )
    return Judged(claim, "holds" if right else "fails", said)


def busbw(switch: Sequence[Advice]) -> Judged:
    """A reduction to a root, and one worm."""
    claim = (
        "busbw's factor 2 (n - 1) / n misleads where switches copy: reduce_worm sends (n - 1) m + m bytes, "
        "not 2 (n - 1) m."
    )
    rows = [row for row in rows_of(switch, "allreduce") if "reduce_worm" in row.simulated]
    if not rows:
        return Judged(claim, "not run", "")
    last = rows[-1]
    ranks = switch[0].ranks
    sent, counted = ranks * last.size, 2 * (ranks - 1) * last.size
    took = {name: cycles for name, cycles in last.simulated.items() if name != "reduce_worm"}
    best = min(took, key=lambda name: took[name])
    said = (
        f"{bytes_text(last.size)} on {ranks} hosts: {sent} bytes sent instead of {counted}, in "
        f"{last.simulated['reduce_worm']:,} cycles against {took[best]:,} ({best})"
    )
    return Judged(claim, "holds" if sent < counted else "fails", said)


def rows_csv(advice: dict[str, list[Advice]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["case", "network", "collective", "bytes", "algorithm", "predicted", "simulated", "regret"])
    for case, found in advice.items():
        for row in (row for one in found for row in one.rows):
            for name, cycles in row.predicted.items():
                regret = f"{row.regret:.4f}" if name == row.choice and row.regret is not None else ""
                writer.writerow(
                    [case, row.network, row.collective, row.size, name, cycles, row.simulated.get(name, ""), regret]
                )
    return text.getvalue()


def beyond_aim(advice: dict[str, list[Advice]]) -> list[str]:
    """Points whose regret is beyond the worst that is aimed at."""
    return [
        f"{case}, {row.network}: {row.collective} of {bytes_text(row.size)}: {row.choice} is predicted, "
        f"{row.winner} is faster by {percent(row.regret)}"
        for case, found in advice.items()
        for one in found
        for row in one.rows
        if (row.regret or 0) > WORST_AIM
    ]


def verdicts_text(judged: Sequence[Judged], advice: dict[str, list[Advice]], depth: Depth) -> str:
    lines = [f"# Collectives, {depth}", "", "| conclusion | verdict | numbers |", "|---|---|---|"]
    lines += [f"| {one.claim} | {one.verdict} | {one.why} |" for one in judged]
    lines += ["", "| network | points | error, mean | worst | regret, mean | worst |", "|---|---|---|---|---|---|"]
    for case, found in advice.items():
        total = summary(row for one in found for row in one.rows)
        if total:
            numbers = (total.error_mean, total.error_worst, total.regret_mean, total.regret_worst)
            lines.append(f"| {case} | {total.count} | {' | '.join(percent(number) for number in numbers)} |")
    lines += ["", "Points beyond the aim:", "", *(f"- {line}" for line in beyond_aim(advice) or ["none"])]
    return "\n".join(lines) + "\n"


def reproduce(folder: Path, depth: Depth, names: Sequence[str], workers: int | None, preset: str) -> int:
    """`names`: of cases; none: all. Runs that are in the folder are not repeated."""
    unknown = [name for name in names if name not in {case.name for case in CASES}]
    if unknown:
        raise UserError(f"--figure {unknown[0]}: known: {', '.join(case.name for case in CASES)}")
    mark = folder / "study.json"
    identity: dict[str, Any] = {"format": 1, "study": "collectives", "depth": depth, "topology": ""}
    if folder.exists() and (not mark.is_file() or json.loads(mark.read_text()) != identity) and any(folder.iterdir()):
        raise UserError(f"{shown(folder)}: holds something other than this study; give another folder with -o")
    program = ready(preset)
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(mark, json.dumps(identity, indent=1) + "\n")
    advice: dict[str, list[Advice]] = {}
    for case in CASES:
        if names and case.name not in names:
            continue
        say(f"{case.label}")
        settings = case.settings | (case.quick_settings if depth == "quick" else {})
        network = Network(case.name, settings, [f"host{number}" for number in range(case.hosts)])
        sizes = case.quick if depth == "quick" else FULL_SIZES
        runs = folder / "runs" / case.name
        runs.mkdir(parents=True, exist_ok=True)
        # On the one switch, which is soon done, all of them, for what is said of those that lose.
        which: Literal["near", "all"] = "all" if case.name == "switch8" else "near"
        advice[case.name] = ask(Question(program, network, "all", sizes, None, which), runs, workers)
    switch = advice.get("switch8", [])
    everything = [one for found in advice.values() for one in found]
    judged = [
        allreduce_winners(switch),
        bruck(switch),
        halving(switch),
        worm(switch),
        copies(advice),
        prediction(everything),
        busbw(switch),
    ]
    text = verdicts_text(judged, advice, depth)
    write_whole(folder / "verdicts.md", text)
    (folder / "tables").mkdir(exist_ok=True)
    write_whole(folder / "tables" / "collectives.csv", rows_csv(advice))
    write_whole(folder / "verdicts.json", json.dumps([asdict(one) for one in judged], indent=1) + "\n")
    rows = table("conclusion", "verdict", "numbers", left=("conclusion", "verdict", "numbers"))
    for one in judged:
        rows.add_row(one.claim, one.verdict, one.why)
    out.print(rows)
    out.print(f"verdicts: {shown(folder / 'verdicts.md')}")
    return Status.OK
