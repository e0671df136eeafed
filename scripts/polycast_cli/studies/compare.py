# SPDX-License-Identifier: Apache-2.0
"""`compare`: the schemes on one network, by the figures of scripts/studies/compare.yaml."""

from __future__ import annotations

from collections.abc import Sequence

from polycast_cli.common import UserError
from polycast_cli.reading import proposal
from polycast_cli.studies.model import Axis, Figure, Panel, Points, Study, load_study, study_file
from polycast_cli.studies.network import Network


def chosen_schemes(study: Study, wanted: Sequence[str]) -> list[str]:
    """\\raises UserError on an unknown one"""
    for name in wanted:
        if name not in study.schemes:
            raise UserError(f"no scheme '{name}'{proposal(name, study.schemes)}")
    return [name for name in study.schemes if not wanted or name in wanted]


def degrees(axis: Axis, wanted: Sequence[int], hosts: int) -> Points:
    """Those asked for, else those of the axis that the network has room for, and all of its hosts."""
    for degree in wanted:
        if not 1 <= degree < hosts:
            raise UserError(f"--degree {degree}: the network has {hosts} hosts, so 1..{hosts - 1}")
    if wanted:
        asked = [float(degree) for degree in sorted(set(wanted))]
        return Points(quick=asked, full=asked)
    fitting = {
        depth: sorted({*(x for x in axis.of(depth) if x < hosts), float(hosts - 1)})  # type: ignore[arg-type]
        for depth in ("quick", "full")
    }
    return Points(**fitting)


def adapted(
    figure: Figure, schemes: Sequence[str], points: Points | None, label: str, workload: dict[str, object]
) -> Figure:
    panel = Panel(value=0, label=label, workload=workload)
    axis = figure.x.model_copy(update=points.model_dump()) if points else figure.x
    update = {"series": list(schemes), "panels": [panel], "x": axis}
    if figure.quick_series is not None:
        update["quick_series"] = [name for name in figure.quick_series if name in schemes] or list(schemes)
    return figure.model_copy(update=update)


def comparison(network: Network, size: int, wanted_degrees: Sequence[int], wanted_schemes: Sequence[str]) -> Study:
    """The study of one network: messages of `size` bytes; the middle one of the degrees where a figure needs one."""
    study = load_study(study_file("compare"))
    hosts = len(network.hosts)
    if hosts < 3:
        raise UserError(f"{network.name}: {hosts} hosts are too few to compare multicasts")
    schemes = chosen_schemes(study, wanted_schemes)
    points = degrees(study.figure("degree").x, wanted_degrees, hosts)
    degree = int(points.quick[len(points.quick) // 2])
    to = f"to {degree} of {hosts} hosts"
    figures = [
        adapted(study.figure("degree"), schemes, points, f"{size} bytes", {"message": size}),
        adapted(study.figure("message"), schemes, None, to, {"degree": degree}),
        adapted(study.figure("load"), schemes, None, f"{size} bytes {to}", {"degree": degree, "message": size}),
    ]
    title = f"{study.title}: {network.name}"
    return study.model_copy(update={"title": title, "scenario": study.scenario | network.settings, "figures": figures})
