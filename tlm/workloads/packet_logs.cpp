// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/packet_logs.h"

#include <variant>

#include "hw/faults/fault_plan.h"
#include "hw/system/link_layer.h"

namespace polycast::tlm::sim {

namespace engine = hw::engine;
using hw::system::system_plan;

namespace {

std::string kind_of(const hw::system::chip_kind& is) {
    if (std::holds_alternative<hw::system::host_place>(is)) return "host";
    if (std::holds_alternative<hw::system::coding_chip>(is)) return "unit";
    const bool switches =
        std::holds_alternative<hw::system::switch_chip>(is) || std::holds_alternative<hw::system::vl_switch_chip>(is);
    return switches || std::holds_alternative<hw::system::event_chip>(is) ? "switch" : "router";
}

trace::logged_chip::link_layer layer_of(const system_plan& plan, engine::chip_id id) {
    const hw::system::planned_cable& cable = plan.cable_at(id);
    if (!cable.layer) return {cable.link.delay, 0, 0, 0};
    const hw::chips::link_config config = hw::system::config_of(plan, cable);
    return {config.delay, static_cast<unsigned>(config.frame), config.trailer_symbols(), config.set_symbols()};
}

}  // namespace

std::vector<hw::engine::pin_shape> shapes_of(const hw::engine::chip_network& chips) {
    std::vector<hw::engine::pin_shape> shapes;
    for (hw::engine::chip_id id = 0; id < chips.size(); ++id) shapes.push_back(chips.at(id).shape());
    return shapes;
}

trace::logged_network described(const system_plan& plan, const std::string& network, const std::string& workload) {
    trace::logged_network all{network, workload, {}};
    const std::uint32_t pipeline = plan.params.route_delay + plan.params.crossbar_delay;
    for (hw::engine::chip_id id = 0; id < plan.chips.size(); ++id)
        all.chips.push_back({plan.chips[id].name, kind_of(plan.chips[id].is), plan.forwards(id) ? pipeline : 0, {}});
    for (auto id = static_cast<engine::chip_id>(plan.chips.size()); id < plan.chip_count(); ++id)
        all.chips.push_back({plan.name_of(id), "cable", 0, {}, layer_of(plan, id)});
    const auto add = [&](engine::port_id from, engine::port_id to, unsigned delay, engine::port_id sender,
                         unsigned chunk_flits) {
        all.chips[from.chip].cables.push_back({from.port, to.chip, to.port, delay,
                                               plan.credits(sender).front() * chunk_flits,
                                               plan.reserve() * chunk_flits});
    };
    const auto both = [&](engine::port_id a, engine::port_id b, unsigned delay, engine::port_id from_a,
                          engine::port_id from_b, unsigned chunk_flits) {
        add(a, b, delay, from_a, chunk_flits);
        add(b, a, delay, from_b, chunk_flits);
    };
    for (const hw::system::planned_cable& cable : plan.cables)
        if (!cable.is_chip()) both(cable.a, cable.b, cable.link.delay, cable.a, cable.b, cable.link.chunk_flits);
    for (auto id = static_cast<engine::chip_id>(plan.chips.size()); id < plan.chip_count(); ++id) {
        const hw::system::planned_cable& cable = plan.cable_at(id);
        both(cable.a, {id, 0}, 0, cable.a, cable.b, cable.link.chunk_flits);
        both({id, 1}, cable.b, 0, cable.a, cable.b, cable.link.chunk_flits);
    }
    return all;
}

logged_packets::logged_packets(const packet_log_request& wish, const std::string& network, const system_plan& plan,
                               const hw::engine::chip_network& chips)
    : file(wish.file),
      window(wish.window),
      database(wish.file, described(plan, network, wish.workload)),
      log(shapes_of(chips), plan.header_shape(), wish.window, database),
      plan_(plan),
      chips_(chips) {
    all.add(log);
    if (!plan.host.hangs.empty()) {
        std::vector<engine::chip_id> hosts;
        for (const hw::host::hang_order& each : plan.host.hangs) hosts.push_back(plan.host_chip(each.host));
        all.add(hangs_.emplace(hosts, wish.window, database));
    }
    if (plan.layered.empty()) return;
    std::vector<engine::chip_id> ends;  // those without a link layer repeat nothing
    for (auto id = static_cast<engine::chip_id>(plan.chips.size()); id < plan.chip_count(); ++id)
        if (plan.cable_at(id).layer) ends.push_back(id);
    all.add(replays_.emplace(ends, wish.window, database));
}

void logged_packets::finish(engine::cycle end) {
    log.finish();
    if (replays_) {
        replays_->finish(end);
        add_faults();
    }
    if (hangs_) hangs_->finish(end);
    database.finish(end);
}

/// The first ones of every cable, as in tables/faults.csv.
void logged_packets::add_faults() {
    for (auto id = static_cast<engine::chip_id>(plan_.chips.size()); id < plan_.chip_count(); ++id)
        for (const hw::chips::cable_damage::record& fault : hw::system::report_of(chips_, id).damage.first)
            if (fault.when >= window.from && fault.when < window.to)
                database.add(trace::logged_fault{id, fault.from_end, fault.when, hw::faults::fault_names[fault.what],
                                                 hw::faults::effect_names[fault.effect], fault.detail});
}

}  // namespace polycast::tlm::sim
