// SPDX-License-Identifier: Apache-2.0
// Stored bits of router_core that flip.
#include "hw/chips/port_set.h"
#include "hw/chips/router/router_core.h"

namespace polycast::hw::chips {

using format::upset_memory;

namespace {

constexpr unsigned counter_bits = 16;

}  // namespace

memory_shape shape_of(const router_params& params, upset_memory memory) {
    const std::uint64_t vcs = std::uint64_t{params.ports} * params.vcs;
    switch (memory) {
        case upset_memory::buffer: return {vcs * params.vc_flits, 8 * params.flit_bytes};
        case upset_memory::routes:
            if (params.max_nodes == 0) return {};
            return {params.max_nodes, params.ports};
        case upset_memory::reach: return {};
        case upset_memory::credits: return {vcs, counter_bits};
    }
    return {};
}

// A ring of the RTL goes on where it is, slots of router_unit begin anew when the buffer is empty. So that a step
// without upsets pays nothing for it, places of the ring are counted here: what a buffer has got is what it holds more
// than before, and what has left it.
engine::cycle router_core::step_upset(engine::cycle now, const engine::pins& in, engine::pins& out,
                                      const chip_upset* what) {
    if (written_.empty()) written_.resize(rules_.input_vcs());
    const auto for_arrivals = [&](auto&& each) {
        for (std::uint64_t set = in.valid; set != 0; set &= set - 1) {
            const unsigned vc = in.vc.empty() ? 0 : in.vc[lowest(set)];
            if (vc < params_.vcs) each(lowest(set) * params_.vcs + vc);
        }
    };
    const auto held = [&](unsigned input_vc) { return params_.vc_flits - unit().space(input_vc); };
    for_arrivals([&](unsigned input_vc) { written_[input_vc] -= held(input_vc); });
    engine::cycle next = step(now, in, out);
    for_arrivals([&](unsigned input_vc) { written_[input_vc] += held(input_vc) + (freed_ >> input_vc & 1); });
    // Below zero a credit more is not yet one to spend, as a step takes it to be.
    for (std::uint64_t set = upset_credits_; set != 0; set &= set - 1)
        set_outstanding(lowest(set), outstanding(lowest(set)));
    if (what != nullptr) flip(*what);
    if (what != nullptr || awake()) next = now + 1;
    return next;
}

void router_core::flip(const chip_upset& what) {
    switch (what.memory) {
        case upset_memory::buffer: return flip_flit(what.index, what.bit);
        case upset_memory::routes:
            if (tables_.route.size() < params_.max_nodes) tables_.route.resize(params_.max_nodes);
            tables_.route[what.index] ^= std::uint32_t{1} << what.bit;
            return;
        case upset_memory::reach: return;
        case upset_memory::credits: return flip_credits(what.index, what.bit);
    }
}

void router_core::flip_flit(std::uint32_t index, std::uint32_t bit) {
    const unsigned input_vc = index / params_.vc_flits;
    const unsigned place = index % params_.vc_flits;
    const unsigned held = params_.vc_flits - unit().space(input_vc);
    // How many flits before the next one the last one in this place came.
    const auto before =
        static_cast<unsigned>((written_[input_vc] + params_.vc_flits - place - 1) % params_.vc_flits) + 1;
    if (before > held) return;
    flit_at(input_vc, unit().slot_of(input_vc, held - before))[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
}

void router_core::flip_credits(std::uint32_t index, std::uint32_t bit) {
    upset_credits_ |= chips::bit(index);
    set_outstanding(index, outstanding(index) ^ (1u << bit));
}

unsigned router_core::outstanding(unsigned output_vc) const {
    const unsigned port = output_vc / params_.vcs;
    return (tables_.credits[port] - unit().credits_left(port, output_vc % params_.vcs)) & 0xffffu;
}

void router_core::set_outstanding(unsigned output_vc, unsigned outstanding) {
    const unsigned port = output_vc / params_.vcs;
    unit().set_outstanding(port, output_vc % params_.vcs, tables_.credits[port], outstanding);
}

}  // namespace polycast::hw::chips
