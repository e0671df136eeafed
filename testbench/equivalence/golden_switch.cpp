// SPDX-License-Identifier: Apache-2.0
#include "testbench/equivalence/golden_switch.h"

#include <algorithm>
#include <tuple>

#include "testbench/equivalence/golden_door.h"

namespace polycast::testbench::equivalence {

using hw::engine::pins;
using hw::format::chip_error;
using hw::format::direction;

namespace {

constexpr unsigned unicast_kind = 0;
constexpr unsigned tree_kind = 1;
constexpr unsigned ssr_kind = 2;
constexpr unsigned path_kind = 3;
constexpr unsigned behind_string = 24 + 4;  // bytes of a free header: transport header and check word
constexpr unsigned string_offset = 80;      // bits; also the offset of a destination and of an SSR worm's stop
constexpr unsigned list_length_byte = 10;   // of a path worm's header
constexpr unsigned list_next_byte = 11;
constexpr unsigned list_offset = 96;  // bits
constexpr unsigned number_bits = 16;  // of a stop: its switch; its ports follow

bool bit_of(const std::vector<std::uint8_t>& bytes, std::size_t index) {
    return index / 8 < bytes.size() && (bytes[index / 8] >> (index % 8) & 1) != 0;
}

bool bit_of(const hw::chips::bit_string& words, std::size_t index) {
    return (words[index / 64] >> (index % 64) & 1) != 0;
}

unsigned number_at(const std::vector<std::uint8_t>& bytes, std::size_t offset, unsigned bits) {
    unsigned value = 0;
    for (unsigned bit = 0; bit < bits; ++bit) value += bit_of(bytes, offset + bit) ? 1u << bit : 0u;
    return value;
}

bool any(const std::vector<bool>& set) {
    return std::ranges::find(set, true) != set.end();
}

bool pin(std::uint64_t mask, unsigned port) {
    return (mask >> port & 1) != 0;
}

}  // namespace

golden_switch::golden_switch(const hw::chips::switch_params& params, hw::chips::switch_tables tables)
    : params_(params), tables_(std::move(tables)), shape_(params.pin_shape()) {
    reset();
}

void golden_switch::reset() {
    cycle_ = 1;
    input_registers input;
    input.waiting.resize(params_.ports);
    input.unfinished.resize(params_.ports);
    now_.inputs.assign(params_.ports, input);
    now_.outputs.assign(params_.ports, {});
    for (unsigned port = 0; port < params_.ports; ++port) now_.outputs[port].credits = tables_.credits[port];
    buffers_.assign(params_.ports, {});
    crossbar_.assign(params_.xbar_stages, std::vector<wire>(params_.ports));
    freed_.assign(params_.ports, false);
    quiet_ = true;
}

hw::engine::cycle golden_switch::step(hw::engine::cycle now, const pins& in, pins& out) {
    const registers old = now_;
    freed_.assign(params_.ports, false);
    for (unsigned port = 0; port < params_.ports; ++port) write(port, in, old, out);
    for (unsigned port = 0; port < params_.ports; ++port) route(port, old, out);
    for (unsigned port = 0; port < params_.ports; ++port) arbitrate(port, old);
    std::vector<wire> wires(params_.ports);
    for (unsigned port = 0; port < params_.ports; ++port) read(port, old, wires);
    for (unsigned port = 0; port < params_.ports; ++port) drain(port, old);
    crossbar_.push_back(std::move(wires));
    for (unsigned port = 0; port < params_.ports; ++port) {
        const std::uint64_t mask = std::uint64_t{1} << port;
        if (freed_[port]) out.credit |= mask;
        if (pin(in.credit, port)) {
            if (old.outputs[port].credits == tables_.credits[port]) {
                raise(port, chip_error::credit_overflow, out);
            } else {
                ++now_.outputs[port].credits;
            }
        }
        const wire& leaving = crossbar_.front()[port];
        if (!leaving.valid) continue;
        out.valid |= mask;
        if (leaving.head) out.head |= mask;
        if (leaving.tail) out.tail |= mask;
        std::ranges::copy(leaving.data, out.data.begin() + static_cast<std::ptrdiff_t>(port * shape_.flit_bytes));
        std::ranges::copy(leaving.header, out.header.begin() + static_cast<std::ptrdiff_t>(port * shape_.header_bytes));
    }
    crossbar_.pop_front();
    quiet_ = out.quiet();
    ++cycle_;
    return now + 1;
}

// Section 1 of the page.
void golden_switch::write(unsigned port, const pins& in, const registers& old, pins& out) {
    if (!pin(in.valid, port)) return;
    input_registers& input = now_.inputs[port];
    if (input.dead) return;
    const bool head = pin(in.head, port);
    bool tail = pin(in.tail, port);
    if (input.in_packet || input.discarding) {
        if (head) raise(port, chip_error::missing_tail, out);
    } else if (!head) {
        raise(port, chip_error::missing_head, out);
        return;
    }
    if (input.discarding) {
        if (tail) input.discarding = false;
        return;
    }
    std::deque<packet>& buffer = buffers_[port];
    const std::size_t stored_before = input.in_packet ? buffer.back().flits.size() : 0;
    if (stored_before % params_.chunk_flits == 0) {
        if (old.inputs[port].occupied >= tables_.buffer_chunks[port]) {
            raise(port, chip_error::overflow, out);
            input.dead = true;
            return;
        }
        ++input.occupied;
    }
    if (!input.in_packet) {
        buffer.emplace_back();
        input.in_packet = true;
        const auto first = in.header.begin() + static_cast<std::ptrdiff_t>(port * shape_.header_bytes);
        buffer.back().free_header.assign(first, first + shape_.header_bytes);
    }
    packet& last = buffer.back();
    if (last.flits.size() % params_.chunk_flits == 0) last.chunk_readers.push_back(0);
    const std::size_t number = last.flits.size() + 1;
    if (number == tables_.packet_limit && !tail) {
        raise(port, chip_error::too_long, out);
        tail = true;
        input.discarding = true;
    }
    const auto first = in.data.begin() + static_cast<std::ptrdiff_t>(port * shape_.flit_bytes);
    last.flits.push_back({bytes(first, first + shape_.flit_bytes), tail, cycle_});
    if (tail) input.in_packet = false;
    if (last.header_complete) return;

    if (number == header_flits_of(last)) {
        last.header_complete = true;
        if (params_.max_sources == 0) return;
        bytes header = header_of(last);
        header.resize(std::max<std::size_t>(header.size(), 4));
        if (header[0] % 16 > path_kind || is_let_in(tables_.doors, params_.max_sources, header, port)) return;
        last.bad = true;
        raise(port, chip_error::bad_source, out);
    } else if (tail) {
        last.header_complete = true;
        last.bad = true;
        raise(port, chip_error::short_header, out);
    }
}

// Section 2.
void golden_switch::route(unsigned port, const registers& old, pins& out) {
    input_registers& input = now_.inputs[port];
    if (old.inputs[port].state == phase::idle) {
        if (buffers_[port].empty() || !buffers_[port].front().header_complete) return;
        input.state = phase::routing;
        input.routing_left = tables_.route_delay;
    }
    if (input.state != phase::routing) return;
    --input.routing_left;
    if (input.routing_left == 0) decide(port, old, out);
}

/// Of a packet in the buffer, as far as it has come; none while a path worm's list is not known.
unsigned golden_switch::header_flits_of(const packet& front) const {
    if (params_.header_free) return 1;
    const auto flits = [this](unsigned bits) { return (bits + 8 * params_.flit_bytes - 1) / (8 * params_.flit_bytes); };
    const unsigned stop_bits = number_bits + params_.header_ports;
    const unsigned kind = front.flits.front().data.front() % 16;
    if (kind == unicast_kind) return flits(80 + 24);
    if (kind == tree_kind) return tables_.tree_header_flits;
    if (kind == ssr_kind) return flits(80 + stop_bits);
    if (kind != path_kind) return 1;
    const unsigned flit_with_length = list_length_byte / params_.flit_bytes;
    if (front.flits.size() <= flit_with_length) return 0;
    const unsigned stops = front.flits[flit_with_length].data[list_length_byte % params_.flit_bytes];
    return flits(80 + 16 + (stops > params_.header_stops ? 0 : stops * stop_bits));
}

golden_switch::bytes golden_switch::header_of(const packet& front) const {
    if (params_.header_free) return front.free_header;
    bytes header;
    for (unsigned index = 0; index < front.flits.size(); ++index) {
        const bool tree = front.flits.front().data.front() % 16 == tree_kind;
        if (tree && index >= tables_.tree_header_flits) break;
        header.insert(header.end(), front.flits[index].data.begin(), front.flits[index].data.end());
    }
    return header;
}

void golden_switch::decide(unsigned port, const registers& old, pins& out) {
    input_registers& input = now_.inputs[port];
    const packet& front = buffers_[port].front();
    const bytes header = header_of(front);
    const unsigned kind = number_at(header, 0, 4);
    input.masked = false;
    input.advancing = params_.ports;
    input.header_flits = header_flits_of(front);
    std::vector<bool> outputs(params_.ports, false);
    if (front.bad) {
        // Dropped; the error was raised when the tail came.
    } else if (kind == unicast_kind) {
        outputs = route_unicast(port, header, old, out);
    } else if (kind == tree_kind) {
        outputs = route_tree(port, header, old, out);
    } else if (kind == ssr_kind) {
        outputs = route_stop(port, header, string_offset, std::nullopt, old, out);
    } else if (kind == path_kind) {
        outputs = route_path(port, header, old, out);
    } else {
        raise(port, chip_error::bad_kind, out);
    }
    input.waiting = outputs;
    input.unfinished = outputs;
    input.branches = any(outputs) ? static_cast<unsigned>(std::ranges::count(outputs, true)) : 1;
    input.state = any(outputs) ? phase::active : phase::draining;
    input.drained = 0;
}

/// Ports of a table's entry that a packet may take.
std::vector<bool> golden_switch::allowed(const hw::chips::port_sets& table, unsigned entry, bool up) const {
    std::vector<bool> candidates(params_.ports, false);
    for (unsigned next = 0; next < params_.ports && entry < table.size(); ++next)
        candidates[next] =
            pin(table[entry], next) && (up ? !leads(next, direction::open) : leads(next, direction::down));
    return candidates;
}

std::vector<bool> golden_switch::route_unicast(unsigned port, const bytes& header, const registers& old, pins& out) {
    const bool up = bit_of(header, 4);
    const unsigned destination = number_at(header, string_offset, 24);
    const std::vector<bool> candidates = allowed(up ? tables_.unicast_up : tables_.unicast_down, destination, up);
    std::vector<bool> outputs(params_.ports, false);
    if (any(candidates)) {
        outputs[select(port, candidates, tables_.selection, old)] = true;
    } else {
        raise(port, chip_error::no_route, out);
    }
    return outputs;
}

std::vector<bool> golden_switch::route_tree(unsigned port, const bytes& header, const registers& old, pins& out) {
    const bool up = bit_of(header, 4);
    bool uncovered = false;
    std::vector<bool> outputs(params_.ports, false);
    std::vector<bool> up_ports(params_.ports, false);
    for (unsigned next = 0; next < params_.ports; ++next)
        up_ports[next] = leads(next, direction::up) && pin(tables_.tree_up, next);
    for (unsigned host = 0; host < params_.max_hosts; ++host) {
        if (!bit_of(header, string_offset + host)) continue;
        if (!bit_of(tables_.reach_total, host)) uncovered = true;
        for (unsigned next = 0; next < params_.ports; ++next) {
            if (leads(next, direction::down) && bit_of(tables_.reach_port[next], host)) outputs[next] = true;
        }
    }
    if (up && uncovered && any(up_ports)) {
        outputs.assign(params_.ports, false);
        outputs[select(port, up_ports, tables_.up_selection, old)] = true;
    } else if (any(outputs)) {
        now_.inputs[port].masked = tables_.rewrite;
        if (uncovered && (up || tables_.rewrite)) raise(port, chip_error::partial_route, out);
    } else {
        raise(port, chip_error::no_route, out);
    }
    return outputs;
}

std::vector<bool> golden_switch::route_path(unsigned port, const bytes& header, const registers& old, pins& out) {
    const unsigned stops = header[list_length_byte];
    const unsigned next = header[list_next_byte];
    if (stops > params_.header_stops || next >= stops) {
        raise(port, chip_error::no_route, out);
        return std::vector<bool>(params_.ports, false);
    }
    const unsigned stop_bits = number_bits + params_.header_ports;
    std::optional<unsigned> then;
    if (next + 1 < stops) then = list_offset + (next + 1) * stop_bits;
    return route_stop(port, header, list_offset + next * stop_bits, then, old, out);
}

/// `stop` and `then`, the one after it, if there is one: where they begin in the header, in bits.
std::vector<bool> golden_switch::route_stop(unsigned port, const bytes& header, unsigned stop,
                                            std::optional<unsigned> then, const registers& old, pins& out) {
    const bool up = bit_of(header, 4);
    const auto towards = [&](unsigned where) {
        return allowed(up ? tables_.switch_up : tables_.switch_down, number_at(header, where, number_bits), up);
    };
    std::vector<bool> outputs(params_.ports, false);
    if (number_at(header, stop, number_bits) != tables_.switch_number) {
        const std::vector<bool> candidates = towards(stop);
        if (any(candidates)) {
            outputs[select(port, candidates, tables_.selection, old)] = true;
        } else {
            raise(port, chip_error::no_route, out);
        }
        return outputs;
    }
    bool incomplete = false;
    for (unsigned named = 0; named < params_.header_ports; ++named) {
        if (!bit_of(header, stop + number_bits + named)) continue;
        if (named < params_.ports && leads(named, direction::down)) {
            outputs[named] = true;
        } else {
            incomplete = true;
        }
    }
    if (then) {
        const std::vector<bool> candidates = towards(*then);
        if (any(candidates)) {
            const unsigned onward = select(port, candidates, tables_.selection, old);
            outputs[onward] = true;
            now_.inputs[port].advancing = onward;
        } else {
            incomplete = true;
        }
    }
    if (!any(outputs)) {
        raise(port, chip_error::no_route, out);
    } else if (incomplete) {
        raise(port, chip_error::partial_route, out);
    }
    return outputs;
}

unsigned golden_switch::select(unsigned port, const std::vector<bool>& candidates, hw::format::selection how,
                               const registers& old) {
    unsigned chosen = params_.ports;
    for (unsigned offset = 0; offset < params_.ports; ++offset) {
        const bool round_robin = how == hw::format::selection::round_robin;
        const unsigned candidate = round_robin ? (old.inputs[port].selection_pointer + offset) % params_.ports : offset;
        if (!candidates[candidate]) continue;
        if (chosen == params_.ports) {
            chosen = candidate;
        } else if (how == hw::format::selection::least_loaded) {
            const auto load = [&](unsigned output) {
                return std::tuple(old.outputs[output].held, tables_.credits[output] - old.outputs[output].credits,
                                  output);
            };
            if (load(candidate) < load(chosen)) chosen = candidate;
        }
    }
    if (how == hw::format::selection::round_robin) now_.inputs[port].selection_pointer = (chosen + 1) % params_.ports;
    return chosen;
}

// Section 3.
void golden_switch::arbitrate(unsigned port, const registers& old) {
    if (old.outputs[port].held) return;
    const bool round_robin = tables_.arbitration == hw::format::arbitration::round_robin;
    for (unsigned offset = 0; offset < params_.ports; ++offset) {
        const unsigned input = ((round_robin ? old.outputs[port].pointer : 0) + offset) % params_.ports;
        if (old.inputs[input].state != phase::active || !old.inputs[input].waiting[port]) continue;
        output_registers& output = now_.outputs[port];
        output.held = true;
        output.holder = input;
        output.next_flit = 0;
        if (round_robin) output.pointer = (input + 1) % params_.ports;
        now_.inputs[input].waiting[port] = false;
        return;
    }
}

bool golden_switch::in_buffer(const packet& front, unsigned index) const {
    return index < front.flits.size() && front.flits[index].written < cycle_;
}

// Section 4, all branches of one input.
void golden_switch::read(unsigned port, const registers& old, std::vector<wire>& wires) {
    unsigned served = 0;
    const unsigned start = params_.read_ports == params_.ports ? 0 : old.inputs[port].read_pointer;
    for (unsigned offset = 0; offset < params_.ports && served < params_.read_ports; ++offset) {
        const unsigned reader = (start + offset) % params_.ports;
        output_registers& output = now_.outputs[reader];
        if (!output.held || output.holder != port) continue;
        const unsigned index = output.next_flit;
        if (!in_buffer(buffers_[port].front(), index)) continue;
        if (index % params_.chunk_flits == 0) {
            if (old.outputs[reader].credits == 0) continue;
            --output.credits;
        }
        wires[reader] = copy_of(port, reader, index);
        ++output.next_flit;
        ++served;
        now_.inputs[port].read_pointer = (reader + 1) % params_.ports;
        const bool tail = wires[reader].tail;
        if (tail) {
            output.held = false;
            output.holder = 0;
            now_.inputs[port].unfinished[reader] = false;
        }
        if (tail || (index + 1) % params_.chunk_flits == 0) read_end_of_chunk(port, index, tail);
        if (buffers_[port].empty() || now_.inputs[port].state != phase::active) return;
    }
}

golden_switch::wire golden_switch::copy_of(unsigned port, unsigned reader, unsigned index) const {
    const packet& front = buffers_[port].front();
    wire copy{true, index == 0, front.flits[index].tail, front.flits[index].data, {}};
    if (index == 0) copy.header = front.free_header;
    const auto rewrite = [&](bytes& part, unsigned first_bit) {
        const unsigned first_byte = first_bit / 8;
        if (now_.inputs[port].advancing == reader && list_next_byte >= first_byte &&
            list_next_byte - first_byte < part.size()) {
            ++part[list_next_byte - first_byte];
        }
        for (unsigned bit = 0; bit < part.size() * 8; ++bit) {
            const unsigned position = first_bit + bit;
            bool value = bit_of(part, bit);
            if (position == 4) value = leads(reader, direction::up);
            const bool in_string = position >= string_offset && position < string_offset + params_.max_hosts;
            if (in_string && now_.inputs[port].masked)
                value = value && bit_of(tables_.reach_port[reader], position - string_offset);
            const auto mask = static_cast<std::uint8_t>(1u << (bit % 8));
            part[bit / 8] = static_cast<std::uint8_t>(value ? part[bit / 8] | mask : part[bit / 8] & ~mask);
        }
    };
    if (params_.header_free) {
        if (index == 0) {
            // What only network interfaces read is never rewritten.
            const std::ptrdiff_t rewritable = static_cast<std::ptrdiff_t>(shape_.header_bytes - behind_string);
            bytes part(copy.header.begin(), copy.header.begin() + rewritable);
            rewrite(part, 0);
            std::ranges::copy(part, copy.header.begin());
        }
    } else if (index < now_.inputs[port].header_flits) {
        rewrite(copy.data, index * params_.flit_bytes * 8);
    }
    return copy;
}

void golden_switch::drain(unsigned port, const registers& old) {
    if (old.inputs[port].state != phase::draining) return;
    input_registers& input = now_.inputs[port];
    const packet& front = buffers_[port].front();
    const unsigned index = input.drained;
    if (!in_buffer(front, index)) return;
    ++input.drained;
    const bool tail = front.flits[index].tail;
    if (tail || (index + 1) % params_.chunk_flits == 0) read_end_of_chunk(port, index, tail);
}

// Section 5.
void golden_switch::read_end_of_chunk(unsigned port, unsigned index, bool tail) {
    input_registers& input = now_.inputs[port];
    unsigned& readers = buffers_[port].front().chunk_readers[index / params_.chunk_flits];
    ++readers;
    if (readers != input.branches) return;
    freed_[port] = true;
    --input.occupied;
    if (!tail) return;
    buffers_[port].pop_front();
    input.state = phase::idle;
}

bool golden_switch::idle() const {
    if (!quiet_) return false;
    for (unsigned port = 0; port < params_.ports; ++port) {
        const input_registers& input = now_.inputs[port];
        if (input.occupied != 0 || input.in_packet || input.discarding || now_.outputs[port].held) return false;
        for (const std::vector<wire>& stage : crossbar_) {
            if (stage[port].valid) return false;
        }
    }
    return true;
}

void golden_switch::probe(hw::engine::chip_probe& probe) const {
    probe.inputs.assign(params_.ports, {});
    probe.outputs.assign(params_.ports, {});
    for (unsigned port = 0; port < params_.ports; ++port) {
        const input_registers& input = now_.inputs[port];
        hw::engine::chip_probe::input& shown = probe.inputs[port];
        shown.occupied = static_cast<std::uint16_t>(input.occupied);
        shown.state = static_cast<std::uint8_t>(input.state);
        for (unsigned output = 0; output < params_.ports; ++output) {
            if (input.waiting[output]) shown.waiting |= std::uint64_t{1} << output;
            if (input.unfinished[output] && !input.waiting[output]) shown.reading |= std::uint64_t{1} << output;
        }
        const output_registers& output = now_.outputs[port];
        probe.outputs[port] = {output.held, static_cast<std::uint8_t>(output.holder),
                               static_cast<std::uint16_t>(output.credits)};
    }
}

void golden_switch::raise(unsigned port, chip_error error, pins& out) {
    out.error |= std::uint64_t{1} << port;
    out.errors[port] = static_cast<std::uint16_t>(out.errors[port] | static_cast<std::uint16_t>(error));
}

}  // namespace polycast::testbench::equivalence
