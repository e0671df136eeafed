# SPDX-License-Identifier: Apache-2.0
"""The chart of many ranks in a browser: bands show shares that are known, and open into their ranks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fixture_browser import Browser, browser
from polycast_cli.reports import rank_gantt
from polycast_cli.reports.report import write_report
from selenium.webdriver.common.keys import Keys
from simulation import simulate

__all__ = ["browser"]

SCENARIO = """\
name: bands
seed: 1
network: {{topology: {{kind: torus, radix: {radix}, dimensions: 2}}}}
host: {{model: interface}}
workload:
  - {{name: p, kind: program, path: p.goal, machine: loggops}}
"""
#: What a click does at a place of the canvas, and the colour there: red, green, blue.
CLICK = """
const [canvas, x, y] = arguments, box = canvas.getBoundingClientRect();
canvas.setPointerCapture = () => {};
for (const type of ['pointerdown', 'pointerup'])
  canvas.dispatchEvent(new PointerEvent(type, {clientX: box.left + x, clientY: box.top + y, pointerId: 1}));
"""
COLOUR = """
const [canvas, x, y] = arguments, scale = canvas.width / canvas.clientWidth;
return [...canvas.getContext('2d').getImageData(x * scale, y * scale, 1, 1).data].slice(0, 3);
"""
#: Height of a row; where in it the stack of activities ends and its middle, above the strip of posted receives.
ROW, FOOT, MIDDLE = 18, 15, 8.5
#: Colours of pages in the light: --wash, --c0 (compute), --ink (what is open).
WASH, COMPUTE, INK = [0xF3, 0xF4, 0xF5], [0x2F, 0x6F, 0xAB], [0x1D, 0x21, 0x26]


def report_of(folder: Path, ranks: dict[int, str], count: int) -> Path:
    """Of a program whose other ranks do nothing; 5 ns are a cycle."""
    of = "".join(f"rank {rank} {{\n{ranks.get(rank, '')}}}\n" for rank in range(count))
    (folder / "p.goal").write_text(f"num_ranks {count}\n{of}")
    (folder / "p.yaml").write_text(SCENARIO.format(radix=32 if count > 64 else 8))
    simulate(folder / "p.yaml", folder / "out")
    return write_report(folder / "out")


class Chart:
    def __init__(self, browser: Browser, page: Path) -> None:
        self.browser = browser
        browser.complaints()
        browser.open(page)
        browser.until(lambda: "ranks" in self.range)
        (self.canvas,) = browser.visible(".ranks canvas")

    def said(self, output: str) -> str:
        return str(self.browser.visible(f".ranks output.{output}")[0].text)

    @property
    def range(self) -> str:
        return self.said("range")

    def x(self, share: float) -> float:
        """A place in the middle of the canvas by its share of the run, near enough."""
        wide: int = self.browser.script("return arguments[0].clientWidth", self.canvas)
        return 60 + share * (wide - 68)

    def click(self, share: float, y: float) -> None:
        self.browser.script(CLICK, self.canvas, self.x(share), y)

    def colour(self, share: float, y: float) -> Any:
        return self.browser.script(COLOUR, self.canvas, self.x(share), y)


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """64 ranks in 32 bands of two. Of ranks 2 and 3 one computes in the first half of the run; ranks 62 and 63 compute
    all the time, rank 62 on two processors."""
    both = "a: calc 200000 cpu 0\nb: calc 200000 cpu 1\n"
    ranks = {2: "a: calc 100000\n", 62: both, 63: "a: calc 200000\n"}
    return report_of(tmp_path_factory.mktemp("pairs"), ranks, 64)


def test_a_band_shows_the_share_of_its_ranks(browser: Browser, pairs: Path) -> None:
    with browser.screen():
        chart = Chart(browser, pairs)
        assert chart.range == "cycles 0 to 40,000, ranks 0 to 63, 2 in a row"
        for row, share, lower, upper in ((0, 0.25, WASH, WASH), (1, 0.25, COMPUTE, WASH), (1, 0.75, WASH, WASH)):
            assert chart.colour(share, row * ROW + MIDDLE + 3) == lower
            assert chart.colour(share, row * ROW + MIDDLE - 3) == upper
        for share in (0.25, 0.75):
            assert chart.colour(share, 31 * ROW + MIDDLE + 3) == COMPUTE
            assert chart.colour(share, 31 * ROW + MIDDLE - 3) == COMPUTE


@pytest.mark.parametrize(
    ("band", "ranks", "share"), [(0, "0 to 1", "0.0"), (1, "2 to 3", "25.0"), (31, "62 to 63", "100.0")]
)
def test_a_click_says_the_shares_of_a_band(browser: Browser, pairs: Path, band: int, ranks: str, share: str) -> None:
    with browser.screen():
        chart = Chart(browser, pairs)
        chart.click(0.5, (band + 0.5) * ROW)
        assert chart.said("opened").startswith(f"Ranks {ranks} in cycles 0 to 40,000: compute {share} %, send 0.0 %")
        assert browser.complaints() == []


def test_a_band_opens_into_ranks_and_a_rank_into_its_operation(browser: Browser, tmp_path: Path) -> None:
    page = report_of(tmp_path, {100: "a: calc 100000\n", 1023: "a: calc 200000\n"}, 1024)
    with browser.screen():
        chart = Chart(browser, page)
        assert chart.range == "cycles 0 to 40,000, ranks 0 to 1023, 32 in a row"
        assert chart.colour(0.25, 3 * ROW + FOOT - 0.5) == COMPUTE, "1 of 32 is a pixel high"
        chart.click(0.5, 3.5 * ROW)
        assert "Ranks 96 to 127 in cycles 0 to 40,000: compute 1.6 %" in chart.said("opened")
        assert chart.range == "cycles 0 to 40,000, ranks 96 to 127"
        chart.click(0.25, 4.6 * ROW)
        assert chart.said("opened") == (
            "rank 100 line 203 'a: calc 100000': cycles 0 to 20,000, 20,000 in all\nline 203: a: calc 100000"
        )
        # Back at all ranks it still shows, where it is.
        browser.script("arguments[0].focus()", chart.canvas)
        browser.press(Keys.ESCAPE)
        assert chart.range == "cycles 0 to 40,000, ranks 0 to 1023, 32 in a row"
        assert chart.colour(0.25, round(100 / 32 * ROW) + 0.5) == INK


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (1, "ranks 0 to 0"),
        (32, "ranks 0 to 31"),
        (33, "ranks 0 to 32, 2 in a row"),
        (1000, "ranks 0 to 999, 32 in a row"),
    ],
)
def test_any_number_of_ranks(browser: Browser, tmp_path: Path, count: int, said: str) -> None:
    chart = Chart(browser, report_of(tmp_path, {count - 1: "a: calc 5000\n"}, count))
    assert chart.range == f"cycles 0 to 1,000, {said}"


@pytest.mark.parametrize(("count", "first"), [(33, 32), (1000, 992)])
def test_the_last_band_may_have_fewer_ranks(browser: Browser, tmp_path: Path, count: int, first: int) -> None:
    chart = Chart(browser, report_of(tmp_path, {count - 1: "a: calc 5000\n"}, count))
    chart.click(0.5, 32 * ROW - 5)
    share = 100 / (count - first)
    assert chart.said("opened").startswith(
        f"Ranks {first} to {count - 1} in cycles 0 to 1,000: compute {share:.1f} %, send"
    )
    assert chart.range == f"cycles 0 to 1,000, ranks {count - 32} to {count - 1}"


def test_a_chart_that_is_too_large_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rank_gantt, "MOST_BYTES", 100)
    html = report_of(tmp_path, {0: "a: calc 5000\n"}, 1).read_text()
    assert 'class="ranks"' not in html
    assert "torus-8x8/p: no chart of ranks over time" in html
