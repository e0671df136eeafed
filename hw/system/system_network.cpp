// SPDX-License-Identifier: Apache-2.0
#include "hw/system/system_network.h"

#include <algorithm>
#include <bit>

#include "hw/chips/broadcast/broadcast_router_core.h"
#include "hw/chips/coding/coding_core.h"
#include "hw/chips/link/cable.h"
#include "hw/chips/router/router_core.h"
#include "hw/chips/switch/switch_core.h"
#include "hw/chips/vl_switch/vl_switch_core.h"
#include "hw/format/packet_format.h"
#include "hw/routing/wait_cycle.h"
#include "hw/system/chip_upsets.h"
#include "hw/system/diagnosis.h"
#include "hw/system/link_layer.h"

namespace polycast::hw::system {

std::string event_text(const system_plan& plan, const engine::event_record& event) {
    const auto code = static_cast<format::coding_event>(event.event.code);
    return "cycle " + std::to_string(event.when) + ": " + plan.chips[event.chip].name + " raises " +
           std::string(format::name_of(code)) + ": context " + std::to_string(event.event.context) + ", index " +
           std::to_string(event.event.index) + ", source " + std::to_string(event.event.source);
}

std::unique_ptr<engine::chip_network> make_engine(const system_plan&) {
    return std::make_unique<engine::network>();
}

std::unique_ptr<engine::chip> make_core(const system_plan& plan, engine::chip_id id) {
    if (plan.is_cable(id)) return make_cable(plan, id);
    const chip_kind& is = plan.chips[id].is;
    if (const auto* chip = std::get_if<switch_chip>(&is))
        return with_upsets(plan, id, std::make_unique<chips::switch_core>(chip->params, chip->tables));
    if (const auto* chip = std::get_if<vl_switch_chip>(&is))
        return std::make_unique<chips::vl_switch_core>(chip->params, chip->tables);
    if (const auto* chip = std::get_if<router_chip>(&is))
        return with_upsets(plan, id, std::make_unique<chips::router_core>(chip->params, chip->tables));
    if (const auto* chip = std::get_if<coding_chip>(&is))
        return std::make_unique<chips::coding_core>(chip->params, chip->registers);
    if (const auto* chip = std::get_if<broadcast_chip>(&is))
        return std::make_unique<chips::broadcast_router_core>(chip->params, chip->registers);
    return std::make_unique<chips::event_switch>(std::get<event_chip>(is).params);
}

void build(engine::chip_network& network, const system_plan& plan, const chip_factory& chips, const host_factory& hosts,
           const std::function<bool(std::uint32_t host)>& own) {
    for (std::uint32_t index = 0; index < plan.units.size(); ++index)
        chips::check_progress(plan.unit_at(index).params, plan.unit_at(index).registers);
    // Of cables that can be cut all processes have all: halves are made of them.
    const bool some = plan.layered.empty() && !own;
    for (engine::chip_id id = 0; id < plan.chips.size(); ++id) {
        const auto* const place = std::get_if<host_place>(&plan.chips[id].is);
        if (std::unique_ptr<engine::chip> absent = some ? network.stand_in(id) : nullptr) {
            network.add(std::move(absent), plan.chips[id].name);
        } else if (place == nullptr) {
            network.add(chips(plan, id), plan.chips[id].name);
        } else if (!own || !own(place->number)) {
            network.add(hosts(plan, place->number), plan.chips[id].name);
        }
    }
    for (const planned_cable& cable : plan.cables)
        if (!cable.is_chip()) network.connect(cable.a, cable.b, cable.link);
    if (some) network.complete();
    for (auto id = static_cast<engine::chip_id>(plan.chips.size()); id < plan.chip_count(); ++id) {
        const planned_cable& cable = plan.cable_at(id);
        network.add(chips(plan, id), plan.name_of(id));
        network.connect(cable.a, {id, 0}, {0, cable.link.chunk_flits});
        network.connect({id, 1}, cable.b, {0, cable.link.chunk_flits});
    }
}

std::optional<run_outcome> judge(const system_plan& plan, const engine::chip_network& network,
                                 const traffic::goal& goal, const run_limits& limits, const run_view& view,
                                 const std::function<bool(engine::cycle)>& stop) {
    run_outcome outcome;
    const auto busy = [&](engine::chip_id id) { return !network.idle(id); };
    const engine::cycle now = network.now();
    const engine::cycle last = network.last_flit();
    const auto nothing_left = [&] {
        for (engine::chip_id id = 0; id < network.size(); ++id)
            if (busy(id) || !network.finished(id)) return false;
        return limits.settle == 0 || now > last + limits.settle;
    };
    const auto silent_for = [&](engine::cycle patience) {
        return now > patience && now > last && now - last > patience;
    };
    const bool waits = silent_for(limits.patience) && silent_for(limits.patience + longest_silence(plan));
    const bool ideal = limits.settle == engine::never;
    const bool over = view.over || (!view.open && !ideal && (goal.complete() || waits) && nothing_left());
    if (over && goal.complete()) {
        outcome.cycles = goal.delivered_until();
        return outcome;
    }
    outcome.cycles = now;
    const auto lacks_something = [&] {
        if (ideal) return !goal.complete();
        for (engine::chip_id id = 0; id < network.size(); ++id)
            if (!plan.is_host(id) && busy(id)) return true;
        return false;
    };
    // Wires that flip make flits out of nothing, routes that flip send packets round, and firmware that was hit may go
    // round itself, so that something may move for ever: then what is delivered counts.
    const auto nothing_arrives_for = [&](engine::cycle patience) {
        constexpr engine::cycle deliveries = 4;
        return now > goal.delivered_until() && (now - goal.delivered_until()) / deliveries > patience;
    };
    const bool babbles = (nothing_arrives_for(limits.patience) && plain_cable_was_hit(plan, network)) ||
                         (nothing_arrives_for(limits.patience + limits.retries) && memory_was_hit(plan, network));
    if (over || babbles || (waits && lacks_something() && !recovers(plan, network))) {
        outcome.ended = run_outcome::kind::stuck;
        outcome.diagnosis = diagnose(plan, goal, network);
        outcome.quiet = nothing_left();
        for (const std::string& failure : host_failures(plan, network)) outcome.diagnosis += "; " + failure;
        return outcome;
    }
    if (now == limits.review && limits.give_up()) {
        outcome.ended = run_outcome::kind::saturated;
        return outcome;
    }
    if (now >= limits.cycles) {
        outcome.ended = run_outcome::kind::limit;
        return outcome;
    }
    if (stop && stop(now)) {
        outcome.ended = run_outcome::kind::stopped;
        return outcome;
    }
    return std::nullopt;
}

std::vector<std::string> host_failures(const system_plan& plan, const engine::chip_network& network) {
    std::vector<std::string> all;
    for (const engine::chip_id id : plan.hosts)
        for (std::string& failure : network.report(id).failures) all.push_back(std::move(failure));
    return all;
}

interface_totals totals_of(const system_plan& plan, const engine::chip_network& network) {
    interface_totals totals;
    for (const engine::chip_id id : plan.hosts)
        if (const auto host = host::host_report::of(network.report(id))) totals.add(*host);
    return totals;
}

system_network::system_network(const system_plan& plan, const chip_factory& chips, const host_factory& hosts,
                               const traffic::goal& goal, const stepper_factory& stepper)
    : plan_(&plan), goal_(&goal), network_(stepper(plan)) {
    build(*network_, plan, chips, hosts);
}

const host::host_chip& system_network::host(std::uint32_t number) const {
    return dynamic_cast<const host::host_chip&>(network_->at(plan_->host_chip(number)));
}

std::vector<std::string> system_network::failures() const {
    std::vector<std::string> all = host_failures(*plan_, *network_);
    for (const engine::event_record& event : network_->events()) all.push_back(event_text(*plan_, event));
    return all;
}

run_outcome system_network::run(const run_limits& limits, const std::function<bool(engine::cycle)>& stop) {
    std::optional<run_outcome> outcome;
    network_->run_slices(limits.slices(), [&](bool over) {
        outcome = judge(*plan_, *network_, *goal_, limits, {over, false}, stop);
        return outcome.has_value();
    });
    return *outcome;
}

namespace {

/// Who waits for whom. Inputs and outputs are virtual channels of ports: entry port x virtual channels + channel.
class wait_finder {
public:
    wait_finder(const system_plan& plan, const engine::chip_network& network)
        : plan_(plan), vcs_(plan.vcs()), peers_(plan.peers()) {
        for (engine::chip_id id = 0; id < plan.chips.size(); ++id) {
            engine::chip_probe probe;
            network.probe(id, probe);
            if (plan.forwards(id)) look_at_chip(id, probe);
            if (plan.is_host(id)) look_at_host(id, probe);
        }
    }

    const std::vector<routing::wait>& found() const { return waits_; }

private:
    std::string text(engine::chip_id chip, unsigned entry) const {
        const std::string port = plan_.port_text({chip, entry / vcs_});
        return vcs_ == 1 ? port : port + " vc" + std::to_string(entry % vcs_);
    }

    void look_at_chip(std::uint32_t chip, const engine::chip_probe& probe) {
        for (unsigned input = 0; input < probe.inputs.size(); ++input) {
            const std::string waiter = "input " + text(chip, input);
            for (std::uint64_t set = probe.inputs[input].waiting; set != 0; set &= set - 1) {
                const unsigned first = static_cast<unsigned>(std::countr_zero(set)) * vcs_;
                for (unsigned output = first; output < first + vcs_; ++output) {
                    if (probe.outputs[output].held) {
                        waits_.push_back(
                            {waiter, "input " + text(chip, holder(probe, output)), "output " + text(chip, output)});
                    } else if (plan_.has_routers() || plan_.has_lids()) {
                        look_at_credits(chip, waiter, output, probe.outputs[output].credits, plan_.reserve());
                    }
                }
            }
            for (std::uint64_t set = probe.inputs[input].reading; set != 0; set &= set - 1) {
                const unsigned first = static_cast<unsigned>(std::countr_zero(set)) * vcs_;
                for (unsigned output = first; output < first + vcs_; ++output)
                    if (vcs_ == 1 || (probe.outputs[output].held && holder(probe, output) == input))
                        look_at_credits(chip, waiter, output, probe.outputs[output].credits, 1);
            }
        }
    }

    /// Of a held output: the input that holds it. VL switches name its port; the lane is the one that reads.
    unsigned holder(const engine::chip_probe& probe, unsigned output) const {
        const unsigned named = probe.outputs[output].holder;
        if (!plan_.has_lids()) return named;
        for (unsigned input = named * vcs_; input < (named + 1) * vcs_; ++input)
            if ((probe.inputs[input].reading >> output / vcs_ & 1) != 0) return input;
        return named * vcs_;
    }

    void look_at_credits(std::uint32_t chip, const std::string& waiter, unsigned output, unsigned credits,
                         unsigned needed) {
        if (credits >= needed) return;
        const engine::port_id end = peers_[chip][output / vcs_];
        const std::string holder = end.chip == engine::chip_network::no_chip ? "nobody"
                                   : plan_.is_host(end.chip)                 ? "host " + plan_.port_text(end)
                                   : plan_.forwards(end.chip)
                                       ? "input " + text(end.chip, end.port * vcs_ + output % vcs_)
                                       : plan_.chips[end.chip].name;
        waits_.push_back({waiter, holder, credits_text(needed) + " for output " + text(chip, output)});
    }

    void look_at_host(engine::chip_id host, const engine::chip_probe& probe) {
        for (unsigned entry = 0; entry < probe.outputs.size(); ++entry) {
            if (!probe.outputs[entry].held || probe.outputs[entry].credits != 0) continue;
            const unsigned port = entry / vcs_;
            const engine::port_id to = peers_[host][port];
            waits_.push_back({"host " + plan_.port_text({host, port}),
                              "input " + text(to.chip, to.port * vcs_ + entry % vcs_), credits_text(1)});
        }
    }

    static std::string credits_text(unsigned count) {
        return count == 1 ? "a credit" : std::to_string(count) + " credits";
    }

    const system_plan& plan_;
    unsigned vcs_;
    std::vector<std::vector<engine::port_id>> peers_;
    std::vector<routing::wait> waits_;
};

}  // namespace

std::string diagnosis_head(const system_plan& plan, const traffic::goal& goal, const engine::chip_network& network) {
    const std::string oldest = goal.oldest_missing();
    std::string text = "no flit moves; " + (oldest.empty() ? "all known packets are delivered, and the run is not over"
                                                           : "the oldest packet is " + oldest);
    for (const std::string& link : lost_links(plan, network, most_named)) text += "; " + link;
    return text;
}

std::string diagnose(const system_plan& plan, const traffic::goal& goal, const engine::chip_network& network) {
    const std::vector<routing::wait> waits = wait_finder(plan, network).found();
    std::string text = diagnosis_head(plan, goal, network);
    const std::vector<routing::wait> cycle = routing::find_wait_cycle(waits);
    if (!cycle.empty()) return text + "; wait cycle: " + routing::wait_cycle_text(cycle);
    for (std::size_t index = 0; index < std::min(most_named, waits.size()); ++index) {
        text += (index == 0 ? "; waiting: " : ", ") + waits[index].waiter + " for " + waits[index].holder + " (" +
                waits[index].reason + ")";
    }
    return text;
}

}  // namespace polycast::hw::system
