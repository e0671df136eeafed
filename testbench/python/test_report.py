# SPDX-License-Identifier: Apache-2.0
"""The report: what it says, and that it needs nothing but itself."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli
from fixture_results import edit_links
from polycast_cli.common import ROOT, Failure, UserError
from polycast_cli.network import Nodes
from polycast_cli.reports import report
from polycast_cli.reports.charts import WIDTH, Series, bars, nice_ticks, percentile
from polycast_cli.reports.drawing import BUSY, Graph, Link, lay_out, layout
from polycast_cli.reports.load_map import load_map
from polycast_cli.reports.report import write_report
from polycast_cli.results import Folder
from polycast_cli.running import print_summary

Make = Callable[..., Path]

#: Elements without an end tag.
VOID = {"meta", "link", "br", "hr", "img", "input"}


class Page(HTMLParser):
    """Collects elements and text, and checks that what is opened is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] not in ("style", "script"):
            self.text += data

    def count(self, tag: str) -> int:
        return sum(name == tag for name, _ in self.elements)


def page(folder: Path) -> Page:
    return Page(write_report(folder).read_text())


def test_a_good_run(results_folder: Make) -> None:
    found = page(results_folder(networks=3, waves=True))
    assert "Passed" in found.text
    assert "Every one of the 90 deliveries arrived exactly once" in found.text
    # Bars, distribution, and one picture for each of six points.
    assert found.count("svg") == 2 + 6
    assert "irregular-1-tree.gtkw" in found.text
    assert "switch0..2 switch10" in found.text
    assert "connectivity: 0.8" in found.text
    assert "first_light.yaml --out 'results/first light'" in found.text


def test_a_large_network_has_a_map(results_folder: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every link is in one cell, whatever groups switches."""
    folder = results_folder(networks=1)
    drawn = page(folder).count("svg")
    monkeypatch.setattr(report, "MOST_NODES", 39)
    found = page(folder)
    assert found.count("svg") == drawn
    assert "Too large to be drawn (more than 39 nodes): means of its links instead" in found.text
    _, read = next(Folder(folder).links())
    links = list(read)
    network = Folder(folder).topology("irregular-1", Nodes)
    switches = network.switches
    for change in (
        lambda switch, index: {},
        lambda switch, index: {"level": index % 3},
        lambda switch, index: {"at": (index % 3, index // 3)},
    ):
        network.switches = [one.model_copy(update=change(one, index)) for index, one in enumerate(switches)]
        graph = Graph.of(network)
        svg, cells = load_map(graph, links, "map")
        sent = [link for link in links if not graph.places or link.source.startswith("switch")]
        assert sum(len(cell.loads) for cell in cells) == len(sent)
        assert sum(sum(cell.loads) for cell in cells) == pytest.approx(sum(link.utilisation for link in sent))
        assert svg.count("<rect") == len(cells)
        assert svg.count(f'"fill: var(--u{BUSY.step(cells[0].mean)})"') >= 1


def test_pictures_are_limited_and_the_report_says_so(results_folder: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = results_folder(networks=3)
    monkeypatch.setattr(report, "MOST_PICTURES", 2)
    assert "The first 2 of 6 runs; all are in tables/links.csv." in page(folder).text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "Invalid JSON"),
        ("[]", "should be"),
        ('{"switches": [], "hosts": []}', "links: Field required"),
        ('{"switches": [{"name": 3}], "hosts": [], "links": []}', "switches.0.name: Input should be a valid string"),
        (
            '{"switches": [], "hosts": [{"name": "h", "switch": "s"}], "links": []}',
            "a link leads to s, which is neither",
        ),
    ],
)
def test_a_damaged_topology(results_folder: Make, cli: Cli, text: str, said: str) -> None:
    folder = results_folder(networks=1)
    (file,) = (folder / "topology").iterdir()
    file.write_text(text)
    done = cli("report", folder)
    assert done.returncode == 2
    assert re.fullmatch(rf"error: \S*{file.name}: .*{re.escape(said)}.*\n", done.stderr)


def test_a_lost_delivery_is_on_top(results_folder: Make) -> None:
    found = page(results_folder(networks=2, lost=1))
    top = found.text[: found.text.index("Schemes side by side")]
    assert "Failed" in top
    assert "Passed" not in top
    assert "59 of 60 deliveries arrived; 1 missing" in top
    assert "switch3 input 4 waits for" in top


def test_it_needs_nothing_else(results_folder: Make) -> None:
    text = write_report(results_folder(networks=1)).read_text()
    assert not re.search(r"(src|href)\s*=\s*\"(?!waves/|tables/|#)", text)
    assert "url(" not in text
    assert "@import" not in text
    assert "http" not in text.replace('xmlns="http://www.w3.org/2000/svg"', "")


def test_it_can_be_read_aloud(results_folder: Make) -> None:
    found = page(results_folder(networks=2))
    svgs = [attributes for tag, attributes in found.elements if tag == "svg"]
    assert all(attributes.get("role") == "img" for attributes in svgs)
    names = [tag for tag, _ in found.elements]
    for index, tag in enumerate(names):
        if tag == "svg":
            assert names[index + 1 : index + 3] == ["title", "desc"]
    assert all("scope" in attributes for tag, attributes in found.elements if tag == "th")
    assert ("html", {"lang": "en"}) in found.elements


def test_each_half_of_a_link_shows_its_own_load(results_folder: Make) -> None:
    folder = results_folder(networks=1)
    busy: dict[str, Any] = {}

    def one_loaded(link: dict[str, Any]) -> None:
        link["utilisation"] = 0.0 if busy else 0.7
        busy.update({} if busy else link)

    edit_links(folder, one_loaded)
    first = write_report(folder).read_text().split('class="network"')[1]
    assert first.count('class="host source"') == 1
    loaded = re.findall(r'<path class="u6"[^>]*><title>([^<]*)</title>', first)
    assert len(loaded) == 1
    assert loaded[0].startswith(f"{busy['from']} → {busy['to']}: 70.00% busy")


def with_allgather(folder: Path, outcome: str = "complete") -> Path:
    """Makes the last workload an allgather of 1,234 cycles."""
    results = json.loads((folder / "results.json").read_text())
    for point in results["points"]:
        if point["workload"]["name"] == "unicasts":
            point |= {"cycles": 1234, "outcome": outcome}
            point["workload"] |= {"kind": "allgather", "algorithm": "tree"}
            steps = [{"step": name, "level": 0, "cycles": 100, "packets": 9, "hops": 18} for name in "BDEF"]
            xors = {"total": 0, "max": 0}
            point["allgather"] = {"group": 4, "packets": 240, "xors": xors, "decode_xors": 0, "steps": steps}
    (folder / "results.json").write_text(json.dumps(results))
    return folder


def test_allgathers_show_the_cycles_they_take(results_folder: Make) -> None:
    found = page(with_allgather(results_folder(networks=1)))
    schemes, rest = found.text.split("Schemes side by side")[1].split("Cycles to finish")
    finish = rest.split("Latency distribution")[0]
    assert "tree" in schemes
    assert "unicasts" not in schemes
    assert "Means in cycles to finish: unicasts 1,234." in finish
    assert "tree" not in finish
    assert ("table", {"class": "steps"}) in found.elements
    assert "B:\xa0100\xa0· D:\xa0100\xa0· E:\xa0100\xa0· F:\xa0100" in found.text


def test_an_allgather_that_does_not_end_has_no_time(results_folder: Make) -> None:
    text = page(with_allgather(results_folder(networks=1), "stuck")).text
    assert "Cycles to finish" not in text
    assert "unicasts" not in text.split("Schemes side by side")[1].split("Latency distribution")[0]


def test_the_summary_has_cycles_to_finish(results_folder: Make, capsys: pytest.CaptureFixture[str]) -> None:
    print_summary(Folder(results_folder("without", networks=1)).results())
    assert "to finish" not in capsys.readouterr().out
    print_summary(Folder(with_allgather(results_folder(networks=1))).results())
    lines = capsys.readouterr().out.splitlines()
    assert "cycles to finish" in lines[0]
    rows = {line.split()[0]: line.split() for line in lines[1:3]}
    assert rows["unicasts"][:5] == ["unicasts", "1", "–", "–", "1,234"]
    assert rows["tree"][4] == "–"


def test_names_cannot_break_the_page(results_folder: Make) -> None:
    folder = results_folder(networks=1)
    text = (folder / "results.json").read_text().replace("first-light", "<script>alert(1)</script>")
    (folder / "results.json").write_text(text)
    assert "<script>alert" not in write_report(folder).read_text()


def test_few_messages_are_dots_and_many_a_histogram(results_folder: Make) -> None:
    def distribution(folder: Path) -> str:
        return write_report(folder).read_text().split('class="chart"')[2].split("</svg>")[0]

    few, many = distribution(results_folder(networks=2)), distribution(results_folder("many", networks=1, messages=300))
    assert (few.count("<circle"), few.count("<rect")) == (4, 0)
    assert many.count("<circle") == 0
    counts = [int(count) for count in re.findall(r"<title>(\d+) from", many)]
    assert sum(counts) == 600


def test_without_topologies_and_tables(results_folder: Make) -> None:
    folder = results_folder(networks=1)
    for path in [*folder.glob("topology/*"), *folder.glob("tables/*"), folder / "run.json", folder / "scenario.yaml"]:
        path.unlink()
    found = page(folder)
    assert "Passed" in found.text
    assert "Load of the links" not in found.text


def test_saturation_is_said_where_latencies_are(results_folder: Make, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a network that does not keep up: its mean latency says only how long the run was."""
    folder = results_folder(networks=1)
    data = json.loads((folder / "results.json").read_text())
    for one in data["points"]:
        one["load"] = {"kept_up": one["workload"]["name"] != "tree", "created": 9, "completed": 9, "backlog_end": 1234}
        one["outcome"] = "saturated" if one["workload"]["name"] == "tree" else "complete"
    (folder / "results.json").write_text(json.dumps(data))
    print_summary(Folder(folder).results())
    printed = capsys.readouterr().out
    assert "passed: all" in printed
    said = r"^saturated: 1 of 2 runs \(\S+/tree\): .* latencies grow .*; 1,234 messages were left open"
    assert re.search(said, printed, re.MULTILINE)
    found = page(folder)
    assert re.search(r"^tree \(saturated\) +1 ", printed, re.MULTILINE)
    assert "Passed, saturated" in found.text
    assert found.text.count("tree (saturated)") == 5, "bars, their description and table, distribution, its table"
    assert "unicasts (saturated)" not in found.text
    assert "Saturated: 1 of 2 runs (" in found.text


def test_bad_folders_are_refused(results_folder: Make, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="not a results folder"):
        write_report(tmp_path)
    folder = results_folder(networks=1)
    (folder / "results.json").write_text('{"format": 1}')
    with pytest.raises(UserError, match="format"):
        write_report(folder)


def test_nothing_half_written(results_folder: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = results_folder(networks=1)
    before = sorted(path.name for path in folder.iterdir())

    def full(self: Path, text: str) -> None:
        self.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(Failure, match="No space left"):
        write_report(folder)
    assert sorted(path.name for path in folder.iterdir()) == before


def test_ticks_are_round_and_inside() -> None:
    assert nice_ticks(0, 19_800) == [0, 5_000, 10_000, 15_000]
    assert nice_ticks(0.12, 0.19) == pytest.approx([0.12, 0.14, 0.16, 0.18])
    assert len(nice_ticks(5, 5)) >= 1


def test_percentile() -> None:
    assert percentile([3, 1, 2], 0.5) == 2
    assert percentile(list(range(1, 101)), 0.99) == 99
    assert percentile([7], 0.5) == 7


def test_networks_are_laid_out_together_as_they_are_alone() -> None:
    """Graphviz is asked by each core for its share of them, and apart for those too large for the better engine."""

    def ring(name: str, switches: int) -> Graph:
        names = [f"switch{number}" for number in range(switches)]
        return Graph(name, names, [], [Link(a, 0, b, 1) for a, b in pairwise([*names, names[0]])])

    sizes = (5, 320, 9, 4, 6)
    together = [ring(f"ring{size}", size) for size in sizes]
    lay_out(together)
    assert [graph.positions for graph in together] == [layout(ring("alone", size)) for size in sizes]


def test_a_report_of_one_run_needs_no_statistics(results_folder: Make) -> None:
    """They take a second to import."""
    code = "import sys; from polycast_cli.main import main; main()"
    check = f"import atexit, sys; atexit.register(lambda: print('scipy' in sys.modules)); {code}"
    environment = os.environ | {"PYTHONPATH": str(ROOT / "scripts")}
    command = [sys.executable, "-c", check, "report", str(results_folder())]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split()[-1] == "False"


def test_numbers_behind_bars_are_inside_the_chart() -> None:
    for mean in (9.0, 557_781.8, 12_345_678.0):
        drawn = str(bars([Series("a", [mean], mean)], "cycles", "t"))
        found = re.search(r'<text class="value" x="([\d.]+)" y="\d+">([^<]+)<', drawn)
        assert found is not None
        # 13 pixels of DejaVu Sans: a digit is 8.3 wide.
        assert float(found[1]) + 8.3 * len(found[2]) <= WIDTH, found[2]
