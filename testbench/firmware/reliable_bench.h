// SPDX-License-Identifier: Apache-2.0
/// \file One interface with reliable messages, and the control packets of the others.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "testbench/firmware/commands.h"

namespace polycast::testbench::firmware {

inline constexpr std::uint32_t reliable_op = 0x20, control_op = 1;
inline constexpr std::uint32_t receipt_word = 32, probe_word = 33, declined_word = 34;
inline constexpr std::uint32_t alone_flag = 0x100, forget_flag = 0x200;
/// Of a PROBE: so many messages has the source begun from the lowest on.
inline constexpr std::uint32_t begun(std::uint32_t messages) {
    return messages << 10;
}
inline constexpr std::uint32_t all_there = 0xfffffffe, own_part = 0xfffffffd, no_word = 0xffffffff,
                               was_asked = 0x80000000;

/// An entry of a receipt.
struct receipt {
    std::uint32_t member = 0;
    std::uint32_t message = 0;
    std::uint32_t missing = 0;
    std::uint32_t bitmap = 0;

    bool operator==(const receipt&) const = default;
};

/// `to` of a flow, as control packets have it.
inline constexpr std::uint32_t flow_of_process(std::uint32_t process) {
    return no_group | process << 16;
}

inline words reliable(words command, std::uint32_t flags = 0) {
    command[0] |= (NI_SEND_RELIABLE | flags) << 16;
    return command;
}

/// Control packet `word` from host `from` about message `message` of the flow `tag` from `source` (host and process).
inline packet control_from(std::uint32_t from, std::uint32_t word, std::uint32_t source, std::uint32_t tag,
                           std::uint32_t message = 0, std::uint32_t offset = 0) {
    packet made;
    made.source = from;
    made.op = control_op;
    made.group = word;
    made.message = message;
    made.offset = offset;
    made.total = source;
    made.tag = tag;
    made.payload.resize(1);
    return made;
}

inline packet receipt_from(std::uint32_t from, std::uint32_t source, std::uint32_t tag,
                           const std::vector<receipt>& entries) {
    packet made = control_from(from, receipt_word, source, tag);
    made.payload.clear();
    for (const receipt& one : entries)
        for (const std::uint32_t word : {one.member, one.message, one.missing, one.bitmap})
            for (int byte = 0; byte < 4; ++byte) made.payload.push_back(static_cast<std::uint8_t>(word >> 8 * byte));
    return made;
}

/// Entries of a receipt that was sent.
inline std::vector<receipt> entries_of(const packet& what) {
    std::vector<receipt> made;
    for (std::size_t at = 0; at + 16 <= what.payload.size(); at += 16) {
        std::uint32_t word[4] = {};
        for (std::size_t i = 0; i < 16; ++i) word[i / 4] |= std::uint32_t{what.payload[at + i]} << i % 4 * 8;
        made.push_back({word[0], word[1], word[2], word[3]});
    }
    return made;
}

/// Host 0 with two processes and payloads of 64 bytes.
struct reliable_bench {
    explicit reliable_bench(const model_params& params = {}) : ni(params) { give_windows(ni, 65536); }

    void give(const words& command, std::uint32_t process = 0) {
        ASSERT_TRUE(ni.command(process, command));
        ni.settle();
    }
    void arrive(const packet& what) {
        ASSERT_TRUE(ni.arrive(what));
        ni.settle();
    }
    /// Packet `index` of message `number` of the flow from host 1, process 0, to process 0.
    void part(std::uint32_t number, std::uint32_t total, std::uint32_t index) {
        packet made = part_of(ni.params, number, total, index);
        made.op = reliable_op;
        arrive(made);
    }
    void pass(std::uint32_t cycles) {
        ni.advance(cycles);
        ni.settle();
    }
    std::vector<packet> sent() {
        ni.settle();
        return std::exchange(ni.sent, {});
    }
    /// The one packet that was sent.
    packet only() {
        const std::vector<packet> all = sent();
        EXPECT_EQ(all.size(), 1u);
        return all.empty() ? packet{} : all.front();
    }
    std::vector<std::uint32_t> offsets() {
        std::vector<std::uint32_t> made;
        for (const packet& each : sent())
            if (each.op == reliable_op) made.push_back(each.offset);
        return made;
    }
    /// Completions that a process has got since the last call.
    std::vector<completion> told(std::uint32_t process = 0) { return std::exchange(ni.completions[process], {}); }
    /// The last of them.
    completion last(std::uint32_t process = 0) {
        const std::vector<completion> all = told(process);
        EXPECT_FALSE(all.empty());
        return all.empty() ? completion{} : all.back();
    }

    ni_model ni;
};

}  // namespace polycast::testbench::firmware
