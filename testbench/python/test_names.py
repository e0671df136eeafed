# SPDX-License-Identifier: Apache-2.0
"""Names that users choose, on the terminal, in pages and in pictures: whatever they hold, they stay text."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest
from polycast_cli import common
from polycast_cli.reports.drawing import Graph, network_svg
from polycast_cli.reports.page import environment
from polycast_cli.topology import switch_table

#: Markup of rich, an emoji's name, a colour, a title of the terminal, the end of a C string, text from right to left.
NAMES = ["[/x]", "[red]sw", ":bug:", "\x1b[31mred", "\x1b]0;owned\x07", "a\0b", "a\u202egnp.exe", "<b>&"]
SHOWN = ["[/x]", "[red]sw", ":bug:", "\\x1b[31mred", "\\x1b]0;owned\\x07", "a\\x00b", "a\\u202egnp.exe", "<b>&"]


def steering(text: str) -> list[str]:
    """What is no text."""
    return [char for char in text if char in "\u202e" or (ord(char) < 32 and char != "\n") or 127 <= ord(char) < 160]


def network() -> Graph:
    return Graph("\x1bnet", NAMES, [], [], levels=dict.fromkeys(NAMES, 1), rows=True)


def test_on_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    common.out.print(switch_table(network()))
    for name in NAMES:
        common.out.print(f"named {name}")
        common.say(name)
    printed = capsys.readouterr()
    assert not steering(printed.out + printed.err)
    for name in SHOWN:
        assert printed.out.count(name) == 2
        assert f"polycast: {name}\n" in printed.err


def test_in_pictures() -> None:
    """They are XML, which cannot hold controls, not even escaped ones."""
    drawn = ElementTree.fromstring(str(network_svg(network(), label=NAMES[5])))
    titles = [title.text or "" for title in drawn.iter("title")]
    assert titles[0] == "a\\x00b"
    assert [title.removesuffix(", level 1") for title in titles[1:]] == SHOWN


def test_in_pages() -> None:
    page = environment().from_string("{% for name in names %}{{ name }}\n{% endfor %}").render(names=NAMES)
    assert not steering(page)
    assert page.splitlines() == [*SHOWN[:-1], "&lt;b&gt;&amp;"]
