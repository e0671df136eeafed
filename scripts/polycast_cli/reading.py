# SPDX-License-Identifier: Apache-2.0
"""Reads files of others as Python objects; says in one line what is wrong with them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from polycast_cli.common import UserError, shown

Checked = TypeVar("Checked", bound=BaseModel)


def refusal(error: ValidationError, path: Path) -> UserError:
    """The first of its errors, with file and place."""
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    return UserError(f"{shown(path)}: {place + ': ' if place else ''}{first['msg'].removeprefix('Value error, ')}")


def read_yaml(path: Path) -> Any:
    try:
        return yaml.safe_load(path.read_text())
    except OSError as error:
        raise UserError(f"{shown(path)}: {error.strerror}") from None
    except yaml.YAMLError as error:
        raise UserError(f"{shown(path)}: {' '.join(str(error).split())}") from None


def checked(model: type[Checked], data: Any, path: Path) -> Checked:
    """\\raises UserError naming file and place where `data` is no `model`"""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise refusal(error, path) from None


def is_expression(text: str | None) -> str | None:
    """\\raises ValueError where the text is no regular expression"""
    try:
        re.compile(text or "")
    except re.error as error:
        raise ValueError(f"'{text}' is no regular expression: {error}") from None
    return text


def proposal(name: str, known: Iterable[str]) -> str:
    """ "; did you mean 'x'?" where one of `known` is near, else all of them."""
    known = list(known)
    near = difflib.get_close_matches(name, known, 1, 0.5)
    return f"; did you mean '{near[0]}'?" if near else f"; there are {', '.join(known)}"
