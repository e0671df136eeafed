# SPDX-License-Identifier: Apache-2.0
"""The page of costs in cells: its tables and pictures are those of the measurements."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from polycast_cli.common import ROOT, Failure
from polycast_cli.cost.measure import Cost, Task

sys.path.insert(0, str(ROOT / "testbench/formal"))
import cost_page


def test_the_page_says_what_was_measured() -> None:
    assert cost_page.stale(check=True) == []


def test_a_number_that_was_typed_in_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for path in (cost_page.PAGE, cost_page.DATA, *cost_page.FOLDER.glob("*.svg")):
        (tmp_path / path.name).write_text(path.read_text())
    for name, place in (("FOLDER", tmp_path), ("PAGE", tmp_path / "cost.md"), ("DATA", tmp_path / "measured.csv")):
        monkeypatch.setattr(cost_page, name, place)
    monkeypatch.setattr(cost_page, "ROOT", tmp_path)
    assert cost_page.stale(check=True) == []
    page = (tmp_path / "cost.md").read_text()
    row = re.search(r"^\| router \| ([\d.,]+) \|", page, re.MULTILINE)
    assert row
    (tmp_path / "cost.md").write_text(page.replace(row[0], row[0].replace(row[1], "1.0")))
    assert cost_page.stale(check=True) == ["cost.md"]
    assert cost_page.stale(check=False) == ["cost.md"]
    assert (tmp_path / "cost.md").read_text() == page
    # A measurement that was changed shows in the page and in its pictures.
    data = (tmp_path / "measured.csv").read_text()
    line = next(line for line in data.splitlines() if line.startswith("router,osu018,ports=3 vcs=1,"))
    cells = line.split(",")
    cells[4] = str(2 * float(cells[4]))
    (tmp_path / "measured.csv").write_text(data.replace(line, ",".join(cells)))
    assert sorted(cost_page.stale(check=True)) == ["cost.md", "router_vcs_area.svg"]
    (tmp_path / "measured.csv").write_text(data.replace(line + "\n", ""))
    with pytest.raises(Failure, match=r"measured\.csv has no router osu018 ports=3 vcs=1"):
        cost_page.stale(check=True)


#: Rows of the tables of sizes, which another program makes with generic gates, for designs of the page.
SIZES = {
    ("switch", "osu018", ""): ("switch", "| 8 | 8 |"),
    ("router", "osu018", "vcs=1"): ("router", "| 5 | 1 | 1 | 0 | 0 |"),
    ("router", "osu018", "copies=0 vcs=2"): ("router", "| 5 | 2 | 0 | 0 | 0 |"),
    ("router", "osu018", ""): ("router", "| 5 | 4 | 1 | 0 | 0 |"),
    ("vl_switch", "osu018", ""): ("vl_switch", "| 8 | 2 | 0 |"),
    ("coding", "osu018", ""): ("coding", "| 16 | 0 | 16 | 64 |"),
}


@pytest.mark.parametrize("design", SIZES)
def test_registers_and_memories_are_those_of_the_tables_of_sizes(design: tuple[str, str, str]) -> None:
    chip, row = SIZES[design]
    page = (ROOT / f"rtl/{chip}/README.md").read_text()
    found = re.search(re.escape(row) + r" [\d,]+ \| ([\d,]+) \| ([\d,]+) \|", page)
    assert found, row
    measured = cost_page.read_rows(cost_page.DATA.read_text())[design]
    assert [measured["flip_flops"], measured["memory_bits"]] == [text.replace(",", "") for text in found.groups()]


def test_a_design_that_came_out_otherwise_is_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = cost_page.read_rows(cost_page.DATA.read_text())
    asked = []

    def again(task: Task) -> Cost:
        asked.append(cost_page.key(task))
        return cost_page.known(task, rows)

    monkeypatch.setattr(cost_page, "measure", again)
    assert cost_page.differences(2) == []
    sizes = sorted(float(row["gates"]) for row in rows.values())
    assert [float(rows[place]["gates"]) for place in asked] == sizes[:2]
    assert cost_page.differences(0) == []
    assert len(asked) == 2 + len(rows)
    data = cost_page.DATA.read_text()
    line = next(line for line in data.splitlines() if line.startswith(",".join(asked[1])))
    (tmp_path / "measured.csv").write_text(data.replace(line, line.replace(f",{rows[asked[1]]['flip_flops']},", ",7,")))
    monkeypatch.setattr(cost_page, "DATA", tmp_path / "measured.csv")
    assert cost_page.differences(1) == []
    (wrong,) = cost_page.differences(2)
    assert wrong.startswith("not in measured.csv") and rows[asked[1]]["flip_flops"] in wrong
