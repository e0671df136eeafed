# SPDX-License-Identifier: Apache-2.0
"""Studies of `analyse ibt`: legal sizes of networks, how long an answer takes, and its numbers."""

from __future__ import annotations

from typing import Any

from polycast_cli.studies.model import Settings

#: A legal size that differs from the wanted one by more than this share stands for it no more.
NEAR = 0.35
#: Least nodes along a dimension of a torus.
LEAST = 3


def bypasses_of(options: Settings) -> list[int]:
    return [int(length) for length in str(options.get("bypass", "")).split(",") if length]


def nearest_radix(nodes: float, dimensions: int, multiple: int, least: int = LEAST) -> int | None:
    """The multiple of `multiple` whose power is nearest to `nodes`; None where even that is far off."""
    root = nodes ** (1 / dimensions)
    below = int(root / multiple) * multiple
    radix = min(
        (max(number, -(-least // multiple) * multiple) for number in (below, below + multiple)),
        key=lambda number: abs(number**dimensions - nodes),
    )
    return radix if abs(radix**dimensions / nodes - 1) <= NEAR else None


def network_of(options: Settings) -> tuple[Settings, float] | None:
    """Options with `n` in place of `nodes`, and the nodes that this gives; None where no legal network is near.

    A network with k bypass lengths needs n to be a multiple of d k. `multiple` asks for another number, so that curves
    share their sizes; `root` is the number of dimensions among which the nodes are divided, d without it.
    """
    options = dict(options)
    dimensions = int(options.get("d", 2))
    bypasses = bypasses_of(options)
    multiple = int(options.pop("multiple", dimensions * len(bypasses) or 1))
    root = int(options.pop("root", dimensions))
    if "nodes" in options:
        radix = nearest_radix(options.pop("nodes"), root, multiple, max([LEAST, *(length + 2 for length in bypasses)]))
        if radix is None:
            return None
        options["n"] = radix
    return options, float(options["n"]) ** root


#: Measured per packet over a link; the runs that a search for the best makes, and the packets after which it ends.
SEND_SECONDS, SEARCHES, MOST_SENDS = 6e-8, 30, 2**24


def answer_weight(options: Settings) -> float:
    """Seconds on one core, roughly."""
    dimensions = int(options.get("d", 2))
    sends = float(options.get("packets", 32)) * float(options["n"]) ** dimensions
    search = max(sends, min(MOST_SENDS, SEARCHES * sends))
    trees = 0.0 if "bypass" in options else sends
    kinds = {"line": 0.0, "diameter": 0.0, "trees": trees, "rectangular": search, "global": search}
    # In two dimensions the plane is the network.
    everything = trees + search * (1 if dimensions == 2 else 2)
    return 0.03 + SEND_SECONDS * kinds.get(str(options.get("only", "")), everything)


#: Numbers by their key in an answer.
NUMBERS = {
    "nodes": "nodes",
    "degree": "degree",
    "links": "links",
    "diameter": "diameter",
    "mean_distance": "mean_distance",
    "best_line_steps": "best_line",
    "rectangular_steps": "rectangular",
    "global_steps": "global",
    "tree_steps": "trees",
}


def analysed(answer: dict[str, Any]) -> dict[str, float]:
    """Numbers of `analyse ibt`; of histories the share of the links that are in use, step by step."""
    values = {name: float(answer[key]) for key, name in NUMBERS.items() if key in answer}
    for pattern, steps in zip(answer.get("line_patterns", []), answer.get("line_steps", []), strict=True):
        values[f"line_{pattern}"] = float(steps)
    for kind, run in answer.get("runs", {}).items():
        values[f"floor_{kind}"] = float(run["floor"])
        if "pipelined_steps" in run:
            values[f"pipelined_{kind}"] = float(run["pipelined_steps"])
        history = run.get("history", {"steps": []})
        for step in history["steps"]:
            values[f"busy_{kind}_{step['step']}"] = step["busy_links"] / history["links"]
    return values
