# SPDX-License-Identifier: Apache-2.0
"""Which tier a test belongs to, as testbench/tiers.yaml says: for ctest (by CMake), pytest and `scripts/polycast test`.

CMake runs this file; it needs nothing but PyYAML."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

FILE = Path(__file__).resolve().parents[2] / "testbench" / "tiers.yaml"
#: From the cheapest to the dearest.
TIERS = ("default", "extended", "nightly")
#: Build of the presets that have no tests of their own in the file.
RELEASE = "release"

# What CMake and ctest include: the functions do what Build.tier and Build.program_tier do.
CMAKE = """\
set(POLYCAST_TIERS {tiers})
function(polycast_tier result name)
  set(tier "{rest}")
{tests}  set(${{result}} "${{tier}}" PARENT_SCOPE)
endfunction()
function(polycast_program_tier result name)
  set(tier "{rest}")
{programs}  set(${{result}} "${{tier}}" PARENT_SCOPE)
endfunction()
"""


def expression(pattern: str) -> str:
    """The regular expression, in the words that Python and CMake share, of a pattern with `*` for any characters."""
    return ".*".join(re.sub(r"([][.+?^$()|\\])", r"\\\1", part) for part in pattern.split("*"))


def expressions(patterns: Sequence[str]) -> str:
    """Of whole names. A program stands for all tests in it, a file likewise, a test for all of its parameters."""
    if not patterns:
        return "^$"
    return "^(" + "|".join(expression(pattern) for pattern in patterns) + ")(:.*|\\[.*)?$"


@dataclass(frozen=True)
class Rule:
    tier: str
    ctest: list[str]
    pytest: list[str]


@dataclass(frozen=True)
class Build:
    """The tests of one kind of build: the first rule that names a test counts."""

    rest: str  # the tier of what no rule names; empty: it does not run
    rules: list[Rule]

    def tier(self, tool: str, name: str) -> str:
        named = (rule.tier for rule in self.rules if re.match(expressions(getattr(rule, tool)), name))
        return next(named, self.rest)

    def with_tests(self, tiers: Sequence[str]) -> list[str]:
        used = {self.rest, *(rule.tier for rule in self.rules)}
        return [tier for tier in tiers if tier in used]

    def programs(self) -> list[Rule]:
        """Of programs. Where the rest does not run, a program is built for the tests of it that do."""
        if self.rest:
            return self.rules
        cheapest = sorted(self.rules, key=lambda rule: TIERS.index(rule.tier))
        return [Rule(rule.tier, [name.partition(":")[0] for name in rule.ctest], []) for rule in cheapest]

    def cmake(self) -> str:
        def choice(rules: Sequence[Rule]) -> str:
            # The first rule is asked last: it has the last word.
            return "".join(
                f"  if(name MATCHES [[{expressions(rule.ctest)}]])\n    set(tier {rule.tier})\n  endif()\n"
                for rule in reversed(rules)
                if rule.ctest
            )

        names = " ".join(TIERS)
        return CMAKE.format(tiers=names, rest=self.rest, tests=choice(self.rules), programs=choice(self.programs()))


def load(file: Path = FILE) -> dict[str, Build]:
    """The builds by the name of their preset."""
    builds = {}
    for name, rules in yaml.safe_load(file.read_text()).items():
        for rule in rules:
            if rule["tier"] not in TIERS or not rule.keys() <= {"tier", "ctest", "pytest"}:
                raise ValueError(f"{file.name}: {name}: a rule has a tier ({', '.join(TIERS)}), ctest, pytest: {rule}")
        chosen = [Rule(rule["tier"], rule.get("ctest", []), rule.get("pytest", [])) for rule in rules]
        builds[name] = Build(TIERS[0] if name == RELEASE else "", chosen)
    return builds


if __name__ == "__main__":
    print(load()[sys.argv[1]].cmake())
