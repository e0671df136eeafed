// SPDX-License-Identifier: Apache-2.0
/// \file Checks packets flit by flit at hosts that are chips. It reads from the pins which packet arrives, by source
/// and sequence number, and takes nothing else from them.
#pragma once

#include "hw/delivery/check.h"
#include "hw/engine/chip.h"

namespace polycast::hw::delivery {

class packet_check : public check {
protected:
    using key = std::uint64_t;  ///< source and number of a packet
    static constexpr key no_packet = ~key{0};
    static key key_of(std::uint32_t source, std::uint32_t number) { return key{source} << 32 | number; }

    /// What arrives on a virtual channel of a host.
    struct arriving {
        key packet = no_packet;
        std::uint32_t flits = 0;
        bool good = true;                   ///< for the derived class; at a head: it is a unicast
        std::vector<std::uint8_t> bytes{};  ///< likewise; empty at a head
    };

    packet_check(std::size_t hosts, unsigned vcs, std::uint64_t payload_seed)
        : check(payload_seed), vcs_(vcs), arriving_(hosts * vcs) {}

    /// The packet that a flit on the input pins of a host belongs to. If it belongs to none: null, and a fault.
    arriving* add(std::uint32_t host, const engine::flit& flit);
    void fault(key packet, const std::string& what);
    /// "packet 3 of terminal 5"
    virtual std::string name(key packet) const;
    ~packet_check() = default;

private:
    unsigned vcs_;
    std::vector<arriving> arriving_;  ///< [host][VC]
};

}  // namespace polycast::hw::delivery
