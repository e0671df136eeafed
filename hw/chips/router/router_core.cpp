// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/router/router_core.h"

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

/// Bytes of the longest header that a router reads.
constexpr unsigned longest_header = std::max(format::unicast_header_bytes, format::broadcast_header_bytes);
static_assert(format::source_field.bits >= format::destination_field.bits);

constexpr limits check("router", "hw/chips/router/router.md");

router_tables checked(const router_params& p, router_tables t) {
    check.within(t.route_delay, 1, 15, "cycles of routing");
    check.within(t.iterations, 1, 4, "iterations");
    check.within(t.reserve, 1, 65535, "the reserve");
    check.within(t.packet_limit, 1, 65535, "the packet limit");
    check.that(t.wrap >> p.dimensions == 0, "a dimension that is a ring does not exist");
    check.that((t.table && t.wrap == 0) || t.node < p.nodes(),
               "its number must be less than the number of nodes, not " + std::to_string(t.node));
    check.that(t.select <= route_select::random, "there is no such choice among the ports of a route");
    check.that(p.adaptive || t.select == route_select::lowest,
               "packets choose among the ports of a route only where it is adaptive");
    if (t.table) {
        check.that(p.max_nodes > 0, "table routing needs a route table: max_nodes is 0");
    } else {
        check.that(p.ports > p.first_host_port(), "dimension order needs more than 2 x dimensions ports");
    }
    check.that(t.route.size() <= p.max_nodes, "the route table has more than max_nodes entries");
    for (const std::uint32_t mask : t.route)
        check.that(std::uint64_t{mask} >> p.ports == 0, "a route leads to a port that does not exist");
    const char* const doors = t.doors.problem(p.ports, p.max_sources);
    check.that(doors == nullptr, doors == nullptr ? "" : doors);
    check.that(t.credits.size() == p.ports, "a table per port does not have one entry per port");
    for (const unsigned credits : t.credits) check.within(credits, 0, 65535, "credits");
    for (const auto& sides : t.vc_sets)
        for (const vc_set set : sides)
            check.that(set >> p.vcs == 0, "a set names a virtual channel that does not exist");
    return t;
}

}  // namespace

/// Takes what the router_unit reads to the output pins, and what it frees to the credit pins.
struct router_core::crossbar {
    router_core& core;
    pins& to;
    pins& out;

    void forward(unsigned input_vc, unsigned slot, unsigned output, unsigned vc, unsigned info) {
        const unsigned bytes = core.params_.flit_bytes;
        copy_flit(&to.data[std::size_t{output} * bytes], core.flit_at(input_vc, slot), bytes);
        to.valid |= bit(output);
        if (!to.vc.empty()) to.vc[output] = static_cast<std::uint8_t>(vc);
        if ((info & flit_info::tail) != 0) to.tail |= bit(output);
        if ((info & flit_info::head) == 0) return;
        to.head |= bit(output);
        const std::size_t header = core.shape_.header_bytes;
        if (header != 0) {
            const std::size_t entry = std::size_t{input_vc} * core.params_.vc_flits + slot;
            std::memcpy(&to.header[output * header], &core.free_headers_[entry * header], header);
        }
    }

    void free(unsigned input_vc, unsigned, unsigned) {
        const unsigned port = input_vc / core.params_.vcs;
        out.credit |= bit(port);
        if (!out.credit_vc.empty()) out.credit_vc[port] = static_cast<std::uint8_t>(input_vc % core.params_.vcs);
        core.freed_ |= bit(input_vc);
    }
};

router_core::router_core(const router_params& params, router_tables tables)
    : params_(checked(params)),
      tables_(checked(params, std::move(tables))),
      shape_(params_.pin_shape()),
      rules_(params_, tables_, params_.copies && !tables_.table),
      route_rules_(params_, tables_),
      place_(route_rules_, tables_.node, tables_.credits),
      found_(params_.ports) {
    const std::size_t input_vcs = rules_.input_vcs();
    memory_.resize(rules_.map.planes * rules_.unit_bytes / 8);
    data_.resize(input_vcs * params_.vc_flits * params_.flit_bytes);
    if (params_.header_free) free_headers_.resize(input_vcs * params_.vc_flits * shape_.header_bytes);
    if (!params_.header_free && params_.flit_bytes < longest_header) headers_.resize(input_vcs * longest_header);
    for (unsigned stage = 0; stage < params_.xbar_stages; ++stage) stages_.emplace_back(shape_);
    if (route_rules_.chooses) choice_.emplace(params_.ports, tables_.select, tables_.seed);
    reset();
}

void router_core::reset() {
    std::ranges::fill(memory_, 0);
    const router_unit fresh(rules_, reinterpret_cast<std::byte*>(memory_.data()), tables_.credits);
    framing_.assign(rules_.input_vcs(), {});
    for (std::vector<routing>& slot : routing_) slot.clear();
    routing_slots_ = 0;
    if (choice_) choice_->reset();
    freed_ = 0;
    written_.clear();
    flits_.clear();
    upset_credits_ = dead_ = 0;
    found_.reset();
    for (pins& stage : stages_) stage.clear();
    stage_ = staged_ = 0;
    outputs_quiet_ = true;
}

router_unit router_core::unit() const {
    return {rules_, reinterpret_cast<std::byte*>(memory_.data())};
}

std::uint8_t* router_core::flit_at(unsigned input_vc, unsigned slot) {
    return &data_[(std::size_t{input_vc} * params_.vc_flits + slot) * params_.flit_bytes];
}

bool router_core::idle() const {
    if (staged_ != 0 || !outputs_quiet_ || !unit().empty()) return false;
    return std::ranges::none_of(framing_, &vc_framing::busy);
}

std::size_t router_core::memory_bytes() const {
    std::size_t bytes = sizeof *this + memory_.capacity() * sizeof(std::uint64_t) +
                        framing_.capacity() * sizeof(framing) + data_.capacity() + free_headers_.capacity() +
                        headers_.capacity() + written_.capacity() * sizeof(std::uint64_t) +
                        tables_.credits.capacity() * sizeof(unsigned) +
                        tables_.route.capacity() * sizeof(std::uint32_t);
    if (choice_) bytes += choice_->memory_bytes();
    for (const std::vector<routing>& slot : routing_) bytes += slot.capacity() * sizeof(routing);
    for (const pins& stage : stages_)
        bytes += sizeof stage + stage.data.capacity() + stage.header.capacity() + stage.vc.capacity() +
                 stage.credit_vc.capacity() + stage.errors.capacity() * sizeof(std::uint16_t);
    return bytes;
}

void router_core::probe(engine::chip_probe& probe) const {
    const router_unit state = unit();
    const unsigned input_vcs = rules_.input_vcs();
    probe.inputs.assign(input_vcs, {});
    probe.outputs.assign(input_vcs, {});
    for (unsigned entry = 0; entry < input_vcs; ++entry) {
        const router_unit::front_state front = state.front(entry);
        probe.inputs[entry] = {static_cast<std::uint16_t>(front.occupied), static_cast<std::uint8_t>(front.state),
                               front.waiting, front.reading,
                               entry % params_.vcs == 0 ? found_.corrections(entry / params_.vcs) : std::uint16_t{0}};
        probe.outputs[entry].credits =
            static_cast<std::uint16_t>(state.credits_left(entry / params_.vcs, entry % params_.vcs));
        for (std::uint64_t set = front.reading; set != 0; set &= set - 1) {
            const unsigned output = lowest(set);
            auto& held = probe.outputs[output * params_.vcs + state.vc_held(entry, output)];
            held.held = true;
            held.holder = static_cast<std::uint8_t>(entry);
        }
    }
}

// What the contract calls "registered" holds because of the order here: allocation comes first, then all that arrives.
// Only the checks for errors refer to what was there before allocation.
cycle router_core::step(cycle now, const pins& in, pins& out) {
    router_unit state = unit();
    std::uint64_t credits_in = in.credit;
    for (std::uint64_t set = in.credit; set != 0; set &= set - 1) {
        const unsigned port = lowest(set);
        const unsigned vc = in.credit_vc.empty() ? 0 : in.credit_vc[port];
        if (vc < params_.vcs && state.credits_left(port, vc) != tables_.credits[port]) continue;
        credits_in &= ~bit(port);
        raise(port, vc < params_.vcs ? chip_error::credit_overflow : chip_error::bad_vc, out);
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
    freed_ = 0;
    crossbar sink{*this, *to, out};
    state.allocate(sink);
    if (!stages_.empty() && to->valid != 0) ++staged_;
    leaving_ = to;

    for (std::uint64_t set = in.valid; set != 0; set &= set - 1) write(lowest(set), now, in, out);
    if (routing_slots_ != 0) finish_routing(now, out);
    if (choice_) choice_->end_cycle(to->tail);
    for (std::uint64_t set = credits_in; set != 0; set &= set - 1) {
        const unsigned port = lowest(set);
        state.credit(port, in.credit_vc.empty() ? 0 : in.credit_vc[port]);
    }
    outputs_quiet_ = out.quiet();
    if (state.awake() || staged_ != 0 || !outputs_quiet_) return now + 1;
    if (routing_slots_ == 0) return engine::never;
    // The next slot in use, counted from now + 1.
    const unsigned next = static_cast<unsigned>((now + 1) % most_delay);
    const unsigned turned = (routing_slots_ >> next | routing_slots_ << (most_delay - next)) & ((1u << most_delay) - 1);
    return now + 1 + lowest(turned);
}

/// Step 1, and of step 2 what happens when a header is complete.
void router_core::write(unsigned port, cycle now, const pins& in, pins& out) {
    const unsigned vc = in.vc.empty() ? 0 : in.vc[port];
    if (vc >= params_.vcs) return raise(port, chip_error::bad_vc, out);
    const unsigned input_vc = port * params_.vcs + vc;
    framing& packet = framing_[input_vc];
    // A flit freed in this cycle is free in the next.
    const bool room = unit().space(input_vc) > (freed_ >> input_vc & 1);
    const bool flit_head = (in.head >> port & 1) != 0;
    const bool flit_tail = (in.tail >> port & 1) != 0;
    const vc_framing::verdict flit = packet.arrive(flit_head, flit_tail, room, tables_.packet_limit);
    raise(port, flit.errors, out);
    if (!flit.stored) return;
    const bool first = flit.head;
    const bool tail = flit.tail;
    if (first) packet.header_done = false;
    const auto ends = static_cast<std::uint16_t>((first ? flit_info::head : 0) | (tail ? flit_info::tail : 0));
    const auto unready = static_cast<std::uint16_t>(ends | (first ? flit_info::unready : 0));
    if (packet.header_done) {
        store(input_vc, ends, {}, port, in);
        return;
    }
    const bool complete = take_header(packet, input_vc, &in.data[std::size_t{port} * params_.flit_bytes]);
    if (!complete && !tail) {
        const std::uint16_t slot = store(input_vc, unready, {}, port, in);
        if (first) packet.head_slot = slot;
        return;
    }
    packet.header_done = true;
    route_decision decision;
    if (complete) {
        const std::uint8_t* header = &in.data[std::size_t{port} * params_.flit_bytes];
        if (params_.header_free) header = &in.header[std::size_t{port} * shape_.header_bytes];
        if (packet.header_flits > 1) header = &headers_[std::size_t{input_vc} * longest_header];
        if (params_.max_sources != 0 && is_foreign(header, port)) {
            raise(port, chip_error::bad_source, out);
        } else {
            decision = route_packet(route_rules_, place_, tables_.route, header, port);
            if (!routes_.empty()) find_route(header, port);
        }
    } else {
        raise(port, chip_error::short_header, out);
    }
    if (first && tables_.route_delay == 1) {
        if (choice_) choose(input_vc, decision);
        raise(port, decision.errors, out);
        store(input_vc, static_cast<std::uint16_t>(ends | decision.info), decision.branches, port, in);
        return;
    }
    const std::uint16_t slot = store(input_vc, unready, {}, port, in);
    if (first) packet.head_slot = slot;
    const auto due = static_cast<unsigned>((now + tables_.route_delay - 1) % most_delay);
    routing_[due].push_back({static_cast<std::uint8_t>(input_vc), packet.head_slot,
                             first ? ends : std::uint16_t{flit_info::head}, decision});
    routing_slots_ |= 1u << due;
}

/// May the packet with this header not come in here?
bool router_core::is_foreign(const std::uint8_t* header, unsigned port) const {
    const auto kind = static_cast<format::packet_kind>(header[0] & 0xfu);
    if (kind != format::packet_kind::unicast && (kind != format::packet_kind::broadcast || !params_.copies))
        return false;
    const std::uint32_t source = format::read_field<format::source_field>(header);
    return source >= params_.max_sources || !tables_.doors.let_in(source, port);
}

/// \returns the slot of the flit
std::uint16_t router_core::store(unsigned input_vc, std::uint16_t info, branch_set branches, unsigned port,
                                 const pins& in) {
    const unsigned slot = unit().arrive(input_vc, info, branches);
    copy_flit(flit_at(input_vc, slot), &in.data[std::size_t{port} * params_.flit_bytes], params_.flit_bytes);
    const std::size_t header = shape_.header_bytes;
    if (header != 0 && (info & flit_info::head) != 0) {
        const std::size_t entry = std::size_t{input_vc} * params_.vc_flits + slot;
        std::memcpy(&free_headers_[entry * header], &in.header[port * header], header);
    }
    return static_cast<std::uint16_t>(slot);
}

/// Flit number packet.flits of a header that is not complete yet. \returns true if it is now
bool router_core::take_header(framing& packet, unsigned input_vc, const std::uint8_t* flit) {
    if (params_.header_free) {
        packet.header_flits = 1;
        return true;
    }
    const unsigned bytes = params_.flit_bytes;
    if (packet.flits == 1) packet.header_flits = static_cast<std::uint8_t>(header_flits_of(flit[0], bytes));
    if (packet.header_flits > 1) {
        const unsigned from = (packet.flits - 1u) * bytes;
        std::memcpy(&headers_[std::size_t{input_vc} * longest_header + from], flit,
                    std::min(bytes, longest_header - from));
    }
    return packet.flits == packet.header_flits;
}

/// Packets that are routed in this cycle.
void router_core::finish_routing(cycle now, pins& out) {
    const auto due = static_cast<unsigned>(now % most_delay);
    router_unit state = unit();
    for (routing& packet : routing_[due]) {
        if (choice_) choose(packet.input_vc, packet.decision);
        raise(packet.input_vc / params_.vcs, packet.decision.errors, out);
        state.routed(packet.input_vc, packet.slot, static_cast<std::uint16_t>(packet.flags | packet.decision.info),
                     packet.decision.branches);
    }
    routing_[due].clear();
    routing_slots_ &= ~(1u << due);
}

/// A packet that is routed in this cycle takes one of the ports that it may take.
void router_core::choose(unsigned input_vc, route_decision& decision) {
    if ((decision.info & flit_info::drop) != 0) return;
    if ((decision.info & flit_info::chooses) != 0) {
        const router_unit state = unit();
        const std::uint16_t info = decision.info;
        const std::uint32_t sides = decision.branches.sides;
        const unsigned output = choice_->choose(input_vc / params_.vcs, decision.branches.outputs, [&](unsigned port) {
            const vc_set vcs = state.allowed(input_vc, rules_.vcs_of(info, port, sides >> port & 1));
            unsigned credits = 0;
            for (unsigned set = vcs; set != 0; set &= set - 1) credits += state.credits_left(port, lowest(set));
            // A credit that was spent in this cycle was there at its start.
            if ((leaving_->valid >> port & 1) == 0) return credits;
            return credits + (vcs >> (leaving_->vc.empty() ? 0 : leaving_->vc[port]) & 1);
        });
        decision = {route_info(output, info >> flit_info::class_bit & 7, sides >> output & 1), decision.errors, {}};
    }
    choice_->routed(decision.info & flit_info::output_mask);
}

}  // namespace polycast::hw::chips
