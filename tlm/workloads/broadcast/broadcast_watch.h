// SPDX-License-Identifier: Apache-2.0
/// \file Watches a broadcast: samples over its time, few enough for a report whatever its length and its network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tlm/workloads/broadcast/broadcast_result.h"

namespace polycast::tlm::sim {

class broadcast_watch {
public:
    static constexpr std::size_t most_cells = 10'000;

    /// \param dimensions that the broadcast uses: node = sum of coordinate i x radix^i
    broadcast_watch(std::uint32_t radix, unsigned dimensions, std::uint32_t source, unsigned packets);

    /// Whether the state of this time will be kept; note() may be called with what moved alone if not.
    bool wants(std::uint64_t time) const { return time % wave_.every == 0; }
    /// Times ascend. \param held [node] packets that it holds; may be empty where the time is not wanted
    void note(std::uint64_t time, std::uint64_t moved, std::span<const std::uint8_t> held);
    /// The end, with everything everywhere, or as it is in `held`.
    void finish(std::uint64_t time, std::span<const std::uint8_t> held = {});
    const broadcast_wave& wave() const { return wave_; }

private:
    void sample(std::uint64_t time, std::span<const std::uint8_t> held);
    void thin_out();

    unsigned packets_;
    std::size_t most_samples_;
    std::vector<std::uint16_t> cell_of_;        ///< [node]
    std::vector<std::uint32_t> nodes_of_cell_;  ///< [cell]
    std::vector<std::uint32_t> sums_;           ///< [cell]
    std::uint64_t moved_ = 0;
    broadcast_wave wave_;
};

}  // namespace polycast::tlm::sim
