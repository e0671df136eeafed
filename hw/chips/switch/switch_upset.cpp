// SPDX-License-Identifier: Apache-2.0
// Stored bits of switch_core that flip, and the headers that such a flip comes too late for.
#include <algorithm>

#include "hw/chips/switch/switch_core.h"
#include "hw/format/header.h"

namespace polycast::hw::chips {

using format::upset_memory;

memory_shape shape_of(const switch_params& params, upset_memory memory) {
    switch (memory) {
        case upset_memory::buffer:
            return {std::uint64_t{params.ports} * params.chunks * params.chunk_flits, 8 * params.flit_bytes};
        // Of the table that is shorter, entries behind its end do not exist.
        case upset_memory::routes:
            return {4 * std::uint64_t{std::max(params.max_hosts, params.max_switches)}, params.ports};
        case upset_memory::reach:
            if (format::string_bits(params.max_hosts) == 0) return {};
            return {1 + std::uint64_t{params.ports}, params.max_hosts};
        case upset_memory::credits: return {params.ports, 16};
    }
    return {};
}

engine::cycle switch_core::step_upset(engine::cycle now, const engine::pins& in, engine::pins& out,
                                      const chip_upset& what) {
    step(now, in, out);
    switch (what.memory) {
        case upset_memory::buffer: flip_flit(what.index, what.bit); break;
        case upset_memory::routes: flip_route(what.index, what.bit); break;
        case upset_memory::reach: flip_reach(what.index, what.bit); break;
        case upset_memory::credits: flip_credits(what.index, what.bit); break;
    }
    return now + 1;
}

void switch_core::flip_flit(std::uint32_t index, std::uint32_t bit) {
    const std::uint32_t port = index / capacity_;
    const std::uint32_t slot = index % capacity_;
    const auto mask = static_cast<std::uint8_t>(1u << bit % 8);
    data_[std::size_t{index} * params_.flit_bytes + bit / 8] ^= mask;
    if (params_.header_free) return;
    // Which of the flits that have been in this place is in it now.
    const input_port& input = inputs_[port];
    const std::uint32_t behind = (input.write_slot + capacity_ - slot - 1) % capacity_ + 1;
    if (behind > input.write_position) return;
    // Those of packets that have left are of no use any more.
    std::erase_if(flips_, [&](const flip& old) { return old.position < inputs_[old.port].front_position; });
    flips_.push_back({port, input.write_position - behind, bit / 8, mask});
}

void switch_core::flip_route(std::uint32_t index, std::uint32_t bit) {
    port_sets* const tables[] = {&tables_.unicast_up, &tables_.unicast_down, &tables_.switch_up, &tables_.switch_down};
    const std::uint32_t table = index % 4;
    const std::uint32_t entry = index / 4;
    const std::uint32_t entries = table < 2 ? params_.max_hosts : params_.max_switches;
    if (entry >= entries) return;
    std::vector<std::uint64_t>& own = tables[table]->edit();
    if (own.size() < entries) own.resize(entries);
    own[entry] ^= std::uint64_t{1} << bit;
}

void switch_core::flip_reach(std::uint32_t index, std::uint32_t bit) {
    // Other switches, perhaps on other threads, share the string: not edit(), which asks whether they do.
    shared_string& shared = index == 0 ? tables_.reach_total : tables_.reach_port[index - 1];
    bit_string own = *shared;
    own[bit / 64] ^= std::uint64_t{1} << bit % 64;
    shared = shared_string(std::move(own));
}

/// The counter is of what is outstanding; there may be more than was ever there, and credits are then below zero.
void switch_core::flip_credits(std::uint32_t index, std::uint32_t bit) {
    output_port& output = outputs_[index];
    const auto outstanding = static_cast<std::uint32_t>(output.credits_full - output.credits) ^ 1u << bit;
    output.credits = output.credits_full - static_cast<std::int32_t>(outstanding);
}

/// Routing takes what the header was when it came in, not what has become of it in the buffer since.
void switch_core::undo_flips(unsigned port, std::uint64_t front, std::vector<std::uint8_t>& header) const {
    for (const flip& each : flips_) {
        if (each.port != port || each.position < front) continue;
        const std::uint64_t at = (each.position - front) * params_.flit_bytes + each.byte;
        if (at < header.size()) header[at] ^= each.mask;
    }
}

}  // namespace polycast::hw::chips
