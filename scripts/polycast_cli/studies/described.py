# SPDX-License-Identifier: Apache-2.0
"""What a part of a claim measures, in words: made of what it names, so that it cannot say anything else."""

from __future__ import annotations

from polycast_cli.reports.curves import binary
from polycast_cli.studies.claims import Operand, Part
from polycast_cli.studies.model import Study

#: Quantities that the unit of a figure does not tell.
QUANTITIES = {
    "saturation": "largest throughput, flits per host and cycle",
    "latency": "latency, {unit}",
    "receive_memory": "memory to receive, {unit}",
    "send_memory": "memory to send, {unit}",
    "duplicated_share": "share of duplicated worms",
}

#: How one number is made of those of all places that are left open.
REDUCED = {
    "max": "largest of",
    "min": "least of",
    "mean": "mean of",
    "swaps": "pairs of curves whose order differs between panels:",
    "argmax": "where it is largest:",
    "argmin": "where it is least:",
}


def described(part: Part, study: Study) -> str:
    """Curves, figure, metric, panel and place on its axis."""
    leaves = list(part.value.leaves())
    places = {place_of(leaf, part, study) for leaf in leaves}
    words = curves_of(part.value, part, study, with_place=len(places) > 1)
    if len(places) == 1:
        words += f"; {places.pop()}"
    closed = all(leaf.panel and (leaf.x is not None or leaf.quantity == "saturation") for leaf in leaves)
    return words if closed else f"{REDUCED[part.reduce]} {words}"


def curves_of(value: Operand, part: Part, study: Study, with_place: bool) -> str:
    if value.of is not None and value.over is not None:
        sides = []
        for side in (value.of, value.over):
            words = curves_of(side, part, study, with_place)
            sides.append(f"[{words}]" if side.of else words)  # a quotient of quotients
        return " over ".join(sides)
    labels = [study.schemes[name].label for name in value.series]
    words = " | ".join(labels)
    if len(labels) > 1 and part.reduce != "swaps":
        words = f"{'least' if value.pick == 'min' else 'largest'} of {words}"
    return f"{words} ({place_of(value, part, study)})" if with_place else words


def place_of(leaf: Operand, part: Part, study: Study) -> str:
    figure = study.figure(leaf.figure)
    unit = next((panel.unit for panel in figure.panels if panel.label == leaf.panel and panel.unit), figure.unit)
    quantity = QUANTITIES.get(leaf.quantity or figure.quantity, "{unit}").format(unit=unit)
    panel = leaf.panel or " | ".join(part.panels) or "each panel"
    if leaf.quantity == "saturation":
        return f"{figure.title}, {quantity}; {panel}"
    points = [leaf.x] if leaf.x is not None else part.points
    words = ", ".join(binary(x) if figure.x.binary else f"{x:,.10g}" for x in points) or "each"
    return f"{figure.title}, {quantity}; {panel}; {figure.x.label}: {'each of ' if len(points) > 1 else ''}{words}"
