// SPDX-License-Identifier: Apache-2.0
#include "hw/system/switch_network.h"

#include <algorithm>
#include <bit>

#include "hw/chips/coding/coding_core.h"
#include "hw/chips/router/router_core.h"
#include "hw/chips/switch/switch_core.h"
#include "hw/format/packet_format.h"
#include "hw/routing/wait_cycle.h"

namespace polycast::hw::system {

std::string event_text(const system_plan& plan, const engine::event_record& event) {
    const auto code = static_cast<format::coding_event>(event.event.code);
    return "cycle " + std::to_string(event.when) + ": " + plan.unit_name(event.chip - plan.unit_chip(0)) + " raises " +
           std::string(format::name_of(code)) + ": context " + std::to_string(event.event.context) + ", index " +
           std::to_string(event.event.index) + ", source " + std::to_string(event.event.source);
}

std::unique_ptr<engine::chip> make_core(const system_plan& plan, std::uint32_t index) {
    if (plan.has_routers()) return std::make_unique<chips::router_core>(plan.routers[index], plan.router_tables[index]);
    return std::make_unique<chips::switch_core>(plan.switches[index], plan.tables[index]);
}

std::unique_ptr<engine::chip> make_unit_core(const system_plan& plan, std::uint32_t index) {
    return std::make_unique<chips::coding_core>(plan.coding, plan.units[index]);
}

switch_network::switch_network(const system_plan& plan, const switch_factory& switches, const host_factory& hosts,
                               const traffic::goal& goal, const unit_factory& units)
    : plan_(&plan), goal_(&goal) {
    for (const chips::coding_registers& unit : plan.units) chips::check_progress(plan.coding, unit);
    for (std::uint32_t index = 0; index < plan.chips(); ++index)
        network_.add(switches(plan, index), plan.network.switches[index].name);
    for (std::uint32_t number = 0; number < plan.network.hosts.size(); ++number) {
        std::unique_ptr<host::host_chip> chip = hosts(plan, number);
        hosts_.push_back(chip.get());
        network_.add(std::move(chip), plan.network.hosts[number].name);
    }
    for (std::uint32_t index = 0; index < plan.units.size(); ++index)
        network_.add(units(plan, index), plan.unit_name(index));
    for (const topology::link& link : plan.network.links())
        network_.connect({link.a.chip, link.a.port}, {link.b.chip, link.b.port}, plan.link());
    for (std::uint32_t host = 0; host < plan.network.hosts.size(); ++host) {
        const topology::host_node& node = plan.network.hosts[host];
        network_.connect({node.chip, node.port}, {host_chip(host), 0}, plan.link());
    }
    for (std::uint32_t index = 0; index < plan.units.size(); ++index)
        network_.connect(plan.unit_port(index), {plan.unit_chip(index), 0}, plan.link());
}

std::optional<run_outcome> judge(const system_plan& plan, const traffic::goal& goal, const run_limits& limits,
                                 const run_view& view, const std::function<bool(engine::cycle)>& stop) {
    run_outcome outcome;
    const engine::chip_id chips = plan.all_chips();
    // Interfaces whose firmware polls never sleep: it is over as well when nobody has anything left to do.
    const auto nothing_left = [&] {
        for (engine::chip_id id = 0; id < chips; ++id) {
            const engine::chip& chip = view.chip(id);
            const auto* const host = dynamic_cast<const host::host_chip*>(&chip);
            if (!chip.idle() || (host != nullptr && !host->finished())) return false;
        }
        return true;
    };
    const bool waits = view.now > limits.patience && view.now - view.last_flit > limits.patience;
    const bool over = view.over || (!view.open && (goal.complete() || waits) && nothing_left());
    if (over && goal.complete()) {
        outcome.cycles = goal.delivered_until();
        return outcome;
    }
    outcome.cycles = view.now;
    const auto holds_something = [&] {
        const auto busy = [&](engine::chip_id chip) { return !view.chip(chip).idle(); };
        for (engine::chip_id chip = 0; chip < plan.chips(); ++chip)
            if (busy(chip)) return true;
        for (engine::chip_id chip = plan.unit_chip(0); chip < chips; ++chip)
            if (busy(chip)) return true;
        return false;
    };
    if (over || (waits && holds_something())) {
        outcome.ended = run_outcome::kind::stuck;
        outcome.diagnosis = diagnose(plan, goal, [&](engine::chip_id chip) {
            engine::chip_probe probe;
            view.chip(chip).probe(probe);
            return probe;
        });
        for (engine::chip_id id = plan.host_chip(0); id < chips; ++id) {
            const auto* const host = dynamic_cast<const host::host_chip*>(&view.chip(id));
            if (host == nullptr) continue;
            for (const std::string& failure : host->failures()) outcome.diagnosis += "; " + failure;
        }
        return outcome;
    }
    if (view.now >= limits.cycles) {
        outcome.ended = run_outcome::kind::limit;
        return outcome;
    }
    if (stop && stop(view.now)) {
        outcome.ended = run_outcome::kind::stopped;
        return outcome;
    }
    return std::nullopt;
}

std::vector<std::string> switch_network::failures() const {
    std::vector<std::string> all;
    for (const host::host_chip* const chip : hosts_)
        for (std::string& failure : chip->failures()) all.push_back(std::move(failure));
    for (const engine::event_record& event : network_.events()) all.push_back(event_text(*plan_, event));
    return all;
}

interface_totals switch_network::totals() const {
    interface_totals totals;
    for (const host::host_chip* const chip : hosts_) totals.add(*chip);
    return totals;
}

run_outcome switch_network::run(const run_limits& limits, const std::function<bool(engine::cycle)>& stop) {
    run_view view;
    view.chip = [this](engine::chip_id chip) -> const engine::chip& { return network_.at(chip); };
    while (true) {
        view.over = network_.run(std::min(limits.cycles, network_.now() + slice));
        view.now = network_.now();
        view.last_flit = network_.last_flit();
        if (std::optional<run_outcome> outcome = judge(*plan_, *goal_, limits, view, stop)) return *outcome;
    }
}

namespace {

/// Who waits for whom. Inputs and outputs are virtual channels of ports: entry port x virtual channels + channel.
class wait_finder {
public:
    wait_finder(const system_plan& plan, const std::function<engine::chip_probe(engine::chip_id)>& probe_of)
        : plan_(plan), vcs_(plan.vcs()) {
        for (std::uint32_t chip = 0; chip < plan.chips(); ++chip) look_at_chip(chip, probe_of(chip));
        for (std::uint32_t host = 0; host < plan.network.hosts.size(); ++host)
            look_at_host(host, probe_of(plan.host_chip(host)));
    }

    const std::vector<routing::wait>& found() const { return waits_; }

private:
    std::string text(std::uint32_t chip, unsigned entry) const {
        const std::string port = plan_.network.port_text(chip, entry / vcs_);
        return vcs_ == 1 ? port : port + " vc" + std::to_string(entry % vcs_);
    }

    void look_at_chip(std::uint32_t chip, const engine::chip_probe& probe) {
        for (unsigned input = 0; input < probe.inputs.size(); ++input) {
            const std::string waiter = "input " + text(chip, input);
            for (std::uint64_t set = probe.inputs[input].waiting; set != 0; set &= set - 1) {
                const unsigned first = static_cast<unsigned>(std::countr_zero(set)) * vcs_;
                for (unsigned output = first; output < first + vcs_; ++output) {
                    if (probe.outputs[output].held) {
                        waits_.push_back({waiter, "input " + text(chip, probe.outputs[output].holder),
                                          "output " + text(chip, output)});
                    } else if (plan_.has_routers()) {
                        look_at_credits(chip, waiter, output, probe.outputs[output].credits, reserve());
                    }
                }
            }
            for (std::uint64_t set = probe.inputs[input].reading; set != 0; set &= set - 1) {
                const unsigned first = static_cast<unsigned>(std::countr_zero(set)) * vcs_;
                for (unsigned output = first; output < first + vcs_; ++output)
                    if (vcs_ == 1 || (probe.outputs[output].held && probe.outputs[output].holder == input))
                        look_at_credits(chip, waiter, output, probe.outputs[output].credits, 1);
            }
        }
    }

    void look_at_credits(std::uint32_t chip, const std::string& waiter, unsigned output, unsigned credits,
                         unsigned needed) {
        if (credits >= needed) return;
        const topology::port_end& end = plan_.network.switches[chip].ports[output / vcs_];
        using kind = topology::port_end::leads_to;
        const std::string holder = end.kind == kind::host ? "host " + plan_.network.hosts[end.index].name
                                   : end.kind == kind::chip
                                       ? "input " + text(end.index, end.port * vcs_ + output % vcs_)
                                       : "unit" + std::to_string(chip);
        waits_.push_back({waiter, holder, credits_text(needed) + " for output " + text(chip, output)});
    }

    void look_at_host(std::uint32_t host, const engine::chip_probe& probe) {
        const topology::host_node& node = plan_.network.hosts[host];
        for (unsigned vc = 0; vc < probe.outputs.size(); ++vc)
            if (probe.outputs[vc].held && probe.outputs[vc].credits == 0)
                waits_.push_back(
                    {"host " + node.name, "input " + text(node.chip, node.port * vcs_ + vc), credits_text(1)});
    }

    /// Credits with which a packet begins on a virtual channel of a router.
    unsigned reserve() const { return plan_.host.interface.reserve; }
    static std::string credits_text(unsigned count) {
        return count == 1 ? "a credit" : std::to_string(count) + " credits";
    }

    const system_plan& plan_;
    unsigned vcs_;
    std::vector<routing::wait> waits_;
};

}  // namespace

std::string diagnose(const system_plan& plan, const traffic::goal& goal,
                     const std::function<engine::chip_probe(engine::chip_id)>& probe_of) {
    const std::vector<routing::wait> waits = wait_finder(plan, probe_of).found();
    std::string text = "no flit moves; the oldest packet is " + goal.oldest_missing();
    const std::vector<routing::wait> cycle = routing::find_wait_cycle(waits);
    if (!cycle.empty()) return text + "; wait cycle: " + routing::wait_cycle_text(cycle);
    constexpr std::size_t most = 10;
    for (std::size_t index = 0; index < std::min(most, waits.size()); ++index) {
        text += (index == 0 ? "; waiting: " : ", ") + waits[index].waiter + " for " + waits[index].holder + " (" +
                waits[index].reason + ")";
    }
    return text;
}

}  // namespace polycast::hw::system
