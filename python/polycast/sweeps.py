# SPDX-License-Identifier: Apache-2.0
"""Many runs of a scenario, one for each combination of values."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polycast_cli.common import shown
from polycast_cli.jobs.model import JobStatus
from polycast_cli.reports.markup import escape
from polycast_cli.simulator import Scenario
from polycast_cli.sweeps.plan import Key, Plan

from polycast._calls import InputError, Interrupted, asked, program
from polycast._keys import count_of, keys_of, path_of, settings
from polycast.pictures import Picture
from polycast.results import Results, frame
from polycast.runs import place, recording
from polycast.scenarios import INPUTS, Inputs, prepared

if TYPE_CHECKING:
    import pandas
    import pyarrow


@dataclass(frozen=True, repr=False)
class SweepResults(Mapping[str, Results]):
    """Results of a sweep: its runs by their names, `swept` keys, and how each run ended (`statuses`)."""

    folder: Path
    swept: list[Key]
    statuses: dict[str, str]

    @classmethod
    def read(cls, folder: str | Path) -> SweepResults:
        """Of the folder of a sweep, whoever ran it. \\raises InputError where it is none, or has not ended"""
        place = path_of(folder, "the folder of a sweep").resolve()
        if not (place / "sweep.json").is_file():
            raise InputError(f"{shown(place)}: not the folder of a sweep (no sweep.json in it)")
        if not (place / "results.sqlite").is_file():
            raise InputError(f"{shown(place)}: this sweep has not ended; the same call or command goes on with it")
        described = json.loads((place / "sweep.json").read_text())
        with closing(sqlite3.connect(place / "results.sqlite")) as database:
            statuses = dict(database.execute("select run, status from runs"))
        return cls(place, [Key.model_validate(key) for key in described["keys"]], statuses)

    @property
    def passed(self) -> bool:
        return not self.failed

    @property
    def failed(self) -> dict[str, str]:
        """Runs that did not pass, with the last line that each has said, or how it ended."""
        bad = {name: status for name, status in self.statuses.items() if status != JobStatus.PASSED}
        return {name: last_line(self.folder / "logs" / name / "stderr") or status for name, status in bad.items()}

    def to_arrow(self) -> pyarrow.Table:
        """A row for each run, network and workload: `run`, a column for each swept key, those of the table `points`."""
        from pyarrow import parquet

        return parquet.read_table(self.folder / "results.parquet")

    def to_pandas(self) -> pandas.DataFrame:
        """As to_arrow(). Needs pandas."""
        return frame(self.to_arrow())

    def __len__(self) -> int:
        return len(self.statuses)

    def __iter__(self) -> Iterator[str]:
        return iter(self.statuses)

    def __getitem__(self, name: str) -> Results:
        """\\raises KeyError where there is no such run, InputError where it has no results"""
        status = self.statuses[name]
        results = self.folder / "runs" / name
        if not (results / "results.json").is_file():
            raise InputError(f"the run '{name}' has no results: {self.failed.get(name, status)}")
        return Results.read(results)

    @property
    def report(self) -> Path:
        """The page with the measures against the swept keys."""
        return self.folder / "report.html"

    def picture(self) -> Picture:
        """The first one of the report. \\raises InputError where nothing can be drawn"""
        from polycast_cli.sweeps.page import figures_of

        figures, _ = figures_of(self.swept, self.to_arrow())
        if not figures:
            raise InputError("nothing of this sweep can be drawn: no key with numbers is swept, or no run has results")
        return Picture.of(figures[0].svg)

    def __repr__(self) -> str:
        return f"<SweepResults: {len(self)} runs, {len(self.failed)} failed, in {shown(self.folder)}>"

    def _repr_html_(self) -> str:
        axes = ", ".join(str(escape(key.path)) for key in self.swept)
        failed = "".join(f"<br>{escape(name)}: {escape(why)}" for name, why in list(self.failed.items())[:10])
        try:
            drawn = self.picture()._repr_html_()
        except InputError:
            drawn = ""
        return f"<p><b>{len(self)} runs</b> over {axes}, {len(self.failed)} failed{failed}</p>{drawn}"


def last_line(file: Path) -> str:
    if not file.is_file():
        return ""
    return file.read_text(errors="replace").strip().rpartition("\n")[2].removeprefix("error: ")


def axes_of(axes: Mapping[str, Iterable[Any]], inputs: Inputs) -> dict[str, list[Any]]:
    """\\raises InputError for an axis that is none"""
    if not isinstance(axes, Mapping):
        raise InputError(f"axes are a dictionary of keys with their values, not {axes!r}")
    found = {}
    for key, values in keys_of(axes).items():
        unordered = isinstance(values, (set, frozenset))
        if isinstance(values, (str, bytes, Mapping)) or unordered or not isinstance(values, Iterable):
            why = ", which have an order" if unordered else ""
            raise InputError(f"'{key}' is swept over a list or range of values{why}, not over {values!r}")
        found[f"sweep.{key}"] = [inputs.with_files(each, key) for each in values]
        if not found[f"sweep.{key}"]:
            raise InputError(f"'{key}' is swept over no value")
    return found


def sweep(
    scenario: str | Path | Mapping[str, Any],
    axes: Mapping[str, Iterable[Any]] | None = None,
    *,
    out: str | Path | None = None,
    jobs: int | None = None,
    waves: bool | str | Iterable[str] = False,
    packets: bool = False,
    scheduler: str | None = None,
    again: bool = False,
    **overrides: Any,
) -> SweepResults:
    """Runs a scenario once for each combination of the values of `axes`, and of what it sweeps itself, as `polycast
    run` with several values does: in parallel, resumable (the same call with the same `out` goes on), on a cluster with
    `scheduler`. `jobs`: runs at once. `again`: repeat the runs that did not pass. Other arguments are those of run().

        sweep(polycast.example(), {"seed": range(1, 4), "workload.*.degree": [3, 7]})

    Keys that take lists have a list of lists. \\raises InputError
    """
    from polycast_cli.sweeps.sweep import Sweep, folder_for, gathered

    count, extra = count_of(jobs, "jobs"), recording(waves, packets)
    target = place(scenario, out, overrides.get("name"))
    try:
        folder_for(target, target)
        inputs = Inputs(target.parent / INPUTS)
        swept = settings(axes_of(axes if axes is not None else {}, inputs))
        given = prepared(scenario, overrides, target.parent / INPUTS)
        given.written += inputs.written
        sets = [*given.settings, *swept]
        try:
            plan = Plan.model_validate_json(asked("sweep", given.file, *sets))
            if not plan.runs:
                raise InputError("nothing is swept: name keys and values, sweep(scenario, {'seed': range(1, 11)})")
        except InputError:
            given.forget()
            raise
    except InputError:
        if out is None:
            target.rmdir()
        raise
    made = Sweep(program(), Scenario(given.file), sets, plan, target, extra)
    made.scheduler, made.workers, made.again = scheduler, count, again
    made.define()
    try:
        outcomes = made.run()
    except KeyboardInterrupt:
        raise Interrupted(f"interrupted; the same call with out={str(target)!r} goes on") from None
    gathered(made, outcomes)
    return SweepResults.read(target)
