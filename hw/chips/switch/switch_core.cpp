// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/switch/switch_core.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "hw/chips/port_set.h"
#include "hw/format/header.h"
#include "hw/input_error.h"

namespace polycast::hw::chips {

using engine::cycle;
using engine::pins;
using format::chip_error;

namespace {

/// Where the number of a path worm's next stop is in its header.
constexpr std::uint32_t next_byte = format::path_next_field.offset / 8;

constexpr limits check("switch", "hw/chips/switch/switch.md");

void check_tables(const switch_params& p, const switch_tables& t) {
    check.that(t.route_delay >= 1 && t.route_delay <= 15,
               "routing takes 1..15 cycles, not " + std::to_string(t.route_delay));
    // What the configuration registers of the RTL can hold; the longest buffer and the longest header fit.
    check.that(t.packet_limit >= 1 && t.packet_limit <= 1u << 20,
               "the packet limit must be 1..1048576 flits, not " + std::to_string(t.packet_limit));
    check.that(t.tree_header_flits >= 1 && t.tree_header_flits <= 4095,
               "a header has 1..4095 flits, not " + std::to_string(t.tree_header_flits));
    check.that(t.port_direction.size() == p.ports && t.buffer_chunks.size() == p.ports && t.credits.size() == p.ports &&
                   t.reach_port.size() == p.ports,
               "a table per port does not have one entry per port");
    check.that(t.unicast_up.size() == p.max_hosts && t.unicast_down.size() == p.max_hosts,
               "a unicast table does not have max_hosts entries");
    check.that(t.switch_up.size() <= p.max_switches && t.switch_down.size() <= p.max_switches,
               "a table of switches has more than max_switches entries");
    check.that(t.switch_number < p.max_switches, "the number of the switch must be less than max_switches");
    const std::size_t words = (format::string_bits(p.max_hosts) + 63) / 64;
    check.that(t.reach_total.size() == words, "the reachability string does not have max_hosts bits");
    const char* const doors = t.doors.problem(p.ports, p.max_sources);
    check.that(doors == nullptr, doors == nullptr ? "" : doors);
    for (unsigned port = 0; port < p.ports; ++port) {
        check.that(t.buffer_chunks[port] >= 1 && t.buffer_chunks[port] <= p.chunks, "usable chunks must be 1..chunks");
        check.that(t.credits[port] <= 65535, "credits must be 0..65535");
        check.that(t.reach_port[port].size() == words, "a restricted reachability string does not have max_hosts bits");
    }
}

}  // namespace

switch_core::switch_core(const switch_params& params, switch_tables tables)
    : params_(checked(params)), tables_(std::move(tables)), shape_(params.pin_shape()), found_(params.ports) {
    check_tables(params_, tables_);
    capacity_ = params_.chunks * params_.chunk_flits;
    header_bytes_ = params_.header_bytes();
    const unsigned string_bits = format::string_bits(params_.max_hosts);
    words_ = (string_bits + 63) / 64;
    string_bytes_ = (string_bits + 7) / 8;
    if (string_bits % 8 != 0) pad_ = static_cast<std::uint8_t>(0xffu << string_bits % 8);
    for (unsigned port = 0; port < params_.ports; ++port) {
        if (tables_.port_direction[port] == format::direction::up) up_ports_ |= bit(port);
        if (tables_.port_direction[port] == format::direction::down) down_ports_ |= bit(port);
    }
    const std::size_t slots = std::size_t{params_.ports} * capacity_;
    const std::size_t chunks = std::size_t{params_.ports} * params_.chunks;
    data_.resize(slots * params_.flit_bytes);
    tails_.resize(slots);
    done_.resize(chunks);
    bad_.resize(chunks);
    headers_.resize(params_.ports);
    for (unsigned stage = 0; stage < params_.xbar_stages; ++stage) stages_.emplace_back(shape_);
    reset();
}

void switch_core::reset() {
    held_ = requested_ = routable_ = routing_ = draining_ = busy_ = 0;
    inputs_.assign(params_.ports, {});
    outputs_.assign(params_.ports, {});
    for (header_ring& ring : headers_) ring.first = ring.count = 0;
    for (unsigned port = 0; port < params_.ports; ++port) {
        inputs_[port].usable = static_cast<std::uint16_t>(tables_.buffer_chunks[port]);
        outputs_[port].credits = outputs_[port].credits_full = static_cast<std::int32_t>(tables_.credits[port]);
    }
    std::ranges::fill(done_, std::uint8_t{0});
    std::ranges::fill(bad_, std::uint8_t{0});
    for (pins& stage : stages_) stage.clear();
    stage_ = staged_ = 0;
    outputs_quiet_ = true;
    flits_.clear();
    dead_ = 0;
    found_.reset();
}

bool switch_core::idle() const {
    if ((busy_ | held_) != 0 || staged_ != 0 || !outputs_quiet_) return false;
    return std::ranges::all_of(
        inputs_, [](const input_port& input) { return input.occupied == 0 && !input.in_packet && !input.discarding; });
}

std::size_t switch_core::memory_bytes() const {
    std::size_t bytes = sizeof *this + data_.capacity() + tails_.capacity() + done_.capacity() + bad_.capacity() +
                        headers_.capacity() * sizeof(header_ring) + inputs_.capacity() * sizeof(input_port) +
                        outputs_.capacity() * sizeof(output_port) +
                        tables_.reach_port.capacity() * sizeof(shared_string);
    for (const header_ring& ring : headers_) bytes += ring.bytes.capacity();
    for (const port_sets* sets : {&tables_.unicast_up, &tables_.unicast_down, &tables_.switch_up, &tables_.switch_down})
        bytes += sets->memory_bytes();
    return bytes;
}

void switch_core::probe(engine::chip_probe& probe) const {
    probe.inputs.assign(params_.ports, {});
    probe.outputs.assign(params_.ports, {});
    for (unsigned port = 0; port < params_.ports; ++port) {
        const input_port& input = inputs_[port];
        const output_port& output = outputs_[port];
        const bool held = (held_ >> port & 1) != 0;
        probe.inputs[port] = {input.occupied, static_cast<std::uint8_t>(input.state), input.waiting,
                              input.branches & ~input.waiting, found_.corrections(port)};
        probe.outputs[port] = {held, held ? output.holder : std::uint8_t{0},
                               static_cast<std::uint16_t>(output.credits)};
    }
}

void switch_core::raise(unsigned port, chip_error error, pins& out) const {
    out.error |= bit(port);
    out.errors[port] = static_cast<std::uint16_t>(out.errors[port] | static_cast<std::uint16_t>(error));
}

// The stages below work on one copy of the state. What the contract calls "registered" holds because of their order:
// writes become visible to readers at the end (input_port::visible), routing decides before outputs change, and packets
// become active after arbitration.
cycle switch_core::step(cycle now, const pins& in, pins& out) {
    bool changed = (in.valid | in.credit | routing_ | routable_) != 0;

    // The contract refers to credits before this cycle's spending: find excess credits first, add them last.
    std::uint64_t credits_in = in.credit;
    for (std::uint64_t set = in.credit; set != 0; set &= set - 1) {
        const unsigned port = lowest(set);
        if (outputs_[port].credits < outputs_[port].credits_full) continue;
        credits_in &= ~bit(port);
        raise(port, chip_error::credit_overflow, out);
    }

    std::uint64_t written = 0;
    for (std::uint64_t set = in.valid; set != 0; set &= set - 1) {
        const unsigned port = lowest(set);
        if (write(port, in, out)) written |= bit(port);
    }

    std::uint64_t decided = 0;
    for (std::uint64_t set = routable_; set != 0; set &= set - 1) start_routing(lowest(set));
    for (std::uint64_t set = routing_; set != 0; set &= set - 1) {
        const unsigned port = lowest(set);
        if (--inputs_[port].routing_left != 0) continue;
        decide(port, out);
        decided |= bit(port);
    }
    routing_ &= ~decided;

    for (std::uint64_t set = requested_ & ~held_; set != 0; set &= set - 1) {
        grant(lowest(set));
        changed = true;
    }

    pins* to = &out;
    if (!stages_.empty()) {
        pins& oldest = stages_[stage_];
        if (oldest.valid != 0) {
            out.valid = oldest.valid;
            out.head = oldest.head;
            out.tail = oldest.tail;
            std::ranges::copy(oldest.data, out.data.begin());
            std::ranges::copy(oldest.header, out.header.begin());
            oldest.clear();
            --staged_;
        }
        to = &oldest;
        stage_ = stage_ + 1 == stages_.size() ? 0 : stage_ + 1;
    }
    if (params_.read_ports == params_.ports) {
        for (std::uint64_t set = held_; set != 0; set &= set - 1) {
            const unsigned port = lowest(set);
            if (can_read(outputs_[port])) read(port, *to, out);
        }
    } else if (held_ != 0) {
        read_limited(*to, out);
    }
    if (!stages_.empty() && to->valid != 0) ++staged_;
    for (std::uint64_t set = draining_; set != 0; set &= set - 1) drain(lowest(set), out);
    changed |= (to->valid | out.valid | out.credit | draining_) != 0 || staged_ != 0;

    for (std::uint64_t set = decided; set != 0; set &= set - 1) {
        const unsigned port = lowest(set);
        input_port& input = inputs_[port];
        if (input.state == phase::draining) draining_ |= bit(port);
        for (std::uint64_t branches = input.branches; branches != 0; branches &= branches - 1) {
            const unsigned output = lowest(branches);
            outputs_[output].requests |= bit(port);
            requested_ |= bit(output);
        }
    }
    for (std::uint64_t set = credits_in; set != 0; set &= set - 1) ++outputs_[lowest(set)].credits;
    for (std::uint64_t set = written; set != 0; set &= set - 1) {
        input_port& input = inputs_[lowest(set)];
        input.visible = input.write_position;
    }
    outputs_quiet_ = out.quiet();
    return changed ? now + 1 : engine::never;
}

/// Stage 1. \returns true if the flit was stored.
bool switch_core::write(unsigned port, const pins& in, pins& out) {
    input_port& input = inputs_[port];
    if (input.dead) return false;
    const bool head = (in.head >> port & 1) != 0;
    bool tail = (in.tail >> port & 1) != 0;
    if (head && (input.in_packet || input.discarding)) {
        raise(port, chip_error::missing_tail, out);
    } else if (!head && !input.in_packet && !input.discarding) {
        raise(port, chip_error::missing_head, out);
        return false;
    }
    if (input.discarding) {
        if (tail) input.discarding = false;
        return false;
    }
    if (input.write_offset == 0) {
        if (input.occupied >= input.usable) {
            raise(port, chip_error::overflow, out);
            input.dead = true;
            return false;
        }
        ++input.occupied;
    }
    if (!input.in_packet) {
        input.in_packet = true;
        input.header_done = false;
        input.packet_flits = 0;
        input.sized = false;
        if (params_.header_free) store_free_header(headers_[port], &in.header[std::size_t{port} * shape_.header_bytes]);
    }
    const std::size_t slot = std::size_t{port} * capacity_ + input.write_slot;
    if (params_.flit_bytes == 1) {
        data_[slot] = in.data[port];
    } else {
        std::memcpy(&data_[slot * params_.flit_bytes], &in.data[std::size_t{port} * params_.flit_bytes],
                    params_.flit_bytes);
    }
    ++input.packet_flits;
    if (!tail && input.packet_flits == tables_.packet_limit) {
        raise(port, chip_error::too_long, out);
        tail = true;
        input.discarding = true;
    }
    tails_[slot] = tail ? 1 : 0;
    if (!input.header_done) header_progress(port, tail, in, out);
    if (tail) input.in_packet = false;
    if (tail || input.write_offset + 1 == params_.chunk_flits) {
        input.write_position += params_.chunk_flits - input.write_offset;
        input.write_offset = 0;
        input.write_chunk = input.write_chunk + 1 == params_.chunks ? 0 : input.write_chunk + 1;
        input.write_slot = input.write_chunk * params_.chunk_flits;
    } else {
        ++input.write_position;
        ++input.write_offset;
        ++input.write_slot;
    }
    return true;
}

/// A header waits beside the buffer until its packet has left.
void switch_core::store_free_header(header_ring& ring, const std::uint8_t* header) {
    const std::size_t bytes = shape_.header_bytes;
    if (ring.count == ring.room) {
        // The oldest to the beginning, room for as many again behind the youngest.
        std::ranges::rotate(ring.bytes, ring.bytes.begin() + static_cast<std::ptrdiff_t>(ring.first * bytes));
        ring.first = 0;
        ring.room = ring.room == 0 ? 1 : 2 * ring.room;
        ring.bytes.resize(ring.room * bytes);
    }
    const std::uint32_t place = ring.first + ring.count++;
    std::memcpy(&ring.bytes[(place < ring.room ? place : place - ring.room) * bytes], header, bytes);
}

/// Stage 3 for an output that is free and requested.
void switch_core::grant(unsigned port) {
    output_port& output = outputs_[port];
    const unsigned winner = tables_.arbitration == format::arbitration::round_robin
                                ? first_from(output.requests, output.pointer)
                                : static_cast<unsigned>(std::countr_zero(output.requests));
    if (tables_.arbitration == format::arbitration::round_robin) {
        output.pointer = static_cast<std::uint8_t>(winner + 1 == params_.ports ? 0 : winner + 1);
    }
    output.requests &= ~bit(winner);
    if (output.requests == 0) requested_ &= ~bit(port);
    held_ |= bit(port);
    input_port& input = inputs_[winner];
    input.waiting &= ~bit(port);
    output.holder = static_cast<std::uint8_t>(winner);
    output.position = input.front_position;
    output.slot = input.front_slot;
    output.chunk = input.front_slot / params_.chunk_flits;
    output.offset = 0;
    output.index = 0;
}

bool switch_core::can_read(const output_port& output) const {
    return output.position < inputs_[output.holder].visible && (output.offset != 0 || output.credits > 0);
}

/// Stage 4 where an input buffer has fewer read ports than there are outputs.
void switch_core::read_limited(pins& to, pins& out) {
    std::uint64_t holders = 0;
    std::uint64_t ready[engine::max_ports];
    for (std::uint64_t set = held_; set != 0; set &= set - 1) {
        const unsigned port = lowest(set);
        if (!can_read(outputs_[port])) continue;
        const unsigned holder = outputs_[port].holder;
        if ((holders >> holder & 1) == 0) ready[holder] = 0;
        holders |= bit(holder);
        ready[holder] |= bit(port);
    }
    for (; holders != 0; holders &= holders - 1) {
        const unsigned holder = lowest(holders);
        unsigned pointer = inputs_[holder].read_pointer;
        for (unsigned served = 0; served < params_.read_ports && ready[holder] != 0; ++served) {
            const unsigned port = first_from(ready[holder], pointer);
            ready[holder] &= ~bit(port);
            pointer = port + 1 == params_.ports ? 0 : port + 1;
            read(port, to, out);
        }
        inputs_[holder].read_pointer = static_cast<std::uint8_t>(pointer);
    }
}

/// Stage 4 for one branch that can read: a flit goes through the crossbar into `to`; freed chunks answer on `out`.
void switch_core::read(unsigned port, pins& to, pins& out) {
    output_port& output = outputs_[port];
    const unsigned holder = output.holder;
    input_port& input = inputs_[holder];
    const std::size_t slot = std::size_t{holder} * capacity_ + output.slot;
    std::uint8_t* flit = &to.data[std::size_t{port} * params_.flit_bytes];
    if (params_.flit_bytes == 1) {
        *flit = data_[slot];
    } else {
        std::memcpy(flit, &data_[slot * params_.flit_bytes], params_.flit_bytes);
    }
    to.valid |= bit(port);
    if (output.offset == 0) --output.credits;
    if (output.index < input.front_header_flits) {
        if (output.index == 0) to.head |= bit(port);
        if (params_.header_free) {
            std::uint8_t* header = &to.header[std::size_t{port} * shape_.header_bytes];
            std::memcpy(header, front_header(holder), shape_.header_bytes);
            format::set_up(header, (up_ports_ >> port & 1) != 0);
            if (input.front_masked) {
                for (std::uint32_t byte = 0; byte < string_bytes_; ++byte)
                    header[format::common_header_bytes + byte] &= reach_byte(port, byte);
            }
            if ((input.advancing >> port & 1) != 0) ++header[next_byte];
        } else {
            rewrite_flit(input, output, port, flit);
        }
    }
    const bool tail = tails_[slot] != 0;
    const std::uint32_t chunk = output.chunk;
    const bool chunk_end = tail || output.offset + 1 == params_.chunk_flits;
    ++output.position;
    ++output.index;
    if (chunk_end) {
        output.offset = 0;
        output.chunk = chunk + 1 == params_.chunks ? 0 : chunk + 1;
        output.slot = output.chunk * params_.chunk_flits;
        std::uint8_t& done = done_[std::size_t{holder} * params_.chunks + chunk];
        if (tail) {
            to.tail |= bit(port);
            held_ &= ~bit(port);
            input.branches &= ~bit(port);
        }
        if (++done == input.branch_count) {
            done = 0;
            free_chunk(holder, out);
            if (tail) finish(holder, chunk, output.position);
        }
    } else {
        ++output.offset;
        ++output.slot;
    }
}

/// The header bits that flit number `output.index` carries, rewritten for `port`.
void switch_core::rewrite_flit(const input_port& input, const output_port& output, unsigned port,
                               std::uint8_t* flit) const {
    if (output.index == 0) format::set_up(flit, (up_ports_ >> port & 1) != 0);
    const std::uint32_t first = output.index * params_.flit_bytes;
    if ((input.advancing >> port & 1) != 0 && next_byte >= first && next_byte < first + params_.flit_bytes)
        ++flit[next_byte - first];
    if (!input.front_masked) return;
    for (std::uint32_t byte = 0; byte < params_.flit_bytes; ++byte) {
        const std::uint32_t at = first + byte;
        if (at < format::common_header_bytes || at - format::common_header_bytes >= string_bytes_) continue;
        flit[byte] &= reach_byte(port, at - format::common_header_bytes);
    }
}

/// A packet that goes nowhere leaves the buffer, a flit per cycle.
void switch_core::drain(unsigned port, pins& out) {
    input_port& input = inputs_[port];
    if (input.drain_position >= input.visible) return;
    const bool tail = tails_[std::size_t{port} * capacity_ + input.drain_slot] != 0;
    const std::uint32_t chunk = input.drain_slot / params_.chunk_flits;
    const bool chunk_end = tail || (input.drain_slot + 1) % params_.chunk_flits == 0;
    ++input.drain_position;
    input.drain_slot = input.drain_slot + 1 == capacity_ ? 0 : input.drain_slot + 1;
    if (!chunk_end) return;
    free_chunk(port, out);
    if (!tail) return;
    draining_ &= ~bit(port);
    finish(port, chunk, input.drain_position);
}

/// Stage 5.
void switch_core::free_chunk(unsigned port, pins& out) {
    --inputs_[port].occupied;
    out.credit |= bit(port);
}

/// The packet at the front has left with `chunk` as its last, its tail before position `end`: the next one is at the
/// front.
void switch_core::finish(unsigned port, std::uint32_t chunk, std::uint64_t end) {
    input_port& input = inputs_[port];
    const std::uint32_t next = chunk + 1 == params_.chunks ? 0 : chunk + 1;
    // Not from the slots: a packet longer than the buffer has gone round the ring.
    const std::uint64_t chunk_flits = params_.chunk_flits;
    input.front_position = (end + chunk_flits - 1) / chunk_flits * chunk_flits;
    input.front_slot = next * params_.chunk_flits;
    input.state = phase::idle;
    if (params_.header_free) {
        header_ring& ring = headers_[port];
        ring.first = ring.first + 1 == ring.room ? 0 : ring.first + 1;
        --ring.count;
    }
    busy_ &= ~bit(port);
    if (input.complete_headers != 0) routable_ |= bit(port);
}

}  // namespace polycast::hw::chips
