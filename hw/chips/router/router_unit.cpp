// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/router/router_unit.h"

namespace polycast::hw::chips {

router_rules::router_rules(const router_params& params, const router_tables& tables, bool copied)
    : ports(params.ports),
      vcs(params.vcs),
      vc_flits(params.vc_flits),
      first_host_port(params.first_host_port()),
      reserve(tables.reserve),
      allocator(tables.allocator),
      iterations(tables.iterations),
      policy(tables.policy),
      copies(copied),
      port_mask((std::uint64_t{1} << (params.vcs % 64)) - 1),
      vc_sets(tables.vc_sets),
      map(ports, vcs, vc_flits),
      unit_bytes(map.inputs + map.plane_bytes + (copied ? router_unit::copy_bytes(params) : 0)) {
    set_plane_distance(unit_bytes);
    for (unsigned route = 0; route < route_vcs.size(); ++route)
        route_vcs[route] =
            vcs_of(static_cast<std::uint16_t>(route), route & flit_info::output_mask, route >> flit_info::side_bit & 1);
    for (unsigned input_vc = 0; input_vc < input_vcs(); ++input_vc)
        port_table[input_vc] = static_cast<std::uint16_t>(input_vc / vcs);
}

void router_rules::set_plane_distance(std::size_t bytes) {
    for (unsigned slot = 0; slot < slot_offsets.size(); ++slot) {
        const unsigned place = slot + 1;  // in front of the first is the VC's state
        slot_offsets[slot] = place / 2 * bytes + place % 2 * 8;
    }
}

template <typename rules_type>
std::size_t basic_router_unit<rules_type>::copy_bytes(const router_params& params) {
    const std::size_t input_vcs = std::size_t{params.ports} * params.vcs;
    return (input_vcs * (sizeof(copy_state) + params.vc_flits * sizeof(branch_set)) + 15) / 16 * 16;
}

template <typename rules_type>
basic_router_unit<rules_type>::basic_router_unit(const rules_type& rules, std::byte* memory,
                                                 std::span<const unsigned> credits)
    : rules_(&rules), memory_(memory) {
    for (unsigned port = 0; port < rules.ports; ++port) {
        output_state& out = output(port);
        out.free = static_cast<vc_set>(rules.port_mask);
        for (unsigned vc = 0; vc < rules.vcs; ++vc) {
            this->credits(port, vc) = static_cast<std::uint16_t>(credits[port]);
            if (credits[port] != 0) out.with_credit = static_cast<vc_set>(out.with_credit | 1u << vc);
            if (credits[port] >= rules.reserve) out.with_reserve = static_cast<vc_set>(out.with_reserve | 1u << vc);
        }
    }
    for (unsigned input_vc = 0; input_vc < rules.input_vcs(); ++input_vc) {
        input(input_vc).output = unknown;
    }
}

template <typename rules_type>
void basic_router_unit<rules_type>::begin_copies(unsigned input_vc, const vc_state& in) {
    copy_state& copy = copy_of(input_vc);
    const branch_set& branches = branches_of(input_vc, in.head);
    copy.left = branches.outputs;
    copy.sides = branches.sides;
    copy.with_vc = 0;
    copy.freed = 0;
    for (std::uint32_t set = branches.outputs; set != 0; set &= set - 1) copy.position[lowest(set)] = 0;
}

template <typename rules_type>
std::uint32_t basic_router_unit<rules_type>::copies_of(unsigned input_vc, const vc_state& in) const {
    const copy_state& copy = copy_of(input_vc);
    std::uint32_t able = 0;
    unsigned least = ~0u;
    for (std::uint32_t set = copy.left; set != 0; set &= set - 1) {
        const unsigned port = lowest(set);
        const unsigned position = copy.position[port];
        if (position - copy.freed >= in.count || position > least) continue;
        const output_state& out = output(port);
        unsigned can = 0;
        if ((copy.with_vc >> port & 1) != 0) {
            can = out.with_credit >> copy.vc[port] & 1u;
        } else {  // its next flit is the head, which is then still there
            const std::uint16_t info = info_of(input_vc, in.head);
            can = allowed(input_vc, rules_->vcs_of(info, port, copy.sides >> port & 1)) & assignable(out);
        }
        if (can == 0) continue;
        able = position < least ? 1u << port : able | 1u << port;
        least = position;
    }
    return able;
}

template <typename rules_type>
void basic_router_unit<rules_type>::set_outstanding(unsigned port, unsigned vc, unsigned all, unsigned outstanding) {
    output_state& out = output(port);
    const auto set_if = [&](vc_set& set, bool in) {
        set = static_cast<vc_set>((set & ~(1u << vc)) | unsigned{in} << vc);
    };
    credits(port, vc) = static_cast<std::uint16_t>(all - outstanding);
    set_if(out.with_credit, outstanding < all);
    set_if(out.with_reserve, outstanding + rules_->reserve <= all);
    wake(out);
}

template <typename rules_type>
std::uint32_t basic_router_unit<rules_type>::readers(unsigned input_vc, unsigned slot) const {
    const vc_state& in = input(input_vc);
    if (in.output == unknown || in.output == nowhere) return 0;
    if (in.output != many) return in.head == slot ? 1u << in.output : 0;
    const copy_state& copy = copy_of(input_vc);
    std::uint32_t all = 0;
    for (std::uint32_t set = copy.left; set != 0; set &= set - 1) {
        const unsigned behind = copy.position[lowest(set)] - copy.freed;
        if (behind < in.count && slot_of(input_vc, behind) == slot) all |= 1u << lowest(set);
    }
    return all;
}

template <typename rules_type>
bool basic_router_unit<rules_type>::empty() const {
    for (unsigned input_vc = 0; input_vc < rules_->input_vcs(); ++input_vc)
        if (input(input_vc).count != 0) return false;
    return true;
}

template <typename rules_type>
router_unit_state::front_state basic_router_unit<rules_type>::front(unsigned input_vc) const {
    const vc_state& in = input(input_vc);
    using phase = front_state::phase;
    if (in.output == unknown) return {in.count, in.count == 0 ? phase::none : phase::routing, 0, 0};
    if (in.output == nowhere) return {in.count, phase::dropped, 0, 0};
    if (in.output == many) {
        const copy_state& copy = copy_of(input_vc);
        return {in.count, phase::active, copy.left & ~copy.with_vc, copy.left & copy.with_vc};
    }
    const std::uint32_t output = 1u << in.output;
    return {in.count, phase::active, in.holds ? 0 : output, in.holds ? output : 0};
}

template class basic_router_unit<router_rules>;

}  // namespace polycast::hw::chips
