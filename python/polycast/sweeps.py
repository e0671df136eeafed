# SPDX-License-Identifier: Apache-2.0
"""Many runs of a scenario, one for each combination of values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polycast_cli.common import Status
from polycast_cli.reports.markup import escape
from polycast_cli.simulator import Scenario, ready
from polycast_cli.sweeps.page import Failed
from polycast_cli.sweeps.plan import Key, Plan

from polycast._calls import InputError, asked, raised
from polycast._keys import plain, settings
from polycast.results import Results, frame
from polycast.runs import place
from polycast.scenarios import INPUTS, prepared

if TYPE_CHECKING:
    import pandas
    import pyarrow


@dataclass(frozen=True)
class SweepResults:
    """Results of a sweep: `keys` that were swept, `failed` runs with the command that repeats each."""

    folder: Path
    keys: list[Key]
    failed: list[Failed]
    names: list[str]

    @property
    def passed(self) -> bool:
        return not self.failed

    def to_arrow(self) -> pyarrow.Table:
        """A row for each run, network and workload: `run`, a column for each swept key, those of the table `points`."""
        from pyarrow import parquet

        return parquet.read_table(self.folder / "results.parquet")

    def to_pandas(self) -> pandas.DataFrame:
        """As to_arrow(). Needs pandas."""
        return frame(self.to_arrow())

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, name: str) -> Results:
        """Of one run, by its name."""
        if name not in self.names:
            raise InputError(f"there is no run '{name}'; there are {', '.join(self.names[:20])}")
        return Results.read(self.folder / "runs" / name)

    @property
    def report(self) -> Path:
        """The page with the measures against the swept keys."""
        return self.folder / "report.html"

    def __repr__(self) -> str:
        return f"<SweepResults: {len(self)} runs, {len(self.failed)} failed, in {self.folder}>"

    def _repr_html_(self) -> str:
        axes = ", ".join(str(escape(key.path)) for key in self.keys)
        failed = "".join(f"<br>{escape(one.status)}: {escape(one.command)}" for one in self.failed[:10])
        return f"<p><b>{len(self)} runs</b> over {axes}, {len(self.failed)} failed{failed}</p>"


def axes_of(axes: Mapping[str, Iterable[Any]]) -> dict[str, list[Any]]:
    """\\raises InputError for an axis that is none"""
    found = {}
    for key, values in axes.items():
        if isinstance(values, (str, Mapping)) or not isinstance(values, Iterable):
            raise InputError(f"'{key}' is swept over a list or range of values, not over {values!r}")
        found[f"sweep.{key.replace('__', '.')}"] = plain(values)
        if not found[f"sweep.{key.replace('__', '.')}"]:
            raise InputError(f"'{key}' is swept over no value")
    return found


def sweep(
    scenario: str | Path | Mapping[str, Any],
    axes: Mapping[str, Iterable[Any]] | None = None,
    *,
    out: str | Path | None = None,
    jobs: int | None = None,
    scheduler: str | None = None,
    again: bool = False,
    **overrides: Any,
) -> SweepResults:
    """Runs a scenario once for each combination of the values of `axes`, and of what it sweeps itself, as `polycast
    run` with several values does: in parallel, resumable (the same call with the same `out` goes on), on a cluster with
    `scheduler`. `again`: repeat the runs that did not pass. Other arguments are those of run().

        sweep("first_light.yaml", {"seed": range(1, 4), "workload.*.degree": [3, 7]})

    Keys that take lists have a list of lists. \\raises InputError
    """
    from polycast_cli.sweeps.sweep import Sweep, folder_for, gathered

    target = place(scenario, out)
    given = prepared(scenario, overrides, target.parent / INPUTS)
    sets = [*given.settings, *settings(axes_of(axes or {}))]
    plan = Plan.model_validate_json(asked("sweep", given.file, *sets))
    if not plan.runs:
        raise InputError("nothing is swept: name keys with their values, sweep(scenario, {'seed': range(1, 11)})")
    made = Sweep(ready(), Scenario(given.file), sets, plan, folder_for(given.file, target))
    made.scheduler, made.workers, made.again = scheduler, jobs, again
    made.define()
    try:
        outcomes = made.run()
    except KeyboardInterrupt:
        raised(Status.INTERRUPTED, f"interrupted; the same call with out={str(target)!r} goes on")
    return SweepResults(target, plan.keys, gathered(made, outcomes).failed, [run.name for run in plan.runs])
