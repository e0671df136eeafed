# SPDX-License-Identifier: Apache-2.0
"""Pages say what is true: commands run and print what is shown, scenarios are good, links lead somewhere.

Commands of the pages and of the help run in a folder that looks like a checkout. Which of them run in a shorter form,
or with POLYCAST_LONG=1 only, is in documents.yaml.
"""

from __future__ import annotations

import re
import sqlite3
import subprocess
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from fixture_documents import (
    Block,
    Command,
    Page,
    as_typed,
    cli,
    headers,
    help_pages,
    page_of,
    pages,
    parse_fault,
    read_page,
    simple_commands,
)
from fixture_sandbox import LONG, RULES, Sandbox, form, rule_of
from fixture_yaml import fault_of
from polycast_cli.common import ROOT
from polycast_cli.generate import commands, formats
from polycast_cli.main import app
from simulation import SIMULATOR

PAGES = [page_of(path) for path in pages()]
HELP = help_pages()
HEADERS = headers()
WITH_COMMANDS = [page for page in PAGES + HELP if page.commands]
LIMIT = 7200 if LONG else 900
#: Languages of blocks. What is in `text` and without a language is not checked, so it must not be a command.
LANGUAGES = {"", "c", "cmake", "cpp", "console", "python", "sh", "sql", "systemverilog", "text", "yaml"}
COMMAND = re.compile(r"\s*(\$ )?(scripts|testbench|build)/\S+ |\s*(\$ )?(ctest|cmake|polycast) ")
LICENCE = "<!-- SPDX-License-Identifier: Apache-2.0 -->"
EXTERNAL = re.compile(r"^[a-z]+:")


def named(items: list[Page]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("page", items, ids=[page.path for page in items])


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of the scenario `my.yaml`, with waves and packets."""
    sandbox = Sandbox(tmp_path_factory.mktemp("documents") / "checkout")
    done = sandbox.run("scripts/polycast run my.yaml --waves --packets --out results/my", LIMIT)
    assert done.returncode == 0, done.stdout
    return sandbox.folder / "results" / "my"


@pytest.fixture
def sandbox(tmp_path: Path, results: Path) -> Sandbox:
    made = Sandbox(tmp_path / "checkout")
    made.put_results(results)
    return made


def dead_links(page: Page) -> Iterator[str]:
    """What links of a page lead to and is not there."""
    for link, line in page.links:
        if EXTERNAL.match(link):
            continue
        name, _, anchor = link.partition("#")
        target = (ROOT / page.path).parent / name if name else ROOT / page.path
        if not target.exists():
            yield f"{page.path}:{line}: there is no {name}"
        elif anchor and target.suffix == ".md":
            path = str(target.resolve().relative_to(ROOT))
            if anchor not in (page if not name else page_of(path)).anchors:
                yield f"{page.path}:{line}: {path} has no heading #{anchor}"


@named(PAGES)
def test_links_lead_somewhere(page: Page) -> None:
    assert list(dead_links(page)) == []


@named(PAGES)
def test_files_that_pages_name_are_there(page: Page) -> None:
    assert [f"{page.path}:{line}: {path}" for path, line in page.paths if not (ROOT / path).exists()] == []


def reached(found: list[Page]) -> set[str]:
    """Pages that links lead to from README.md; a link to a folder leads to its README.md."""
    by_path = {page.path: page for page in found}
    seen = {"README.md"}
    queue = deque(seen)
    while queue:
        path = queue.popleft()
        for link, _ in by_path[path].links:
            name = link.partition("#")[0]
            if not name or EXTERNAL.match(link):
                continue
            target = (ROOT / path).parent / name
            if target.is_dir():
                target = target / "README.md"
            relative = str(target.resolve().relative_to(ROOT))
            if relative in by_path and relative not in seen:
                seen.add(relative)
                queue.append(relative)
    return seen


def test_every_page_is_reached_from_the_readme() -> None:
    assert sorted({page.path for page in PAGES} - reached(PAGES)) == []


def absent(text: str) -> list[str]:
    """Files in folders of the project that a command names and that are not there."""
    tops = {path.name for path in ROOT.iterdir() if path.is_dir()} - {"results", "build"}
    every = [word for part in simple_commands(text) for word in part]
    named_files = [word for word in every if "/" in word and word.split("/")[0] in tops]
    return [
        word for word in named_files if not (ROOT / word).exists() and not (ROOT / word.partition("::")[0]).exists()
    ]


def wrong_commands(page: Page) -> list[str]:
    """Commands that cannot be right."""
    found = []
    for command in page.commands:
        if fault := parse_fault(command.text):
            found.append(f"{page.path}:{command.line}: {command.text}: {fault}")
        found += [f"{page.path}:{command.line}: there is no {path}" for path in absent(command.text)]
    for text, line in page.mentions:
        known = {option for parameter in cli().commands[text.split()[0]].params for option in parameter.opts}
        # `analyse` hands its options on to the simulator.
        given = {word.split("=")[0] for word in text.split() if re.fullmatch(r"--?[a-zA-Z][\w-]*(=.*)?", word)}
        if text.split()[0] != "analyse" and given - known:
            found.append(f"{page.path}:{line}: `{text}`: there is no {', '.join(sorted(given - known))}")
    return found


@named(HEADERS)
def test_scenarios_can_run_as_their_headers_say(page: Page) -> None:
    for command in page.commands:
        words = simple_commands(command.text)[0]
        if words[1] == "run":
            done = subprocess.run(
                [SIMULATOR, "check", *words[2:]], cwd=ROOT, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, f"{page.path}:{command.line}: {done.stderr}"


@named(PAGES + HELP + HEADERS)
def test_commands_parse(page: Page) -> None:
    assert wrong_commands(page) == []


def plain(text: str) -> str:
    """What a command printed, with paths as they are in a checkout."""
    return re.sub(r"[ \t]+", " ", text.replace(f"{ROOT}/", ""))


def prints(shown: list[str], printed: str) -> bool:
    """Whether `printed` is what the page shows; `...` stands for anything, alone in a line for any lines."""
    while shown and not shown[-1].strip():
        shown = shown[:-1]
    pattern = ""
    for line in shown:
        line = re.sub(r"[ \t]+", " ", line.rstrip())
        pattern += r"(?:.*\n)*?" if line == "..." else re.escape(line).replace(r"\.\.\.", ".*") + r" ?\n"
    return re.fullmatch(pattern, plain(printed.rstrip() + "\n" if printed.strip() else "")) is not None


def run_page(page: Page, sandbox: Sandbox) -> list[str]:
    """Runs the commands of a page in their order; returns what went wrong."""
    wrong = []
    done_before: set[str] = set()
    for command in page.commands:
        text = form(command.text)
        if text is None or (command.output is None and text in done_before):
            continue
        done_before.add(text)
        place = f"{page.path}:{command.line}: {command.text}"
        try:
            done = sandbox.run(text, LIMIT)
        except subprocess.TimeoutExpired:
            wrong.append(f"{place}: took longer than {LIMIT} s")
            continue
        if done.returncode != command.status:
            wrong.append(f"{place}: exit status {done.returncode}, not {command.status}:\n{done.stdout[-1500:]}")
        elif command.output is not None and not prints(command.output, done.stdout):
            wrong.append(f"{place}: does not print what the page shows, but\n{plain(done.stdout)[-3000:]}")
    return wrong


@named(WITH_COMMANDS)
def test_commands_run(page: Page, sandbox: Sandbox) -> None:
    wrong = run_page(page, sandbox)
    assert not wrong, "\n\n".join(wrong)
    for picture in sandbox.folder.glob("*.svg"):
        assert ElementTree.parse(picture).getroot().tag == "{http://www.w3.org/2000/svg}svg"
        for shown in (ROOT / link for link, _ in page.links if Path(link).name == picture.name):
            drawn = picture.read_text().replace("<title>", f"{LICENCE}<title>", 1)
            assert shown.read_text() == drawn, f"{shown} is not what {page.path} draws; with {LICENCE} it is:\n{drawn}"
    for block in page.blocks:
        if block.language == "sql":
            assert_query(block, sandbox.folder / "results", page.path)


def assert_query(block: Block, folder: Path, path: str) -> None:
    """The query of a page works on one of the databases that its commands wrote."""
    faults = []
    for file in sorted(folder.rglob("*.sqlite")):
        try:
            sqlite3.connect(file).executescript(block.text)
            return
        except sqlite3.Error as error:
            faults.append(f"{file.name}: {error}")
    pytest.fail(f"{path}:{block.line}: no database answers it: {faults}")


def test_yaml_of_the_pages_is_good(sandbox: Sandbox) -> None:
    faults = [
        f"{page.path}:{block.line}: {fault}"
        for page in PAGES
        for block in page.blocks
        if block.language == "yaml" and (fault := fault_of(block.text, sandbox.folder))
    ]
    assert faults == []


@named(PAGES)
def test_blocks_have_a_language_that_is_checked(page: Page, tmp_path: Path) -> None:
    for block in page.blocks:
        place = f"{page.path}:{block.line}"
        assert block.language in LANGUAGES, f"{place}: nothing checks {block.language}"
        if block.language in ("", "text", "c", "cpp", "systemverilog"):
            for line in block.text.splitlines():
                assert not COMMAND.match(line), f"{place}: a command outside an `sh` or `console` block: {line}"
        elif block.language == "python":
            compile(block.text, place, "exec")
        elif block.language == "cmake":
            check_cmake(block.text, place, tmp_path)


def check_cmake(text: str, place: str, scratch: Path) -> None:
    """It can be read, and names libraries that the package has, in its version."""
    stubs = "\n".join(
        f"function({name})\nendfunction()"
        for name in ("project", "add_executable", "target_link_libraries", "find_package")
    )
    script = scratch / "block.cmake"
    script.write_text(f"{stubs}\n{text}")
    done = subprocess.run(["cmake", "-P", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{place}: {done.stderr}"
    installed = (ROOT / "scripts" / "cmake" / "PolycastInstall.cmake").read_text()
    for name in re.findall(r"polycast::(\w+)", text):
        assert re.search(rf"\b{name}\b", installed), f"{place}: there is no polycast::{name}"
    version = re.search(r"project\(polycast VERSION (\d+\.\d+)", (ROOT / "CMakeLists.txt").read_text())
    assert version
    assert re.findall(r"find_package\(polycast ([\d.]+)", text) == [version[1]], place


def test_the_table_of_commands_is_what_help_says(tmp_path: Path) -> None:
    assert formats.refresh(ROOT, commands.render(ROOT, app), check=True) == []
    copy = tmp_path / commands.PAGE
    copy.parent.mkdir()
    copy.write_text((ROOT / commands.PAGE).read_text().replace("| `run` | Simulate", "| `run` | Stimulate"))
    assert formats.refresh(tmp_path, commands.render(tmp_path, app), check=False) == [commands.PAGE]
    assert copy.read_text() == (ROOT / commands.PAGE).read_text()


def test_every_rule_is_of_use() -> None:
    texts = [as_typed(command.text) for page in WITH_COMMANDS for command in page.commands]
    used = {rule.match for text in texts if (rule := rule_of(text))}
    assert [rule.match for rule in RULES if rule.match not in used] == []


WRONG = """# A page
Text with `scripts/polycast rnu my.yaml` and a [link](nowhere.md), [one](#not-here), [more](hw/README.md#not-here);
`run --pakets`.

```sh
scripts/polycast run my.yaml --wave
scripts/polycast check testbench/scenarios/none.yaml
scripts/polycast check my.yaml        # exit status 2
```
```console
$ scripts/polycast check my.yaml
my.yaml: good: 2 networks ...
```
"""


def test_a_wrong_page_is_found_out(sandbox: Sandbox) -> None:
    page = read_page(WRONG, "README.md")
    assert len(list(dead_links(page))) == 3
    assert [text.split(": ", 1)[0] for text in wrong_commands(page)] == [f"README.md:{n}" for n in (2, 6, 7, 2)]
    wrong = run_page(page, sandbox)
    assert [text.split(":")[1] for text in wrong] == ["2", "6", "7", "8", "11"]
    assert "not 2" in wrong[3]
    assert "good: 1 network" in wrong[4]
    assert reached([page, page_of("hw/README.md"), page_of("TUTORIAL.md")]) == {"README.md", "hw/README.md"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("network: {fidelity: corr}\n", "corr"),
        ("netwrok: {fidelity: core}\n", "netwrok"),
        ("workload:\n  - {name: a, kind: multicast, degree: 100}\n", "degree"),
        ("network: {\n", "line 2"),
    ],
)
def test_wrong_yaml_is_found_out(sandbox: Sandbox, text: str, said: str) -> None:
    fault = fault_of(text, sandbox.folder)
    assert fault is not None
    assert said in fault


def test_what_a_page_shows_is_compared() -> None:
    assert prints(["took ... s", "...", "end"], "took 1.2 s\n1\n2\nend\n")
    assert prints(["a  b"], "a b \n")
    assert prints([], "")
    assert not prints(["took 2 s"], "took 3 s\n")
    assert not prints([], "something\n")
    assert not prints(["a"], "a\nb\n")


def test_nothing_goes_on_when_the_time_is_over(sandbox: Sandbox) -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        sandbox.run("(sleep 1; touch late) & wait", 0.3)
    time.sleep(2)
    assert not (sandbox.folder / "late").exists()


def test_commands_in_the_text() -> None:
    text = "As `scripts/polycast check` does, `scripts/polycast chekc`, `scripts/polycast run my.yaml`\n"
    text += "```sh\na    # exit status 1 where it is worse\n```\n"
    found = ["scripts/polycast chekc", "scripts/polycast run my.yaml", "a    # exit status 1 where it is worse"]
    assert [(command.text, command.status) for command in read_page(text, "x.md").commands] == [(c, 0) for c in found]


def test_commands_of_blocks() -> None:
    text = "```sh\n# not this\ncat > x <<'END'\nb: 1\nEND\na \\\n  b    # exit status 1\n```\n"
    assert read_page(text, "x.md").commands == [
        Command("cat > x <<'END'\nb: 1\nEND", 3),
        Command("a \\\n  b    # exit status 1", 6, 1),
    ]
