// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/run_result.h"

#include <algorithm>

#include "hw/fabric/link_counts.h"

namespace polycast::tlm::sim {

using hw::engine::port_id;
using hw::system::system_plan;

void plan_totals::add(const hw::collectives::multicast_plan& plan) {
    std::uint64_t sent = 0;
    std::uint64_t sending = 0;
    for (const hw::collectives::participant& each : plan.participants) {
        sent += each.sends.size();
        sending += each.sends.empty() ? 0 : 1;
    }
    *this += {1, plan.steps, plan.steps, sent, sent, sending, sending};
}

plan_totals& plan_totals::operator+=(const plan_totals& more) {
    multicasts += more.multicasts;
    steps += more.steps;
    steps_max = std::max(steps_max, more.steps_max);
    sends += more.sends;
    sends_max = std::max(sends_max, more.sends_max);
    senders += more.senders;
    senders_max = std::max(senders_max, more.senders_max);
    return *this;
}

run_result& run_result::operator+=(const run_result& more) {
    ended = more.ended;
    diagnosis = more.diagnosis;
    broken = more.broken;
    quiet = more.quiet;
    suspect = more.suspect;
    cycles += more.cycles;
    counts += more.counts;
    volume.generated += more.volume.generated;
    volume.wanted += more.volume.wanted;
    volume.accepted += more.volume.accepted;
    chip_errors += more.chip_errors;
    host_failures += more.host_failures;
    hosts += more.hosts;
    plans += more.plans;
    faults.insert(faults.end(), more.faults.begin(), more.faults.end());
    for (transfer t : more.transfers) {
        t.message = transfers.size();
        transfers.push_back(t);
    }
    traces.insert(traces.end(), more.traces.begin(), more.traces.end());
    for (std::size_t i = 0; i < links.size(); ++i) {
        links[i].flits += more.links[i].flits;
        links[i].packets += more.links[i].packets;
        links[i].occupied_cycles += more.links[i].occupied_cycles;
        links[i].occupied_max = std::max(links[i].occupied_max, more.links[i].occupied_max);
    }
    for (std::size_t i = 0; i < ports.size(); ++i) ports[i] += more.ports[i];
    for (std::size_t i = 0; i < cables.size(); ++i) cables[i].counts += more.cables[i].counts;
    for (std::size_t i = 0; i < upsets.size(); ++i) upsets[i].counts += more.upsets[i].counts;
    hangs.insert(hangs.end(), more.hangs.begin(), more.hangs.end());
    flips.insert(flips.end(), more.flips.begin(), more.flips.end());
    return *this;
}

std::vector<hung_host> hangs_before(const system_plan& plan, hw::engine::cycle end) {
    std::vector<hung_host> hangs;
    for (const hw::host::hang_order& each : plan.host.hangs)
        if (each.at < end) hangs.push_back({plan.chips[plan.host_chip(each.host)].name, each.at, each.until});
    std::ranges::stable_sort(hangs, {}, &hung_host::at);
    return hangs;
}

std::vector<upset_interface> flips_before(const system_plan& plan, hw::engine::cycle end) {
    std::vector<upset_interface> flips;
    for (const auto& [host, interface, what] : plan.host.upsets)
        if (what.at < end)
            flips.push_back({plan.chips[plan.host_chip(host)].name + "." + std::string(name_of(what.memory)), what.at,
                             std::uint64_t{what.word} << 32 | what.bit});
    return flips;
}

std::vector<link_load> all_links(const system_plan& plan) {
    std::vector<link_load> links;
    const auto add = [&links](const hw::engine::port_id& a, const hw::engine::port_id& b) {
        links.push_back({a, b});
        links.push_back({b, a});
    };
    links.reserve(2 * plan.cables.size());
    if (plan.chips.empty()) {
        const std::vector<hw::topology::link> between = plan.network.links();
        links.reserve(2 * (between.size() + plan.network.hosts.size()));
        for (const hw::topology::link& link : between) add({link.a.chip, link.a.port}, {link.b.chip, link.b.port});
        for (std::uint32_t number = 0; number < plan.network.hosts.size(); ++number) {
            const hw::topology::host_node& host = plan.network.hosts[number];
            add({plan.host_chip(number), 0}, {host.chip, host.port});
        }
    }
    for (const hw::system::planned_cable& cable : plan.cables) {
        const bool host = plan.is_host(cable.b.chip);
        if (!host && !plan.forwards(cable.b.chip)) continue;
        host ? add(cable.b, cable.a) : add(cable.a, cable.b);
    }
    return links;
}

std::vector<link_load> loads_of(const system_plan& plan, const hw::fabric::link_counts& counts) {
    std::vector<link_load> links = all_links(plan);
    for (link_load& link : links) {
        const hw::fabric::link_counts::count& seen = plan.is_host(link.to.chip)
                                                         ? counts.of_terminal(link.to.chip - plan.host_chip(0))
                                                         : counts.of_router(link.to.chip, link.to.port);
        link.flits = seen.flits;
        link.packets = seen.packets;
    }
    return links;
}

}  // namespace polycast::tlm::sim
