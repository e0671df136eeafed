// SPDX-License-Identifier: Apache-2.0
/// \file Checks every message between processes, and measures: independent of everything that carried it.
#pragma once

#include "hw/delivery/check.h"
#include "hw/workloads/rails/rail_message.h"
#include "hw/workloads/rails/rail_policy.h"

namespace polycast::hw::rails {

struct message_counts {
    std::uint64_t created = 0;
    std::uint64_t delivered = 0;  ///< once, to the right process, every byte as it was made
    std::uint64_t duplicated = 0;
    std::uint64_t corrupted = 0;  ///< wrong bytes, or another length
    std::uint64_t misdelivered = 0;

    bool good() const { return duplicated + corrupted + misdelivered == 0; }
};

/// Makes all bytes again. Payload is counted when a message is in host memory.
class rail_scoreboard final : public delivery::check {
public:
    /// `interval`: cycles of the series, 1 or more.
    rail_scoreboard(std::uint64_t payload_seed, cycle interval) : check(payload_seed), interval_(interval) {}

    void created(process_id from, const rail_message& message);
    /// All of a message is in host memory. `bytes` are valid during the call.
    void delivered(cycle when, process_id at, process_id from, std::uint32_t number,
                   std::span<const std::uint8_t> bytes);

    struct finished_message {
        process_id from;
        std::uint32_t number = 0;
        cycle created = 0;
        cycle completed = 0;  ///< in host memory; engine::never: not yet
        std::uint32_t bytes = 0;
        bool operator==(const finished_message&) const = default;
    };

    const message_counts& counts() const { return counts_; }
    bool complete() const { return open_.empty(); }
    const std::vector<finished_message>& finished() const { return finished_; }  ///< in order of completion
    std::vector<finished_message> unfinished() const;                            ///< by source and number
    /// Bytes of messages, [interval].
    const std::vector<std::uint64_t>& offered() const { return offered_; }
    const std::vector<std::uint64_t>& accepted() const { return accepted_; }
    /// What waits longest, in words; empty if nothing is missing.
    std::string oldest_missing() const;

private:
    void add(std::vector<std::uint64_t>& series, cycle when, std::uint64_t bytes) const;

    struct expected {
        process_id to;
        cycle created = 0;
        std::uint32_t bytes = 0;
    };

    cycle interval_;
    delivery::expected_items<process_id, expected> open_;
    std::vector<finished_message> finished_;
    std::vector<std::uint64_t> offered_, accepted_;
    message_counts counts_;
};

}  // namespace polycast::hw::rails
