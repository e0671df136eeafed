// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/coding_terminals.h"

#include <algorithm>

#include "hw/chips/router/router_rules.h"
#include "hw/input_error.h"

namespace polycast::hw::fabric {

using engine::cycle;

coding_terminals::unit_state::unit_state(const chips::coding_params& params, const chips::coding_registers& registers)
    : unit(params, registers),
      at_place(std::size_t{params.vcs} * params.vc_flits),
      in_slot(params.slots),
      accepted(registers.contexts.size()) {
    for (std::size_t context = 0; context < accepted.size(); ++context)
        accepted[context].resize(registers.contexts[context].count);
}

/// The bytes of one unit, and its way to its owner.
struct coding_terminals::sink {
    coding_terminals& all;
    unit_state& state;
    std::uint32_t node;

    bool take(unsigned vc, unsigned place, unsigned slot, unsigned, bool head, bool) {
        all.owner_->give_credit(node, vc);
        if (head) {
            state.in_slot[slot] = state.at_place[vc * state.unit.params().vc_flits + place];
            state.stored_flits += state.in_slot[slot].flits;
            all.most_operand_flits_ = std::max(all.most_operand_flits_, state.stored_flits);
        }
        return true;
    }
    chips::coding_operand operand(unsigned slot) {
        const unit_operand& what = state.in_slot[slot];
        if (what.index < state.accepted[what.context].size()) state.accepted[what.context][what.index] = true;
        chips::coding_operand out;
        out.context = what.context;
        out.length = what.bytes;
        out.flits = static_cast<std::uint16_t>(what.flits - state.unit.params().header_flits());
        out.tag = what.index;
        out.source = what.source;
        return out;
    }
    std::uint32_t begin(const chips::coding_packet& packet) {
        if (!state.has_sum)
            state.sum =
                all.payloads_->take_xor(state.in_slot[packet.slot].payload, state.in_slot[packet.partner].payload);
        state.has_sum = true;
        return all.owner_->begin(node, packet, all.payloads_->share(state.sum));
    }
    void leave(std::uint32_t handle, unsigned, bool head, bool tail, unsigned vc) {
        all.owner_->leave(
            node, handle, vc,
            static_cast<std::uint16_t>((head ? chips::flit_info::head : 0) | (tail ? chips::flit_info::tail : 0)));
    }
    void coded(const chips::coding_pair&) {
        ++state.xors;
        if (state.has_sum) all.payloads_->give_back(state.sum);
        state.has_sum = false;
    }
    void release(unsigned slot) {
        state.stored_flits -= state.in_slot[slot].flits;
        all.owner_->release(state.in_slot[slot]);
    }
    void event(const engine::chip_event& what) { all.owner_->event(node, what); }
};

void coding_terminals::add(std::uint32_t node, const chips::coding_params& params,
                           const chips::coding_registers& registers) {
    for (const chips::coding_context& context : registers.contexts)
        if (context.mode == chips::coding_mode::decode)
            throw input_error("the coding unit of node " + std::to_string(node) + " has a context that decodes",
                              "ideal hosts decode");
    chips::check_progress(params, registers);
    units_[node] = std::make_unique<unit_state>(params, registers);
}

void coding_terminals::schedule(cycle when, std::uint32_t node) {
    cycle& due = units_[node]->due;
    if (when >= due) return;
    due = when;
    due_.emplace(when, node);
}

void coding_terminals::credit(cycle now, std::uint32_t node, unsigned vc) {
    chips::coding_unit& unit = units_[node]->unit;
    unit.credit(vc);
    schedule(unit.next(now), node);
}

/// A flit is in a unit's buffer after the step of the cycle in which it is on the pins, so before the next one.
void coding_terminals::step(cycle now) {
    for (; !arrivals_.empty() && arrivals_.front().when < now; arrivals_.pop()) {
        const arrival& flit = arrivals_.front();
        unit_state& to = *units_[flit.node];
        const unsigned place = to.unit.arrive(flit.vc, flit.head, flit.tail);
        if (flit.head) to.at_place[flit.vc * to.unit.params().vc_flits + place] = flit.operand;
        schedule(now, flit.node);
    }
    while (!due_.empty() && due_.top().first <= now) {
        const auto [when, node] = due_.top();
        due_.pop();
        if (units_[node]->due == when) step_unit(now, node);
    }
}

void coding_terminals::step_unit(cycle now, std::uint32_t node) {
    unit_state& state = *units_[node];
    state.due = engine::never;
    sink to{*this, state, node};
    state.unit.step(now, to);
    schedule(state.unit.next(now), node);
}

cycle coding_terminals::next(cycle now) const {
    cycle when = due_.empty() ? engine::never : std::max(now, due_.top().first);
    if (!arrivals_.empty()) when = std::min(when, std::max(now, arrivals_.front().when + 1));
    return when;
}

std::size_t coding_terminals::memory_bytes() const {
    std::size_t bytes = sizeof *this + units_.capacity() * sizeof(units_[0]);
    for (const auto& unit : units_) {
        if (!unit) continue;
        bytes += sizeof *unit - sizeof unit->unit + unit->unit.memory_bytes() +
                 (unit->at_place.capacity() + unit->in_slot.capacity()) * sizeof(unit_operand);
    }
    return bytes;
}

}  // namespace polycast::hw::fabric
