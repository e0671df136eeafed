# SPDX-License-Identifier: Apache-2.0
"""Measures designs, several at once; what was measured of the same sources is kept."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pydantic import BaseModel, ValidationError

from polycast_cli.common import STATE, say, write_whole
from polycast_cli.cost import liberty, synthesis, timing
from polycast_cli.cost.designs import Design, Values, sources
from polycast_cli.cost.libraries import Library, timing_analyser
from polycast_cli.cost.tools import allow_tools, end_tools
from polycast_cli.terminal import LEFT, progress

KEPT = STATE / "cost"


class BlockCost(BaseModel):
    """All instances of a module, without the modules below it."""

    name: str
    instances: int
    area_um2: float
    cells: int
    flip_flops: int
    memory_bits: int


class Cost(BaseModel):
    """A design in cells of a library."""

    design: str
    module: str
    library: str
    parameters: dict[str, int]
    memories: str
    area_um2: float
    #: Area by that of the library's NAND gate with two inputs.
    gates: float
    cells: int
    flip_flops: int
    memory_bits: int
    #: With the set-up time at its end; None where nothing lies between registers or pins.
    path_ns: float | None
    path_from: str | None
    path_to: str | None
    blocks: list[BlockCost]

    @property
    def megahertz(self) -> float | None:
        return 1000.0 / self.path_ns if self.path_ns else None

    @property
    def name(self) -> str:
        said = " ".join(f"{name}={value}" for name, value in self.parameters.items())
        return f"{self.design} {said}".strip()


@dataclass(frozen=True)
class Task:
    """A design to be measured."""

    design: Design
    values: Values
    library: Library
    #: Memories become flip-flops and multiplexers.
    mapped: bool = False

    @property
    def name(self) -> str:
        return f"{self.design.name} {' '.join(f'{name}={value}' for name, value in self.values.items())}".strip()

    @cached_property
    def key(self) -> str:
        """Of all that the result depends on: RTL, parameters, library, tools, and how they are used."""
        made = hashlib.sha256()
        code = [Path(str(module.__file__)) for module in (liberty, synthesis, timing)]
        for path in (*sources(self.design), *code):
            made.update(path.read_bytes())
        made.update(timing_analyser().read_bytes())
        rest = (
            synthesis.version(),
            self.library.name,
            self.library.digest,
            self.design.module,
            self.changed,
            self.mapped,
        )
        made.update(json.dumps(rest).encode())
        return made.hexdigest()[:24]

    @property
    def changed(self) -> Values:
        """Values that are not the defaults: a design has one name, however it was asked for."""
        return {
            name: value for name, value in sorted(self.values.items()) if value != self.design.parameter(name).default
        }


def kept(task: Task) -> Cost | None:
    """What is known of it."""
    try:
        found = Cost.model_validate_json((KEPT / f"{task.key}.json").read_text())
    except (OSError, ValidationError):
        return None
    return found.model_copy(update={"parameters": dict(task.values)})


def measure(task: Task) -> Cost:
    """\\raises Failure where a tool fails"""
    with tempfile.TemporaryDirectory(prefix="polycast-cost-") as scratch:
        folder = Path(scratch)
        netlist = synthesis.synthesise(task.design, task.changed, task.library, task.mapped, folder)
        path = timing.longest(netlist, task.library, folder)
    blocks = netlist.blocks()
    area = sum(block.area for block in blocks)
    made = Cost(
        design=task.design.name,
        module=task.design.module,
        library=task.library.name,
        parameters=dict(task.values),
        memories="flip-flops" if task.mapped else "apart",
        area_um2=area,
        gates=area / task.library.cells.gate,
        cells=sum(block.cells for block in blocks),
        flip_flops=sum(block.flip_flops for block in blocks),
        memory_bits=sum(block.memory_bits for block in blocks),
        path_ns=round(path.ns, 4) if path else None,
        path_from=path.begin if path else None,
        path_to=path.end if path else None,
        blocks=[
            BlockCost(
                name=block.name,
                instances=block.instances,
                area_um2=block.area,
                cells=block.cells,
                flip_flops=block.flip_flops,
                memory_bits=block.memory_bits,
            )
            for block in blocks
        ],
    )
    KEPT.mkdir(parents=True, exist_ok=True)
    write_whole(KEPT / f"{task.key}.json", made.model_dump_json())
    return made


def measure_all(tasks: Sequence[Task], jobs: int | None = None) -> list[Cost]:
    """In the order of the tasks. What has ended before an interruption or a failure is kept.

    \\raises Failure where a tool fails
    """
    for library in {task.library.name: task.library for task in tasks}.values():
        if library.digest != library.sha256:
            say(f"warning: {library.path.name} is not the file that the numbers of the pages come from")
    made = {task.key: found for task in tasks if (found := kept(task))}
    missing = list({task.key: task for task in tasks if task.key not in made}.values())
    if missing:
        ready = f", {len(made)} are known" if made else ""
        say(f"mapping {len(missing)} design{'s' if len(missing) > 1 else ''} with Yosys, ABC and OpenSTA{ready}")
    allow_tools()
    workers = min(jobs or len(os.sched_getaffinity(0)), max(1, len(missing)))
    with progress("cost", *LEFT) as bar, ThreadPoolExecutor(workers) as pool:
        line = bar.add_task("", total=len(missing))
        pending = {pool.submit(measure, task): task for task in missing}
        try:
            for done in as_completed(pending):
                made[pending[done].key] = done.result()
                bar.update(line, advance=1, description=pending[done].name)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            end_tools()
            raise
    return [
        made[task.key].model_copy(update={"parameters": dict(task.values), "design": task.design.name})
        for task in tasks
    ]
