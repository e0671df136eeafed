// SPDX-License-Identifier: Apache-2.0
/// \file One interface and what others say to it about rails.
#pragma once

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "testbench/firmware/commands.h"

namespace polycast::testbench::firmware {

// What control packets say, and of what (firmware/rails.h), written down again.
enum word : std::uint32_t { request = 1, grant = 2, refuse = 3, cancel = 4, withdraw = 5 };
inline constexpr std::uint32_t kept = 0x100, urgent = 0x200;
inline constexpr std::uint32_t control = 1;

inline constexpr std::pair<std::uint32_t, std::uint32_t> busy{NI_COMPLETION_FAILED, NI_STATUS_BUSY};

inline words reserve(std::uint32_t host, std::uint32_t ticket, const job& what, bool is_urgent = false) {
    words made = send(host, what);
    made[NI_COMMAND_OPERATION] |= (NI_SEND_RESERVE | (is_urgent ? NI_SEND_URGENT : 0)) << 16;
    made[NI_COMMAND_GROUP] = ticket;
    return made;
}

inline words give_up(std::uint32_t host, std::uint32_t ticket) {
    return {NI_COMMAND_WITHDRAW, 8, 0, 0, host, ticket, 0, 0};
}

/// What another interface says. Its attempts have the number of the message.
inline packet said(std::uint32_t source, std::uint32_t what, std::uint32_t ticket, std::uint32_t message,
                   std::uint32_t total = 100) {
    packet made;
    made.source = source;
    made.op = control;
    made.source_process = 1;
    made.group = what;
    made.message = message;
    made.offset = message;
    made.total = total;
    made.tag = ticket;
    made.payload = {0};
    return made;
}

/// The answer of host `source` to a request that was sent.
inline packet answer(const packet& to, std::uint32_t what) {
    packet made = to;
    made.source = to.destination;
    made.group = what;
    return made;
}

inline packet data(const ni_model& ni, std::uint32_t source, std::uint32_t message, std::uint32_t index,
                   std::uint32_t total = 100) {
    packet made = part_of(ni.params, message, total, index);
    made.source = source;
    made.source_process = 1;
    return made;
}

/// Cycles after which an end of a rail is lost that nobody uses (firmware/state.h).
inline constexpr std::uint32_t rail_life = 1 << 20;

/// Tickets of most tests are times long before this.
inline constexpr std::uint32_t now = 1000;

struct rails_bench {
    explicit rails_bench(std::uint32_t host = 3) : ni({.host = host}) {
        give_windows(ni, 1000);
        ni.time = now;
    }

    /// Who was told what since the last call.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> words_sent() {
        ni.settle();
        std::vector<std::pair<std::uint32_t, std::uint32_t>> made;
        for (; seen < ni.sent.size(); ++seen)
            if (ni.sent[seen].op == control) made.emplace_back(ni.sent[seen].destination, ni.sent[seen].group);
        return made;
    }
    std::vector<std::pair<std::uint32_t, std::uint32_t>> results(std::uint32_t process = 0) {
        ni.settle();
        auto made = outcome(ni, process);
        ni.completions[process].clear();
        return made;
    }
    void hear(const packet& what) {
        ASSERT_TRUE(ni.arrive(what));
        ni.settle();
    }
    void ask(const words& what, std::uint32_t process = 0) {
        ASSERT_TRUE(ni.command(process, what));
        ni.settle();
    }
    /// A process sends a message, and a process of host 7 does: both have had a turn now.
    void take_turns() {
        ask(reserve(5, ni.time, {.length = 1}));
        hear(answer(ni.sent.back(), grant));
        hear(said(7, request, ni.time, 99, 1));
        hear(data(ni, 7, 99, 0, 1));
        results();
        words_sent();
    }

    ni_model ni;
    std::size_t seen = 0;
};

inline std::pair<std::uint32_t, std::uint32_t> to(std::uint32_t host, std::uint32_t word) {
    return {host, word};
}

}  // namespace polycast::testbench::firmware
