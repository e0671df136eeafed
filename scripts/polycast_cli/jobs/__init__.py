# SPDX-License-Identifier: Apache-2.0
"""Many independent command lines in parallel, resumable, here or on a cluster. Begin with model.py and work.py."""
