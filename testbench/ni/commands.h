// SPDX-License-Identifier: Apache-2.0
/// \file Commands of host processes, as the words of hw/ni/abi/ni_host.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "hw/format/route.h"
#include "hw/ni/abi/ni_host.h"

namespace polycast::testbench::ni {

using words = std::vector<std::uint32_t>;

/// Windows that every process of these benches has.
inline constexpr unsigned send_window = 0;
inline constexpr unsigned receive_window = 1;
inline constexpr unsigned statistics_window = 2;

/// What a send says of its message.
struct message_order {
    std::uint32_t offset = 0;  ///< in the window for sends
    std::uint32_t length = 0;
    std::uint32_t process = 0;  ///< receiving
    std::uint32_t message = 0;
    std::uint32_t tag = 0;
    std::uint32_t hops = 8;  ///< of sends to a group
};

inline words send_command(std::uint32_t host, const message_order& what) {
    return {NI_COMMAND_SEND | send_window << 8,
            what.message,
            what.offset,
            what.length,
            host | what.process << 24,
            0,
            what.message,
            what.tag};
}

using route = hw::format::route;

/// The words of a route, filled up with zeros to `count` at least.
inline words route_words(const route& worm, std::size_t count = 0) {
    words made(std::max(count, (worm.field.size() + 3) / 4));
    for (std::size_t byte = 0; byte < worm.field.size(); ++byte)
        made[byte / 4] |= std::uint32_t{worm.field[byte]} << byte % 4 * 8;
    return made;
}

/// Flags that say of what kind worms are.
inline std::uint32_t kind_flag(const route& worm) {
    return static_cast<std::uint32_t>(worm.kind) << NI_GROUP_KIND_SHIFT;
}

inline words send_worm_command(const route& worm, const message_order& what) {
    words made = send_command(0, what);
    made[NI_COMMAND_OPERATION] = NI_COMMAND_SEND_WORM | send_window << 8 | kind_flag(worm) << 16;
    const words more = route_words(worm);
    made.insert(made.end(), more.begin(), more.end());
    return made;
}

inline words send_group_command(std::uint32_t root, std::uint32_t group, const message_order& what) {
    words made = send_command(root, what);
    made[NI_COMMAND_OPERATION] = NI_COMMAND_SEND_GROUP | send_window << 8;
    made[NI_COMMAND_GROUP] = group | what.hops << 16;
    return made;
}

inline words receive_command(std::uint32_t offset, std::uint32_t length, std::uint32_t cookie) {
    return {NI_COMMAND_RECEIVE | receive_window << 8, cookie, offset, length, 0, 0, 0, 0};
}

/// A message of process 0 of `source` that lands at `offset` and counts there in steps, at this interface.
inline words expect_command(std::uint32_t source, const message_order& what, std::uint32_t offset,
                            std::uint32_t counter, std::uint32_t step) {
    return {NI_COMMAND_RECEIVE | receive_window << 8 | NI_RECEIVE_EXPECTED << 16,
            what.message,
            offset,
            what.length,
            source,
            0,
            what.message,
            0,
            counter,
            step,
            1};
}

/// A send with further flags, counter, step and window; 0 where there is none.
inline words gated_command(words send, std::uint32_t flags, std::uint32_t counter, std::uint32_t step,
                           std::uint32_t window) {
    send[NI_COMMAND_OPERATION] |= flags << 16;
    send.insert(send.end(), {counter, step, window});
    return send;
}

inline words set_counter_command(std::uint32_t counter, std::uint32_t value) {
    return {NI_COMMAND_SET_COUNTER, 0xc0, 0, value, 0, counter, 0, 0};
}

/// `operation`: NI_COMMAND_SET_GROUP, NI_COMMAND_EXTEND_GROUP or NI_COMMAND_CLEAR_GROUP.
inline words group_command(std::uint32_t operation, std::uint32_t root, std::uint32_t group, std::uint32_t flags,
                           const std::vector<std::uint32_t>& children = {}) {
    words made{operation | flags << 16, 0x600d, 0, static_cast<std::uint32_t>(children.size()), root, group, 0, 0};
    made.insert(made.end(), children.begin(), children.end());
    return made;
}

/// The same for children that are worms of one kind; at least one.
inline words worm_group_command(std::uint32_t operation, std::uint32_t root, std::uint32_t group, std::uint32_t flags,
                                const std::vector<route>& worms) {
    std::size_t each = 0;
    for (const route& worm : worms) each = std::max(each, route_words(worm).size());
    words all;
    for (const route& worm : worms) {
        const words one = route_words(worm, each);
        all.insert(all.end(), one.begin(), one.end());
    }
    words made = group_command(operation, root, group, flags | kind_flag(worms.front()), all);
    made[NI_COMMAND_OFFSET] = static_cast<std::uint32_t>(each);
    made[NI_COMMAND_LENGTH] = static_cast<std::uint32_t>(worms.size());
    return made;
}

inline words statistics_command() {
    return {NI_COMMAND_STATISTICS | statistics_window << 8, 0x57a7, 0, 4 * NI_STATISTICS, 0, 0, 0, 0};
}

inline constexpr std::uint32_t deliver_to(std::uint32_t process) {
    return NI_GROUP_DELIVER | process << NI_GROUP_PROCESS_SHIFT;
}

}  // namespace polycast::testbench::ni
