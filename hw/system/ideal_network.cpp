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
    if (units.empty()) return plan;
    // All units are alike, so each is as large as the largest has to be.
    chips::coding_params coding = units.front().params;
    for (const fabric::unit_setup& unit : units) {
        plan.router_at(unit.node).tables.credits[mesh.router.first_host_port() + 1] = mesh.router.vc_flits;
        coding.slots = std::max(coding.slots, unit.params.slots);
        coding.indices = std::max(coding.indices, unit.params.indices);
        coding.destinations = std::max(coding.destinations, unit.params.destinations);
    }
    for (const fabric::unit_setup& unit : units) plan.add_unit(coding, unit.registers);
    return plan;
}

ideal_watch::ideal_watch(const system_plan& plan, const fabric::fabric_params& mesh, cycle end, bool links,
                         cycle review)
    : plan_(plan), first_host_port_(mesh.router.first_host_port()), models_(plan.switch_count()) {
    const cycle late = crossing(mesh);
    const auto border_at = [&](cycle at) { return border{at, at > engine::never - late ? engine::never : at + late}; };
    end_ = border_at(end);
    review_ = border_at(review);
    if (links) first_.links.emplace(mesh);
    if (links && review != engine::never) rest_.links.emplace(mesh);
    model_pins_.emplace_back(mesh.router.pin_shape());
}

void ideal_watch::stepped(engine::chip_id id, cycle now, const engine::pins& in, const engine::pins& out,
                          const engine::chip& chip) {
    if ((in.valid | in.credit) != 0) last_move_ = std::max(last_move_, now);
    if (out.error != 0) note_errors(id, now, out);
    if (plan_.forwards(id)) {
        count_router(id, now, in, chip);
    } else if (!plan_.is_host(id)) {
        if (units_ != nullptr) units_->stepped(id - plan_.units.front(), now, in, out, chip);
    } else if (tally* const now_in = tally_of(now, &border::sent); in.valid != 0 && now_in != nullptr) {
        const std::uint16_t ends = in.head != 0 ? chips::flit_info::head : std::uint16_t{0};
        if (now_in->links) now_in->links->into_terminal(id - plan_.hosts.front(), ends);
    }
    if (all_ != nullptr) all_->stepped(id, now, in, out, chip);
}

void ideal_watch::count_router(std::uint32_t node, cycle now, const engine::pins& in, const engine::chip& chip) {
    tally* const read = tally_of(now, &border::read);
    tally* const sent = tally_of(now, &border::sent);
    for (std::uint64_t set = in.valid; set != 0; set &= set - 1) {
        const unsigned port = chips::lowest(set);
        const std::uint16_t ends = (in.head >> port & 1) != 0 ? chips::flit_info::head : std::uint16_t{0};
        if (read != nullptr && read->links) read->links->into_router(node, port, ends);
        if (port < first_host_port_ && sent != nullptr) ++sent->flit_hops;
    }
    const auto* router = dynamic_cast<const chips::router_core*>(&chip);
    if (router == nullptr) {
        std::unique_ptr<chips::router_core>& model = models_[node];
        if (!model)
            model = std::make_unique<chips::router_core>(plan_.router_at(node).params, plan_.router_at(node).tables);
        model_pins_.front().clear();
        model->step(now, in, model_pins_.front());
        router = model.get();
    }
    tally* const next = tally_of(now + 1, &border::read);
    if (next != nullptr && router->awake()) ++next->router_steps;
}

ideal_watch::tally ideal_watch::counted(bool to_review) const {
    tally all = first_;
    if (to_review) return all;
    if (rest_.links) *all.links += *rest_.links;
    all.flit_hops += rest_.flit_hops;
    all.router_steps += rest_.router_steps;
    return all;
}

void ideal_watch::note_errors(engine::chip_id id, cycle now, const engine::pins& out) {
    constexpr std::size_t kept = 20;
    error_count_ += static_cast<unsigned>(std::popcount(out.error));
    for (std::uint64_t set = out.error; set != 0 && errors_.size() < kept; set &= set - 1) {
        const unsigned port = chips::lowest(set);
        errors_.push_back({now + 1, {id, port}, out.errors[port]});
    }
}

host_factory ideal_hosts(const fabric::fabric_params& mesh, host::ideal_work& work) {
    return [&mesh, &work](const system_plan&, std::uint32_t host) {
        return std::make_unique<host::ideal_host>(mesh, host, work);
    };
}

}  // namespace polycast::hw::system
