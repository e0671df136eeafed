# SPDX-License-Identifier: Apache-2.0
"""Packet logs of runs: where a packet spent its time, and timelines."""
