# SPDX-License-Identifier: Apache-2.0
"""Figures made of other figures' points: one curve against another, and fits of the form a N^c + e."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import optimize

from polycast_cli.studies.data import Curve, Data, Point
from polycast_cli.studies.measure import Sample
from polycast_cli.studies.model import Depth, Figure, Fit, Panel, Source, Study
from polycast_cli.studies.plan import Place

#: Exponents that are tried.
LEAST_POWER, MOST_POWER = 0.01, 2.0


@dataclass(frozen=True)
class Form:
    """a N^c + e."""

    a: float
    c: float
    e: float | None = None  # without it the form has none

    def at(self, nodes: float) -> float:
        return float(self.a * nodes**self.c + (self.e or 0.0))

    def text(self) -> str:
        rest = "" if self.e is None else f" {'-' if self.e < 0 else '+'} {abs(self.e):.4g}"
        return f"{self.a:.3g} N^{self.c:.3g}{rest}"


def fitted(nodes: Sequence[float], values: Sequence[float], constant: bool) -> Form | None:
    """The form with the least sum of squares; None for fewer points than it has numbers.

    a and e follow from c by linear least squares, so that only c is searched.
    """
    if len(nodes) < (3 if constant else 2):
        return None
    sizes, wanted = np.asarray(nodes, float), np.asarray(values, float)

    def rest(c: float) -> tuple[float, Form]:
        columns = [(sizes / sizes[-1]) ** c] + ([np.ones_like(sizes)] if constant else [])
        matrix = np.stack(columns, axis=1)
        found = np.linalg.lstsq(matrix, wanted, rcond=None)[0]
        square = float(np.sum((matrix @ found - wanted) ** 2))
        return square, Form(float(found[0] / sizes[-1] ** c), c, float(found[1]) if constant else None)

    # The best of a coarse grid lies beside the least one, however many dips there are.
    grid = np.linspace(LEAST_POWER, MOST_POWER, 200)
    best = int(np.argmin([rest(float(c))[0] for c in grid]))
    bounds = (float(grid[max(0, best - 1)]), float(grid[min(len(grid) - 1, best + 1)]))
    power = optimize.minimize_scalar(lambda c: rest(c)[0], bounds=bounds, method="bounded", options={"xatol": 1e-9})
    return rest(float(power.x))[1]


def curve_of(source: Source, figure: Figure, panel: Panel, model: str, data: Data) -> Curve:
    return data.curve(source.figure or figure.base, model, source.panel or panel.label, source.series)


def value_of(point: Point) -> float | None:
    found = point.estimate("value")
    return found.mean if found else None


def add(data: Data, place: Place, values: Mapping[int, float], at: float) -> None:
    """`values`: by replica."""
    samples = [
        Sample(replica=replica, outcome="derived", latency=None, messages=0, value=value)
        for replica, value in values.items()
    ]
    data.add(Point(place, samples, at=at))


#: One curve against another: by how many per cent it is below, how many times it is, how far it is above.
COMPARISONS: dict[str, Callable[[float, float], float]] = {
    "gain": lambda value, other: 100 * (1 - value / other),
    "ratio": lambda value, other: value / other,
    "difference": lambda value, other: value - other,
}


def add_comparisons(study: Study, figure: Figure, panel: Panel, depth: Depth, data: Data) -> None:
    """Where both curves have a point."""
    for model in figure.models_of(panel, depth):
        for series in figure.series_of(depth, panel):
            scheme = study.schemes[series]
            if scheme.of is None or scheme.over is None:
                continue
            others = {point.place.x: point for point in curve_of(scheme.over, figure, panel, model, data)}
            for point in curve_of(scheme.of, figure, panel, model, data):
                x = point.place.x
                other = others[x].values("value") if x in others else {}
                values = {
                    replica: COMPARISONS[figure.kind](value, other[replica])
                    for replica, value in point.values("value").items()
                    if other.get(replica)
                }
                if values and x in figure.points_of(panel, depth):
                    add(data, Place(figure.name, model, panel.label, series, x), values, point.drawn_at)


@dataclass(frozen=True)
class Fitted:
    """A published form beside the one through the model's points."""

    panel: str
    printed: Form
    form: Form | None
    points: dict[float, float]  # the model's values by nodes
    upto: float  # nodes of the largest network of the fits

    def deviation(self, form: Form | None) -> float | None:
        """The largest deviation from a point of the fits, as a share of it, with its sign."""
        if form is None:
            return None
        found = [form.at(nodes) / value - 1 for nodes, value in self.points.items() if nodes <= self.upto]
        return max(found, key=abs) if found else None


def fit_of(fit: Fit, figure: Figure, panel: Panel, model: str, data: Data) -> Fitted:
    points = {point.drawn_at: value_of(point) for point in curve_of(fit.of, figure, panel, model, data)}
    known = {nodes: value for nodes, value in points.items() if value is not None}
    within = [nodes for nodes in known if nodes <= fit.upto]
    form = fitted(within, [known[nodes] for nodes in within], fit.e is not None)
    return Fitted(panel.label, Form(fit.a, fit.c, fit.e), form, known, fit.upto)


def add_fits(figure: Figure, panel: Panel, depth: Depth, data: Data) -> None:
    """Series `measured`, `fitted` and `printed` at every point of the curve."""
    if panel.fit is None:
        return
    for model in figure.models_of(panel, depth):
        found = fit_of(panel.fit, figure, panel, model, data)
        for point in curve_of(panel.fit.of, figure, panel, model, data):
            value, nodes = value_of(point), point.drawn_at
            values = {"measured": value, "printed": found.printed.at(nodes)}
            values["fitted"] = found.form.at(nodes) if found.form else None
            for series in figure.series_of(depth, panel):
                if (one := values[series]) is not None:
                    add(data, Place(figure.name, model, panel.label, series, point.place.x), {1: one}, nodes)


def add_derived(study: Study, depth: Depth, data: Data) -> None:
    """The points of all derived figures; comparisons may be those of fits."""
    for kind in ("fit", *COMPARISONS):
        for figure in (figure for figure in study.figures if figure.kind == kind):
            for panel in figure.panels_of(depth):
                if kind == "fit":
                    add_fits(figure, panel, depth, data)
                else:
                    add_comparisons(study, figure, panel, depth, data)


def fits_of(study: Study, depth: Depth, data: Data) -> list[tuple[Figure, Fitted]]:
    """All fits with points, in the order of the study."""
    found = []
    for figure in study.figures:
        for panel in figure.panels_of(depth):
            for model in figure.models_of(panel, depth):
                if panel.fit is not None and (fit := fit_of(panel.fit, figure, panel, model, data)).points:
                    found.append((figure, fit))
    return found
