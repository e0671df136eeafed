# SPDX-License-Identifier: Apache-2.0
"""What `fabric deadlock` prints and keeps: tables, drawings, and the report."""

from __future__ import annotations

import csv
import io
from collections.abc import Container, Sequence
from pathlib import Path

from polycast_cli.common import UserError, again, out, say, write_whole
from polycast_cli.fabric.cycles import Found
from polycast_cli.fabric.outcomes import BEFORE, Outcome, Search
from polycast_cli.fabric.traffic import BUFFER, PAYLOAD
from polycast_cli.network import Network
from polycast_cli.packets.forever import FIRST_GROUP
from polycast_cli.reports.drawing import Graph
from polycast_cli.terminal import table
from polycast_cli.topology import draw

#: The tables of the report: titles, and rows.
Rows = tuple[Sequence[str], list[Sequence[str]]]


def plural(count: int, word: str, words: str = "") -> str:
    return f"{count} {word}" if count == 1 else f"{count} {words or word + 's'}"


def edge_rows(outcome: Outcome) -> Rows:
    """The static edges, and what closes each."""
    titles = ("dependency", "witnesses", "chosen", "in front", "")
    rows = []
    chosen = outcome.cycle.nearest or [None] * len(outcome.cycle.edges)
    for edge, witness in zip(outcome.cycle.edges, chosen, strict=True):
        notes = ["groups only"] if edge.groups_only else []
        notes += ["source of another edge, too"] if witness is not None and witness.shared else []
        said = (f"{witness.source} to {witness.to}", str(witness.front)) if witness is not None else ("none", "")
        rows.append((f"{edge.source} > {edge.target}", str(edge.witnesses), *said, ", ".join(notes)))
    if not any(row[-1] for row in rows):
        return titles[:-1], [row[:-1] for row in rows]
    return titles, rows


def lid_text(lid: int | None) -> str:
    """Of a group as everybody writes it."""
    return "" if lid is None else f"{lid:#x}" if lid >= FIRST_GROUP else str(lid)


def wait_rows(outcome: Outcome) -> Rows:
    static = {(edge.source, edge.target) for edge in outcome.cycle.edges}
    titles = ("channel", "VL", "packet", "source", "DLID", "waits for", "since", "static edge")
    rows = []
    for one in outcome.waits:
        port, _, lane = one.channel.partition("/vl")
        edge = (one.channel, one.target)
        known = f"{' > '.join(edge)}" + ("" if edge in static else ", of another cycle")
        rows.append((port, lane or "0", str(one.packet), one.source, str(one.dlid), one.target, str(one.since), known))
    return titles, rows


def stage_rows(searches: Sequence[Search]) -> Rows:
    titles = ("buffer", "runs", "result")
    rows = []
    for search in searches:
        runs = ", ".join(f"{stage}: {count}" for stage, count in search.runs.items()) or "none"
        rows.append((plural(search.buffers, "packet"), runs, result_of(search)))
    return titles, rows


def result_of(search: Search) -> str:
    if search.closed is not None:
        return f"closed, {search.closed.attempt.stage}"
    if not search.runs:
        return "nothing was run: no packet takes two channels of the cycle in a row"
    if search.most.edges == 0:
        return "not reached: no packet waited on any edge"
    most = f"at most {plural(search.most.edges, 'edge')} waited at once, in cycle {search.most.cycle} of {search.best}"
    return f"not reached: {most}"


def printed(rows: Rows, left: Container[int]) -> None:
    """`left`: columns of words."""
    titles, cells = rows
    shown_rows = table(*titles, left=[title for i, title in enumerate(titles) if i in left])
    for row in cells:
        shown_rows.add_row(*row)
    out.print(shown_rows)


def print_cycle(outcome: Outcome) -> None:
    out.print(f"cycle {outcome.number}: {outcome.cycle}")
    printed(edge_rows(outcome), {0, 2, 4})


def print_search(search: Search) -> None:
    ((buffer, runs, result),) = stage_rows([search])[1]
    out.print(f"buffers of {buffer}: {result} ({runs})")


def print_waits(outcome: Outcome) -> None:
    out.print(f"the last channel was taken in cycle {outcome.taken}; since then nothing moves:")
    printed(wait_rows(outcome), {0, 3, 5, 7})
    if not outcome.rtl:
        return
    same = "the same" if not outcome.differs else f"DIFFERENT: {outcome.differs}"
    out.print(f"with {outcome.rtl} in RTL: diagnosis, cycle and waves are {same}")


def markdown(rows: Rows) -> str:
    titles, cells = rows
    lines = [titles, ["---"] * len(titles), *cells]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def write_cycle(outcome: Outcome, folder: Path) -> None:
    """The table of waits, and the drawing."""
    run = outcome.shown
    if run is None:
        return
    text = io.StringIO()
    titles, rows = wait_rows(outcome)
    csv.writer(text, lineterminator="\n").writerows([[title.replace(" ", "_") for title in titles], *rows])
    write_whole(folder / "waits.csv", text.getvalue())
    (network,) = (run.folder / "topology").glob("*.json")
    graph = Graph.of(Network.model_validate_json(network.read_text()))
    try:
        draw(graph, folder / "cycle.svg", {channel.partition("/vl")[0] for channel in run.channels})
    except UserError as error:  # it is too large
        say(f"no drawing: {error}")


def next_commands(outcome: Outcome, place: str) -> list[tuple[str, str]]:
    """What they do, and commands about a cycle that closed; `place`: the folder as a user names it."""
    folder = f"{place}/cycle{outcome.number}"
    return [
        ("repeat, exit status 1", again("run", f"{folder}/deadlock.yaml")),
        ("a packet of it", again("why", f"{folder}/results", "--packet", outcome.waits[0].packet)),
        ("lost instead", again("run", f"{folder}/deadlock.yaml", "-s", "switch.hoq_life=1000 cycle")),
    ]


def part(outcome: Outcome, target: Path, place: str) -> str:
    """The report on one cycle."""
    folder = f"cycle{outcome.number}"
    text = f"\n## Cycle {outcome.number}\n{outcome.cycle}\n\nIt is the shortest of a component of "
    text += f"{plural(outcome.cycle.component, 'channel')}. Each dependency, and the packet that was chosen for it:\n\n"
    text += markdown(edge_rows(outcome)) + "\n" + markdown(stage_rows(outcome.searches))
    run = outcome.shown
    if run is None:
        return text + (
            "\n**A cycle is possible, and was not reached.** That is evidence and no proof of safety. Tables choose by "
            "switch and destination, so a cycle whose channels begin at switches with a witness of their own is always "
            "reached.\n"
        )
    if (target / folder / "cycle.svg").is_file():
        text += f"\n![the cycle in red]({folder}/cycle.svg)\n"
    text += f"\nIt closed in cycle {outcome.taken}, and nothing has moved since:\n\n" + markdown(wait_rows(outcome))
    text += f"\nThe watchdog: {run.diagnosis}\n\n"
    if outcome.rtl:
        same = "the same, byte for byte" if not outcome.differs else f"**different: {outcome.differs}**"
        text += f"With {outcome.rtl} in RTL the diagnosis, the cycle of channels and the waves are {same}.\n\n"
    text += (
        f"Waves from cycle {max(0, outcome.taken - BEFORE)} to the stop, with a save file, are in `{folder}/waves`.\n\n"
    )
    text += "".join(f"- {what}: `{command}`\n" for what, command in next_commands(outcome, place))
    text += (
        "\nThe last one gives packets a lifetime at the head of queues (`switch.hoq_life`), as real switches do: the "
    )
    text += "run goes on, and packets are lost.\n"
    return text


def write_report(outcomes: Sequence[Outcome], found: Found, attempts: str, target: Path, place: str) -> None:
    """`attempts`: how many there were at most, in words; `place`: what the folder `target` will be called."""
    text = f"# Deadlock\n\n{plural(len(found.switches), 'switch', 'switches')}, {plural(found.end_ports, 'end port')}; "
    text += f"{found.reached} of {found.pairs} pairs reached; {plural(len(found.cycles), 'cycle')} of channels, the "
    text += "shortest of each component of the dependencies.\n\n"
    text += f"Packets have {PAYLOAD} bytes of payload; a buffer of one packet has {BUFFER} flits for each lane of an "
    text += f"input. At most {attempts}.\n"
    text += "".join(part(outcome, target, place) for outcome in outcomes)
    write_whole(target / "report.md", text)
