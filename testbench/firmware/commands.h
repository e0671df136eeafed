// SPDX-License-Identifier: Apache-2.0
/// \file Commands of host programs, as words.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <utility>
#include <vector>

#include "testbench/firmware/ni_model.h"

namespace polycast::testbench::firmware {

using words = std::vector<std::uint32_t>;

/// What most commands have in common. Window 1 of the process holds what is sent, window 2 what is received.
struct job {
    std::uint32_t length = 0;
    std::uint32_t message = 1;
    std::uint32_t cookie = 5;
    std::uint32_t offset = 0;
    std::uint32_t window = 1;
    std::uint32_t process = 0;  ///< receiving
    std::uint32_t tag = 9;
    std::uint32_t hops = 8;  ///< of SEND_GROUP
};

inline words send(std::uint32_t host, const job& what) {
    return {NI_COMMAND_SEND | what.window << 8, what.cookie, what.offset,  what.length,
            host | what.process << 24,          0,           what.message, what.tag};
}

/// Flags that say of what kind worms are.
inline constexpr std::uint32_t kind_flag(std::uint32_t kind) {
    return kind << NI_GROUP_KIND_SHIFT;
}

inline words send_worm(std::uint32_t kind, const words& route, const job& what) {
    words made = send(0, what);
    made[0] = NI_COMMAND_SEND_WORM | what.window << 8 | kind_flag(kind) << 16;
    made.insert(made.end(), route.begin(), route.end());
    return made;
}

inline words send_tree(const words& bits, const job& what) {
    return send_worm(NI_ROUTE_TREE, bits, what);
}

/// `count` words with as much as they hold of a path worm whose stops have three bytes each: first + 2, first + 3, ...
inline words path_words(std::uint32_t stops, std::uint32_t first, std::size_t count) {
    words made(count);
    const auto put = [&](std::uint32_t at, std::uint32_t byte) {
        if (at / 4 < count) made[at / 4] |= (byte & 0xff) << at % 4 * 8;
    };
    put(0, stops);
    for (std::uint32_t at = 2; at < 2 + 3 * stops; ++at) put(at, first + at);
    return made;
}

/// The bytes of the same.
inline std::vector<std::uint8_t> path_bytes(std::uint32_t stops, std::uint32_t first) {
    std::vector<std::uint8_t> made{static_cast<std::uint8_t>(stops), 0};
    for (std::uint32_t at = 2; at < 2 + 3 * stops; ++at) made.push_back(static_cast<std::uint8_t>(first + at));
    return made;
}

inline words send_group(std::uint32_t root, std::uint32_t group, const job& what) {
    words made = send(root, what);
    made[0] = NI_COMMAND_SEND_GROUP | what.window << 8;
    made[NI_COMMAND_GROUP] = group | what.hops << 16;
    return made;
}

inline words receive(std::uint32_t length, std::uint32_t cookie, std::uint32_t offset = 0, std::uint32_t window = 2) {
    return {NI_COMMAND_RECEIVE | window << 8, cookie, offset, length};
}

inline words set_group(std::uint32_t root, std::uint32_t group, std::uint32_t flags, const words& children,
                       std::uint32_t operation = NI_COMMAND_SET_GROUP) {
    words made{operation | flags << 16, 6, 0, static_cast<std::uint32_t>(children.size()), root, group, 0, 0};
    made.insert(made.end(), children.begin(), children.end());
    return made;
}

/// A group of worms, all of them in `routes`, each `each` words long.
inline words set_worms(std::uint32_t root, std::uint32_t group, std::uint32_t flags, std::uint32_t kind,
                       const words& routes, std::uint32_t each, std::uint32_t operation = NI_COMMAND_SET_GROUP) {
    words made = set_group(root, group, flags | kind_flag(kind), routes, operation);
    made[NI_COMMAND_OFFSET] = each;
    made[NI_COMMAND_LENGTH] = static_cast<std::uint32_t>(routes.size()) / std::max(each, 1u);
    return made;
}

inline words clear_group(std::uint32_t root, std::uint32_t group) {
    return set_group(root, group, 0, {}, NI_COMMAND_CLEAR_GROUP);
}

inline words extend_group(const words& children) {
    return set_group(0, 0, 0, children, NI_COMMAND_EXTEND_GROUP);
}

inline constexpr std::uint32_t deliver_to(std::uint32_t process) {
    return NI_GROUP_DELIVER | process << NI_GROUP_PROCESS_SHIFT;
}

/// first, first + 1, ... `count` of them.
inline words hosts_from(std::uint32_t first, std::uint32_t count) {
    words made(count);
    std::iota(made.begin(), made.end(), first);
    return made;
}

/// Windows 1 and 2 of every process, `bytes` long; window 1 holds message `message` from its start.
inline void give_windows(ni_model& ni, std::size_t bytes, std::uint32_t message = 1) {
    for (std::uint32_t process = 0; process < ni.params.processes; ++process) {
        window& out = ni.windows[{process, 1}];
        out.write = false;
        out.bytes.resize(bytes);
        for (std::uint32_t i = 0; i < bytes; ++i) out.bytes[i] = pattern(message, i);
        window& in = ni.windows[{process, 2}];
        in.read = false;
        in.bytes.resize(bytes);
    }
}

/// True if the bytes at `offset` of window 2 are message `message`.
inline bool holds(ni_model& ni, std::uint32_t process, std::uint32_t offset, std::uint32_t message,
                  std::uint32_t bytes) {
    const window& in = ni.windows[{process, 2}];
    for (std::uint32_t i = 0; i < bytes; ++i)
        if (in.bytes[offset + i] != pattern(message, i)) return false;
    return true;
}

/// Kinds, and of failures the status, of the completions that `process` has.
inline std::vector<std::pair<std::uint32_t, std::uint32_t>> outcome(ni_model& ni, std::uint32_t process = 0) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> made;
    for (const completion& one : ni.completions[process]) made.emplace_back(one.kind, one.status);
    return made;
}

/// One of them.
inline constexpr std::pair<std::uint32_t, std::uint32_t> received{NI_COMPLETION_RECEIVED, NI_STATUS_OK};
constexpr std::pair<std::uint32_t, std::uint32_t> error(ni_status status) {
    return {NI_COMPLETION_ERROR, status};
}

}  // namespace polycast::testbench::firmware
