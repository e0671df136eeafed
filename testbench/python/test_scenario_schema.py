# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema of scenarios as editors use it: no good scenario is marked, mistakes are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from simulation import SCENARIOS, said

IS: dict[str, Any] = {
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
}


class Yaml(yaml.SafeLoader):
    """As YAML 1.2 has it: 1e-5 is a number."""


Yaml.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"^[-+]?[0-9.]+e[-+]?[0-9]+$"), list("-+.0123456789"))


def of_object(keyword: str, meant: Any, schema: dict[str, Any], value: dict[str, Any], at: str) -> Iterator[str]:
    if keyword == "required":
        yield from (f"{at}: {name} is missing" for name in meant if name not in value)
    elif keyword == "properties":
        for name in meant.keys() & value.keys():
            yield from faults(meant[name], value[name], f"{at}.{name}")
    else:
        for name in value.keys() - schema.get("properties", {}).keys():
            yield from faults(meant, value[name], f"{at}.{name}")


def of_value(keyword: str, meant: Any, value: Any) -> bool:
    """Whether a plain value is as it should be; other kinds of values are not meant."""
    match keyword:
        case "type":
            return any(IS[name](value) for name in ([meant] if isinstance(meant, str) else meant))
        case "enum":
            return value in meant
        case "const":
            return bool(value == meant)
        case "pattern":
            return not isinstance(value, str) or re.search(meant, value) is not None
        case "minLength":
            return not isinstance(value, str) or len(value) >= meant
        case "minimum":
            return not IS["number"](value) or value >= meant
        case "maximum":
            return not IS["number"](value) or value <= meant
        case "minItems":
            return not isinstance(value, list) or len(value) >= meant
        case "uniqueItems":
            return not isinstance(value, list) or len({json.dumps(one) for one in value}) == len(value)
    raise AssertionError(f"keyword {keyword}: this test does not know it")


def faults(schema: dict[str, Any] | bool, value: Any, at: str = "") -> Iterator[str]:
    """What a validator of draft 2020-12 says, by the keywords that the schema uses."""
    if isinstance(schema, bool):
        yield from () if schema else (f"{at}: not allowed",)
        return
    for keyword, meant in schema.items():
        if keyword in ("$schema", "title", "description", "default", "then", "else"):
            continue
        if keyword in ("required", "properties", "additionalProperties"):
            if isinstance(value, dict):
                yield from of_object(keyword, meant, schema, value, at)
        elif keyword == "items":
            for index, one in enumerate(value if isinstance(value, list) else []):
                yield from faults(meant, one, f"{at}[{index}]")
        elif keyword == "allOf":
            for one in meant:
                yield from faults(one, value, at)
        elif keyword == "anyOf":
            said_of = [list(faults(one, value, at)) for one in meant]
            if all(said_of):
                yield f"{at}: {value!r} is none of what it may be"
        elif keyword == "not":
            if not any(faults(meant, value, at)):
                yield f"{at}: {value!r} is what it must not be"
        elif keyword == "if":
            branch = "else" if any(faults(meant, value, at)) else "then"
            yield from faults(schema.get(branch, True), value, at)
        elif not of_value(keyword, meant, value):
            yield f"{at}: {value!r}, {keyword} {meant}"


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(said("schema"))
    return found


@pytest.mark.parametrize("path", sorted(SCENARIOS.glob("*.yaml")), ids=lambda path: path.stem)
def test_a_good_scenario_is_not_marked(schema: dict[str, Any], path: Path) -> None:
    assert list(faults(schema, yaml.load(path.read_text(), Yaml))) == []


GROUP = "{name: w, kind: multicast, scheme: group%s}"


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("sed: 1", [".sed: not allowed"]),
        ("switch: {buffer: none}", [".switch.buffer: 'none' is none of what it may be"]),
        ("network: {topology: {kind: file}}", [".network.topology: path is missing"]),
        # `group` has two meanings: a group of a subnet, which its scheme requires, and the size of an allgather's.
        (f"workload: [{GROUP % ''}]", [".workload[0]: group is missing"]),
        (f"workload: [{GROUP % ', group: 0xC001'}]", []),
        ("workload: [{name: w, kind: multicast, scheme: tree, degree: 3}]", []),
        ("workload: [{name: w, kind: unicast, group: 4}]", [".workload[0].group: not allowed"]),
        ("workload: [{name: w, kind: allgather, algorithm: tree, group: 4}]", []),
        ("workload: [{name: w, kind: unicast, algorithm: tree}]", [".workload[0].algorithm: not allowed"]),
        # Of a list of values each stands for a workload.
        ("workload: [{name: w, kind: collective, algorithm: [ring, doubling], size: 1 KiB}]", []),
    ],
)
def test_mistakes_are_marked(schema: dict[str, Any], text: str, marked: list[str]) -> None:
    found = set(faults(schema, yaml.load(f"{text}\n", Yaml)))
    assert found - {": workload is missing"} == set(marked)
