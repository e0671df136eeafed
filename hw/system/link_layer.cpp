// SPDX-License-Identifier: Apache-2.0
#include "hw/system/link_layer.h"

#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <utility>

#include "hw/chips/link/frame_cable.h"
#include "hw/faults/faulty_cable.h"
#include "hw/faults/plain_cable.h"
#include "hw/input_error.h"

namespace polycast::hw::system {

namespace {

void reserve(unsigned& credits) {
    if (credits == 1)
        throw input_error("a link layer keeps one unit of every buffer free, and there are buffers of one",
                          "deepen the buffers");
    if (credits != 0) --credits;
}

chips::link_buffer buffer_behind(const system_plan& plan, engine::port_id from, const planned_cable& cable) {
    chips::link_buffer buffer;
    const std::vector<unsigned> credits = plan.credits(from);
    std::ranges::copy(credits, buffer.credits.begin());
    buffer.unit_flits = cable.link.chunk_flits;
    return buffer;
}

}  // namespace

void reserve_places(system_plan& plan) {
    for (planned_chip& chip : plan.chips) {
        if (auto* of = std::get_if<switch_chip>(&chip.is)) std::ranges::for_each(of->tables.credits, reserve);
        if (auto* of = std::get_if<router_chip>(&chip.is)) std::ranges::for_each(of->tables.credits, reserve);
        if (auto* of = std::get_if<vl_switch_chip>(&chip.is)) std::ranges::for_each(of->tables.credits, reserve);
    }
    reserve(plan.host.interface.credits);
}

system_plan without_faults(system_plan plan) {
    plan.host.hangs.clear();
    plan.host.upsets.clear();
    plan.params.upsets.clear();
    if (!plan.params.link_layer) return plan;
    link_layers layers = *plan.params.link_layer;
    layers.faults = {};
    plan.params.link_layer = std::make_shared<const link_layers>(std::move(layers));
    plan.layered.clear();
    for (std::size_t i = 0; i < plan.cables.size(); ++i) {
        plan.cables[i].spoilt = false;
        if (plan.cables[i].is_chip()) plan.layered.push_back(i);
    }
    return plan;
}

chips::link_config config_of(const system_plan& plan, const planned_cable& cable) {
    chips::link_config config = *cable.layer;
    const ni::ni_params& interface = plan.host.interface;
    config.flit_bytes = interface.flit_bytes;
    config.header_bytes = interface.header_bytes;
    config.vcs = interface.vcs;
    config.delay = cable.link.delay;
    config.far = buffer_behind(plan, cable.a, cable);
    config.own = buffer_behind(plan, cable.b, cable);
    return chips::checked(config);
}

faults::fault_plan named_faults::of(const std::string& first, const std::string& second, bool layer) const {
    faults::fault_plan made;
    made.seed = seed;
    const std::array<const std::string*, 2> ports = {&first, &second};
    for (unsigned end = 0; end < 2; ++end) {
        for (const auto& [link, rule] : rates) {
            if (link != all_links && link != *ports[end]) continue;
            made.rates.push_back(rule);
            made.rates.back().from_end = end;
        }
        for (const auto& [link, event] : events) {
            // Of a cable that dies as a whole one direction speaks for both.
            const bool whole = event.what == faults::fault_kind::dead && !event.one_way;
            const bool lacks =
                !layer && (event.what == faults::fault_kind::frame || event.what == faults::fault_kind::set);
            if (link != *ports[end] && (link != all_links || (whole && end == 1) || lacks)) continue;
            made.events.push_back(event);
            made.events.back().from_end = end;
        }
    }
    return made;
}

std::unique_ptr<engine::chip> make_cable(const system_plan& plan, engine::chip_id id, const cable_maker& make) {
    const planned_cable& cable = plan.cable_at(id);
    const std::size_t number = plan.layered[id - plan.chips.size()];
    faults::fault_plan wires =
        plan.params.link_layer->faults.of(plan.port_text(cable.a), plan.port_text(cable.b), cable.layer.has_value());
    if (!cable.layer) {
        const ni::ni_params& interface = plan.host.interface;
        return std::make_unique<faults::plain_cable>(
            faults::plain_params{interface.flit_bytes, interface.header_bytes, interface.vcs, cable.link.delay},
            std::move(wires), number);
    }
    const chips::link_config config = config_of(plan, cable);
    std::unique_ptr<chips::link_cable> made;
    if (make) {
        made = make(config);
    } else if (wires.momentary()) {
        made = std::make_unique<chips::frame_cable>(config);
    } else {
        made = std::make_unique<chips::cable_core>(config);
    }
    if (wires.empty()) return made;
    return std::make_unique<faults::faulty_cable>(std::move(made), std::move(wires), number);
}

engine::cycle longest_silence(const system_plan& plan) {
    engine::cycle longest = 0;
    for (const std::size_t index : plan.layered)
        if (plan.cables[index].layer) longest = std::max(longest, config_of(plan, plan.cables[index]).credit_timer);
    return longest;
}

namespace {

using ends = std::vector<engine::chip_probe::link_end>;

/// Of the cable that is chip `id`; none without a layer.
ends ends_of(const engine::chip_network& network, engine::chip_id id) {
    engine::chip_probe probe;
    network.probe(id, probe);
    return probe.ends;
}

/// It went down, and only a register write brings it up.
bool waits_for_register(const planned_cable& cable, const engine::chip_probe::link_end& end) {
    return !cable.layer->reinit && end.tx == static_cast<std::uint8_t>(chips::link_tx_state::flush);
}

bool recovers(const planned_cable& cable, const ends& both) {
    for (std::size_t which = 0; which < both.size(); ++which) {
        const auto& [end, far] = std::tie(both[which], both[1 - which]);
        if (!end.recovers || waits_for_register(cable, end)) continue;
        // Its receiver waits for the other end's init, which does not come.
        const bool in_vain = waits_for_register(cable, far) && end.outstanding == 0 &&
                             end.tx == static_cast<std::uint8_t>(chips::link_tx_state::advance) &&
                             end.rx != static_cast<std::uint8_t>(chips::link_rx_state::send_acks);
        if (!in_vain) return true;
    }
    return false;
}

}  // namespace

bool recovers(const system_plan& plan, const engine::chip_network& network) {
    for (auto id = static_cast<engine::chip_id>(plan.chips.size()); id < plan.chip_count(); ++id)
        if (recovers(plan.cable_at(id), ends_of(network, id))) return true;
    return false;
}

bool plain_cable_was_hit(const system_plan& plan, const engine::chip_network& network) {
    for (auto id = static_cast<engine::chip_id>(plan.chips.size()); id < plan.chip_count(); ++id)
        if (plan.cable_at(id).spoilt && chips::cable_report::of(network.report(id)).damage.any()) return true;
    return false;
}

std::vector<std::string> lost_links(const system_plan& plan, const engine::chip_network& network, std::size_t most) {
    std::vector<std::string> all;
    for (auto id = static_cast<engine::chip_id>(plan.chips.size()); id < plan.chip_count(); ++id) {
        const planned_cable& cable = plan.cable_at(id);
        const ends both = ends_of(network, id);
        for (std::size_t which = 0; which < both.size() && all.size() < most; ++which) {
            const engine::chip_probe::link_end& end = both[which];
            const bool up = end.tx == static_cast<std::uint8_t>(chips::link_tx_state::advance) ||
                            end.tx == static_cast<std::uint8_t>(chips::link_tx_state::replay);
            const auto cause = static_cast<chips::flush_cause>(end.cause);
            if (up && cause == chips::flush_cause::none) continue;
            all.push_back("the link from " + plan.port_text(which == 0 ? cable.a : cable.b) +
                          (up ? " was down (" : " is down (") +
                          std::string(chips::flush_cause_names[static_cast<std::size_t>(cause)]) + ")" +
                          (waits_for_register(cable, end) ? " until its register 'leave_flush' is written" : ""));
        }
    }
    return all;
}

chips::cable_report report_of(const engine::chip_network& network, engine::chip_id id) {
    chips::cable_report report = chips::cable_report::of(network.report(id));
    for (chips::cable_report::end& end : report.ends) end.count_to(network.now());
    return report;
}

}  // namespace polycast::hw::system
