# SPDX-License-Identifier: Apache-2.0
"""A build tree that is none: programs that fail where they are told to, and tests of ctest that end in every way."""

from __future__ import annotations

import sys
from pathlib import Path

#: Fails like own RTL where the window has 40 cycles or more: at another pin with less than 5 hosts, later with messages
#: of less than 3 B.
SIMULATOR = r"""
import json, sys, yaml
from pathlib import Path
arguments = sys.argv[2:]
scenario, rest = arguments[0], arguments[1:]
settings = dict(part.split("=", 1) for flag, part in zip(rest, rest[1:]) if flag == "-s")
out = Path(rest[rest.index("--out") + 1])
if settings.get("seed") == "404":
    print("a.yaml:1:1: refused", file=sys.stderr)
    sys.exit(2)
resolved = yaml.safe_load(Path(scenario).read_text())
loads = {load["name"]: load for load in resolved["workload"]}
for key, value in settings.items():
    value = yaml.safe_load(value)
    parts = key.split(".")
    node = resolved
    if key == "workload":
        loads = {load["name"]: load for load in value}
        continue
    if parts[0] == "workload":
        loads[parts[1]][parts[2]] = value
        continue
    for part in parts[:-1]:
        node = node.setdefault(part, {})
    node[parts[-1]] = value
resolved["workload"] = list(loads.values())
number = lambda value: int(str(value).split()[0])
hosts, window = number(resolved["network"]["topology"]["hosts"]), number(resolved["measurement"]["window"])
bad = "big" in loads and window >= 40
pin = "flit_valid" if hosts >= 5 else "credit"
cycle = 30 + hosts if "big" in loads and number(loads["big"]["message"]) >= 3 else 1000
out.mkdir(parents=True)
(out / "scenario.yaml").write_text(yaml.safe_dump(resolved, sort_keys=False))
words = f"switch1 in cycle {cycle}: {pin} of port 2: core 1, own RTL 0"
good = {"topology": {"name": "net-1", "switches": 1, "hosts": hosts, "links": hosts}, "cycles": 99, "passed": True,
        "check": {"expected": 1, "delivered": 1}, "latency": {"count": 1}}
points = [good | {"id": "net-1/" + name, "workload": {"name": name, "kind": "unicast"}} for name in loads]
if bad:
    big = {"passed": False, "outcome": "broken", "diagnosis": words, "wave": "waves/failure.fst"}
    points = [point | big if point["id"] == "net-1/big" else point for point in points]
(out / "results.json").write_text(json.dumps({"format": 2, "scenario": "small", "seed": 1, "points": points}))
if bad:
    (out / "waves").mkdir()
    (out / "waves" / "failure.fst").write_text("wave")
    print(f"error: {words}", file=sys.stderr)
sys.exit(1 if bad else 0)
"""

#: Differs from cycle 16 on, with 3 ports or more.
SOAK = r"""
import re, sys
from pathlib import Path
arguments = sys.argv[1:]
value = lambda name: arguments[arguments.index(name) + 1]
line = value("--replay") if "--replay" in arguments else f"ports=9 vcs=1 seed={value('--seed')} cycles=500"
bad = int(re.search(r"ports=(\d+)", line)[1]) >= 3 and int(re.search(r"cycles=(\d+)", line)[1]) > 16
if not bad:
    print("no difference")
    sys.exit(0)
folder = Path(value("--waves"))
folder.mkdir(parents=True, exist_ok=True)
for name in ("inside.fst", "both.fst", "both.gtkw"):
    (folder / name).write_text("wave")
print("first difference in cycle 16: port 1: credit 1 against 0")
print(f"replay: polycast-soak --pair core-rtl --replay \"{line}\"")
print(f"inside: {folder}/inside.fst, both sides: {folder}/both.fst")
sys.exit(1)
"""

SCENARIO = """
name: small
network: {topology: {hosts: 16, instances: 1}}
workload:
  - {name: other, kind: unicast, message: 8 B}
  - {name: big, kind: unicast, message: 100 B}
measurement: {warmup: 0 cycle, window: 5000 cycle}
"""

PLAN = """
name: fake
requirements:
  - id: all.good
    says: What passes passes.
    tags: [quick]
    tests:
      - {ctest: '^good'}
      - {scenario: small.yaml, set: {measurement.window: 20 cycle}, seeds: 2}
  - id: all.bad
    says: What fails fails, each in its way.
    tests:
      - {ctest: '^(bad|broken)$'}
      - {ctest: '^sometimes$'}
      - {ctest: '^slow$', timeout: 1}
      - {scenario: small.yaml, grid: {network.topology.hosts: [6, 12]}, seeds: [3]}
      - {scenario: small.yaml, seeds: [404]}
      - {lockstep: core-rtl, seeds: [8]}
      - {cocotb: '^chip$'}
  - id: all.shared
    says: A case that checks two requirements runs once.
    tests: [{ctest: '^good_one$'}]
  - id: all.skipped
    says: Nothing of it runs here.
    tests: [{ctest: '^absent$'}]
  - id: all.waived
    says: It is known to fail.
    tests: [{ctest: '^known$'}]
  - id: none
    says: Nothing checks it.
waivers:
  - {case: '^known$', reason: the supplier mends it, date: 2026-01-01, until: 2099-01-01}
  - {case: '^good_one$', reason: it failed once, date: 2026-01-01}
  - {requirement: none, reason: no hardware for it yet, date: 2026-01-01}
"""


def write_program(path: Path, text: str) -> None:
    path.write_text(f"#!{sys.executable}\n{text}")
    path.chmod(0o755)


def write_build(folder: Path) -> Path:
    """\\returns the build tree"""
    programs = folder / "bin"
    programs.mkdir(parents=True)
    write_program(programs / "polycast-sim", SIMULATOR)
    write_program(programs / "polycast-soak", SOAK)
    once = folder / "once"
    tests = {
        "good_one": "true",
        "good_two/value": "echo fine",
        "bad": "echo unit.cpp:3: Failure; exit 1",
        "broken": "kill -SEGV $$",
        "sometimes": f"test -e {once} || {{ touch {once}; exit 1; }}",
        "slow": "sleep 30",
        "absent": "exit 77",
        "cocotb.chip": f"touch {folder}/chip-7.fst; echo wave: {folder}/chip-7.fst; echo repeat: SEED=7 chip; exit 1",
        "known": "exit 1",
    }
    lines = [f'add_test([=[{name}]=] "/bin/sh" "-c" [=[{script}]=])' for name, script in tests.items()]
    lines.append("set_tests_properties(absent PROPERTIES SKIP_RETURN_CODE 77)")
    (folder / "CTestTestfile.cmake").write_text("\n".join(lines) + "\n")
    return folder


def write_plan(folder: Path, text: str = PLAN) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "small.yaml").write_text(SCENARIO)
    plan = folder / "plan.yaml"
    plan.write_text(text)
    return plan
