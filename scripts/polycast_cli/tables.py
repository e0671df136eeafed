# SPDX-License-Identifier: Apache-2.0
"""The tables of a results folder as Parquet."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
from pyarrow import csv as arrow_csv
from pyarrow import parquet

from polycast_cli.common import UserError, replacing, shown
from polycast_cli.results import Folder

#: Types of columns; all others are numbers. They do not depend on what is in a table, so that tables can be joined.
TEXT = """
    point topology workload kind scheme pattern outcome from to port source host resource use function node policy
    striping fidelity
"""
WHOLE = """
    flits packets buffer_max message created completed latency offset begin end depth time nodes cycle switches hosts
    links degree cycles expected delivered missing duplicated corrupted misdelivered misordered chip_errors
    latency_count receive_memory_peak send_memory_peak worms worms_with_duplicates rails processes open stripes refused
    urgent withdrawn
    PortXmitData PortRcvData PortXmitPkts PortRcvPkts PortMulticastXmitPkts PortMulticastRcvPkts PortXmitWait
    PortXmitDiscards PortRcvSwitchRelayErrors PortRcvErrors PortBufferOverrunErrors
"""
TYPES = (
    dict.fromkeys(TEXT.split(), pa.string())
    | dict.fromkeys(WHOLE.split(), pa.int64())
    | dict.fromkeys(("passed", "saturated", "kept_up"), pa.bool_())
)


@contextmanager
def opened(file: Path) -> Iterator[arrow_csv.CSVStreamingReader]:
    """A table, part by part. \\raises UserError where it is damaged"""
    with file.open(newline="") as stream:
        names = next(csv.reader(stream), [])
    types = {name: TYPES.get(name, pa.float64()) for name in names}
    try:
        with arrow_csv.open_csv(
            file,
            parse_options=arrow_csv.ParseOptions(newlines_in_values=True),
            convert_options=arrow_csv.ConvertOptions(column_types=types),
        ) as read:
            yield read
    except pa.ArrowInvalid as error:
        raise UserError(f"{shown(file)}: {str(error).splitlines()[0]}") from None


def arrow_of(file: Path) -> pa.Table:
    """A table, whole. \\raises UserError where it is damaged"""
    with opened(file) as read:
        return read.read_all()


def write_parquet_of(file: Path) -> Path:
    """NAME.parquet beside a table, whole or not at all. \\raises UserError where the table is damaged"""
    target = file.with_suffix(".parquet")
    with opened(file) as read, replacing(target) as temporary, parquet.ParquetWriter(temporary, read.schema) as written:
        for batch in read:
            written.write_batch(batch)
    return target


def write_parquet(path: Path) -> list[Path]:
    """All tables of the results folder `path`. \\raises UserError where it is none"""
    return [write_parquet_of(file) for file in sorted((Folder(path).path / "tables").glob("*.csv"))]
