# SPDX-License-Identifier: Apache-2.0
"""Size of the firmware's image, and the most stack it can use.

Usage: image_report.py IMAGE FOLDER. FOLDER holds the call graphs that GCC writes with -fcallgraph-info=su. The worst
path is that of main(), with an interrupt at its deepest point; IMAGE.stack.txt tells of each function. Ends with an
error if that path does not fit, or cannot be told: recursion, calls through pointers, frames of unknown size.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

NODE = re.compile(r'node: \{ title: "([^"]+)" label: "([^"]*)"')
EDGE = re.compile(r'edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"')
FRAME = re.compile(r"(\d+) bytes \(([^)]+)\)")
INTERRUPT_FRAME = 64  # start.S
FROM_LIBRARY = {"memset": 0, "memcpy": 0}  # picolibc's, in assembly or without a frame


class GraphError(Exception):
    """The stack's depth cannot be told."""


def read_graphs(folder: Path) -> tuple[dict[str, int], dict[str, set[str]]]:
    """Frame of each function in bytes, and whom it calls."""
    frames: dict[str, int] = {}
    calls: dict[str, set[str]] = {}
    for path in sorted(folder.glob("*.ci")):
        text = path.read_text()
        for title, label in NODE.findall(text):
            frame = FRAME.search(label)
            if frame is None:
                continue
            if "dynamic" in frame[2] and "bounded" not in frame[2]:
                raise GraphError(f"{title}: a frame of variable size")
            frames[title] = int(frame[1])
        for source, target in EDGE.findall(text):
            calls.setdefault(source, set()).add(target)
    return frames, calls


def worst_path(
    function: str, frames: dict[str, int], calls: dict[str, set[str]], above: tuple[str, ...] = ()
) -> list[str]:
    """The chain of calls from `function` down that needs most stack."""
    if function in above:
        raise GraphError(f"{function}: recursion")
    if function == "__indirect_call":
        raise GraphError(f"{above[-1]}: a call through a pointer")
    if function not in frames and function not in FROM_LIBRARY:
        raise GraphError(f"{function}: unknown")
    below = [worst_path(target, frames, calls, (*above, function)) for target in sorted(calls.get(function, ()))]
    return [function, *max(below, key=lambda path: depth(path, frames), default=[])]


def depth(path: list[str], frames: dict[str, int]) -> int:
    """Bytes of stack of a chain of calls."""
    return sum(frames.get(function, 0) for function in path)


def short(function: str) -> str:
    return function.rsplit(":", 1)[-1]


def sections(image: Path) -> dict[str, tuple[int, int]]:
    """Address and size of each section of a little-endian ELF32 file."""
    data = image.read_bytes()

    def word(offset: int, size: int = 4) -> int:
        return int.from_bytes(data[offset : offset + size], "little")

    table, entry, count, names = word(0x20), word(0x2E, 2), word(0x30, 2), word(0x32, 2)
    strings = word(table + names * entry + 0x10)
    found = {}
    for index in range(count):
        header = table + index * entry
        start = strings + word(header)
        name = data[start : data.index(b"\0", start)].decode()
        found[name] = (word(header + 0xC), word(header + 0x14))
    return found


def main(arguments: list[str]) -> int:
    image, folder = Path(arguments[0]), Path(arguments[1])
    frames, calls = read_graphs(folder)
    try:
        program = worst_path("main", frames, calls)
        interrupt = worst_path("interrupt_handler", frames, calls)
    except GraphError as problem:
        print(f"{image.name}: the stack's depth is unknown: {problem}", file=sys.stderr)
        return 1
    parts = sections(image)
    code = parts[".text"][1]
    variables = parts[".bss"][1] + parts.get(".data", (0, 0))[1]
    stack = depth(program, frames) + INTERRUPT_FRAME + depth(interrupt, frames)
    room = 192 * 1024 - variables
    print(
        f"{image.name}: {code} bytes of code and constants (of {64 * 1024 - 128}), "
        f"{variables} of variables (of {192 * 1024})"
    )
    print(
        f"  worst stack {stack} bytes (of {room}): interrupt {INTERRUPT_FRAME + depth(interrupt, frames)}, program "
        + " > ".join(f"{short(f)} {frames.get(f, 0)}" for f in program)
    )
    lines = ["frame worst function (bytes of stack; worst: with all that it calls)"]
    for function in sorted(frames, key=lambda f: (-frames[f], short(f))):
        lines.append(f"{frames[function]:5} {depth(worst_path(function, frames, calls), frames):5} {short(function)}")
    image.with_suffix(".elf.stack.txt").write_text("\n".join(lines) + "\n")
    print(f"  stack of each function: {image.with_suffix('.elf.stack.txt')}")
    if stack > room:
        print(f"{image.name}: the stack does not fit", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
