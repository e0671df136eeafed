# SPDX-License-Identifier: Apache-2.0
"""JSON Schemas of results.json and run.json, from the models by which they are read. Keys that a schema does not name
may be there: results.md describes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from polycast_cli.earlier_results import FORMAT
from polycast_cli.provenance import Provenance
from polycast_cli.results import Results

FOLDER = Path("tlm/sim/results")
#: File: the model, and what is described.
PUBLISHED: dict[str, tuple[type[BaseModel], str, int]] = {
    "results.schema.json": (Results, "results.json of polycast", FORMAT),
    "run.schema.json": (Provenance, "run.json of polycast", 1),
}


def schema(name: str, model: type[BaseModel], title: str, version: int) -> dict[str, Any]:
    """As JSON Schema, draft 2020-12."""
    made = model.model_json_schema(by_alias=True)
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:polycast:{name.removesuffix('.schema.json')}:{version}",
        "$comment": "SPDX-License-Identifier: Apache-2.0. Written by `scripts/polycast generate`.",
        "title": f"{title}, format {version}",
    }
    made.pop("title", None)
    return head | made


def render(root: Path) -> dict[Path, str]:
    return {
        FOLDER / name: json.dumps(schema(name, *what), indent=2, ensure_ascii=False) + "\n"
        for name, what in PUBLISHED.items()
    }
