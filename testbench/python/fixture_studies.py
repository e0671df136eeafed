# SPDX-License-Identifier: Apache-2.0
"""A tiny study for the tests of studies."""

from __future__ import annotations

from pathlib import Path

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


def study_of(folder: Path, text: str = TINY) -> Study:
    path = folder / "tiny.yaml"
    path.write_text(text)
    return load_study(path)
