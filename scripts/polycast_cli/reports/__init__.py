# SPDX-License-Identifier: Apache-2.0
"""What runs and studies show people: pages, charts, drawings of networks."""
