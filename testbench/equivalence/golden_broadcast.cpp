// SPDX-License-Identifier: Apache-2.0
#include "testbench/equivalence/golden_broadcast.h"

#include <algorithm>

namespace polycast::testbench::equivalence {

using hw::chips::broadcast_algorithm;
using hw::chips::broadcast_params;
using hw::chips::broadcast_registers;
using hw::engine::cycle;
using hw::engine::pins;
using hw::format::chip_error;

namespace {

bool has(std::uint64_t set, unsigned port) {
    return (set >> port & 1) != 0;
}

std::uint64_t only(unsigned port) {
    return std::uint64_t{1} << port;
}

/// `count` bits from bit `first` on.
unsigned number_at(const std::vector<std::uint8_t>& bytes, unsigned first, unsigned count) {
    unsigned value = 0;
    for (unsigned bit = 0; bit < count; ++bit)
        if ((bytes[(first + bit) / 8] >> (first + bit) % 8 & 1) != 0) value |= 1u << bit;
    return value;
}

}  // namespace

golden_broadcast::golden_broadcast(const broadcast_params& params, broadcast_registers registers)
    : params_(params),
      registers_(std::move(registers)),
      shape_(params.pin_shape(registers_)),
      host_(2 * params.router.dimensions),
      router_(params.router, registers_.router) {
    reset();
}

void golden_broadcast::reset() {
    router_.reset();
    is_ = {};
    is_.inputs.resize(params_.router.ports);
    is_.outputs.resize(params_.router.ports);
    is_.neighbours.resize(params_.router.ports);
    is_.host_credits = registers_.host_credits;
    quiet_ = true;
}

cycle golden_broadcast::step(cycle now, const pins& in, pins& out) {
    was_ = is_;
    step_router(now, in, out);
    take(in, out);
    send(out);
    drop_due();
    end_round();
    credits(for_unit(host_, in.credit, in.credit_vc), out);
    sides(in, out);
    quiet_ = out.valid == 0 && out.credit == 0 && out.error == 0 && out.events.empty();
    return now + 1;
}

bool golden_broadcast::for_unit(unsigned port, std::uint64_t set, const bytes& vcs) const {
    return has(set, port) && vcs[port] == params_.router.vcs;
}

/// Step 1, and what the router says.
void golden_broadcast::step_router(cycle now, const pins& in, pins& out) {
    pins its = in;
    for (unsigned port = 0; port < params_.router.ports; ++port) {
        if (for_unit(port, in.valid, in.vc)) {
            its.valid &= ~only(port);
            its.head &= ~only(port);
            its.tail &= ~only(port);
        }
        if (for_unit(port, in.credit, in.credit_vc)) its.credit &= ~only(port);
    }
    router_.step(now, its, out);
}

bool golden_broadcast::is_ours(unsigned port) const {
    return port != host_ && has(registers_.open, port) && has(registers_.dims, registers_.dimension[port]);
}

bool golden_broadcast::is_network(unsigned port) const {
    return port < host_ || (port > host_ && has(registers_.open, port));
}

void golden_broadcast::raise(unsigned port, chip_error error, pins& out) const {
    out.error |= only(port);
    out.errors[port] = static_cast<std::uint16_t>(out.errors[port] | static_cast<unsigned>(error));
}

/// Step 2: inputs in the order of ports.
void golden_broadcast::take(const pins& in, pins& out) {
    for (unsigned port = 0; port < params_.router.ports; ++port) {
        const bool arrives = for_unit(port, in.valid, in.vc);
        if (port == host_ && !was_.buffer.empty()) {
            const flit first = was_.buffer.front();
            const unsigned later = first.head ? ahead(read(first).round) : 0;
            const bool waits = first.head && read(first).kind == 5 && later >= 1 && later <= 7;
            if (!waits) {
                is_.buffer.pop_front();
                ++is_.waiting_credits;
                go_on(port, first, out);
            }
        }
        if (!arrives) continue;
        if (port != host_ && !is_network(port)) {
            raise(port, chip_error::bad_vc, out);
            continue;
        }
        flit what;
        what.head = has(in.head, port);
        what.tail = has(in.tail, port);
        const auto data = in.data.begin() + static_cast<std::ptrdiff_t>(port * shape_.flit_bytes);
        what.data.assign(data, data + shape_.flit_bytes);
        const auto header = in.header.begin() + static_cast<std::ptrdiff_t>(port * shape_.header_bytes);
        what.header.assign(header, header + shape_.header_bytes);
        const bool room = port != host_ || was_.buffer.size() < params_.inject_flits;
        if (!framed(port, what, room, out)) continue;
        if (port == host_) {
            is_.buffer.push_back(what);
        } else {
            go_on(port, what, out);
        }
    }
}

/// Step 1 of router.md. \returns false for a flit that is dropped; head and tail as it is stored
bool golden_broadcast::framed(unsigned port, flit& what, bool room, pins& out) {
    input& from = is_.inputs[port];
    if (from.dead) return false;
    const bool inside = from.in_packet || from.discarding;
    if (inside && what.head) raise(port, chip_error::missing_tail, out);
    if (!inside && !what.head) {
        raise(port, chip_error::missing_head, out);
        return false;
    }
    if (from.discarding) {
        if (what.tail) from.discarding = false;
        return false;
    }
    if (!room) {
        from.dead = true;
        raise(port, chip_error::overflow, out);
        return false;
    }
    what.head = !from.in_packet;
    from.flits = what.head ? 1 : from.flits + 1;
    from.in_packet = true;
    if (!what.tail && from.flits == params_.slot_flits) {
        raise(port, chip_error::too_long, out);
        what.tail = true;
        from.discarding = true;
    }
    if (what.tail) from.in_packet = false;
    return true;
}

golden_broadcast::fields golden_broadcast::read(const flit& head) const {
    const bytes& from = params_.router.header_free ? head.header : head.data;
    return {number_at(from, 0, 4),  number_at(from, 8, 24), number_at(from, 80, 8),
            number_at(from, 88, 8), number_at(from, 96, 4), number_at(from, 100, 4)};
}

/// A flit that goes into its slot, or nowhere.
void golden_broadcast::go_on(unsigned port, const flit& what, pins& out) {
    input& from = is_.inputs[port];
    if (what.head) head(port, read(what), out);
    if (from.slot) is_.slots[*from.slot].flits.push_back(what);
    if (!what.tail) return;
    if (from.slot) {
        packet& whole = is_.slots[*from.slot];
        whole.complete = true;
        is_.order.push_back(*from.slot);
        for (const unsigned target : whole.ports) is_.outputs[target].due.insert(*from.slot);
    }
    from.taking = false;
    from.slot.reset();
}

void golden_broadcast::head(unsigned port, const fields& header, pins& out) {
    is_.inputs[port].taking = true;
    const unsigned event = event_of(header);
    if (event != 0) {
        out.events.push_back({static_cast<std::uint8_t>(port), static_cast<std::uint8_t>(event), 0, header.packet, 0});
        if (event == 1 && is_ours(port)) {
            is_.slots[header.packet].ports.erase(port);
            is_.outputs[port].due.erase(header.packet);
        }
        return;
    }
    is_.source = header.source;
    is_.last = header.last;
    is_.inputs[port].slot = header.packet;
    packet& taken = is_.slots[header.packet];
    for (unsigned to = 0; to < params_.router.ports; ++to)
        if (is_ours(to) && to != port && rule(to, header.colour, place_of(header.source))) taken.ports.insert(to);
    if (header.source != registers_.router.node && registers_.host_credits != 0) taken.ports.insert(host_);
}

/// Code of the event of a head; 0: it is accepted.
unsigned golden_broadcast::event_of(const fields& header) const {
    const bool trees = registers_.algorithm == broadcast_algorithm::trees;
    if (header.kind != 5) return 3;
    if (!in_community(header.source)) return 3;
    if (header.last >= params_.slots || header.packet > header.last) return 3;
    if (header.colour >= params_.router.dimensions * (trees ? 2 : 1)) return 3;
    if (!has(registers_.dims, trees ? header.colour / 2 : header.colour)) return 3;
    const unsigned later = ahead(header.round);
    if (later >= 8) return 2;
    if (later >= 1) return 4;
    if (is_.source && (*is_.source != header.source || is_.last != header.last)) return 5;
    return is_.slots.contains(header.packet) ? 1 : 0;
}

golden_broadcast::place golden_broadcast::place_of(std::uint32_t node) const {
    place found;
    for (unsigned d = 0; d < params_.router.dimensions; ++d) {
        found.push_back(node % params_.router.radix);
        node /= params_.router.radix;
    }
    return found;
}

bool golden_broadcast::in_community(std::uint32_t node) const {
    std::uint64_t nodes = 1;
    for (unsigned d = 0; d < params_.router.dimensions; ++d) nodes *= params_.router.radix;
    if (node >= nodes) return false;
    const place theirs = place_of(node);
    const place own = place_of(registers_.router.node);
    for (unsigned d = 0; d < theirs.size(); ++d)
        if (theirs[d] != own[d] && !has(registers_.dims, d)) return false;
    return true;
}

/// Does this node, u, send packets of the colour to its neighbour v at the port?
bool golden_broadcast::rule(unsigned port, unsigned colour, const place& source) const {
    if (registers_.algorithm == broadcast_algorithm::trees) return tree_rule(port, colour, source);
    const unsigned d = params_.router.dimensions;
    const unsigned j = registers_.dimension[port];
    const place u = place_of(registers_.router.node);
    if (u == source) return j == colour;
    if (u[colour] == source[colour]) return false;
    unsigned last = 0;
    for (unsigned r = 0; r < d; ++r)
        if (u[(colour + r) % d] != source[(colour + r) % d]) last = r;
    if ((j + d - colour) % d >= last) return true;
    return j == colour && registers_.there[port] == source[colour];
}

/// Is this node the parent of its neighbour v?
bool golden_broadcast::tree_rule(unsigned port, unsigned tree, const place& source) const {
    if (port > host_) return false;
    const unsigned d = params_.router.dimensions;
    const unsigned first = tree / 2;
    const bool plus = tree % 2 == 0;
    const bool goes_up = port % 2 == 0;
    const unsigned j = port / 2;
    place v = place_of(registers_.router.node);
    v[j] = registers_.there[port];
    if (v == source) return false;
    if (v[first] == source[first]) return j == first && goes_up != plus;
    unsigned last = first;
    for (unsigned r = 0; r < d; ++r)
        if (v[(first + r) % d] != source[(first + r) % d]) last = (first + r) % d;
    return j == last && goes_up == plus;
}

bool golden_broadcast::whole(const state& which) const {
    if (!which.source || which.slots.size() != which.last + 1) return false;
    return std::ranges::all_of(which.slots, [](const auto& slot) { return slot.second.complete; });
}

/// Step 3.
void golden_broadcast::send(pins& out) {
    for (unsigned port = 0; port < params_.router.ports; ++port) {
        if (has(out.valid, port) || (port == host_ && was_.host_credits == 0)) continue;
        if (was_.outputs[port].leaving) {
            put(port, was_.outputs[port].leaving->slot, was_.outputs[port].leaving->next, out);
        } else if (const std::optional<unsigned> slot = chosen(port)) {
            is_.outputs[port].due.erase(*slot);
            put(port, *slot, 0, out);
        }
    }
}

std::optional<unsigned> golden_broadcast::chosen(unsigned port) const {
    const bool at_source = was_.source == registers_.router.node;
    if (at_source && !whole(was_)) return std::nullopt;
    if (port != host_ && !sees(port, was_.round)) return std::nullopt;
    std::deque<unsigned> order = was_.order;
    if (has(at_source ? registers_.reverse : registers_.relay_reverse, port)) std::ranges::reverse(order);
    for (const unsigned slot : order) {
        if (!was_.outputs[port].due.contains(slot)) continue;
        if (port != host_ && registers_.maps && was_.neighbours[port].have.contains(slot)) continue;
        return slot;
    }
    return std::nullopt;
}

void golden_broadcast::put(unsigned port, unsigned slot, unsigned number, pins& out) {
    const flit& what = was_.slots.at(slot).flits.at(number);
    out.valid |= only(port);
    if (what.head) out.head |= only(port);
    if (what.tail) out.tail |= only(port);
    out.vc[port] = static_cast<std::uint8_t>(params_.router.vcs);
    std::ranges::copy(what.data, out.data.begin() + static_cast<std::ptrdiff_t>(port * shape_.flit_bytes));
    if (what.head)
        std::ranges::copy(what.header, out.header.begin() + static_cast<std::ptrdiff_t>(port * shape_.header_bytes));
    if (port == host_) --is_.host_credits;
    is_.outputs[port].leaving.reset();
    if (!what.tail) is_.outputs[port].leaving = {slot, number + 1};
}

/// Step 4.
void golden_broadcast::drop_due() {
    for (unsigned port = 0; port < params_.router.ports; ++port) {
        if (!is_ours(port)) continue;
        for (const unsigned slot : was_.outputs[port].due) {
            const bool had = registers_.maps && sees(port, was_.round) && was_.neighbours[port].have.contains(slot);
            if (had || sees(port, was_.round + 1)) is_.outputs[port].due.erase(slot);
        }
    }
}

/// Step 6.
void golden_broadcast::end_round() {
    if (!whole(was_)) return;
    for (unsigned port = 0; port < params_.router.ports; ++port) {
        if (!was_.outputs[port].due.empty() || was_.outputs[port].leaving) return;
        if (is_ours(port) && !sees(port, was_.round) && !sees(port, was_.round + 1)) return;
    }
    is_.round = (was_.round + 1) % 16;
    is_.slots.clear();
    is_.order.clear();
    for (output& each : is_.outputs) each.due.clear();
    is_.source.reset();
}

/// Step 7.
void golden_broadcast::credits(bool credit, pins& out) {
    if (credit && was_.host_credits == registers_.host_credits) {
        raise(host_, chip_error::credit_overflow, out);
    } else if (credit) {
        ++is_.host_credits;
    }
    if (has(out.credit, host_) || is_.waiting_credits == 0) return;
    --is_.waiting_credits;
    out.credit |= only(host_);
    out.credit_vc[host_] = static_cast<std::uint8_t>(params_.router.vcs);
}

/// Step 5.
void golden_broadcast::sides(const pins& in, pins& out) {
    for (unsigned port = 0; port < params_.router.ports; ++port) {
        if (!has(in.side, port)) continue;
        is_.neighbours[port].round = in.sides[port].round;
        is_.neighbours[port].have.clear();
        for (unsigned slot = 0; slot < 64; ++slot)
            if ((in.sides[port].have >> slot & 1) != 0) is_.neighbours[port].have.insert(slot);
    }
    const auto shown = [](const state& which) {
        hw::engine::side_state wires{0, static_cast<std::uint8_t>(which.round % 4)};
        for (const auto& slot : which.slots) wires.have |= std::uint64_t{1} << slot.first;
        return wires;
    };
    if (shown(is_) == shown(was_)) return;
    for (unsigned port = 0; port < params_.router.ports; ++port) {
        if (!has(registers_.open, port)) continue;
        out.side |= only(port);
        out.sides[port] = shown(is_);
    }
}

bool golden_broadcast::idle() const {
    if (!quiet_ || !router_.idle()) return false;
    if (!is_.slots.empty() || !is_.buffer.empty() || is_.waiting_credits != 0) return false;
    const auto busy = [](const input& each) { return each.in_packet || each.discarding || each.taking; };
    const auto leaving = [](const output& each) { return each.leaving.has_value(); };
    return std::ranges::none_of(is_.inputs, busy) && std::ranges::none_of(is_.outputs, leaving);
}

void golden_broadcast::probe(hw::engine::chip_probe& probe) const {
    hw::engine::chip_probe routers;
    router_.probe(routers);
    probe.inputs.clear();
    probe.outputs.clear();
    const unsigned vcs = params_.router.vcs;
    for (unsigned port = 0; port < params_.router.ports; ++port) {
        for (unsigned vc = 0; vc < vcs; ++vc) {
            probe.inputs.push_back(routers.inputs[port * vcs + vc]);
            hw::engine::chip_probe::output its = routers.outputs[port * vcs + vc];
            if (its.held) its.holder = static_cast<std::uint8_t>(its.holder / vcs * (vcs + 1) + its.holder % vcs);
            probe.outputs.push_back(its);
        }
        hw::engine::chip_probe::input in;
        if (port == host_) in.occupied = static_cast<std::uint16_t>(is_.buffer.size());
        if (is_.inputs[port].taking) in.state = is_.inputs[port].slot ? 1 : 2;
        probe.inputs.push_back(in);
        hw::engine::chip_probe::output ours;
        ours.held = is_.outputs[port].leaving.has_value();
        ours.credits = static_cast<std::uint16_t>(is_.outputs[port].due.size());
        probe.outputs.push_back(ours);
    }
}

}  // namespace polycast::testbench::equivalence
