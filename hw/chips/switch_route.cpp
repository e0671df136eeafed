// SPDX-License-Identifier: Apache-2.0
// The header and route part of switch_core: from the first flit of a packet to the set of outputs it needs.
#include <algorithm>
#include <bit>
#include <cstring>

#include "hw/chips/port_set.h"
#include "hw/chips/switch_core.h"
#include "hw/format/header.h"

namespace polycast::hw::chips {

using engine::pins;
using format::chip_error;
using format::packet_kind;

/// The flit at the write slot has just been stored: is the header complete with it?
void switch_core::header_progress(unsigned port, bool tail, pins& out) {
    input_port& input = inputs_[port];
    if (input.packet_flits == 1) {
        const std::size_t chunk = std::size_t{port} * params_.chunks + input.write_chunk;
        const std::size_t slot = std::size_t{port} * capacity_ + input.write_slot;
        bad_[chunk] = 0;
        const unsigned kind = data_[slot * params_.flit_bytes] & 0xfu;
        if (params_.header_free ||
            (kind != static_cast<unsigned>(packet_kind::unicast) && kind != static_cast<unsigned>(packet_kind::tree))) {
            input.header_flits = 1;
        } else {
            input.header_flits =
                kind == static_cast<unsigned>(packet_kind::tree) ? tables_.tree_header_flits : unicast_header_flits_;
        }
    }
    if (input.packet_flits < input.header_flits) {
        if (!tail) return;
        raise(port, chip_error::short_header, out);
        const std::uint32_t first = (input.write_slot + capacity_ - (input.packet_flits - 1)) % capacity_;
        bad_[std::size_t{port} * params_.chunks + first / params_.chunk_flits] = 1;
    }
    input.header_done = true;
    ++input.complete_headers;
    if (input.state == phase::idle) routable_ |= bit(port);
}

/// Stage 2, first cycle: the header at the front goes to the header register.
void switch_core::start_routing(unsigned port) {
    input_port& input = inputs_[port];
    input.state = phase::routing;
    input.routing_left = static_cast<std::uint8_t>(tables_.route_delay);
    --input.complete_headers;
    routable_ &= ~bit(port);
    routing_ |= bit(port);
    busy_ |= bit(port);
    const std::size_t entry = std::size_t{port} * params_.chunks + input.front_slot / params_.chunk_flits;
    input.front_bad = bad_[entry] != 0;
    std::uint8_t* header = &front_header_[std::size_t{port} * std::max(header_bytes_, shape_.header_bytes)];
    if (params_.header_free) {
        std::memcpy(header, &free_headers_[entry * shape_.header_bytes], shape_.header_bytes);
        return;
    }
    const std::uint32_t ring_bytes = capacity_ * params_.flit_bytes;
    const std::uint8_t* ring = &data_[std::size_t{port} * ring_bytes];
    const std::uint32_t start = input.front_slot * params_.flit_bytes;
    const std::uint32_t until_wrap = std::min(header_bytes_, ring_bytes - start);
    std::memcpy(header, ring + start, until_wrap);
    if (until_wrap < header_bytes_)
        std::memcpy(header + until_wrap, ring, std::min(header_bytes_ - until_wrap, ring_bytes));
    const std::uint32_t carried = tables_.tree_header_flits * params_.flit_bytes;
    if ((header[0] & 0xfu) == static_cast<unsigned>(packet_kind::tree) && carried < header_bytes_) {
        std::memset(header + carried, 0, header_bytes_ - carried);
    }
}

/// One of `candidates` (not empty), as a set with one port.
std::uint64_t switch_core::select(input_port& input, std::uint64_t candidates) const {
    switch (tables_.selection) {
        case format::selection::round_robin: {
            const unsigned port = first_from(candidates, input.selection_pointer);
            input.selection_pointer = static_cast<std::uint8_t>(port + 1 == params_.ports ? 0 : port + 1);
            return bit(port);
        }
        case format::selection::least_loaded: {
            std::uint64_t best = 0;
            std::uint32_t least = ~std::uint32_t{0};
            for (std::uint64_t set = candidates; set != 0; set &= set - 1) {
                const unsigned port = lowest(set);
                const auto outstanding =
                    static_cast<std::uint32_t>(outputs_[port].credits_full - outputs_[port].credits);
                const std::uint32_t load = ((held_ >> port & 1) != 0 ? 1u << 16 : 0u) + outstanding;
                if (load >= least) continue;
                least = load;
                best = bit(port);
            }
            return best;
        }
        case format::selection::deterministic: break;
    }
    return candidates & (~candidates + 1);
}

/// Stage 2, last cycle: which outputs does the packet at the front need?
void switch_core::decide(unsigned port, pins& out) {
    input_port& input = inputs_[port];
    const std::uint8_t* header = &front_header_[std::size_t{port} * std::max(header_bytes_, shape_.header_bytes)];
    const unsigned kind = header[0] & 0xfu;
    const bool may_go_up = format::up_of(header);
    std::uint64_t branches = 0;
    input.front_masked = false;
    if (input.front_bad) {
        input.front_header_flits = 0;
    } else if (kind == static_cast<unsigned>(packet_kind::unicast)) {
        input.front_header_flits = unicast_header_flits_;
        const std::uint32_t destination = format::destination_of(header);
        if (destination < params_.max_hosts) {
            branches = may_go_up ? tables_.unicast_up[destination] & (up_ports_ | down_ports_)
                                 : tables_.unicast_down[destination] & down_ports_;
        }
        if (branches != 0) {
            branches = select(input, branches);
        } else {
            raise(port, chip_error::no_route, out);
        }
    } else if (kind == static_cast<unsigned>(packet_kind::tree)) {
        input.front_header_flits = params_.header_free ? 1 : tables_.tree_header_flits;
        bool covered = true;
        const std::uint8_t* string = header + format::common_header_bytes;
        const std::uint32_t string_bytes = (params_.max_hosts + 7) / 8;
        const auto word = [&](std::uint32_t index) {
            std::uint64_t value = 0;
            std::memcpy(&value, string + index * 8, std::min<std::size_t>(8, string_bytes - index * 8));
            if (index + 1 == words_ && params_.max_hosts % 64 != 0) value &= bit(params_.max_hosts % 64) - 1;
            return value;
        };
        for (std::uint32_t index = 0; index < words_; ++index)
            covered = covered && (word(index) & ~tables_.reach_total[index]) == 0;
        if (may_go_up && !covered && up_ports_ != 0) {
            branches = select(input, up_ports_);
        } else {
            input.front_masked = true;
            for (std::uint32_t index = 0; index < words_; ++index) {
                const std::uint64_t wanted = word(index);
                for (std::uint64_t set = wanted == 0 ? 0 : down_ports_ & ~branches; set != 0; set &= set - 1) {
                    const unsigned output = lowest(set);
                    if ((wanted & tables_.reach_port[output][index]) != 0) branches |= bit(output);
                }
            }
            if (branches == 0) {
                raise(port, chip_error::no_route, out);
            } else if (!covered) {
                raise(port, chip_error::partial_route, out);
            }
        }
    } else {
        raise(port, chip_error::bad_kind, out);
    }
    input.branches = input.waiting = branches;
    input.branch_count = static_cast<std::uint8_t>(std::max(1, std::popcount(branches)));
    input.state = branches != 0 ? phase::active : phase::draining;
    input.drain_position = input.front_position;
    input.drain_slot = input.front_slot;
}

}  // namespace polycast::hw::chips
