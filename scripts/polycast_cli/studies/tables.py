# SPDX-License-Identifier: Apache-2.0
"""Tables of published numbers with the model's beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from polycast_cli.reports.charts import text
from polycast_cli.studies.data import Data, write_csv
from polycast_cli.studies.derived import Fitted, Form, fits_of, value_of
from polycast_cli.studies.model import Figure, Table, TableColumn
from polycast_cli.studies.order import Order


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
    rows_are: str
    columns: list[str]
    rows: list[tuple[str, list[Cell]]] = field(default_factory=list)


def compared(value: float | None, published: float | None, column: TableColumn) -> Cell:
    """The model's number as precise as the published one, with that one and the difference."""
    digits = column.digits or 0
    if value is None:
        return Cell("–", f"printed {published:,.{digits}f}" if published is not None else "")
    if published is None:
        return Cell(f"{value:,.4g}" if column.digits is None else f"{value:,.{digits}f}")
    difference = round(value, digits) - published
    differs = abs(difference) > 0.5 * 10**-digits
    said = f"{difference:+.{digits}f}" if differs else "same"
    return Cell(f"{value:,.{digits}f}", f"printed {published:,.{digits}f}, {said}", differs)


def number(figure: Figure, panel: str, column: TableColumn, data: Data) -> float | None:
    """With the first model of the figure."""
    for series in column.series:
        for point in data.curve(figure.name, figure.models[0], panel, series):
            if point.place.x == column.x:
                return value_of(point)
    return None


def table_view(order: Order, table: Table, data: Data) -> TableView | None:
    """With its CSV file; None where nothing of it is there."""
    figures = [order.study.figure(column.figure or table.figure) for column in table.columns]
    view = TableView(table.name, table.title, table.note, table.rows_are, [column.label for column in table.columns])
    rows: list[Sequence[object]] = []
    for row in table.rows:
        cells = []
        for at, column in enumerate(table.columns):
            value = number(figures[at], row.panel, column, data)
            published = row.published[at] if row.published else None
            cells.append(compared(value, published, column))
            difference = None if value is None or published is None else value - published
            rows.append((row.panel, column.label, published, value, difference))
        view.rows.append((row.panel, cells))
    if all(value is None for _, _, _, value, _ in rows):
        return None
    columns = (table.rows_are, "number", "published", "model", "difference")
    write_csv(order.folder / "tables" / f"{table.name}.csv", columns, rows)
    return view


FIT_NOTE = (
    "The model's form has as many parameters as the printed one and is the best, by least squares, through the model's"
    " values up to some size. Below each stands its largest deviation from one of these values. The last three columns"
    " are of the largest network: what each form says there, and what the simulation gives."
)
FIT_COLUMNS = ["printed", "model", "printed, there", "model, there", "simulated"]


def fit_cells(fit: Fitted) -> list[Cell]:
    largest = max(fit.points)

    def beyond(form: Form | None) -> str:
        return f"{form.at(largest):,.4g}" if form else "–"

    def deviation(form: Form | None) -> str:
        share = fit.deviation(form)
        return "" if share is None else f"{100 * share:+.1f} % up to {text(fit.upto)}"

    return [
        Cell(fit.printed.text(), deviation(fit.printed)),
        Cell(fit.form.text() if fit.form else "too few points", deviation(fit.form)),
        Cell(beyond(fit.printed)),
        Cell(beyond(fit.form)),
        Cell(f"{fit.points[largest]:,.4g}", f"{text(largest)} nodes"),
    ]


def fit_row(figure: Figure, fit: Fitted) -> list[object]:
    form, largest = fit.form, max(fit.points)
    ours = (form.a, form.c, form.e, form.at(largest)) if form else (None,) * 4
    printed = fit.printed
    shares = (fit.deviation(printed), fit.deviation(form))
    return [
        figure.network, fit.panel, printed.a, printed.c, printed.e, *ours[:3], *shares, largest, printed.at(largest),
        ours[3], fit.points[largest],
    ]  # fmt: skip


FIT_FILE_COLUMNS = (
    "network", "quantity", "printed_a", "printed_c", "printed_e", "a", "c", "e", "printed_deviation", "deviation",
    "nodes", "printed_there", "fitted_there", "simulated",
)  # fmt: skip


def fit_view(order: Order, data: Data) -> TableView | None:
    """Every published fit beside the model's, with its CSV file."""
    found = fits_of(order.study, order.depth, data)
    if not found:
        return None
    view = TableView("fits", "Fits", FIT_NOTE, "network", FIT_COLUMNS)
    view.rows = [(f"{figure.network}: {fit.panel}", fit_cells(fit)) for figure, fit in found]
    rows = [fit_row(figure, fit) for figure, fit in found]
    write_csv(order.folder / "tables" / "fits.csv", FIT_FILE_COLUMNS, rows)
    return view


def write_tables(order: Order, data: Data) -> list[TableView]:
    """Files of tables/; returns what the report shows."""
    views = [table_view(order, table, data) for table in order.study.tables]
    return [view for view in (*views, fit_view(order, data)) if view is not None]
