# SPDX-License-Identifier: Apache-2.0
"""report.html of a campaign."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polycast_cli.campaigns.plan import Plan
from polycast_cli.campaigns.table import MISSED, OUTCOMES, Fault, Residual, Row, Times
from polycast_cli.reports.page import write_page


@dataclass
class Bad:
    """A fault that passed silently, hung its run or broke a model, run again with waves and packet log."""

    variant: str
    kind: str
    fault: Fault
    command: str
    folder: Path
    smaller: dict[str, Any] | None = None  # what minimise.py says

    @property
    def name(self) -> str:
        return f"{self.variant}, {self.kind} number {self.fault.number}"


WORDS = {
    "silent": "silent", "hung": "hung", "broken": "broken", "reported": "reported",
    "end_to_end": "end to end", "by_link": "by the link", "masked": "masked",
}  # fmt: skip


def percent(share: float) -> str:
    return f"{100 * share:.2f}"


def counted(row: Row, outcome: str) -> str:
    low, high = row.interval(outcome)
    count = row.counts[outcome]
    if count == 0:
        return f"0 (< {100 * high:.3g} %)"
    return f"{count:,} ({percent(low)}–{percent(high)} %)"


def times_text(times: Times | None, digits: int = 0) -> str:
    if times is None:
        return "–"
    return " / ".join(f"{each:,.{digits}f}" for each in (times.median, times.most_of, times.longest))


def table_of(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    shown = [outcome for outcome in OUTCOMES if outcome != "broken" or any(row.counts["broken"] for row in rows)]
    columns = ["class", "faults", *(WORDS[outcome] for outcome in shown), "as without"]
    columns += ["noticed after", "cured after", "slower"]
    values = []
    for row in rows:
        if row.why_none:
            values.append([row.kind, "0", *("–" for _ in shown), "–", "–", "–", "–"])
            continue
        values.append(
            [
                row.kind,
                f"{row.faults:,}",
                *(counted(row, outcome) for outcome in shown),
                f"{row.same:,}",
                times_text(row.noticed),
                times_text(row.recovery),
                times_text(row.slowdown, 3),
            ]
        )
    return columns, values


def residual_table(residuals: Sequence[Residual]) -> tuple[list[str], list[list[str]]]:
    columns = ["variant", "flips of wires", "undetected", "share", "at least", "at most"]
    columns += [f"CRC of a{'n' if name[0] in 'aeiou' else ''} {name}" for name in MISSED]
    values = []
    for one in residuals:
        low, high = one.interval()
        share = one.undetected / one.faults if one.faults else 0.0
        shares = [f"{each:.3g}" for each in (share, low, high, *MISSED.values())]
        values.append([one.variant, f"{one.faults:,}", f"{one.undetected:,}", *shares])
    return columns, values


def write_campaign_page(
    path: Path,
    plan: Plan,
    rows: Sequence[Row],
    residuals: Sequence[Residual],
    golden: Sequence[dict[str, Any]],
    bad: Sequence[Bad],
    wrong: Sequence[str],
    command: str,
) -> Path:
    variants = []
    for name, variant in plan.variants.items():
        own = [row for row in rows if row.variant == name]
        bars = [
            (row.kind, [(outcome, 100 * row.share(outcome), row.counts[outcome]) for outcome in OUTCOMES])
            for row in own
            if not row.why_none
        ]
        none = [(row.kind, row.why_none) for row in own if row.why_none]
        variants.append((name, variant, *table_of(own), bars, none))
    columns = ["variant", "run", "cycles", "messages", "symbols on the wires"]
    runs = [
        [run["variant"], run["id"], *(f"{run[key]:,}" for key in ("cycles", "messages", "symbols"))] for run in golden
    ]
    return write_page(
        path,
        "campaign.html.j2",
        "polycast_cli.campaigns",
        plan=plan,
        total=sum(row.faults for row in rows),
        variants=variants,
        outcomes=[(WORDS[name], name, text) for name, text in OUTCOMES.items()],
        residual=residual_table([one for one in residuals if one.faults]),
        runs=(columns, runs),
        bad=[(one, one.folder.relative_to(path.parent)) for one in bad],
        wrong=wrong,
        command=command,
    )
