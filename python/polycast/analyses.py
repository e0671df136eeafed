# SPDX-License-Identifier: Apache-2.0
"""What is computed without a scenario being run."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from polycast_cli.reading import proposal

from polycast._calls import InputError, asked
from polycast._keys import checked_text, is_graph, plain
from polycast.networks import dashed
from polycast.scenarios import Inputs, prepared

ANALYSES = ("plan", "kbinomial", "network-coding", "ibt", "rails", "multilane")
#: Options that stand once for each of several values; others have commas between.
REPEATED = {"root", "s"}


def options_of(values: dict[str, Any]) -> list[str]:
    """`bypass=[8, 24], every_pair=True` is --bypass 8,24 --every-pair. \\raises InputError"""
    found: list[str] = []
    for name, given in values.items():
        option, value = f"-{name}" if len(name) == 1 else f"--{dashed(name)}", plain(given)
        if value is True:
            found.append(option)
        elif isinstance(value, list) and name in REPEATED:
            found += [part for each in value for part in (option, str(each))]
        elif value is not False and value is not None:
            found += [option, ",".join(map(str, value)) if isinstance(value, list) else str(value)]
    return found


def analyse(what: str, *arguments: object, **options: Any) -> dict[str, Any]:
    """What `polycast analyse WHAT` works out, whose help explains options and results.

        analyse("kbinomial", nodes=32, packets=4)
        analyse("network-coding", k=16, base="all-at-once")
        analyse("plan", polycast.example(), source="host0", destinations=["host3", "host7"])

    A scenario may be a dictionary, a network a graph of NetworkX. \\raises InputError
    """
    if checked_text(what, "what to analyse") not in ANALYSES:
        raise InputError(f"there is no analysis '{what}'{proposal(what, ANALYSES)}")
    with tempfile.TemporaryDirectory() as folder:
        words: list[str] = []
        for each in arguments:
            if is_graph(each):
                words.append(str(Inputs(Path(folder)).graph(each)))
            elif isinstance(each, Mapping):
                words.append(str(prepared(each, {}, Path(folder)).file))
            else:
                words.append(str(plain(each)))
        text = asked("analyse", what, *words, *options_of(options), "--json")
    try:
        found = json.loads(text)
    except ValueError:
        raise InputError(f"analyse {what} has printed no results: an option asks for something else") from None
    assert isinstance(found, dict)
    return found
