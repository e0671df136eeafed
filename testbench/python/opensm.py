# SPDX-License-Identifier: Apache-2.0
"""OpenSM as tests run it: on the network simulator ibsim, with files and sockets of its own and no InfiniBand device.

Both are unpacked by set-up, and are ended with the block that started them. `timeout` ends them, too, so that nothing
stays if the tests themselves are killed.
"""

from __future__ import annotations

import os
import re
import secrets
import subprocess
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from polycast_cli.fabric.tools import SIMULATED_DEVICE, environment, library, program

#: Seconds for OpenSM: an engine that cannot route a network tries again for ever. A run takes 0.5 to 5 s.
LIMIT = 30
#: Seconds that ibsim lives at most, whatever happens to the test.
LIFE = 300
#: Everything that OpenSM can dump.
DUMPS = "0x47"
#: Path records asked for at once; most of each query is waiting.
QUERIES = 8


class NotRouted(Exception):
    """OpenSM has not configured all switches with the engine; holds the end of its log."""


@dataclass
class Engine:
    """A routing engine and what it needs."""

    name: str
    #: GUIDs of roots.
    roots: Sequence[int] = ()
    lmc: int = 0
    #: Configure and dump SL to VL tables.
    lanes: bool = False
    #: Text of a file of torus-2QoS.
    torus: str = ""
    #: Text of a file of multicast groups, in the form of opensm-sa.dump.
    groups: str = ""

    def options(self, folder: Path) -> list[str]:
        """The command line; writes the files that it names."""
        found = [
            "-R",
            f"{self.name},no_fallback",
            "-D",
            DUMPS,
            "--dump_files_dir",
            str(folder),
            "-P",
            os.devnull,
            "-d2",
        ]
        found += ["-f", str(folder / "opensm.log"), "-e"]
        if self.roots:
            (folder / "roots").write_text("".join(f"0x{guid:016x}\n" for guid in self.roots))
            found += ["-a", str(folder / "roots")]
        if self.lmc:
            found += ["-l", str(self.lmc)]
        if self.lanes:
            found.append("-Q")
        for name, text, option in (("torus.conf", self.torus, "--torus_config"), ("groups", self.groups, "-S")):
            if text:
                (folder / name).write_text(text)
                found += [option, str(folder / name)]
        return found


def on_device() -> list[str]:
    """What has a program use ibsim's network. `timeout` must not: it would take the program's answers."""
    return ["env", f"LD_PRELOAD={library(SIMULATED_DEVICE)}"]


@dataclass
class Simulation:
    """An ibsim that runs, and the folder of what is made on it."""

    folder: Path
    socket: str = field(default_factory=lambda: f"p{secrets.token_hex(4)}")

    def environment(self, node: str = "node000") -> dict[str, str]:
        # Without folders of its own OpenSM takes the LIDs of an earlier network.
        folders = {"OSM_CACHE_DIR": str(self.folder), "OSM_TMP_DIR": str(self.folder)}
        return environment(IBSIM_SOCKNAME=self.socket, SIM_HOST=node, **folders)

    def tool(self, name: str, *arguments: str, node: str = "node000") -> str:
        """What a tool on an adapter prints about the network."""
        command = [*on_device(), program(name), *arguments]
        done = subprocess.run(
            command, env=self.environment(node), cwd=self.folder, capture_output=True, text=True, errors="replace",
            check=False, timeout=LIMIT,
        )  # fmt: skip
        if done.returncode:
            raise RuntimeError(f"{name} {' '.join(arguments)}: exit status {done.returncode}\n{done.stderr[-2000:]}")
        return done.stdout

    def log(self) -> str:
        path = self.folder / "opensm.log"
        return path.read_text(errors="replace") if path.is_file() else ""

    def command(self, engine: Engine) -> list[str]:
        return ["timeout", "-k", "1", str(LIMIT), *on_device(), str(program("opensm")), *engine.options(self.folder)]

    def configured(self, engine: Engine) -> None:
        """\\raises NotRouted"""
        if f"{engine.name} tables configured on all switches" not in self.log():
            raise NotRouted(f"{engine.name}:\n{self.log()[-2000:]}")

    def route(self, engine: Engine) -> None:
        """One sweep: LIDs and tables, and their dumps in the folder. \\raises NotRouted"""
        subprocess.run(
            [*self.command(engine), "-o"], env=self.environment(), cwd=self.folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        self.configured(engine)

    @contextmanager
    def manager(self, engine: Engine) -> Iterator[None]:
        """OpenSM stays, to be asked, until the block ends. \\raises NotRouted"""
        quiet = subprocess.DEVNULL
        with ended(
            subprocess.Popen(
                self.command(engine), env=self.environment(), cwd=self.folder, stdin=quiet, stdout=quiet, stderr=quiet
            )
        ) as process:
            until = time.monotonic() + LIMIT
            while "SUBNET UP" not in self.log():
                if process.poll() is not None or time.monotonic() > until:
                    raise NotRouted(f"{engine.name}:\n{self.log()[-2000:]}")
                time.sleep(0.1)
            self.configured(engine)
            yield

    def path_sl(self, source: int, destination: int, node: str = "node000") -> int:
        """The SL of a path, by LIDs."""
        text = self.tool("saquery", "PR", "--slid", str(source), "--dlid", str(destination), node=node)
        found = re.search(r"\bsl\.+0x([0-9A-Fa-f]+)", text)
        if found is None:
            raise RuntimeError(f"no path from LID {source} to {destination}:\n{text}")
        return int(found[1], 16)

    def write_path_sls(self, ends: Sequence[Adapter]) -> None:
        """The file psl of all pairs of adapters."""
        pairs = [(one, other) for one in ends for other in ends if one != other]
        # Two programs on one adapter take each other's answers, so each that asks has one of its own.
        nodes = [end.name for end in ends[1 : 1 + QUERIES]]

        def ask(number: int) -> list[int]:
            return [self.path_sl(one.lid, other.lid, nodes[number]) for one, other in pairs[number :: len(nodes)]]

        with ThreadPoolExecutor(len(nodes)) as pool:
            answers = list(pool.map(ask, range(len(nodes))))
        lines = [
            f"0x{one.guid:x} {other.lid} {answers[index % len(nodes)][index // len(nodes)]}"
            for index, (one, other) in enumerate(pairs)
        ]
        (self.folder / "psl").write_text("\n".join([*lines, ""]))


@contextmanager
def ended(process: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """The process is ended with the block."""
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def simulated(network: str, folder: Path) -> Iterator[Simulation]:
    """ibsim with a network, in the form of its net files, whose first adapter is node000."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "fabric.net").write_text(network)
    made = Simulation(folder)
    command = ["timeout", "-k", "1", str(LIFE), str(program("ibsim")), "-s", "fabric.net"]
    variables = environment(IBSIM_SOCKNAME=made.socket)
    with (
        (folder / "ibsim.log").open("w") as log,
        ended(
            subprocess.Popen(
                command, env=variables, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
            )
        ) as process,
    ):
        until = time.monotonic() + LIMIT
        while True:
            try:
                made.tool("ibnetdiscover", "-H")
                break
            except RuntimeError:
                if process.poll() is not None or time.monotonic() > until:
                    raise RuntimeError(
                        f"ibsim does not answer:\n{(folder / 'ibsim.log').read_text()[-2000:]}"
                    ) from None
                time.sleep(0.1)
        yield made


#: What OpenSM leaves in a folder, for checkers to read.
FILES = ("opensm-subnet.lst", "opensm.fdbs", "opensm-lfts.dump", "opensm.mcfdbs", "opensm-sl2vl.dump", "opensm-sa.dump")
ADAPTER = re.compile(r"\{ CA(?:-SM)? .*?NodeGUID:([0-9a-fA-F]+) .*?\{(.*?)\} LID:([0-9A-F]+) PN:")


class Adapter(NamedTuple):
    """An adapter with one port."""

    guid: int
    name: str
    lid: int


def adapters(subnet: str) -> list[Adapter]:
    """All adapters of a subnet list, by GUID."""
    return sorted({Adapter(int(guid, 16), name, int(lid, 16)) for guid, name, lid in ADAPTER.findall(subnet)})


def routed(network: str, engine: Engine, folder: Path, path_sls: bool = False) -> Path:
    """A folder with the dumps of one run, with what `ibnetdiscover` and `dump_fts` print, and with path SLs if wanted.

    \\raises NotRouted
    """
    work = folder / "opensm"
    with simulated(network, work) as simulation:
        if path_sls:
            with simulation.manager(engine):
                simulation.write_path_sls(adapters((work / "opensm-subnet.lst").read_text()))
        else:
            simulation.route(engine)
        (folder / "net.ibnetdiscover").write_text(simulation.tool("ibnetdiscover"))
        (folder / "dump_lfts.txt").write_text(simulation.tool("dump_fts"))
        (folder / "dump_mfts.txt").write_text(simulation.tool("dump_fts", "-M"))
    for name in (*FILES, "psl"):
        if (work / name).is_file():
            (folder / name).write_bytes((work / name).read_bytes())
    return folder
