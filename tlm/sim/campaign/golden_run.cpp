// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/campaign/golden_run.h"

#include <algorithm>
#include <utility>

#include "hw/chips/link/link_frame.h"
#include "hw/chips/link/link_symbol.h"
#include "hw/faults/plain_cable.h"
#include "hw/host/host_chip.h"
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
    log_of_.assign(plan.chips.size(), no_log);
    for (hw::engine::chip_id id = 0; id < plan.chips.size(); ++id) add_chip(id, plan.chips[id]);
    interface_of_.assign(plan.chips.size(), no_log);
    for (const hw::engine::chip_id id : plan.hosts) {
        interface_of_[id] = to.interfaces.size();
        to.interfaces.push_back({plan.chips[id].name, hw::ni::slot_bytes(plan.host.interface) / 4});
    }
    in_use_.resize(to.interfaces.size());
}

void wire_log::add_chip(hw::engine::chip_id id, const hw::system::planned_chip& chip) {
    chip_log log;
    log.name = chip.name;
    const auto shapes = [&](const auto& params) {
        for (std::size_t memory = 0; memory < log.memories.size(); ++memory)
            log.memories[memory] = shape_of(params, static_cast<hw::format::upset_memory>(memory));
    };
    buffer_shape buffers;
    if (const auto* const of = std::get_if<hw::system::switch_chip>(&chip.is)) {
        shapes(of->params);
        log.tables = 4;
        log.host_tables = 2;  // up and down
        buffers = {of->params.ports, 1, of->params.chunks, of->params.chunk_flits};
    } else if (const auto* const router = std::get_if<hw::system::router_chip>(&chip.is)) {
        shapes(router->params);
        buffers = {router->params.ports, router->params.vcs, router->params.vc_flits, 1};
    } else {
        return;
    }
    log_of_[id] = to_.chips.size();
    to_.chips.push_back(std::move(log));
    buffers_.push_back(buffers);
    rings_.emplace_back(std::size_t{buffers.ports} * buffers.vcs);
}

void wire_log::stepped(hw::engine::chip_id id, cycle now, const hw::engine::pins& in, const hw::engine::pins& out,
                       const hw::engine::chip& chip) {
    if (id < first_cable_ && log_of_[id] != no_log) log_buffers(log_of_[id], now, in, out);
    if (id < first_cable_ && interface_of_[id] != no_log) log_slots(interface_of_[id], now, chip);
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
    chip_log& log = to_.chips[index];
    const buffer_shape& of = buffers_[index];
    const auto lane_of = [&](unsigned port, const std::vector<std::uint8_t>& vc) {
        return port * of.vcs + (vc.empty() ? 0 : vc[port]);
    };
    for (unsigned port = 0; port < of.ports; ++port) {
        // The pin says so in the cycle behind the one that freed it.
        if ((out.credit >> port & 1) != 0) free_chunk(index, lane_of(port, out.credit_vc), now);
        if ((in.valid >> port & 1) == 0) continue;
        const unsigned lane = lane_of(port, in.vc);
        input_ring& ring = rings_[index][lane];
        if (ring.offset == 0) ring.taken.emplace_back(log.flits.size(), log.flits.size());
        const std::uint64_t place = ring.chunk % of.chunks * of.chunk_flits + ring.offset;
        log.flits.push_back({static_cast<std::uint32_t>(std::uint64_t{lane} * of.flits() + place), now});
        ring.taken.back().second = log.flits.size();
        if (++ring.offset < of.chunk_flits && (in.tail >> port & 1) == 0) continue;
        ring.offset = 0;
        ++ring.chunk;
    }
}

/// A host's step ends with what happens in the cycle behind it.
void wire_log::log_slots(std::size_t index, cycle now, const hw::engine::chip& chip) {
    const hw::ni::network_interface& seen = dynamic_cast<const hw::host::host_chip&>(chip).interface();
    std::vector<used_slot>& log = to_.interfaces[index].slots;
    std::vector<std::size_t>& uses = in_use_[index];
    uses.resize(std::max<std::size_t>(uses.size(), seen.slots_known()), no_log);
    for (std::uint32_t slot = 0; slot < uses.size(); ++slot) {
        if (seen.slot_used(slot) == (uses[slot] != no_log)) continue;
        if (uses[slot] != no_log) {
            log[std::exchange(uses[slot], no_log)].until = now + 1;
        } else {
            uses[slot] = log.size();
            log.push_back({slot, now + 1});
        }
    }
}

/// The oldest one of an input buffer.
void wire_log::free_chunk(std::size_t index, unsigned lane, cycle now) {
    input_ring& ring = rings_[index][lane];
    if (ring.taken.empty()) return;
    const auto [first, end] = ring.taken.front();
    std::vector<stored_flit>& flits = to_.chips[index].flits;
    for (std::size_t i = first; i < end; ++i)
        if (flits[i].index / buffers_[index].flits() == lane) flits[i].until = now;
    ring.taken.pop_front();
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
