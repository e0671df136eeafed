# SPDX-License-Identifier: Apache-2.0
"""The longest path of a mapped design by OpenSTA. Memories are black boxes with times that their size gives."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polycast_cli.common import Failure
from polycast_cli.cost.designs import PREFIX
from polycast_cli.cost.liberty import Times
from polycast_cli.cost.libraries import Library, environment, timing_analyser
from polycast_cli.cost.synthesis import MEMORY, Memory, Netlist, memory_of, plain
from polycast_cli.cost.tools import run_tool

#: Nanoseconds of the clock that paths are held against; only what is left of it counts.
PERIOD = 1000.0
CLOCK = "clk_i"

HEAD = """library (polycast_memories) {
  delay_model : table_lookup;
  time_unit : "1ns";
  voltage_unit : "1V";
  current_unit : "1uA";
  pulling_resistance_unit : "1kohm";
  leakage_power_unit : "1nW";
  capacitive_load_unit (1,pf);
  input_threshold_pct_rise : 50;
  input_threshold_pct_fall : 50;
  output_threshold_pct_rise : 50;
  output_threshold_pct_fall : 50;
  slew_lower_threshold_pct_rise : 20;
  slew_lower_threshold_pct_fall : 20;
  slew_upper_threshold_pct_rise : 80;
  slew_upper_threshold_pct_fall : 80;
"""


@dataclass(frozen=True)
class LongestPath:
    """A path: how long it takes in ns, and the modules at its ends."""

    ns: float
    begin: str
    end: str


def ports_of(memory: Memory) -> dict[str, tuple[str, int]]:
    """Ports of the black box: direction and width."""
    address = max(1, (memory.words - 1).bit_length())
    made = {"CK": ("input", 1)} if memory.writes else {}
    for port in range(memory.reads):
        made |= {f"RA{port}": ("input", address), f"RD{port}": ("output", memory.width)}
    for port in range(memory.writes):
        made |= {
            f"WA{port}": ("input", address),
            f"WD{port}": ("input", memory.width),
            f"WE{port}": ("input", memory.width),
        }
    return made


def pins_of(memory: Memory) -> dict[str, str]:
    """Each bit of its ports, with its direction. OpenSTA knows no arcs between buses of different widths."""
    return {f"{name}_{bit}": way for name, (way, width) in ports_of(memory).items() for bit in range(width)}


def connected(cell: Mapping[str, Any], memory: Memory) -> dict[str, list[int | str]]:
    """The bits at these pins. Yosys has those of all ports in one vector, with as many address bits as it likes."""
    wires = cell["connections"]
    bits = int(str(cell["parameters"]["ABITS"]), 2)
    made: dict[str, list[int | str]] = {}
    for name, (_, width) in ports_of(memory).items():
        kind, port = name[:2], int(name[2:] or 0)
        source, stride = {
            "CK": ("WR_CLK", 1), "RA": ("RD_ADDR", bits), "RD": ("RD_DATA", memory.width),
            "WA": ("WR_ADDR", bits), "WD": ("WR_DATA", memory.width), "WE": ("WR_EN", memory.width),
        }[kind]  # fmt: skip
        at = wires[source][port * stride : (port + 1) * stride]
        made |= {f"{name}_{bit}": [at[bit] if bit < len(at) else "0"] for bit in range(width)}
    return made


def arc(related: str, kind: str, names: tuple[str, str], value: float) -> str:
    """Of constant time; what comes out is as steep as what a library's cell drives."""
    text = f'      timing () {{ related_pin : "{related}"; timing_type : {kind};'
    for name in names:
        text += f' {name} (scalar) {{ values ("{value:.6f}"); }}'
    for name in ("rise_transition", "fall_transition") if kind != "setup_rising" else ():
        text += f' {name} (scalar) {{ values ("0.1"); }}'
    return text + " }\n"


def cell_text(memory: Memory, times: Times) -> str:
    """A memory in Liberty form: words are selected by as many multiplexers as the address has bits; what was written is
    there after the next edge."""
    ports = ports_of(memory)
    select = (memory.words - 1).bit_length() * times.select
    edges = ("cell_rise", "cell_fall")
    text = f"  cell ({memory.name}) {{\n    area : 0;\n"
    for pin, way in pins_of(memory).items():
        name = pin.rpartition("_")[0]
        text += f"    pin ({pin}) {{\n      direction : {way};\n"
        if name == "CK":
            text += "      clock : true;\n"
        if way == "input":
            text += "      capacitance : 0.02;\n"
        elif memory.writes:
            text += arc("CK_0", "rising_edge", edges, times.clock_to_q + select)
        if name.startswith("RD"):
            address = f"RA{name[2:]}"
            related = " ".join(f"{address}_{bit}" for bit in range(ports[address][1]))
            text += arc(related, "combinational", edges, select)
        if name.startswith("W"):
            text += arc("CK_0", "setup_rising", ("rise_constraint", "fall_constraint"), times.setup)
        text += "    }\n"
    return text + "  }\n"


def liberty_of(memories: set[Memory], times: Times) -> str:
    cells = [cell_text(memory, times) for memory in sorted(memories, key=lambda each: each.name)]
    return f"{HEAD}{''.join(cells)}}}\n"


def boxed(netlist: Netlist) -> tuple[dict[str, Any], set[Memory], dict[str, str]]:
    """The modules with black boxes for memories and with short names; the memories; module by its short name."""
    names = {name: f"{plain(name)}__{number}" for number, name in enumerate(netlist.modules)}
    names[netlist.top] = plain(netlist.top)
    made: dict[str, Any] = {}
    memories: set[Memory] = set()
    for name, module in netlist.modules.items():
        new = copy.deepcopy(module)
        new["attributes"] = {}
        for cell in new["cells"].values():
            cell["attributes"] = {}
            if cell["type"] == MEMORY:
                memory = memory_of(cell)
                memories.add(memory)
                cell["connections"] = connected(cell, memory)
                cell["port_directions"] = pins_of(memory)
                cell["type"], cell["parameters"] = memory.name, {}
            else:
                cell["type"] = names.get(cell["type"], cell["type"])
        made[names[name]] = new
    for memory in memories:
        ports = {pin: {"direction": way, "bits": [bit]} for bit, (pin, way) in enumerate(pins_of(memory).items(), 2)}
        made[memory.name] = {"attributes": {"blackbox": "1"}, "ports": ports, "cells": {}, "netnames": {}}
    return made, memories, {short: plain(name) for name, short in names.items()}


def commands(netlist: Netlist, library: Library, memories: bool, folder: Path) -> str:
    """For OpenSTA. Inputs come from registers of a neighbour, so they are as late as an output of one; outputs go
    straight into registers."""
    ports = netlist.modules[netlist.top]["ports"]
    inputs = [name for name, port in ports.items() if port["direction"] == "input" and name not in (CLOCK, "rst_ni")]
    outputs = [name for name, port in ports.items() if port["direction"] == "output"]

    def pins(names: list[str]) -> str:
        words = [name if len(ports[name]["bits"]) == 1 else f"{name}[*]" for name in names]
        return f"[get_ports {{{' '.join(words)}}}]"

    clock = f"[get_ports {CLOCK}]" if CLOCK in ports else ""
    lines = [
        f"read_liberty {library.path}",
        *([f"read_liberty {folder / 'memories.lib'}"] if memories else []),
        f"read_verilog {folder / 'netlist.v'}",
        f"link_design {plain(netlist.top)}",
        f"create_clock -name clock -period {PERIOD} {clock}",
    ]
    if inputs:
        lines.append(f"set_input_delay -clock clock {library.cells.times.clock_to_q} {pins(inputs)}")
        lines.append(f"set_driving_cell -lib_cell BUFX2 {pins(inputs)}")
    if outputs:
        lines.append(f"set_output_delay -clock clock {library.cells.times.setup if clock == '' else 0} {pins(outputs)}")
    if "rst_ni" in ports:
        lines.append("set_false_path -from [get_ports rst_ni]")
    lines += ["report_checks -path_delay max -format full -digits 4", "puts {END OF REPORT}"]
    return "\n".join(lines) + "\n"


def module_at(place: str, netlist: Netlist) -> str:
    """The module in whose instance "a/b/c" a cell is, or the port's name where it is one of the top."""
    port = re.sub(r"\[.*", "", place)
    if port in netlist.modules[netlist.top]["ports"]:
        return port
    name = netlist.top
    # Yosys numbers cells that have no name of their own when it writes them, so the last part may be unknown.
    for part in place.replace("\\", "").split("/"):
        cells = {key.replace("\\", ""): cell for key, cell in netlist.modules[name]["cells"].items()}
        kind = cells[part]["type"] if part in cells else ""
        if kind == MEMORY:
            return f"a memory of {plain(name).removeprefix(PREFIX)}"
        if kind not in netlist.modules:
            break
        name = kind
    return plain(name).removeprefix(PREFIX)


def longest(netlist: Netlist, library: Library, folder: Path) -> LongestPath | None:
    """The longest path with the set-up time at its end; None where the design has none.

    \\raises Failure where OpenSTA fails
    """
    modules, memories, _ = boxed(netlist)
    (folder / "boxed.json").write_text(json.dumps({"creator": "polycast", "modules": modules}))
    run_tool(
        ["yosys", "-q", "-p", f"read_json {folder / 'boxed.json'}; write_verilog -noattr {folder / 'netlist.v'}"],
        "Yosys",
    )
    (folder / "memories.lib").write_text(liberty_of(memories, library.cells.times))
    (folder / "timing.tcl").write_text(commands(netlist, library, bool(memories), folder))
    said = run_tool(
        [timing_analyser(), "-no_init", "-no_splash", "-exit", folder / "timing.tcl"], "OpenSTA", env=environment()
    )
    return read(said, netlist)


def read(said: str, netlist: Netlist) -> LongestPath | None:
    """What OpenSTA reports. \\raises Failure where it complains"""
    # Memories that are as wide as they need to be leave address bits open; all else would make paths vanish.
    wrong = [line for line in said.splitlines() if re.match(r"(Error|Warning)\b", line)]
    if wrong or "END OF REPORT" not in said:
        raise Failure(f"OpenSTA on {plain(netlist.top)}: {wrong[0] if wrong else said.strip()[-1000:]}")
    slack = re.search(r"^ +(-?[\d.]+) +slack", said, re.MULTILINE)
    begin, end = (re.search(rf"^{word}: (\S+)", said, re.MULTILINE) for word in ("Startpoint", "Endpoint"))
    if not slack or not begin or not end:
        return None
    return LongestPath(PERIOD - float(slack[1]), module_at(begin[1], netlist), module_at(end[1], netlist))
