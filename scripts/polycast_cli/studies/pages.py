# SPDX-License-Identifier: Apache-2.0
"""Tables, plots and pages of a study's folder."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from markupsafe import Markup

from polycast_cli.common import write_whole
from polycast_cli.reports.charts import text
from polycast_cli.reports.curves import Knot, Line, Text, binary, curves, standalone
from polycast_cli.reports.page import write_page
from polycast_cli.studies.claims import WORDS, Answer, Judgement
from polycast_cli.studies.data import Data, Point, write_means, write_samples
from polycast_cli.studies.described import described
from polycast_cli.studies.measure import TOO_SHORT
from polycast_cli.studies.model import Depth, Figure, Panel, Study
from polycast_cli.studies.order import Order
from polycast_cli.studies.tables import TableView


@dataclass
class Chart:
    title: str
    svg: Markup
    lines: list[Line]
    file: str


@dataclass
class Numbers:
    title: str
    columns: list[str]
    rows: list[tuple[str, list[str]]]


@dataclass
class View:
    """A figure under one model."""

    model: str
    label: str
    charts: list[Chart] = field(default_factory=list)
    tables: list[Numbers] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass
class FigureView:
    name: str
    title: str
    source: str
    note: str
    unit: str
    loaded: bool
    legend: list[tuple[str, int]]
    views: list[View]

    @property
    def options(self) -> list[tuple[str, str]]:
        """The label of the chooser between models."""
        return [(f"{self.name}-{view.model}", view.label) for view in self.views]


def x_text(figure: Figure) -> Text:
    return binary if figure.x.binary else text


def knot(point: Point, figure: Figure, unit: str) -> Knot | None:
    found = point.estimate(figure.quantity)
    if found is None:
        return None
    said = f"{x_text(figure)(point.drawn_at)}: {text(found.mean)}"
    said += f" ± {text(found.half)}" if found.half else ""
    said += f" {unit}" + (", saturated" if point.saturated else "") + (f"; {point.flagged}" if point.flagged else "")
    return Knot(point.drawn_at, found.mean, found.half, point.saturated and figure.grows, said)


def colour_of(study: Study, figure: Figure, series: str) -> int:
    fixed = study.schemes[series].colour
    return figure.series.index(series) if fixed is None else fixed


def line_of(study: Study, figure: Figure, series: str, points: Sequence[Point], unit: str) -> Line:
    scheme = study.schemes[series]
    line = Line(scheme.label, colour_of(study, figure, series), dashed=scheme.dashed)
    line.knots = [found for point in points if (found := knot(point, figure, unit)) is not None]
    return line


def y_title(figure: Figure, unit: str) -> str:
    words = {"latency": "latency, ", "receive_memory": "memory, "}
    return words.get(figure.quantity, "") + unit


def panel_chart(study: Study, figure: Figure, panel: Panel, model: str, data: Data) -> Chart | None:
    unit = panel.unit or figure.unit
    lines = [
        line_of(study, figure, series, data.curve(figure.name, model, panel.label, series), unit)
        for series in figure.series
    ]
    lines = [line for line in lines if line.knots]
    if not lines:
        return None
    title = f"{figure.title}: {panel.label}"
    # Steps are as far apart as they are; other axes are logarithmic where they ask for it or are wide.
    log_x = False if figure.x.index else figure.x.log or None
    svg = curves(lines, figure.x.label, y_title(figure, unit), title, log_x, figure.log, x_text(figure))
    return Chart(panel.label, svg, lines, f"{figure.name}-{model}-{file_name(panel.label)}.svg")


def across_chart(study: Study, figure: Figure, model: str, depth: Depth, data: Data) -> Chart | None:
    """The same against the parameter of the panels, at one x."""
    if figure.across is None:
        return None
    lines = []
    for series in figure.series:
        line = Line(study.schemes[series].label, colour_of(study, figure, series))
        for panel in figure.panels_of(depth):
            for point in data.curve(figure.name, model, panel.label, series):
                if point.place.x == figure.across and (found := knot(point, figure, figure.unit)) is not None:
                    found.x = panel.value
                    found.note = f"{panel.label}: {found.note}"
                    line.knots.append(found)
        lines.append(line)
    lines = [line for line in lines if len(line.knots) > 1]
    if not lines:
        return None
    title = f"{text(figure.across)} {figure.x.label}"
    svg = curves(lines, figure.parameter, y_title(figure, figure.unit), f"{figure.title}: {title}")
    return Chart(title, svg, lines, f"{figure.name}-{model}-across.svg")


def file_name(label: str) -> str:
    kept = [letter if letter.isalnum() or letter == "." else "-" for letter in label.lower()]
    return "-".join(part for part in "".join(kept).split("-") if part)


def cell(point: Point | None, quantity: str) -> str:
    found = point.estimate(quantity) if point else None
    if point is None or found is None:
        return "–"
    return text(found.mean) + (f" ± {text(found.half)}" if found.half else "") + ("*" if point.saturated else "")


def numbers(study: Study, figure: Figure, panel: Panel, model: str, data: Data) -> Numbers:
    found = {
        series: {point.place.x: point for point in data.curve(figure.name, model, panel.label, series)}
        for series in figure.series
    }
    xs = sorted({x for points in found.values() for x in points})
    rows = [
        (study.schemes[series].label, [cell(points.get(x), figure.quantity) for x in xs])
        for series, points in found.items()
        if points
    ]
    return Numbers(panel.label, [x_text(figure)(x) for x in xs], rows)


def place_of(point: Point) -> str:
    return f"{point.place.panel}, {point.place.series} at {text(point.place.x)}"


def notes_of(points: Sequence[Point]) -> list[str]:
    """About points whose warm-up was too long to be sure of."""
    short = [point for point in points if TOO_SHORT in point.flagged]
    late = [point for point in points if point.flagged and point not in short]
    notes = []
    if short:
        notes.append(
            f"At {len(short)} of {len(points)} points the run is too short to tell where its warm-up ends"
            f" (such as {place_of(short[0])}); their latencies may be too low."
        )
    if late:
        shown = "; ".join(f"{place_of(point)}: {point.flagged}" for point in late[:4])
        rest = f"; and {len(late) - 4} more" if len(late) > 4 else ""
        notes.append(f"Longer warm-up than what is discarded: {shown}{rest}.")
    return notes


def view_of(order: Order, figure: Figure, model: str, data: Data) -> View:
    study, depth = order.study, order.depth
    view = View(model, study.models[model].label)
    for panel in figure.panels_of(depth):
        chart = panel_chart(study, figure, panel, model, data)
        if chart is not None:
            view.charts.append(chart)
            view.tables.append(numbers(study, figure, panel, model, data))
    if (chart := across_chart(study, figure, model, depth, data)) is not None:
        view.charts.append(chart)
    view.notes = notes_of([point for point in data.points(figure.name) if point.place.model == model])
    return view


def figure_view(order: Order, figure: Figure, data: Data) -> FigureView | None:
    """None where nothing of it is there."""
    views = [view_of(order, figure, model, data) for model in order.study.models]
    views = [view for view in views if view.charts]
    if not views:
        return None
    lines = [line for view in views for chart in view.charts for line in chart.lines]
    used = dict.fromkeys((line.name, line.colour) for line in lines if not line.dashed)
    legend = sorted(used, key=lambda entry: entry[1])
    return FigureView(figure.name, figure.title, figure.source, figure.note, figure.unit, figure.grows, legend, views)


def write_figures(order: Order, figures: Sequence[Figure], data: Data) -> list[FigureView]:
    """tables/ and plots/; returns what the report shows."""
    (order.folder / "tables").mkdir(exist_ok=True)
    (order.folder / "plots").mkdir(exist_ok=True)
    shown = []
    for figure in figures:
        view = figure_view(order, figure, data)
        if view is None:
            continue
        write_means(order.folder / "tables" / f"{figure.name}.csv", data.points(figure.name), figure.quantity)
        write_samples(order.folder / "tables" / f"{figure.name}-samples.csv", data.points(figure.name))
        for chart in (chart for one in view.views for chart in one.charts if figure.drawn):
            write_whole(order.folder / "plots" / chart.file, standalone(chart.svg, chart.lines))
        if figure.drawn:
            shown.append(view)
    return shown


def write_report(
    order: Order,
    figures: Sequence[FigureView],
    tables: Sequence[TableView],
    judgements: Sequence[Judgement],
    problems: Sequence[str],
    refused: Sequence[str],
) -> Path:
    """`problems`: what went wrong; `refused`: what the network cannot do."""
    used = {view.model for figure in figures for view in figure.views}
    models = [model for name, model in order.study.models.items() if name in used and model.note]
    return write_page(
        order.folder / "report.html",
        "study.html.j2",
        study=order.study,
        depth=order.depth,
        replicas=order.replicas,
        kind_of_replica=order.kind_of_replica,
        messages=order.study.efforts[order.depth].messages,
        version=order.version,
        date=time.strftime("%Y-%m-%dT%H:%M:%S"),
        figures=figures,
        tables=tables,
        judgements=judgements,
        words=WORDS,
        models=models,
        problems=problems,
        refused=refused,
        command=order.command,
    )


def row(model: str, answer: Answer, study: Study) -> dict[str, Any]:
    found = answer.estimate
    return {
        "says": answer.part.says,
        "measured": described(answer.part, study),
        "where": answer.where,
        "model": study.models[model].label,
        "expected": answer.part.expect.text() if answer.part.expect else "–",
        "published": answer.part.published or "–",
        "recount": recounted(answer),
        "value": precise(found.mean) if found else "–",
        "half": precise(found.half) if found and found.half is not None else "–",
        "count": found.count if found else 0,
        "verdict": WORDS[answer.status] if answer.part.expect else "–",
    }


def recounted(answer: Answer) -> str:
    """The number as the source counts; a dash where that makes no difference."""
    found = answer.recount.estimate if answer.recount else None
    return precise(found.mean) if found else "–"


def precise(value: float) -> str:
    if 0 < abs(value) < 0.001:
        return "< 0.001"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    # A short decimal such as 2.8125 is written in full.
    return f"{value:.6g}" if round(value, 4) == value else f"{value:.4g}"


def summary(judgement: Judgement, study: Study) -> str:
    """Which cases, models, counts or other ways to ask say what, where they differ."""
    return " ".join(text for text in (differences(judgement, study), alternatives(judgement)) if text)


def differences(judgement: Judgement, study: Study) -> str:
    other = judgement.recounted
    if other is not None and judgement.verdict != "not run":
        same = "either" if other == "fails" else "too"
        rest = same if other == judgement.verdict else f"delivered it {SAID[judgement.verdict]}"
        said = f"Counted as published it {SAID[other]}, {rest}."
        if other == "depends" != judgement.verdict:
            return f"{said} As published: {cases_summary(judgement, recount=True)}"
        return f"{said} {cases_summary(judgement)}" if judgement.verdict == "depends" else said
    if judgement.claim.cases and len(set(judgement.cases().values()) - {"not run"}) > 1:
        return cases_summary(judgement)
    statuses = {model: judgement.status(model) for model in judgement.answers}
    if len(set(statuses.values())) < 2:
        return ""
    said = []
    for status in dict.fromkeys(statuses.values()):
        names = [study.models[model].label for model, other in statuses.items() if other == status]
        said.append(f"{WORDS[status]}: {', '.join(names)}")
    text_ = "; ".join(said)
    return text_[0].upper() + text_[1:] + "."


def alternatives(judgement: Judgement) -> str:
    """Up to MANY of the other ways to ask by which the verdict would be the opposite."""
    names = judgement.alternatives
    if not names:
        return ""
    more = f"; and {len(names) - MANY} more" if len(names) > MANY else ""
    word = "does not hold" if judgement.verdict == "holds" else "holds"
    return f"Asked in other ways it {word}: {'; '.join(names[:MANY])}{more}."


#: Verdicts behind "it".
SAID = WORDS | {"undecided": "is not decided", "not run": "was not run"}


#: Up to so many cases are all named.
FEW_CASES = 2

#: Of other ways to ask so many are named.
MANY = 4


def cases_summary(judgement: Judgement, recount: bool = False) -> str:
    said: dict[str, dict[str, None]] = {}
    for (_, name), status in judgement.cases(recount).items():
        if status != "not run":
            said.setdefault(WORDS[status], {})[name] = None
    count = sum(len(parts) for parts in said.values())
    if count <= FEW_CASES:
        words = "; ".join(f"{word}: {', '.join(parts)}" for word, parts in said.items())
        return words[0].upper() + words[1:] + "."
    # Names of the fewer ones are enough.
    most = max(said, key=lambda word: len(said[word]))
    sentences = []
    for word, parts in said.items():
        names = "" if word == most else ": " + "; ".join(parts)
        sentences.append(f"{word[0].upper()}{word[1:]} in {len(parts)} of {count} cases{names}.")
    return " ".join(sentences)


@dataclass
class ClaimView:
    claim: Any
    verdict: str
    summary: str
    reason: str
    rows: list[dict[str, Any]]
    extras: list[dict[str, Any]]  # rows that do not judge


def claim_view(judgement: Judgement, study: Study) -> ClaimView:
    rows, extras = (
        [row(model, answer, study) for model, found in answers.items() for answer in found]
        for answers in (judgement.answers, judgement.extras)
    )
    return ClaimView(judgement.claim, judgement.verdict, summary(judgement, study), judgement.reason, rows, extras)


def write_verdicts(order: Order, judgements: Sequence[Judgement]) -> Path:
    """verdicts.html and verdicts.json."""
    counted = Counter(judgement.verdict for judgement in judgements)
    groups: dict[str, list[ClaimView]] = {}
    for judgement in judgements:
        groups.setdefault(judgement.claim.group, []).append(claim_view(judgement, order.study))
    write_whole(order.folder / "verdicts.json", json.dumps(verdicts_json(order, judgements), indent=1) + "\n")
    return write_page(
        order.folder / "verdicts.html",
        "verdicts.html.j2",
        study=order.study,
        depth=order.depth,
        replicas=order.replicas,
        counts=[(word, counted[verdict]) for verdict, word in WORDS.items() if counted[verdict]],
        groups=list(groups.items()),
        words=WORDS,
    )


def verdicts_json(order: Order, judgements: Sequence[Judgement]) -> dict[str, Any]:
    return {
        "format": 1,
        "study": order.study.name,
        "depth": order.depth,
        "replicas": order.study.efforts[order.depth].replicas,
        "simulator": order.version,
        "claims": [claim_json(judgement, order.study) for judgement in judgements],
    }


def claim_json(judgement: Judgement, study: Study) -> dict[str, Any]:
    claim = judgement.claim
    return {
        "id": claim.id,
        "claim": claim.claim,
        "source": claim.source,
        "group": claim.group,
        "verdict": WORDS[judgement.verdict],
        "summary": summary(judgement, study),
        "reason": judgement.reason,
        "alternatives": judgement.alternatives,
        "models": {
            model: {
                "verdict": WORDS[judgement.status(model)],
                "parts": [part_json(answer, study) for answer in answers],
                "extras": [part_json(answer, study) for answer in judgement.extras[model]],
            }
            for model, answers in judgement.answers.items()
        },
    }


def part_json(answer: Answer, study: Study) -> dict[str, Any]:
    found = answer.estimate
    return {
        "says": answer.part.says,
        "measured": described(answer.part, study),
        "expected": answer.part.expect.model_dump(exclude_none=True) if answer.part.expect else {},
        "published": answer.part.published,
        "as_published": answer.recount.estimate.mean if answer.recount and answer.recount.estimate else None,
        "mean": found.mean if found else None,
        "ci95": found.half if found else None,
        "networks": found.count if found else 0,
        "where": answer.where,
        "verdict": WORDS[answer.status] if answer.part.expect else "",
    }
