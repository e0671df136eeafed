// SPDX-License-Identifier: Apache-2.0
#include "testbench/equivalence/golden_router.h"

#include <algorithm>
#include <stdexcept>

#include "testbench/equivalence/golden_door.h"

namespace polycast::testbench::equivalence {

using hw::engine::pins;
using hw::format::chip_error;

namespace {

bool pin(std::uint64_t mask, unsigned port) {
    return (mask >> port & 1) != 0;
}

bool contains(const std::vector<unsigned>& list, unsigned value) {
    return std::ranges::find(list, value) != list.end();
}

}  // namespace

golden_router::golden_router(const hw::chips::router_params& params, hw::chips::router_tables tables)
    : params_(params), tables_(std::move(tables)), shape_(params.pin_shape()) {
    reset();
}

void golden_router::reset() {
    cycle_ = 1;
    inputs_.assign(params_.ports, {});
    outputs_.assign(params_.ports, {});
    for (unsigned port = 0; port < params_.ports; ++port) {
        inputs_[port].vcs.assign(params_.vcs, {});
        const unsigned start = 1 + (tables_.seed + 40503 * port) % 65535;
        for (unsigned bit = 0; bit < 16; ++bit) inputs_[port].random.push_back(pin(start, bit));
        outputs_[port].vcs.assign(params_.vcs, {false, 0, 0, tables_.credits[port]});
    }
    crossbar_.assign(params_.xbar_stages, std::vector<wire>(params_.ports));
    quiet_ = true;
}

hw::engine::cycle golden_router::step(hw::engine::cycle now, const pins& in, pins& out) {
    for (unsigned port = 0; port < params_.ports; ++port) write(port, in, out);
    for (unsigned port = 0; port < params_.ports; ++port) {
        for (unsigned vc = 0; vc < params_.vcs; ++vc) route(port, vc, out);
    }
    // What a credit of this cycle may do is decided by the counts before any is spent.
    std::vector<bool> complete(params_.ports, false);
    const auto credit_vc = [&](unsigned port) { return in.credit_vc.empty() ? 0u : unsigned{in.credit_vc[port]}; };
    for (unsigned port = 0; port < params_.ports; ++port) {
        if (!pin(in.credit, port) || credit_vc(port) >= params_.vcs) continue;
        complete[port] = outputs_[port].vcs[credit_vc(port)].credits == tables_.credits[port];
    }
    const bool islip = tables_.allocator == hw::chips::router_allocator::islip;
    const std::vector<choice> choices = islip ? allocate_islip() : allocate_separable();
    std::vector<wire> wires(params_.ports);
    for (unsigned port = 0; port < params_.ports; ++port) read(port, choices[port], wires, out);
    crossbar_.push_back(std::move(wires));

    for (unsigned port = 0; port < params_.ports; ++port) {
        if (pin(in.credit, port)) {
            if (credit_vc(port) >= params_.vcs) {
                raise(port, chip_error::bad_vc, out);
            } else if (complete[port]) {
                raise(port, chip_error::credit_overflow, out);
            } else {
                ++outputs_[port].vcs[credit_vc(port)].credits;
            }
        }
        const wire& leaving = crossbar_.front()[port];
        if (!leaving.valid) continue;
        const std::uint64_t mask = std::uint64_t{1} << port;
        out.valid |= mask;
        if (leaving.head) out.head |= mask;
        if (leaving.tail) out.tail |= mask;
        if (!out.vc.empty()) out.vc[port] = static_cast<std::uint8_t>(leaving.vc);
        std::ranges::copy(leaving.data, out.data.begin() + static_cast<std::ptrdiff_t>(port * shape_.flit_bytes));
        std::ranges::copy(leaving.header, out.header.begin() + static_cast<std::ptrdiff_t>(port * shape_.header_bytes));
    }
    crossbar_.pop_front();
    quiet_ = out.quiet();
    ++cycle_;
    return now + 1;
}

// Section 1 of the page.
void golden_router::write(unsigned port, const pins& in, pins& out) {
    if (!pin(in.valid, port)) return;
    const unsigned vc = in.vc.empty() ? 0 : in.vc[port];
    if (vc >= params_.vcs) {
        raise(port, chip_error::bad_vc, out);
        return;
    }
    input_channel& channel = inputs_[port].vcs[vc];
    if (channel.dead) return;
    bool tail = pin(in.tail, port);
    if (channel.in_packet || channel.discarding) {
        if (pin(in.head, port)) raise(port, chip_error::missing_tail, out);
    } else if (!pin(in.head, port)) {
        raise(port, chip_error::missing_head, out);
        return;
    }
    if (channel.discarding) {
        if (tail) channel.discarding = false;
        return;
    }
    if (channel.occupied == params_.vc_flits) {
        raise(port, chip_error::overflow, out);
        channel.dead = true;
        return;
    }
    ++channel.occupied;
    if (!channel.in_packet) {
        channel.in_packet = true;
        channel.packets.emplace_back();
        const auto first = in.header.begin() + static_cast<std::ptrdiff_t>(port * shape_.header_bytes);
        channel.packets.back().header.assign(first, first + shape_.header_bytes);
    }
    packet& last = channel.packets.back();
    const unsigned number = last.stored() + 1;
    if (number == tables_.packet_limit && !tail) {
        raise(port, chip_error::too_long, out);
        tail = true;
        channel.discarding = true;
    }
    const auto first = in.data.begin() + static_cast<std::ptrdiff_t>(port * shape_.flit_bytes);
    last.flits.push_back({bytes(first, first + shape_.flit_bytes), tail, cycle_});
    if (tail) channel.in_packet = false;
    if (last.complete) return;

    if (!params_.header_free) last.header.insert(last.header.end(), first, first + shape_.flit_bytes);
    last.complete = tail || number == header_flits(last);
    if (!last.complete) return;
    last.routed = cycle_ + tables_.route_delay - 1;
    if (number < header_flits(last)) {
        last.bad = true;
        raise(port, chip_error::short_header, out);
    } else if (params_.max_sources != 0 && is_known(last.header) &&
               !is_let_in(tables_.doors, params_.max_sources, last.header, port)) {
        last.bad = true;
        raise(port, chip_error::bad_source, out);
    }
}

// Section 2: whatever is due in this cycle.
void golden_router::route(unsigned port, unsigned vc, pins& out) {
    for (packet& next : inputs_[port].vcs[vc].packets) {
        if (!next.complete || next.routed != cycle_) continue;
        if (inputs_[port].last_routed == cycle_) throw std::logic_error("two packets of an input are routed at once");
        inputs_[port].last_routed = cycle_;
        if (!next.bad) {
            next.branches = decide(port, next.header, out);
            keep_number(vc, next.branches);
            if (tables_.table && next.branches.size() > 1) choose(port, next.branches);
        }
        next.dropped = next.branches.empty();
    }
}

bool golden_router::routed(const input_channel& channel) const {
    return !channel.packets.empty() && channel.packets.front().complete && channel.packets.front().routed < cycle_;
}

bool golden_router::in_buffer(const packet& front, unsigned number) const {
    return number < front.stored() && front.flits[number - front.gone].written < cycle_;
}

/// A packet's head may take it.
bool golden_router::usable(const output_channel& channel) const {
    return !channel.held && channel.credits >= tables_.reserve;
}

bool golden_router::can_go(const packet& front, const branch& what) const {
    if (what.done || !in_buffer(front, what.next)) return false;
    const output_port& output = outputs_[what.output];
    if (what.vc) return output.vcs[*what.vc].credits != 0;
    for (unsigned vc = 0; vc < params_.vcs; ++vc) {
        if (what.may_use[vc] && usable(output.vcs[vc])) return true;
    }
    return false;
}

/// Of the packet at the front, the branches at the lowest position.
std::vector<unsigned> golden_router::outputs_that_can_go(unsigned input, unsigned vc) const {
    const input_channel& channel = inputs_[input].vcs[vc];
    std::vector<unsigned> outputs;
    if (!routed(channel)) return outputs;
    unsigned lowest = ~0u;
    for (const branch& each : channel.packets.front().branches) {
        if (!can_go(channel.packets.front(), each) || each.next > lowest) continue;
        if (each.next < lowest) outputs.clear();
        lowest = each.next;
        outputs.push_back(each.output);
    }
    return outputs;
}

bool golden_router::drain_can_go(unsigned input, unsigned vc) const {
    const input_channel& channel = inputs_[input].vcs[vc];
    return routed(channel) && channel.packets.front().dropped &&
           in_buffer(channel.packets.front(), channel.packets.front().gone);
}

// Section 3.
std::vector<golden_router::choice> golden_router::allocate_separable() {
    std::vector<choice> choices(params_.ports);
    std::vector<bool> taken(params_.ports, false);
    for (unsigned iteration = 0; iteration < tables_.iterations; ++iteration) {
        std::vector<std::vector<unsigned>> bids(params_.ports);
        for (unsigned input = 0; input < params_.ports; ++input) {
            if (choices[input].any) continue;
            for (unsigned offset = 0; offset < params_.vcs; ++offset) {
                const unsigned vc = (inputs_[input].vc_pointer + offset) % params_.vcs;
                bids[input] = outputs_that_can_go(input, vc);
                std::erase_if(bids[input], [&](unsigned output) { return taken[output]; });
                choices[input].vc = vc;
                choices[input].any = drain_can_go(input, vc);
                if (choices[input].any || !bids[input].empty()) break;
            }
        }
        for (unsigned output = 0; output < params_.ports; ++output) {
            for (unsigned offset = 0; offset < params_.ports; ++offset) {
                const unsigned input = (outputs_[output].input_pointer + offset) % params_.ports;
                if (!contains(bids[input], output)) continue;
                taken[output] = true;
                choices[input].any = true;
                choices[input].outputs.push_back(output);
                if (iteration == 0) outputs_[output].input_pointer = (input + 1) % params_.ports;
                break;
            }
        }
        for (unsigned input = 0; iteration == 0 && input < params_.ports; ++input) {
            if (choices[input].any) inputs_[input].vc_pointer = (choices[input].vc + 1) % params_.vcs;
        }
    }
    return choices;
}

std::vector<golden_router::choice> golden_router::allocate_islip() {
    std::vector<choice> choices(params_.ports);
    std::vector<std::vector<std::vector<unsigned>>> bids(params_.ports);  // [input][vc]
    for (unsigned input = 0; input < params_.ports; ++input) {
        for (unsigned vc = 0; vc < params_.vcs; ++vc) bids[input].push_back(outputs_that_can_go(input, vc));
    }
    for (unsigned input = 0; input < params_.ports; ++input) {
        input_port& port = inputs_[input];
        for (unsigned offset = 0; offset < params_.vcs; ++offset) {
            const unsigned vc = (port.vc_pointer + offset) % params_.vcs;
            if (!bids[input][vc].empty()) break;
            if (!drain_can_go(input, vc)) continue;
            choices[input].any = true;
            choices[input].vc = vc;
            port.vc_pointer = (vc + 1) % params_.vcs;
            break;
        }
    }
    const auto wanted = [&](unsigned input, unsigned output) {
        return std::ranges::any_of(bids[input], [&](const auto& outputs) { return contains(outputs, output); });
    };
    std::vector<bool> taken(params_.ports, false);
    for (unsigned iteration = 0; iteration < tables_.iterations; ++iteration) {
        std::vector<std::vector<unsigned>> offers(params_.ports);  // [input] outputs
        for (unsigned output = 0; output < params_.ports; ++output) {
            if (taken[output]) continue;
            for (unsigned offset = 0; offset < params_.ports; ++offset) {
                const unsigned input = (outputs_[output].input_pointer + offset) % params_.ports;
                if (choices[input].any || !wanted(input, output)) continue;
                offers[input].push_back(output);
                break;
            }
        }
        for (unsigned input = 0; input < params_.ports; ++input) {
            if (offers[input].empty()) continue;
            input_port& port = inputs_[input];
            choice& chosen = choices[input];
            unsigned first = port.accept_pointer;
            while (!contains(offers[input], first)) first = (first + 1) % params_.ports;
            chosen.any = true;
            chosen.vc = port.vc_pointer;
            while (!contains(bids[input][chosen.vc], first)) chosen.vc = (chosen.vc + 1) % params_.vcs;
            for (const unsigned output : offers[input]) {
                if (!contains(bids[input][chosen.vc], output)) continue;
                taken[output] = true;
                chosen.outputs.push_back(output);
                if (iteration == 0) outputs_[output].input_pointer = (input + 1) % params_.ports;
            }
            if (iteration != 0) continue;
            port.accept_pointer = (first + 1) % params_.ports;
            port.vc_pointer = (chosen.vc + 1) % params_.vcs;
        }
    }
    return choices;
}

/// The virtual channel that a head gets.
unsigned golden_router::assign(unsigned input, unsigned input_vc, const branch& what) {
    output_port& output = outputs_[what.output];
    unsigned vc = output.vc_pointer;
    while (!what.may_use[vc] || !usable(output.vcs[vc])) vc = (vc + 1) % params_.vcs;
    output.vc_pointer = (vc + 1) % params_.vcs;
    output.vcs[vc].held = true;
    output.vcs[vc].holder_input = input;
    output.vcs[vc].holder_vc = input_vc;
    return vc;
}

// Sections 4 and 5.
void golden_router::read(unsigned input, const choice& what, std::vector<wire>& wires, pins& out) {
    if (!what.any) return;
    input_channel& channel = inputs_[input].vcs[what.vc];
    packet& front = channel.packets.front();
    for (branch& each : front.branches) {
        if (!contains(what.outputs, each.output)) continue;
        const flit& next = front.flits[each.next - front.gone];
        if (!each.vc) each.vc = assign(input, what.vc, each);
        output_channel& to = outputs_[each.output].vcs[*each.vc];
        --to.credits;
        wires[each.output] = {true, each.next == 0, next.tail, *each.vc, next.data, {}};
        if (each.next == 0 && params_.header_free) wires[each.output].header = front.header;
        ++each.next;
        if (!next.tail) continue;
        each.done = true;
        to.held = false;
        each.vc.reset();
    }
    const bool gone = std::ranges::all_of(front.branches, [&](const branch& each) { return each.next > front.gone; });
    if (!gone) return;
    const bool tail = front.flits.front().tail;
    front.flits.pop_front();
    ++front.gone;
    --channel.occupied;
    if (tail) channel.packets.pop_front();
    out.credit |= std::uint64_t{1} << input;
    if (!out.credit_vc.empty()) out.credit_vc[input] = static_cast<std::uint8_t>(what.vc);
}

bool golden_router::idle() const {
    if (!quiet_) return false;
    for (const input_port& port : inputs_) {
        for (const input_channel& channel : port.vcs) {
            if (channel.occupied != 0 || channel.in_packet || channel.discarding) return false;
        }
    }
    for (const std::vector<wire>& stage : crossbar_) {
        for (const wire& each : stage) {
            if (each.valid) return false;
        }
    }
    return true;
}

void golden_router::probe(hw::engine::chip_probe& probe) const {
    probe.inputs.assign(std::size_t{params_.ports} * params_.vcs, {});
    probe.outputs.assign(std::size_t{params_.ports} * params_.vcs, {});
    for (unsigned port = 0; port < params_.ports; ++port) {
        for (unsigned vc = 0; vc < params_.vcs; ++vc) {
            const input_channel& channel = inputs_[port].vcs[vc];
            hw::engine::chip_probe::input& shown = probe.inputs[port * params_.vcs + vc];
            shown.occupied = static_cast<std::uint16_t>(channel.occupied);
            if (!channel.packets.empty()) {
                const packet& front = channel.packets.front();
                shown.state = !routed(channel) ? 1 : front.dropped ? 3 : 2;
                for (const branch& each : front.branches) {
                    const std::uint64_t mask = routed(channel) ? std::uint64_t{1} << each.output : 0;
                    if (each.vc) shown.reading |= mask;
                    if (!each.vc && !each.done) shown.waiting |= mask;
                }
            }
            const output_channel& held = outputs_[port].vcs[vc];
            probe.outputs[port * params_.vcs + vc] = {
                held.held, static_cast<std::uint8_t>(held.held ? held.holder_input * params_.vcs + held.holder_vc : 0),
                static_cast<std::uint16_t>(held.credits)};
        }
    }
}

void golden_router::raise(unsigned port, chip_error error, pins& out) {
    out.error |= std::uint64_t{1} << port;
    out.errors[port] = static_cast<std::uint16_t>(out.errors[port] | static_cast<std::uint16_t>(error));
}

}  // namespace polycast::testbench::equivalence
