# SPDX-License-Identifier: Apache-2.0
"""What can be asked for: the chips of hw/format/chips.yaml and the modules that they are made of, with parameters."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from polycast_cli.common import ROOT, UserError
from polycast_cli.generate import chips
from polycast_cli.reading import proposal

RTL = ROOT / "rtl"
PREFIX = "polycast_"
#: Folders of the core file that are synthesizable.
FOLDERS = "common|switch|router|coding|broadcast|link|vl_switch"
#: A parameter of a module; derived ones are not to be set.
DECLARED = re.compile(
    r"((?:^ *///.*\n)*)^ *parameter +(int unsigned|bit)\s*(?:\[[^\]]*\])?\s+(\w+) *= *([^,/\n]+)", re.MULTILINE
)
#: What stands for no limit.
LARGEST = 1 << 24
#: More values of -s than this are a mistake.
MOST_DESIGNS = 1000

Values = dict[str, int]


@dataclass(frozen=True)
class Parameter:
    """`name` as the user writes it, `verilog` as the module does; no default where it follows from others."""

    name: str
    verilog: str
    doc: str
    least: int
    most: int
    default: int | None = None

    @property
    def limits(self) -> str:
        return f"{self.least} or more" if self.most == LARGEST else f"{self.least}..{self.most}"


@dataclass(frozen=True)
class Design:
    """A chip, or a block: one of the modules of which chips are made."""

    name: str
    module: str
    doc: str
    parameters: tuple[Parameter, ...]
    chip: chips.Chip | None = None

    def parameter(self, key: str) -> Parameter:
        """By either name. \\raises UserError where there is none"""
        for parameter in self.parameters:
            if key in (parameter.name, parameter.verilog):
                return parameter
        if not self.parameters:
            raise UserError(f"-s {key}: {self.name} has no parameters")
        raise UserError(f"-s {key}: {self.name} has no '{key}'{proposal(key, [each.name for each in self.parameters])}")

    def complete(self, values: Mapping[str, int]) -> Values:
        """All values, for the rules: `values` by names, the others by their defaults."""
        made = {each.name: each.default for each in self.parameters if each.default is not None} | dict(values)
        for each in self.parameters:  # those that are another one's unless they are set
            if each.name not in made and self.chip:
                declared = next(one for one in self.chip.parameters if one.name == each.name)
                other = next(one for one in self.parameters if one.verilog == declared.verilog_default)
                made[each.name] = made[other.name]
        return made

    def check(self, values: Mapping[str, int]) -> None:
        """\\raises UserError where a value is out of range, or two do not go together"""
        for name, value in values.items():
            parameter = self.parameter(name)
            if not parameter.least <= value <= parameter.most:
                raise UserError(f"-s {name}={value}: {self.name} takes {parameter.limits}: {parameter.doc}")
        rules = self.chip.entry.get("rules", ()) if self.chip else ()
        every = self.complete(values)
        for rule in rules:
            # Rules of the chip in a chip are about parameters that its RTL does not have.
            if re.search(r"\w\.\w", rule["holds"]):
                continue
            if not evaluate(rule["holds"], every):
                said = re.sub(r"\{([^}]*)\}", lambda found: str(evaluate(found[1], every)), rule["message"])
                raise UserError(f"-s: {self.name}: {said}")


def evaluate(expression: str, values: Mapping[str, int]) -> int:
    """An expression of chips.yaml, as C++ reads it."""
    text = expression.replace("&&", " and ").replace("||", " or ").replace("/", "//")
    text = re.sub(r"!(?!=)", " not ", text)
    return int(eval(text.strip(), {"__builtins__": {}, "power": pow}, dict(values)))


def listed() -> dict[str, Path]:
    """Module -> file, in the order of the FuseSoC core file, so that files come before those that need them."""
    text = (RTL / "polycast.core").read_text()
    names = re.findall(rf"^\s+- ((?:{FOLDERS})/\S+\.sv)$", text, re.MULTILINE)
    return {Path(name).stem: RTL / name for name in names}


def head(text: str, module: str) -> tuple[str, str]:
    """The first sentence above a module, and its parameters."""
    found = re.search(rf"((?:^///.*\n)*)^module {module}\b(.*?)^\) *(?:\(|;)", text, re.MULTILINE | re.DOTALL)
    if found is None:
        return "", ""
    return sentence(found[1]), found[2] if "#(" in found[2] else ""


def sentence(comment: str) -> str:
    words = " ".join(line.strip().removeprefix("///").strip() for line in comment.splitlines())
    return words.partition(". ")[0].rstrip(".")


def limits_of(doc: str, kind: str, default: int | None) -> tuple[int, int]:
    """Of a parameter of a block, as far as its comment says them; nothing is of no size unless that is the default."""
    if kind == "bit":
        return 0, 1
    if found := re.search(r"\((\d+)\.\.(\d+)\)", doc):
        return int(found[1]), int(found[2])
    least = re.search(r"(\d+) or more", doc)
    return int(least[1]) if least else 0 if not default else 1, LARGEST


def block_of(module: str, path: Path) -> Design | None:
    """None where the file is a package, or for simulation only."""
    text = path.read_text()
    if not re.search(rf"^module {module}\b", text, re.MULTILINE):
        return None
    doc, declared = head(text, module)
    parameters = []
    for comment, kind, name, default in DECLARED.findall(declared):
        said = " ".join(line.strip().removeprefix("///").strip() for line in comment.splitlines())
        if "derived" in said:
            continue
        number = re.fullmatch(r"(?:\d+'[bd])?(\d+)", default.strip())
        value = int(number[1]) if number else None
        parameters.append(Parameter(name, name, said, *limits_of(said, kind, value), value))
    return Design(module.removeprefix(PREFIX), module, doc, tuple(parameters))


def chip_of(chip: chips.Chip) -> Design:
    parameters = []
    for each in chip.parameters:
        follows = isinstance(each.verilog_default, str) and not each.verilog_default.isdigit()
        default = None if follows else int(each.verilog_default or each.default)
        parameters.append(
            Parameter(each.name, each.verilog, each.doc, each.least, each.verilog_most or each.most, default)
        )
    return Design(chip.name, chip.module, chip.entry["doc"], tuple(parameters), chip)


@cache
def designs() -> dict[str, Design]:
    """Chips first, then blocks; both by name."""
    _, known = chips.load(ROOT)
    made = {chip.name: chip_of(chip) for chip in known}
    tops = {design.module for design in made.values()}
    for module, path in listed().items():
        # A cable is two link ends for testbenches.
        if module not in tops | {f"{PREFIX}cable"} and (block := block_of(module, path)):
            made[block.name] = block
    return made


def design_of(name: str) -> Design:
    """By its name, or that of its module. \\raises UserError where there is none"""
    known = designs()
    wanted = name.removeprefix(PREFIX)
    found = known.get(wanted) or next((each for each in known.values() if each.module == name), None)
    if found:
        return found
    tops = [each.name for each in known.values() if each.chip]
    near = proposal(wanted, known)
    if "did you mean" not in near:
        near = f"; there are the chips {', '.join(tops)}, and blocks: cost --list"
    raise UserError(f"{name}: there is no such chip or block{near}")


def sources(design: Design) -> list[Path]:
    """The files of the module and of what it may be made of, packages first."""
    files = listed()
    needed: set[str] = set()
    todo = [design.module]
    while todo:
        module = todo.pop()
        if module in needed:
            continue
        needed.add(module)
        words = set(re.findall(rf"\b{PREFIX}\w+", re.sub(r"//.*", "", files[module].read_text())))
        todo += [word for word in words if word in files]
    return [path for module, path in files.items() if module in needed]


def values_of(key: str, text: str) -> list[int]:
    """As in scenarios: 4, 0x10, true, [2, 4, 8], 2..5; lists need no brackets. \\raises UserError"""
    words = {"true": 1, "false": 0, "yes": 1, "no": 0}
    made: list[int] = []
    for word in re.sub(r"^\[(.*)\]$", r"\1", text.strip()).split(","):
        word = word.strip()
        limits = re.fullmatch(r"(\d+)\.\.(\d+)", word)
        try:
            if limits:
                first, last = int(limits[1]), int(limits[2])
                if not first <= last < first + MOST_DESIGNS:
                    raise ValueError
                made += range(first, last + 1)
            else:
                made.append(words[word] if word in words else int(word, 0))
        except ValueError:
            raise UserError(f"-s {key}={text}: '{word}' is no whole number, list or range such as 2..5") from None
    return list(dict.fromkeys(made))


def split(settings: Sequence[str]) -> list[tuple[str, list[int]]]:
    """-s KEY=VALUES. \\raises UserError"""
    made: dict[str, list[int]] = {}
    for setting in settings:
        key, equals, text = setting.partition("=")
        if not equals:
            raise UserError(f"-s {setting}: expected KEY=VALUE, for instance -s ports=8")
        made[key.strip()] = values_of(key.strip(), text)
    return list(made.items())


def grid(design: Design, settings: Sequence[tuple[str, list[int]]], others: Sequence[Design] = ()) -> list[Values]:
    """All combinations of the values, checked, without those that are equal. A key `router.ports` is for this design
    alone. \\raises UserError where the design has no such parameter or a combination cannot be"""
    axes: dict[str, list[int]] = {}
    for key, values in settings:
        owner, dot, name = key.rpartition(".")
        if dot and owner != design.name:
            if owner not in {other.name for other in others}:
                raise UserError(f"-s {key}: {owner} is not asked for{proposal(owner, [design.name])}")
            continue
        try:
            axes[design.parameter(name).name] = values
        except UserError as error:
            able = [
                other for other in others if name in {word for p in other.parameters for word in (p.name, p.verilog)}
            ]
            hint = f"; for {able[0].name} alone write -s {able[0].name}.{name}=..." if able else ""
            raise UserError(f"{error}{hint}") from None
    made = [dict(zip(axes, chosen, strict=True)) for chosen in itertools.product(*axes.values())]
    if len(made) > MOST_DESIGNS:
        raise UserError(f"{len(made):,} designs are more than {MOST_DESIGNS:,}: give fewer values")
    for values in made:
        design.check(values)
    return made
