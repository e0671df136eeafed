# SPDX-License-Identifier: Apache-2.0
"""Waivers of coverage: what need not be hit, and why. Data: testbench/coverage/waivers.yaml."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

from pydantic import Field, field_validator

from polycast_cli.common import ROOT
from polycast_cli.located import Strict
from polycast_cli.reading import checked, is_expression, read_yaml

FILE = ROOT / "testbench" / "coverage" / "waivers.yaml"
Kind = Literal["line", "branch", "toggle", "point"]


class Waiver(Strict):
    file: str = Field(description="Path in the repository; * and ? as in a shell.")
    kinds: list[Kind] = Field(["line", "branch", "toggle", "point"], description="What of it.")
    text: str = Field("", description="Regular expression in the line of the source; empty: every line.")
    name: str = Field("", description="Regular expression in the name of a toggle, a branch or a point.")
    reason: str = Field(min_length=10, description="Why it need not be hit.")

    @field_validator("text", "name")
    @classmethod
    def expressions(cls, value: str) -> str:
        return is_expression(value) or ""


class Waivers(Strict):
    waivers: list[Waiver]


@dataclass(frozen=True)
class Waived:
    """The waivers in the order of the file; the first that matches counts."""

    waivers: list[Waiver]

    def find(self, path: str, kind: str, name: str, text: str) -> int | None:
        for index, waiver in enumerate(self.waivers):
            if (
                kind in waiver.kinds
                and fnmatchcase(path, waiver.file)
                and re.search(waiver.text, text)
                and re.search(waiver.name, name)
            ):
                return index
        return None


def load(path: Path = FILE) -> Waived:
    """\\raises UserError"""
    return Waived(checked(Waivers, read_yaml(path), path).waivers)
