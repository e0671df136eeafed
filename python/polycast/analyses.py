# SPDX-License-Identifier: Apache-2.0
"""What is computed without a scenario being run."""

from __future__ import annotations

import json
from typing import Any

from polycast._calls import asked


def options_of(values: dict[str, Any]) -> list[str]:
    """`bypass=[8, 24], every_pair=True` is --bypass 8,24 --every-pair."""
    found: list[str] = []
    for name, value in values.items():
        option = f"--{name.replace('_', '-')}"
        if value is True:
            found.append(option)
        elif value is not False and value is not None:
            many = isinstance(value, (list, tuple, range))
            found += [option, ",".join(map(str, value)) if many else str(value)]
    return found


def analyse(what: str, *arguments: object, **options: Any) -> dict[str, Any]:
    """What `polycast analyse WHAT` works out, whose help explains options and results.

        analyse("kbinomial", nodes=32, packets=4)
        analyse("network-coding", k=16, base="all-at-once")
        analyse("plan", "first_light.yaml", source="host0", destinations=["host3", "host7"])

    \\raises InputError
    """
    found = json.loads(asked("analyse", what, *map(str, arguments), *options_of(options), "--json"))
    assert isinstance(found, dict)
    return found
