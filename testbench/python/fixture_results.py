# SPDX-License-Identifier: Apache-2.0
"""Writes a results folder as the simulator would, with invented but plausible numbers: input of the report's tests."""

from __future__ import annotations

import csv
import json
import random
import statistics
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SCENARIO = """\
name: {name}
seed: 1
network:
  topology: {{kind: irregular, switches: 8, ports: 8, hosts: 32, connectivity: 0.8, instances: {networks}, seed: 1}}
  fidelity: core
workload:
  - {{name: tree, kind: multicast, scheme: tree, degree: 15, message: 128 B}}
  - {{name: unicasts, kind: multicast, scheme: unicasts, degree: 15, message: 128 B}}
"""


SAVE_FILE = """\
[dumpfile] "irregular-1-tree.fst"
[timestart] 2087
*-6.000000 2097
@800200
-switch0 packets
@820
+{port5 (host1)         in        } irregular-1.switch0.port5.in.packet.label[191:0]
@22
irregular-1.switch1.port1.in.flit[7:0]
irregular-1.switch2.port1.in.flit[7:0]
irregular-1.switch10.port1.in.flit[7:0]
irregular-1.S-0008f104.port1.in.flit[7:0]
"""


@dataclass
class Network:
    """A random network of 8-port switches with its hosts on random ports."""

    name: str
    switches: int
    ports: int
    hosts: list[tuple[int, int]] = field(default_factory=list)
    links: list[tuple[int, int, int, int]] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "switches": [{"name": f"switch{i}", "level": min(i, 2), "ports": self.ports} for i in range(self.switches)],
            "hosts": [{"name": f"host{i}", "switch": f"switch{s}", "port": p} for i, (s, p) in enumerate(self.hosts)],
            "links": [
                {"a": f"switch{a}", "a_port": pa, "b": f"switch{b}", "b_port": pb, "up": "a"}
                for a, pa, b, pb in self.links
            ],
            "root": "switch0",
        }

    def directions(self) -> list[tuple[str, str]]:
        ends = [(f"switch{a}:{pa}", f"switch{b}:{pb}") for a, pa, b, pb in self.links]
        ends += [(f"host{i}", f"switch{s}:{p}") for i, (s, p) in enumerate(self.hosts)]
        return ends + [(b, a) for a, b in ends]


def network(name: str, rng: random.Random, switches: int = 8, ports: int = 8, hosts: int = 32) -> Network:
    result = Network(name, switches, ports)
    places = [(s, p) for s in range(switches) for p in range(ports)]
    rng.shuffle(places)
    # A random tree first, so that the network is connected.
    free: dict[int, list[int]] = defaultdict(list)
    for switch, port in places:
        free[switch].append(port)
    for switch in range(1, switches):
        other = rng.choice([s for s in range(switch) if free[s]])
        result.links.append((other, free[other].pop(), switch, free[switch].pop()))
    rest = [(s, p) for s, p in places if p in free[s]]
    result.hosts = sorted(rest[:hosts])
    for a, b in zip(rest[hosts::2], rest[hosts + 1 :: 2], strict=False):
        if a[0] != b[0]:
            result.links.append((*a, *b))
    return result


def percentile(values: list[int], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


LINK_COLUMNS = ["point", "from", "to", "flits", "packets", "utilisation", "buffer_mean", "buffer_max"]


def summary_of_links(links: list[dict[str, Any]]) -> dict[str, Any]:
    """What results.json says of the rows of tables/links.csv."""
    busiest = sorted(links, key=lambda link: -link["utilisation"])[:10]
    return {
        "count": len(links),
        "flits": sum(link["flits"] for link in links),
        "packets": sum(link["packets"] for link in links),
        "utilisation_mean": statistics.fmean(link["utilisation"] for link in links),
        "buffer_max": max(link["buffer_max"] for link in links),
        "busiest": [{key: link[key] for key in LINK_COLUMNS[1:6]} for link in busiest],
    }


def edit_links(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """`change` gets each row of tables/links.csv; results.json follows."""
    with (folder / "tables" / "links.csv").open(newline="") as stream:
        rows: list[dict[str, Any]] = list(csv.DictReader(stream))
    for row in rows:
        row |= {key: (int if key in ("flits", "packets") else float)(row[key]) for key in LINK_COLUMNS[3:]}
        change(row)
    table(folder / "tables" / "links.csv", LINK_COLUMNS, [list(row.values()) for row in rows])
    results = json.loads((folder / "results.json").read_text())
    for one in results["points"]:
        one["links"] = summary_of_links([row for row in rows if row["point"] == one["id"]])
    (folder / "results.json").write_text(json.dumps(results, indent=1))


def point(net: Network, scheme: str, messages: int, lost: int, rng: random.Random) -> tuple[dict[str, Any], list[int]]:
    """With the rows of its links instead of what results.json says of them."""
    center = 4360 if scheme == "tree" else 17900
    latencies = [
        round(rng.gauss(center, center * 0.02) + rng.expovariate(1 / (0.04 * center))) for _ in range(messages)
    ]
    cycles = max(latencies) + 1500 * (messages - 1)
    expected = 15 * messages
    links = []
    for source, target in net.directions():
        flits = rng.choice([0, 0, 143, 143, 286]) * messages * (1 if scheme == "tree" else 4)
        busy = flits / cycles
        links.append(
            {
                "point": f"{net.name}/{scheme}",
                "from": source,
                "to": target,
                "flits": flits,
                "packets": flits // 143,
                "utilisation": busy,
                "buffer_mean": busy * 20,
                "buffer_max": 144 if flits else 0,
            }
        )
    ci95 = 1.96 * statistics.stdev(latencies) / messages**0.5 if messages > 1 else None
    return {
        "id": f"{net.name}/{scheme}",
        "topology": {
            "name": net.name,
            "switches": net.switches,
            "hosts": len(net.hosts),
            "links": len(net.links) + len(net.hosts),
        },
        "workload": {"name": scheme, "kind": "multicast", "scheme": scheme, "degree": 15},
        "passed": not lost,
        "outcome": "stuck" if lost else "complete",
        **({"diagnosis": "switch3 input 4 waits for switch5 input 1, which waits for switch3 input 4"} if lost else {}),
        "cycles": cycles,
        "check": {
            "expected": expected,
            "delivered": expected - lost,
            "missing": lost,
            "duplicated": 0,
            "corrupted": 0,
            "misdelivered": 0,
            "misordered": 0,
            "chip_errors": 0,
        },
        "latency": {
            "count": messages,
            "mean": statistics.fmean(latencies),
            "min": min(latencies),
            "max": max(latencies),
            "p50": percentile(latencies, 0.5),
            "p90": percentile(latencies, 0.9),
            "p99": percentile(latencies, 0.99),
            "ci95": ci95,
        },
        "throughput": {"offered": 0.02, "accepted": 0.0199, "unit": "flit/host/cycle"},
        "links": links,
    }, latencies


def table(path: Path, columns: list[str], rows: list[list[Any]]) -> None:
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(columns)
        writer.writerows(rows)


def write_results(folder: Path, networks: int = 10, messages: int = 1, lost: int = 0, waves: bool = False) -> Path:
    """Writes `folder`: `messages` multicasts per scheme and network, `lost` deliveries missing in the first point."""
    rng = random.Random(7)
    for name in ("tables", "topology"):
        (folder / name).mkdir(parents=True)
    points, rows, loads = [], [], []
    for index in range(networks):
        net = network(f"irregular-{index + 1}", rng)
        (folder / "topology" / f"{net.name}.json").write_text(json.dumps(net.as_json()))
        for scheme in ("tree", "unicasts"):
            one, latencies = point(net, scheme, messages, lost if not points else 0, rng)
            points.append(one)
            loads += [list(link.values()) for link in one["links"]]
            one["links"] = summary_of_links(one["links"])
            for message, latency in enumerate(latencies):
                created = 100 * message
                rows.append(
                    [one["id"], scheme, message, f"host{rng.randrange(32)}", created, created + latency, latency]
                )
    summary = []
    for scheme in ("tree", "unicasts"):
        mine = [one for one in points if one["workload"]["name"] == scheme]
        means = [one["latency"]["mean"] for one in mine]
        summary.append(
            {
                "workload": scheme,
                "points": len(mine),
                "latency_mean": statistics.fmean(means),
                "latency_ci95": 2.26 * statistics.stdev(means) / len(means) ** 0.5 if len(means) > 1 else None,
                "delivered": sum(one["check"]["delivered"] for one in mine),
                "expected": sum(one["check"]["expected"] for one in mine),
            }
        )
    name = "first-light"
    results = {"format": 2, "scenario": name, "seed": 1, "points": points, "summary": summary}
    (folder / "results.json").write_text(json.dumps(results, indent=1))
    provenance = {
        "program": "polycast-sim",
        "version": "0.1.0",
        "command": ["polycast-sim", "run", "testbench/scenarios/first_light.yaml", "--out", "results/first light"],
        "date": "2026-01-31T12:00:00Z",
        "fidelity": {"network": "core", "switches": {}},
        "wall_seconds": 0.61,
        "cpu_seconds": 0.58,
        "compiler": "12.2.0",
    }
    (folder / "run.json").write_text(json.dumps(provenance))
    (folder / "scenario.yaml").write_text(SCENARIO.format(name=name, networks=networks))
    table(
        folder / "tables" / "latencies.csv",
        ["point", "workload", "message", "source", "created", "completed", "latency"],
        rows,
    )
    table(folder / "tables" / "links.csv", LINK_COLUMNS, loads)
    if waves:
        (folder / "waves").mkdir()
        (folder / "waves" / "irregular-1-tree.fst").write_bytes(bytes(20_000))
        (folder / "waves" / "irregular-1-tree.gtkw").write_text(SAVE_FILE)
    return folder
