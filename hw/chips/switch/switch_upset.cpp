// SPDX-License-Identifier: Apache-2.0
// Stored bits of switch_core that flip, the codes that find them, and the headers that such a flip comes too late for.
#include <algorithm>
#include <optional>

#include "hw/chips/memory_codes.h"
#include "hw/chips/port_set.h"
#include "hw/chips/switch/switch_core.h"
#include "hw/format/header.h"

namespace polycast::hw::chips {

using format::code_bits;
using format::protection;
using format::reading;
using format::upset_memory;

namespace {

/// Bits of a word, without its code.
unsigned data_bits(const switch_params& params, upset_memory memory) {
    switch (memory) {
        case upset_memory::buffer: return 8 * params.flit_bytes;
        case upset_memory::routes: return params.ports;
        case upset_memory::reach: return params.max_hosts;
        case upset_memory::credits: return counter_bits;
    }
    return 0;
}

format::flipped_bits none_of(const switch_params& params, upset_memory memory) {
    return {code_of(params, memory), data_bits(params, memory)};
}

}  // namespace

memory_shape shape_of(const switch_params& params, upset_memory memory) {
    const unsigned data = data_bits(params, memory);
    const unsigned bits = data + code_bits(code_of(params, memory), data);
    switch (memory) {
        case upset_memory::buffer: return {std::uint64_t{params.ports} * params.chunks * params.chunk_flits, bits};
        // Of the table that is shorter, entries behind its end do not exist.
        case upset_memory::routes: return {4 * std::uint64_t{std::max(params.max_hosts, params.max_switches)}, bits};
        case upset_memory::reach:
            if (format::string_bits(params.max_hosts) == 0) return {};
            return {1 + std::uint64_t{params.ports}, bits};
        case upset_memory::credits: return {params.ports, bits};
    }
    return {};
}

engine::cycle switch_core::step_upset(engine::cycle now, const engine::pins& in, engine::pins& out,
                                      const chip_upset* what) {
    // A counter that is dead takes no credit.
    std::optional<engine::pins> fewer;
    if ((in.credit & dead_) != 0) {
        fewer = in;
        fewer->credit &= ~dead_;
    }
    const std::vector<std::uint32_t> before = places();
    engine::cycle next = step(now, fewer ? *fewer : in, out);
    find_flits(before);
    if (found_.report(out)) next = now + 1;
    outputs_quiet_ = out.quiet();
    if (what == nullptr) return next;
    flip(*what);
    return now + 1;
}

void switch_core::flip(const chip_upset& what) {
    switch (what.memory) {
        case upset_memory::buffer: flip_flit(what.index, what.bit); break;
        case upset_memory::routes: flip_route(what.index, what.bit); break;
        case upset_memory::reach: flip_reach(what.index, what.bit); break;
        case upset_memory::credits: flip_credits(what.index, what.bit); break;
    }
}

/// Its bytes are what a reader gets, corrected where the code does that.
void switch_core::change_flit(const hit_flit& hit) {
    const std::uint64_t slot = std::uint64_t{hit.port} * capacity_ + hit.position % capacity_;
    for (unsigned byte = 0; byte < params_.flit_bytes; ++byte)
        data_[slot * params_.flit_bytes + byte] ^= hit.bits.wrong(byte);
}

void switch_core::flip_flit(std::uint32_t index, std::uint32_t bit) {
    const std::uint32_t port = index / capacity_;
    const std::uint32_t slot = index % capacity_;
    // Which of the flits that have been in this place is in it now.
    const input_port& input = inputs_[port];
    const std::uint32_t behind = (input.write_slot + capacity_ - slot - 1) % capacity_ + 1;
    if (behind > input.write_position) return;
    const std::uint64_t position = input.write_position - behind;
    // Those of packets that have left are of no use any more.
    std::erase_if(flits_, [&](const hit_flit& old) { return old.position < inputs_[old.port].front_position; });
    auto hit = std::ranges::find_if(
        flits_, [&](const hit_flit& each) { return each.port == port && each.position == position; });
    if (hit == flits_.end())
        hit = flits_.insert(hit, {port, position, none_of(params_, upset_memory::buffer)});
    else
        change_flit(*hit);
    hit->bits.flip(bit);
    change_flit(*hit);
}

void switch_core::flip_route(std::uint32_t index, std::uint32_t bit) {
    port_sets* const tables[] = {&tables_.unicast_up, &tables_.unicast_down, &tables_.switch_up, &tables_.switch_down};
    const std::uint32_t table = index % 4;
    const std::uint32_t entry = index / 4;
    const std::uint32_t entries = table < 2 ? params_.max_hosts : params_.max_switches;
    if (entry >= entries) return;
    std::vector<std::uint64_t>& own = tables[table]->edit();
    if (own.size() < entries) own.resize(entries);
    if (params_.protect_routes == 0) {
        own[entry] ^= std::uint64_t{1} << bit;
        return;
    }
    auto hit = std::ranges::find(routes_, index, &hit_route::index);
    if (hit == routes_.end()) hit = routes_.insert(hit, {index, none_of(params_, upset_memory::routes)});
    own[entry] ^= hit->bits.wrong_word();
    hit->bits.flip(bit);
    own[entry] ^= hit->bits.wrong_word();
}

/// Registers are read in every cycle, and written anew where they have a code: what it corrects lasts for one, and is
/// seen by nobody. What it finds is reported in the next step.
void switch_core::flip_reach(std::uint32_t index, std::uint32_t bit) {
    // Other switches, perhaps on other threads, share the string: not edit(), which asks whether they do.
    shared_string& shared = index == 0 ? tables_.reach_total : tables_.reach_port[index - 1];
    format::flipped_bits bits = none_of(params_, upset_memory::reach);
    bits.flip(bit);
    found_.find(index == 0 ? 0 : index - 1, bits.found());
    if (bits.found() == reading::corrected) return;
    if (bits.found() == reading::failed) {
        shared = shared_string(bit_string(shared.size()));
        return;
    }
    bit_string own = *shared;
    own[bit / 64] ^= std::uint64_t{1} << bit % 64;
    shared = shared_string(std::move(own));
}

/// The counter is of what is outstanding; without a code there may be more than was ever there, and credits are then
/// below zero.
void switch_core::flip_credits(std::uint32_t index, std::uint32_t bit) {
    if ((dead_ >> index & 1) != 0) return;
    output_port& output = outputs_[index];
    format::flipped_bits bits = none_of(params_, upset_memory::credits);
    bits.flip(bit);
    found_.find(index, bits.found());
    if (bits.found() == reading::failed) {
        dead_ |= chips::bit(index);
        output.credits = 0;
        return;
    }
    const auto outstanding = static_cast<std::uint32_t>(output.credits_full - output.credits) ^
                             static_cast<std::uint32_t>(bits.wrong_word());
    output.credits = output.credits_full - static_cast<std::int32_t>(outstanding);
}

/// Routing takes what the header was when it came in, not what has become of it in the buffer since.
void switch_core::undo_flips(unsigned port, std::uint64_t front, std::span<std::uint8_t> header) const {
    for (const hit_flit& each : flits_) {
        if (each.port != port || each.position < front) continue;
        const std::uint64_t first = (each.position - front) * params_.flit_bytes;
        for (unsigned byte = 0; byte < params_.flit_bytes && first + byte < header.size(); ++byte)
            header[first + byte] ^= each.bits.wrong(byte);
    }
}

std::uint64_t switch_core::read_route(std::uint32_t index, unsigned port, std::uint64_t route) {
    const auto hit = std::ranges::find(routes_, index, &hit_route::index);
    if (hit == routes_.end()) return route;
    found_.find(port, hit->bits.found());
    return hit->bits.found() == reading::failed ? 0 : route;
}

/// Numbers of the flits that outputs read next.
std::vector<std::uint32_t> switch_core::places() {
    std::vector<std::uint32_t> all;
    if (flits_.empty() || params_.protect_buffers == 0) return all;
    for (unsigned port = 0; port < params_.ports; ++port) {
        // Of no use while nobody holds it: a grant sets it.
        if ((held_ >> port & 1) == 0) outputs_[port].index = 0;
        all.push_back(outputs_[port].index);
    }
    return all;
}

/// Which of the flits that were read in this step had a flip.
void switch_core::find_flits(const std::vector<std::uint32_t>& before) {
    for (unsigned port = 0; port < before.size(); ++port) {
        const output_port& output = outputs_[port];
        if (output.index == before[port]) continue;
        for (const hit_flit& each : flits_)
            if (each.port == output.holder && each.position + 1 == output.position)
                found_.find(port, each.bits.found());
    }
}

}  // namespace polycast::hw::chips
