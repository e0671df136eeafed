// SPDX-License-Identifier: Apache-2.0
// The header and route part of switch_core: from the first flit of a packet to the set of outputs it needs.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "hw/chips/port_set.h"
#include "hw/chips/switch/switch_core.h"
#include "hw/format/header.h"

namespace polycast::hw::chips {

using engine::pins;
using format::chip_error;
using format::packet_kind;

namespace {

/// Where the number of a path worm's stops is in its header.
constexpr unsigned stops_byte = format::path_stops_field.offset / 8;

}  // namespace

/// The flit at the write slot has just been stored: is the header complete with it?
void switch_core::header_progress(unsigned port, bool tail, const pins& in, pins& out) {
    input_port& input = inputs_[port];
    const std::size_t slot = std::size_t{port} * capacity_ + input.write_slot;
    const std::uint8_t* flit = &data_[slot * params_.flit_bytes];
    const unsigned bytes = params_.flit_bytes;
    if (input.packet_flits == 1) {
        bad_[std::size_t{port} * params_.chunks + input.write_chunk] = 0;
        input.sized = true;
        switch (static_cast<packet_kind>(params_.header_free ? 0xf : flit[0] & 0xf)) {
            case packet_kind::unicast:
                input.header_flits = format::header_flits(format::unicast_header_bytes, bytes);
                break;
            case packet_kind::tree: input.header_flits = tables_.tree_header_flits; break;
            case packet_kind::ssr:
                input.header_flits = format::header_flits(format::ssr_header_bytes(params_.header_shape()), bytes);
                break;
            case packet_kind::path:
                input.header_flits = stops_byte / bytes + 1;  // at least; more once its length is there
                input.sized = false;
                break;
            default: input.header_flits = 1;
        }
    }
    if (!input.sized && input.packet_flits == stops_byte / bytes + 1) {
        const unsigned stops = flit[stops_byte % bytes];
        input.header_flits = format::header_flits(
            format::path_header_bytes(params_.header_shape(), stops <= params_.header_stops ? stops : 0), bytes);
        input.sized = true;
    }
    const bool complete = input.sized && input.packet_flits >= input.header_flits;
    if (!complete && !tail) return;
    if (!complete || (params_.max_sources != 0 && is_foreign(port, in))) {
        raise(port, complete ? chip_error::bad_source : chip_error::short_header, out);
        const std::uint32_t first = (input.write_slot + capacity_ - (input.packet_flits - 1)) % capacity_;
        bad_[std::size_t{port} * params_.chunks + first / params_.chunk_flits] = 1;
    }
    input.header_done = true;
    ++input.complete_headers;
    if (input.state == phase::idle) routable_ |= bit(port);
}

/// May the packet whose header is complete not come in here? What has not come of a header that is cut is zero.
bool switch_core::is_foreign(unsigned port, const pins& in) const {
    constexpr unsigned bytes = format::source_field.offset / 8 + format::source_field.bits / 8;
    std::array<std::uint8_t, bytes> header = {};
    if (params_.header_free) {
        std::copy_n(&in.header[std::size_t{port} * shape_.header_bytes], bytes, header.begin());
    } else {
        const input_port& input = inputs_[port];
        const unsigned before = input.packet_flits - 1;
        const std::uint32_t first = (input.write_slot + capacity_ - before) % capacity_;
        for (unsigned byte = 0; byte < bytes && byte < input.packet_flits * params_.flit_bytes; ++byte) {
            const std::uint64_t slot =
                std::uint64_t{port} * capacity_ + (first + byte / params_.flit_bytes) % capacity_;
            header[byte] = data_[slot * params_.flit_bytes + byte % params_.flit_bytes];
        }
        if (!flits_.empty()) undo_flips(port, input.write_position - before, header);
    }
    const auto kind = static_cast<packet_kind>(header[0] & 0xfu);
    if (kind > packet_kind::path) return false;
    const std::uint32_t source = format::read_field<format::source_field>(header.data());
    return source >= params_.max_sources || !tables_.doors.let_in(source, port);
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
    if (params_.header_free) return;
    const std::uint32_t ring_bytes = capacity_ * params_.flit_bytes;
    const std::uint8_t* ring = &data_[std::size_t{port} * ring_bytes];
    const std::uint32_t start = input.front_slot * params_.flit_bytes;
    std::uint8_t first = ring[start];
    if (!flits_.empty()) undo_flips(port, input.front_position, {&first, 1});
    const auto kind = static_cast<packet_kind>(first & 0xfu);
    const std::uint32_t bytes = std::min(header_bytes_, format::longest_header_bytes(kind, params_.header_shape()));
    std::vector<std::uint8_t>& header = headers_[port].bytes;
    if (header.size() < bytes) header.resize(bytes);
    const std::uint32_t until_wrap = std::min(bytes, ring_bytes - start);
    std::memcpy(header.data(), ring + start, until_wrap);
    if (until_wrap < bytes) std::memcpy(header.data() + until_wrap, ring, std::min(bytes - until_wrap, ring_bytes));
    if (!flits_.empty()) undo_flips(port, input.front_position, header);
    const std::uint32_t carried = tables_.tree_header_flits * params_.flit_bytes;
    if (kind == packet_kind::tree && carried < bytes) std::memset(header.data() + carried, 0, bytes - carried);
}

/// One of `candidates` (not empty), as a set with one port.
std::uint64_t switch_core::select(input_port& input, std::uint64_t candidates, format::selection how) const {
    switch (how) {
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
    const std::uint8_t* header = front_header(port);
    std::uint64_t branches = 0;
    bool partial = false;
    bool known = true;
    input.front_masked = false;
    input.advancing = 0;
    // As many flits as may be rewritten: the rest of the header passes as it is.
    input.front_header_flits =
        params_.header_free ? 1 : format::header_flits(format::path_list_field.offset / 8, params_.flit_bytes);
    if (!input.front_bad) {
        switch (static_cast<packet_kind>(header[0] & 0xfu)) {
            case packet_kind::unicast: branches = route_unicast(input, header); break;
            case packet_kind::tree:
                branches = route_tree(input, header, partial);
                if (!params_.header_free) input.front_header_flits = tables_.tree_header_flits;
                break;
            case packet_kind::ssr:
            case packet_kind::path: branches = route_stop(input, header, partial); break;
            default: known = false;
        }
        if (!known) {
            raise(port, chip_error::bad_kind, out);
        } else if (branches == 0) {
            raise(port, chip_error::no_route, out);
        } else if (partial) {
            raise(port, chip_error::partial_route, out);
        }
    }
    input.branches = input.waiting = branches;
    input.branch_count = static_cast<std::uint8_t>(std::max(1, std::popcount(branches)));
    input.state = branches != 0 ? phase::active : phase::draining;
    input.drain_position = input.front_position;
    input.drain_slot = input.front_slot;
}

std::uint64_t switch_core::route_unicast(input_port& input, const std::uint8_t* header) {
    const std::uint32_t destination = format::destination_of(header);
    if (destination >= params_.max_hosts) return 0;
    const bool up = format::up_of(header);
    std::uint64_t route = up ? tables_.unicast_up[destination] : tables_.unicast_down[destination];
    if (!routes_.empty()) route = read_route(4 * destination + (up ? 0 : 1), port_of(input), route);
    const std::uint64_t candidates = route & (up ? up_ports_ | down_ports_ : down_ports_);
    return candidates == 0 ? 0 : select(input, candidates, tables_.selection);
}

std::uint64_t switch_core::route_tree(input_port& input, const std::uint8_t* header, bool& partial) {
    const std::uint8_t* string = header + format::common_header_bytes;
    const auto word = [&](std::uint32_t index) {
        std::uint64_t value = 0;
        std::memcpy(&value, string + index * 8, std::min<std::size_t>(8, string_bytes_ - index * 8));
        if (index + 1 == words_ && params_.max_hosts % 64 != 0) value &= bit(params_.max_hosts % 64) - 1;
        return value;
    };
    bool covered = true;
    const bit_string& total = *tables_.reach_total;
    for (std::uint32_t index = 0; index < words_; ++index) covered = covered && (word(index) & ~total[index]) == 0;
    const bool may_go_up = format::up_of(header);
    const std::uint64_t upwards = up_ports_ & tables_.tree_up;
    if (may_go_up && !covered && upwards != 0) return select(input, upwards, tables_.up_selection);
    input.front_masked = tables_.rewrite;
    // Where copies keep all hosts, most of them lie elsewhere on the way down.
    partial = !covered && (may_go_up || tables_.rewrite);
    std::uint64_t branches = 0;
    for (std::uint32_t index = 0; index < words_; ++index) {
        const std::uint64_t wanted = word(index);
        for (std::uint64_t set = wanted == 0 ? 0 : down_ports_ & ~branches; set != 0; set &= set - 1) {
            const unsigned output = lowest(set);
            if ((wanted & tables_.reach_port[output][index]) != 0) branches |= bit(output);
        }
    }
    return branches;
}

/// SSR and path worms: on to the switch of the next stop, or at it copies to the ports of its string, and one to the
/// stop behind it.
std::uint64_t switch_core::route_stop(input_port& input, const std::uint8_t* header, bool& partial) {
    const bool path = static_cast<packet_kind>(header[0] & 0xfu) == packet_kind::path;
    const unsigned stops = path ? format::path_stops_of(header) : 1;
    const unsigned next = path ? format::path_next_of(header) : 0;
    if (stops > params_.header_stops || next >= stops) return 0;
    const unsigned stop_bytes = format::stop_bytes(params_.header_shape());
    const std::uint8_t* stop =
        header + (path ? format::path_list_field : format::ssr_stop_field).offset / 8 + next * stop_bytes;
    const bool may_go_up = format::up_of(header);
    const std::uint32_t number = format::read_field<format::stop_switch_field>(stop);
    if (number != tables_.switch_number) {
        const std::uint64_t candidates = ports_to_switch(input, number, may_go_up);
        return candidates == 0 ? 0 : select(input, candidates, tables_.selection);
    }
    std::uint64_t string = 0;
    std::memcpy(&string, stop + format::stop_ports_field.offset / 8, params_.header_ports / 8);
    std::uint64_t branches = string & down_ports_;
    partial = branches != string;
    if (next + 1 == stops) return branches;
    const std::uint64_t candidates =
        ports_to_switch(input, format::read_field<format::stop_switch_field>(stop + stop_bytes), may_go_up);
    if (candidates == 0) {
        partial = true;
        return branches;
    }
    input.advancing = select(input, candidates, tables_.selection);
    return branches | input.advancing;
}

std::uint64_t switch_core::ports_to_switch(const input_port& input, std::uint32_t number, bool may_go_up) {
    const port_sets& table = may_go_up ? tables_.switch_up : tables_.switch_down;
    std::uint64_t route = number < table.size() ? table[number] : 0;
    if (!routes_.empty()) route = read_route(4 * number + (may_go_up ? 2 : 3), port_of(input), route);
    return route & (may_go_up ? up_ports_ | down_ports_ : down_ports_);
}

}  // namespace polycast::hw::chips
