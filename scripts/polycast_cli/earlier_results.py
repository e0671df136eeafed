# SPDX-License-Identifier: Apache-2.0
"""results.json as the version before wrote it, as this one would have."""

from __future__ import annotations

from statistics import fmean
from typing import Any

#: Of results.json, as it is written; the one before is read, too.
FORMAT = 2
#: Of the links of a run that results.json names.
BUSIEST = 10


def as_format_2(point: dict[str, Any]) -> dict[str, Any]:
    """Format 1 had all links of a run in place of their sums."""
    links = point.get("links")
    if not isinstance(links, list):
        return point
    loads = [link for link in links if isinstance(link, dict)]
    flits, packets = (sum(link.get(name) or 0 for link in loads) for name in ("flits", "packets"))
    means = [link.get("utilisation") or 0.0 for link in loads]
    busiest = sorted(loads, key=lambda link: -(link.get("flits") or 0))[:BUSIEST]
    sums = {"count": len(loads), "flits": flits, "packets": packets}
    sums |= {"utilisation_mean": fmean(means) if means else 0.0, "busiest": busiest}
    sums["buffer_max"] = max((most for link in loads if (most := link.get("buffer_max")) is not None), default=None)
    return point | {"links": sums if loads else None}


def of_earlier_format(data: Any) -> Any:
    """Whatever it is: what is no results.json, the reader says better."""
    written = data.get("format") if isinstance(data, dict) else None
    if isinstance(written, bool) or written != FORMAT - 1 or not isinstance(data.get("points"), list):
        return data
    points = [as_format_2(point) if isinstance(point, dict) else point for point in data["points"]]
    return data | {"format": FORMAT, "points": points}
