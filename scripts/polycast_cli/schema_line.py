# SPDX-License-Identifier: Apache-2.0
"""`check --fix-schema`: the comment by which editors find the JSON Schema of a scenario, and then complete its keys and
mark what is wrong."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from polycast_cli.common import ROOT, Failure, UserError, replacing, say, shown
from polycast_cli.located import Source

#: Behind the simulator's folder: the build writes it, `cmake --install` copies it.
PUBLISHED = Path("share", "polycast", "scenario.schema.json")
#: A comment that yaml-language-server obeys (its modelineUtil.ts), and the place in it, which ends at a space.
LINE = re.compile(rb"^#[ \t]+(?:yaml-language-server[ \t]*:|\$schema:)[^\r\n]*", re.MULTILINE)
PLACE = re.compile(rb"\$schema(?:=|:[ \t]*)\S+")
BOM = b"\xef\xbb\xbf"


def published(simulator: Path) -> Path:
    """The schema of the scenarios that this simulator reads."""
    path = simulator.parents[1] / PUBLISHED
    if not path.is_file():
        raise Failure(f"{shown(path)}: missing; it comes with the build of polycast-sim")
    return path


def place_of(schema: Path, scenario: Path) -> str:
    """Where an editor finds `schema`: from the scenario within one checkout, so that it is the same in every clone."""
    schema, folder = schema.resolve(), scenario.resolve().parent
    inside = schema.is_relative_to(ROOT) and folder.is_relative_to(ROOT)
    place = os.path.relpath(schema, folder) if inside else str(schema)
    # Spaces would end a path, and # begin a part of the schema.
    return schema.as_uri() if re.search(r"[\s#%]", place) else place


def with_line(text: bytes, place: str) -> bytes:
    """`text` with the comment: a new first line, or the one that is there with this place; nothing else changes."""
    mark = BOM if text.startswith(BOM) else b""
    text = text[len(mark) :]
    found = LINE.search(text)
    said = f"$schema={place}".encode()
    if found is None:
        end = b"\r\n" if re.match(rb"[^\n]*\r\n", text) else b"\n"
        return mark + b"# yaml-language-server: " + said + end + text
    line = found[0]
    if line.startswith(b"# $schema"):
        line = b"# yaml-language-server: " + said
    elif PLACE.search(line):
        line = PLACE.sub(lambda _: said, line, count=1)
    else:
        line = line.rstrip() + b" " + said
    return mark + text[: found.start()] + line + text[found.end() :]


def fix_schema(scenario: Path, simulator: Path) -> None:
    """Writes or renews the comment. \\raises UserError where the file is no YAML with keys, which stays as it is"""
    path = scenario.resolve()
    if path.exists() and not path.is_file():
        raise UserError(f"{shown(scenario)}: not a file")
    Source(scenario, "expected a scenario: keys with values, such as 'name: my'")
    before = path.read_bytes()
    place = place_of(published(simulator), scenario)
    after = with_line(before, place)
    if after == before:
        say(f"{shown(scenario)}: its schema is {place} already")
        return
    with replacing(path) as temporary:
        temporary.write_bytes(after)
        shutil.copymode(path, temporary)
    say(f"{shown(scenario)}: its schema is {place}")
