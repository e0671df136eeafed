// SPDX-License-Identifier: Apache-2.0
/// \file Open-loop traffic: which host sends what to which hosts, and when. Every host has its own random stream.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "hw/delivery/message.h"
#include "hw/traffic/pattern.h"

namespace polycast::hw::traffic {

enum class workload_kind : std::uint8_t { unicast, multicast, list };

/// A message that is sent in a given cycle.
struct listed_message {
    engine::cycle at = 0;
    std::uint32_t source = 0;
    std::vector<std::uint32_t> destinations;  ///< one, or the other members of the group of `address`
    std::uint32_t bytes = 0;
    std::optional<format::stop> address = {};  ///< LID, and service level as its ports; nothing: that of a unicast
};

/// Who sends what to whom for a multicast: of a source to destinations in the order given. Called while the network
/// runs: it must not throw for hosts that exist, without the source among them.
using planner = std::function<collectives::multicast_plan(std::uint32_t source, std::span<const std::uint32_t>)>;

/// Times in cycles, sizes in bytes, hosts by number.
struct workload_params {
    workload_kind kind = workload_kind::multicast;
    pattern_params pattern = {};  ///< of unicasts; hosts in place of a hotspot's own message to itself
    std::uint32_t hosts = 32;
    std::uint32_t bytes = 128;                ///< length of a message
    std::uint32_t payload_bytes = 128;        ///< longest payload of a packet
    std::uint32_t degree = 15;                ///< destinations of a random multicast
    std::vector<std::uint32_t> destinations;  ///< given set; empty: drawn for every message
    bool group = false;                       ///< `destinations` are one of whom each sends to the others
    bool reliable = false;                    ///< every message is acknowledged by all that get it
    forwarding how = forwarding::nobody;      ///< who carries out the sends of those who are not the source
    std::optional<std::uint32_t> source;      ///< of single messages; drawn if not given
    double gap = 0;                           ///< mean cycles between two messages of one host; 0: single messages
    std::uint32_t messages = 1;               ///< single messages: how many, all created at `start`
    engine::cycle start = 1;                  ///< first cycle with a message
    engine::cycle end = engine::never;        ///< no message is created in this cycle or later
    std::vector<listed_message> list{};  ///< of workload_kind::list; only `hosts`, `payload_bytes`, `seed` count beside
    std::uint64_t seed = 1;              ///< same seed, same sources, destinations and times for every scheme

    /// Others than the source have to know of a message before it comes.
    bool shared() const { return kind == workload_kind::multicast && (how != forwarding::nobody || reliable); }
};

/// \see workload_params
class workload final : public message_source {
public:
    /// `plan`: of every multicast; nothing: one tree worm to all, which fits forwarding::nobody only.
    /// \throws input_error on what cannot be: a host that does not exist, the source among the destinations, more
    /// destinations than other hosts, ...
    explicit workload(const workload_params& params, planner plan = {});

    std::optional<message> next(std::uint32_t host) override;
    std::optional<group_setup> next_group(std::uint32_t host) override;
    bool reliable() const override { return params_.reliable; }

private:
    /// A multicast, or a unicast, before it takes a form.
    struct drawn_message {
        engine::cycle created = 0;
        std::uint64_t count = 0;                  ///< at its source
        std::vector<std::uint32_t> destinations;  ///< ascending, or as given
        const listed_message* listed = nullptr;   ///< null: one of the others
    };
    struct host_state {
        random_stream random;
        double time = 0;          ///< of the last message under load
        std::uint64_t count = 0;  ///< messages drawn
        std::deque<message> messages;
        std::deque<group_setup> groups;
        std::uint16_t next_group = 0;  ///< that acknowledges worms
    };

    std::optional<drawn_message> draw(std::uint32_t host);
    std::optional<drawn_message> next_listed(std::uint32_t host);
    void emit(std::uint32_t host, const drawn_message& drawn);
    void emit_multicast(std::uint32_t host, const drawn_message& drawn, message base);
    bool known_groups(std::uint32_t source);
    std::vector<std::uint16_t> acknowledging(const group_setup& multicast, const collectives::participant& sender);
    bool advance(std::uint32_t host);
    std::vector<std::uint32_t> draw_destinations(std::uint32_t host, random_stream& random) const;

    workload_params params_;
    planner plan_;
    std::shared_ptr<const pattern> where_;  ///< of unicasts
    std::vector<std::uint32_t> sorted_;     ///< given destinations, ascending
    std::uint32_t next_tag_ = 1;
    /// Groups of worms by source and sender, where all multicasts have the same destinations: firmware keeps what it
    /// knows of a group for good, so they have the same groups, too.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint16_t>> kept_groups_;
    std::vector<std::uint32_t> single_sources_;               ///< per single message
    std::vector<std::vector<const listed_message*>> listed_;  ///< [host] in order of time
    std::vector<host_state> states_;

    /// Where others than the source send: the next message of every host, so that all learn of theirs in order of time.
    std::vector<std::optional<drawn_message>> upcoming_;
    using when_and_host = std::pair<engine::cycle, std::uint32_t>;
    std::priority_queue<when_and_host, std::vector<when_and_host>, std::greater<>> order_;
    std::mutex asked_;  ///< hosts ask at the same time; what each gets does not depend on the order
};

}  // namespace polycast::hw::traffic
