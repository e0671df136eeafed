# SPDX-License-Identifier: Apache-2.0
"""The command line: exit statuses, messages, interruption."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest
from conftest import Cli
from polycast_cli import running
from polycast_cli.common import ROOT, Status, UserError
from polycast_cli.main import app, with_command
from polycast_cli.simulator import left, progress_of, simulate
from polycast_cli.testing import ctest_summary
from typer.main import get_command

COMMANDS = [
    "run",
    "test",
    "check",
    "topology",
    "analyse",
    "waves",
    "report",
    "schema",
    "bench",
    "soak",
    "generate",
    "reproduce",
    "compare",
    "advise",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_teaches(cli: Cli, command: str) -> None:
    done = cli(command, "--help")
    assert done.returncode == 0
    assert "Example" in done.stdout
    assert f"polycast {command}" in done.stdout


def test_help_names_every_command(cli: Cli) -> None:
    text = cli("--help").stdout
    assert [command for command in COMMANDS if command not in text] == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["runn"], "Did you mean 'run'?"),
        (["run", "-s", "seed"], "-s seed: expected KEY=VALUE"),
        (["run", "--jobs", "many"], "valid integer"),
        (["report", "nowhere"], "not a results folder"),
        (["waves", "nowhere"], "not a results folder"),
        (["topology"], "Missing argument"),
        (["analyse", "plans"], "'plans' is not one of"),
        (["analyse", "kbinomial", "-o", "tree.svg"], "only plan, rails and multilane are drawn"),
        (["analyse", "plan", "x.yaml", "-o", "plan.png"], "pictures are written as .svg"),
    ],
)
def test_bad_input_is_status_2(cli: Cli, arguments: list[str], said: str) -> None:
    done = cli(*arguments)
    assert done.returncode == Status.BAD_INPUT
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_waves_are_listed(cli: Cli, results_folder: Callable[..., Path]) -> None:
    done = cli("waves", results_folder(networks=1, waves=True))
    assert done.returncode == 0
    for part in ("irregular-1-tree.fst", "20.0 KB", "irregular-1-tree.gtkw", "switch0..2 switch10"):
        assert part in done.stdout
    assert cli("waves", results_folder("dry", networks=1)).returncode == Status.BAD_INPUT
    several = cli("waves", results_folder("other", networks=1, waves=True), "--open", "nothing")
    assert several.returncode == Status.BAD_INPUT
    assert "no such wave: irregular-1-tree.fst" in several.stderr


def test_report_again(cli: Cli, results_folder: Callable[..., Path]) -> None:
    folder = results_folder(networks=1)
    done = cli("report", folder)
    assert done.returncode == 0
    assert (folder / "report.html").is_file()
    assert "results/report.html" in done.stdout


def fake_simulator(path: Path, body: str) -> Path:
    path.write_text(f"#!{sys.executable}\n{body}")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("status", [0, 1, 2, 130])
def test_status_and_messages_of_the_simulator_come_through(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], status: int
) -> None:
    body = f"""
import sys
print('{{"done":1,"total":2,"point":"a/b","seconds_left":3.5}}', file=sys.stderr)
print("error: my.yaml:3:5: unknown key 'sead'; did you mean 'seed'?", file=sys.stderr)
sys.exit({status})
"""
    assert simulate(fake_simulator(tmp_path / "sim", body), ["run"]) == status
    said = capfd.readouterr().err
    assert "error: my.yaml:3:5: unknown key 'sead'; did you mean 'seed'?\n" in said
    assert "done" not in said


def test_ctrl_c_waits_for_the_simulator(tmp_path: Path) -> None:
    """The simulator gets the signal itself, cleans up, and only then do we end, with 130."""
    body = f"""
import signal, sys, time
def stop(*_):
    time.sleep(0.3)
    open({str(tmp_path / "cleaned")!r}, "w").close()
    sys.exit(130)
signal.signal(signal.SIGINT, stop)
open({str(tmp_path / "started")!r}, "w").close()
time.sleep(60)
"""
    program = fake_simulator(tmp_path / "sim", body)
    ours = f"""
import sys
from pathlib import Path
from zipfile import ZipFile
from polycast_cli.simulator import simulate
sys.exit(simulate(Path({str(program)!r}), ["run"]))
"""
    env = os.environ | {"PYTHONPATH": str(ROOT / "scripts")}
    with subprocess.Popen(
        [sys.executable, "-c", ours], env=env, start_new_session=True, stderr=subprocess.PIPE
    ) as process:
        wait_for(tmp_path / "started")
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(20) == Status.INTERRUPTED
        assert (tmp_path / "cleaned").exists()
        assert process.stderr is not None
        assert b"Traceback" not in process.stderr.read()


def wait_for(path: Path, seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < end, f"{path} did not appear"
        time.sleep(0.02)


def test_progress_messages() -> None:
    assert progress_of('{"done":3,"total":20,"point":"ring/tree","seconds_left":12.3}') is not None
    assert progress_of("error: my.yaml: no such file") is None
    assert progress_of('{"half a line') is None
    assert [left(None), left(9.6), left(75), left(3700)] == [
        "",
        "about 0:10 left",
        "about 1:15 left",
        "about 1:01:40 left",
    ]


def test_the_summary_of_ctest() -> None:
    text = [
        "2/2 Test #2: b ...***Failed",
        "",
        "50% tests passed, 1 tests failed out of 2",
        "",
        "Total Test time (real) = 1 sec",
    ]
    text += ["", "The following tests FAILED:", "\t  2 - b (Failed)", "Errors while running CTest"]
    assert ctest_summary(text) == [text[2], text[4], text[6], text[7]]


def checkout_of(place: Path, requirements: str) -> Path:
    """One with nothing but the set-up, which is returned."""
    setup = place / "scripts" / "setup.sh"
    setup.parent.mkdir(parents=True, exist_ok=True)
    setup.write_bytes((ROOT / "scripts" / "setup.sh").read_bytes())
    setup.chmod(0o755)
    setup.with_name("requirements.txt").write_text(requirements)
    setup.with_name("packages.txt").write_text(
        "# comment\n\npython bash\nbuild  bash no-such-package-a\ntest no-such-package-b\n"
    )
    return setup


def test_set_up_says_what_is_missing_and_how_to_get_it(tmp_path: Path) -> None:
    """With the installation forbidden, a missing package is an error of one line, and nothing is done."""
    setup = checkout_of(tmp_path / "checkout", "nothing==1\n")
    env = os.environ | {"POLYCAST_NO_INSTALL": "1"}
    done = subprocess.run([setup, "build"], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == Status.BAD_INPUT
    assert "1 Debian packages are missing: no-such-package-a\n" in done.stderr
    assert "apt-get install --no-install-recommends no-such-package-a" in done.stderr


def test_set_up_installs_only_files_with_the_listed_hashes(tmp_path: Path) -> None:
    """Without a network, from a folder of files."""
    wheel = tmp_path / "wheels" / "tiny-1.0-py3-none-any.whl"
    wheel.parent.mkdir()
    with ZipFile(wheel, "w") as archive:
        archive.writestr("tiny.py", "")
        archive.writestr("tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        archive.writestr("tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr("tiny-1.0.dist-info/RECORD", "")
    env = os.environ | {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheel.parent)}
    right = hashlib.sha256(wheel.read_bytes()).hexdigest()
    for hashes, code, said in [
        (f" --hash=sha256:{'0' * 64}", 2, "THESE PACKAGES DO NOT MATCH THE HASHES"),
        ("", 2, "Hashes are required"),
        (f" --hash=sha256:{'0' * 64} --hash=sha256:{right}", 0, "installing 1 Python packages"),
    ]:
        setup = checkout_of(tmp_path / "checkout", f"tiny==1.0{hashes}\n")
        done = subprocess.run([setup, "python"], env=env, capture_output=True, text=True, check=False)
        assert (done.returncode, said in done.stderr) == (code, True), done.stderr


def test_set_up_looks_again_only_after_a_change(tmp_path: Path) -> None:
    """Where nothing has changed it starts no other program."""
    setup = checkout_of(tmp_path / "checkout", "")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/dpkg-query").write_text(
        f"#!/bin/sh\necho x >> '{tmp_path}/asked'\nexec /usr/bin/dpkg-query \"$@\"\n"
    )
    (tmp_path / "bin/dpkg-query").chmod(0o755)
    packages = tmp_path / "packages"  # stands for what is known of Debian's
    packages.write_text("of one machine")
    (tmp_path / "bin/stat").write_text(f"#!/bin/sh\nexec cat '{packages}'\n")
    (tmp_path / "bin/stat").chmod(0o755)
    env = os.environ | {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "PIP_NO_INDEX": "1"}

    def asked() -> bool:
        (tmp_path / "asked").unlink(missing_ok=True)
        subprocess.run([setup, "python"], env=env, capture_output=True, check=True)
        return (tmp_path / "asked").exists()

    setup.with_name("requirements.txt").write_text("# none\n")
    assert [asked(), asked()] == [True, False]
    with setup.with_name("packages.txt").open("a") as stream:
        stream.write("# one more\n")
    assert [asked(), asked()] == [True, False]
    packages.write_text("of another one, which got the folder from a cache, where all files are older")
    os.utime(packages, (0, 0))
    assert [asked(), asked()] == [True, False]
    shutil.rmtree((tmp_path / "checkout/.polycast/python").resolve())
    assert asked()


def archive_of(place: Path, names: list[str]) -> dict[str, str]:
    """Variables with which apt-get knows an archive of these packages only, each with a file."""
    (place / "archive").mkdir(parents=True)
    lists = []
    for name in names:
        tree = place / name
        (tree / "DEBIAN").mkdir(parents=True)
        control = f"Package: {name}\nVersion: 1\nArchitecture: all\nMaintainer: none\nDescription: none\n"
        (tree / "DEBIAN/control").write_text(control)
        (tree / "usr/bin").mkdir(parents=True)
        (tree / "usr/bin" / name).write_text("unpacked")
        package = place / "archive" / f"{name}_1_all.deb"
        subprocess.run(["dpkg-deb", "-b", tree, package], capture_output=True, check=True)
        data = package.read_bytes()
        digest = hashlib.sha256(data).hexdigest()
        lists.append(f"{control}Filename: ./{package.name}\nSize: {len(data)}\nSHA256: {digest}\n")
    (place / "archive/Packages").write_text("\n".join(lists))
    (place / "sources.list").write_text(f"deb [trusted=yes] copy:{place}/archive ./\n")
    (place / "apt.conf").write_text(f'Dir::Etc::sourcelist "{place}/sources.list";\nDir::Etc::sourceparts "-";\n')
    # An environment of Python takes long to make, and is not what these tests are about.
    python = place / "python"
    python.write_text(
        "#!/bin/sh\n"
        'if [ "$1 $2" = "-m venv" ]; then mkdir -p "$3/bin" && ln -s /bin/true "$3/bin/python"; '
        f'else exec {sys.executable} "$@"; fi\n'
    )
    python.chmod(0o755)
    return os.environ | {"APT_CONFIG": str(place / "apt.conf"), "POLYCAST_PYTHON": str(python)}


def test_set_up_unpacks_what_must_not_be_installed(tmp_path: Path) -> None:
    """Without root's rights or lists, once, and for the groups test and fabric only."""
    setup = checkout_of(tmp_path / "checkout", "# none\n")
    state = tmp_path / "checkout/.polycast"
    env = archive_of(tmp_path / "debian", ["polycast-one", "polycast-two"])
    with setup.with_name("packages.txt").open("a") as stream:
        stream.write("unpacked polycast-one\nunpacked polycast-two\n")

    def run(group: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([setup, group], env=env | more, capture_output=True, text=True, check=False)

    assert run("python").returncode == 0
    assert not (state / "unpacked").exists()
    done = run("fabric", POLYCAST_NO_INSTALL="1")
    assert (done.returncode, "not unpacked: polycast-one polycast-two" in done.stderr) == (2, True), done.stderr
    done = run("fabric")
    assert (done.returncode, "unpacking 2 Debian packages" in done.stderr) == (0, True), done.stderr
    for name in ("polycast-one", "polycast-two"):
        assert (state / "unpacked/usr/bin" / name).read_text() == "unpacked"
        assert subprocess.run(["dpkg", "-s", name], capture_output=True, check=False).returncode != 0
    assert not (state / "unpacked/apt").exists()
    assert run("fabric").stderr == ""
    shutil.rmtree((state / "unpacked").resolve())
    assert "unpacking" in run("fabric").stderr, "what is lost is fetched again"


def test_set_up_unpacks_for_each_group_what_it_needs(tmp_path: Path) -> None:
    """Cell libraries and tools of fabrics lie apart, so that neither is fetched for the other's sake."""
    setup = checkout_of(tmp_path / "checkout", "# none\n")
    state = tmp_path / "checkout/.polycast"
    env = archive_of(tmp_path / "debian", ["polycast-one", "polycast-two"])
    with setup.with_name("packages.txt").open("a") as stream:
        stream.write("unpacked polycast-one\ncells polycast-two\n")

    def run(group: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([setup, group], env=env | more, capture_output=True, text=True, check=False)

    done = run("cost", POLYCAST_NO_INSTALL="1")
    assert (done.returncode, "not unpacked: polycast-two" in done.stderr) == (2, True), done.stderr
    assert run("cost").returncode == 0
    assert (state / "cells/usr/bin/polycast-two").read_text() == "unpacked"
    assert not (state / "unpacked").exists()
    assert run("cost").stderr == ""
    done = run("fabric")
    assert (done.returncode, "unpacking 1 Debian packages" in done.stderr) == (0, True), done.stderr
    assert (state / "unpacked/usr/bin/polycast-one").is_file()
    assert (state / "cells/usr/bin/polycast-two").is_file(), "what is there stays"
    shutil.rmtree((state / "cells").resolve())
    assert "unpacking 1 Debian packages" in run("cost").stderr, "what is lost is fetched again"


def test_set_up_says_which_package_cannot_be_had(tmp_path: Path) -> None:
    setup = checkout_of(tmp_path / "checkout", "# none\n")
    env = archive_of(tmp_path / "debian", ["polycast-one"])
    with setup.with_name("packages.txt").open("a") as stream:
        stream.write("unpacked polycast-one polycast-absent\n")
    for _ in range(2):
        done = subprocess.run([setup, "fabric"], env=env, capture_output=True, text=True, check=False)
        assert done.returncode == Status.BAD_INPUT
        assert "Debian has no package polycast-absent\n" in done.stderr
        assert "polycast-one\n" not in done.stderr
        assert not (tmp_path / "checkout/.polycast/unpacked").exists()


def test_a_command_is_prepared_alone() -> None:
    """Every one has its name, and the others only where it is not known."""
    every = get_command(app).commands  # type: ignore[attr-defined]
    for name in every:
        assert list(get_command(with_command(name)).commands) == [name]  # type: ignore[attr-defined]
    assert with_command("runn") is with_command("") is app


def test_what_is_written_is_named_by_one_option() -> None:
    for name, command in get_command(app).commands.items():  # type: ignore[attr-defined]
        options = [option for parameter in command.params for option in parameter.opts]
        assert "--output" not in options, name
        assert ("--out" in options) == ("-o" in options), name


#: They read and write files, and need nothing but Python.
ALONE = {"completion", "generate", "manual", "packets", "tables", "waves", "why"}


def test_commands_that_build_have_what_they_build_with() -> None:
    """scripts/polycast knows the groups of packages of every command."""
    text = (ROOT / "scripts" / "polycast").read_text()
    groups = {
        name: line.split("groups+=(")[1].split(")")[0].split()
        for line in text.splitlines()
        if "groups+=(" in line and "--open" not in line
        for name in line.split(")")[0].replace("|", " ").split()
    }
    assert set(groups) | ALONE == set(get_command(app).commands)  # type: ignore[attr-defined]
    assert groups["coverage"] == groups["soak"] == groups["test"] == ["build", "test"]
    assert groups["fabric"] == ["build"], "the oracle is asked for by --against"
    assert groups["regress"] == ["build"], "the rest is asked for by what its plan uses"


def test_set_up_of_what_is_there_does_nothing() -> None:
    done = subprocess.run([ROOT / "scripts" / "setup.sh", "python"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_imports_beside_a_run_may_end_after_it() -> None:
    """A run that is refused at once is over before the imports of the report are."""
    code = "import threading, importlib\n"
    code += "threading.Thread(target=importlib.import_module, args=('polycast_cli.reports.report',)).start()"
    environment = os.environ | {"PYTHONPATH": str(ROOT / "scripts")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_nothing_is_stopped_within_a_library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Imports that go on beside a run are waited for at an early end: else the program ends by SIGABRT now and then."""
    imported, threads = threading.Event(), []

    def early_end(preset: str) -> Path:
        threads.extend(set(threading.enumerate()) - before)
        raise UserError("nothing is built")

    before = set(threading.enumerate())
    monkeypatch.setattr(running, "import_module", lambda name: imported.wait(10))
    monkeypatch.setattr(running, "ready", early_end)
    with pytest.raises(UserError):
        running.run_scenario(tmp_path / "none.yaml", [], [], None, None, running.Sweeping(), False, "release")
    imported.set()
    assert len(threads) == 1
    assert not threads[0].daemon
