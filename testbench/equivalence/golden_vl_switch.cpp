// SPDX-License-Identifier: Apache-2.0
#include "testbench/equivalence/golden_vl_switch.h"

#include <algorithm>
#include <stdexcept>

#include "testbench/equivalence/golden_door.h"

namespace polycast::testbench::equivalence {

using hw::engine::pins;
using hw::format::chip_error;

namespace {

constexpr unsigned lid_kind = 6;
constexpr unsigned header_bits = 80 + 16 + 4 + 4;
constexpr unsigned dlid_byte = 10;
constexpr unsigned sl_byte = 12;
constexpr unsigned first_multicast = 0xc000;
constexpr unsigned no_port = 255;
constexpr unsigned no_lane = 15;

bool pin(std::uint64_t mask, unsigned port) {
    return (mask >> port & 1) != 0;
}

}  // namespace

golden_vl_switch::golden_vl_switch(const hw::chips::vl_switch_params& params, hw::chips::vl_switch_tables tables)
    : params_(params), tables_(std::move(tables)), shape_(params.pin_shape()), lanes_(params.ports * params.vls) {
    reset();
}

void golden_vl_switch::reset() {
    cycle_ = 1;
    inputs_.assign(params_.ports, {});
    outputs_.assign(params_.ports, {});
    for (unsigned port = 0; port < params_.ports; ++port) {
        inputs_[port].lanes.assign(params_.vls, {});
        output_port& output = outputs_[port];
        for (unsigned vl = 0; vl < params_.vls; ++vl)
            output.lanes.push_back({tables_.credits[port * params_.vls + vl], 0});
        if (tables_.policy != hw::chips::vl_policy::weighted) continue;
        output.high.left = tables_.weights[port].high[0].weight;
        output.low.left = tables_.weights[port].low[0].weight;
        output.budget = std::max(1, tables_.weights[port].high_limit * 64);
    }
    crossbar_.assign(params_.xbar_stages, std::vector<wire>(params_.ports));
    xmit_wait_ = 0;
    quiet_ = true;
}

hw::engine::cycle golden_vl_switch::step(hw::engine::cycle now, const pins& in, pins& out) {
    for (unsigned port = 0; port < params_.ports; ++port) write(port, in, out);
    for (unsigned port = 0; port < params_.ports; ++port) route(port, out);
    // What a credit of this cycle may do is decided by the counts before any is spent.
    const auto credit_vl = [&](unsigned port) { return in.credit_vc.empty() ? 0u : unsigned{in.credit_vc[port]}; };
    std::vector<bool> complete(params_.ports, false);
    std::vector<bool> waits(params_.ports, false);
    for (unsigned port = 0; port < params_.ports; ++port) {
        waits[port] = wants_to_send(port);
        const unsigned vl = credit_vl(port);
        if (!pin(in.credit, port) || vl >= params_.vls) continue;
        complete[port] = outputs_[port].lanes[vl].credits == tables_.credits[port * params_.vls + vl];
    }
    for (unsigned port = 0; port < params_.ports; ++port) arbitrate(port);
    std::vector<wire> wires(params_.ports);
    for (unsigned port = 0; port < params_.ports; ++port) read(port, wires);
    for (unsigned number = 0; number < lanes_; ++number) {
        drain(lane(number));
        lose(lane(number), out);
        free(lane(number));
    }
    xmit_wait_ = 0;
    for (unsigned port = 0; port < params_.ports; ++port) {
        repay(port, out);
        if (waits[port] && !wires[port].valid) xmit_wait_ |= std::uint64_t{1} << port;
    }
    crossbar_.push_back(std::move(wires));

    for (unsigned port = 0; port < params_.ports; ++port) {
        if (pin(in.credit, port)) {
            if (credit_vl(port) >= params_.vls) {
                raise(port, chip_error::bad_vc, out);
            } else if (complete[port]) {
                raise(port, chip_error::credit_overflow, out);
            } else {
                ++outputs_[port].lanes[credit_vl(port)].credits;
            }
        }
        const wire& leaving = crossbar_.front()[port];
        if (!leaving.valid) continue;
        const std::uint64_t mask = std::uint64_t{1} << port;
        out.valid |= mask;
        if (leaving.head) out.head |= mask;
        if (leaving.tail) out.tail |= mask;
        if (!out.vc.empty()) out.vc[port] = static_cast<std::uint8_t>(leaving.vl);
        std::ranges::copy(leaving.data, out.data.begin() + static_cast<std::ptrdiff_t>(port * shape_.flit_bytes));
        std::ranges::copy(leaving.header, out.header.begin() + static_cast<std::ptrdiff_t>(port * shape_.header_bytes));
    }
    crossbar_.pop_front();
    quiet_ = out.quiet();
    ++cycle_;
    return now + 1;
}

// Section 1 of the page.
void golden_vl_switch::write(unsigned port, const pins& in, pins& out) {
    if (!pin(in.valid, port)) return;
    const unsigned vl = in.vc.empty() ? 0 : in.vc[port];
    if (vl >= params_.vls) {
        raise(port, chip_error::bad_vc, out);
        return;
    }
    input_lane& to = inputs_[port].lanes[vl];
    if (to.dead) return;
    bool tail = pin(in.tail, port);
    if (to.in_packet || to.discarding) {
        if (pin(in.head, port)) raise(port, chip_error::missing_tail, out);
    } else if (!pin(in.head, port)) {
        raise(port, chip_error::missing_head, out);
        return;
    }
    if (to.discarding) {
        if (tail) to.discarding = false;
        return;
    }
    const std::size_t stored_before = to.in_packet ? to.packets.back().flits.size() : 0;
    if (stored_before % params_.chunk_flits == 0) {
        if (to.occupied >= tables_.vl_chunks[port * params_.vls + vl]) {
            raise(port, chip_error::overflow, out);
            to.dead = true;
            return;
        }
        ++to.occupied;
    }
    if (!to.in_packet) {
        to.in_packet = true;
        to.packets.emplace_back();
        const auto first = in.header.begin() + static_cast<std::ptrdiff_t>(port * shape_.header_bytes);
        to.packets.back().header.assign(first, first + shape_.header_bytes);
    }
    packet& last = to.packets.back();
    const std::size_t number = stored_before + 1;
    if (number == tables_.packet_limit && !tail) {
        raise(port, chip_error::too_long, out);
        tail = true;
        to.discarding = true;
    }
    const auto first = in.data.begin() + static_cast<std::ptrdiff_t>(port * shape_.flit_bytes);
    last.flits.push_back({bytes(first, first + shape_.flit_bytes), tail, cycle_});
    if (tail) to.in_packet = false;
    if (last.complete) return;

    if (!params_.header_free) last.header.insert(last.header.end(), first, first + shape_.flit_bytes);
    last.complete = tail || number == header_flits(last);
    if (!last.complete) return;
    last.routed = cycle_ + tables_.route_delay - 1;
    if (number < header_flits(last)) {
        last.bad = true;
        raise(port, chip_error::short_header, out);
    } else if (params_.max_sources != 0 && last.header[0] % 16 == lid_kind &&
               !is_let_in(tables_.doors, params_.max_sources, last.header, port)) {
        last.bad = true;
        raise(port, chip_error::bad_source, out);
    }
}

unsigned golden_vl_switch::header_flits(const packet& last) const {
    if (params_.header_free || last.header[0] % 16 != lid_kind) return 1;
    return (header_bits + 8 * params_.flit_bytes - 1) / (8 * params_.flit_bytes);
}

// Section 2: whatever is due in this cycle.
void golden_vl_switch::route(unsigned port, pins& out) {
    unsigned looked_up = 0;
    for (input_lane& each : inputs_[port].lanes) {
        for (packet& next : each.packets) {
            if (!next.complete || next.routed != cycle_) continue;
            if (++looked_up > 1) throw std::logic_error("two packets of an input are routed at once");
            if (!next.bad) next.branches = decide(port, next.header, out);
        }
        // At the front in the next cycle. Packets before have left in an earlier cycle, or free() does this.
        if (!each.packets.empty() && each.packets.front().complete && each.packets.front().routed == cycle_)
            each.packets.front().front = cycle_ + 1;
    }
}

bool golden_vl_switch::exists(unsigned port, unsigned vl) const {
    return vl < params_.vls && vl != no_lane && tables_.credits[port * params_.vls + vl] != 0;
}

bool golden_vl_switch::open(unsigned port) const {
    for (unsigned vl = 0; vl < params_.vls; ++vl) {
        if (exists(port, vl)) return false;
    }
    return true;
}

std::vector<golden_vl_switch::branch> golden_vl_switch::decide(unsigned port, const bytes& header, pins& out) const {
    std::vector<unsigned> outputs;
    if (header[0] % 16 != lid_kind) {
        raise(port, chip_error::bad_kind, out);
        return {};
    }
    const unsigned dlid = header[dlid_byte] + 256u * header[dlid_byte + 1];
    const unsigned sl = header[sl_byte] % 16;
    if (dlid < first_multicast) {
        const unsigned q = dlid == 0 || dlid >= tables_.lft.size() ? no_port : tables_.lft[dlid];
        if (q == 0 || q > params_.ports || open(q - 1)) {
            raise(port, chip_error::no_route, out);
        } else if (q - 1 == port) {
            raise(port, chip_error::looping, out);
        } else {
            outputs.push_back(q - 1);
        }
    } else {
        const unsigned group = dlid - first_multicast;
        const std::uint64_t mask = group < tables_.mft.size() ? tables_.mft[group] : 0;
        bool any = false;
        for (unsigned output = 0; output < params_.ports; ++output) {
            if (!pin(mask, output)) continue;
            any = true;
            if (output == port) continue;
            if (open(output)) {
                raise(port, chip_error::partial_route, out);
            } else {
                outputs.push_back(output);
            }
        }
        if (!any) raise(port, chip_error::no_route, out);
    }
    std::vector<branch> branches;
    for (const unsigned output : outputs) {
        const unsigned vl = (*tables_.sl2vl)[port * params_.ports + output] >> 4 * sl & 15;
        if (exists(output, vl)) {
            branches.push_back({output, vl, false, 0, false});
        } else {
            raise(port, chip_error::vl_dropped, out);
        }
    }
    return branches;
}

bool golden_vl_switch::at_front(const input_lane& which) const {
    return !which.packets.empty() && which.packets.front().front != 0 && which.packets.front().front <= cycle_;
}

bool golden_vl_switch::in_buffer(const packet& front, unsigned number) const {
    return number < front.flits.size() && front.flits[number].written < cycle_;
}

/// Of the packet at the front of an input lane.
golden_vl_switch::branch* golden_vl_switch::branch_to(unsigned number, unsigned output) {
    if (!at_front(lane(number))) return nullptr;
    for (branch& each : lane(number).packets.front().branches) {
        if (each.output == output && !each.done) return &each;
    }
    return nullptr;
}

/// Input lanes.
std::vector<unsigned> golden_vl_switch::candidates(unsigned output, unsigned vl) {
    std::vector<unsigned> found;
    const unsigned needed = (tables_.packet_limit + params_.chunk_flits - 1) / params_.chunk_flits;
    for (unsigned number = 0; number < lanes_; ++number) {
        const branch* each = branch_to(number, output);
        if (each != nullptr && !each->granted && each->vl == vl && outputs_[output].lanes[vl].credits >= needed)
            found.push_back(number);
    }
    return found;
}

// Section 3.
void golden_vl_switch::arbitrate(unsigned number) {
    output_port& output = outputs_[number];
    if (output.held) return;
    std::vector<bool> possible(16, false);
    for (unsigned vl = 0; vl < params_.vls; ++vl) possible[vl] = !candidates(number, vl).empty();
    const bool weighted = tables_.policy == hw::chips::vl_policy::weighted;
    unsigned vl = 0;
    if (!(weighted ? choose_weighted(number, possible, vl) : choose_vl(number, possible, vl))) return;

    const std::vector<unsigned> all = candidates(number, vl);
    unsigned winner = all.front();
    if (tables_.arbitration == hw::format::arbitration::round_robin) {
        unsigned& pointer = output.lanes[vl].pointer;
        const auto behind = std::ranges::find_if(all, [&](unsigned each) { return each >= pointer; });
        if (behind != all.end()) winner = *behind;
        pointer = (winner + 1) % lanes_;
    }
    branch_to(winner, number)->granted = true;
    output.held = true;
    output.holder = winner;
    output.vl = vl;
}

bool golden_vl_switch::choose_vl(unsigned number, const std::vector<bool>& possible, unsigned& vl) {
    unsigned& pointer = outputs_[number].vl_pointer;
    for (unsigned offset = 0; offset < params_.vls; ++offset) {
        vl = (pointer + offset) % params_.vls;
        if (!possible[vl]) continue;
        pointer = (vl + 1) % params_.vls;
        return true;
    }
    return false;
}

bool golden_vl_switch::choose_weighted(unsigned number, const std::vector<bool>& possible, unsigned& vl) {
    output_port& output = outputs_[number];
    const hw::chips::vl_weights& weights = tables_.weights[number];
    constexpr unsigned none = 64;
    const auto offer = [&](const auto& table, const turns& now) {
        const unsigned first = now.left > 0 ? 0 : 1;
        for (unsigned offset = first; offset < first + 64; ++offset) {
            const auto& entry = table[(now.entry + offset) % 64];
            if (entry.weight != 0 && possible[entry.vl % 16]) return (now.entry + offset) % 64;
        }
        return none;
    };
    const unsigned high = offer(weights.high, output.high);
    const unsigned low = offer(weights.low, output.low);
    if (high == none && low == none) return false;
    output.by_high = high != none && (output.budget > 0 || weights.high_limit == 255 || low == none);
    turns& now = output.by_high ? output.high : output.low;
    const unsigned taken = output.by_high ? high : low;
    const auto& entry = (output.by_high ? weights.high : weights.low)[taken];
    if (taken != now.entry || now.left <= 0) now = {taken, entry.weight};
    vl = entry.vl;
    return true;
}

/// With the tail of a packet that had so many flits.
void golden_vl_switch::account(unsigned number, std::size_t flits) {
    if (tables_.policy != hw::chips::vl_policy::weighted) return;
    output_port& output = outputs_[number];
    const int used = static_cast<int>((flits * params_.flit_bytes + 63) / 64);
    (output.by_high ? output.high : output.low).left -= used;
    if (output.by_high) {
        output.budget -= used;
    } else {
        output.budget = std::max(1, tables_.weights[number].high_limit * 64);
    }
}

/// A packet at the front waits for the output, or one that holds it has a flit.
bool golden_vl_switch::wants_to_send(unsigned output) {
    for (unsigned number = 0; number < lanes_; ++number) {
        const branch* each = branch_to(number, output);
        if (each != nullptr && (!each->granted || in_buffer(lane(number).packets.front(), each->next))) return true;
    }
    return false;
}

// Section 4.
void golden_vl_switch::read(unsigned port, std::vector<wire>& wires) {
    unsigned& pointer = inputs_[port].read_pointer;
    const unsigned first = params_.read_ports == params_.ports ? 0 : pointer;
    unsigned served = 0;
    for (unsigned offset = 0; offset < params_.ports && served < params_.read_ports; ++offset) {
        const unsigned number = (first + offset) % params_.ports;
        const output_port& output = outputs_[number];
        if (!output.held || output.holder / params_.vls != port) continue;
        branch& each = *branch_to(output.holder, number);
        if (!in_buffer(lane(output.holder).packets.front(), each.next)) continue;
        read(output.holder, each, wires[number]);
        ++served;
        pointer = (number + 1) % params_.ports;
    }
}

void golden_vl_switch::read(unsigned number, branch& what, wire& to) {
    const packet& front = lane(number).packets.front();
    output_port& output = outputs_[what.output];
    const flit& next = front.flits[what.next];
    if (what.next % params_.chunk_flits == 0) {
        if (output.lanes[what.vl].credits == 0) throw std::logic_error("a held output waits for a credit");
        --output.lanes[what.vl].credits;
    }
    to.valid = true;
    to.head = what.next == 0;
    to.tail = next.tail;
    to.vl = what.vl;
    to.data = next.data;
    if (to.head && params_.header_free) to.header = front.header;
    ++what.next;
    if (!next.tail) return;
    what.done = true;
    output.held = false;
    account(what.output, front.flits.size());
}

void golden_vl_switch::drain(input_lane& which) {
    if (!at_front(which) || !which.packets.front().branches.empty()) return;
    packet& front = which.packets.front();
    if (in_buffer(front, front.drained)) ++front.drained;
}

// Section 7.
void golden_vl_switch::lose(input_lane& which, pins& out) {
    if (tables_.hoq_life == 0 || !at_front(which)) return;
    packet& front = which.packets.front();
    if (cycle_ - front.front + 1 < tables_.hoq_life) return;
    std::erase_if(front.branches, [&](const branch& each) {
        if (!each.granted) raise(each.output, chip_error::hoq_dropped, out);
        return !each.granted;
    });
}

// Section 5.
void golden_vl_switch::free(input_lane& which) {
    if (!at_front(which)) return;
    packet& front = which.packets.front();
    // Flits that all who read the packet have read.
    unsigned read = front.branches.empty() ? front.drained : ~0u;
    for (const branch& each : front.branches) read = std::min(read, each.next);
    const bool gone = read == front.flits.size() && front.flits.back().tail;
    const unsigned chunks = (gone ? read + params_.chunk_flits - 1 : read) / params_.chunk_flits;
    which.occupied -= chunks - front.freed;
    which.owed += chunks - front.freed;
    front.freed = chunks;
    if (!gone) return;
    which.packets.pop_front();
    if (!which.packets.empty() && which.packets.front().complete && which.packets.front().routed <= cycle_)
        which.packets.front().front = cycle_ + 1;
}

void golden_vl_switch::repay(unsigned port, pins& out) {
    unsigned& pointer = inputs_[port].credit_pointer;
    for (unsigned offset = 0; offset < params_.vls; ++offset) {
        const unsigned vl = (pointer + offset) % params_.vls;
        if (inputs_[port].lanes[vl].owed == 0) continue;
        --inputs_[port].lanes[vl].owed;
        out.credit |= std::uint64_t{1} << port;
        if (!out.credit_vc.empty()) out.credit_vc[port] = static_cast<std::uint8_t>(vl);
        pointer = (vl + 1) % params_.vls;
        return;
    }
}

bool golden_vl_switch::idle() const {
    for (const input_port& port : inputs_) {
        for (const input_lane& each : port.lanes) {
            if (each.occupied != 0 || each.in_packet || each.discarding || each.owed != 0) return false;
        }
    }
    for (const auto& stage : crossbar_) {
        if (std::ranges::any_of(stage, &wire::valid)) return false;
    }
    return quiet_;
}

void golden_vl_switch::probe(hw::engine::chip_probe& probe) const {
    probe.inputs.assign(lanes_, {});
    probe.outputs.assign(lanes_, {});
    for (unsigned number = 0; number < lanes_; ++number) {
        const unsigned port = number / params_.vls;
        const unsigned vl = number % params_.vls;
        const input_lane& from = inputs_[port].lanes[vl];
        auto& input = probe.inputs[number];
        input.occupied = static_cast<std::uint16_t>(from.occupied);
        if (!from.packets.empty()) input.state = 1;
        if (at_front(from)) input.state = from.packets.front().branches.empty() ? 3 : 2;
        if (input.state == 2) {
            for (const branch& each : from.packets.front().branches) {
                if (!each.granted) input.waiting |= std::uint64_t{1} << each.output;
                if (each.granted && !each.done) input.reading |= std::uint64_t{1} << each.output;
            }
        }
        auto& output = probe.outputs[number];
        output.held = outputs_[port].held && outputs_[port].vl == vl;
        if (output.held) output.holder = static_cast<std::uint8_t>(outputs_[port].holder / params_.vls);
        output.credits = static_cast<std::uint16_t>(outputs_[port].lanes[vl].credits);
    }
}

void golden_vl_switch::raise(unsigned port, chip_error error, pins& out) {
    out.error |= std::uint64_t{1} << port;
    out.errors[port] = static_cast<std::uint16_t>(out.errors[port] | static_cast<unsigned>(error));
}

}  // namespace polycast::testbench::equivalence
