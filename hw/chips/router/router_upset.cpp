// SPDX-License-Identifier: Apache-2.0
// Stored bits of router_core that flip, and the codes that find them.
#include <algorithm>
#include <optional>

#include "hw/chips/memory_codes.h"
#include "hw/chips/port_set.h"
#include "hw/chips/router/router_core.h"
#include "hw/format/header.h"

namespace polycast::hw::chips {

using format::code_bits;
using format::protection;
using format::reading;
using format::upset_memory;

namespace {

/// Bits of a word, without its code.
unsigned data_bits(const router_params& params, upset_memory memory) {
    switch (memory) {
        case upset_memory::buffer: return 8 * params.flit_bytes;
        case upset_memory::routes: return params.ports;
        case upset_memory::credits: return counter_bits;
        case upset_memory::reach: break;
    }
    return 0;
}

format::flipped_bits none_of(const router_params& params, upset_memory memory) {
    return {code_of(params, memory), data_bits(params, memory)};
}

}  // namespace

memory_shape shape_of(const router_params& params, upset_memory memory) {
    const std::uint64_t vcs = std::uint64_t{params.ports} * params.vcs;
    const unsigned data = data_bits(params, memory);
    const unsigned bits = data + code_bits(code_of(params, memory), data);
    switch (memory) {
        case upset_memory::buffer: return {vcs * params.vc_flits, bits};
        case upset_memory::routes:
            if (params.max_nodes == 0) return {};
            return {params.max_nodes, bits};
        case upset_memory::reach: return {};
        case upset_memory::credits: return {vcs, bits};
    }
    return {};
}

// A ring of the RTL goes on where it is, slots of router_unit begin anew when the buffer is empty. So that a step
// without upsets pays nothing for it, places of the ring are counted here: what a buffer has got is what it holds more
// than before, and what has left it. Likewise flits are looked at before and after a step for those that it read.
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
    look_at_flits();
    std::optional<engine::pins> fewer;
    if (const std::uint64_t dead = dead_credits(in); dead != 0) {
        fewer = in;
        fewer->credit &= ~dead;
    }
    engine::cycle next = step(now, fewer ? *fewer : in, out);
    for_arrivals([&](unsigned input_vc) { written_[input_vc] += held(input_vc) + (freed_ >> input_vc & 1); });
    // Below zero a credit more is not yet one to spend, as a step takes it to be.
    for (std::uint64_t set = upset_credits_; set != 0; set &= set - 1)
        set_outstanding(lowest(set), outstanding(lowest(set)));
    find_flits();
    if (found_.report(out)) next = now + 1;
    outputs_quiet_ = out.quiet();
    if (what != nullptr) flip(*what);
    if (what != nullptr || awake()) next = now + 1;
    return next;
}

void router_core::flip(const chip_upset& what) {
    switch (what.memory) {
        case upset_memory::buffer: return flip_flit(what.index, what.bit);
        case upset_memory::routes: return flip_route(what.index, what.bit);
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
    const unsigned slot = unit().slot_of(input_vc, held - before);
    if (params_.protect_buffers == 0) {
        flit_at(input_vc, slot)[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
        return;
    }
    auto hit = std::ranges::find_if(
        flits_, [&](const hit_flit& each) { return each.input_vc == input_vc && each.slot == slot; });
    if (hit == flits_.end())
        hit = flits_.insert(hit, {input_vc, slot, false, 0, none_of(params_, upset_memory::buffer)});
    else
        change_flit(*hit);
    hit->bits.flip(bit);
    change_flit(*hit);
}

/// Its bytes are what a reader gets, corrected where the code does that.
void router_core::change_flit(const hit_flit& hit) {
    std::uint8_t* const flit = flit_at(hit.input_vc, hit.slot);
    for (unsigned byte = 0; byte < params_.flit_bytes; ++byte) flit[byte] ^= hit.bits.wrong(byte);
}

void router_core::look_at_flits() {
    for (hit_flit& each : flits_) {
        each.first = unit().slot_of(each.input_vc, 0) == each.slot;
        each.readers = unit().readers(each.input_vc, each.slot);
    }
}

/// Which of them were read in this step. One that is dropped is read by nobody.
void router_core::find_flits() {
    std::erase_if(flits_, [&](const hit_flit& each) {
        const bool leaves = each.first && (freed_ >> each.input_vc & 1) != 0;
        const std::uint32_t still = leaves ? 0 : unit().readers(each.input_vc, each.slot);
        if ((each.readers & ~still) != 0) found_.find(each.input_vc / params_.vcs, each.bits.found());
        return leaves;
    });
}

/// Of an entry with a code the table holds what a reader gets.
void router_core::flip_route(std::uint32_t node, std::uint32_t bit) {
    if (tables_.route.size() < params_.max_nodes) tables_.route.resize(params_.max_nodes);
    std::uint32_t& entry = tables_.route[node];
    if (params_.protect_routes == 0) {
        entry ^= std::uint32_t{1} << bit;
        return;
    }
    auto hit = std::ranges::find(routes_, node, &hit_route::node);
    if (hit == routes_.end()) hit = routes_.insert(hit, {node, entry, none_of(params_, upset_memory::routes)});
    hit->bits.flip(bit);
    const bool failed = hit->bits.found() == reading::failed;
    entry = failed ? 0 : hit->written ^ static_cast<std::uint32_t>(hit->bits.wrong_word());
}

/// What the code says of the entry that a packet was routed by.
void router_core::find_route(const std::uint8_t* header, unsigned port) {
    const auto kind = static_cast<format::packet_kind>(header[0] & 0xfu);
    if (!tables_.table || kind != format::packet_kind::unicast) return;
    const auto hit = std::ranges::find(routes_, format::destination_of(header), &hit_route::node);
    if (hit != routes_.end()) found_.find(port, hit->bits.found());
}

/// A counter is read in every cycle, and written anew where it has a code: what that corrects lasts for one, and is
/// seen by nobody. What it finds is reported in the next step.
void router_core::flip_credits(std::uint32_t index, std::uint32_t bit) {
    if ((dead_ >> index & 1) != 0) return;
    format::flipped_bits bits = none_of(params_, upset_memory::credits);
    bits.flip(bit);
    found_.find(index / params_.vcs, bits.found());
    if (bits.found() == reading::failed) {
        dead_ |= chips::bit(index);
        set_outstanding(index, tables_.credits[index / params_.vcs]);
    } else if (params_.protect_credits == 0) {
        upset_credits_ |= chips::bit(index);
        set_outstanding(index, outstanding(index) ^ 1u << bit);
    }
}

/// Ports at which a credit comes for a counter that is dead, which takes none.
std::uint64_t router_core::dead_credits(const engine::pins& in) const {
    std::uint64_t ports = 0;
    for (std::uint64_t set = dead_ == 0 ? 0 : in.credit; set != 0; set &= set - 1) {
        const unsigned port = lowest(set);
        const unsigned vc = in.credit_vc.empty() ? 0 : in.credit_vc[port];
        if (vc < params_.vcs && (dead_ >> (port * params_.vcs + vc) & 1) != 0) ports |= chips::bit(port);
    }
    return ports;
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
