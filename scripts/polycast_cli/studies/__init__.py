# SPDX-License-Identifier: Apache-2.0
"""Studies: figures as data, runs that survive being killed, and published conclusions with a verdict."""
