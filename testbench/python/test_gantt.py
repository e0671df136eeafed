# SPDX-License-Identifier: Apache-2.0
"""The chart of who did what when: bars are where the table says, sums are right, names are harmless."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from polycast_cli.reports import gantt
from polycast_cli.reports.report import write_report
from polycast_cli.results import Folder

Make = Callable[..., Path]

HEAD = "point,host,resource,use,begin,end,source,message,offset\n"


def with_activity(folder: Path, rows: str, functions: str = "") -> Folder:
    (folder / "tables" / "activity.csv").write_text(HEAD + rows)
    if functions:
        (folder / "tables" / "functions.csv").write_text("point,host,function,depth,begin,end\n" + functions)
    return Folder(folder)


def bars_of(chart: gantt.Chart) -> list[tuple[float, float, str]]:
    """x, width and title of every bar."""
    found = re.findall(r'<rect class="[^"]*" x="([\d.]+)" y="[\d.]+" width="([\d.]+)"[^>]*><title>([^<]*)', chart.svg)
    return [(float(x), float(width), title) for x, width, title in found]


def test_bars_are_to_scale(results_folder: Make) -> None:
    rows = (
        "a/ni,host0,host_processor,send,0,100,host0,3,0\n"
        "a/ni,host0,link_out,packet,100,300,host0,3,0\n"
        "a/ni,host1,ni_processor,receive,300,400,host0,3,0\n"
    )
    (chart,), _ = gantt.charts(with_activity(results_folder(), rows))
    send, packet, receive = bars_of(chart)
    scale = packet[1] / 200
    assert abs(send[1] - 100 * scale) < 0.2
    assert abs(packet[0] - send[0] - 100 * scale) < 0.2
    assert abs(receive[0] - send[0] - 300 * scale) < 0.2
    assert send[2] == "host0, host: send, cycles 0 to 100; message 3 of host0, byte 0"
    assert chart.sums == [("host0", {"host_processor": 100, "link_out": 200}), ("host1", {"ni_processor": 100})]
    assert (chart.hosts, chart.end, chart.left_out) == (2, 400, 0)


def test_bars_closer_than_a_pixel_become_one(results_folder: Make) -> None:
    rows = "".join(f"a/ni,host0,bus,to_host,{begin},{begin + 2},,,\n" for begin in range(0, 9000, 3))
    (chart,), _ = gantt.charts(with_activity(results_folder(), rows + "a/ni,host0,bus,to_host,100000,100001,,,\n"))
    assert len(bars_of(chart)) == 2


def test_functions_have_a_row_of_their_own(results_folder: Make) -> None:
    rows = "a/ni,host0,ni_processor,send,0,90,host0,0,0\n"
    (chart,), _ = gantt.charts(
        with_activity(results_folder(), rows, "a/ni,host0,forward<b>,1,10,60\na/ni,host0,main,0,0,90\n")
    )
    titles = [title for _, _, title in bars_of(chart)]
    assert any("firmware: forward&lt;b&gt;, cycles 10 to 60" in title for title in titles)
    assert chart.sums == [("host0", {"ni_processor": 90, "functions": 90})]


def test_the_report_shows_it_and_does_without(results_folder: Make) -> None:
    plain = results_folder()
    assert "Activity over time" not in write_report(plain).read_text()
    with_activity(plain, "a/ni,host0,bus,from_host,5,7,host0,0,0\n")
    html = write_report(plain).read_text()
    assert "Activity over time" in html
    assert 'aria-label="a/ni: 1 host, 7 cycles"' in html


def test_the_report_limits_charts_and_says_so(results_folder: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gantt, "MOST_CHARTS", 2)
    rows = "".join(f"{point},host0,bus,from_host,5,7,host0,0,0\n" for point in ("a/ni", "b/ni", "c/ni"))
    html = write_report(with_activity(results_folder(), rows).path).read_text()
    assert html.count('class="gantt"') == 2
    assert "The first 2 of 3 runs; all are in tables/activity.csv." in html
