# SPDX-License-Identifier: Apache-2.0
"""The user's own network: a topology file, or the network, hosts and interfaces of a scenario."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from polycast_cli.common import UserError, shown
from polycast_cli.reading import read_yaml
from polycast_cli.studies.model import Settings

#: Sections of a scenario that say what the network is; the others say what is done with it.
SECTIONS = ("network", "switch", "packet", "host", "ni", "watchdog")
#: Values that are maps themselves.
WHOLE = ("network.chips", "ni.hosts")
#: Paths relative to the scenario.
FILES = ("network.topology.path", "ni.firmware")


@dataclass(frozen=True)
class Network:
    name: str
    settings: Settings
    hosts: list[str]


def flattened(section: Mapping[str, Any], prefix: str) -> Settings:
    """{"a": {"b": 1}} as {"prefix.a.b": 1}."""
    found: Settings = {}
    for key, value in section.items():
        path = f"{prefix}.{key}"
        if isinstance(value, Mapping) and path not in WHOLE:
            found |= flattened(value, path)
        else:
            found[path] = value
    return found


def scenario_settings(path: Path) -> Settings:
    content = read_yaml(path)
    if not isinstance(content, Mapping):
        raise UserError(f"{shown(path)}: not a scenario")
    found: Settings = {}
    for name in SECTIONS:
        section = content.get(name)
        if isinstance(section, Mapping):
            found |= flattened(section, name)
    for key in FILES:
        if key in found and found[key] != "built-in":
            found[key] = str((path.parent / str(found[key])).resolve())
    return found


def override(text: str) -> tuple[str, Any]:
    """KEY=VALUE. \\raises UserError"""
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise UserError(f"-s {text}: expected KEY=VALUE, for instance -s host.ni_send=200")
    if key.split(".")[0] not in SECTIONS:
        raise UserError(f"-s {text}: only keys of {', '.join(SECTIONS)} can be set here")
    try:
        return key, yaml.safe_load(value)
    except yaml.YAMLError:
        raise UserError(f"-s {text}: '{value}' is not YAML") from None


def hosts_of(program: Path, source: Path) -> list[str]:
    """Names of its hosts. \\raises UserError with what the simulator says of it"""
    done = subprocess.run([program, "topology", source, "--json"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise UserError(done.stderr.strip().removeprefix("error: "))
    return [host["name"] for host in json.loads(done.stdout)["hosts"]]


def load_network(program: Path, source: Path, ratio: float | None, overrides: Sequence[str]) -> Network:
    """`ratio`: R, the host's overhead over the interface's. \\raises UserError"""
    if not source.is_file():
        raise UserError(f"{shown(source)}: no such file")
    if source.suffix in (".yaml", ".yml"):
        settings = scenario_settings(source)
    else:
        settings = {"network.topology.kind": "file", "network.topology.path": str(source.resolve())}
    if settings.get("network.topology.kind", "irregular") == "irregular":
        # One network, as for a topology file; other draws vary sources and destinations.
        settings["network.topology.instances"] = 1
    if ratio is not None:
        settings |= overheads(settings, ratio)
    settings |= dict(override(text) for text in overrides)
    return Network(source.stem, settings, hosts_of(program, source))


def overheads(settings: Settings, ratio: float) -> Settings:
    """Interface overheads at this R."""
    if ratio <= 0:
        raise UserError(f"--R {ratio:g}: expected a number above 0")
    host = str(settings.get("host.send_overhead", "1000 cycle")).split()
    cycles = round(float(host[0]) / ratio)
    unit = " ".join([str(cycles), *(host[1:] or ["cycle"])])
    return {"host.ni_send": unit, "host.ni_receive": unit}
