// SPDX-License-Identifier: Apache-2.0
/// \file Where synthetic traffic goes (Dally and Towles, section 3.2).
#pragma once

#include <cstdint>
#include <vector>

#include "hw/chips/router/router_config.h"
#include "hw/traffic/random.h"

namespace polycast::hw::fabric {

enum class pattern_kind : std::uint8_t { uniform, transpose, bit_complement, tornado, hotspot };

/// Destinations of a node. Nodes that a pattern sends to themselves send nothing.
class pattern {
public:
    /// `hotspots`: nodes that get `hot_share` of the packets of hotspot traffic; what is left of it is uniform.
    /// \throws input_error if a hotspot does not exist, or there are none for hotspot traffic
    pattern(pattern_kind kind, const chips::router_params& router, std::vector<std::uint32_t> hotspots = {},
            double hot_share = 0.2);

    /// True for nodes that send nothing.
    bool silent(std::uint32_t node) const { return !fixed_.empty() && fixed_[node] == node; }

    std::uint32_t destination(std::uint32_t node, traffic::random_stream& random) const {
        if (!fixed_.empty()) return fixed_[node];
        if (!hotspots_.empty() && static_cast<double>(random() >> 11) * 0x1p-53 < hot_share_)
            return hotspots_[below(static_cast<std::uint32_t>(hotspots_.size()), random)];
        const std::uint32_t other = below(nodes_ - 1, random);
        return other >= node ? other + 1 : other;
    }

    std::size_t memory_bytes() const { return (fixed_.capacity() + hotspots_.capacity()) * sizeof(std::uint32_t); }

    /// Uniform in 0..end-1, the same on every platform.
    static std::uint32_t below(std::uint32_t end, traffic::random_stream& random) {
        return static_cast<std::uint32_t>((random() >> 32) * end >> 32);
    }

private:
    std::uint32_t nodes_;
    std::vector<std::uint32_t> fixed_;  ///< [node] where destinations are not drawn
    std::vector<std::uint32_t> hotspots_;
    double hot_share_;
};

}  // namespace polycast::hw::fabric
