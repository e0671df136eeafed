# SPDX-License-Identifier: Apache-2.0
"""`run`: simulation, report, summary."""

from __future__ import annotations

import webbrowser
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from rich.text import Text

from polycast_cli.common import Status, UserError, again, fresh_folder, out, say, shown
from polycast_cli.results import Folder, Results
from polycast_cli.simulator import Scenario, ready, simulate
from polycast_cli.terminal import table

if TYPE_CHECKING:
    from polycast_cli.sweeps.plan import Key


def print_summary(results: Results) -> None:
    from polycast_cli.clock import accepted_gigabits, time_of
    from polycast_cli.reports.page import number

    collectives = {row.workload for row in results.summary if results.is_collective(row.workload)}
    timed = ["latency (cycles)", "± 95 %"] if len(collectives) < len(results.summary) else []
    finish = f"{'steps' if results.in_steps() else 'cycles'} to finish"
    timed += [finish] if collectives else []
    if results.units.cycle_ns and not results.in_steps():
        timed.append("time")
    accepted = {row.workload: accepted_gigabits(results, row.workload) for row in results.summary}
    if any(rate is not None for rate in accepted.values()):
        timed.append("Gbit/s a host")
    summary = table("workload", "networks", *timed, "delivered", "expected")
    for row in results.summary:
        finished = results.to_finish(row.workload)
        times = {finish: number(finished), "Gbit/s a host": number(accepted[row.workload], 3)}
        if row.workload not in collectives:
            times |= {"latency (cycles)": number(row.latency_mean, 1), "± 95 %": number(row.latency_ci95, 1)}
        times["time"] = time_of(results, finished if row.workload in collectives else row.latency_mean)
        cells = [times.get(title, "–") for title in timed]
        summary.add_row(
            results.titled(row.workload), str(row.points), *cells, f"{row.delivered:,}", f"{row.expected:,}"
        )
    out.print(summary)
    total = results.total()
    if results.passed:
        said = f": all {total.delivered:,} deliveries arrived exactly once, unchanged"
        out.print(Text.assemble(("passed", "green"), said))
    else:
        said = f": {total.delivered:,} of {total.expected:,} delivered, {results.wrong or 'not all arrived'}"
        out.print(Text.assemble(("failed", "red"), said))
    if unrecovered := results.unrecovered:
        out.print(Text("incomplete:", "yellow"), unrecovered)
    if results.saturation:
        out.print(Text("saturated:", "yellow"), results.saturation)


@dataclass
class Sweeping:
    """Options of `run` that are about sweeps."""

    scheduler: str | None = None
    again: bool = False
    dry_run: bool = False


def may_sweep(scenario: Path, sets: Sequence[str]) -> bool:
    """Whether the simulator has to be asked. A file that can be read only once, such as a pipe, is no sweep."""
    try:
        text = scenario.read_text(errors="replace") if scenario.is_file() else ""
    except OSError:  # which the simulator says better
        return False
    return bool(text) and ("sweep" in text or any(sign in part for part in sets for sign in ("[", "..")))


def lists_as_values(sets: Sequence[str], keys: Sequence[Key]) -> list[str]:
    """What `-s KEY=[...]` means where the key is not swept, because it takes a list itself."""
    swept = {key.path for key in keys}
    found = []
    for setting in sets:
        key, _, value = setting.partition("=")
        if value.startswith("[") and not {part.strip() for part in key.removeprefix("sweep.").split(",")} <= swept:
            instead = f"sweep.{key}={value}" if key.startswith("workload.") else f"{key}=[{value}, ...]"
            found.append(f"-s {setting}: one run with the whole list, which {key} takes; to sweep it: -s '{instead}'")
    return found


def run_scenario(
    scenario: Path,
    sets: Sequence[str],
    options: Sequence[str],
    out_dir: Path | None,
    jobs: int | None,
    sweeping: Sweeping,
    open_report: bool,
    preset: str,
    launch: Sequence[str] = (),
    written_by: Sequence[str] = (),
) -> int:
    """`sets`: the `-s` options; `options`: others of the simulator; `launch`: words before its name; `written_by`: the
    command that has written the scenario, unless the user has. Returns the simulator's exit status."""
    # Most of a short run is imports: those of the report go on while the simulator is made ready and runs. An early end
    # waits for them: a thread that is stopped within a library in C++ ends the program by SIGABRT.
    Thread(target=import_module, args=("polycast_cli.reports.report",)).start()
    program = ready(preset)
    source = Scenario(scenario, tuple(written_by))
    if may_sweep(scenario, sets):
        from polycast_cli.sweeps.plan import plan_of

        plan = plan_of(program, source, sets)
        if isinstance(plan, int):
            return plan
        for said in lists_as_values(sets, plan.keys):
            say(said)
        if plan.runs:
            from polycast_cli.sweeps.sweep import Sweep, folder_for, list_runs, run_sweep

            if sweeping.dry_run:
                return list_runs(program, source, sets, plan)
            if "--gdb" in options:
                raise UserError("--gdb needs a single run, and this is a sweep: give each swept key one value")
            sweep = Sweep(program, source, sets, plan, folder_for(scenario, out_dir), options)
            sweep.scheduler, sweep.workers, sweep.again = sweeping.scheduler, jobs, sweeping.again
            sweep.launch_by(launch)
            return run_sweep(sweep, open_report)
    if sweeping != Sweeping():
        words = "--scheduler, --again and --dry-run"
        raise UserError(f"{words} need a sweep, and no key is swept: add for instance -s seed=1..10")
    target = out_dir or fresh_folder(scenario.stem)
    count = ["--jobs", str(jobs)] if jobs is not None else []
    arguments = ["run", *source.arguments, *sets, *options, *count, "--out", target]
    say(f"simulating {source}")
    code = simulate(program, arguments, launch=launch)
    if code == Status.INTERRUPTED:
        say("interrupted; nothing was written")
    if code not in (Status.OK, Status.FAILED) or not (target / "results.json").is_file():
        if out_dir is None:
            with suppress(OSError):
                target.rmdir()
        return code
    from polycast_cli.reports.report import write_report

    folder = Folder(target)
    report = write_report(folder.path)
    print_summary(folder.results())
    out.print(f"report: {shown(report)}")
    for trace in (one for one in folder.provenance().traces if one.file):
        out.print(f"{trace.kind + ':':8}{trace.words}")
    if (folder.path / "waves").is_dir():
        out.print(f"waves:  {again('waves', shown(target))}")
    if open_report:
        webbrowser.open(report.resolve().as_uri())
    return code
