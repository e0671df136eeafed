// SPDX-License-Identifier: Apache-2.0
/// \file A small switch with its pins in the hands of a test: stimulus is data, what comes out is a list.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hw/chips/switch/switch_core.h"
#include "hw/format/header.h"
#include "testbench/equivalence/golden_switch.h"

namespace polycast::testbench::unit {

using hw::chips::switch_params;
using hw::chips::switch_tables;
using hw::engine::cycle;
using hw::format::chip_error;

using byte_list = std::vector<std::uint8_t>;

/// Flits on a link, headers included; `header` is empty where headers are in the flits.
struct link_packet {
    std::vector<byte_list> flits;
    byte_list header;
};

/// A flit on an output pin.
struct seen_flit {
    cycle when;
    unsigned port;
    bool head;
    bool tail;
    byte_list data;
    byte_list header;
};

/// A pin that was up.
struct seen_pin {
    cycle when;
    unsigned port;
    bool operator==(const seen_pin&) const = default;
};

inline std::ostream& operator<<(std::ostream& stream, const seen_pin& pin) {
    return stream << "port " << pin.port << " in cycle " << pin.when;
}

struct seen_error {
    cycle when;
    unsigned port;
    chip_error error;
    bool operator==(const seen_error&) const = default;
};

inline std::ostream& operator<<(std::ostream& stream, const seen_error& error) {
    return stream << "error " << static_cast<unsigned>(error.error) << " on port " << error.port << " in cycle "
                  << error.when;
}

/// Four ports: 0, 1 and 2 go down to the hosts of the same number, 3 goes up to hosts 4 to 7; host 3 is behind 0 and 1
/// for unicasts and behind nothing for trees. One-byte flits, chunks of 8 flits, buffers of 10 chunks.
inline switch_params small_params() {
    switch_params params;
    params.ports = 4;
    params.flit_bytes = 1;
    params.chunk_flits = 8;
    params.chunks = 10;
    params.max_hosts = 8;
    params.read_ports = 4;
    return params;
}

inline switch_tables small_tables() {
    using hw::format::direction;
    switch_tables tables;
    tables.packet_limit = 80;
    tables.tree_header_flits = 11;
    tables.port_direction = {direction::down, direction::down, direction::down, direction::up};
    tables.buffer_chunks.assign(4, 10);
    tables.credits.assign(4, 20);
    tables.unicast_up = {1, 2, 4, 3, 8, 8, 8, 8};
    tables.unicast_down = {1, 2, 4, 3, 8, 8, 8, 8};
    tables.reach_total = {0x07};
    tables.reach_port = {{0x01}, {0x02}, {0x04}, {0x00}};
    return tables;
}

/// Which model is under test: the directed tests hold for the core and for the golden model of the equivalence bench
/// alike.
enum class model { core, golden };

inline std::unique_ptr<hw::engine::chip> make_switch(model which, const switch_params& params,
                                                     const switch_tables& tables) {
    if (which == model::core) return std::make_unique<hw::chips::switch_core>(params, tables);
    return std::make_unique<equivalence::golden_switch>(params, tables);
}

class switch_bench {
public:
    switch_bench(model which, const switch_params& params, const switch_tables& tables)
        : params_(params),
          chip_(make_switch(which, params, tables)),
          in_(params.pin_shape()),
          out_(params.pin_shape()) {}

    /// A packet whose payload bytes count up from 0xa0.
    link_packet unicast(unsigned destination, unsigned payload_flits, bool up = true) const {
        byte_list header(hw::format::unicast_header_bytes);
        hw::format::write_common({hw::format::packet_kind::unicast, up, 5, 6, 7}, header.data());
        hw::format::write_field<hw::format::destination_field>(header.data(), destination);
        return assemble(header, payload_flits);
    }

    link_packet tree(unsigned hosts, unsigned payload_flits, bool up = true) const {
        byte_list header(hw::format::tree_header_bytes(params_.max_hosts));
        hw::format::write_common({hw::format::packet_kind::tree, up, 5, 6, 7}, header.data());
        header[hw::format::common_header_bytes] = static_cast<std::uint8_t>(hosts);
        return assemble(header, payload_flits);
    }

    /// A packet with this header: any bytes, in the flits or beside the first one.
    link_packet assemble(const byte_list& header, unsigned payload_flits) const {
        link_packet packet;
        if (params_.header_free) {
            packet.header = header;
            packet.header.resize(params_.pin_shape().header_bytes, 0x5a);
        } else {
            for (std::size_t first = 0; first < header.size(); first += params_.flit_bytes) {
                byte_list flit(params_.flit_bytes);
                for (std::size_t byte = first; byte < std::min<std::size_t>(header.size(), first + params_.flit_bytes);
                     ++byte) {
                    flit[byte - first] = header[byte];
                }
                packet.flits.push_back(flit);
            }
        }
        for (unsigned index = 0; index < payload_flits; ++index) {
            packet.flits.emplace_back(params_.flit_bytes, static_cast<std::uint8_t>(0xa0 + index));
        }
        return packet;
    }

    /// One flit on an input pin.
    void flit(cycle when, unsigned port, const byte_list& data, bool head, bool tail, const byte_list& header = {}) {
        stimulus& at = stimuli_[when];
        at.flits.push_back({when, port, head, tail, data, header});
    }

    /// A packet, one flit per cycle from `when` on. \returns the cycle after its last flit.
    cycle send(cycle when, unsigned port, const link_packet& packet) {
        for (std::size_t index = 0; index < packet.flits.size(); ++index) {
            flit(when++, port, packet.flits[index], index == 0, index + 1 == packet.flits.size(),
                 index == 0 ? packet.header : byte_list{});
        }
        return when;
    }

    void credit(cycle when, unsigned port) { stimuli_[when].credits |= std::uint64_t{1} << port; }

    /// Steps cycles up to, not including, `end`.
    void run(cycle end) {
        for (; now_ < end; ++now_) step();
    }

    void reset() { chip_->reset(); }

    std::vector<seen_flit> flits_of(unsigned port) const {
        std::vector<seen_flit> found;
        for (const seen_flit& flit : flits) {
            if (flit.port == port) found.push_back(flit);
        }
        return found;
    }

    /// Cycles in which a port's output is valid.
    std::vector<cycle> times_of(unsigned port) const {
        std::vector<cycle> found;
        for (const seen_flit& flit : flits_of(port)) found.push_back(flit.when);
        return found;
    }

    std::vector<cycle> credits_of(unsigned port) const {
        std::vector<cycle> found;
        for (const seen_pin& pin : credits) {
            if (pin.port == port) found.push_back(pin.when);
        }
        return found;
    }

    hw::engine::chip& chip() { return *chip_; }
    hw::engine::chip_probe probe() const {
        hw::engine::chip_probe probe;
        chip_->probe(probe);
        return probe;
    }
    cycle now() const { return now_; }

    std::vector<seen_flit> flits;
    std::vector<seen_pin> credits;
    std::vector<seen_error> errors;
    std::vector<cycle> wakes;  ///< what step() returned, by cycle

private:
    struct stimulus {
        std::vector<seen_flit> flits;
        std::uint64_t credits = 0;
    };

    void step() {
        in_.clear();
        out_.clear();
        const auto found = stimuli_.find(now_);
        if (found != stimuli_.end()) {
            in_.credit = found->second.credits;
            for (const seen_flit& flit : found->second.flits) {
                const std::uint64_t mask = std::uint64_t{1} << flit.port;
                in_.valid |= mask;
                if (flit.head) in_.head |= mask;
                if (flit.tail) in_.tail |= mask;
                std::ranges::copy(flit.data,
                                  in_.data.begin() + static_cast<std::ptrdiff_t>(flit.port * params_.flit_bytes));
                if (!flit.header.empty()) {
                    std::ranges::copy(flit.header,
                                      in_.header.begin() + static_cast<std::ptrdiff_t>(flit.port * flit.header.size()));
                }
            }
        }
        wakes.push_back(chip_->step(now_, in_, out_));
        const hw::engine::pin_shape shape = params_.pin_shape();
        for (unsigned port = 0; port < params_.ports; ++port) {
            if ((out_.credit >> port & 1) != 0) credits.push_back({now_ + 1, port});
            if ((out_.error >> port & 1) != 0) {
                for (unsigned bit = 0; bit < hw::format::chip_error_count; ++bit) {
                    if ((out_.errors[port] >> bit & 1) != 0)
                        errors.push_back({now_ + 1, port, static_cast<chip_error>(1u << bit)});
                }
            }
            if ((out_.valid >> port & 1) == 0) continue;
            const auto data = out_.data.begin() + static_cast<std::ptrdiff_t>(port * shape.flit_bytes);
            const auto header = out_.header.begin() + static_cast<std::ptrdiff_t>(port * shape.header_bytes);
            const bool head = (out_.head >> port & 1) != 0;
            flits.push_back({now_ + 1, port, head, (out_.tail >> port & 1) != 0,
                             byte_list(data, data + shape.flit_bytes),
                             head ? byte_list(header, header + shape.header_bytes) : byte_list{}});
        }
    }

    switch_params params_;
    std::unique_ptr<hw::engine::chip> chip_;
    hw::engine::pins in_;
    hw::engine::pins out_;
    std::map<cycle, stimulus> stimuli_;
    cycle now_ = 0;
};

/// Cycles from `first`, `count` of them in a row.
inline std::vector<cycle> in_a_row(cycle first, std::size_t count) {
    std::vector<cycle> cycles;
    for (std::size_t index = 0; index < count; ++index) cycles.push_back(first + index);
    return cycles;
}

class both_models : public testing::TestWithParam<model> {
protected:
    switch_bench bench(const switch_params& params = small_params(),
                       const switch_tables& tables = small_tables()) const {
        return {GetParam(), params, tables};
    }
};

inline std::string model_name(const testing::TestParamInfo<model>& info) {
    return info.param == model::core ? "core" : "golden";
}

}  // namespace polycast::testbench::unit
