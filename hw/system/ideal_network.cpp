// SPDX-License-Identifier: Apache-2.0
#include "hw/system/ideal_network.h"

#include <algorithm>
#include <bit>

#include "hw/chips/port_set.h"
#include "hw/system/mesh_plan.h"

namespace polycast::hw::system {

using engine::cycle;

system_plan make_ideal_plan(const fabric::fabric_params& mesh, const std::vector<fabric::unit_setup>& units) {
    system_plan plan = make_plan(mesh, system_params{});
    for (const fabric::unit_setup& unit : units) {
        plan.units.push_back(unit.registers);
        plan.router_tables[unit.node].credits[mesh.router.first_host_port() + 1] = mesh.router.vc_flits;
        // All units are alike, so each is as large as the largest has to be.
        if (&unit == &units.front()) plan.coding = unit.params;
        plan.coding.slots = std::max(plan.coding.slots, unit.params.slots);
        plan.coding.indices = std::max(plan.coding.indices, unit.params.indices);
        plan.coding.destinations = std::max(plan.coding.destinations, unit.params.destinations);
    }
    return plan;
}

ideal_watch::ideal_watch(const system_plan& plan, const fabric::fabric_params& mesh, cycle end, bool links)
    : plan_(plan),
      end_(end),
      late_end_(end > engine::never - crossing(mesh) ? engine::never : end + crossing(mesh)),
      first_host_port_(mesh.router.first_host_port()),
      models_(plan.chips()) {
    if (links) links_.emplace(mesh);
    model_pins_.emplace_back(mesh.router.pin_shape());
}

void ideal_watch::stepped(engine::chip_id id, cycle now, const engine::pins& in, const engine::pins& out,
                          const engine::chip& chip) {
    if ((in.valid | in.credit) != 0) last_move_ = std::max(last_move_, now);
    if (out.error != 0) note_errors(id, now, out);
    if (id < plan_.chips()) {
        count_router(id, now, in, chip);
    } else if (id >= plan_.unit_chip(0)) {
        if (units_ != nullptr) units_->stepped(id - plan_.unit_chip(0), now, in, out, chip);
    } else if (in.valid != 0 && links_ && now < late_end_) {
        links_->into_terminal(id - plan_.host_chip(0), in.head != 0 ? chips::flit_info::head : std::uint16_t{0});
    }
    if (all_ != nullptr) all_->stepped(id, now, in, out, chip);
}

void ideal_watch::count_router(std::uint32_t node, cycle now, const engine::pins& in, const engine::chip& chip) {
    for (std::uint64_t set = in.valid; set != 0; set &= set - 1) {
        const unsigned port = chips::lowest(set);
        const bool head = (in.head >> port & 1) != 0;
        if (links_ && now < end_) links_->into_router(node, port, head ? chips::flit_info::head : std::uint16_t{0});
        if (port < first_host_port_ && now < late_end_) ++flit_hops_;
    }
    const auto* router = dynamic_cast<const chips::router_core*>(&chip);
    if (router == nullptr) {
        std::unique_ptr<chips::router_core>& model = models_[node];
        if (!model) model = std::make_unique<chips::router_core>(plan_.routers[node], plan_.router_tables[node]);
        model_pins_.front().clear();
        model->step(now, in, model_pins_.front());
        router = model.get();
    }
    if (router->awake() && now + 1 < end_) ++router_steps_;
}

void ideal_watch::note_errors(engine::chip_id id, cycle now, const engine::pins& out) {
    constexpr std::size_t kept = 20;
    error_count_ += static_cast<unsigned>(std::popcount(out.error));
    for (std::uint64_t set = out.error; set != 0 && errors_.size() < kept; set &= set - 1) {
        const unsigned port = chips::lowest(set);
        errors_.push_back({now + 1, {id, port}, out.errors[port]});
    }
}

void build_ideal(engine::chip_network& network, const system_plan& plan, const fabric::fabric_params& mesh,
                 host::ideal_work& work, const switch_factory& routers, const unit_factory& units) {
    for (const chips::coding_registers& unit : plan.units) chips::check_progress(plan.coding, unit);
    for (std::uint32_t index = 0; index < plan.chips(); ++index)
        network.add(routers(plan, index), plan.network.switches[index].name);
    for (std::uint32_t host = 0; host < plan.network.hosts.size(); ++host)
        network.add(std::make_unique<host::ideal_host>(mesh, host, work), plan.network.hosts[host].name);
    for (std::uint32_t index = 0; index < plan.units.size(); ++index)
        network.add(units(plan, index), plan.unit_name(index));
    for (const topology::link& link : plan.network.links())
        network.connect({link.a.chip, link.a.port}, {link.b.chip, link.b.port}, plan.link());
    for (std::uint32_t host = 0; host < plan.network.hosts.size(); ++host) {
        const topology::host_node& node = plan.network.hosts[host];
        network.connect({node.chip, node.port}, {plan.host_chip(host), 0}, plan.link());
    }
    for (std::uint32_t index = 0; index < plan.units.size(); ++index)
        network.connect(plan.unit_port(index), {plan.unit_chip(index), 0}, plan.link());
}

}  // namespace polycast::hw::system
