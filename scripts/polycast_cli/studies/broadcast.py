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


#: Measured per node of a broadcast with 32 packets, and broadcasts of an answer.
NODE_SECONDS, BROADCASTS = 1.2e-6, 4


def answer_weight(options: Settings) -> float:
    """Seconds on one core, roughly."""
    return 0.03 + NODE_SECONDS * BROADCASTS * float(options["n"]) ** int(options.get("d", 2))


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
