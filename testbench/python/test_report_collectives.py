# SPDX-License-Identifier: Apache-2.0
"""Collectives in the report: bandwidths against size, as nccl-tests define them, and what was predicted."""

from __future__ import annotations

from pathlib import Path

import pytest
from polycast_cli.reports.collectives import COLUMNS, bandwidth_chart, collectives_of, lines_of, time_chart
from polycast_cli.reports.report import write_report
from polycast_cli.results import Folder
from simulation import simulate

SCENARIO = """\
network: {topology: {kind: mesh, radix: 2}}
workload:
  - {name: ring, kind: collective, collective: allreduce, algorithm: ring, size: [64 B, 4 KiB]}
  - {name: auto, kind: collective, collective: allreduce, algorithm: auto, size: [64 B, 4 KiB]}
  - {name: barrier, kind: collective, collective: barrier, algorithm: dissemination}
"""


def test_collectives_against_size(tmp_path: Path) -> None:
    (tmp_path / "collectives.yaml").write_text(SCENARIO)
    simulate(tmp_path / "collectives.yaml", tmp_path / "out")
    results = Folder(tmp_path / "out").results()
    measured = collectives_of(results.points)
    rows = [dict(zip(COLUMNS, one.row(), strict=True)) for one in measured]
    assert [row["size"] for row in rows] == ["64 B", "4 KiB", "64 B", "4 KiB", "–"]
    for one, row in zip(measured[:4], rows, strict=False):
        seconds = one.what.cycles * 5e-9
        assert one.what.algbw == pytest.approx(one.what.size / seconds)
        assert one.what.busbw == pytest.approx(one.what.size / seconds * 2 * 3 / 4)
        assert row["busbw, GB/s"] == f"{one.what.busbw / 1e9:.3f}"
    assert rows[0]["predicted cycles"] == rows[0]["off by"] == "–"
    assert rows[2]["off by"].endswith(" %")
    assert rows[4]["busbw, GB/s"] == "–"  # a barrier moves nothing

    series = lines_of(measured)
    assert [*series] == ["allreduce, ring, mesh-2x2", "allreduce, auto, mesh-2x2"]
    assert time_chart(series).count("dashed") == 1
    assert bandwidth_chart(series).count('<path class="line') == 2
    page = write_report(tmp_path / "out").read_text()
    assert "Bus bandwidth of collectives" in page
    assert "busbw, GB/s" in page


def test_one_size_is_a_table_and_no_chart(tmp_path: Path) -> None:
    one = "workload=[{name: one, kind: collective, collective: allreduce, algorithm: ring, size: 64 B}]"
    (tmp_path / "collectives.yaml").write_text(SCENARIO)
    simulate(tmp_path / "collectives.yaml", tmp_path / "out", one)
    measured = collectives_of(Folder(tmp_path / "out").results().points)
    assert len(measured) == 1
    assert lines_of(measured) == {}
    page = write_report(tmp_path / "out").read_text()
    assert "<h2>Collectives</h2>" in page
    assert "Bus bandwidth of collectives" not in page
