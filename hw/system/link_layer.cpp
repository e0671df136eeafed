// SPDX-License-Identifier: Apache-2.0
#include "hw/system/link_layer.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "hw/faults/faulty_cable.h"
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
    }
    reserve(plan.host.interface.credits);
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

faults::fault_plan named_faults::of(const std::string& first, const std::string& second) const {
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
            if (link != *ports[end] && (link != all_links || (whole && end == 1))) continue;
            made.events.push_back(event);
            made.events.back().from_end = end;
        }
    }
    return made;
}

std::unique_ptr<engine::chip> make_cable(const system_plan& plan, engine::chip_id id, const cable_maker& make) {
    const planned_cable& cable = plan.cable_at(id);
    const chips::link_config config = config_of(plan, cable);
    faults::fault_plan wires = plan.params.link_layer->faults.of(plan.port_text(cable.a), plan.port_text(cable.b));
    std::unique_ptr<chips::wired_cable> made = make ? make(config) : std::make_unique<chips::cable_core>(config);
    if (wires.rates.empty() && wires.events.empty()) return made;
    return std::make_unique<faults::faulty_cable>(std::move(made), std::move(wires),
                                                  plan.layered[id - plan.chips.size()]);
}

engine::cycle longest_silence(const system_plan& plan) {
    engine::cycle longest = 0;
    for (const std::size_t index : plan.layered)
        longest = std::max(longest, config_of(plan, plan.cables[index]).credit_timer);
    return longest;
}

bool recovers(const system_plan& plan, const engine::chip_network& network) {
    for (auto id = static_cast<engine::chip_id>(plan.chips.size()); id < plan.chip_count(); ++id) {
        engine::chip_probe probe;
        network.probe(id, probe);
        if (std::ranges::any_of(probe.ends, &engine::chip_probe::link_end::recovers)) return true;
    }
    return false;
}

std::vector<std::string> lost_links(const system_plan& plan, const engine::chip_network& network, std::size_t most) {
    std::vector<std::string> all;
    for (auto id = static_cast<engine::chip_id>(plan.chips.size()); id < plan.chip_count(); ++id) {
        engine::chip_probe probe;
        network.probe(id, probe);
        for (unsigned end = 0; end < probe.ends.size() && all.size() < most; ++end) {
            const bool up = probe.ends[end].tx == static_cast<std::uint8_t>(chips::link_tx_state::advance) ||
                            probe.ends[end].tx == static_cast<std::uint8_t>(chips::link_tx_state::replay);
            const auto cause = static_cast<chips::flush_cause>(probe.ends[end].cause);
            if (up && cause == chips::flush_cause::none) continue;
            const planned_cable& cable = plan.cable_at(id);
            all.push_back("the link from " + plan.port_text(end == 0 ? cable.a : cable.b) +
                          (up ? " was down (" : " is down (") +
                          std::string(chips::flush_cause_names[static_cast<std::size_t>(cause)]) + ")");
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
