// SPDX-License-Identifier: Apache-2.0
/// \file What a step of a router goes by: words about flits, and the sizes and registers of its network in a form for
/// speed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "hw/chips/port_set.h"
#include "hw/chips/router/router_config.h"

namespace polycast::hw::chips {

/// A router's data about a flit: which end of a packet it is, and for a head where the packet goes.
struct flit_info {
    static constexpr unsigned tail = 1u << 15;
    static constexpr unsigned head = 1u << 14;
    static constexpr unsigned drop = 1u << 13;     ///< goes nowhere
    static constexpr unsigned unready = 1u << 12;  ///< routing goes on
    static constexpr unsigned copied = 1u << 11;   ///< goes to a branch_set
    static constexpr unsigned chooses = 1u << 10;  ///< one of a branch_set, before it is routed
    static constexpr unsigned side_bit = 8;
    static constexpr unsigned class_bit = 5;
    static constexpr unsigned output_mask = 31;
    static constexpr unsigned route_mask = 511;  ///< output, class, side
};

/// Where a packet goes, as flit_info encodes it.
constexpr std::uint16_t route_info(unsigned output, unsigned service_class, unsigned side) {
    return static_cast<std::uint16_t>(output | service_class << flit_info::class_bit | side << flit_info::side_bit);
}

/// Outputs of a packet that is copied, or among which it chooses, and the side of the ring on which each branch is.
struct branch_set {
    std::uint32_t outputs = 0;  ///< bit: port
    std::uint32_t sides = 0;    ///< bit: port

    bool operator==(const branch_set&) const = default;
};

/// Layout of a router_unit's memory, in bytes: router_state.h.
struct memory_map {
    constexpr memory_map(unsigned ports, unsigned vcs, unsigned vc_flits)
        : outputs(round_up(16 + 2 * ports, 8)),
          output_bytes(round_up(16 + 2 * vcs, 8)),
          inputs(round_up(outputs + ports * output_bytes, 16)),
          vc_bytes(vc_flits <= shallow ? 16 : (vc_flits + 2) / 2 * 16),
          plane_bytes(ports * vcs * vc_bytes),
          planes(vc_flits <= shallow ? (vc_flits + 2) / 2 : 1) {}

    /// Buffers of at most this many flits lie in planes: in each two slots, those of all input VCs side by side, so
    /// that what a step looks at is close together. Deeper ones lie input VC by input VC, so that successive flits are.
    static constexpr unsigned shallow = 16;

    unsigned outputs, output_bytes;
    unsigned inputs;       ///< the first plane
    unsigned vc_bytes;     ///< from an input VC to the next
    unsigned plane_bytes;  ///< of all input VCs in a plane
    unsigned planes;

private:
    static constexpr unsigned round_up(unsigned value, unsigned to) { return (value + to - 1) / to * to; }
};

/// Sizes and registers that all routers of a network share, in the form that a step needs.
struct router_rules {
    /// `copies`: packets may have several branches.
    router_rules(const router_params& params, const router_tables& tables, bool copies);

    unsigned ports, vcs, vc_flits, first_host_port;
    unsigned reserve;
    router_allocator allocator;
    unsigned iterations;
    vc_policy policy;
    bool copies;
    std::uint64_t port_mask;  ///< VCs of one port, in the lowest bits
    std::array<std::array<vc_set, 2>, 8> vc_sets;
    std::array<vc_set, flit_info::route_mask + 1> route_vcs;  ///< [route of flit_info] that the packet may take
    std::array<std::uint16_t, most_input_vcs> port_table;     ///< [input VC]
    memory_map map;
    std::size_t unit_bytes;  ///< of a router_unit: state, the first plane, what copies need; the other planes elsewhere
    std::array<std::size_t, memory_map::shallow> slot_offsets;  ///< [slot] of shallow buffers, from vc_state on

    static constexpr unsigned most_ports = 32;
    static constexpr bool may_copy = true;

    unsigned input_vcs() const { return ports * vcs; }
    unsigned port_of(unsigned input_vc) const { return port_table[input_vc]; }
    /// Place of a flit's set of branches among all.
    unsigned buffer_index(unsigned input_vc, unsigned slot) const { return slot * input_vcs() + input_vc; }
    /// Packets wait for more than one credit.
    bool reserves() const { return reserve > 1; }
    static std::string_view name() { return "generic"; }
    // Places in a router_unit's memory.
    unsigned outputs_offset() const { return map.outputs; }
    unsigned inputs_offset() const { return map.inputs; }
    unsigned output_bytes() const { return map.output_bytes; }
    unsigned vc_bytes() const { return map.vc_bytes; }
    std::size_t slot_offset(unsigned slot) const {
        return vc_flits <= memory_map::shallow ? slot_offsets[slot] : 8 * (slot + 1);
    }
    /// Bytes from a plane to the next; at first unit_bytes.
    void set_plane_distance(std::size_t bytes);
    vc_set vcs_of(std::uint16_t info, unsigned output, unsigned side) const {
        const auto& sides = vc_sets[info >> flit_info::class_bit & 7];
        return output >= first_host_port ? static_cast<vc_set>(sides[0] | sides[1]) : sides[side];
    }
};

/// Rules of which some are known when the program is compiled, so that a step computes with constants; lengths,
/// iterations and VC policy are not among them, because reading them costs next to nothing. Where they hold, a unit
/// behaves alike with them and with the rules they were made of. `several_credits`: packets may wait for more than one;
/// `deep`: the layout of buffers.
template <router_allocator allocation, bool several_credits, bool deep>
struct compiled_rules : router_rules {
    explicit compiled_rules(const router_rules& rules) : router_rules(rules) {}

    static constexpr unsigned ports = 5;
    static constexpr unsigned vcs = 4;
    static constexpr unsigned first_host_port = 4;
    static constexpr router_allocator allocator = allocation;
    static constexpr bool copies = false, may_copy = false;
    static constexpr std::uint64_t port_mask = (std::uint64_t{1} << vcs) - 1;

    static constexpr unsigned most_ports = ports;

    static constexpr unsigned input_vcs() { return ports * vcs; }
    static constexpr unsigned port_of(unsigned input_vc) { return input_vc / vcs; }
    static constexpr bool reserves() { return several_credits; }
    static constexpr memory_map shallow_map{ports, vcs, memory_map::shallow};
    static constexpr unsigned outputs_offset() { return shallow_map.outputs; }
    static constexpr unsigned inputs_offset() { return shallow_map.inputs; }
    static constexpr unsigned output_bytes() { return shallow_map.output_bytes; }
    unsigned vc_bytes() const { return deep ? map.vc_bytes : shallow_map.vc_bytes; }
    std::size_t slot_offset(unsigned slot) const { return deep ? 8 * (slot + 1) : slot_offsets[slot]; }
    /// True if `rules` are these.
    static bool describe(const router_rules& rules) {
        return rules.ports == ports && rules.vcs == vcs && rules.first_host_port == first_host_port &&
               rules.allocator == allocator && !rules.copies && (reserves() || !rules.reserves()) &&
               deep == (rules.vc_flits > memory_map::shallow);
    }
    static std::string_view name() {
        if (allocation == router_allocator::islip)
            return deep ? "islip_deep" : several_credits ? "islip_cut_through" : "islip";
        return deep ? "separable_deep" : several_credits ? "separable_cut_through" : "separable";
    }
};

/// Calls with(rules) with the first of the compiled rules that describe `rules`, or with `rules` where none does.
template <typename function>
void with_compiled(const router_rules& rules, function&& with) {
    const auto try_one = [&]<typename known>(const known*) {
        return known::describe(rules) && (with(known(rules)), true);
    };
    const auto try_all = [&]<router_allocator allocator>() {
        return try_one(static_cast<compiled_rules<allocator, false, false>*>(nullptr)) ||
               try_one(static_cast<compiled_rules<allocator, true, false>*>(nullptr)) ||
               try_one(static_cast<compiled_rules<allocator, true, true>*>(nullptr));
    };
    if (!try_all.template operator()<router_allocator::separable>() &&
        !try_all.template operator()<router_allocator::islip>())
        with(rules);
}

}  // namespace polycast::hw::chips
