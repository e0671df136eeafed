# SPDX-License-Identifier: Apache-2.0
"""What sets up a shell: --version, completion by the shells themselves, manual pages read by groff."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from conftest import Cli
from polycast_cli.common import ROOT
from polycast_cli.main import app
from polycast_cli.manual import body, pages, plain

PROGRAM = ROOT / "scripts" / "polycast"
#: By shell: how it is asked what could follow the words that are given.
ASKED = {
    "bash": "source {script}; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); "
    "_polycast_completion polycast; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
    "zsh": "compdef() {{}}; _arguments() {{ print -- $*; }}; source {script}; words=({words}); CURRENT=$#words; "
    "_polycast_completion",
    "fish": 'source {script}; complete -C "{words}"',
}  # fmt: skip


@pytest.mark.parametrize("shell", ASKED)
def test_shells_complete_commands_options_and_choices(cli: Cli, shell: str, tmp_path: Path) -> None:
    script = tmp_path / "completion"
    script.write_text(cli("completion", shell).stdout)

    def ask(words: str) -> str:
        text = ASKED[shell].format(script=script, words=words)
        done = subprocess.run([shell, "-c", text], capture_output=True, text=True, cwd=tmp_path, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    commands = ask("polycast re")
    assert all(re.search(rf"\b{name}\b", commands) for name in ("reproduce", "regress", "report"))
    assert "campaign" not in commands
    assert "--scheduler" in ask("polycast run --sc")
    assert "check" in ask("polycast fabric ch")


@pytest.mark.parametrize("shell", ASKED)
def test_completion_makes_the_checkout_a_command(cli: Cli, shell: str, tmp_path: Path) -> None:
    script = tmp_path / "completion"
    script.write_text(cli("completion", shell).stdout)
    ignored = "compdef() {}; " if shell == "zsh" else ""
    text = f"{ignored}source {script}; polycast --version"
    done = subprocess.run([shell, "-c", text], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert re.fullmatch(r"polycast \d+\.\d+\.\d+\n", done.stdout), done.stderr


def test_other_shells_are_refused(cli: Cli) -> None:
    done = cli("completion", env={"SHELL": "/bin/ksh"})
    assert done.returncode == 2
    assert "no completion for ksh; take one of bash, zsh, fish" in done.stderr


def test_every_command_has_a_page() -> None:
    made = pages(app)
    assert {"polycast", "polycast-run", "polycast-fabric", "polycast-fabric-check"} <= set(made)
    assert r"\fB\-s, \-\-set KEY=VALUE\fP" in made["polycast-run"]
    assert ".BR polycast\\-fabric (1)" in made["polycast-fabric-check"]
    assert {page.count("130 interrupted") for page in made.values()} == {1}


def test_groff_reads_the_pages_without_a_warning(cli: Cli, tmp_path: Path) -> None:
    assert cli("manual", "--out", str(tmp_path)).returncode == 0
    files = sorted((tmp_path / "man1").iterdir())
    assert len(files) > 25
    for file in files:
        done = subprocess.run(
            ["groff", "-man", "-Tutf8", "-P-cbou", "-ww", "-rLL=100n", str(file)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, ""), file
        assert "NAME" in done.stdout and "polycast 0." in done.stdout


def test_text_is_no_request() -> None:
    assert plain(".so it is\n'a' -- b\\n") == "\\&.so it is\n\\(aqa\\(aq \\-\\- b\\en"
    assert body("- `a.b` **c**\n- d\n\ntext") == ".IP \\(bu 2\n\\fBa.b\\fP \\fBc\\fP\n.IP \\(bu 2\nd\n.PP\ntext"
