# SPDX-License-Identifier: Apache-2.0
"""`import polycast`: runs, sweeps, networks, tables, pictures, errors, the notebook; in a checkout and as installed."""

from __future__ import annotations

import ast
import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from enum import Enum, IntEnum
from itertools import chain
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import nbformat
import networkx
import numpy as np
import polycast
import pytest
from nbclient import NotebookClient
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from polycast.pictures import Picture
from polycast_cli.common import ROOT
from polycast_cli.generate import schemas
from polycast_cli.network import Network
from polycast_cli.reports.drawing import Graph, circle_layout
from polycast_cli.results import Folder

FIRST_LIGHT = ROOT / "testbench/scenarios/first_light.yaml"
SMALL = {
    "name": "small",
    "network": {"topology": {"kind": "irregular", "switches": 4, "ports": 8, "hosts": 8, "instances": 2}},
    "workload": [{"name": "tree", "kind": "multicast", "scheme": "tree", "degree": 3}],
}
UNICAST = {"name": "one", "kind": "unicast"}
ENDLESS = SMALL | {"workload": [UNICAST | {"rate": 0.01}], "measurement": {"window": "1000000000 cycle"}}
SELF: dict[str, object] = {"name": "self"}
SELF["network"] = SELF


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_run_of_a_file_is_the_commands(tmp_path: Path, cli: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    results = polycast.run(FIRST_LIGHT, out="ours", seed=3, network__topology__instances=2)
    assert cli("run", FIRST_LIGHT, "-s", "seed=3", "-s", "network.topology.instances=2", "-o", "theirs").returncode == 0
    assert (tmp_path / "ours/results.json").read_bytes() == (tmp_path / "theirs/results.json").read_bytes()
    assert results.passed and [row.workload for row in results.summary] == ["tree", "unicasts"]
    assert results.folder == Path("ours").resolve() and results.provenance.version == polycast.__version__
    assert polycast.Results.read("theirs").points == results.points
    assert "passed, 60 of 60 deliveries" in repr(results)


def test_tables_are_those_of_the_folder() -> None:
    results = polycast.run(SMALL, out="small")
    assert {"points", "latencies", "links"} <= set(results.tables)
    for name in results.tables:
        lines = (results.folder / "tables" / f"{name}.csv").read_text().splitlines()
        assert results.to_arrow(name).column_names == lines[0].split(",")
        assert len(results.to_pandas(name)) == len(lines) - 1
    points = results.to_pandas()
    assert list(points.latency_mean) == [point.latency.mean for point in results.points]
    assert points.passed.dtype == bool
    with pytest.raises(polycast.InputError, match=r"there is no table 'point'.*latencies"):
        results.to_arrow("point")


def test_a_scenario_as_a_dictionary_stays_as_a_file() -> None:
    results = polycast.run(SMALL, out="a/small")
    [file] = Path("a/polycast-inputs").glob("*/small.yaml")
    assert polycast.run(file, out="b").points == results.points
    polycast.run(SMALL, out="a/again", seed=2)
    assert list(Path("a/polycast-inputs").glob("*/*")) == [file]  # equal ones are one file
    for bad in ({"seed": -1}, {"sed": 1}):
        with pytest.raises(polycast.InputError):
            polycast.run(SMALL | bad, out="refused/r")
    assert not list(Path("refused").iterdir())


def test_paths_in_a_dictionary_start_here() -> None:
    Path("net.txt").write_text("left right\nright far\n")
    scenario = SMALL | {"network": {"topology": {"kind": "file", "path": "net.txt"}}, "workload": [UNICAST]}
    assert polycast.run(scenario, out="o/a").points[0].topology.hosts == 3
    scenario["network"] = {"topology": {"kind": "file", "path": Path("net.txt")}}
    assert len(polycast.topology(scenario).hosts) == 3
    swept = polycast.sweep(scenario, {"network.topology.path": ["net.txt"], "seed": [1, 2]}, out="o/s")
    assert swept.passed and len(swept) == 2


def test_values_of_many_types_are_those_of_yaml() -> None:
    class Fidelity(str, Enum):  # noqa: UP042
        CORE = "core"

    class Seeds(IntEnum):
        FOUR = 4

    same = polycast.run(SMALL, seed=4).points
    for seed in (np.int64(4), np.float64(4), Seeds.FOUR):
        assert polycast.run(SMALL | {"seed": seed}, network__fidelity=Fidelity.CORE, name=np.str_("q")).points == same
    destinations = {"workload.tree.destinations": np.array(["host1", "host3"])}
    assert polycast.run(SMALL, **destinations).points[0].check.expected == 2


def test_runs_at_once_have_folders_of_their_own() -> None:
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda seed: polycast.run(SMALL, seed=seed), range(4)))
    assert len({results.folder for results in found}) == 4
    for results in found:
        assert polycast.Results.read(results.folder) == results


def test_results_outlive_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results = polycast.run(SMALL, out="small")
    monkeypatch.chdir("/")
    assert len(results.to_pandas()) == 2
    shutil.rmtree(tmp_path / "small")
    with pytest.raises(polycast.InputError, match="is no longer there"):
        results.to_pandas()
    loose = polycast.Results.model_validate(results.model_dump(by_alias=True))
    assert "deliveries" in str(loose)
    with pytest.raises(polycast.InputError, match="of no folder"):
        loose.to_arrow()


def test_an_interrupt_for_python_alone_ends_the_run(site: Path, tmp_path: Path) -> None:
    code = f"""
import os, signal, threading, polycast
threading.Timer(2, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    polycast.run({ENDLESS!r}, out="big")
except polycast.Interrupted as error:
    print(error)
"""
    done = installed(site, tmp_path, "-c", code)
    assert (done.returncode, done.stdout, done.stderr) == (0, "interrupted; nothing was written\n", "")
    assert [path.name for path in tmp_path.iterdir() if not path.name.startswith(".")] == []


@pytest.mark.parametrize(
    ("graph", "switches", "hosts", "cables"),
    [
        (networkx.petersen_graph(), 10, 10, 15),
        (networkx.grid_2d_graph(2, 3), 6, 6, 7),
        (networkx.MultiGraph([("a", "b"), ("a", "b")]), 2, 2, 2),
        (networkx.MultiDiGraph([("a", "b", {"source_port": 5, "target_port": 2})]), 2, 2, 1),
        (networkx.Graph([("a", "b", {"ports": {"a": 5, "b": 2}})], name="two"), 2, 2, 1),
    ],
)
def test_graphs_are_networks(graph: networkx.Graph, switches: int, hosts: int, cables: int) -> None:
    network = polycast.topology(graph)
    assert (len(network.switches), len(network.hosts), len(network.links)) == (switches, hosts, cables)
    back = network.to_networkx()
    core = networkx.Graph(back.subgraph(switch.name for switch in network.switches))
    assert networkx.is_isomorphic(core, networkx.Graph(graph))
    assert {kind for _, kind in back.nodes(data="kind")} == {"switch", "host"}
    assert networkx.is_connected(back)
    again = polycast.topology(back)
    assert (again.links, again.hosts) == (network.links, network.hosts)
    assert network.name == graph.graph.get("name", "graph")
    scenario = SMALL | {"network": {"topology": graph}, "workload": [UNICAST]}
    results = polycast.run(scenario)
    assert results.passed and results.points[0].topology.hosts == hosts
    assert (
        polycast.run(FIRST_LIGHT, network__topology=graph, **{"workload.*.degree": 1}).points[0].topology.hosts == hosts
    )


def test_ports_and_hosts_of_graphs_are_kept() -> None:
    graph = networkx.MultiDiGraph([("a", "b", {"source_port": 5, "target_port": 2})])
    graph.add_node("mine", kind="host")
    graph.add_node("yours", type="host")
    graph.add_edge("mine", "a", target_port=1)
    graph.add_edge("b", "yours", source_port=7)
    network = polycast.topology(graph)
    [cable] = network.links
    assert {(cable.a, cable.a_port), (cable.b, cable.b_port)} == {("a", 5), ("b", 2)}
    assert [(host.name, host.switch, host.port) for host in network.hosts] == [("mine", "a", 1), ("yours", "b", 7)]
    graph = networkx.Graph([("a", "b")], hosts=3)
    assert len(polycast.topology(graph).hosts) == 6


@pytest.mark.parametrize(
    ("graph", "said"),
    [
        (networkx.Graph(), "has no edges"),
        (networkx.Graph([(1, "1")]), "same name"),
        (networkx.Graph([("a", "b", {"source_port": 1})]), "need a directed graph"),
        (networkx.path_graph(3).to_directed(), "an edge in each direction"),
        (networkx.Graph([(1, 1), (1, 2)]), "'1' has an edge to itself"),
        (networkx.Graph([(1, 2)], hosts={"a": 1}), "cannot be written"),
    ],
)
def test_graphs_that_are_no_networks(graph: networkx.Graph, said: str) -> None:
    with pytest.raises(polycast.InputError, match=said):
        polycast.topology(graph)


def test_networks_of_files_scenarios_and_generators() -> None:
    Path("net.txt").write_text("left right\nright far\n")
    assert len(polycast.topology("net.txt").links) == 2
    first, second = (polycast.topology(FIRST_LIGHT, instance=number) for number in (1, 2))
    assert len(first.hosts) == 32 and first != second
    assert polycast.run(FIRST_LIGHT).network("irregular-2").links == second.links
    assert polycast.topology(SMALL, network__topology__hosts=16).hosts[15].name == "host15"
    assert len(polycast.topology(generate="folded_clos", ports=8, levels=2).switches) == 12


def test_a_sweep_is_one_table() -> None:
    swept = polycast.sweep(SMALL, {"seed": range(1, 3), "workload__tree__degree": [2, 3, 5]}, out="swept")
    frame = swept.to_pandas()
    assert swept.passed and len(swept) == 6 and len(frame) == 12
    assert sorted(set(frame.workload_tree_degree)) == [2, 3, 5] and sorted(set(frame.seed)) == [1, 2]
    name = next(iter(swept))
    assert swept[name].points == polycast.run(SMALL, seed=1, **{"workload.tree.degree": 2}).points
    assert swept.report.is_file() and "--c0" in swept.picture().svg and "<img" in swept._repr_html_()
    assert polycast.SweepResults.read("swept") == swept and dict(swept)[name] == swept[name]
    with pytest.raises(KeyError):
        swept["none"]
    begun = {file: file.stat().st_mtime_ns for file in Path("swept/runs").glob("*/results.json")}
    again = polycast.sweep(SMALL, {"seed": [1, 2], "workload.tree.degree": [2, 3, 5]}, out="swept")
    assert again.to_arrow().equals(swept.to_arrow())
    assert begun == {file: file.stat().st_mtime_ns for file in Path("swept/runs").glob("*/results.json")}


def test_a_sweep_over_graphs_and_its_failures() -> None:
    graphs = [networkx.path_graph(2), networkx.path_graph(3)]
    swept = polycast.sweep(SMALL | {"workload": [UNICAST]}, {"network.topology": graphs}, out="graphs", waves=True)
    assert [results.points[0].topology.hosts for results in swept.values()] == [2, 3]
    assert all(list((results.folder / "waves").glob("*.fst")) for results in swept.values())
    swept = polycast.sweep(SMALL, {"workload.tree.degree": [3, 700]}, out="failed")
    assert list(swept.failed) == ["degree=700"] and "700" in swept.failed["degree=700"]
    with pytest.raises(polycast.InputError, match=r"'degree=700' has no results: .*700"):
        swept["degree=700"]


def test_analyses_are_dictionaries() -> None:
    found = polycast.analyse("kbinomial", nodes=32, packets=4)
    assert found["best_k"] == [2] and found["steps"]["2"] == 12
    where = {"source": "host0", "destinations": np.array(["host3", "host5"])}
    plan = polycast.analyse("plan", FIRST_LIGHT, **where)
    assert polycast.analyse("plan", polycast.example(), **where) == plan
    assert polycast.analyse("plan", SMALL, **where) != plan
    assert polycast.analyse("plan", networkx.complete_graph(8), source="0", destinations=["1", "2"])


BAD = [
    (lambda: polycast.run("none.yaml"), "none.yaml: there is no such file"),
    (lambda: polycast.run(FIRST_LIGHT, sed=3), "^unknown key|^sed=3: unknown key 'sed'; did you mean 'seed'"),
    (
        lambda: polycast.run(SMALL | {"wrkload": 1}),
        r"-inputs/\w+/small.yaml:\d+:\d+: .*did you mean 'workload'",
    ),
    (lambda: polycast.run(FIRST_LIGHT, seed=[1, 2]), r"'seed' is swept: .*polycast\.sweep\(\) runs all"),
    (lambda: polycast.run(FIRST_LIGHT, seed=object()), "type object is no value"),
    (lambda: polycast.run(FIRST_LIGHT, seed=b"1"), "type bytes is no value"),
    (lambda: polycast.run(FIRST_LIGHT, **{"network.fidelity": "rtl", "network__fidelity": "tlm"}), "given twice"),
    (lambda: polycast.run(None), "is a path, not None"),  # type: ignore[arg-type]
    (lambda: polycast.run("a" * 3000), "there is no such file"),
    (lambda: polycast.run(networkx.path_graph(2)), "a graph is no scenario"),  # type: ignore[arg-type]
    (lambda: polycast.run(SMALL | {"name": "a\0b"}), "'name'"),
    (lambda: polycast.run(SMALL | {"name": "\ud800"}), "no file can hold"),
    (lambda: polycast.run(SMALL, jobs=0), "jobs=0: a whole number"),
    (lambda: polycast.run(SMALL, packets=100), "packets=100"),  # type: ignore[arg-type]
    (lambda: polycast.run(SMALL, out="polycast-inputs"), "choose another name"),
    (lambda: polycast.run(SMALL, out="/proc/x/y"), "/proc/x"),
    (lambda: polycast.run(SMALL, network=networkx.path_graph(2)), "one stands for network.topology only"),
    (lambda: polycast.run(SELF), "in themselves"),
    (lambda: polycast.sweep(FIRST_LIGHT), "nothing is swept"),
    (lambda: polycast.sweep(FIRST_LIGHT, ["seed"]), "axes are a dictionary"),  # type: ignore[arg-type]
    (lambda: polycast.sweep(FIRST_LIGHT, {"seed": 3}), "'seed' is swept over a list"),  # type: ignore[dict-item]
    (lambda: polycast.sweep(FIRST_LIGHT, {"seed": {1, 2}}), "which have an order"),
    (lambda: polycast.sweep(FIRST_LIGHT, {"seed": []}), "'seed' is swept over no value"),
    (lambda: polycast.sweep(FIRST_LIGHT, {"seed": [1]}, jobs=-1), "jobs=-1: a whole number"),
    (lambda: polycast.sweep(FIRST_LIGHT, {"seed": [1, 2]}, out="/"), "holds something else"),
    (lambda: polycast.analyse("kbinomal"), "there is no analysis 'kbinomal'; did you mean 'kbinomial'"),
    (lambda: polycast.analyse("kbinomial", help=True), "has printed no results"),
    (lambda: polycast.topology(), "takes a source"),
    (lambda: polycast.topology(networkx.path_graph(2), hosts=3), "a graph has no keys to set: hosts"),
    (lambda: polycast.topology(generate="folded_clos", ports=8, levels=2, instance=2), "a generated network is one"),
    (lambda: polycast.topology(SMALL | {"seed": -1}), r"^the scenario:\d+:\d+: 'seed' must be"),
    (lambda: polycast.topology(SMALL, instance=None), "instance=None: a whole number from 1 to 4096$"),  # type: ignore[arg-type]
    (lambda: polycast.example("first"), "there is no example 'first'; there are .*first_light"),
    (lambda: polycast.Results.read("."), "not a results folder"),
    (lambda: polycast.Results.read(3), "is a path, not 3"),  # type: ignore[arg-type]
    (lambda: polycast.SweepResults.read("."), "not the folder of a sweep"),
]


@pytest.mark.parametrize(("call", "said"), BAD, ids=range(len(BAD)))
def test_bad_input_is_one_error(call: Callable[[], object], said: str) -> None:
    with pytest.raises(polycast.InputError, match=said) as refused:
        call()
    assert "polycast-sim" not in str(refused.value) and "scripts/polycast" not in str(refused.value)
    assert (refused.type.__module__, refused.type.__name__) == ("polycast", "InputError")
    assert not [path for path in Path().rglob("*") if path.name != "results"], "something was left behind"


def test_what_fails_its_checks_is_no_error() -> None:
    bad = SMALL | {"workload": [SMALL["workload"][0] | {"expect": {"latency": "1 cycle"}}]}  # type: ignore[index]
    results = polycast.run(bad)
    assert not results.passed and "expectation" in results.wrong
    assert "Failed" in results._repr_html_()


def test_pictures_stand_alone(tmp_path: Path) -> None:
    results = polycast.run(SMALL)
    for picture in (results.picture(), results.picture("latency"), results.network().picture()):
        assert isinstance(picture, Picture)
        root = ElementTree.fromstring(picture.save(tmp_path / "p.svg").read_text())
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert "--c0" in picture.svg and "data:image/svg+xml;base64," in picture._repr_html_()
    with pytest.raises(polycast.InputError, match=r"written as \.svg"):
        results.picture().save("p.png")
    with pytest.raises(polycast.InputError, match="there is no picture 'loads'; there are load, latency, finish"):
        results.picture("loads")


def test_names_are_text_in_notebooks() -> None:
    results = polycast.run(SMALL)
    shown = results.model_copy(update={"summary": [results.summary[0].model_copy(update={"workload": "<b>&"})]})
    shown._folder = results._folder
    assert "&lt;b&gt;&amp;" in shown._repr_html_()


def test_without_graphviz_nodes_are_in_circles() -> None:
    network = polycast.topology(FIRST_LIGHT)
    graph = Graph.of(Network.model_validate(network.model_dump()))
    places = circle_layout(graph)
    assert set(places) == {*graph.switches, *graph.hosts} and len(set(places.values())) == len(places)
    assert min(min(place) for place in places.values()) >= 0


def test_published_schemas_describe_results() -> None:
    results = polycast.run(FIRST_LIGHT, jobs=1)
    for name, schema in (("results.json", "results.schema.json"), ("run.json", "run.schema.json")):
        rules = json.loads((ROOT / schemas.FOLDER / schema).read_text())
        jsonschema.Draft202012Validator.check_schema(rules)
        data = json.loads((results.folder / name).read_text())
        jsonschema.validate(data, rules)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(data | {"points": 1}, rules)


def test_results_of_the_format_before_are_read(results_folder: Callable[..., Path]) -> None:
    folder = results_folder()
    now = Folder(folder).results()
    data = json.loads((folder / "results.json").read_text())
    loads = {point: [load._asdict() for load in rows] for point, rows in Folder(folder).links()}
    for point in data["points"]:
        rows = [{"from": row.pop("source"), "to": row.pop("target")} | row for row in loads.get(point["id"], [])]
        point["links"] = rows
    (folder / "results.json").write_text(json.dumps(data | {"format": 1}))
    before = Folder(folder).results()
    assert before.format == 2 and [point.check for point in before.points] == [point.check for point in now.points]
    for old, new in zip(before.points, now.points, strict=True):
        if new.links is None or not loads.get(old.id):
            continue
        assert old.links is not None
        assert (old.links.count, old.links.flits) == (len(loads[old.id]), sum(row["flits"] for row in loads[old.id]))
        assert len(old.links.busiest) == min(10, old.links.count)
    (folder / "results.json").write_text(json.dumps(data | {"format": 3}))
    with pytest.raises(polycast.InputError, match=r"results\.json: format"):
        Folder(folder).results()


def test_the_notebook_runs(tmp_path: Path) -> None:
    notebook = nbformat.read(ROOT / "python/tour.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells)
    variables = {"PYTHONPATH": os.pathsep.join([str(ROOT / "python"), str(ROOT / "scripts")])}
    client = NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": tmp_path}})
    done = client.execute(env=os.environ | variables)
    shown = [output for cell in done.cells for output in cell.get("outputs", [])]
    assert sum("text/html" in output.get("data", {}) for output in shown) >= 6
    assert "did you mean 'fidelity'" in shown[-1]["text"]


#: Packages that only commands for checkouts import.
OF_CHECKOUTS = {"junitparser", "systemrdl"}


def test_a_wheel_asks_for_all_that_it_imports() -> None:
    described = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = [*described["dependencies"], *chain(*described["optional-dependencies"].values())]
    known = {canonicalize_name(Requirement(each).name) for each in asked}
    owners = importlib.metadata.packages_distributions()
    files = [*(ROOT / "python/polycast").rglob("*.py"), *(ROOT / "scripts/polycast_cli").rglob("*.py")]
    missing = set()
    for node in chain(*(ast.walk(ast.parse(file.read_text())) for file in files)):
        names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
        for top in {name.partition(".")[0] for name in names} - set(sys.stdlib_module_names):
            if top not in ("polycast", "polycast_cli") and not {canonicalize_name(o) for o in owners[top]} & known:
                missing.add(top)
    assert missing == OF_CHECKOUTS


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a wheel unpacks to, of the build under test."""
    place = tmp_path_factory.mktemp("site")
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "python/polycast", place / "polycast", ignore=ignore)
    shutil.copytree(ROOT / "scripts/polycast_cli", place / "polycast_cli", ignore=ignore)
    build = Path(os.environ.get("POLYCAST_BUILD", ROOT / "build/release"))
    install = ["cmake", "--install", build, "--component", "simulator", "--prefix", place / "polycast/prefix"]
    subprocess.run(install, check=True, capture_output=True)
    (place / "polycast-0.1.0.dist-info").mkdir()
    (place / "polycast-0.1.0.dist-info/METADATA").write_text("Metadata-Version: 2.1\nName: polycast\nVersion: 0.1.0\n")
    return place


def installed(site: Path, folder: Path, *words: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
    """A Python that knows nothing of the checkout, in `folder`."""
    variables = {"PYTHONPATH": str(site), "PATH": path or os.environ["PATH"], "COLUMNS": "200"}
    variables |= {"HOME": str(folder), "TERM": "dumb"}
    command = [sys.executable, *words]
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, timeout=120, check=False)


def test_as_installed_it_needs_no_checkout(site: Path, tmp_path: Path) -> None:
    code = "import polycast; r = polycast.run({!r}); print(r.passed, r.folder.parent.name)"
    done = installed(site, tmp_path, "-c", code.format(SMALL))
    assert (done.returncode, done.stdout) == (0, "True results\n"), done.stderr
    done = installed(site, tmp_path, "-m", "polycast_cli", "run", "-o", "light")
    assert done.returncode == 0 and "passed" in done.stdout, done.stderr
    assert (tmp_path / "light/report.html").is_file()
    assert "polycast run light/scenario.yaml" in (tmp_path / "light/report.html").read_text()
    assert installed(site, tmp_path, "-m", "polycast_cli", "--version").stdout == f"polycast {polycast.__version__}\n"
    commands = json.loads((tmp_path / "light/run.json").read_text())["command"]
    assert commands[0] == str(site / "polycast/prefix/bin/polycast-sim")
    done = installed(site, tmp_path, "-m", "polycast_cli", "run", "-s", "ni.processor=iss", "-o", "iss")
    assert done.returncode == 0, done.stderr  # the firmware's image is there


def test_as_installed_it_says_what_needs_a_checkout(site: Path, tmp_path: Path) -> None:
    for words in (["test"], ["wheel"], ["regress", "plan.yaml"], ["run", "--preset", "debug"]):
        done = installed(site, tmp_path, "-m", "polycast_cli", *words)
        assert done.returncode == 2 and "checkout" in done.stderr, words
        assert list(tmp_path.iterdir()) == [], words


def test_as_installed_rtl_needs_its_sources(site: Path, tmp_path: Path) -> None:
    done = installed(site, tmp_path, "-m", "polycast_cli", "run", "-s", "network.fidelity=rtl", "-o", "rtl")
    assert done.returncode == 2 and "POLYCAST_RTL" in done.stderr and not (tmp_path / "rtl").exists()


def test_as_installed_without_graphviz(site: Path, tmp_path: Path) -> None:
    done = installed(site, tmp_path, "-m", "polycast_cli", "run", "-o", "light", path=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert '<svg class="network"' in (tmp_path / "light/report.html").read_text()
