// SPDX-License-Identifier: Apache-2.0
/// \file An XOR coding unit with its pins in the hands of a test: operands go in, results and events come out as lists.
/// Beside it runs the golden model of the equivalence bench, which has to do the same.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <vector>

#include "hw/chips/coding/coding_core.h"
#include "hw/format/check_word.h"
#include "testbench/equivalence/golden_coding.h"

namespace polycast::testbench::unit {

using hw::chips::chain_bit;
using hw::chips::coding_context;
using hw::chips::coding_event;
using hw::chips::coding_mode;
using hw::chips::coding_params;
using hw::chips::coding_registers;
using hw::engine::cycle;
using hw::format::chip_error;
using byte_list = std::vector<std::uint8_t>;

inline byte_list random_bytes(std::mt19937& random, std::size_t count) {
    byte_list bytes(count);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    return bytes;
}

inline byte_list operator^(byte_list a, const byte_list& b) {
    for (std::size_t byte = 0; byte < a.size(); ++byte) a[byte] ^= b.at(byte);
    return a;
}

/// A packet as it is on the link.
struct link_bytes {
    byte_list header;  ///< free
    byte_list flits;
};

/// A packet for a unit, or one of its results.
struct coding_message {
    hw::format::common_header common;
    hw::format::transport_header transport;
    byte_list payload;
    std::uint32_t destination = 0;
    cycle head = 0;  ///< on the pins
    cycle tail = 0;
    unsigned vc = 0;
    bool intact = false;  ///< check word, padding
};

inline coding_message operand(unsigned context, std::uint32_t tag, const byte_list& payload,
                              std::uint32_t source = 77) {
    coding_message out;
    out.common.source = source;
    out.common.length = static_cast<std::uint16_t>(payload.size());
    out.transport.op = hw::format::transport_op::operand;
    out.transport.group = static_cast<std::uint16_t>(context);
    out.transport.tag = tag;
    out.payload = payload;
    return out;
}

/// `spoil`: XORed into the check word.
inline link_bytes to_link(const coding_params& params, const coding_message& message, std::uint32_t spoil = 0) {
    byte_list common(hw::format::unicast_header_bytes);
    hw::format::write_common(message.common, common.data());
    hw::format::write_field<hw::format::destination_field>(common.data(), message.destination);
    byte_list transport(hw::format::transport_bytes);
    hw::format::write_transport(message.transport, transport.data());
    byte_list check(hw::format::check_bytes);
    hw::format::write_check(check.data(),
                            hw::format::check_word(common.data(), transport.data(), message.payload) ^ spoil);
    const auto append = [](byte_list& to, const byte_list& part) { to.insert(to.end(), part.begin(), part.end()); };
    const auto pad = [&](byte_list& to) {
        to.resize((to.size() + params.flit_bytes - 1) / params.flit_bytes * params.flit_bytes);
    };
    link_bytes out;
    if (params.header_free) {
        out.header = common;
        out.header.resize(params.pin_shape().header_bytes - transport.size() - check.size());
        append(out.header, transport);
        append(out.header, check);
        out.flits = message.payload;
    } else {
        out.flits = common;
        pad(out.flits);
        append(out.flits, transport);
        append(out.flits, message.payload);
        append(out.flits, check);
    }
    pad(out.flits);
    return out;
}

inline coding_message from_link(const coding_params& params, const link_bytes& bytes) {
    coding_message out;
    const byte_list& front = params.header_free ? bytes.header : bytes.flits;
    const std::size_t behind = std::size_t{params.header_flits()} * params.flit_bytes;
    const std::uint8_t* transport =
        params.header_free
            ? &bytes.header[hw::format::free_transport_offset(static_cast<unsigned>(bytes.header.size()))]
            : &bytes.flits[behind];
    out.common = hw::format::read_common(front.data());
    out.destination = hw::format::destination_of(front.data());
    out.transport = hw::format::read_transport(transport);
    const auto payload = bytes.flits.begin() +
                         static_cast<std::ptrdiff_t>(behind + (params.header_free ? 0 : hw::format::transport_bytes));
    out.payload.assign(payload, payload + out.common.length);
    const link_bytes again = to_link(params, out);
    out.intact = again.flits == bytes.flits && again.header == bytes.header;
    return out;
}

/// An event pin that was up.
struct out_event {
    cycle when;
    unsigned pin;
    coding_event code;
    unsigned context;
    std::uint32_t index;
    std::uint32_t source;
    bool operator==(const out_event&) const = default;
};

inline std::ostream& operator<<(std::ostream& stream, const out_event& event) {
    return stream << "{" << event.when << ", pin " << event.pin << ", " << hw::format::name_of(event.code)
                  << ", context " << event.context << ", index " << event.index << ", source " << event.source << "}";
}

/// Sends packets one after the other on each virtual channel, as its credits allow; takes results and gives credits
/// back in the cycle after, or later.
class coding_bench {
public:
    coding_bench(const coding_params& params, const coding_registers& registers)
        : params_(params),
          core_(params, registers),
          golden_(params, registers),
          in_(params.pin_shape()),
          out_(params.pin_shape()),
          golden_out_(params.pin_shape()),
          queues_(params.vcs),
          credits_(params.vcs, params.vc_flits) {}

    /// Its head comes in `when`, or as soon as packets before it and credits let it.
    void send(cycle when, unsigned vc, const link_bytes& packet) {
        const std::size_t bytes = params_.flit_bytes;
        for (std::size_t from = 0; from < packet.flits.size(); from += bytes) {
            const auto first = packet.flits.begin() + static_cast<std::ptrdiff_t>(from);
            queues_[vc].push_back({when,
                                   {first, first + static_cast<std::ptrdiff_t>(bytes)},
                                   from == 0 ? packet.header : byte_list{},
                                   from == 0,
                                   from + bytes == packet.flits.size()});
        }
    }
    void send(cycle when, unsigned vc, const coding_message& message) { send(when, vc, to_link(params_, message)); }

    /// Steps cycles up to, not including, `end`.
    void run(cycle end) {
        for (; now_ < end; ++now_) step();
    }

    bool idle() const { return core_.idle(); }
    hw::chips::coding_core& core() { return core_; }
    /// Flits that wait to be sent.
    std::size_t waiting() const {
        std::size_t flits = 0;
        for (const auto& queue : queues_) flits += queue.size();
        return flits;
    }
    unsigned credits(unsigned vc) const { return credits_[vc]; }
    void reset() {
        core_.reset();
        golden_.reset();
        credits_.assign(params_.vcs, params_.vc_flits);
        partial_ = {};
    }

    bool hold_credits = false;  ///< of results: given back when this is false again
    std::vector<coding_message> results;
    std::vector<out_event> events;
    std::vector<std::pair<cycle, chip_error>> errors;
    std::vector<std::pair<cycle, unsigned>> credits_back;  ///< credit pins: cycle, VC
    std::vector<cycle> wakes;                              ///< what step() returned, by cycle

private:
    struct queued_flit {
        cycle from;
        byte_list data;
        byte_list header;
        bool head;
        bool tail;
    };

    void step() {
        in_.clear();
        out_.clear();
        golden_out_.clear();
        for (unsigned turn = 0; turn < params_.vcs && in_.valid == 0; ++turn) drive((next_vc_ + turn) % params_.vcs);
        if (!owed_.empty() && !hold_credits) {
            in_.credit = 1;
            if (!in_.credit_vc.empty()) in_.credit_vc[0] = static_cast<std::uint8_t>(owed_.front());
            owed_.pop_front();
        }
        wakes.push_back(core_.step(now_, in_, out_));
        golden_.step(now_, in_, golden_out_);
        compare();
        if (out_.credit != 0) {
            const unsigned vc = out_.credit_vc.empty() ? 0 : out_.credit_vc[0];
            ++credits_[vc];
            credits_back.emplace_back(now_ + 1, vc);
        }
        for (unsigned bit = 0; bit < 16; ++bit)
            if (out_.error != 0 && (out_.errors[0] >> bit & 1) != 0)
                errors.emplace_back(now_ + 1, static_cast<chip_error>(1u << bit));
        for (const auto& event : out_.events)
            events.push_back(
                {now_ + 1, event.pin, static_cast<coding_event>(event.code), event.context, event.index, event.source});
        if (out_.valid != 0) receive();
    }

    void drive(unsigned vc) {
        if (queues_[vc].empty() || queues_[vc].front().from > now_ || credits_[vc] == 0) return;
        const queued_flit flit = queues_[vc].front();
        queues_[vc].pop_front();
        --credits_[vc];
        next_vc_ = vc + 1;
        in_.valid = 1;
        in_.head = flit.head ? 1 : 0;
        in_.tail = flit.tail ? 1 : 0;
        if (!in_.vc.empty()) in_.vc[0] = static_cast<std::uint8_t>(vc);
        std::ranges::copy(flit.data, in_.data.begin());
        std::ranges::copy(flit.header, in_.header.begin());
    }

    void receive() {
        const unsigned vc = out_.vc.empty() ? 0 : out_.vc[0];
        owed_.push_back(vc);
        if (out_.head != 0) {
            partial_ = {out_.header, {}};
            head_ = now_ + 1;
        }
        partial_.flits.insert(partial_.flits.end(), out_.data.begin(), out_.data.end());
        if (out_.tail == 0) return;
        results.push_back(from_link(params_, partial_));
        results.back().head = head_;
        results.back().tail = now_ + 1;
        results.back().vc = vc;
    }

    void compare() const {
        const auto signals = [](const hw::engine::pins& of) {
            return std::array<std::uint64_t, 5>{of.valid, of.head, of.tail, of.credit, of.error};
        };
        EXPECT_EQ(signals(out_), signals(golden_out_)) << "cycle " << now_ + 1;
        EXPECT_EQ(out_.events, golden_out_.events) << "cycle " << now_ + 1;
        EXPECT_EQ(core_.idle(), golden_.idle()) << "cycle " << now_;
        if (out_.valid == 0 || golden_out_.valid == 0) return;
        EXPECT_EQ(out_.data, golden_out_.data) << "cycle " << now_ + 1;
        EXPECT_EQ(out_.vc, golden_out_.vc) << "cycle " << now_ + 1;
        if (out_.head != 0) {
            EXPECT_EQ(out_.header, golden_out_.header) << "cycle " << now_ + 1;
        }
    }

    coding_params params_;
    hw::chips::coding_core core_;
    equivalence::golden_coding golden_;
    hw::engine::pins in_;
    hw::engine::pins out_;
    hw::engine::pins golden_out_;
    std::vector<std::deque<queued_flit>> queues_;  ///< [vc]
    std::vector<unsigned> credits_;                ///< [vc]
    std::deque<unsigned> owed_;                    ///< VCs of flits that came and whose credits were not given back
    link_bytes partial_;
    cycle head_ = 0;
    unsigned next_vc_ = 0;
    cycle now_ = 0;
};

/// Flits of 16 bytes, header beside: an operand of 1 to 16 bytes is one flit.
inline coding_params free_params() {
    coding_params params;
    params.header_free = true;
    params.slots = 200;
    return params;
}

/// One context of `count` operands that are sent to `destinations`.
inline coding_registers one_context(coding_mode mode, unsigned count, const std::vector<std::uint32_t>& destinations) {
    coding_registers registers;
    registers.number = 0x123456;
    registers.credits = 8;
    registers.packet_limit = 500;
    registers.vc_sets.fill(0xf);
    coding_context context;
    context.mode = mode;
    context.count = static_cast<std::uint16_t>(count);
    context.destination_count = static_cast<std::uint16_t>(destinations.size());
    context.op = hw::format::transport_op::data;
    context.process = 3;
    context.source_process = 4;
    context.lane = 5;
    context.group = 600;
    context.message = 7000;
    context.tag = 80000;
    registers.contexts = {context};
    registers.destinations = destinations;
    return registers;
}

}  // namespace polycast::testbench::unit
