# SPDX-License-Identifier: Apache-2.0
"""Sources that are generated from descriptions: packet format, registers of the network interface."""
