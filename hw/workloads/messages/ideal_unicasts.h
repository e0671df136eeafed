// SPDX-License-Identifier: Apache-2.0
/// \file Unicasts between ideal hosts that are chips: the packets of hw/fabric's open_loop, each_to_each and lists,
/// with bytes, and a check that knows of every packet what was sent.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "hw/delivery/goal.h"
#include "hw/delivery/packet_check.h"
#include "hw/fabric/open_loop.h"
#include "hw/fabric/terminals.h"
#include "hw/host/ideal_host.h"

namespace polycast::hw::traffic {

/// Who sends what. One of the three.
struct ideal_traffic {
    std::optional<fabric::open_loop_rules> load;
    unsigned each_to_each = 0;               ///< flits of each packet; 0: not this one
    std::vector<fabric::send_order> orders;  ///< of each host by birth
};

class ideal_unicasts final : public delivery::packet_check, public host::ideal_work, public goal {
public:
    using cycle = engine::cycle;

    /// Packets born from cycle `from` and before cycle `to` are measured. `payload_seed`: of the bytes of all packets.
    ideal_unicasts(const fabric::fabric_params& params, ideal_traffic traffic, cycle from, cycle to,
                   std::uint64_t payload_seed);

    /// Is told of every packet that has arrived: its birth, and the cycle of its tail.
    std::function<void(cycle birth, cycle when)> on_arrival;

    const fabric::terminal_statistics& statistics() const { return statistics_; }
    /// Packets that were born and have not arrived.
    std::uint64_t missing() const { return live_.size(); }
    template <typename function>
    void for_each_missing(function&& with_birth) const {
        for (const auto& [packet, what] : live_) with_birth(what.birth);
    }
    /// Those that were born before a cycle and had not arrived before another; both are said before the run.
    struct cut {
        cycle born_before, arrived_before;
        std::uint64_t born = 0, arrived = 0;

        std::uint64_t missing() const { return born - arrived; }
    };
    void count(const cut& first, const cut& second) { cuts_ = {first, second}; }
    const std::array<cut, 2>& cuts() const { return cuts_; }
    /// Names of the `most` oldest packets that have not arrived.
    std::vector<std::string> missing_packets(std::size_t most) const;
    /// The last cycle in which a packet was born, or would have been but for going to its own host; of a load.
    std::optional<cycle> last_birth() const { return last_birth_; }

    // What the run asks.
    bool complete() const override { return live_.empty(); }
    cycle delivered_until() const override { return statistics_.packets == 0 ? 0 : statistics_.last + 1; }
    std::string oldest_missing() const override { return live_.empty() ? "" : missing_packets(1).front(); }

    // What hosts ask.
    void arrived(cycle now, std::uint32_t host, const engine::flit& flit) override;
    cycle act(cycle now, std::uint32_t host) override;
    std::optional<unsigned> waiting(std::uint32_t host) const override;
    void depart(cycle now, std::uint32_t host, unsigned vc, engine::packet_bytes& packet) override;

private:
    struct record {
        std::uint32_t destination;
        std::uint16_t flits;
        std::uint8_t service_class;
        std::uint8_t entry_vc;
        cycle birth;
    };
    struct source {
        std::deque<key> queue;
        std::deque<fabric::send_order> orders;  ///< to come
        std::uint32_t born = 0;                 ///< packets
        std::uint32_t ahead = 0;                ///< of each-to-each traffic: the last one went so far
    };
    void queue(const fabric::send_order& order);
    void queue_next(std::uint32_t host);
    void finish(cycle now, std::uint32_t host, const arriving& packet);
    std::string name(key packet) const override;

    fabric::fabric_params params_;
    std::uint32_t hosts_;
    cycle from_, to_;
    std::uint64_t payload_seed_;
    ideal_traffic traffic_;
    std::vector<fabric::node_births> births_;  ///< [host] of a load
    std::vector<source> sources_;              ///< [host]
    std::unordered_map<key, record> live_;
    delivery::order_check order_;
    fabric::terminal_statistics statistics_;
    std::array<cut, 2> cuts_{};
    std::optional<cycle> last_birth_;
};

}  // namespace polycast::hw::traffic
