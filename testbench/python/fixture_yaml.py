# SPDX-License-Identifier: Apache-2.0
"""YAML of the pages: scenarios or parts of them, test plans, workflows of CI."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import yaml
from fixture_documents import parse_fault
from polycast_cli.common import UserError
from polycast_cli.regression.plan import load_plan
from simulation import SIMULATOR

#: What a part of a scenario needs to be a whole one.
WORKLOAD = [{"name": "tree", "kind": "multicast", "scheme": "tree", "degree": 3}]


def fault_of_plan(text: str, folder: Path) -> str | None:
    file = folder / "block.yaml"
    file.write_text(text)
    try:
        load_plan(file)
    except UserError as error:
        return str(error)
    return None


def text_of(content: object) -> Iterator[str]:
    """Every line of text in a document."""
    if isinstance(content, str):
        yield from content.splitlines()
    elif isinstance(content, dict | list):
        for part in content.values() if isinstance(content, dict) else content:
            yield from text_of(part)


def fault_of(text: str, folder: Path) -> str | None:
    """What is wrong with a block, whose files are in `folder`; None if nothing is."""
    try:
        content = yaml.safe_load(text)
    except yaml.YAMLError as error:
        return str(error)
    if not isinstance(content, dict):
        return "not a mapping"
    if "requirements" in content:
        return fault_of_plan(text, folder)
    if commands := [line for line in text_of(content) if "scripts/polycast " in line]:
        return next((fault for line in commands if (fault := parse_fault(line.strip()))), None)
    content.setdefault("workload", WORKLOAD)
    file = folder / "block.yaml"
    file.write_text(yaml.safe_dump(content))
    done = subprocess.run([SIMULATOR, "check", file.name], cwd=folder, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else None
