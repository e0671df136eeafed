# SPDX-License-Identifier: Apache-2.0
"""Test plans as data, run in parallel. Begin with plan.py and regress.py; regression.md is for users."""
