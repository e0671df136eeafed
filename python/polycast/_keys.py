# SPDX-License-Identifier: Apache-2.0
"""Keys of scenarios and their values, as the simulator's option -s takes them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from enum import Enum
from pathlib import Path
from typing import Any

import yaml

from polycast._calls import InputError

#: Deeper than any section of a scenario.
DEEPEST = 64


def key_of(argument: str) -> str:
    """`network__topology__hosts` is the key network.topology.hosts. A name with dots stands for itself."""
    return argument if "." in argument else argument.replace("__", ".")


def keys_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """\\raises InputError where two names are one key"""
    found: dict[str, Any] = {}
    for name, value in values.items():
        key = key_of(checked_text(name, "a key"))
        if key in found:
            raise InputError(f"'{key}' is given twice")
        found[key] = value
    return found


def checked_text(value: object, what: str) -> str:
    """\\raises InputError for what is no text that a file can hold"""
    if not isinstance(value, str):
        raise InputError(f"{what} is a text, not {value!r} of type {type(value).__name__}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InputError(f"{what} {value!r} has characters that no file can hold") from None
    return str(value)


def plain(value: Any, depth: int = 0) -> Any:
    """Numbers of NumPy, enumerations, paths and sequences as what YAML has. \\raises InputError"""
    if depth > DEEPEST:
        raise InputError(f"values are nested more than {DEEPEST} deep, or in themselves")
    if isinstance(value, Enum):
        return plain(value.value, depth + 1)
    if isinstance(value, Mapping):
        return {checked_text(key, "a key"): plain(each, depth + 1) for key, each in value.items()}
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return checked_text(value, "a value")
    if isinstance(value, (int, float)):
        return int(value) if isinstance(value, int) else float(value)
    if isinstance(value, Path):
        return str(value)
    if callable(item := getattr(value, "item", None)) and getattr(value, "ndim", None) == 0:
        return plain(item(), depth + 1)
    if isinstance(value, Iterable) and not isinstance(value, (bytes, bytearray, set, frozenset)):
        if is_graph(value):
            raise InputError("a graph stands for network.topology only")
        return [plain(each, depth + 1) for each in value]
    raise InputError(f"{value!r} of type {type(value).__name__} is no value of a scenario")


def is_graph(value: object) -> bool:
    """Whether it is one of NetworkX, which need not be installed."""
    return any(kind.__module__.partition(".")[0] == "networkx" for kind in type(value).__mro__)


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
    return [part for key, value in values.items() for part in ("-s", f"{key}={text_of(value)}")]


def number_of(number: object, what: str, others: str = "") -> int:
    """\\raises InputError for what is no whole number from 1 on; `others`: what it may be besides"""
    number = plain(number)
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= 4096:
        raise InputError(f"{what}={number!r}: a whole number from 1 to 4096{others}")
    return number


def count_of(number: object, what: str) -> int | None:
    """Of things at once. \\raises InputError"""
    return None if number is None else number_of(number, what, ", or None for all cores")


def path_of(value: object, what: str) -> Path:
    """\\raises InputError for what is no path"""
    if not isinstance(value, (str, Path)) or "\0" in str(value):
        raise InputError(f"{what} is a path, not {value!r} of type {type(value).__name__}")
    checked_text(str(value), what)
    return Path(value)
