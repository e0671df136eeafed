// SPDX-License-Identifier: Apache-2.0
/// \file A broadcast router with its pins in the hands of a test: stimulus is data, what comes out is a list. Beside it
/// runs the golden model of the equivalence bench, which has to do the same.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "hw/chips/broadcast/broadcast_router_core.h"
#include "hw/format/header.h"
#include "testbench/equivalence/golden_broadcast.h"

namespace polycast::testbench::unit {

using hw::chips::broadcast_algorithm;
using hw::chips::broadcast_event;
using hw::chips::broadcast_params;
using hw::chips::broadcast_registers;
using hw::engine::cycle;
using hw::format::chip_error;

/// Node 2 of a ring of 8 with bypasses of 3: ports 0 up (3), 1 down (1), 2 host, 3 bypass up (5), 4 down (7), 5 a
/// second host.
inline broadcast_params ring_params() {
    broadcast_params params;
    params.router.ports = 6;
    params.router.dimensions = 1;
    params.slots = 4;
    params.slot_flits = 4;
    params.inject_flits = 4;
    return params;
}

inline broadcast_registers ring_registers() {
    broadcast_registers registers;
    registers.router.node = 2;
    registers.router.wrap = 1;
    registers.router.credits = {8, 8, 8, 0, 0, 8};
    registers.router.vc_sets[0] = {3, 3};
    registers.open = 0b11011;
    registers.dimension.assign(6, 0);
    registers.there = {3, 1, 0, 5, 7, 0};
    registers.host_credits = 100;
    return registers;
}

constexpr unsigned up = 0, down = 1, host = 2, far_up = 3, far_down = 4, second_host = 5;
constexpr unsigned unit_vc = 2;

/// A packet of a broadcast. `flits` follow each other from the cycle in which it is sent.
struct pipelined_packet {
    unsigned index = 0;
    unsigned last = 0;
    unsigned flits = 1;
    std::uint32_t source = 0;
    unsigned round = 0;
    unsigned colour = 0;
    hw::format::packet_kind kind = hw::format::packet_kind::pipelined;
};

/// A flit of a broadcast on an output pin: `number` in its packet.
struct unit_flit {
    cycle when;
    unsigned port;
    unsigned index;
    unsigned number;
    bool operator==(const unit_flit&) const = default;
};

inline std::ostream& operator<<(std::ostream& stream, const unit_flit& flit) {
    return stream << "{" << flit.when << ", port " << flit.port << ", packet " << flit.index << ", flit " << flit.number
                  << "}";
}

struct unit_event {
    cycle when;
    unsigned port;
    broadcast_event code;
    unsigned index;
    bool operator==(const unit_event&) const = default;
};

inline std::ostream& operator<<(std::ostream& stream, const unit_event& event) {
    return stream << "{" << event.when << ", port " << event.port << ", " << hw::format::name_of(event.code)
                  << ", packet " << event.index << "}";
}

struct unit_error {
    cycle when;
    unsigned port;
    unsigned errors;
    bool operator==(const unit_error&) const = default;
};

struct unit_side {
    cycle when;
    std::uint64_t have;
    unsigned round;
    bool operator==(const unit_side&) const = default;
};

inline std::ostream& operator<<(std::ostream& stream, const unit_side& side) {
    return stream << "{" << side.when << ", have " << side.have << ", round " << side.round << "}";
}

class broadcast_bench {
public:
    explicit broadcast_bench(const broadcast_params& params = ring_params(),
                             const broadcast_registers& registers = ring_registers())
        : params_(params),
          chip_(params, registers),
          golden_(params, registers),
          in_(chip_.shape()),
          out_(chip_.shape()),
          golden_out_(chip_.shape()) {}

    /// Its first flit is on the pins in cycle `when`. \returns the cycle behind the last
    cycle send(cycle when, unsigned port, const pipelined_packet& packet) {
        for (unsigned number = 0; number < packet.flits; ++number)
            flit(when + number, port, packet, number, number == 0, number + 1 == packet.flits);
        return when + packet.flits;
    }
    void flit(cycle when, unsigned port, const pipelined_packet& packet, unsigned number, bool head, bool tail) {
        std::vector<std::uint8_t> data(params_.router.flit_bytes, 0xcc);
        if (number == 0) {
            hw::format::write_common({.kind = packet.kind, .source = packet.source, .sequence = 9, .length = 3},
                                     data.data());
            const auto byte = [](unsigned value) { return static_cast<std::uint8_t>(value); };
            hw::format::write_pipelined(
                {byte(packet.index), byte(packet.last), byte(packet.colour), byte(packet.round)}, data.data());
        }
        data[14] = static_cast<std::uint8_t>(packet.index);
        data[15] = static_cast<std::uint8_t>(number);
        stimuli_[when].flits.push_back({port, unit_vc, head, tail, data});
    }
    /// A packet of one flit for the router: a unicast to a node.
    void unicast(cycle when, unsigned port, unsigned vc, unsigned node) {
        std::vector<std::uint8_t> data(params_.router.flit_bytes);
        hw::format::write_common({.source = 1, .length = 1}, data.data());
        hw::format::write_field<hw::format::destination_field>(data.data(), node);
        stimuli_[when].flits.push_back({port, vc, true, true, data});
    }
    /// A neighbour shows this from cycle `when` on.
    void show(cycle when, unsigned port, std::uint64_t have, unsigned round) {
        stimuli_[when].sides.push_back({port, {have, static_cast<std::uint8_t>(round)}});
    }
    void credit(cycle when, unsigned port = host, unsigned vc = unit_vc) {
        stimuli_[when].credits.push_back({port, vc});
    }

    /// Up to and including the output pins of cycle `end`.
    void run(cycle end) {
        for (; now_ < end; ++now_) step();
    }

    std::vector<unit_flit> flits;
    std::vector<unit_flit> unicasts;  ///< flits of the router; index: vc
    std::vector<unit_event> events;
    std::vector<unit_error> errors;
    std::vector<unit_side> sides;
    std::vector<cycle> credits;  ///< of the injection buffer

    /// Flits of a port.
    std::vector<unit_flit> at(unsigned port) const {
        std::vector<unit_flit> found;
        std::ranges::copy_if(flits, std::back_inserter(found),
                             [port](const unit_flit& one) { return one.port == port; });
        return found;
    }
    /// Packets of a port, in the order of their heads.
    std::vector<unsigned> order(unsigned port) const {
        std::vector<unsigned> found;
        for (const unit_flit& one : at(port))
            if (one.number == 0) found.push_back(one.index);
        return found;
    }
    bool idle() const { return chip_.idle(); }
    cycle wake() const { return wake_; }
    hw::chips::broadcast_router_core& chip() { return chip_; }
    hw::engine::chip_probe probe() const {
        hw::engine::chip_probe probe;
        chip_.probe(probe);
        return probe;
    }

private:
    struct in_flit {
        unsigned port, vc;
        bool head, tail;
        std::vector<std::uint8_t> data;
    };
    struct stimulus {
        std::vector<in_flit> flits;
        std::vector<std::pair<unsigned, unsigned>> credits;
        std::vector<std::pair<unsigned, hw::engine::side_state>> sides;
    };

    void drive() {
        in_.clear();
        const auto found = stimuli_.find(now_);
        if (found == stimuli_.end()) return;
        for (const in_flit& one : found->second.flits) {
            const std::uint64_t mask = std::uint64_t{1} << one.port;
            ASSERT_EQ(in_.valid & mask, 0u) << "two flits at port " << one.port << " in cycle " << now_;
            in_.valid |= mask;
            if (one.head) in_.head |= mask;
            if (one.tail) in_.tail |= mask;
            in_.vc[one.port] = static_cast<std::uint8_t>(one.vc);
            std::ranges::copy(one.data, in_.data.begin() + static_cast<std::ptrdiff_t>(one.port * one.data.size()));
        }
        for (const auto& [port, vc] : found->second.credits) {
            in_.credit |= std::uint64_t{1} << port;
            in_.credit_vc[port] = static_cast<std::uint8_t>(vc);
        }
        for (const auto& [port, state] : found->second.sides) {
            in_.side |= std::uint64_t{1} << port;
            in_.sides[port] = state;
        }
    }

    void step() {
        drive();
        out_.clear();
        golden_out_.clear();
        wake_ = chip_.step(now_, in_, out_);
        golden_.step(now_, in_, golden_out_);
        ASSERT_EQ(out_.valid, golden_out_.valid) << "cycle " << now_ + 1;
        ASSERT_EQ(out_.credit, golden_out_.credit) << "cycle " << now_ + 1;
        ASSERT_EQ(out_.error, golden_out_.error) << "cycle " << now_ + 1;
        ASSERT_EQ(out_.events, golden_out_.events) << "cycle " << now_ + 1;
        ASSERT_EQ(out_.side, golden_out_.side) << "cycle " << now_ + 1;
        ASSERT_EQ(chip_.idle(), golden_.idle()) << "cycle " << now_ + 1;
        note();
    }

    void note() {
        const cycle when = now_ + 1;
        const std::size_t bytes = params_.router.flit_bytes;
        for (unsigned port = 0; port < params_.router.ports; ++port) {
            const auto raised = [port](std::uint64_t set) { return (set >> port & 1) != 0; };
            if (raised(out_.valid)) {
                ASSERT_TRUE(std::equal(&out_.data[port * bytes], &out_.data[port * bytes] + bytes,
                                       &golden_out_.data[port * bytes]));
                if (out_.vc[port] == unit_vc) {
                    flits.push_back({when, port, out_.data[port * bytes + 14], out_.data[port * bytes + 15]});
                } else {
                    unicasts.push_back({when, port, out_.vc[port], 0});
                }
            }
            if (raised(out_.error)) errors.push_back({when, port, out_.errors[port]});
        }
        if ((out_.credit >> host & 1) != 0 && out_.credit_vc[host] == unit_vc) credits.push_back(when);
        for (const hw::engine::chip_event& one : out_.events)
            events.push_back({when, one.pin, static_cast<broadcast_event>(one.code), one.index});
        if (out_.side == 0) return;
        const hw::engine::side_state& state = out_.sides[static_cast<unsigned>(std::countr_zero(out_.side))];
        sides.push_back({when, state.have, state.round});
    }

    broadcast_params params_;
    hw::chips::broadcast_router_core chip_;
    equivalence::golden_broadcast golden_;
    hw::engine::pins in_, out_, golden_out_;
    std::map<cycle, stimulus> stimuli_;
    cycle now_ = 0;
    cycle wake_ = 0;
};

}  // namespace polycast::testbench::unit
