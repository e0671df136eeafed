# SPDX-License-Identifier: Apache-2.0
"""Text in pages and pictures: HTML and XML, which cannot hold controls."""

from __future__ import annotations

import markupsafe
from markupsafe import Markup

from polycast_cli.common import visible


def plain(value: object) -> object:
    """What is shown for `value`."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def escape(value: object) -> Markup:
    return markupsafe.escape(plain(value))
