# SPDX-License-Identifier: Apache-2.0
"""`fabric check`: the simulator checks, this draws and compares."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from polycast_cli import common
from polycast_cli.common import Status, out, say, shown, write_whole
from polycast_cli.fabric.comparison import compare
from polycast_cli.fabric.files import texts_of
from polycast_cli.fabric.verdict import Verdict
from polycast_cli.network import Network
from polycast_cli.reports.drawing import Graph
from polycast_cli.simulator import ready
from polycast_cli.terminal import table
from polycast_cli.topology import draw


@dataclass
class Options:
    lmc: int | None = None
    vls: int | None = None
    all: bool = False
    partial: bool = False
    json: Path | None = None
    picture: Path | None = None
    against: bool = False

    def words(self) -> list[str]:
        """Those of the simulator."""
        numbers = (("--lmc", self.lmc), ("--vls", self.vls))
        found = [word for name, number in numbers if number is not None for word in (name, str(number))]
        return found + [name for name, on in (("--all", self.all), ("--partial", self.partial)) if on]


def show_comparison(verdict: Verdict, files: Sequence[Path]) -> int:
    """Returns the exit status: whether the two differ where they must not."""
    rows = compare(verdict, texts_of(files))
    shown_rows = table("", "here", "ibdmchk", "", left=("", "here", "ibdmchk"))
    for row in rows:
        same = "the same" if row.ours == row.theirs else row.because or "differs"
        shown_rows.add_row(row.what, row.ours, row.theirs, same)
    out.print()
    out.print(shown_rows)
    wrong = [row.what for row in rows if row.differs]
    if wrong:
        common.err.print(f"error: ibdmchk finds something else: {', '.join(wrong)}")
    return Status.FAILED if wrong else Status.OK


def check_fabric(files: Sequence[Path], options: Options) -> int:
    """Returns the simulator's exit status, or 1 where ibdmchk differs."""
    with tempfile.TemporaryDirectory(prefix="polycast-") as folder:
        verdict_file, network_file = Path(folder) / "verdict.json", Path(folder) / "network.json"
        command: list[str | Path] = [ready(), "fabric", "check", *files, *options.words(), "--json", verdict_file]
        if options.picture is not None:
            command += ["--network", network_file]
        code = common.run(command, cwd=Path.cwd())
        if code not in (Status.OK, Status.FAILED):
            return code
        text = verdict_file.read_text()
        verdict = Verdict.model_validate_json(text)
        if options.json is not None:
            write_whole(options.json, text)
        if options.picture is not None:
            graph = Graph.of(Network.model_validate_json(network_file.read_text()))
            draw(graph, options.picture, {channel.partition("/vl")[0] for channel in verdict.cycle})
            say(f"drawn to {shown(options.picture)}" + (", the loop in red" if verdict.cycle else ""))
    if options.against:
        common.ensure("fabric")
        return max(code, show_comparison(verdict, files))
    return code
