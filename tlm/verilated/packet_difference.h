// SPDX-License-Identifier: Apache-2.0
/// \file Which packet differs between two chips with the same inputs, and in which field: the pins in words.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hw/engine/pin_difference.h"
#include "hw/format/packet_part.h"

namespace polycast::tlm {

/// Reads the packets that both chips send. A header takes several flits: what follows the first difference is read too.
class packet_difference {
public:
    /// `jobs`: packets carry JobIDs.
    packet_difference(const hw::engine::pin_shape& shape, const hw::format::header_shape& headers,
                      hw::engine::chip_names names, bool jobs = false);

    const hw::format::packet_layout& layout() const { return layout_; }

    /// Output pins of both, in every cycle.
    void look(const hw::engine::pins& first, const hw::engine::pins& second);
    /// They differ for the first time, at `port`; after look().
    void differs(const hw::engine::pins& first, const hw::engine::pins& second, unsigned port);
    /// "header field source: core 4, own RTL 2 (core: packet 17 of host 4, own RTL: packet 3 of host 2)", as far as
    /// what has been sent up to now says; empty if no flit differs.
    std::string words() const;

private:
    /// What a chip has sent of the last packet on a virtual channel of a port.
    struct sent_packet {
        std::uint64_t flits = 0;
        std::vector<std::uint8_t> header;  ///< of the header pins
        std::vector<std::uint8_t> begin;   ///< the first bytes of its flits
    };
    /// What a chip sends at the port in the cycle that differs.
    struct sent_flit {
        bool valid = false;
        bool head = false;
        bool tail = false;
        std::size_t lane = 0;
        bool ended = false;       ///< its packet: another one follows there
        std::uint64_t index = 0;  ///< in its packet
        std::vector<std::uint8_t> data;
    };
    void look(unsigned chip, const hw::engine::pins& out);
    std::size_t lane_of(const hw::engine::pins& out, unsigned port) const;
    std::string name_of_packet(unsigned chip) const;
    std::string text_of_flit(unsigned chip) const;
    std::string part_that_differs() const;

    hw::engine::pin_shape shape_;
    hw::format::packet_layout layout_;
    hw::engine::chip_names names_;
    std::array<std::vector<sent_packet>, 2> sent_;  ///< by chip, [port * vcs + vc]
    std::optional<std::array<sent_flit, 2>> differ_;
};

}  // namespace polycast::tlm
