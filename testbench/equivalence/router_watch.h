// SPDX-License-Identifier: Apache-2.0
/// \file What a run of a router came across, so that a comparison that never came to a case is noticed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hw/chips/router/router_config.h"
#include "testbench/equivalence/held_packets.h"
#include "testbench/equivalence/lockstep.h"

namespace polycast::testbench::equivalence {

/// Reads along on the pins and the state of one router. Knows what is decided from the state, and what about from the
/// header.
class router_watch final : public traffic_watch {
public:
    router_watch(const hw::chips::router_params& params, const hw::chips::router_tables& tables);

    void reset() override;
    void see(const hw::engine::pins& in, const hw::engine::pins& out, const hw::engine::chip_probe& before,
             const hw::engine::chip_probe& after) override;
    std::map<std::string, std::uint64_t> counted() const override { return counts_; }

private:
    using bytes = std::vector<std::uint8_t>;

    void leave(unsigned port, const hw::engine::pins& out);
    void decided(unsigned port, const held_packets::packet& front, std::uint64_t branches, bool behind_another);
    void unicast(const bytes& header, std::uint64_t branches);
    void choice(const bytes& header, std::uint64_t ports, std::uint64_t branches);
    void broadcast(unsigned port, const bytes& header, std::uint64_t branches);
    void outputs(const hw::engine::pins& out, const hw::engine::chip_probe& before,
                 const hw::engine::chip_probe& after);
    void inputs(const hw::engine::chip_probe& before, const hw::engine::chip_probe& after);
    unsigned coordinate(std::uint64_t node, unsigned dimension) const;
    void met(const std::string& what);

    hw::chips::router_params params_;
    hw::chips::router_tables tables_;
    held_packets packets_;
    std::vector<unsigned> begun_;  ///< [port] virtual channels whose packet has left in part, as a mask
    std::map<std::string, std::uint64_t> counts_;
};

}  // namespace polycast::testbench::equivalence
