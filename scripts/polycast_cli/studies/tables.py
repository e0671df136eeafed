# SPDX-License-Identifier: Apache-2.0
"""Tables of published numbers with the model's beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from polycast_cli.charts import text
from polycast_cli.studies.data import Data, write_csv
from polycast_cli.studies.derived import Fitted, Form, fits_of, value_of
from polycast_cli.studies.folder import Folder
from polycast_cli.studies.model import Figure, Table, TableColumn


@dataclass
class Cell:
    """A number; behind it a second line, smaller."""

    said: str
    beside: str = ""
    differs: bool = False  # from the published one


@dataclass
class TableView:
    name: str
    title: str
    note: str
    columns: list[str]
    rows: list[tuple[str, list[Cell]]] = field(default_factory=list)


def compared(value: float | None, published: float | None, column: TableColumn) -> Cell:
    """The model's number as precise as the published one, with that one and the difference."""
    digits = column.digits
    if value is None:
        return Cell("–", f"printed {published:,.{digits}f}" if published is not None else "")
    if published is None:
        return Cell(f"{value:,.{digits}f}")
    difference = round(value, digits) - published
    differs = abs(difference) > 0.5 * 10**-digits
    said = f"{difference:+.{digits}f}" if differs else "same"
    return Cell(f"{value:,.{digits}f}", f"printed {published:,.{digits}f}, {said}", differs)


def values_of(table: Table, figure: Figure, data: Data) -> dict[tuple[str, str, float], float | None]:
    """By panel, series and x; with the first model of the figure."""
    return {
        (panel.label, column.series, column.x): value_of(point)
        for panel in figure.panels
        for column in table.columns
        for point in data.curve(figure.name, figure.models[0], panel.label, column.series)
        if point.place.x == column.x
    }


def table_view(folder: Folder, table: Table, data: Data) -> TableView | None:
    """With its CSV file; None where nothing of it is there."""
    found = values_of(table, folder.study.figure(table.figure), data)
    if not found:
        return None
    view = TableView(table.name, table.title, table.note, [column.label for column in table.columns])
    rows: list[Sequence[object]] = []
    for row in table.rows:
        cells = []
        for column, published in zip(table.columns, row.published, strict=True):
            value = found.get((row.panel, column.series, column.x))
            cells.append(compared(value, published, column))
            difference = None if value is None or published is None else value - published
            rows.append((row.panel, column.label, published, value, difference))
        view.rows.append((row.panel, cells))
    columns = ("network", "number", "published", "model", "difference")
    write_csv(folder.path / "tables" / f"{table.name}.csv", columns, rows)
    return view


FIT_NOTE = (
    "The model's form has as many parameters as the printed one and is the best, by least squares, through the model's"
    " values up to {upto} nodes. Deviations are the largest from one of these values. The last four columns are of the"
    " largest network that was simulated: what each form says there, and what the simulation gives."
)
FIT_COLUMNS = [
    "printed", "model", "printed deviates", "model deviates", "nodes", "by the printed", "by the model's", "simulated",
]  # fmt: skip


def percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:+.1f} %"


def fit_cells(fit: Fitted) -> list[Cell]:
    largest = max(fit.points)

    def beyond(form: Form | None) -> str:
        return text(form.at(largest)) if form else "–"

    return [
        Cell(fit.printed.text()),
        Cell(fit.form.text() if fit.form else "too few points"),
        Cell(percent(fit.deviation(fit.printed))),
        Cell(percent(fit.deviation(fit.form))),
        Cell(text(largest)),
        Cell(beyond(fit.printed)),
        Cell(beyond(fit.form)),
        Cell(text(fit.points[largest])),
    ]


def fit_row(figure: Figure, fit: Fitted) -> list[object]:
    form, largest = fit.form, max(fit.points)
    ours = (form.a, form.c, form.e, form.at(largest)) if form else (None,) * 4
    printed = fit.printed
    shares = (fit.deviation(printed), fit.deviation(form))
    return [
        figure.title, fit.panel, printed.a, printed.c, printed.e, *ours[:3], *shares, largest, printed.at(largest),
        ours[3], fit.points[largest],
    ]  # fmt: skip


FIT_FILE_COLUMNS = (
    "network", "quantity", "printed_a", "printed_c", "printed_e", "a", "c", "e", "printed_deviation", "deviation",
    "nodes", "printed_there", "fitted_there", "simulated",
)  # fmt: skip


def fit_view(folder: Folder, data: Data) -> TableView | None:
    """Every published fit beside the model's, with its CSV file."""
    found = fits_of(folder.study, folder.depth, data)
    if not found:
        return None
    upto = max(fit.upto for _, fit in found)
    view = TableView("fits", "Fits", FIT_NOTE.format(upto=text(upto)), FIT_COLUMNS)
    view.rows = [(f"{figure.title}: {fit.panel}", fit_cells(fit)) for figure, fit in found]
    rows = [fit_row(figure, fit) for figure, fit in found]
    write_csv(folder.path / "tables" / "fits.csv", FIT_FILE_COLUMNS, rows)
    return view


def write_tables(folder: Folder, data: Data) -> list[TableView]:
    """Files of tables/; returns what the report shows."""
    views = [table_view(folder, table, data) for table in folder.study.tables]
    return [view for view in (*views, fit_view(folder, data)) if view is not None]
