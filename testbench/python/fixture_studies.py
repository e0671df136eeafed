# SPDX-License-Identifier: Apache-2.0
"""A tiny study for the tests of studies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from polycast_cli.studies.model import Study, load_study

TINY = """\
name: tiny
title: A tiny study
source: its test
efforts:
  quick: {replicas: 2, loaded: 2, messages: 1, warmup: 2000, window: 8000}
  full: {replicas: 3, loaded: 3, messages: 2, warmup: 4000, window: 16000}
scenario:
  name: tiny
  packet.header: free
  host.overlapped: true
  trace.activity: false
  network.topology: {kind: irregular, switches: 4, ports: 8, hosts: 12, seed: 3}
schemes:
  tree: {label: tree worm, workload: {scheme: tree}}
  ni: {label: interfaces, workload: {scheme: ni}}
models:
  paper: {label: as in the paper}
  slow: {label: slow hosts, set: {host.send_overhead: 4000}}
figures:
  - name: ratio
    title: A ratio
    kind: single
    across: 3
    x: {key: degree, label: destinations, quick: [3, 7], full: [3, 5, 7]}
    parameter: R
    series: [tree, ni]
    models: [paper, slow]
    panels:
      - {value: 1, label: R = 1}
      - {value: 5, label: R = 5, set: {host.ni_send: 200, host.ni_receive: 200}}
  - name: load
    title: Under load
    kind: load
    x: {key: load, label: load, quick: [0.02, 0.9, 2], full: [0.02]}
    series: [tree]
    models: [paper]
    panels: [{value: 3, label: 3-way, workload: {degree: 3}}]
"""


#: A run under load in which all is well.
GOOD = {
    "id": "net/w", "topology": {"name": "net", "switches": 4, "hosts": 12, "links": 20},
    "workload": {"name": "w", "kind": "multicast"}, "cycles": 9000, "passed": True, "outcome": "complete",
    "check": {"expected": 150, "delivered": 150}, "latency": {"mean": 100.0, "count": 50},
}  # fmt: skip


def write_points(folder: Path, *points: dict[str, Any]) -> Path:
    """A results folder of these runs; each gives what differs from a good one."""
    folder.mkdir(exist_ok=True)
    content = {"format": 2, "scenario": "tiny", "seed": 1, "points": [GOOD | point for point in points]}
    (folder / "results.json").write_text(json.dumps(content))
    return folder


def study_of(folder: Path, text: str = TINY) -> Study:
    path = folder / "tiny.yaml"
    path.write_text(text)
    return load_study(path)
