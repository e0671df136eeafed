# SPDX-License-Identifier: Apache-2.0
"""Colours of loads can be told apart by everybody: without red, green or blue cones, and by their lightness alone."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from polycast_cli.reports import page

STYLES = (Path(page.__file__).parent / "templates" / "page.css").read_text()
#: Machado, Oliveira, Fernandes, IEEE TVCG 15, 2009: full severity, of linear RGB.
EYES = {
    "all cones": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "no blue": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}
#: Of CIE L*, of 100; 2.3 is just noticeable side by side.
NOTICEABLE = 5.0


def linear(colour: str) -> np.ndarray:
    channels = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def lightness(colour: str, eye: str) -> float:
    seen = np.clip(np.array(EYES[eye]) @ linear(colour), 0, 1)
    return 116 * float(np.cbrt(max(seen @ np.array([0.2126, 0.7152, 0.0722]), 0.008856))) - 16


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_more_load_is_further_from_the_page(scheme: int, eye: str) -> None:
    colours = re.findall(r"--u\d: (#\w{6});", STYLES)
    assert len(colours) == 14
    steps = np.diff([lightness(colour, eye) for colour in colours[7 * scheme :][:7]])
    assert all(steps > NOTICEABLE) if scheme else all(steps < -NOTICEABLE), steps
