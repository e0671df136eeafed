// SPDX-License-Identifier: Apache-2.0
/// \file Who sends what to whom, and when: open-loop traffic, every host from a random stream of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hw/traffic/message.h"
#include "hw/traffic/random.h"

namespace polycast::hw::traffic {

enum class workload_kind : std::uint8_t { unicast, multicast };
enum class unicast_pattern : std::uint8_t {
    uniform,       ///< each message to a random other host
    permutation,   ///< each host always to the same one, no two to the same; drawn from the seed
    hotspot,       ///< a fraction to given hosts, the rest uniform
    each_to_each,  ///< one message from every host to every other, in the order s+1, s+2, ...
};
enum class multicast_scheme : std::uint8_t {
    tree,      ///< one tree worm, replicated by the switches
    unicasts,  ///< one unicast per destination, in ascending order, each paying all overheads
};

/// Times in cycles, sizes in bytes, hosts by number.
struct workload_params {
    workload_kind kind = workload_kind::multicast;
    unicast_pattern pattern = unicast_pattern::uniform;
    multicast_scheme scheme = multicast_scheme::tree;
    std::uint32_t hosts = 32;
    std::uint16_t bytes = 128;                ///< payload of a message
    std::uint32_t degree = 15;                ///< destinations of a random multicast
    std::vector<std::uint32_t> destinations;  ///< given set; empty: drawn anew for every message
    std::optional<std::uint32_t> source;      ///< of single messages; drawn if not given
    std::vector<std::uint32_t> hotspots;
    double hotspot_fraction = 0;  ///< 0..1
    double gap = 0;               ///< mean cycles between two messages of one host, exponential; 0: single messages
    std::uint32_t messages = 1;   ///< single messages: how many, all created at `start`
    engine::cycle start = 1;      ///< first cycle with a message
    engine::cycle end = engine::never;  ///< no message is created in this cycle or later
    std::uint64_t seed = 1;             ///< same seed, same sources, destinations and times for every scheme
};

/// \see workload_params
class workload final : public message_source {
public:
    /// \throws input_error on what cannot be: a host that does not exist, the source among the destinations, more
    /// destinations than other hosts, ...
    explicit workload(const workload_params& params);

    std::optional<message> next(std::uint32_t host) override;

private:
    struct host_state {
        random_stream random;
        double time = 0;                    ///< of the last message under load
        std::uint64_t count = 0;            ///< messages begun
        std::vector<std::uint32_t> copies;  ///< unicasts of the multicast begun that are still to be sent, last first
        message current;
    };

    std::optional<message> next_copy(host_state& state);
    bool begin_message(std::uint32_t host, host_state& state);
    std::vector<std::uint32_t> draw_destinations(std::uint32_t host, random_stream& random) const;
    std::uint32_t draw_other(std::uint32_t host, random_stream& random) const;

    workload_params params_;
    std::vector<std::uint32_t> permutation_;
    std::vector<std::uint32_t> single_sources_;  ///< per single message
    std::vector<host_state> states_;
};

}  // namespace polycast::hw::traffic
