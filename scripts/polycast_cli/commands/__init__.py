# SPDX-License-Identifier: Apache-2.0
"""Command lines of the parts; main.py puts them together."""
