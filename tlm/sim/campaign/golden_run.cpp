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
    switch_of_.assign(plan.chips.size(), no_switch);
    for (std::size_t id = 0; id < plan.chips.size(); ++id) {
        const auto* const is = std::get_if<hw::system::switch_chip>(&plan.chips[id].is);
        if (is == nullptr) continue;
        switch_of_[id] = to.switches.size();
        to.switches.push_back({plan.chips[id].name, is->params});
        rings_.emplace_back(is->params.ports);
    }
}

void wire_log::stepped(hw::engine::chip_id id, cycle now, const hw::engine::pins& in, const hw::engine::pins& out,
                       const hw::engine::chip& chip) {
    if (id < first_cable_ && switch_of_[id] != no_switch) log_buffers(switch_of_[id], now, in, out);
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

void wire_log::log_buffers(std::size_t index, cycle now, const hw::engine::pins& in, const hw::engine::pins& out) {
    switch_log& log = to_.switches[index];
    const hw::chips::switch_params& of = log.params;
    for (unsigned port = 0; port < of.ports; ++port) {
        input_ring& ring = rings_[index][port];
        // The pin says so in the cycle behind the one that freed it.
        if ((out.credit >> port & 1) != 0 && !ring.taken.empty()) {
            const auto [first, end] = ring.taken.front();
            for (std::size_t i = first; i < end; ++i)
                if (log.flits[i].index / (of.chunks * of.chunk_flits) == port) log.flits[i].until = now;
            ring.taken.pop_front();
        }
        if ((in.valid >> port & 1) == 0) continue;
        if (ring.offset == 0) ring.taken.emplace_back(log.flits.size(), log.flits.size());
        const std::uint64_t place = ring.chunk % of.chunks * of.chunk_flits + ring.offset;
        log.flits.push_back(
            {static_cast<std::uint32_t>(std::uint64_t{port} * of.chunks * of.chunk_flits + place), now});
        ring.taken.back().second = log.flits.size();
        if (++ring.offset < of.chunk_flits && (in.tail >> port & 1) == 0) continue;
        ring.offset = 0;
        ++ring.chunk;
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
