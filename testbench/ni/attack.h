// SPDX-License-Identifier: Apache-2.0
/// \file Packets and commands that mean no good.
#pragma once

#include <deque>

#include "testbench/ni/tenants.h"

namespace polycast::testbench::ni {

/// Attacks one interface from its link, and from one of its processes. Hostile messages that are well formed are for
/// the process that is the target, or for the hostile one; they have numbers, groups and roots that no good message
/// has.
class attacker {
public:
    attacker(tenancy& victim, dice& random) : victim_(victim), random_(random) {}

    /// Puts a packet, or those of one message, on the wire.
    void packet();
    /// The hostile process does something: a command, a doorbell, any write to its page.
    void command();

private:
    packet_fields valid(std::uint32_t total);
    void make_worm(packet_fields& fields);
    route any_route(std::uint32_t kind);
    void whole_message();
    packet_fields first_of_many();
    packet_fields in_group();
    void lie(packet_fields& fields);
    wire_item broken_frame();
    wire_item random_bytes();
    void send(const packet_fields& fields);

    words any_words();
    words sending();
    words following(words made);
    words expecting();
    packet_fields of_other_job();
    packet_fields control_of_other_job();
    packet_fields forged();
    words grouping();
    void grants();
    void registers();

    tenancy& victim_;
    dice& random_;
    std::deque<packet_fields> recent_;    ///< to be sent again
    std::deque<packet_fields> expected_;  ///< by the hostile process, of messages of these lengths
};

}  // namespace polycast::testbench::ni
