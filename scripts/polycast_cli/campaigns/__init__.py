# SPDX-License-Identifier: Apache-2.0
"""Campaigns: many faults, one in each run, counted by what came of them."""
