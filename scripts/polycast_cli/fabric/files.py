# SPDX-License-Identifier: Apache-2.0
"""Which of a fabric's files ibdmchk can read, found by what is in them; polycast-sim has readers of its own."""

from __future__ import annotations

import gzip
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path

from polycast_cli.common import UserError, shown


class Kind(StrEnum):
    """Kinds of files, with the words of messages."""

    SUBNET = "subnet list (opensm-subnet.lst)"
    UNICAST = "unicast tables (opensm.fdbs)"
    MULTICAST = "multicast tables (opensm.mcfdbs)"
    PATH_SL = "path SLs (psl)"
    SL2VL = "SL to VL tables (slvl)"
    SL2VL_DUMP = "SL to VL tables (opensm-sl2vl.dump)"


#: What begins a file, behind comments and blank lines.
BEGINS = {
    Kind.SUBNET: re.compile(r"\{ ?\w+(-SM)? +Ports:|\{ ?\*\*"),
    Kind.UNICAST: re.compile(r"(osm_ucast_mgr_)?dump_ucast_routes: Switch 0x"),
    Kind.MULTICAST: re.compile(r"Switch 0x[0-9a-fA-F]+ *\r?\nLID +: Out Port"),
    Kind.PATH_SL: re.compile(r"0x[0-9a-fA-F]+ +\d+ +\d+ *\r?$", re.MULTILINE),
    Kind.SL2VL: re.compile(r"0x[0-9a-fA-F]+ +\d+ +\d+ +0x"),
    Kind.SL2VL_DUMP: re.compile(r"(Switch|Channel Adapter) 0x[0-9a-fA-F]+, base LID"),
}
NO_CONTENT = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\r?\n)*")


def text_of(path: Path) -> str:
    """The file's text, unpacked where it is packed."""
    try:
        data = path.read_bytes()
        if data.startswith(b"\x1f\x8b"):
            data = gzip.decompress(data)
    except (OSError, EOFError) as error:
        raise UserError(f"{shown(path)}: {getattr(error, 'strerror', None) or error}") from None
    return data.decode(errors="surrogateescape").replace("\r\n", "\n")


def kind_of(text: str) -> Kind | None:
    start = NO_CONTENT.match(text)
    at = start.end() if start else 0
    return next((kind for kind, begin in BEGINS.items() if begin.match(text, at)), None)


def files_of(paths: Iterable[Path]) -> Iterator[Path]:
    """The files, and the files of the folders."""
    for path in paths:
        if path.is_dir():
            yield from sorted(file for file in path.iterdir() if file.is_file())
        else:
            yield path


def texts_of(paths: Iterable[Path]) -> dict[Kind, str]:
    """Texts by kind, several of one kind joined; others are left out."""
    found: dict[Kind, list[str]] = defaultdict(list)
    for path in files_of(paths):
        text = text_of(path)
        kind = kind_of(text)
        if kind is not None:
            found[kind].append(text if text.endswith("\n") else text + "\n")
    return {kind: "".join(texts) for kind, texts in found.items()}


def packed(lanes: Sequence[int]) -> str:
    """16 VLs as ibdmchk reads them: two a byte, SL 0 in the first digit."""
    return " ".join(f"0x{high:x}{low:x}" for high, low in zip(lanes[::2], lanes[1::2], strict=True))


SWITCH = re.compile(r"(Switch|Channel Adapter) 0x([0-9a-fA-F]+), base LID")
ROW = re.compile(r"\s*(\d+)\s+(\d+)\s*:((?:\s+\d+){16})\s*$")


def slvl_of(dump: str) -> str:
    """OpenSM's dump in ibdmchk's form. Rows of adapters are left out: ibdmchk does not look at them."""
    lines, guid = [], None
    for line in dump.splitlines():
        if head := SWITCH.match(line):
            guid = head[2] if head[1] == "Switch" else None
        elif guid is not None and (row := ROW.match(line)):
            lines.append(f"0x{guid} {row[1]} {row[2]} {packed([int(lane) for lane in row[3].split()])}")
    return "\n".join([*lines, ""])
