# SPDX-License-Identifier: Apache-2.0
"""What prove.py makes of a table of proofs: variants inherit, and a proof may have the sources of another. All modules
of a proof are in its sources, so a proof of a slow tier does not end where the RTL gets one more module."""

from __future__ import annotations

import re
import tempfile
import unittest
from pathlib import Path

import prove

INSTANCE = re.compile(r"^\s*(polycast_\w+)\s+(?:#\s*\(|\w+\s*\()", re.MULTILINE)
MODULE = re.compile(r"^\s*module\s+(\w+)", re.MULTILINE)
INCLUDE = re.compile(r'^\s*`include "(\w+\.svh)"', re.MULTILINE)

TABLE = """
[[proof]]
name = "first"
harness = "first.sv"
sources = ["common/a.sv", "link/b.sv"]
parameters = { Wire = 1, Ring = 4 }
cut = ["dut.late"]
step = [{ mode = "sat", depth = 3 }]

[[proof.mutant]]
name = "broken"
file = "link/b.sv"
find = "x"
replace = "y"

[[proof.variant]]
name = "first_wide"
parameters = { Ring = 6 }

[[proof.variant]]
name = "first_deep"
step = [{ mode = "sat", depth = 5 }]

[[proof.variant.mutant]]
name = "broken_late"
file = "link/b.sv"
find = "z"
replace = "y"

[[proof]]
name = "second"
harness = "second.sv"
sources = "first"
step = [{ mode = "sat", depth = 2 }]
"""


class Loads(unittest.TestCase):
    def load(self, text: str) -> dict[str, prove.Proof]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "proofs.toml"
            path.write_text(text)
            return prove.load(path)

    def test_variants_inherit_what_they_do_not_change(self) -> None:
        proofs = self.load(TABLE)
        first, wide, deep = proofs["first"], proofs["first_wide"], proofs["first_deep"]
        self.assertEqual(wide.parameters, {"Wire": 1, "Ring": 6})
        self.assertEqual((wide.harness, wide.sources, wide.cuts), (first.harness, first.sources, first.cuts))
        self.assertEqual(wide.steps, first.steps)
        self.assertEqual([mutant.name for mutant in first.mutants], ["broken"])
        self.assertEqual(wide.mutants, ())
        self.assertEqual((deep.depth, [mutant.name for mutant in deep.mutants]), (5, ["broken_late"]))

    def test_a_proof_has_the_sources_of_another(self) -> None:
        second = self.load(TABLE)["second"]
        self.assertEqual(second.sources, ("common/a.sv", "link/b.sv"))
        self.assertEqual((second.harness, second.cuts, second.parameters), ("second.sv", (), {}))

    def test_sources_of_no_proof_are_refused(self) -> None:
        with self.assertRaisesRegex(SystemExit, "second has the sources of third, no proof above it"):
            self.load(TABLE.replace('sources = "first"', 'sources = "third"'))

    def test_a_name_stands_for_one_proof(self) -> None:
        with self.assertRaisesRegex(SystemExit, "two proofs are called first"):
            self.load(TABLE.replace('name = "second"', 'name = "first"'))

    def test_the_sources_have_all_modules(self) -> None:
        for name, proof in prove.load(prove.HERE / "proofs.toml").items():
            texts = [
                (prove.HERE / proof.harness).read_text(),
                *((prove.RTL / source).read_text() for source in proof.sources),
            ]
            texts += [(prove.HERE / file).read_text() for file in INCLUDE.findall(texts[0])]
            modules = {module for text in texts for module in MODULE.findall(text)}
            missing = {module for text in texts for module in INSTANCE.findall(text)} - modules
            self.assertEqual(missing, set(), f"proof {name}")


if __name__ == "__main__":
    unittest.main()
