# SPDX-License-Identifier: Apache-2.0
"""Networks of more hosts than tree worms and the RTL of switches are for."""

from __future__ import annotations

import subprocess

import pytest

from testbench.python.simulation import SCENARIOS, SIMULATOR

TOPOLOGY = "network.topology={kind: irregular, switches: 400, ports: 64, hosts: 17000, placement: even, instances: 1}"
UNICASTS = "workload=[{name: uni, kind: unicast, message: 128 B, rate: 0.001}]"
TREES = "workload=[{name: tree, kind: multicast, scheme: tree, degree: 3, message: 128 B, rate: 0.001}]"


def checked(*values: str) -> subprocess.CompletedProcess[str]:
    settings = [word for value in values for word in ("-s", value)]
    command = [SIMULATOR, "check", SCENARIOS / "load.yaml", *settings]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_unicasts_among_more_hosts_than_tree_worms_reach() -> None:
    assert "good: 1 network of 400 switches and 17000 hosts" in checked(TOPOLOGY, UNICASTS).stdout


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ((TREES,), "the network has 17000 hosts, and tree worms are for at most 16384; take another scheme"),
        (
            (UNICASTS, "network.fidelity=rtl"),
            "and switches in RTL are for at most 16384; take 'network.fidelity: core'",
        ),
        ((UNICASTS, "network.chips={switch3: rtl}"), "switches in RTL are for at most 16384"),
        ((UNICASTS, "network.topology.hosts=65537"), "'network.topology.hosts' must be 2..65536, not 65537"),
    ],
)
def test_what_more_hosts_cannot_have_is_refused(values: tuple[str, ...], said: str) -> None:
    refused = checked(TOPOLOGY, *values)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert said in refused.stderr
