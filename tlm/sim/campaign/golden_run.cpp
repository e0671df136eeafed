// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/campaign/golden_run.h"

#include "hw/chips/link/link_frame.h"
#include "hw/chips/link/link_symbol.h"
#include "hw/faults/plain_cable.h"
#include "hw/system/link_layer.h"

namespace polycast::tlm::sim {

using hw::engine::cycle;

wire_log::wire_log(const hw::system::system_plan& plan, golden_run& to)
    : first_cable_(static_cast<hw::engine::chip_id>(plan.chips.size())), to_(to) {
    for (hw::engine::chip_id id = first_cable_; id < plan.chip_count(); ++id) {
        const hw::system::planned_cable& of = plan.cable_at(id);
        cable_log& cable = to.cables.emplace_back();
        cable.chip = id;
        cable.ports = {plan.port_text(of.a), plan.port_text(of.b)};
        cable.delay = of.link.delay;
        cable.layer = of.layer.has_value();
        const hw::ni::ni_params& interface = plan.host.interface;
        if (cable.layer) cable.config = hw::system::config_of(plan, of);
        const unsigned wires = cable.layer
                                   ? hw::chips::symbol_wires(cable.config)
                                   : hw::faults::plain_wires(interface.flit_bytes, interface.header_bytes).count();
        for (const std::string& port : cable.ports) to.directions.push_back({port, wires, to.cables.size() - 1});
    }
    set_until_.resize(to.directions.size());
}

void wire_log::stepped(hw::engine::chip_id id, cycle now, const hw::engine::pins& in, const hw::engine::pins& /*out*/,
                       const hw::engine::chip& chip) {
    if (id < first_cable_) return;
    const std::size_t index = id - first_cable_;
    cable_log& cable = to_.cables[index];
    if (!cable.layer) return log_pins(2 * index, now + cable.delay, in);
    probe_.ends.clear();
    chip.probe(probe_);
    log_ends(cable, 2 * index, now);
}

void wire_log::log_pins(std::size_t first, cycle arrival, const hw::engine::pins& in) {
    for (unsigned port = 0; port < 2; ++port) {
        direction_log& leaving = to_.directions[first + port];
        const bool flit = (in.valid >> port & 1) != 0;
        const bool credit = (in.credit >> port & 1) != 0;
        if (flit) leaving.flits.push_back(arrival);
        if (credit) leaving.credits.push_back(arrival);
        if (flit || credit) leaving.used.push_back(arrival);
    }
}

/// Sets of several symbols count once. What is beside a flit does not show which of both is on the wire: a set has its
/// own kind there, too.
void wire_log::log_ends(cable_log& cable, std::size_t first, cycle now) {
    using kind = hw::chips::symbol_kind;
    for (unsigned end = 0; end < 2; ++end) {
        const hw::engine::chip_probe::link_end& seen = probe_.ends[end];
        std::vector<ring_level>& levels = cable.rings[end];
        if (levels.empty() || levels.back().flits != seen.ring) levels.push_back({now, seen.ring});
        const auto symbol = static_cast<kind>(seen.in.kind);
        if (symbol == kind::idle) continue;
        direction_log& arriving = to_.directions[first + 1 - end];
        arriving.used.push_back(now);
        if (symbol == kind::flit) arriving.flits.push_back(now);
        if (symbol != kind::set || now < set_until_[first + 1 - end]) continue;
        set_until_[first + 1 - end] = now + cable.config.set_symbols();
        arriving.sets.push_back(now);
        constexpr std::uint64_t type = 0xf;
        if ((seen.in.word & type) == static_cast<std::uint64_t>(hw::chips::set_type::cf_update))
            arriving.credits.push_back(now);
    }
}

}  // namespace polycast::tlm::sim
