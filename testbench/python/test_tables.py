# SPDX-License-Identifier: Apache-2.0
"""`tables`: the tables of runs as Parquet have every row of the CSV files, with the same types for every run."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from conftest import Cli
from polycast_cli.common import UserError
from polycast_cli.tables import write_parquet
from pyarrow import parquet
from simulation import SCENARIOS, simulate

Make = Callable[..., Path]


@pytest.mark.parametrize(
    ("scenario", "settings", "names"),
    [
        ("first_light.yaml", (), {"activity", "latencies", "links", "points", "ports"}),
        ("mesh.yaml", ("measurement.window=500 cycle",), {"latencies", "links", "points", "ports"}),
        ("bypass_torus.yaml", (), {"holders", "latencies", "links", "points", "ports"}),
        ("multilane.yaml", (), {"lanes", "latencies", "links", "points"}),
    ],
)
def test_every_row_is_there(tmp_path: Path, scenario: str, settings: tuple[str, ...], names: set[str]) -> None:
    out = tmp_path / "out"
    simulate(SCENARIOS / scenario, out, *settings)
    written = write_parquet(out)
    assert {file.stem for file in written} == names
    for file in written:
        with file.with_suffix(".csv").open(newline="") as stream:
            rows = list(csv.DictReader(stream))
        table = parquet.read_table(file)
        found = table.to_pylist()
        assert len(found) == len(rows)
        for row, read in zip(rows, found, strict=True):
            for name, text in row.items():
                if not text:
                    assert read[name] in (None, ""), name
                else:
                    assert read[name] == (text if isinstance(read[name], str) else float(text)), name
        words = {name for name in table.column_names if any(is_word(row[name]) for row in rows)}
        assert words <= {field.name for field in table.schema if field.type == pa.string()}
    # They are no strangers in the folder.
    simulate(SCENARIOS / "first_light.yaml", out)
    assert list(out.rglob("*.parquet")) == []


def is_word(text: str) -> bool:
    try:
        float(text or 0)
    except ValueError:
        return True
    return False


def test_types_do_not_depend_on_what_is_in_a_table(results_folder: Make) -> None:
    """Switches may be named by numbers, and all links may be idle."""
    schemas = []
    for name, row in (("a", "net/tree,17,18,0,0,0,,"), ("b", '"net, x/tree","s:1","s\n2:1",5,1,0.5,1.25,7')):
        folder = results_folder(name, networks=1)
        (folder / "tables/links.csv").write_text(
            f"point,from,to,flits,packets,utilisation,buffer_mean,buffer_max\n{row}\n"
        )
        write_parquet(folder)
        schemas.append(parquet.read_schema(folder / "tables/links.parquet"))
        table = parquet.read_table(folder / "tables/links.parquet")
        assert table.num_rows == 1
        assert isinstance(table["to"][0].as_py(), str)
    assert schemas[0] == schemas[1]


def test_what_is_refused(results_folder: Make, tmp_path: Path, cli: Cli) -> None:
    folder = results_folder(networks=1)
    with (folder / "tables" / "links.csv").open("a") as file:
        file.write("net/tree,switch0:1,switch1:0,many,1,0.5,0,0\n")
    done = cli("tables", folder)
    assert done.returncode == 2
    assert "links.csv: In CSV column #3: CSV conversion error to int64: invalid value 'many'" in done.stderr
    assert not (folder / "tables" / "links.parquet").exists()
    with pytest.raises(UserError, match="not a results folder"):
        write_parquet(tmp_path)
