// SPDX-License-Identifier: Apache-2.0
/// \file Why a program takes as long as it does: from the end of its last operation back to its start, what each cycle
/// was needed for, without a gap.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hw/engine/chip.h"
#include "hw/names.h"
#include "hw/programs/program.h"

namespace polycast::hw::programs {

using engine::cycle;

/// When an operation did what, and what it was waiting for before; cycles of the run.
struct operation_times {
    static constexpr std::uint32_t nothing = ~std::uint32_t{0};

    cycle ready = 0;     ///< what it waits for had happened
    cycle credited = 0;  ///< it had its credit
    cycle begin = 0;     ///< the processor took it
    cycle end = 0;
    // Of a send: t_hs paid, and of one that asks t_hr of its grant, the processor taken for the data, its t_hs paid.
    cycle handed = 0, granted = 0, data_begin = 0, data_handed = 0;
    // Of a receive: its message, or its data, at the host; the processor taken for t_hr; that paid.
    cycle arrived = 0, pay_begin = 0, paid = 0;
    std::uint32_t cause = nothing;  ///< operation of the rank that it waited for last
    bool cause_start = false;       ///< for its start
    operation_id partner{};         ///< of a receive: its send

    static constexpr std::size_t words = 9;  ///< of packed()
    void packed(std::vector<std::uint64_t>& to, operation_kind kind) const;
    static operation_times of(std::span<const std::uint64_t, words> packed, operation_kind kind);
};

enum class path_step : std::uint8_t {
    compute,
    move,
    busy,
    send,
    receive,
    credit,
    grant,
    network,
    order,
    // Parts of `network`.
    bus,
    ni_send,
    link,
    link_wait,
    ni_receive
};

inline constexpr named<path_step> path_steps[] = {
    {path_step::compute, "compute", "calc"},
    {path_step::move, "copy_reduce", "copy or reduce"},
    {path_step::busy, "busy", "the processor does something else"},
    {path_step::send, "t_hs", "send overhead"},
    {path_step::receive, "t_hr", "receive overhead"},
    {path_step::credit, "credit", "the send waits for a credit"},
    {path_step::grant, "grant", "the send waits for its receive, and request and grant are on their way"},
    {path_step::network, "network", "buses, interfaces, switches and links"},
    {path_step::order, "order", "an earlier message of the two ranks has not come"},
    {path_step::bus, "bus", "buses between hosts and interfaces, and waiting for them"},
    {path_step::ni_send, "ni_send", "the interface that sends, and waiting for its processor"},
    {path_step::link, "link", "links and chips, as in an empty network"},
    {path_step::link_wait, "link_wait", "waiting for a link"},
    {path_step::ni_receive, "ni_receive", "the interface that receives, and waiting for its processor"}};

struct path_segment {
    cycle from = 0, to = 0;
    path_step what = path_step::compute;
    operation_id of{};
    bool data_left = false;  ///< of `network`: it is over when the data of a long send have left host memory

    bool operator==(const path_segment&) const = default;
};

/// In the order of time; the lengths add up to the latest end minus `start`. \param times [rank, operation] of a
/// program that has ended
std::vector<path_segment> critical_path(const program& of, std::span<const std::vector<operation_times>> times,
                                        cycle start);

}  // namespace polycast::hw::programs
