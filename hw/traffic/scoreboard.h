// SPDX-License-Identifier: Apache-2.0
/// \file Checks every delivered byte, independently of the hardware that delivered it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "hw/traffic/message.h"

namespace polycast::hw::traffic {

/// Counts of packet copies: a packet to d hosts is d copies.
struct delivery_counts {
    std::uint64_t expected = 0;      ///< asked for
    std::uint64_t delivered = 0;     ///< arrived once at a host that was to get it, intact
    std::uint64_t missing = 0;       ///< not arrived so far
    std::uint64_t duplicated = 0;    ///< arrived again
    std::uint64_t corrupted = 0;     ///< a byte of header, payload or check word is wrong, or some are missing
    std::uint64_t misdelivered = 0;  ///< arrived at a host that was not to get it
    std::uint64_t misordered = 0;    ///< overtook an earlier packet of the same source, kind and destinations

    bool exactly_once() const { return delivered == expected && missing + duplicated + corrupted + misdelivered == 0; }
    bool operator==(const delivery_counts&) const = default;
};

/// One unicast or one whole multicast.
struct transfer_record {
    std::uint64_t transfer = 0;
    std::uint32_t source = 0;
    std::uint32_t copies = 0;  ///< hosts that are to get it
    engine::cycle created = 0;
    engine::cycle completed = 0;  ///< when the last of them had it

    engine::cycle latency() const { return completed - created; }
    bool operator==(const transfer_record&) const = default;
};

/// Window of cycles in which throughput is measured.
struct measurement_window {
    engine::cycle from = 0;
    engine::cycle to = engine::never;

    bool contains(engine::cycle when) const { return when >= from && when < to; }
};

/// Payload bytes in the measurement window, for throughput.
struct traffic_volume {
    std::uint64_t generated = 0;  ///< by hosts, a multicast counted once
    std::uint64_t wanted = 0;     ///< the same, times the number of destinations
    std::uint64_t accepted = 0;   ///< delivered copies, by arrival of the tail
};

/// Knows from the workload alone what has to arrive, regenerates every payload and compares.
class scoreboard final : public message_sink {
public:
    scoreboard(std::uint64_t payload_seed, measurement_window window) : payload_seed_(payload_seed), window_(window) {}

    void created(std::uint32_t source, const message& message) override;
    std::uint64_t arrived(engine::cycle now, const received_packet& packet) override;
    void delivered(engine::cycle when, std::uint64_t ticket) override;

    /// Counts so far; what has not arrived is missing.
    delivery_counts counts() const;
    const traffic_volume& volume() const { return volume_; }
    /// True when all that was created has been delivered to the hosts' programs.
    bool complete() const { return open_transfers_.empty(); }
    /// All finished transfers, by number.
    std::vector<transfer_record> transfers() const;
    /// The packet that has waited longest, in words ("packet 17 of host 3 to hosts 4, 9, created in cycle 120"); empty
    /// if none.
    std::string oldest_missing() const;
    /// The first faults in words, at most 20.
    const std::vector<std::string>& faults() const { return faults_; }

private:
    struct expected_packet {
        std::uint64_t transfer = 0;
        engine::cycle created = 0;
        format::packet_kind kind = format::packet_kind::unicast;
        std::uint16_t bytes = 0;
        std::uint64_t flow = 0;                   ///< hash of source, kind and destinations
        std::vector<std::uint32_t> destinations;  ///< ascending
        std::vector<bool> arrived;                ///< per destination
        std::size_t open = 0;
    };
    struct open_transfer {
        transfer_record record;
        std::uint32_t undelivered = 0;
    };

    void fault(engine::cycle now, const received_packet& packet, const std::string& what);
    bool intact(const expected_packet& expected, const received_packet& packet) const;

    std::uint64_t payload_seed_;
    measurement_window window_;
    std::unordered_map<std::uint32_t, std::uint32_t> next_sequence_;  ///< per source
    std::map<std::uint64_t, expected_packet> expected_;               ///< by source << 32 | sequence
    std::unordered_map<std::uint64_t, open_transfer> open_transfers_;
    std::unordered_map<std::uint64_t, std::uint32_t> last_of_flow_;  ///< per flow and receiver: sequence + 1
    std::unordered_map<std::uint64_t, std::uint64_t> tickets_;       ///< ticket to transfer
    std::uint64_t next_ticket_ = 1;
    std::vector<transfer_record> finished_;
    delivery_counts counts_;
    traffic_volume volume_;
    std::vector<std::string> faults_;
};

}  // namespace polycast::hw::traffic
