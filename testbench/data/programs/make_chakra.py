# SPDX-License-Identifier: Apache-2.0
"""Writes the samples of Chakra traces: chakra/ and bad/*.et. Records are encoded here, without the library that reads
them.

    python testbench/data/programs/make_chakra.py FOLDER"""

from __future__ import annotations

import sys
from pathlib import Path

METADATA, COMP, SEND, RECV, COLL = 1, 4, 5, 6, 7
ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, BARRIER = 0, 2, 7, 9

Value = int | bool | str


def varint(value: int) -> bytes:
    made = bytearray()
    while value >= 128:
        made.append(value & 127 | 128)
        value >>= 7
    return bytes([*made, value])


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def text(field: int, value: bytes) -> bytes:
    return varint(field << 3 | 2) + varint(len(value)) + value


def attribute(name: str, value: Value) -> bytes:
    if isinstance(value, str):
        held = text(29, value.encode())
    else:
        held = number(27 if isinstance(value, bool) else 9, int(value))
    return text(10, text(1, name.encode()) + held)


def node(
    number_: int,
    name: str,
    kind: int,
    after: tuple[int, ...] = (),
    micros: int = 0,
    inputs: str = "",
    **attributes: Value,
) -> bytes:
    made = number(1, number_) + text(2, name.encode()) + number(3, kind)
    made += text(5, b"".join(varint(one) for one in after)) if after else b""
    made += number(7, micros) if micros else b""
    made += text(8, text(1, inputs.encode())) if inputs else b""
    return made + b"".join(attribute(key, value) for key, value in attributes.items())


def trace(*nodes: bytes) -> bytes:
    return b"".join(varint(len(one)) + one for one in (text(1, b"0.0.4"), *nodes))


def step(rank: int, ranks: int = 4) -> bytes:
    """A step of training: a reduce_scatter of pairs, neighbours in a ring, an allreduce and a barrier of all."""
    groups = """['[{"pg_name": "0", "pg_desc": "default_pg", "ranks": []}, {"pg_name": "1", "ranks": [0, 1]}, """
    groups += """{"pg_name": "2", "ranks": [2, 3]}]']"""
    return trace(
        node(0, "process_group:init", METADATA, inputs=groups),
        node(1, "forward", COMP, (0,), 5, is_cpu_op=False, num_ops=4_000_000, tensor_size=16_384, tid=7),
        node(2, "c10d::reduce_scatter_", COLL, (0,), 2, is_cpu_op=True, tid=1),
        node(
            3,
            "nccl:reduce_scatter",
            COLL,
            (1, 2),
            9,
            comm_type=REDUCE_SCATTER,
            comm_size=4096,
            pg_name=str(1 + rank // 2),
        ),
        node(4, "backward", COMP, (3,), 3, is_cpu_op=False, num_ops=1_000_000, tensor_size=65_536, tid=7),
        node(5, "send", SEND, (4,), comm_dst=(rank + 1) % ranks, comm_size=1024, comm_tag=7),
        node(6, "recv", RECV, (4,), comm_src=(rank - 1) % ranks, comm_size=1024, comm_tag=7),
        node(7, "nccl:all_reduce", COLL, (5, 6), comm_type=ALL_REDUCE, comm_size=8192, pg_name="0"),
        node(8, "barrier", COLL, (7,), comm_type=BARRIER),
    )


def samples() -> dict[str, bytes]:
    made = {f"chakra/step.{rank}.et": step(rank) for rank in range(4)}
    made["chakra/all_gather.et"] = trace(
        node(0, "compute", COMP, (), 1), node(1, "all_gather", COLL, (0,), comm_type=ALL_GATHER, comm_size=1024)
    )
    unclean = [
        node(2, "first", COMP, (1,), 1),
        node(3, "on itself", COMP, (2, 3), 1),
        node(4, "too early", COMP, (2, 5), 1),
        node(5, "late", COMP, (4,), 1),
        node(6, "behind", COLL, (3, 5), comm_type=ALL_REDUCE, comm_size=1024),
    ]
    made["bad/unclean.et"] = trace(*unclean)
    made["bad/cut.et"] = step(0)[:500]
    made["bad/attribute.et"] = trace(node(0, "all_reduce", COLL, comm_type=ALL_REDUCE, com_size=1024))
    return made


if __name__ == "__main__":
    for name, data in samples().items():
        (Path(sys.argv[1]) / name).write_bytes(data)
