# SPDX-License-Identifier: Apache-2.0
"""`fabric run`: a scenario that sends packets through the tables of a fabric."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from polycast_cli.common import UserError, say, set_options, shown, write_whole
from polycast_cli.fabric.cycles import Found, find
from polycast_cli.fabric.scenario import Flow, network, text_of

WORKLOADS = ("each_to_each", "permutation", "groups")
#: Of the switches and packets; -s changes it.
SIZES = {"flit": "4 B", "buffer": "64 flit", "chunk": "8 flit"}


def workload_of(found: Found, name: str) -> list[dict[str, Any]]:
    """\\raises UserError where there is no group"""
    if name != "groups":
        return [Flow(name=name, kind="unicast", pattern=name, message="256 B")]
    groups = [group for group in found.groups if len(group.members) > 1]
    if not groups:
        raise UserError(
            "no group of two members or more: give multicast tables (opensm.mcfdbs, dump_mfts), or another --workload"
        )
    return [
        {
            "name": f"group_{group.mlid:x}",
            "kind": "list",
            "message": "128 B",
            "list": [Flow(at="1 cycle", source=member, group=group.mlid) for member in group.members],
        }
        for group in groups
    ]


def name_of(path: Path) -> str:
    """Of the folder."""
    return (path if path.is_dir() else path.resolve().parent).resolve().name


def may_deadlock(found: Found, settings: Sequence[str]) -> bool:
    """Whether the scenario would be refused because of a cycle of channels."""
    return bool(found.cycles) and not any("on_problem" in setting for setting in settings)


def scenario_of(found: Found, folder: Path, workload: str, settings: Sequence[str], base: Path | None) -> str:
    """Paths are as seen from the folder `base`, without one as the user gave them."""
    more = {"lmc": found.lmc} if found.lmc else {}
    scenario = {
        "name": name_of(folder),
        "seed": 1,
        "network": network(found.files, base, **more),
        "switch": Flow(SIZES),
        "workload": workload_of(found, workload),
    }
    again = "".join(f" -s '{one}'" for one in settings)
    words = ["The forwarding tables of an InfiniBand fabric, run on VL switches; written by `polycast fabric run`."]
    return text_of(scenario, words + ([f"It was run with{again}."] if again else []))


def run_fabric(
    paths: Sequence[Path], workload: str, settings: Sequence[str], words: Sequence[str], save: Path | None,
    out_dir: Path | None,
) -> int:  # fmt: skip
    """`words`: options of the simulator's reader. Returns the exit status of the run."""
    from polycast_cli.running import Sweeping, run_scenario

    found = find(paths, words)
    if isinstance(found, int):
        return found
    if may_deadlock(found, settings):
        raise UserError(
            f"packets can wait in a circle: {found.cycles[0]}; `fabric deadlock` makes that happen, `fabric repair` "
            "mends it, and -s network.routing.on_problem=run runs the tables as they are"
        )
    if save is not None:
        write_whole(save, scenario_of(found, paths[0], workload, settings, save.parent))
        say(f"scenario written to {shown(save)}")
    # The user has named files and not a scenario, so messages and results speak of those.
    command = ["fabric", "run", *map(str, paths), *words]
    command += [] if workload == WORKLOADS[0] else ["--workload", workload]
    with tempfile.TemporaryDirectory(prefix="polycast-") as folder:
        scenario = Path(folder) / f"{name_of(paths[0])}.yaml"
        write_whole(scenario, scenario_of(found, paths[0], workload, settings, None))
        sets = set_options(settings)
        return run_scenario(scenario, sets, [], out_dir, None, Sweeping(), False, "release", written_by=command)
