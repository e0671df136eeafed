// SPDX-License-Identifier: Apache-2.0
/// \file Checks what hosts of the user's own send and get, beside the scoreboard of all others.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hw/delivery/goal.h"
#include "hw/delivery/message.h"
#include "hw/delivery/scoreboard.h"

namespace polycast::tlm::network {

/// Is told what own hosts are about to send, with the bytes, and compares them at every receiver. What polycast's hosts
/// send goes on to their scoreboard, whoever gets it. It is the sink of a workload and the goal of a run.
class own_scoreboard final : public hw::traffic::message_sink, public hw::traffic::goal {
public:
    using cycle = hw::engine::cycle;

    /// `own`: numbers of the hosts. `others` may be null where polycast's hosts send nothing that is to be checked
    /// here; it must outlive this.
    own_scoreboard(std::set<std::uint32_t> own, hw::traffic::scoreboard* others)
        : own_(std::move(own)), others_(others) {}

    /// Own host `source` is about to send message `number` (of its numbers, from any of its processes) to `hosts`. Call
    /// it before the doorbell. \throws input_error for another source, or a number that it has used
    void sending(std::uint32_t source, std::uint32_t number, const std::vector<std::uint32_t>& hosts,
                 std::span<const std::uint8_t> bytes);

    /// A message has come to a host, polycast's or own: `data` is what lies in its memory. For own hosts the user calls
    /// it, with source and number of the completion entry.
    void delivered(cycle when, std::uint32_t host, std::uint32_t source, std::uint32_t number,
                   std::span<const std::uint8_t> data) override;
    void created(std::uint32_t source, const hw::traffic::message& message) override;
    void departed(cycle now, const hw::ni::departed_packet& packet) override;
    void arrived(cycle now, const hw::ni::received_packet& packet) override;

    /// Of polycast's hosts. Only where there is one.
    const hw::traffic::scoreboard& others() const { return *others_; }
    /// Messages of own hosts.
    hw::traffic::copy_counts counts() const;
    /// What went wrong, in words: the first 20, with those of the others.
    std::vector<std::string> faults() const;
    /// All that was sent, by anyone, has come, and nothing else.
    bool passed() const;

    bool complete() const override;
    cycle delivered_until() const override;
    std::string oldest_missing() const override;

private:
    struct expected {
        std::vector<std::uint8_t> bytes;
        std::set<std::uint32_t> hosts;    ///< that are to get it
        std::set<std::uint32_t> missing;  ///< of these, those that have not
    };
    using message_id = std::pair<std::uint32_t, std::uint32_t>;  ///< source, number

    void fault(cycle when, std::uint32_t host, const message_id& id, const std::string& what);

    std::set<std::uint32_t> own_;
    hw::traffic::scoreboard* others_;
    std::map<message_id, expected> messages_;
    hw::traffic::copy_counts counts_;
    cycle until_ = 0;
    hw::delivery::fault_list faults_;
};

}  // namespace polycast::tlm::network
