// SPDX-License-Identifier: Apache-2.0
/// \file The virtual channel that an ideal host's next packet takes, on a fabric (hw/fabric/terminals.h) and as a chip
/// (hw/host/ideal_host.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "hw/chips/port_set.h"
#include "hw/chips/router/router_config.h"

namespace polycast::hw::host {

/// One source: it sends one packet after the other, so it has one virtual channel at a time. The owner counts the
/// credits and says how many are left.
struct source_vcs {
    chips::vc_set with_credit = 0;
    chips::vc_set with_reserve = 0;
    std::uint8_t vc = 0;  ///< of the packet that is being sent
    std::uint8_t pointer = 0;

    source_vcs() = default;
    source_vcs(unsigned vcs, unsigned credits, unsigned reserve)
        : with_credit(static_cast<chips::vc_set>((1u << vcs) - 1)),
          with_reserve(credits >= reserve ? with_credit : chips::vc_set{0}) {}

    /// A head takes the first of `allowed` with `reserve` credits at or after a pointer, which moves behind it.
    /// \returns false if there is none
    bool choose(chips::vc_set allowed, unsigned vcs) {
        const unsigned able = with_reserve & allowed;
        if (able == 0) return false;
        vc = static_cast<std::uint8_t>(chips::first_from(able, pointer));
        pointer = static_cast<std::uint8_t>(vc + 1u == vcs ? 0 : vc + 1);
        return true;
    }
    /// The packet that is being sent has a credit for its next flit.
    bool can_go_on() const { return (with_credit >> vc & 1) != 0; }
    /// A flit was sent: `left` credits of its virtual channel.
    void spent(unsigned left, unsigned reserve) {
        if (left == 0) with_credit = static_cast<chips::vc_set>(with_credit & ~(1u << vc));
        if (left < reserve) with_reserve = static_cast<chips::vc_set>(with_reserve & ~(1u << vc));
    }
    /// A credit of virtual channel `of` arrived: it now has `left`.
    void returned(unsigned of, unsigned left, unsigned reserve) {
        with_credit = static_cast<chips::vc_set>(with_credit | 1u << of);
        if (left >= reserve) with_reserve = static_cast<chips::vc_set>(with_reserve | 1u << of);
    }
};

/// Virtual channels that packets of each class may take.
inline std::array<chips::vc_set, 8> class_vcs_of(const chips::router_tables& tables) {
    std::array<chips::vc_set, 8> sets{};
    for (std::size_t number = 0; number < sets.size(); ++number)
        sets[number] = static_cast<chips::vc_set>(tables.vc_sets[number][0] | tables.vc_sets[number][1]);
    return sets;
}

}  // namespace polycast::hw::host
