# SPDX-License-Identifier: Apache-2.0
"""Results of a run, with everything that is in its folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from polycast_cli import results
from polycast_cli.common import shown
from polycast_cli.provenance import Provenance
from polycast_cli.reports.markup import escape
from polycast_cli.results import Folder, read_checked
from pydantic import PrivateAttr

from polycast._calls import InputError
from polycast._keys import path_of
from polycast.networks import Network
from polycast.pictures import Picture

if TYPE_CHECKING:
    import pandas
    import pyarrow
    from markupsafe import Markup
    from polycast_cli.reports.charts import Series


class Results(results.Results):
    """Results of a run. Fields are those of results.json: `points`, a network with a workload each; `summary`, a
    workload on all networks; `curves`, latency against load. Times are in cycles, `units.cycle_ns` is how long one is.
    """

    _folder: Folder | None = PrivateAttr(None)

    @classmethod
    def read(cls, folder: str | Path) -> Results:
        """Of a results folder. \\raises InputError where it is none"""
        # Whole, as a notebook may change its current folder.
        place = Folder(path_of(folder, "a results folder").resolve())
        made = read_checked(place.path / "results.json", cls)
        made._folder = place
        return made

    def _files(self) -> Folder:
        """\\raises InputError where they are no longer there"""
        if self._folder is None:
            raise InputError("these results are of no folder: Results.read(folder) reads them with their tables")
        if not self._folder.path.is_dir():
            raise InputError(f"the results folder {shown(self._folder.path)} is no longer there")
        return self._folder

    @property
    def folder(self) -> Path:
        return self._files().path

    @property
    def provenance(self) -> Provenance:
        """How the run was made: command, version, date, seconds."""
        return self._files().provenance()

    @property
    def tables(self) -> list[str]:
        """Names for to_pandas() and to_arrow(): points, latencies, links, ..."""
        return sorted(file.stem for file in (self.folder / "tables").glob("*.csv"))

    def to_arrow(self, table: str = "points") -> pyarrow.Table:
        """A table of the folder; `points` has a row for each network and workload. \\raises InputError"""
        from polycast_cli.tables import arrow_of

        file = self.folder / "tables" / f"{table}.csv"
        if not file.is_file():
            raise InputError(f"there is no table '{table}' in {shown(self.folder)}; there are {', '.join(self.tables)}")
        return arrow_of(file)

    def to_pandas(self, table: str = "points") -> pandas.DataFrame:
        """As to_arrow(). Needs pandas."""
        return frame(self.to_arrow(table))

    def network(self, name: str | None = None) -> Network:
        """The network of that name, or of the first point. \\raises InputError"""
        name = name or next(iter(point.topology.name for point in self.points), "")
        file = self.folder / "topology" / f"{name}.json"
        if not file.is_file():
            known = ", ".join(sorted(each.stem for each in (self.folder / "topology").glob("*.json")))
            raise InputError(f"there is no network '{name}' in {shown(self.folder)}; there are {known or 'none'}")
        return read_checked(file, Network)

    def picture(self, what: str | None = None) -> Picture:
        """`load`: latency against load; `latency`: of each workload; `finish`: times to finish of collectives. Without
        a name the first one of these that there is. \\raises InputError"""
        drawn: dict[str, Callable[[], Markup | None]] = {
            "load": self._load_picture,
            "latency": self._latency_picture,
            "finish": self._finish_picture,
        }
        if what is not None and what not in drawn:
            raise InputError(f"there is no picture '{what}'; there are {', '.join(drawn)}")
        for name in [what] if what else drawn:
            if svg := drawn[name]():
                return Picture.of(svg)
        raise InputError(f"these results have no picture{f' {what!r}' if what else ''}: no message was completed")

    def _load_picture(self) -> Markup | None:
        from polycast_cli.reports.report import load_chart

        return load_chart(self)

    def _latency_picture(self) -> Markup | None:
        from polycast_cli.reports.report import schemes

        return self._bars(
            [one for one in schemes(self) if not self.is_collective(one.name)], "Latency of the workloads"
        )

    def _finish_picture(self) -> Markup | None:
        from polycast_cli.reports.report import finishes

        return self._bars(finishes(self), "Collectives side by side")

    def _bars(self, series: Sequence[Series], title: str) -> Markup | None:
        from polycast_cli.reports.charts import bars

        unit = "steps" if self.in_steps() else "cycles"
        return bars(series, unit, title) if any(one.values for one in series) else None

    def report(self) -> Path:
        """Writes report.html into the folder, the page that the command `polycast report` writes."""
        from polycast_cli.reports.report import write_report

        return write_report(self.folder)

    def __repr__(self) -> str:
        total = self.total()
        said = f"{total.delivered:,} of {total.expected:,} deliveries"
        where = f", in {shown(self._folder.path)}" if self._folder else ""
        return f"<Results {self.scenario}: {'passed' if self.passed else 'failed'}, {said}{where}>"

    __str__ = __repr__

    def _repr_html_(self) -> str:
        total = self.total()
        words = f"all {total.delivered:,} deliveries arrived exactly once, unchanged"
        if not self.passed:
            words = f"{total.delivered:,} of {total.expected:,} delivered, {self.wrong or 'not all arrived'}"
        lines = [f"<b>{'Passed' if self.passed else 'Failed'}</b>: {escape(words)}", self.unrecovered, self.saturation]
        rows = "".join(
            f"<tr><td>{escape(self.titled(row.workload))}</td><td>{row.points}</td>"
            f"<td>{self.shown_time(row)}</td><td>{row.delivered:,}</td><td>{row.expected:,}</td></tr>"
            for row in self.summary
        )
        heads = "<tr><th>workload</th><th>networks</th><th>cycles</th><th>delivered</th><th>expected</th></tr>"
        said = "<br>".join([lines[0], *(str(escape(line)) for line in lines[1:] if line)])
        try:
            drawn = self.picture()._repr_html_()
        except InputError:
            drawn = ""
        return f"<p>{said}</p><table>{heads}{rows}</table>{drawn}"

    def shown_time(self, row: results.Summary) -> str:
        """To finish, of collectives; else the mean latency with its confidence interval."""
        if self.is_collective(row.workload):
            time = self.to_finish(row.workload)
            return "–" if time is None else f"{time:,.0f} to finish"
        if row.latency_mean is None:
            return "–"
        return f"{row.latency_mean:,.1f}" + (f" ± {row.latency_ci95:,.1f}" if row.latency_ci95 is not None else "")


def frame(table: pyarrow.Table) -> pandas.DataFrame:
    """\\raises InputError without pandas"""
    try:
        return table.to_pandas()
    except ImportError:
        raise InputError("to_pandas() needs pandas: pip install pandas; to_arrow() does not") from None
