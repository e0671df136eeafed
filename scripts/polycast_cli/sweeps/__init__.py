# SPDX-License-Identifier: Apache-2.0
"""Sweeps: the runs that a scenario stands for, in one folder with one table. See sweeps.md."""
