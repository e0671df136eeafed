// SPDX-License-Identifier: Apache-2.0
/// \file The neighbours and the host of a broadcast router: broadcasts one after the other, and all else that goes
/// through its router.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <queue>
#include <vector>

#include "testbench/equivalence/broadcast_run.h"
#include "testbench/equivalence/router_stimulus.h"

namespace polycast::testbench::equivalence {

/// Neighbours are in the round of the unit, the one before or the next, as it sees them; they get packets from it and
/// from elsewhere. Rules are broken only where broadcast_traffic::illegal says so.
class broadcast_stimulus final : public traffic_source {
public:
    explicit broadcast_stimulus(const broadcast_run& run);

    void drive(hw::engine::pins& in) override;
    void see(const hw::engine::pins& out) override;
    bool wants_reset() override;

private:
    /// A broadcast of the community.
    struct message {
        std::uint32_t source = 0;
        unsigned packets = 1;
        std::vector<unsigned> order;  ///< in which its host gives them
    };
    struct neighbour {
        std::uint64_t round = 0;
        std::uint64_t have = 0;
        bool told = true;  ///< the unit has been shown it
    };
    struct sender {
        std::vector<std::uint8_t> bytes;   ///< of the packet being sent
        std::vector<std::uint8_t> header;  ///< free header
        unsigned flits = 0;                ///< of that packet; 0 while idle
        unsigned next = 0;
        unsigned head_again = ~0u;  ///< flit that claims to be a head
    };
    struct fields {
        unsigned kind = 5;
        std::uint32_t source = 0;
        unsigned packet = 0, last = 0, colour = 0, round = 0;
    };

    void restart();
    const message& message_of(std::uint64_t round);
    std::uint32_t draw_node();
    std::uint64_t all_of(std::uint64_t round) { return ~std::uint64_t{0} >> (64 - message_of(round).packets); }
    unsigned pick(std::uint64_t set);
    void learn(unsigned port, hw::engine::pins& in);
    void send(unsigned port, hw::engine::pins& in);
    bool begin_at_neighbour(unsigned port);
    bool begin_at_host();
    void begin(sender& from, std::uint64_t round, unsigned packet);
    void spoil(fields& header, sender& from);
    void give_back(hw::engine::pins& in);
    bool is_open(unsigned port) const { return (run_.registers.open >> port & 1) != 0; }

    broadcast_run run_;
    dice random_;
    router_stimulus router_;
    hw::engine::pins router_out_;
    unsigned host_;
    std::uint64_t cycle_ = 0;
    std::uint64_t round_ = 0;  ///< of the unit
    std::uint64_t have_ = 0;   ///< what it shows
    std::map<std::uint64_t, message> messages_;
    std::vector<neighbour> neighbours_;  ///< [port]
    std::vector<sender> senders_;        ///< [port]
    std::uint64_t host_round_ = 0;       ///< that the host is giving packets of
    unsigned given_ = 0;                 ///< packets of it
    unsigned inject_credits_ = 0;
    std::queue<std::uint64_t> due_;  ///< cycles in which the host's credits may go back, ascending
    std::uint64_t stalled_until_ = 0;
};

}  // namespace polycast::testbench::equivalence
