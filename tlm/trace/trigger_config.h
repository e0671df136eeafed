// SPDX-License-Identifier: Apache-2.0
/// \file The event around which waves are recorded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "hw/engine/chip.h"
#include "hw/engine/network.h"
#include "hw/names.h"

namespace polycast::tlm::trace {

/// Seen on pins, of a host its inputs; `error` also on event pins of coding units, `latency` from the first head on.
enum class trigger_event : std::uint8_t { injected, passes, delivered, dropped, error, latency, full, fault };

inline constexpr hw::named<trigger_event> trigger_events[] = {
    {trigger_event::injected, "injected", "a packet is seen for the first time: its header is complete on a link"},
    {trigger_event::passes, "passes", "its header is complete on an output of a chip"},
    {trigger_event::delivered, "delivered", "its tail arrives at a host"},
    {trigger_event::dropped, "dropped", "a switch or router drops it, or some of its copies"},
    {trigger_event::error, "error", "an error pin of a chip goes up"},
    {trigger_event::latency, "latency", "a packet arrives at a host, `cycles` or more after it left its source"},
    {trigger_event::full, "full", "a buffer has had no room for a packet for so many `cycles`"},
    {trigger_event::fault, "fault",
     "a fault begins on a wire of a cable, or makes a processor stand still (section `faults`)"}};

/// A packet by its number in packet logs, or by source and sequence number in its header.
struct packet_choice {
    std::optional<std::uint32_t> number;
    std::pair<std::uint32_t, std::uint32_t> source_and_sequence = {};

    /// "4711", "3#17" or "host3#17"; nothing if it is neither.
    static std::optional<packet_choice> from(const std::string& text);
};

struct trigger_config {
    trigger_event event = trigger_event::error;
    std::optional<packet_choice> packet;         ///< nothing: any
    std::optional<hw::engine::chip_id> chip;     ///< nothing: any; of `delivered` and `latency` a host
    std::optional<unsigned> end;                 ///< of `fault`: the end of the cable that the wire leads away from
    hw::engine::cycle cycles = 0;                ///< of `latency` and `full`
    std::uint64_t occurrence = 1;                ///< which of several such events
    hw::engine::cycle before = 200, after = 50;  ///< cycles of the waves around that of the event
};

}  // namespace polycast::tlm::trace
