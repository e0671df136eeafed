# SPDX-License-Identifier: Apache-2.0
"""`check --fix-schema`: the comment by which editors find the schema, and nothing else, changes in a scenario."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from polycast_cli import schema_line
from polycast_cli.common import ROOT, Failure
from polycast_cli.schema_line import PUBLISHED, place_of, published, with_line
from simulation import SCENARIOS, SIMULATOR, said

LINE = b"# yaml-language-server: $schema=here.json"


def check(scenario: Path, status: int = 0) -> str:
    """What the command says on both streams, from the folder of the scenario."""
    command = [sys.executable, Path(__file__).with_name("prebuilt_cli.py"), "check", scenario.name, "--fix-schema"]
    env = os.environ | {"PYTHONPATH": str(ROOT / "scripts"), "COLUMNS": "200", "TERM": "dumb"}
    done = subprocess.run(
        [str(part) for part in command], cwd=scenario.parent, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"name: a\n", LINE + b"\nname: a\n"),
        (b"# mine\r\nname: a\r\n", LINE + b"\r\n# mine\r\nname: a\r\n"),
        (b"\xef\xbb\xbfname: a", b"\xef\xbb\xbf" + LINE + b"\nname: a"),
        (b"%YAML 1.2\n---\nname: a\n", LINE + b"\n%YAML 1.2\n---\nname: a\n"),
        (b"# yaml-language-server: $schema=/old/place.json\nname: a\n", LINE + b"\nname: a\n"),
        (b"# mine\r\n#  yaml-language-server : $schema=https://x/y#/z\r\nname: a  \r\n",
         b"# mine\r\n#  yaml-language-server : $schema=here.json\r\nname: a  \r\n"),
        (b"# yaml-language-server: $schema=old more\nname: a\n", LINE + b" more\nname: a\n"),
        (b"# yaml-language-server:\nname: a\n", LINE + b"\nname: a\n"),
        (b"# $schema: old.json\nname: a\n", LINE + b"\nname: a\n"),
        # These are no such comments for yaml-language-server.
        (b"#yaml-language-server: $schema=old\nname: a\n", LINE + b"\n#yaml-language-server: $schema=old\nname: a\n"),
        (b"name: a  # yaml-language-server: $schema=b\n", LINE + b"\nname: a  # yaml-language-server: $schema=b\n"),
    ],
)  # fmt: skip
def test_only_the_comment_changes(before: bytes, after: bytes) -> None:
    assert with_line(before, "here.json") == after
    assert with_line(after, "here.json") == after


def test_a_place_is_relative_within_the_checkout(tmp_path: Path) -> None:
    built = ROOT / "build" / "release" / PUBLISHED
    inside = place_of(built, SCENARIOS / "first_light.yaml")
    assert inside == "../../build/release/share/polycast/scenario.schema.json"
    assert place_of(built, tmp_path / "my.yaml") == str(built.resolve())
    assert place_of(tmp_path / "a.json", SCENARIOS / "first_light.yaml") == str(tmp_path / "a.json")
    # A path would end at the space, and # begin a part of the schema.
    assert place_of(tmp_path / "my #1" / "a.json", tmp_path / "my.yaml") == f"file://{tmp_path}/my%20%231/a.json"


def test_the_schema_comes_with_the_simulator(tmp_path: Path) -> None:
    assert json.loads(published(SIMULATOR).read_text()) == json.loads(said("schema"))
    with pytest.raises(Failure, match="missing; it comes with the build of polycast-sim"):
        published(tmp_path / "bin" / "polycast-sim")


def test_a_scenario_gets_the_comment_and_is_checked(tmp_path: Path) -> None:
    scenario = tmp_path / "my.yaml"
    before = (SCENARIOS / "first_light.yaml").read_bytes()
    scenario.write_bytes(before)
    scenario.chmod(0o640)
    assert "my.yaml: good: 10 networks" in check(scenario)
    line, rest = scenario.read_bytes().split(b"\n", 1)
    assert rest == before
    place = Path(line.decode().removeprefix("# yaml-language-server: $schema="))
    assert place.samefile(published(SIMULATOR))
    assert scenario.stat().st_mode & 0o777 == 0o640
    # The second time the file is not even written.
    written = scenario.stat().st_mtime_ns
    assert "already" in check(scenario)
    assert scenario.stat().st_mtime_ns == written
    assert [path.name for path in tmp_path.iterdir()] == ["my.yaml"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.yaml").write_bytes((SCENARIOS / "first_light.yaml").read_bytes())
    (tmp_path / "my.yaml").symlink_to("real.yaml")
    check(tmp_path / "my.yaml")
    assert (tmp_path / "my.yaml").is_symlink()
    assert (tmp_path / "real.yaml").read_bytes().startswith(b"# yaml-language-server: ")


def test_mistakes_are_told_with_the_lines_of_the_new_file(tmp_path: Path) -> None:
    """The editor helps to correct them."""
    scenario = tmp_path / "my.yaml"
    scenario.write_text("name: my\nsed: 1\n")
    assert "my.yaml:3:1: unknown key 'sed'" in check(scenario, status=2)
    assert scenario.read_text().endswith("json\nname: my\nsed: 1\n")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff\xfe\x00", "my.yaml: not a text file"),
        (b"name: [1, 2\n", "my.yaml:2:1: expected ',' or ']'"),
        (b"- a\n- b\n", "my.yaml:1:1: expected a scenario: keys with values, such as 'name: my'"),
        (b"", "my.yaml:1:1: expected a scenario"),
    ],
)
def test_what_is_no_scenario_stays_as_it_is(tmp_path: Path, content: bytes, message: str) -> None:
    scenario = tmp_path / "my.yaml"
    scenario.write_bytes(content)
    assert f"error: {message}" in check(scenario, status=2)
    assert scenario.read_bytes() == content
    assert [path.name for path in tmp_path.iterdir()] == ["my.yaml"]


def test_a_folder_and_nothing_are_no_files(tmp_path: Path) -> None:
    (tmp_path / "my.yaml").mkdir()
    assert "my.yaml: not a file" in check(tmp_path / "my.yaml", status=2)
    assert "your.yaml: No such file" in check(tmp_path / "your.yaml", status=2)


def test_half_a_scenario_is_never_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the disk is full the old file is whole."""
    scenario = tmp_path / "my.yaml"
    scenario.write_text("name: my\n")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(schema_line.shutil, "copymode", full)
    with pytest.raises(Failure, match="No space left on device"):
        schema_line.fix_schema(scenario, SIMULATOR)
    assert scenario.read_text() == "name: my\n"
    assert [path.name for path in tmp_path.iterdir()] == ["my.yaml"]
