// SPDX-License-Identifier: Apache-2.0
/// \file A VL switch with its pins in the hands of a test: stimulus is data, what comes out is a list. Beside it run
/// the golden model of the equivalence bench and a core that is stepped only when it asks: both have to do the same.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "hw/chips/vl_switch/vl_switch_core.h"
#include "hw/engine/pin_difference.h"
#include "hw/format/header.h"
#include "testbench/equivalence/golden_vl_switch.h"

namespace polycast::testbench::unit {

using hw::chips::vl_switch_params;
using hw::chips::vl_switch_tables;
using hw::engine::cycle;
using hw::format::chip_error;
using byte_list = std::vector<std::uint8_t>;

/// A flit on an output pin. Its last byte tells flits apart: packet number x 16 + number of the flit.
struct lane_flit {
    cycle when;
    unsigned port;
    unsigned vl;
    unsigned id;
    bool operator==(const lane_flit&) const = default;
};

inline std::ostream& operator<<(std::ostream& stream, const lane_flit& flit) {
    return stream << "{" << flit.when << ", port " << flit.port << ", vl " << flit.vl << ", 0x" << std::hex << flit.id
                  << std::dec << "}";
}

struct lane_credit {
    cycle when;
    unsigned port;
    unsigned vl;
    bool operator==(const lane_credit&) const = default;
};

inline std::ostream& operator<<(std::ostream& stream, const lane_credit& credit) {
    return stream << "{" << credit.when << ", port " << credit.port << ", vl " << credit.vl << "}";
}

struct port_error {
    cycle when;
    unsigned port;
    chip_error error;
    bool operator==(const port_error&) const = default;
};

inline std::ostream& operator<<(std::ostream& stream, const port_error& error) {
    return stream << "{" << error.when << ", port " << error.port << ", error " << static_cast<unsigned>(error.error)
                  << "}";
}

struct lid_packet {
    unsigned id;  ///< 0..15
    unsigned dlid;
    unsigned flits = 1;  ///< of them the first carries the header (16-byte flits)
    unsigned sl = 0;
};

/// Four ports, two lanes of 4 chunks of 2 flits of 16 bytes. DLID p leaves by port p - 1; group 0xC000 + g goes to the
/// ports that the bits of g name. Service levels 0 and 1 leave on the lane of that number, 15 on none, others on VL 0.
inline vl_switch_params lane_params() {
    vl_switch_params params;
    params.ports = 4;
    params.vls = 2;
    params.flit_bytes = 16;
    params.chunk_flits = 2;
    params.chunks = 4;
    params.read_ports = 4;
    return params;
}

inline std::shared_ptr<const hw::chips::sl_to_vl> lane_rows(std::uint64_t row = 0xf000000000000010) {
    return std::make_shared<const hw::chips::sl_to_vl>(16, row);
}

/// The longest packet has 4 flits, 2 chunks; so much fits behind each lane of an output.
inline vl_switch_tables lane_tables() {
    vl_switch_tables tables;
    tables.packet_limit = 4;
    tables.vl_chunks.assign(8, 4);
    tables.credits.assign(8, 4);
    tables.lft = {255, 1, 2, 3, 4, 0, 255, 5};
    for (std::uint64_t group = 0; group < 16; ++group) tables.mft.push_back(group);
    tables.sl2vl = lane_rows();
    return tables;
}

class vl_switch_bench {
public:
    vl_switch_bench(const vl_switch_params& params, const vl_switch_tables& tables)
        : params_(params),
          core_(params, tables),
          sleeper_(params, tables),
          golden_(params, tables),
          in_(params.pin_shape()),
          out_(params.pin_shape()),
          other_(params.pin_shape()) {}

    static byte_list header(unsigned dlid, unsigned sl = 0) {
        byte_list bytes(hw::format::lid_header_bytes);
        hw::format::write_common({hw::format::packet_kind::lid, true, 5, 6, 7, 0}, bytes.data());
        hw::format::write_field<hw::format::dlid_field>(bytes.data(), dlid);
        bytes[12] = static_cast<std::uint8_t>(sl);
        return bytes;
    }

    /// One flit on an input pin; data are cut or filled up.
    void flit(cycle when, unsigned port, unsigned vl, byte_list data, bool head, bool tail, unsigned id = 0,
              const byte_list& free_header = {}) {
        data.resize(params_.flit_bytes);
        if (params_.flit_bytes > data_end) data[data_end] = static_cast<std::uint8_t>(id);
        flits_in_.insert({when, {port, vl, head, tail, data, free_header}});
    }
    /// One flit per cycle from `when` on.
    void send(cycle when, unsigned port, unsigned vl, const lid_packet& packet) {
        for (unsigned index = 0; index < packet.flits; ++index)
            flit(when + index, port, vl, index == 0 ? header(packet.dlid, packet.sl) : byte_list{}, index == 0,
                 index + 1 == packet.flits, packet.id * 16 + index);
    }
    void credit(cycle when, unsigned port, unsigned vl) { credits_in_.insert({when, {port, vl}}); }

    /// Steps cycles up to, not including, `end`.
    void run(cycle end) {
        for (; now_ < end; ++now_) step();
    }

    std::vector<cycle> times_of(unsigned port) const {
        std::vector<cycle> found;
        for (const lane_flit& flit : flits)
            if (flit.port == port) found.push_back(flit.when);
        return found;
    }
    std::vector<unsigned> ids_of(unsigned port) const {
        std::vector<unsigned> found;
        for (const lane_flit& flit : flits)
            if (flit.port == port) found.push_back(flit.id);
        return found;
    }

    hw::engine::chip_probe probe() const {
        hw::engine::chip_probe probe;
        core_.probe(probe);
        return probe;
    }
    bool idle() const { return core_.idle(); }
    void reset() {
        core_.reset();
        sleeper_.reset();
        golden_.reset();
        wake_ = 0;
    }
    /// Pins of the last step.
    const hw::engine::pins& pins() const { return out_; }
    cycle wake() const { return wake_; }

    std::vector<lane_flit> flits;
    std::vector<lane_credit> credits;
    std::vector<port_error> errors;
    std::map<unsigned, std::vector<cycle>> waits;  ///< by port, cycles in which `xmit_wait` is up

private:
    static constexpr unsigned data_end = 15;  ///< byte that tells flits apart

    struct in_flit {
        unsigned port;
        unsigned vl;
        bool head;
        bool tail;
        byte_list data;
        byte_list header;
    };
    struct in_credit {
        unsigned port;
        unsigned vl;
    };

    void drive() {
        in_.clear();
        const auto [first, last] = flits_in_.equal_range(now_);
        for (auto each = first; each != last; ++each) {
            const in_flit& flit = each->second;
            const std::uint64_t mask = std::uint64_t{1} << flit.port;
            EXPECT_EQ(in_.valid & mask, 0u) << "two flits on port " << flit.port << " in cycle " << now_;
            in_.valid |= mask;
            if (flit.head) in_.head |= mask;
            if (flit.tail) in_.tail |= mask;
            if (!in_.vc.empty()) in_.vc[flit.port] = static_cast<std::uint8_t>(flit.vl);
            std::ranges::copy(flit.data, &in_.data[std::size_t{flit.port} * params_.flit_bytes]);
            if (!flit.header.empty())
                std::ranges::copy(flit.header, &in_.header[std::size_t{flit.port} * params_.pin_shape().header_bytes]);
        }
        const auto [begin, end] = credits_in_.equal_range(now_);
        for (auto each = begin; each != end; ++each) {
            in_.credit |= std::uint64_t{1} << each->second.port;
            if (!in_.credit_vc.empty()) in_.credit_vc[each->second.port] = static_cast<std::uint8_t>(each->second.vl);
        }
    }

    void step() {
        drive();
        out_.clear();
        core_.step(now_, in_, out_);
        other_.clear();
        golden_.step(now_, in_, other_);
        compare("golden", golden_);
        other_.clear();
        if (!in_.quiet() || now_ >= wake_) wake_ = sleeper_.step(now_, in_, other_);
        compare("sleeper", sleeper_);
        for (unsigned port = 0; port < params_.ports; ++port) {
            if ((core_.xmit_wait() >> port & 1) != 0) waits[port].push_back(now_ + 1);
            if ((out_.credit >> port & 1) != 0)
                credits.push_back({now_ + 1, port, out_.credit_vc.empty() ? 0u : unsigned{out_.credit_vc[port]}});
            for (unsigned bit = 0; bit < 16; ++bit)
                if ((out_.error >> port & 1) != 0 && (out_.errors[port] >> bit & 1) != 0)
                    errors.push_back({now_ + 1, port, static_cast<chip_error>(1u << bit)});
            if ((out_.valid >> port & 1) == 0) continue;
            const unsigned bytes = params_.flit_bytes;
            flits.push_back({now_ + 1, port, out_.vc.empty() ? 0u : unsigned{out_.vc[port]},
                             out_.data[port * bytes + std::min(bytes - 1, data_end)]});
        }
    }

    /// `which` with `other_` on its pins against the core.
    void compare(const char* name, const auto& which) const {
        EXPECT_EQ(hw::engine::pin_difference(params_.pin_shape(), {"core", name}, out_, other_).what, "")
            << "cycle " << now_ + 1;
        EXPECT_EQ(core_.idle(), which.idle()) << name << " after cycle " << now_;
        EXPECT_EQ(core_.xmit_wait(), which.xmit_wait()) << name << " after cycle " << now_;
        hw::engine::chip_probe other;
        which.probe(other);
        const hw::engine::chip_probe core = probe();
        for (unsigned entry = 0; entry < core.inputs.size(); ++entry) {
            const auto view = [entry](const hw::engine::chip_probe& of) {
                const auto& input = of.inputs.at(entry);
                const auto& output = of.outputs.at(entry);
                return std::array<std::uint64_t, 7>{input.occupied, input.state,   input.waiting, input.reading,
                                                    output.held,    output.holder, output.credits};
            };
            EXPECT_EQ(view(core), view(other)) << name << ", entry " << entry << " after cycle " << now_;
        }
    }

    vl_switch_params params_;
    hw::chips::vl_switch_core core_;
    hw::chips::vl_switch_core sleeper_;
    equivalence::golden_vl_switch golden_;
    hw::engine::pins in_;
    hw::engine::pins out_;
    hw::engine::pins other_;
    std::multimap<cycle, in_flit> flits_in_;
    std::multimap<cycle, in_credit> credits_in_;
    cycle now_ = 0;
    cycle wake_ = 0;
};

}  // namespace polycast::testbench::unit
