// SPDX-License-Identifier: Apache-2.0
/// \file Unicasts between ideal hosts that are chips: the packets of hw/fabric's open_loop, each_to_each and lists,
/// with bytes, and a scoreboard that knows of every packet what was sent. It reads from the pins which packet arrives,
/// and takes nothing else from them.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

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

class ideal_unicasts final : public host::ideal_work {
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
    /// What sinks found wrong: the first 100, and how many.
    const std::vector<std::string>& faults() const { return faults_; }
    std::uint64_t fault_count() const { return fault_count_; }
    /// Names of the `most` oldest packets that have not arrived.
    std::vector<std::string> missing_packets(std::size_t most) const;
    /// The last cycle in which a packet was born, or would have been but for going to its own host; of a load.
    std::optional<cycle> last_birth() const { return last_birth_; }

    // What hosts ask.
    void arrived(cycle now, std::uint32_t host, const engine::flit& flit) override;
    cycle act(cycle now, std::uint32_t host) override;
    std::optional<unsigned> waiting(std::uint32_t host) const override;
    void depart(cycle now, std::uint32_t host, unsigned vc, engine::packet_bytes& packet) override;

private:
    using key = std::uint64_t;  ///< source and number of a packet
    static constexpr key no_packet = ~key{0};
    static key key_of(std::uint32_t source, std::uint32_t number) { return key{source} << 32 | number; }

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
    struct sink {
        key packet = no_packet;  ///< that comes in
        std::uint32_t flits = 0;
        bool good = true;  ///< its bytes so far
    };
    void queue(const fabric::send_order& order);
    void queue_next(std::uint32_t host);
    void compare(sink& into, std::uint32_t offset, const engine::flit& flit);
    void finish(cycle now, std::uint32_t host, const sink& packet);
    void check_order(std::uint32_t host, key packet, const record& what);
    void fault(key packet, const std::string& what);
    std::string name(key packet) const;

    fabric::fabric_params params_;
    std::uint32_t hosts_;
    cycle from_, to_;
    std::uint64_t payload_seed_;
    ideal_traffic traffic_;
    std::vector<fabric::node_births> births_;  ///< [host] of a load
    std::vector<source> sources_;              ///< [host]
    std::vector<sink> sinks_;                  ///< [host][VC]
    std::unordered_map<key, record> live_;
    std::vector<std::uint32_t> order_;    ///< [destination][source][entry VC] number expected at the earliest
    std::vector<std::uint8_t> expected_;  ///< a flit
    fabric::terminal_statistics statistics_;
    std::array<cut, 2> cuts_{};
    std::optional<cycle> last_birth_;
    std::vector<std::string> faults_;
    std::uint64_t fault_count_ = 0;
};

}  // namespace polycast::hw::traffic
