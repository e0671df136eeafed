# SPDX-License-Identifier: Apache-2.0
"""Imports between the modules of the command line, in functions, too, form no cycle."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from polycast_cli.common import ROOT


def modules_in(package: Path) -> dict[str, Path]:
    """Files by the names of their modules."""
    files = {".".join(file.relative_to(package.parent).with_suffix("").parts): file for file in package.rglob("*.py")}
    return {name.removesuffix(".__init__"): file for name, file in files.items()}


def imports_of(file: Path, package: str) -> set[str]:
    """Names that an absolute import anywhere in the file asks for; `from a import b` asks for a and a.b."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: line {node.lineno} has a relative import"
            found |= {str(node.module)} | {f"{node.module}.{alias.name}" for alias in node.names}
    return {name for name in found if name.partition(".")[0] == package}


def cycle_in(package: Path) -> list[str]:
    """Modules of which each imports the one before; empty where there is no such circle."""
    modules = modules_in(package)
    graph = {name: (imports_of(file, package.name) & modules.keys()) - {name} for name, file in modules.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def test_imports_form_no_cycle() -> None:
    assert cycle_in(ROOT / "scripts" / "polycast_cli") == []


def test_a_cycle_through_a_function_is_found(tmp_path: Path) -> None:
    package = tmp_path / "made"
    (package / "part").mkdir(parents=True)
    (package / "one.py").write_text("from made.part import two\n")
    (package / "part" / "two.py").write_text("def late() -> None:\n    from made.three import value\n")
    (package / "three.py").write_text("value = 1\n")
    assert cycle_in(package) == []
    (package / "three.py").write_text("import made.one\n")
    assert set(cycle_in(package)) == {"made.one", "made.part.two", "made.three"}
