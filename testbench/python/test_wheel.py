# SPDX-License-Identifier: Apache-2.0
"""The wheel: built, installed by pip into an environment of its own, used from an empty folder."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

#: Bytes; what is stated in python/README.md is less.
LARGEST = 60e6
CODE = """
import polycast
topology = {"kind": "irregular", "switches": 4, "ports": 8, "hosts": 8, "instances": 1}
workload = {"name": "tree", "kind": "multicast", "scheme": "tree", "degree": 3}
results = polycast.run({"name": "t", "network": {"topology": topology}, "workload": [workload]})
print(results.passed, len(results.to_arrow("links")), polycast.analyse("kbinomial", nodes=8, packets=2)["k"])
"""


def test_a_wheel_is_all_that_is_needed(tmp_path: Path) -> None:
    dist = tmp_path / "dist"
    command = [sys.executable, "-m", "polycast_cli", "wheel", "-o", str(dist)]
    subprocess.run(command, check=True)
    [wheel] = dist.iterdir()
    assert wheel.name.startswith("polycast-") and "-py3-none-manylinux" in wheel.name
    assert wheel.stat().st_size < LARGEST
    home = tmp_path / "env"
    venv.create(home, with_pip=True)
    subprocess.run([home / "bin/pip", "install", "-q", wheel], check=True)
    empty = tmp_path / "empty"
    empty.mkdir()
    bare = {"PATH": f"{home / 'bin'}:/usr/bin:/bin", "HOME": str(empty)}
    done = subprocess.run(
        [home / "bin/python", "-c", CODE], cwd=empty, env=bare, stdout=subprocess.PIPE, text=True, check=True
    )
    assert done.stdout.startswith("True ")
    done = subprocess.run(["polycast", "run"], cwd=empty, env=bare, stdout=subprocess.PIPE, text=True, check=True)
    assert "passed: all 300 deliveries" in done.stdout
