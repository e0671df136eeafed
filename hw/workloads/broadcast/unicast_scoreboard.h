// SPDX-License-Identifier: Apache-2.0
/// \file Checks the unicasts beside broadcasts: each comes once, to its destination, with every byte, and in order
/// where routers promise it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hw/delivery/check.h"
#include "hw/engine/chip.h"

namespace polycast::hw::broadcast {

/// The packet of `source` with this number; every source counts its own.
struct unicast {
    std::uint32_t source = 0;
    std::uint32_t number = 0;
    std::uint32_t destination = 0;
    std::uint8_t vc = 0;  ///< in which it enters
};

/// Makes every packet from seed, source and number: once for the host that sends it, and again for the one that
/// receives it. What it knows of a packet comes from its sender, never through the network.
class unicast_scoreboard final : public delivery::check {
public:
    struct params {
        std::uint64_t seed = 0;
        std::uint32_t nodes = 0;
        unsigned flits = 1;       ///< of each
        engine::pin_shape shape;  ///< of a host's pins
        bool ordered = false;     ///< packets of one source to one destination that enter in one VC
    };

    explicit unicast_scoreboard(const params& what);

    /// A host begins to send its next one.
    unicast begin(std::uint32_t source, std::uint32_t destination, std::uint8_t vc);
    /// Flit number `flit`, and of the first the header pins, if there are any.
    void write(const unicast& what, unsigned flit, std::uint8_t* data, std::uint8_t* header) const;

    /// A flit is on the input pins of a host. \returns what is wrong with it; empty: nothing
    std::string came(std::uint32_t node, const engine::flit& flit);

    std::uint64_t begun() const { return begun_; }
    /// Those that did not, shortened; empty: there are none.
    std::string missing() const;

private:
    /// What comes in on a VC of a host.
    struct arrival {
        unicast what;
        unsigned flit = 0;  ///< expected next; 0: a head
    };

    std::string take_head(std::uint32_t node, const std::uint8_t* header, unicast& found);
    std::string look_at(std::uint32_t node, arrival& at, const engine::flit& flit);
    std::string compare(const arrival& at, const engine::flit& flit);
    void make_header(const unicast& what, std::span<std::uint8_t> to) const;
    /// Bytes of the header in a flit, and of the payload before it.
    std::size_t header_in(unsigned flit) const { return flit == 0 ? header_bytes_ : 0; }
    std::uint64_t payload_before(unsigned flit) const {
        return flit == 0 ? 0 : flit * params_.shape.flit_bytes - header_bytes_;
    }

    params params_;
    std::size_t header_bytes_;                                       ///< of the first flit
    std::vector<std::uint32_t> numbers_;                             ///< [source] packets that it has begun
    delivery::expected_items<std::uint32_t, unicast> on_their_way_;  ///< of which no head has come
    std::vector<arrival> arrivals_;                                  ///< [node x VCs + VC]
    std::vector<std::uint8_t> header_;                               ///< as it has to be, made anew for every head
    std::uint64_t begun_ = 0, came_ = 0;                             ///< came_: to the last flit
};

}  // namespace polycast::hw::broadcast
