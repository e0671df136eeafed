# SPDX-License-Identifier: Apache-2.0
"""`report A B`: what is matched, what is said of it, and with which exit status."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fixture_results import edit_links
from polycast_cli.common import UserError
from polycast_cli.main import main
from polycast_cli.reports.comparison import Comparison, Row, Verdict, compare, labelled, scenario_differences
from polycast_cli.reports.comparison_page import compare_runs

Make = Callable[..., Path]
Said = pytest.CaptureFixture[str]


def report(*arguments: object) -> object:
    """The command; returns its exit status."""
    with pytest.raises(SystemExit) as end:
        main(["report", *map(str, arguments)])
    return end.value.code or 0


def edited(folder: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """`change` gets each point of the run."""
    path = folder / "results.json"
    results = json.loads(path.read_text())
    for point in results["points"]:
        change(point)
    path.write_text(json.dumps(results))
    return folder


def slower(point: dict[str, Any]) -> None:
    if point["workload"]["name"] == "tree":
        point["latency"]["mean"] += 100


def compared(a: Path, b: Path) -> Comparison:
    return compare(*labelled([a, b]))


def row(found: Comparison, where: str, quantity: str) -> Row:
    (one,) = (one for one in found.rows if (one.where, one.quantity) == (where, quantity))
    return one


def test_the_same_run_twice(
    results_folder: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Said
) -> None:
    a, b = results_folder("a", networks=2), results_folder("b", networks=2)
    monkeypatch.chdir(tmp_path)
    assert report(a, b) == 0
    assert capsys.readouterr().out.splitlines() == ["b is the same as a to the last bit.", "b/comparison.html"]
    page = (b / "comparison.html").read_text()
    assert "The same" in page
    assert "The resolved scenarios are the same." in page


def test_one_value_of_each_is_exact(results_folder: Make) -> None:
    a, b = results_folder("a", networks=1), edited(results_folder("b", networks=1), slower)
    found = compared(a, b)
    latency = row(found, "irregular-1/tree", "latency")
    assert latency.verdict == Verdict.WORSE
    assert latency.p is None
    assert latency.b - latency.a == pytest.approx(100)
    assert row(found, "irregular-1/unicasts", "latency").verdict == Verdict.EQUAL
    assert found.rows[0] is latency, "what matters is on top"


def test_other_seeds_leave_one_value_open(results_folder: Make) -> None:
    a, b = results_folder("a", networks=1), edited(results_folder("b", networks=1), slower)
    (b / "scenario.yaml").write_text(
        (b / "scenario.yaml").read_text().replace("instances: 1, seed: 1", "instances: 1, seed: 2")
    )
    found = compared(a, b)
    assert row(found, "irregular-1/tree", "latency").verdict == Verdict.UNTESTED
    assert found.worse_by(0) == []


def test_the_same_messages_are_compared_one_by_one(results_folder: Make) -> None:
    a, b = results_folder("a", networks=1, messages=30), results_folder("b", networks=1, messages=30)
    table = b / "tables" / "latencies.csv"
    lines = table.read_text().splitlines()
    fields = [line.split(",") for line in lines[1:]]
    rows = [[*one[:-1], str(int(one[-1]) + 40 + int(one[2]) % 3)] if one[1] == "tree" else one for one in fields]
    table.write_text("\n".join([lines[0], *(",".join(one) for one in rows)]) + "\n")
    edited(b, lambda point: point["latency"].update(mean=point["latency"]["mean"] + 41))
    found = row(compared(a, b), "irregular-1/tree", "latency")
    assert found.change is not None and found.p is not None
    assert found.change.method == "same messages, paired t"
    assert found.change.value == pytest.approx(41)
    assert found.p < 1e-6
    assert found.verdict == Verdict.WORSE


def test_workloads_on_many_networks_are_tested_over_them(results_folder: Make) -> None:
    def a_little(point: dict[str, Any]) -> None:
        point["latency"]["mean"] += 20 + 3 * int(point["topology"]["name"].rsplit("-", 1)[1])

    found = compared(results_folder("a"), edited(results_folder("b"), a_little))
    over = row(found, "tree, 10 networks", "latency")
    assert over.verdict == Verdict.WORSE
    assert over.p is not None
    assert over.p < 0.001
    assert over.change is not None
    assert over.change.low < 36.5 < over.change.high


def loaded(mean: float, kept_up: bool = True) -> Callable[[dict[str, Any]], None]:
    def change(point: dict[str, Any]) -> None:
        means = [mean + (3 if index % 2 else -3) for index in range(20)]
        batches = [{"from": 100 * i, "to": 100 * i + 100, "created": 10, "finished": 10, "mean": one}
                   for i, one in enumerate(means)]  # fmt: skip
        point["load"] = {"kept_up": kept_up, "created": 200, "completed": 200, "batches": batches}
        point["latency"]["mean"] = mean

    return change


def test_batches_under_load(results_folder: Make) -> None:
    a, b = (edited(results_folder(name, networks=1), loaded(mean)) for name, mean in (("a", 4000), ("b", 4005)))
    found = row(compared(a, b), "irregular-1/tree", "latency")
    assert found.change is not None
    assert "batches" in found.change.method
    assert found.verdict == Verdict.WORSE
    full = edited(results_folder("full", networks=1), loaded(9000, kept_up=False))
    assert row(compared(a, full), "irregular-1/tree", "latency").verdict == Verdict.SATURATED


def test_rails_by_their_intervals(results_folder: Make) -> None:
    """Their batches hold messages by creation, and lack those that were under way at the end."""

    def railed(point: dict[str, Any], accepted: float = 0.2) -> None:
        loaded(4000)(point)
        point["latency"] |= {"mean": 5000 + 100 * accepted, "ci95": 40}
        messages = {"created": 10, "delivered": 9, "open": 1}
        point["rails"] = {
            "count": 2, "processes": 1, "offered": 0.2, "accepted": accepted, "accepted_ci95": 0.01, "saturated": False,
            "messages": messages, "stripes": 0, "refused": 0, "urgent": 0,
        }  # fmt: skip

    a = edited(results_folder("a", networks=1), railed)
    b = edited(results_folder("b", networks=1), lambda point: railed(point, 0.15))
    found = compared(a, b)
    latency, accepted = (row(found, "irregular-1/tree", name) for name in ("latency", "accepted"))
    assert (latency.verdict, accepted.verdict) == (Verdict.UNCLEAR, Verdict.WORSE)
    assert latency.change is not None
    assert latency.change.value == pytest.approx(latency.b - latency.a)
    assert accepted.change is not None
    assert accepted.change.method == "intervals"


def test_a_point_that_fails_now(results_folder: Make) -> None:
    a, b = results_folder("a", networks=2), results_folder("b", networks=2, lost=1)
    found = compared(a, b)
    assert found.rows[0].verdict == Verdict.FAILS
    assert compared(b, a).count(Verdict.MENDED) == 1
    assert report(a, b) == 0
    assert report(a, b, "--fail-on", "worse", "--threshold", "1000") == 1


def test_a_threshold_for_ci(results_folder: Make, tmp_path: Path, capsys: Said) -> None:
    a, b = results_folder("a", networks=1), edited(results_folder("b", networks=1), slower)
    percent = row(compared(a, b), "irregular-1/tree", "latency").percent
    assert percent is not None
    assert 2 < percent < 3
    assert report(a, b) == 0
    assert report(a, b, "--fail-on", "worse", "--threshold", "3") == 0
    capsys.readouterr()
    assert report(a, b, "--fail-on", "worse", "--threshold", "2", "-o", tmp_path / "page.html") == 1
    said = capsys.readouterr().out
    assert "1 worse by more than 2 %" in said
    assert "irregular-1/tree  latency, cycles" in said
    assert (tmp_path / "page.html").is_file()
    assert report(b, a, "--fail-on", "worse") == 0, "quicker is not worse"


def test_points_under_another_name(results_folder: Make) -> None:
    def renamed(point: dict[str, Any]) -> None:
        point["workload"]["name"] = "worm" if point["workload"]["name"] == "tree" else "unicasts"
        point["id"] = f"{point['topology']['name']}/{point['workload']['name']}"

    found = compared(results_folder("a", networks=1), edited(results_folder("b", networks=1), renamed))
    assert "irregular-1/tree → irregular-1/worm" in {one.where for one in found.rows}
    assert found.alone == ([], [])


def test_points_of_one_run_only_are_named(results_folder: Make, capsys: Said) -> None:
    assert report(results_folder("a", networks=2), results_folder("b", networks=1)) == 0
    assert "only in a: irregular-2/tree, irregular-2/unicasts" in capsys.readouterr().out


def test_three_runs(results_folder: Make) -> None:
    folders = [results_folder(name, networks=1) for name in ("first", "second", "third")]
    edited(folders[2], slower)
    compare_runs(folders, None, False, 0.0)
    page = (folders[2] / "comparison.html").read_text()
    assert "second is the same as first to the last bit." in page
    assert "third against first: of 6 numbers 1 worse, 5 equal." in page


def test_scenarios_side_by_side(results_folder: Make) -> None:
    a, b = results_folder("a", networks=1), results_folder("b", networks=1)
    text = (b / "scenario.yaml").read_text()
    (b / "scenario.yaml").write_text(text.replace("degree: 15", "degree: 7", 1) + "extra: 1\n")
    assert scenario_differences(labelled([a, b])) == [["workload.tree.degree", "15", "7"], ["extra", "–", "1"]]


def test_loads_of_links(results_folder: Make) -> None:
    a, b = results_folder("a", networks=1), results_folder("b", networks=1)
    seen: set[str] = set()

    def busier(link: dict[str, Any]) -> None:
        if link["point"] not in seen:
            seen.add(link["point"])
            link["utilisation"] += 0.5

    edit_links(b, busier)
    found = compared(a, b)
    (first, _) = found.links
    assert first.changed == 1
    assert first.b - first.a == pytest.approx(0.5)
    assert row(found, "irregular-1/tree", "busiest link").verdict == Verdict.CHANGED


def test_runs_whose_links_differ_are_not_the_same(results_folder: Make) -> None:
    """Even where all that results.json says of them is equal."""
    a, b = results_folder("a", networks=1), results_folder("b", networks=1)
    text = (b / "tables/links.csv").read_text().splitlines()
    idle = [row for row in text if ",0,0,0.0," in row]
    assert len(idle) > 1
    (b / "tables/links.csv").write_text("\n".join(text).replace(idle[0], idle[0].replace(",0,0,0.0,", ",1,0,0.0,")))
    assert not compared(a, b).same


@pytest.mark.parametrize("row", ["net/tree,switch0:1,switch1:0", "net/tree,switch0:1,switch1:0,many,1,0.5,0,0", "\n"])
def test_a_damaged_table_of_links(results_folder: Make, row: str) -> None:
    folder = results_folder(networks=1)
    with (folder / "tables" / "links.csv").open("a") as stream:
        stream.write(f"{row}\n")
    with pytest.raises(UserError, match=r"links\.csv:\d+: not a row of this table"):
        labelled([folder])


def test_bad_input(results_folder: Make, tmp_path: Path, capsys: Said) -> None:
    a, other = results_folder("a", networks=1), results_folder("other", networks=1)

    def elsewhere(point: dict[str, Any]) -> None:
        point["id"] = "torus/" + point["workload"]["name"]
        point["topology"]["name"] = "torus"

    edited(other, elsewhere)
    refused = {
        (a, tmp_path): "not a results folder",
        (a, other): "have no run in common (first: irregular-1/tree",
        (a, a): "the same folder twice",
    }
    for folders, words in refused.items():
        assert report(*folders) == 2
        said = capsys.readouterr().err
        assert words in said
        assert said.count("\n") == 1
    assert not (other / "comparison.html").exists()
    assert report(a, "--fail-on", "worse") == 2
    assert report(a, results_folder("b", networks=1), "--threshold", "-1") == 2
    with pytest.raises(UserError, match=r"scenario\.yaml"):
        (other / "scenario.yaml").write_text("a: [1")
        labelled([a, other])


def test_names_of_folders_tell_runs_apart(results_folder: Make, tmp_path: Path) -> None:
    for name in ("x", "y"):
        (tmp_path / name).mkdir()
    folders = [results_folder("x/run", networks=1), results_folder("y/run", networks=1)]
    assert [run.label for run in labelled(folders)] == ["x/run", "y/run"]
    assert [run.label for run in labelled([folders[0], results_folder("other", networks=1)])] == ["run", "other"]


def test_hostile_names_stay_text(results_folder: Make) -> None:
    a, b = results_folder("a", networks=1), edited(results_folder("b", networks=1), slower)
    for folder in (a, b):
        text = (folder / "results.json").read_text().replace("irregular-1/", "<script>alert(1)</script>/")
        (folder / "results.json").write_text(text)
    compare_runs([a, b], None, False, 0.0)
    assert "<script>alert" not in (b / "comparison.html").read_text()
