# SPDX-License-Identifier: Apache-2.0
"""Hardware models of switches, routers and network interfaces for collective communication, from Python and notebooks.

    import polycast

    results = polycast.run(polycast.example(), seed=7)     # or a file of yours, or a dictionary
    results.passed, results.summary[0].latency_mean        # typed fields, of results.json
    results.to_pandas()                                    # a row for each network and workload
    results.to_pandas("links")                             # any other table
    results                                                # in a notebook: the summary, with its picture

    swept = polycast.sweep(polycast.example(), {"seed": range(1, 4), "workload.*.degree": [3, 7]})
    swept.to_pandas().groupby("workload_degree").latency_mean.mean()

    polycast.topology(networkx.petersen_graph())           # a network: picture, tables, to_networkx()
    polycast.analyse("kbinomial", nodes=32, packets=4)     # what `polycast analyse` works out, as a dictionary

A scenario is a file or a dictionary of the same keys; where it has a network, `network.topology` may be a graph of
NetworkX. Keys of a scenario are arguments with `__` for dots, or of `**{"workload.tree.degree": 3}`.

The simulator runs as a process of its own. What it refuses raises InputError with its message: what, where, and what to
do. A run whose checks fail is no error: `results.passed` says so, as the exit status of the command does.
"""

from polycast._calls import Failure, InputError, Interrupted, version
from polycast.analyses import analyse
from polycast.networks import Network, topology
from polycast.pictures import Picture
from polycast.results import Results
from polycast.runs import run
from polycast.scenarios import example
from polycast.sweeps import SweepResults, sweep

__version__ = version()

__all__ = [
    "Failure",
    "InputError",
    "Interrupted",
    "Network",
    "Picture",
    "Results",
    "SweepResults",
    "__version__",
    "analyse",
    "example",
    "run",
    "sweep",
    "topology",
]
