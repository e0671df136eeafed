// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/router_unit.h"

#include <cstring>

namespace polycast::hw::chips {

router_rules::router_rules(const router_params& params, const router_tables& tables)
    : ports(params.ports),
      vcs(params.vcs),
      vc_flits(params.vc_flits),
      first_host_port(params.first_host_port()),
      reserve(tables.reserve),
      allocator(tables.allocator),
      iterations(tables.iterations),
      policy(tables.policy),
      port_mask((std::uint64_t{1} << (params.vcs % 64)) - 1),
      vc_sets(tables.vc_sets),
      unit_bytes(router_unit::bytes(params)) {}

std::size_t router_unit::bytes(const router_params& params) {
    const std::size_t input_vcs = std::size_t{params.ports} * params.vcs;
    const std::size_t all = sizeof(hot_state) + params.ports * sizeof(output_state) + input_vcs * sizeof(vc_state) +
                            input_vcs * (1 + params.vc_flits) * sizeof(std::uint16_t);
    return (all + 7) / 8 * 8;
}

router_unit::router_unit(const router_rules& rules, std::byte* memory, std::span<const unsigned> credits)
    : rules_(&rules), memory_(memory) {
    std::memset(memory, 0, rules.unit_bytes);
    for (unsigned port = 0; port < rules.ports; ++port) {
        output_state& out = output(port);
        out.free = static_cast<vc_set>(rules.port_mask);
        for (unsigned vc = 0; vc < rules.vcs; ++vc) {
            this->credits(port, vc) = static_cast<std::uint16_t>(credits[port]);
            if (credits[port] != 0) out.with_credit = static_cast<vc_set>(out.with_credit | 1u << vc);
            if (credits[port] >= rules.reserve) out.with_reserve = static_cast<vc_set>(out.with_reserve | 1u << vc);
        }
    }
    for (unsigned input_vc = 0; input_vc < rules.input_vcs(); ++input_vc) input(input_vc).vc = no_vc;
}

bool router_unit::empty() const {
    for (unsigned input_vc = 0; input_vc < rules_->input_vcs(); ++input_vc)
        if (input(input_vc).count != 0) return false;
    return true;
}

}  // namespace polycast::hw::chips
