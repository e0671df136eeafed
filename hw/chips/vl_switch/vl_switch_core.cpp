// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/vl_switch/vl_switch_core.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

#include "hw/chips/port_set.h"

namespace polycast::hw::chips {

using engine::cycle;
using engine::pins;
using format::chip_error;

namespace {

/// Bytes of the header that the switch reads.
constexpr unsigned header_bytes = format::lid_header_bytes;

}  // namespace

vl_switch_core::vl_switch_core(const vl_switch_params& params, vl_switch_tables tables)
    : params_(checked(params)), tables_(checked(params, std::move(tables))), shape_(params_.pin_shape()) {
    lanes_ = params_.ports * params_.vls;
    lane_words_ = (lanes_ + 63) / 64;
    capacity_ = params_.chunks * params_.chunk_flits;
    reserve_ = tables_.reserve(params_);
    exists_.resize(params_.ports);
    for (unsigned lane = 0; lane < lanes_; ++lane)
        if (tables_.credits[lane] != 0)
            exists_[lane / params_.vls] |= static_cast<std::uint16_t>(1u << lane % params_.vls);
    for (unsigned port = 0; port < params_.ports; ++port)
        if (exists_[port] == 0) open_ |= bit(port);
    const std::size_t slots = std::size_t{lanes_} * capacity_;
    const std::size_t chunks = std::size_t{lanes_} * params_.chunks;
    data_.resize(slots * params_.flit_bytes);
    tails_.resize(slots);
    done_.resize(chunks);
    decisions_.resize(chunks);
    headers_.resize(params_.header_free ? chunks * shape_.header_bytes : std::size_t{lanes_} * header_bytes);
    for (unsigned stage = 0; stage < params_.xbar_stages; ++stage) stages_.emplace_back(shape_);
    reset();
}

void vl_switch_core::reset() {
    held_ = requested_ = owing_ = read_ = waits_ = 0;
    inputs_.assign(lanes_, {});
    outputs_.assign(params_.ports, {});
    output_lanes_.assign(lanes_, {});
    for (unsigned lane = 0; lane < lanes_; ++lane) {
        output_lanes_[lane].credits = tables_.credits[lane];
        if (tables_.credits[lane] >= reserve_)
            outputs_[lane / params_.vls].able |= static_cast<std::uint16_t>(1u << lane % params_.vls);
    }
    weights_.assign(tables_.policy == vl_policy::weighted ? params_.ports : 0, {});
    requests_.assign(std::size_t{lanes_} * lane_words_, 0);
    read_pointers_.assign(params_.ports, 0);
    credit_pointers_.assign(params_.ports, 0);
    draining_.clear();
    loading_.clear();
    std::ranges::fill(done_, std::uint8_t{0});
    for (std::vector<routing>& slot : routing_) slot.clear();
    routing_slots_ = 0;
    for (pins& stage : stages_) stage.clear();
    stage_ = staged_ = 0;
    outputs_quiet_ = true;
}

bool vl_switch_core::idle() const {
    if ((held_ | owing_ | waits_) != 0 || staged_ != 0 || !outputs_quiet_) return false;
    return std::ranges::all_of(inputs_,
                               [](const input_lane& input) { return input.occupied == 0 && !input.frame.busy(); });
}

std::size_t vl_switch_core::memory_bytes() const {
    std::size_t bytes =
        sizeof *this + inputs_.capacity() * sizeof(input_lane) + outputs_.capacity() * sizeof(output_port) +
        output_lanes_.capacity() * sizeof(output_lane) + weights_.capacity() * sizeof(vl_weight_arbiter) +
        requests_.capacity() * sizeof(std::uint64_t) + data_.capacity() + tails_.capacity() + done_.capacity() +
        headers_.capacity() + decisions_.capacity() * sizeof(decision) + tables_.lft.capacity() +
        tables_.mft.capacity() * sizeof(std::uint64_t) + tables_.weights.capacity() * sizeof(vl_weights);
    for (const std::vector<routing>& slot : routing_) bytes += slot.capacity() * sizeof(routing);
    return bytes;
}

void vl_switch_core::probe(engine::chip_probe& probe) const {
    probe.inputs.assign(lanes_, {});
    probe.outputs.assign(lanes_, {});
    for (unsigned lane = 0; lane < lanes_; ++lane) {
        const input_lane& input = inputs_[lane];
        const unsigned state = input.state == phase::active     ? 2
                               : input.state == phase::draining ? 3
                               : input.occupied != 0            ? 1
                                                                : 0;
        probe.inputs[lane] = {input.occupied, static_cast<std::uint8_t>(state), input.waiting,
                              input.branches & ~input.waiting};
        probe.outputs[lane].credits = static_cast<std::uint16_t>(output_lanes_[lane].credits);
    }
    for (std::uint64_t set = held_; set != 0; set &= set - 1) {
        const unsigned port = lowest(set);
        engine::chip_probe::output& shown = probe.outputs[port * params_.vls + outputs_[port].vl];
        shown.held = true;
        shown.holder = static_cast<std::uint8_t>(outputs_[port].lane / params_.vls);
    }
}

// The stages below work on one copy of the state. What the contract calls "registered" holds because of their order:
// outputs choose before they read, packets come to the front after that, and what is written becomes visible last.
cycle vl_switch_core::step(cycle now, const pins& in, pins& out) {
    bool changed = (in.valid | in.credit | owing_) != 0 || !draining_.empty();

    // Whether credits are too many refers to what was spent before this cycle; they count from the next one on.
    std::uint64_t credits_in = in.credit;
    for (std::uint64_t set = in.credit; set != 0; set &= set - 1) {
        const unsigned port = lowest(set);
        const unsigned vl = in.credit_vc.empty() ? 0 : in.credit_vc[port];
        const unsigned lane = port * params_.vls + vl;
        if (vl < params_.vls && output_lanes_[lane].credits < tables_.credits[lane]) continue;
        credits_in &= ~bit(port);
        raise(port, vl < params_.vls ? chip_error::credit_overflow : chip_error::bad_vc, out);
    }
    for (std::uint64_t set = in.valid; set != 0; set &= set - 1) write(lowest(set), now, in, out);
    const auto due = static_cast<unsigned>(now % routing_.size());
    if ((routing_slots_ >> due & 1) != 0) {
        for (const routing& done : routing_[due]) routed(done, out);
        routing_[due].clear();
        routing_slots_ &= ~(1u << due);
        changed = true;
    }

    // What waits in this cycle, but for outputs that will have read.
    std::uint64_t waits = requested_;
    if (params_.read_ports < params_.ports) {
        for (std::uint64_t set = held_; set != 0; set &= set - 1)
            if (can_read(outputs_[lowest(set)])) waits |= bit(lowest(set));
    }
    for (std::uint64_t set = requested_ & ~held_; set != 0; set &= set - 1) {
        const unsigned port = lowest(set);
        if ((outputs_[port].wanted & outputs_[port].able) != 0) grant(port);
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
            std::ranges::copy(oldest.vc, out.vc.begin());
            oldest.clear();
            --staged_;
        }
        to = &oldest;
        stage_ = stage_ + 1 == stages_.size() ? 0 : stage_ + 1;
    }
    read_ = 0;
    const std::size_t drains = draining_.size();  // lanes that begin to drain in this cycle read in the next
    if (params_.read_ports == params_.ports) {
        for (std::uint64_t set = held_; set != 0; set &= set - 1)
            if (can_read(outputs_[lowest(set)])) read(lowest(set), *to);
    } else if (held_ != 0) {
        read_limited(*to);
    }
    if (!stages_.empty() && to->valid != 0) ++staged_;
    for (std::size_t i = 0; i < drains; ++i) drain(draining_[i]);
    std::erase_if(draining_, [&](std::uint16_t lane) { return inputs_[lane].state != phase::draining; });
    if (tables_.hoq_life != 0) lose_old(now, out);
    for (const std::uint16_t lane : loading_) load(lane, now);
    changed |= read_ != 0 || !loading_.empty() || staged_ != 0 || out.valid != 0;
    loading_.clear();
    if (owing_ != 0) {
        repay(out);
        changed = true;
    }
    waits_ = waits & ~read_;

    for (std::uint64_t set = credits_in; set != 0; set &= set - 1) {
        const unsigned port = lowest(set);
        const unsigned vl = in.credit_vc.empty() ? 0 : in.credit_vc[port];
        if (++output_lanes_[port * params_.vls + vl].credits >= reserve_)
            outputs_[port].able |= static_cast<std::uint16_t>(1u << vl);
    }
    for (std::uint64_t set = in.valid; set != 0; set &= set - 1) {
        const unsigned vl = in.vc.empty() ? 0 : in.vc[lowest(set)];
        if (vl >= params_.vls) continue;
        input_lane& input = inputs_[lowest(set) * params_.vls + vl];
        input.visible = input.write_position;
    }
    outputs_quiet_ = out.quiet();
    return changed || !outputs_quiet_ ? now + 1 : next_step(now);
}

/// Nothing arrives: the next decision, or the next packet that is too old.
cycle vl_switch_core::next_step(cycle now) const {
    cycle next = engine::never;
    for (unsigned ahead = 1; ahead < routing_.size() && next == engine::never; ++ahead)
        if ((routing_slots_ >> (now + ahead) % routing_.size() & 1) != 0) next = now + ahead;
    if (tables_.hoq_life == 0 || requested_ == 0) return next;
    for (const input_lane& input : inputs_)
        if (input.waiting != 0) next = std::min(next, input.since + tables_.hoq_life - 1);
    return next;
}

/// Step 1, and of step 2 what happens when a header is complete.
void vl_switch_core::write(unsigned port, cycle now, const pins& in, pins& out) {
    const unsigned vl = in.vc.empty() ? 0 : in.vc[port];
    if (vl >= params_.vls) return raise(port, chip_error::bad_vc, out);
    const unsigned lane = port * params_.vls + vl;
    input_lane& input = inputs_[lane];
    const bool room = input.write_offset != 0 || input.occupied < tables_.vl_chunks[lane];
    const vc_framing::verdict flit =
        input.frame.arrive((in.head >> port & 1) != 0, (in.tail >> port & 1) != 0, room, tables_.packet_limit);
    raise(port, flit.errors, out);
    if (!flit.stored) return;
    if (input.write_offset == 0) ++input.occupied;
    const std::uint8_t* bytes = &in.data[std::size_t{port} * params_.flit_bytes];
    if (flit.head) {
        input.header_done = false;
        input.header_chunk = input.write_slot / params_.chunk_flits;
        if (params_.header_free)
            std::memcpy(&headers_[(std::size_t{lane} * params_.chunks + input.header_chunk) * shape_.header_bytes],
                        &in.header[std::size_t{port} * shape_.header_bytes], shape_.header_bytes);
    }
    const std::size_t slot = std::size_t{lane} * capacity_ + input.write_slot;
    copy_flit(&data_[slot * params_.flit_bytes], bytes, params_.flit_bytes);
    tails_[slot] = flit.tail ? 1 : 0;
    if (!input.header_done) {
        const bool complete = take_header(lane, input, bytes);
        if (complete || flit.tail) {
            input.header_done = true;
            routing found{static_cast<std::uint16_t>(lane), 0, {}};
            if (complete) {
                const std::uint8_t* header =
                    params_.header_free
                        ? &headers_[(std::size_t{lane} * params_.chunks + input.header_chunk) * shape_.header_bytes]
                        : &headers_[std::size_t{lane} * header_bytes];
                if (params_.max_sources != 0 && is_foreign(header, port)) {
                    raise(port, chip_error::bad_source, out);
                } else {
                    found = route(lane, header);
                }
            } else {
                raise(port, chip_error::short_header, out);
            }
            const auto due = static_cast<unsigned>((now + tables_.route_delay - 1) % routing_.size());
            routing_[due].push_back(found);
            routing_slots_ |= 1u << due;
        }
    }
    if (flit.tail || input.write_offset + 1 == params_.chunk_flits) {
        input.write_position += params_.chunk_flits - input.write_offset;
        input.write_slot += params_.chunk_flits - input.write_offset;
        if (input.write_slot == capacity_) input.write_slot = 0;
        input.write_offset = 0;
    } else {
        ++input.write_position;
        ++input.write_slot;
        ++input.write_offset;
    }
}

/// A packet that waits for an output that is free, on a lane that has credits for it.
void vl_switch_core::grant(unsigned port) {
    output_port& output = outputs_[port];
    const unsigned candidates = output.wanted & output.able;
    unsigned vl = 0;
    if (weights_.empty()) {
        vl = first_from(candidates, output.turn);
        output.turn = static_cast<std::uint8_t>(vl + 1 == params_.vls ? 0 : vl + 1);
    } else {
        vl = weights_[port].take(tables_.weights[port], candidates);
    }
    output_lane& lane = output_lanes_[port * params_.vls + vl];
    const std::uint64_t* waiting = requests(port, vl);
    const unsigned from = tables_.arbitration == format::arbitration::round_robin ? lane.pointer : 0;
    unsigned word = from / 64;
    std::uint64_t set = waiting[word] & ~(bit(from % 64) - 1);
    while (set == 0) {
        word = word + 1 == lane_words_ ? 0 : word + 1;
        set = waiting[word];
    }
    const unsigned winner = word * 64 + lowest(set);
    if (tables_.arbitration == format::arbitration::round_robin)
        lane.pointer = static_cast<std::uint16_t>(winner + 1 == lanes_ ? 0 : winner + 1);
    drop_request(winner, port, vl);
    held_ |= bit(port);
    output.lane = static_cast<std::uint16_t>(winner);
    output.vl = static_cast<std::uint8_t>(vl);
    output.position = inputs_[winner].front_position;
    output.slot = inputs_[winner].front_slot;
    output.offset = output.index = 0;
}

void vl_switch_core::add_request(unsigned lane, unsigned port, unsigned vl) {
    inputs_[lane].waiting |= bit(port);
    requests(port, vl)[lane / 64] |= bit(lane % 64);
    outputs_[port].wanted |= static_cast<std::uint16_t>(1u << vl);
    requested_ |= bit(port);
}

void vl_switch_core::drop_request(unsigned lane, unsigned port, unsigned vl) {
    inputs_[lane].waiting &= ~bit(port);
    std::uint64_t* const set = requests(port, vl);
    set[lane / 64] &= ~bit(lane % 64);
    if (std::any_of(set, set + lane_words_, [](std::uint64_t word) { return word != 0; })) return;
    outputs_[port].wanted &= static_cast<std::uint16_t>(~(1u << vl));
    if (outputs_[port].wanted == 0) requested_ &= ~bit(port);
}

/// Step 4 where an input has fewer read ports than there are outputs.
void vl_switch_core::read_limited(pins& to) {
    std::uint64_t inputs = 0;
    std::uint64_t ready[engine::max_ports];
    for (std::uint64_t set = held_; set != 0; set &= set - 1) {
        const unsigned port = lowest(set);
        if (!can_read(outputs_[port])) continue;
        const unsigned input = outputs_[port].lane / params_.vls;
        if ((inputs >> input & 1) == 0) ready[input] = 0;
        inputs |= bit(input);
        ready[input] |= bit(port);
    }
    for (; inputs != 0; inputs &= inputs - 1) {
        const unsigned input = lowest(inputs);
        unsigned pointer = read_pointers_[input];
        for (unsigned served = 0; served < params_.read_ports && ready[input] != 0; ++served) {
            const unsigned port = first_from(ready[input], pointer);
            ready[input] &= ~bit(port);
            pointer = port + 1 == params_.ports ? 0 : port + 1;
            read(port, to);
        }
        read_pointers_[input] = static_cast<std::uint8_t>(pointer);
    }
}

/// A flit of a branch goes through the crossbar into `to`.
void vl_switch_core::read(unsigned port, pins& to) {
    output_port& output = outputs_[port];
    const unsigned lane = output.lane;
    input_lane& input = inputs_[lane];
    const std::size_t slot = std::size_t{lane} * capacity_ + output.slot;
    copy_flit(&to.data[std::size_t{port} * params_.flit_bytes], &data_[slot * params_.flit_bytes], params_.flit_bytes);
    to.valid |= bit(port);
    read_ |= bit(port);
    if (!to.vc.empty()) to.vc[port] = output.vl;
    if (output.index == 0) {
        to.head |= bit(port);
        if (params_.header_free)
            std::memcpy(&to.header[std::size_t{port} * shape_.header_bytes],
                        &headers_[(std::size_t{lane} * params_.chunks + output.slot / params_.chunk_flits) *
                                  shape_.header_bytes],
                        shape_.header_bytes);
    }
    if (output.offset == 0) {
        // A grant needs credits for the longest packet: a held output never waits for one.
        output_lane& to_lane = output_lanes_[port * params_.vls + output.vl];
        assert(to_lane.credits != 0);
        if (--to_lane.credits < reserve_) output.able &= static_cast<std::uint16_t>(~(1u << output.vl));
    }
    const bool tail = tails_[slot] != 0;
    ++output.position;
    ++output.index;
    if (!tail && output.offset + 1 < params_.chunk_flits) {
        ++output.offset;
        ++output.slot;
        return;
    }
    const std::uint32_t chunk = output.slot / params_.chunk_flits;
    output.offset = 0;
    output.slot = chunk + 1 == params_.chunks ? 0 : (chunk + 1) * params_.chunk_flits;
    std::uint8_t& done = done_[std::size_t{lane} * params_.chunks + chunk];
    if (tail) {
        to.tail |= bit(port);
        held_ &= ~bit(port);
        input.branches &= ~bit(port);
        if (!weights_.empty()) weights_[port].end(tables_.weights[port], (output.index * params_.flit_bytes + 63) / 64);
    }
    if (++done < input.readers) return;
    done = 0;
    free_chunk(lane);
    if (tail) finish(lane, output.position, output.slot);
}

/// A packet that goes nowhere leaves the buffer, a flit per cycle.
void vl_switch_core::drain(unsigned lane) {
    input_lane& input = inputs_[lane];
    if (input.drain_position >= input.visible) return;
    const bool tail = tails_[std::size_t{lane} * capacity_ + input.drain_slot] != 0;
    const std::uint32_t chunk = input.drain_slot / params_.chunk_flits;
    const bool ends = tail || (input.drain_slot + 1) % params_.chunk_flits == 0;
    ++input.drain_position;
    input.drain_slot = input.drain_slot + 1 == capacity_ ? 0 : input.drain_slot + 1;
    if (!ends) return;
    free_chunk(lane);
    if (tail) finish(lane, input.drain_position, chunk + 1 == params_.chunks ? 0 : (chunk + 1) * params_.chunk_flits);
}

/// Step 5.
void vl_switch_core::free_chunk(unsigned lane) {
    --inputs_[lane].occupied;
    ++inputs_[lane].owed;
    owing_ |= bit(lane / params_.vls);
}

/// The packet at the front has left, its tail before position `end`; the next one begins at `next_slot`.
void vl_switch_core::finish(unsigned lane, std::uint64_t end, std::uint32_t next_slot) {
    input_lane& input = inputs_[lane];
    input.front_position = (end + params_.chunk_flits - 1) / params_.chunk_flits * params_.chunk_flits;
    input.front_slot = next_slot;
    input.state = phase::none;
    input.branches = 0;
    input.first_decision = input.first_decision + 1 == params_.chunks ? 0 : input.first_decision + 1;
    --input.decisions;
    loading_.push_back(static_cast<std::uint16_t>(lane));
}

/// Step 7: packets that have been at the front for too long.
void vl_switch_core::lose_old(cycle now, pins& out) {
    if (requested_ == 0) return;
    for (unsigned lane = 0; lane < lanes_; ++lane)
        if (inputs_[lane].waiting != 0 && now + 1 >= inputs_[lane].since + tables_.hoq_life) lose(lane, out);
}

void vl_switch_core::lose(unsigned lane, pins& out) {
    input_lane& input = inputs_[lane];
    const std::size_t first = std::size_t{lane} * params_.chunks;
    const std::uint64_t lost = input.waiting;
    const unsigned sl = decisions_[first + input.first_decision].sl;
    for (std::uint64_t set = lost; set != 0; set &= set - 1) {
        const unsigned port = lowest(set);
        raise(port, chip_error::hoq_dropped, out);
        drop_request(lane, port, vl_of(lane / params_.vls, port, sl));
    }
    input.branches &= ~lost;
    input.readers = static_cast<std::uint8_t>(input.readers - std::popcount(lost));
    if (input.readers == 0) {
        input.state = phase::draining;
        input.drain_position = input.front_position;
        input.drain_slot = input.front_slot;
        draining_.push_back(static_cast<std::uint16_t>(lane));
        return;
    }
    // Chunks that those who stay have read, none of which was free as the others had read nothing.
    std::uint32_t chunk = input.front_slot / params_.chunk_flits;
    for (std::uint64_t position = input.front_position;; position += params_.chunk_flits) {
        std::uint8_t& done = done_[first + chunk];
        if (done < input.readers) return;
        done = 0;
        free_chunk(lane);
        const std::uint32_t from = chunk * params_.chunk_flits;
        const std::uint8_t* tails = &tails_[std::size_t{lane} * capacity_ + from];
        chunk = chunk + 1 == params_.chunks ? 0 : chunk + 1;
        if (std::any_of(tails, tails + params_.chunk_flits, [](std::uint8_t tail) { return tail != 0; }))
            return finish(lane, position + 1, chunk * params_.chunk_flits);
    }
}

/// The next packet of a lane comes to the front, if it is routed.
void vl_switch_core::load(unsigned lane, cycle now) {
    input_lane& input = inputs_[lane];
    if (input.state != phase::none || input.decisions == 0) return;
    const decision& where = decisions_[std::size_t{lane} * params_.chunks + input.first_decision];
    input.since = now + 1;
    if (where.ports == 0) {
        input.state = phase::draining;
        input.drain_position = input.front_position;
        input.drain_slot = input.front_slot;
        draining_.push_back(static_cast<std::uint16_t>(lane));
        return;
    }
    input.state = phase::active;
    input.branches = where.ports;
    input.readers = static_cast<std::uint8_t>(std::popcount(where.ports));
    for (std::uint64_t set = where.ports; set != 0; set &= set - 1)
        add_request(lane, lowest(set), vl_of(lane / params_.vls, lowest(set), where.sl));
}

/// One credit of each input that owes some.
void vl_switch_core::repay(pins& out) {
    for (std::uint64_t set = owing_; set != 0; set &= set - 1) {
        const unsigned port = lowest(set);
        const unsigned first = port * params_.vls;
        unsigned vl = credit_pointers_[port];
        while (inputs_[first + vl].owed == 0) vl = vl + 1 == params_.vls ? 0 : vl + 1;
        --inputs_[first + vl].owed;
        credit_pointers_[port] = static_cast<std::uint8_t>(vl + 1 == params_.vls ? 0 : vl + 1);
        out.credit |= bit(port);
        if (!out.credit_vc.empty()) out.credit_vc[port] = static_cast<std::uint8_t>(vl);
        const auto lanes = inputs_.begin() + first;
        if (std::none_of(lanes, lanes + params_.vls, [](const input_lane& input) { return input.owed != 0; }))
            owing_ &= ~bit(port);
    }
}

}  // namespace polycast::hw::chips
