# SPDX-License-Identifier: Apache-2.0
"""Cycles as times, and flits as bits per second, for people."""

from __future__ import annotations

from polycast_cli.results import Results

#: Nanoseconds of each unit, the longest first.
UNITS = (("s", 1e9), ("ms", 1e6), ("µs", 1e3), ("ns", 1.0))


def time_text(nanoseconds: float | None) -> str:
    """With three digits that count, or all before the point: "22.4 µs", "980 ns"; a dash for None."""
    if nanoseconds is None:
        return "–"
    # 999.6 ns are 1.00 µs, not 1000 ns.
    name, size = next((unit for unit in UNITS if nanoseconds >= 0.9995 * unit[1]), UNITS[-1])
    value = nanoseconds / size
    return f"{value:.{2 if value < 9.995 else 1 if value < 99.95 else 0}f} {name}"


def time_of(results: Results, cycles: float | None) -> str:
    """A number of cycles as a time; a dash where that is not known: steps are no cycles."""
    cycle = results.units.cycle_ns
    if cycles is None or cycle is None or results.in_steps():
        return "–"
    return time_text(cycles * cycle)


def gigabits(results: Results, flits_per_cycle: float | None) -> float | None:
    """Gbit/s of a rate in flits per cycle; None where the length of a cycle or a flit is not known."""
    units = results.units
    if flits_per_cycle is None or not units.cycle_ns or not units.flit_bytes:
        return None
    return flits_per_cycle * 8 * units.flit_bytes / units.cycle_ns


def accepted_gigabits(results: Results, workload: str) -> float | None:
    """Gbit/s of payload that a host accepts, the mean over the runs of a workload under load; None of others."""
    rates = [
        point.throughput.accepted
        for point in results.points
        if point.workload.name == workload
        and point.throughput
        and point.throughput.accepted is not None
        and point.throughput.unit == "flit/host/cycle"
    ]
    return gigabits(results, sum(rates) / len(rates)) if rates else None
