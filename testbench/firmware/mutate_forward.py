# SPDX-License-Identifier: Apache-2.0
"""Builds the firmware with one line of its forwarding changed, for the host and for RISC-V, with the flags of the real one.

Usage: mutate_forward.py MUTANT FOLDER [CMAKE-ARGUMENT...]. FOLDER is emptied, and then holds
build/firmware/libpolycast_firmware.so and build/firmware/polycast_firmware.elf. Whoever runs both on the same scenario must
see the same change: forwarding is decided in firmware/ and nowhere else. MUTANT "none" changes nothing.
"""
from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# name: file, line as it is, line as it becomes
MUTANTS: dict[str, tuple[str, str, str] | None] = {
    "none": None,
    # Children are served in the opposite order.
    "reverse_children": (
        "groups.c",
        "group_store(fw, place / 64, place % 64, load(fw, children->address + 4 * i));",
        "group_store(fw, place / 64, place % 64, load(fw, children->address + 4 * (children->count - 1 - i)));",
    ),
    # Forwarders serve the first packet first where they should serve the first child first, and the other way round.
    "swap_fcfs": (
        "receive.c",
        "if ((group_load(fw, plan->list, GROUP_FLAGS) & NI_GROUP_FCFS) == 0 || packet->length == packet->total) return;",
        "if ((group_load(fw, plan->list, GROUP_FLAGS) & NI_GROUP_FCFS) != 0 || packet->length == packet->total) return;",
    ),
    # Each forwarder takes two hops off instead of one.
    "two_hops": (
        "receive.c",
        "forward_to_group(fw, packet->slot, plan->list, plan->train, plan->children, packet->hops - 1, 0);",
        "forward_to_group(fw, packet->slot, plan->list, plan->train, plan->children, packet->hops - 2, 0);",
    ),
}

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(mutant LANGUAGES C)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
add_subdirectory(firmware)
"""


def build(mutant: str, folder: Path, arguments: list[str]) -> None:
    """Makes the changed copy and builds it."""
    shutil.rmtree(folder, ignore_errors=True)
    source = folder / "source"
    shutil.copytree(ROOT / "firmware", source / "firmware")
    (source / "CMakeLists.txt").write_text(PROJECT)
    change = MUTANTS[mutant]
    if change is not None:
        name, before, after = change
        path = source / "firmware" / name
        text = path.read_text()
        if text.count(before) != 1:
            raise SystemExit(f"{path}: the line that {mutant} changes is not there once: {before}")
        path.write_text(text.replace(before, after))
    target = folder / "build"
    subprocess.run(["cmake", "-S", source, "-B", target, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", *arguments], check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", target, "-j", "1"], check=True)


def main(arguments: list[str]) -> int:
    if len(arguments) < 2 or arguments[0] not in MUTANTS:
        print(f"{__doc__}\nMutants: {', '.join(MUTANTS)}", file=sys.stderr)
        return 2
    build(arguments[0], Path(arguments[1]).resolve(), arguments[2:])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
