#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What chips cost in cells of a library: measures what scripts/polycast_cli/cost/cost.md says, and writes it.

cost_page.py              measures everything (an hour; what the RTL has not changed since is known), writes
                          measured.csv, then tables and pictures of the page
cost_page.py --render     writes tables and pictures from measured.csv, without any tool
cost_page.py --check      fails if tables and pictures are not what --render writes
cost_page.py --measure N  measures the N smallest designs again, whatever is known of them, and compares them with
                          measured.csv; 0: all designs

Needs scripts/setup.sh cost. Exit status: 0 well, 1 out of date, 2 a tool is missing.
"""

from __future__ import annotations

import argparse
import csv
import io
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from polycast_cli.common import Failure, UserError, say, write_whole  # noqa: E402
from polycast_cli.cost.comparisons import Side, Sum, sides, sum_of  # noqa: E402
from polycast_cli.cost.designs import Values, design_of, grid, split  # noqa: E402
from polycast_cli.cost.libraries import LIBRARIES, library_of  # noqa: E402
from polycast_cli.cost.measure import Cost, Task, measure, measure_all  # noqa: E402
from polycast_cli.cost.pictures import QUANTITIES, Point, picture  # noqa: E402
from polycast_cli.cost.show import megahertz, number  # noqa: E402

FOLDER = ROOT / "scripts/polycast_cli/cost"
PAGE, DATA = FOLDER / "cost.md", FOLDER / "measured.csv"
LICENCE = "<!-- SPDX-License-Identifier: Apache-2.0 -->"
NOTE = "# SPDX-License-Identifier: Apache-2.0\n# Written by testbench/formal/cost_page.py\n"
FIELDS = ["design", "library", "parameters", "area_um2", "gates", "cells", "flip_flops", "memory_bits"]
FIELDS += ["path_ns", "path_from", "path_to"]
COUNTS = ("kgates", "mm2", "path ns", "MHz", "flip-flops", "memory bits")


@dataclass(frozen=True)
class Table:
    """Designs of one chip, the smallest first, over `x`, with the pictures of the quantities that are named."""

    name: str
    top: str
    settings: tuple[str, ...] = ()
    x: str = ""
    libraries: tuple[str, ...] = ("osu018",)
    #: Without and with this.
    compare: str = ""
    pictures: tuple[str, ...] = ()

    @property
    def values(self) -> list[Values]:
        return grid(design_of(self.top), split(self.settings))


SMALL = ("ports=5", "vcs=2")
TABLES = (
    Table("defaults", "switch"),
    Table("defaults", "router"),
    Table("defaults", "vl_switch"),
    Table("defaults", "coding"),
    Table("defaults", "broadcast"),
    Table("defaults", "link_end"),
    Table("router_vcs", "router", ("vcs=1,2,4", "ports=3,5"), "vcs", pictures=("area", "frequency")),
    Table("router_flits", "router", (*SMALL, "flit_bytes=4,16,64"), "flit_bytes", pictures=("area",)),
    Table("router_buffers", "router", (*SMALL, "vc_flits=8,32"), "vc_flits"),
    Table("switch_ports", "switch", ("ports=2,4,8",), "ports", pictures=("area", "frequency")),
    Table("switch_buffers", "switch", ("ports=4", "chunks=20,80,160"), "chunks"),
    Table("replication", "router", ("vcs=1,2,4",), "vcs", compare="replication", pictures=("area",)),
    Table("coding", "router", compare="coding"),
    Table("link", "router", (*SMALL, "flit_bytes=4,16,64"), "flit_bytes", compare="link", pictures=("area",)),
    Table("libraries", "router", SMALL, libraries=tuple(LIBRARIES), compare="replication"),
)


def sides_of(table: Table) -> Iterator[tuple[str, Values, list[Task], Callable[[Sequence[Cost]], list[Sum]]]]:
    """Library, values, tasks, and what makes a sum of each side of their costs."""
    for library in table.libraries:
        for values in table.values:
            both = sides(table.compare, design_of(table.top), values)
            tasks = [task for side in both for task in side.tasks(library_of(library), False)]

            def sums(costs: Sequence[Cost], both: tuple[Side, Side] = both) -> list[Sum]:
                first = len(both[0].parts)
                return [sum_of(both[0], costs[:first]), sum_of(both[1], costs[first:])]

            yield library, values, tasks, sums


def tasks_of(table: Table) -> list[Task]:
    if table.compare:
        return [task for _, _, tasks, _ in sides_of(table) for task in tasks]
    return [Task(design_of(table.top), values, library_of(name)) for name in table.libraries for values in table.values]


def key(task: Task) -> tuple[str, str, str]:
    """Which row of measured.csv has it."""
    return task.design.name, task.library.name, " ".join(f"{name}={value}" for name, value in task.changed.items())


def all_tasks() -> dict[tuple[str, str, str], Task]:
    return {key(task): task for table in TABLES for task in tasks_of(table)}


def row_of(task: Task, cost: Cost) -> dict[str, str]:
    design, library, parameters = key(task)
    fields = cost.model_dump() | {"gates": round(cost.gates, 1), "area_um2": round(cost.area_um2, 1)}
    texts = {name: "" if fields.get(name) is None else str(fields[name]) for name in FIELDS}
    return texts | {"design": design, "library": library, "parameters": parameters}


def data_text(rows: Sequence[dict[str, str]]) -> str:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, FIELDS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return NOTE + stream.getvalue()


def read_rows(text: str) -> dict[tuple[str, str, str], dict[str, str]]:
    rows = csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))
    return {(row["design"], row["library"], row["parameters"]): row for row in rows}


def known(task: Task, rows: dict[tuple[str, str, str], dict[str, str]]) -> Cost:
    """\\raises Failure where it has not been measured"""
    if key(task) not in rows:
        raise Failure(f"{DATA.name} has no {' '.join(key(task))}: run testbench/formal/cost_page.py")
    row = {name: text or None for name, text in rows[key(task)].items()}
    fixed = {"module": task.design.module, "memories": "apart", "blocks": [], "parameters": task.values}
    return Cost.model_validate(row | fixed)


def numbers(cost: Cost | Sum) -> list[str]:
    return [
        number(cost.gates / 1000, 1),
        number(cost.area_um2 / 1e6, 3),
        number(cost.path_ns, 1),
        megahertz(cost.path_ns),
        number(cost.flip_flops),
        number(cost.memory_bits),
    ]


def markdown(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in (titles, ["---"] * len(titles), *rows)) + "\n"


def rendered(rows: dict[tuple[str, str, str], dict[str, str]]) -> tuple[dict[str, str], dict[str, str]]:
    """Tables by name, and pictures by file."""
    tables: dict[str, str] = {}
    pictures: dict[str, str] = {}
    lines: dict[str, list[list[str]]] = {}
    titles: dict[str, list[str]] = {}
    for table in TABLES:
        points: dict[str, list[Point]] = {name: [] for name in table.pictures}
        names = [name for name in (setting.partition("=")[0] for setting in table.settings)]
        names = [name for name in names if len({values[name] for values in table.values}) > 1] if table.values else []
        several = len(table.libraries) > 1
        head = [*(["library"] if several else []), *names]
        if table.compare:
            pairs = {"kgates": 0, "MHz": 3, "flip-flops": 4, "memory bits": 5}
            titles[table.name] = ["chip", *head, *(t for name in pairs for t in (name, "with")), "ratio of areas"]
            for library, values, tasks, sums in sides_of(table):
                without, with_ = sums([known(task, rows) for task in tasks])
                cells = [text for place in pairs.values() for text in (numbers(without)[place], numbers(with_)[place])]
                where = [*([library] if several else []), *(str(values[name]) for name in names)]
                ratio = number(with_.area_um2 / without.area_um2, 2)
                lines.setdefault(table.name, []).append([table.top, *where, *cells, ratio])
                for side, total in (("without", without), ("with", with_)):
                    if "area" in points:
                        points["area"].append(Point(side, values[table.x], total.gates / 1000))
        else:
            titles[table.name] = ["chip", *head, *COUNTS] if table.name == "defaults" else [*head, *COUNTS]
            for task in tasks_of(table):
                cost = known(task, rows)
                where = [table.top] if table.name == "defaults" else [str(task.values[name]) for name in names]
                lines.setdefault(table.name, []).append([*where, *numbers(cost)])
                curve = " ".join(f"{name}={task.values[name]}" for name in names if name != table.x)
                for quantity in QUANTITIES:
                    if quantity.name in points:
                        points[quantity.name].append(Point(curve, task.values[table.x], quantity.of(cost)))
        for quantity in QUANTITIES:
            if quantity.name in points:
                said = f"{quantity.name.capitalize()} of {table.top} over {table.x}"
                drawn = picture(points[quantity.name], table.x, quantity.title, said)
                pictures[f"{table.name}_{quantity.name}.svg"] = drawn.replace("<title>", f"{LICENCE}<title>", 1)
    tables = {name: markdown(titles[name], made) for name, made in lines.items()}
    return tables, pictures


def page_text(text: str, tables: dict[str, str]) -> str:
    """The page with these tables. \\raises Failure where it has no place for one"""
    for name, table in tables.items():
        begin, end = f"<!-- begin {name}: written by testbench/formal/cost_page.py -->\n", f"<!-- end {name} -->"
        if text.count(begin) != 1 or text.count(end) != 1:
            raise Failure(f"{PAGE.name} has no place for the table '{name}': {begin.strip()} {end}")
        text = re.sub(
            re.escape(begin) + ".*?" + re.escape(end), lambda _, t=begin + table + end: t, text, flags=re.DOTALL
        )
    return text


def stale(check: bool) -> list[str]:
    """Files that are not what measured.csv gives; they are written unless it is only a check."""
    tables, pictures = rendered(read_rows(DATA.read_text()))
    wanted = {PAGE: page_text(PAGE.read_text(), tables)} | {FOLDER / name: text for name, text in pictures.items()}
    old = [path for path, text in wanted.items() if not path.exists() or path.read_text() != text]
    for path in [] if check else old:
        write_whole(path, wanted[path])
    for path in {*FOLDER.glob("*.svg")} - set(wanted):
        old.append(path)
        if not check:
            path.unlink()
    return [str(path.relative_to(ROOT)) for path in old]


def differences(smallest: int) -> list[str]:
    """Measures the smallest designs again, all of them with 0."""
    rows = read_rows(DATA.read_text())
    tasks = sorted(all_tasks().items(), key=lambda each: float(rows[each[0]]["gates"]))
    wrong = []
    for place, task in tasks[: smallest or None]:
        found = row_of(task, measure(task))
        print(" ".join(found.values()), flush=True)
        if found != rows[place]:
            wrong.append(f"not in {DATA.name}, run testbench/formal/cost_page.py: {' '.join(found.values())}")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--render", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--measure", type=int, metavar="N")
    parser.add_argument("-j", "--jobs", type=int)
    arguments = parser.parse_args()
    try:
        if arguments.measure is not None:
            wrong = differences(arguments.measure)
        elif arguments.check:
            wrong = [
                f"not what {DATA.name} gives, run testbench/formal/cost_page.py --render: {p}" for p in stale(True)
            ]
        else:
            if not arguments.render:
                tasks = all_tasks()
                costs = measure_all(list(tasks.values()), arguments.jobs)
                write_whole(DATA, data_text([row_of(*pair) for pair in zip(tasks.values(), costs, strict=True)]))
            for path in stale(False):
                say(f"written: {path}")
            wrong = []
    except UserError as error:
        print(error, file=sys.stderr)
        return 2
    except Failure as error:
        wrong = [str(error)]
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
