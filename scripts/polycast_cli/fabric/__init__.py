# SPDX-License-Identifier: Apache-2.0
"""Forwarding tables of real InfiniBand fabrics."""
