// SPDX-License-Identifier: Apache-2.0
/// \file What a step of a router goes by: words about flits, and the sizes and registers of its network in a form for
/// speed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

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
          buffers(round_up(outputs + ports * output_bytes, 16)),
          pair_bytes(vc_flits <= shallow ? ports * vcs * 16 : 16),
          vc_bytes(vc_flits <= shallow ? 16 : (vc_flits + 2) / 2 * 16),
          end(buffers + (vc_flits <= shallow ? (vc_flits + 2) / 2 * pair_bytes : ports * vcs * vc_bytes)) {}

    /// Buffers of at most this many flits lie pair of slots by pair of slots, those of all input VCs side by side, so
    /// that what a step looks at is close together; deeper ones input VC by input VC, so that successive flits are.
    static constexpr unsigned shallow = 16;

    unsigned outputs, output_bytes;
    unsigned buffers;
    unsigned pair_bytes;  ///< from two slots of an input VC to the next two
    unsigned vc_bytes;    ///< from an input VC to the next
    unsigned end;

    /// A slot of the first input VC.
    constexpr unsigned slot(unsigned index) const {
        const unsigned place = index + 1;  // in front of the first is the VC's state
        return buffers + place / 2 * pair_bytes + place % 2 * 8;
    }

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
    std::size_t copies_offset;  ///< where the state of copies begins in a router_unit's memory
    std::size_t unit_bytes;     ///< of memory that a router_unit needs

    static constexpr unsigned most_ports = 32;

    unsigned input_vcs() const { return ports * vcs; }
    unsigned port_of(unsigned input_vc) const { return port_table[input_vc]; }
    /// Place of a flit's set of branches among all.
    unsigned buffer_index(unsigned input_vc, unsigned slot) const { return slot * input_vcs() + input_vc; }
    /// Where a slot of the first input VC is in a router_unit's memory.
    unsigned slot_offset(unsigned slot) const { return map.slot(slot); }
    vc_set vcs_of(std::uint16_t info, unsigned output, unsigned side) const {
        const auto& sides = vc_sets[info >> flit_info::class_bit & 7];
        return output >= first_host_port ? static_cast<vc_set>(sides[0] | sides[1]) : sides[side];
    }
};

/// Rules of which some are known when the program is compiled, so that a step computes with constants. Where they hold,
/// a unit behaves alike with them and with the rules they were made of.
template <unsigned port_count, unsigned vc_count, unsigned buffer_flits, unsigned host_port>
struct plain_rules : router_rules {
    explicit plain_rules(const router_rules& rules) : router_rules(rules) {}

    static constexpr unsigned ports = port_count;
    static constexpr unsigned vcs = vc_count;
    static constexpr unsigned vc_flits = buffer_flits;
    static constexpr unsigned first_host_port = host_port;
    static constexpr unsigned reserve = 1;
    static constexpr router_allocator allocator = router_allocator::separable;
    static constexpr unsigned iterations = 1;
    static constexpr vc_policy policy = vc_policy::any;
    static constexpr bool copies = false;
    static constexpr std::uint64_t port_mask = (std::uint64_t{1} << vc_count) - 1;

    static constexpr unsigned most_ports = ports;

    static constexpr unsigned input_vcs() { return ports * vcs; }
    static constexpr unsigned port_of(unsigned input_vc) { return input_vc / vcs; }
    static constexpr unsigned buffer_index(unsigned input_vc, unsigned slot) { return slot * input_vcs() + input_vc; }
    static constexpr memory_map map{port_count, vc_count, buffer_flits};
    static constexpr unsigned slot_offset(unsigned slot) { return slot_offsets[slot]; }
    static constexpr std::array<unsigned, buffer_flits> slot_offsets = [] {
        std::array<unsigned, buffer_flits> offsets{};
        for (unsigned slot = 0; slot < buffer_flits; ++slot) offsets[slot] = map.slot(slot);
        return offsets;
    }();
    /// True if `rules` are these.
    static bool describe(const router_rules& rules) {
        return rules.ports == ports && rules.vcs == vcs && rules.vc_flits == vc_flits &&
               rules.first_host_port == first_host_port && rules.reserve == reserve && rules.allocator == allocator &&
               rules.iterations == iterations && rules.policy == policy && !rules.copies;
    }
};
/// The defaults of router_params and router_tables.
using default_rules = plain_rules<5, 4, 8, 4>;

}  // namespace polycast::hw::chips
