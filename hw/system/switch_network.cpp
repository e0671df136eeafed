// SPDX-License-Identifier: Apache-2.0
#include "hw/system/switch_network.h"

#include <algorithm>
#include <bit>

#include "hw/chips/switch_core.h"
#include "hw/routing/wait_cycle.h"

namespace polycast::hw::system {

std::unique_ptr<engine::chip> make_core(const system_plan& plan, std::uint32_t index) {
    return std::make_unique<chips::switch_core>(plan.switches[index], plan.tables[index]);
}

switch_network::switch_network(const system_plan& plan, const switch_factory& switches, const host_factory& hosts,
                               const traffic::scoreboard& board)
    : plan_(&plan), board_(&board) {
    for (std::uint32_t index = 0; index < plan.switches.size(); ++index)
        network_.add(switches(plan, index), plan.network.switches[index].name);
    for (std::uint32_t number = 0; number < plan.network.hosts.size(); ++number) {
        std::unique_ptr<host::host_chip> chip = hosts(plan, number);
        hosts_.push_back(chip.get());
        network_.add(std::move(chip), plan.network.hosts[number].name);
    }
    for (const topology::link& link : plan.network.links())
        network_.connect({link.a.chip, link.a.port}, {link.b.chip, link.b.port}, plan.link());
    for (std::uint32_t host = 0; host < plan.network.hosts.size(); ++host) {
        const topology::host_node& node = plan.network.hosts[host];
        network_.connect({node.chip, node.port}, {host_chip(host), 0}, plan.link());
    }
}

std::optional<run_outcome> judge(const system_plan& plan, const traffic::scoreboard& board, const run_limits& limits,
                                 const run_view& view, const std::function<bool(engine::cycle)>& stop) {
    run_outcome outcome;
    const auto chips = static_cast<engine::chip_id>(plan.switches.size() + plan.network.hosts.size());
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
    const bool over = view.over || ((board.complete() || waits) && nothing_left());
    if (over && board.complete()) {
        for (const traffic::transfer_record& record : board.transfers()) {
            outcome.cycles = std::max(outcome.cycles, record.completed + 1);
        }
        return outcome;
    }
    outcome.cycles = view.now;
    const auto holds_something = [&] {
        for (engine::chip_id chip = 0; chip < plan.switches.size(); ++chip) {
            if (!view.chip(chip).idle()) return true;
        }
        return false;
    };
    if (over || (waits && holds_something())) {
        outcome.ended = run_outcome::kind::stuck;
        outcome.diagnosis = diagnose(plan, board, [&](engine::chip_id chip) {
            engine::chip_probe probe;
            view.chip(chip).probe(probe);
            return probe;
        });
        for (engine::chip_id id = static_cast<engine::chip_id>(plan.switches.size()); id < chips; ++id) {
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
        if (std::optional<run_outcome> outcome = judge(*plan_, *board_, limits, view, stop)) return *outcome;
    }
}

std::string diagnose(const system_plan& plan, const traffic::scoreboard& board,
                     const std::function<engine::chip_probe(engine::chip_id)>& probe_of) {
    std::vector<routing::wait> waits;
    for (std::uint32_t index = 0; index < plan.switches.size(); ++index) {
        const engine::chip_probe probe = probe_of(index);
        const topology::switch_node& node = plan.network.switches[index];
        for (unsigned input = 0; input < probe.inputs.size(); ++input) {
            const std::string waiter = "input " + plan.network.port_text(index, input);
            for (std::uint64_t set = probe.inputs[input].waiting; set != 0; set &= set - 1) {
                const auto output = static_cast<unsigned>(std::countr_zero(set));
                if (!probe.outputs[output].held) continue;
                waits.push_back({waiter, "input " + plan.network.port_text(index, probe.outputs[output].holder),
                                 "output " + plan.network.port_text(index, output)});
            }
            for (std::uint64_t set = probe.inputs[input].reading; set != 0; set &= set - 1) {
                const auto output = static_cast<unsigned>(std::countr_zero(set));
                if (probe.outputs[output].credits != 0) continue;
                const topology::port_end& end = node.ports[output];
                const std::string holder = end.kind == topology::port_end::leads_to::host
                                               ? "host " + plan.network.hosts[end.index].name
                                               : "input " + plan.network.port_text(end.index, end.port);
                waits.push_back({waiter, holder, "a credit for output " + plan.network.port_text(index, output)});
            }
        }
    }
    for (std::uint32_t host = 0; host < plan.network.hosts.size(); ++host) {
        const engine::chip_probe probe = probe_of(static_cast<engine::chip_id>(plan.switches.size() + host));
        if (probe.outputs.empty() || !probe.outputs[0].held || probe.outputs[0].credits != 0) continue;
        const topology::host_node& node = plan.network.hosts[host];
        waits.push_back({"host " + node.name, "input " + plan.network.port_text(node.chip, node.port), "a credit"});
    }
    std::string text = "no flit moves; the oldest packet is " + board.oldest_missing();
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
