# SPDX-License-Identifier: Apache-2.0
"""Generates the C header, the SystemVerilog package and the page of the NI's registers from hw/ni/registers.rdl.

PeakRDL-cheader lays structures over the address space, with no addresses by name. Firmware reaches registers by
address, because a host build calls a function with it; so constants are written from the compiler's own object model.
"""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from jinja2 import Environment
from markupsafe import Markup
from systemrdl import RDLCompileError, RDLCompiler
from systemrdl.node import AddressableNode, AddrmapNode, FieldNode, MemNode, RegfileNode, RegNode, RootNode

from polycast_cli.common import UserError
from polycast_cli.generate.formats import camel
from polycast_cli.reports import page
from polycast_cli.reports.markup import escape

SOURCE = Path("hw/ni/registers.rdl")
HEADER = Path("hw/ni/abi/ni_registers.h")
PACKAGE = Path("rtl/common/polycast_ni_pkg.sv")
PAGE = Path("hw/ni/registers.html")
TEMPLATES = {HEADER: "ni_registers.h.j2", PACKAGE: "ni_registers.sv.j2", PAGE: "registers.html.j2"}

NOTE = f"Generated from {SOURCE} by `scripts/polycast generate`; do not edit."
#: The address maps of the source, and what the names of each begin with.
MAPS = {"ni_processor": "", "ni_host": "HOST_"}


@dataclass(frozen=True)
class Value:
    name: str
    code: int
    doc: str


@dataclass(frozen=True)
class Enum:
    name: str
    bits: int
    values: list[Value]


@dataclass(frozen=True)
class Field:
    name: str
    low: int
    bits: int
    access: str
    doc: str
    enum: Enum | None

    @property
    def high(self) -> int:
        return self.low + self.bits - 1

    @property
    def mask(self) -> int:
        return ((1 << self.bits) - 1) << self.low


@dataclass(frozen=True)
class Register:
    """`address` counts from the start of the block that holds it; `name` is the key of all constants about it."""

    name: str
    title: str
    address: int
    doc: str
    reset: int
    fields: list[Field]
    elements: int | None
    stride: int

    @property
    def access(self) -> str:
        return ", ".join(dict.fromkeys(part.access for part in self.fields))

    @property
    def masked(self) -> list[Field]:
        """The fields that need a shift and a mask: all but one that fills the register."""
        return [part for part in self.fields if part.bits < 32]


@dataclass(frozen=True)
class Memory:
    name: str
    title: str
    address: int
    size: int
    access: str
    doc: str


@dataclass(frozen=True)
class Block:
    """An address map or a part of one that is repeated; `elements` is None for the map itself."""

    name: str
    title: str
    doc: str
    address: int
    size: int
    elements: int | None
    stride: int
    registers: list[Register] = field(default_factory=list)
    memories: list[Memory] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)

    @property
    def registers_end(self) -> int:
        return max(item.address + item.stride * (item.elements or 1) for item in self.registers)

    def enums(self) -> Iterator[Enum]:
        for register in self.registers:
            yield from (part.enum for part in register.fields if part.enum)
        for block in self.blocks:
            yield from block.enums()


def access(readable: bool, writable: bool) -> str:
    return {(True, True): "read/write", (True, False): "read only", (False, True): "write only"}[readable, writable]


def field_access(node: FieldNode) -> str:
    text = access(node.is_sw_readable, node.is_sw_writable)
    if node.get_property("onread"):
        text += ", reading has an effect"
    onwrite = node.get_property("onwrite")
    if onwrite:
        text += {"woclr": ", ones clear"}.get(onwrite.name, f", {onwrite.name}")
    return text


def doc(node: AddressableNode | FieldNode) -> str:
    text = node.get_property("desc")
    if not text:
        raise UserError(f"{SOURCE}: {node.get_path()} has no description (desc)")
    return " ".join(text.split())


def one_field(node: FieldNode) -> Field:
    encoding = node.get_property("encode")
    enum = None
    if encoding is not None:
        name = encoding.type_name.removesuffix("_e")
        enum = Enum(name, node.width, [Value(item.name, item.value, item.rdl_desc or "") for item in encoding])
    return Field(node.inst_name, node.low, node.width, field_access(node), doc(node), enum)


def repeated(node: AddressableNode) -> tuple[int | None, int]:
    """Elements and distance of an array; without one, None and the size."""
    if not node.is_array:
        return None, node.size
    assert node.array_dimensions is not None and node.array_stride is not None
    if len(node.array_dimensions) != 1:
        raise UserError(f"{SOURCE}: {node.get_path()} has more than one dimension")
    return node.array_dimensions[0], node.array_stride


def one_register(node: RegNode, prefix: str) -> Register:
    fields = [one_field(part) for part in node.fields()]
    reset = sum(int(part.get_property("reset") or 0) << part.low for part in node.fields())
    name = prefix + node.inst_name.upper()
    elements, stride = repeated(node)
    return Register(name, node.inst_name, node.raw_address_offset, doc(node), reset, fields, elements, stride)


def one_block(node: AddrmapNode | RegfileNode, prefix: str) -> Block:
    elements, stride = repeated(node)
    # Only a map that stands alone has no name of its own in front of what it holds.
    alone = isinstance(node.parent, RootNode)
    title = node.get_property("name") if alone else node.inst_name
    block = Block(prefix.rstrip("_"), title, doc(node), node.raw_address_offset, node.size, elements, stride)
    for child in node.children(unroll=False):
        if isinstance(child, RegNode):
            block.registers.append(one_register(child, prefix))
        elif isinstance(child, MemNode):
            rights = access(child.is_sw_readable, child.is_sw_writable)
            name = prefix + child.inst_name.upper()
            item = Memory(name, child.inst_name, child.raw_address_offset, child.size, rights, doc(child))
            block.memories.append(item)
        elif isinstance(child, AddrmapNode | RegfileNode):
            block.blocks.append(one_block(child, f"{prefix}{child.inst_name.upper()}_"))
    return block


def load(source: Path) -> list[Block]:
    """The address maps of `source`. \\raises UserError when it is no valid SystemRDL; the compiler has said where."""
    try:
        compiler = RDLCompiler()
        compiler.compile_file(str(source))
        return [one_block(compiler.elaborate(name).top, prefix) for name, prefix in MAPS.items()]
    except RDLCompileError as error:
        raise UserError(f"{SOURCE}: {error}") from error


def comment(text: str, width: int = 116) -> list[str]:
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)


def marked(text: str) -> Markup:
    """`code` between backquotes, as in the descriptions."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def unique(text: str, pattern: str) -> None:
    """\\raises UserError when two things that `pattern` finds in the generated `text` have the same name."""
    twice = [name for name, count in Counter(re.findall(pattern, text, re.MULTILINE)).items() if count > 1]
    if twice:
        raise UserError(f"{SOURCE}: two constants would be called {', '.join(twice)}; rename one of them")


#: The package of the templates; the page of registers looks like reports.
PACKAGE_OF_TEMPLATES = "polycast_cli.generate"


def environment(path: Path) -> Environment:
    """For the generated file `path`: a page, or source code."""
    made = page.environment(PACKAGE_OF_TEMPLATES, path.suffix == ".html")
    made.filters |= {
        "camel": lambda text: camel(text.lower()),
        "comment": comment,
        "marked": marked,
        "hex8": lambda value: f"0x{value:08x}",
        "hex3": lambda value: f"0x{value:03x}",
        "sv": lambda value: f"32'h{value >> 16:04x}_{value & 0xFFFF:04x}",
    }
    return made


def render(root: Path) -> dict[Path, str]:
    """The text of every generated file."""
    maps = load(root / SOURCE)
    enums = list({enum.name: enum for block in maps for enum in block.enums()}.values())
    texts = {}
    for path, name in TEMPLATES.items():
        template = environment(path).get_template(name)
        texts[path] = template.render(maps=maps, enums=enums, note=NOTE, source=SOURCE)
    unique(texts[HEADER], r"^(?:#define|   ) (NI_\w+)")
    unique(texts[PACKAGE], r"^  localparam [^=]*?(\w+) =")
    return texts
