# SPDX-License-Identifier: Apache-2.0
"""YAML files of users as checked models; errors name file, line and column and propose something."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from typing import Any, TypeVar, get_args

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from polycast_cli.common import UserError, shown
from polycast_cli.reading import proposal

Location = tuple[int | str, ...]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


Checked = TypeVar("Checked", bound=Strict)


class Source:
    """The text of a file, which knows where each of its values stands."""

    def __init__(self, path: Path, what: str) -> None:
        """`what`: what the file should be, in words"""
        self.path = path
        try:
            text = path.read_text()
            self.root = yaml.compose(text, yaml.SafeLoader)
            self.data = yaml.safe_load(text)
        except OSError as error:
            raise UserError(f"{shown(path)}: {error.strerror}") from None
        except UnicodeDecodeError:
            raise UserError(f"{shown(path)}: not a text file") from None
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            place = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
            raise UserError(f"{shown(path)}{place}: {error.problem or error.context}") from None
        if not isinstance(self.data, dict):
            raise UserError(f"{shown(path)}:1:1: {what}")
        self.refuse_repeated_keys(self.root)

    def error(self, location: Location, message: str, of_key: bool = False) -> UserError:
        line, column = self.place(location, of_key)
        return UserError(f"{shown(self.path)}:{line}:{column}: {message}")

    def place(self, location: Location, of_key: bool = False) -> tuple[int, int]:
        """Line and column of a value, or of its key; of the nearest thing around it where it is not there."""
        node = mark = self.root
        for part in location:
            if isinstance(node, yaml.MappingNode):
                found = next(((key, value) for key, value in node.value if key.value == str(part)), None)
                if found is None:
                    break
                mark, node = found if of_key else (found[1], found[1])
            elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
                mark = node = node.value[part]
            else:
                break
        return mark.start_mark.line + 1, mark.start_mark.column + 1

    def refuse_repeated_keys(self, node: yaml.Node) -> None:
        if isinstance(node, yaml.MappingNode):
            seen: set[Hashable] = set()
            for key, value in node.value:
                if key.value in seen:
                    where = f"{key.start_mark.line + 1}:{key.start_mark.column + 1}"
                    raise UserError(f"{shown(self.path)}:{where}: '{key.value}' is given twice")
                seen.add(key.value)
                self.refuse_repeated_keys(value)
        elif isinstance(node, yaml.SequenceNode):
            for value in node.value:
                self.refuse_repeated_keys(value)


def model_at(root: type[Strict], location: Location) -> type[Strict]:
    """Whose field the last part of `location` is."""
    model = root
    for part in location[:-1]:
        if isinstance(part, str):
            inner = get_args(model.model_fields[part].annotation)
            model = inner[0]
    return model


def said(location: Location) -> str:
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f"{'.' if text else ''}{part}"
    return text


def message_of(error: Any, root: type[Strict]) -> str:
    location: Location = error["loc"]
    name, place = str(location[-1]) if location else "", said(location[:-1])
    inside = f" in '{place}'" if place else ""
    match error["type"]:
        case "extra_forbidden":
            return f"unknown key '{name}'{inside}{proposal(name, model_at(root, location).model_fields)}"
        case "missing":
            return f"'{name}' is missing{inside}"
        case "value_error":
            return str(error["ctx"]["error"])
    words = error["msg"].removeprefix("Input ")
    return f"'{said(location)}' {words[0].lower()}{words[1:]}"


def load(path: Path, model: type[Checked], what: str) -> tuple[Checked, Source]:
    """\\raises UserError with file, line, column and a proposal"""
    source = Source(path, what)
    try:
        return model.model_validate(source.data), source
    except ValidationError as error:
        # A key that was mistyped is missing, too.
        first = min(error.errors(), key=lambda one: one["type"] != "extra_forbidden")
        # The location of a value with several types ends with their names.
        location = tuple(part for part in first["loc"] if part not in ("int", "list[constrained-int]"))
        of_key = first["type"] == "extra_forbidden"
        raise source.error(location, message_of(first | {"loc": location}, model), of_key) from None
