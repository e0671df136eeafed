# SPDX-License-Identifier: Apache-2.0
"""What `fabric check` finds, in the form of fabric_oracle.py."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from simulation import sim

#: What it alone has: texts, and details that follow from the rest.
ITS_OWN = {"skipped", "warnings", "problems", "ways"}
#: Lost pairs that it lists.
MOST_LOST = 1000


def checked(*paths: Path, lmc: int | None = None) -> dict[str, Any]:
    """Its verdict on the files; its exit status has to be that of the problems."""
    option = [] if lmc is None else ["--lmc", str(lmc)]
    done = sim("fabric", "check", *paths, *option, "--json", "-", status=None)
    assert done.returncode in (0, 1), done.stderr
    found = json.loads(done.stdout)
    assert done.returncode == bool(found["problems"]), found["problems"]
    for part in (found["credit"]["unicast"], found["credit"]["all"]):
        assert bool(part["cycle"]) == bool(part["components"])
        if part["cycle"]:
            part["cycle"] = [name.removesuffix("/vl0") for name in part["cycle"]]
    for own in ("by_vl", "channels"):
        found["credit"].pop(own)
    found["credit"]["all"].pop("only_multicast", None)
    # Groups that only the file of members names.
    found["groups"] = [group for group in found["groups"] if group["members"] or group["switches"]]
    assert len(found["lost"]) == min(MOST_LOST, found["pairs"] - found["reached"])
    found["lost"] = sorted((one["source"], one["dlid"]) for one in found["lost"])
    return {key: value for key, value in found.items() if key not in ITS_OWN}


def of_oracle(found: dict[str, Any]) -> dict[str, Any]:
    """As JSON has it: keys of objects are texts."""
    made: dict[str, Any] = json.loads(json.dumps(found))
    made["lost"] = sorted((name, lid) for name, lid in made["lost"])
    return made
