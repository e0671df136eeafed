# SPDX-License-Identifier: Apache-2.0
"""Keys of scenarios and their values, as the simulator's option -s takes them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from polycast._calls import InputError


def key_of(argument: str) -> str:
    """`network__topology__hosts` is the key network.topology.hosts."""
    return argument.replace("__", ".")


def plain(value: Any) -> Any:
    """Numbers of NumPy, paths and other sequences as what YAML has."""
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, (str, bool, int, float)) or value is None:
        return value
    if isinstance(value, Path):
        return str(value)
    if callable(item := getattr(value, "item", None)) and getattr(value, "ndim", 0) == 0:
        return item()
    if isinstance(value, Iterable):
        return [plain(each) for each in value]
    raise InputError(f"{value!r} of type {type(value).__name__} is no value of a scenario")


def text_of(value: Any) -> str:
    """In a line of YAML that is read as the same value. JSON is YAML."""
    value = plain(value)
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    try:
        same = yaml.safe_load(value) == value and ".." not in value
    except yaml.YAMLError:
        same = False
    return value if same else json.dumps(value, ensure_ascii=False)


def settings(values: Mapping[str, Any]) -> list[str]:
    """-s KEY=VALUE for each."""
    return [part for name, value in values.items() for part in ("-s", f"{key_of(name)}={text_of(value)}")]
