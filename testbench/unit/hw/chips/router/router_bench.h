// SPDX-License-Identifier: Apache-2.0
/// \file A router with its pins in the hands of a test: stimulus is data, what comes out is a list. Beside it runs the
/// golden model of the equivalence bench, which has to do the same.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <vector>

#include "hw/chips/router/router_core.h"
#include "hw/format/header.h"
#include "testbench/equivalence/golden_router.h"

namespace polycast::testbench::unit {

using hw::chips::router_params;
using hw::chips::router_tables;
using hw::engine::cycle;
using hw::format::chip_error;
using byte_list = std::vector<std::uint8_t>;

/// A flit on an output pin. The last byte of a flit tells flits apart: packet number x 16 + number of the flit.
struct out_flit {
    cycle when;
    unsigned port;
    unsigned vc;
    unsigned id;
    bool operator==(const out_flit&) const = default;
};

inline std::ostream& operator<<(std::ostream& stream, const out_flit& flit) {
    return stream << "{" << flit.when << ", port " << flit.port << ", vc " << flit.vc << ", 0x" << std::hex << flit.id
                  << std::dec << "}";
}

struct out_credit {
    cycle when;
    unsigned port;
    unsigned vc;
    bool operator==(const out_credit&) const = default;
};

inline std::ostream& operator<<(std::ostream& stream, const out_credit& credit) {
    return stream << "{" << credit.when << ", port " << credit.port << ", vc " << credit.vc << "}";
}

struct out_error {
    cycle when;
    unsigned port;
    chip_error error;
    bool operator==(const out_error&) const = default;
};

inline std::ostream& operator<<(std::ostream& stream, const out_error& error) {
    return stream << "{" << error.when << ", port " << error.port << ", error " << static_cast<unsigned>(error.error)
                  << "}";
}

/// What goes in: one unicast or broadcast.
struct test_packet {
    unsigned id;  ///< 0..15
    unsigned destination;
    unsigned flits = 1;  ///< of them the first carries the header (16-byte flits)
    unsigned service_class = 0;
};

/// Four ports, table routing: destination p leaves by port p. Two virtual channels of 4 flits, 16-byte flits. Class 0
/// may take both, class 1 VC 0, class 2 VC 1, class 3 none.
inline router_params table_params() {
    router_params params;
    params.ports = 4;
    params.vcs = 2;
    params.vc_flits = 4;
    params.dimensions = 1;
    params.max_nodes = 8;
    return params;
}

inline router_tables table_tables() {
    router_tables tables;
    tables.table = true;
    tables.credits.assign(4, 4);
    tables.vc_sets[0] = {3, 3};
    tables.vc_sets[1] = {1, 1};
    tables.vc_sets[2] = {2, 2};
    tables.route = {1, 2, 4, 8};
    return tables;
}

/// The node in the middle of a 3x3 mesh, with two host ports: copies go to ports 0..3 and 4.
inline router_params mesh_params() {
    router_params params;
    params.ports = 6;
    params.vcs = 2;
    params.vc_flits = 4;
    params.radix = 3;
    return params;
}

inline router_tables mesh_tables() {
    router_tables tables;
    tables.node = 4;
    tables.credits.assign(6, 4);
    tables.vc_sets[0] = {3, 3};
    tables.vc_sets[1] = {1, 1};
    return tables;
}

class router_bench {
public:
    router_bench(const router_params& params, const router_tables& tables)
        : params_(params),
          chip_(std::make_unique<hw::chips::router_core>(params, tables)),
          golden_(std::make_unique<equivalence::golden_router>(params, tables)),
          in_(params.pin_shape()),
          out_(params.pin_shape()),
          golden_out_(params.pin_shape()) {}

    /// The bytes of a header.
    static byte_list unicast_header(unsigned destination, unsigned service_class = 0) {
        byte_list header(hw::format::unicast_header_bytes);
        hw::format::write_common(
            {hw::format::packet_kind::unicast, true, 5, 6, 7, static_cast<std::uint8_t>(service_class)}, header.data());
        hw::format::write_field<hw::format::destination_field>(header.data(), destination);
        return header;
    }
    static byte_list broadcast_header(unsigned source, unsigned host, unsigned service_class = 0) {
        byte_list header(hw::format::broadcast_header_bytes);
        hw::format::write_common(
            {hw::format::packet_kind::broadcast, true, source, 6, 7, static_cast<std::uint8_t>(service_class)},
            header.data());
        hw::format::write_field<hw::format::broadcast_port_field>(header.data(), host);
        return header;
    }

    /// One flit on an input pin; data are cut or filled up.
    void flit(cycle when, unsigned port, unsigned vc, byte_list data, bool head, bool tail, unsigned id = 0,
              const byte_list& header = {}) {
        data.resize(params_.flit_bytes);
        if (params_.flit_bytes > data_end) data[data_end] = static_cast<std::uint8_t>(id);
        stimuli_[when].flits.push_back({port, vc, head, tail, data, header});
    }

    /// A packet with this header in its first flit, one flit per cycle from `when` on.
    void send(cycle when, unsigned port, unsigned vc, const byte_list& header, unsigned id, unsigned count) {
        for (unsigned index = 0; index < count; ++index)
            flit(when + index, port, vc, index == 0 ? header : byte_list{}, index == 0, index + 1 == count,
                 id * 16 + index);
    }
    void send(cycle when, unsigned port, unsigned vc, const test_packet& packet) {
        send(when, port, vc, unicast_header(packet.destination, packet.service_class), packet.id, packet.flits);
    }

    void credit(cycle when, unsigned port, unsigned vc) { stimuli_[when].credits.push_back({port, vc}); }

    /// Steps cycles up to, not including, `end`.
    void run(cycle end) {
        for (; now_ < end; ++now_) step();
    }

    std::vector<out_flit> flits_of(unsigned port) const {
        std::vector<out_flit> found;
        std::ranges::copy_if(flits, std::back_inserter(found), [&](const out_flit& flit) { return flit.port == port; });
        return found;
    }
    std::vector<cycle> times_of(unsigned port) const {
        std::vector<cycle> found;
        for (const out_flit& flit : flits_of(port)) found.push_back(flit.when);
        return found;
    }
    std::vector<unsigned> ids_of(unsigned port) const {
        std::vector<unsigned> found;
        for (const out_flit& flit : flits_of(port)) found.push_back(flit.id);
        return found;
    }

    hw::engine::chip_probe probe() const {
        hw::engine::chip_probe probe;
        chip_->probe(probe);
        return probe;
    }
    bool idle() const { return chip_->idle(); }
    void reset() {
        chip_->reset();
        golden_->reset();
    }
    /// Pins of the last step.
    const hw::engine::pins& pins() const { return out_; }

    std::vector<out_flit> flits;
    std::vector<out_credit> credits;
    std::vector<out_error> errors;
    std::vector<cycle> wakes;  ///< what step() returned, by cycle

private:
    static constexpr unsigned data_end = 15;  ///< byte that tells flits apart

    struct in_flit {
        unsigned port;
        unsigned vc;
        bool head;
        bool tail;
        byte_list data;
        byte_list header;
    };
    struct in_credit {
        unsigned port;
        unsigned vc;
    };
    struct stimulus {
        std::vector<in_flit> flits;
        std::vector<in_credit> credits;
    };

    void step() {
        in_.clear();
        out_.clear();
        const bool numbered = params_.vcs > 1;
        for (const in_flit& flit : stimuli_[now_].flits) {
            const std::uint64_t mask = std::uint64_t{1} << flit.port;
            EXPECT_EQ(in_.valid & mask, 0u) << "two flits on port " << flit.port << " in cycle " << now_;
            in_.valid |= mask;
            if (flit.head) in_.head |= mask;
            if (flit.tail) in_.tail |= mask;
            if (numbered) in_.vc[flit.port] = static_cast<std::uint8_t>(flit.vc);
            std::ranges::copy(flit.data,
                              in_.data.begin() + static_cast<std::ptrdiff_t>(flit.port * params_.flit_bytes));
            std::ranges::copy(flit.header, in_.header.begin() + static_cast<std::ptrdiff_t>(
                                                                    flit.port * params_.pin_shape().header_bytes));
        }
        for (const in_credit& credit : stimuli_[now_].credits) {
            in_.credit |= std::uint64_t{1} << credit.port;
            if (numbered) in_.credit_vc[credit.port] = static_cast<std::uint8_t>(credit.vc);
        }
        wakes.push_back(chip_->step(now_, in_, out_));
        golden_out_.clear();
        golden_->step(now_, in_, golden_out_);
        compare();
        for (unsigned port = 0; port < params_.ports; ++port) {
            if ((out_.credit >> port & 1) != 0)
                credits.push_back({now_ + 1, port, numbered ? unsigned{out_.credit_vc[port]} : 0});
            for (unsigned bit = 0; bit < 16; ++bit)
                if ((out_.error >> port & 1) != 0 && (out_.errors[port] >> bit & 1) != 0)
                    errors.push_back({now_ + 1, port, static_cast<chip_error>(1u << bit)});
            if ((out_.valid >> port & 1) == 0) continue;
            const unsigned bytes = params_.flit_bytes;
            flits.push_back({now_ + 1, port, numbered ? unsigned{out_.vc[port]} : 0,
                             out_.data[port * bytes + std::min(bytes - 1, data_end)]});
        }
    }

    /// What is on the pins of a port, zero where it says nothing.
    static std::array<std::uint64_t, 7> signals(const hw::engine::pins& pins, unsigned port) {
        const auto is = [&](std::uint64_t mask) { return mask >> port & 1; };
        const auto vc = [&](std::uint64_t mask, const byte_list& of) {
            return is(mask) != 0 && !of.empty() ? of[port] : std::uint64_t{0};
        };
        return {is(pins.valid),
                is(pins.valid & pins.head),
                is(pins.valid & pins.tail),
                is(pins.credit),
                vc(pins.valid, pins.vc),
                vc(pins.credit, pins.credit_vc),
                is(pins.error) != 0 ? pins.errors[port] : std::uint64_t{0}};
    }
    static byte_list bytes(const byte_list& of, unsigned port, unsigned count) {
        const auto first = of.begin() + static_cast<std::ptrdiff_t>(port * count);
        return {first, first + count};
    }

    void compare() const {
        const hw::engine::pin_shape shape = params_.pin_shape();
        for (unsigned port = 0; port < params_.ports; ++port) {
            EXPECT_EQ(signals(out_, port), signals(golden_out_, port)) << "port " << port << " in cycle " << now_ + 1;
            if (((out_.valid & golden_out_.valid) >> port & 1) != 0) {
                EXPECT_EQ(bytes(out_.data, port, shape.flit_bytes), bytes(golden_out_.data, port, shape.flit_bytes));
            }
            if (((out_.head & golden_out_.head) >> port & 1) != 0) {
                EXPECT_EQ(bytes(out_.header, port, shape.header_bytes),
                          bytes(golden_out_.header, port, shape.header_bytes));
            }
        }
        EXPECT_EQ(chip_->idle(), golden_->idle()) << "cycle " << now_;
        hw::engine::chip_probe golden;
        golden_->probe(golden);
        const hw::engine::chip_probe core = probe();
        for (unsigned entry = 0; entry < core.inputs.size(); ++entry) {
            const auto view = [entry](const hw::engine::chip_probe& of) {
                const auto& input = of.inputs.at(entry);
                const auto& output = of.outputs.at(entry);
                return std::array<std::uint64_t, 7>{input.occupied, input.state,   input.waiting, input.reading,
                                                    output.held,    output.holder, output.credits};
            };
            EXPECT_EQ(view(core), view(golden)) << "probe entry " << entry << " after cycle " << now_;
        }
    }

    router_params params_;
    std::unique_ptr<hw::engine::chip> chip_;
    std::unique_ptr<hw::engine::chip> golden_;
    hw::engine::pins in_;
    hw::engine::pins out_;
    hw::engine::pins golden_out_;
    std::map<cycle, stimulus> stimuli_;
    cycle now_ = 0;
};

}  // namespace polycast::testbench::unit
