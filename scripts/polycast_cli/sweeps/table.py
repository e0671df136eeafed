# SPDX-License-Identifier: Apache-2.0
"""All results of a sweep in one table: a row per run and point, as Parquet and as SQLite."""

from __future__ import annotations

import csv
import io
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import csv as arrow_csv
from pyarrow import parquet

from polycast_cli.common import replacing
from polycast_cli.sweeps.plan import Key, Run

#: Arrow's types in SQLite; all others are TEXT.
SQL_TYPES = {"int64": "INTEGER", "double": "REAL", "bool": "INTEGER"}
BLOCK = 1 << 24  # bytes of CSV that types are told from


def table_of(keys: Sequence[Key], runs: Sequence[Run], folders: Mapping[str, Path]) -> pa.Table:
    """A row for each row of tables/points.csv of each run with a folder: `run`, the swept values, the columns."""
    text = io.StringIO()
    written = csv.writer(text)
    owners: list[Run] = []
    header: list[str] = []
    for run in runs:
        if run.name not in folders:
            continue
        with (folders[run.name] / "tables/points.csv").open(newline="") as file:
            rows = csv.reader(file)
            names = next(rows)
            if not header:
                header = names
                written.writerow(header)
            for row in rows:
                written.writerow(row)
                owners.append(run)
    columns: dict[str, pa.Array] = {"run": pa.array([run.name for run in owners], pa.string())}
    fields = [pa.field("run", pa.string())]
    for key in keys:
        values = [run.values[key.path] for run in owners]
        columns[key.column] = array_of(key, values)
        metadata = {"key": key.path, **({"unit": key.unit} if key.unit else {})}
        fields.append(pa.field(key.column, columns[key.column].type, metadata=metadata))
    for name, column in points_columns(text.getvalue()):
        columns[name] = column
        fields.append(pa.field(name, column.type))
    return pa.Table.from_arrays(list(columns.values()), schema=pa.schema(fields))


def array_of(key: Key, values: Sequence[Any]) -> pa.Array:
    """Text where some values are words, such as "auto"."""
    if any(isinstance(value, str) for value in values) or key.type == "text":
        return pa.array([str(value) for value in values], pa.string())
    kinds = {"boolean": pa.bool_(), "integer": pa.int64(), "number": pa.float64()}
    return pa.array(values, kinds[key.type])


def points_columns(text: str) -> Iterator[tuple[str, pa.Array]]:
    if not text:
        return
    read = arrow_csv.ReadOptions(block_size=max(BLOCK, len(text.encode()) + 1))
    convert = arrow_csv.ConvertOptions(strings_can_be_null=True)
    table = arrow_csv.read_csv(io.BytesIO(text.encode()), read_options=read, convert_options=convert)
    for name in table.column_names:
        column = table.column(name).combine_chunks()
        if name == "passed":
            column = column.cast(pa.bool_())
        yield name, column.cast(pa.string()) if pa.types.is_null(column.type) else column


def write_parquet(path: Path, table: pa.Table) -> None:
    """Whole or not at all."""
    with replacing(path) as temporary:
        parquet.write_table(table, temporary)


def write_sqlite(path: Path, table: pa.Table, keys: Sequence[Key], runs: Sequence[tuple[Run, str]]) -> None:
    """Tables `results`, `runs` (all of them, with their status) and `keys` (columns of swept values). Whole or not at
    all."""
    with replacing(path) as temporary, closing(sqlite3.connect(temporary)) as database:
        types = [f'"{field.name}" {SQL_TYPES.get(str(field.type), "TEXT")}' for field in table.schema]
        database.execute(f"create table results ({', '.join(types)})")
        marks = ", ".join("?" * len(types))
        columns = [column.to_pylist() for column in table.columns]
        database.executemany(f"insert into results values ({marks})", zip(*columns, strict=True))
        database.execute('create table keys ("column" text primary key, key text, type text, unit text)')
        rows = [(key.column, key.path, key.type, key.unit) for key in keys]
        database.executemany("insert into keys values (?, ?, ?, ?)", rows)
        swept = "".join(f', "{key.column}"' for key in keys)
        database.execute(f"create table runs (run text primary key{swept}, status text)")
        marks = ", ".join("?" * (len(keys) + 2))
        every = [(run.name, *(run.values[key.path] for key in keys), status) for run, status in runs]
        database.executemany(f"insert into runs values ({marks})", every)
        database.commit()
