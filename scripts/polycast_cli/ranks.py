# SPDX-License-Identifier: Apache-2.0
"""How the simulator is started as several MPI ranks that simulate one network together."""

from __future__ import annotations

import os
import shlex
import shutil

from polycast_cli.common import UserError


def launcher(ranks: int | None, mpi: str | None) -> list[str]:
    """The words before the program's name; none for one process. `mpi`: options of mpirun, in place of ours.

    Ranks are not bound to cores, as each may have threads of its own. In containers mpirun would refuse root, and
    more ranks than cores, as it knows nothing of their owner's wishes; in a job of a batch system, more than the job
    has tasks, where one task has the cores of all ranks.
    """
    if ranks is None:
        if mpi is not None:
            raise UserError("--mpi is about ranks: say how many, --ranks N")
        return []
    program = shutil.which("mpirun")
    if program is None:
        raise UserError("--ranks needs MPI, and there is no mpirun: install the package openmpi-bin")
    if mpi is not None:
        return [program, "-n", str(ranks), *shlex.split(mpi)]
    options = ["--quiet", "--bind-to", "none", "--oversubscribe"]
    if os.geteuid() == 0:
        options.append("--allow-run-as-root")
    return [program, "-n", str(ranks), *options]
