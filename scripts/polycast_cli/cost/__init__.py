# SPDX-License-Identifier: Apache-2.0
"""What chips and their blocks cost in cells of a library: area, longest path, flip-flops, memory bits."""
