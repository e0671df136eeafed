# SPDX-License-Identifier: Apache-2.0
"""The command line of polycast: runs, tests, reports. Knows the simulator only by its command line and its files."""
