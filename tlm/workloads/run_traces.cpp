// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/run_traces.h"

#include <algorithm>

#include "tlm/scenario/propose.h"

namespace polycast::tlm::sim {

using hw::engine::cycle;
using hw::engine::port_id;
using hw::system::system_plan;

namespace {

/// All chips with the names of what they are cabled to.
std::vector<trace::traced_chip> traced_chips(const system_plan& plan, const hw::engine::chip_network& network,
                                             const network_factory& factory) {
    const std::vector<std::vector<port_id>> peers = plan.peers();
    const auto peer_text = [&](port_id to) {
        if (to.chip == hw::engine::chip_network::no_chip) return std::string();
        const std::string& name = plan.chips[to.chip].name;
        if (plan.is_host(to.chip) && plan.host.interfaces == 1) return name;
        const bool unit = !plan.is_host(to.chip) && !plan.forwards(to.chip);
        return unit ? std::string() : name + " port" + std::to_string(to.port);
    };
    std::vector<trace::traced_chip> chips;
    const auto cable_chips = static_cast<hw::engine::chip_id>(plan.chips.size());
    for (hw::engine::chip_id id = 0; id < cable_chips; ++id) {
        trace::traced_chip chip{plan.chips[id].name, &network.at(id), {}};
        for (const port_id to : peers[id]) chip.peers.push_back(peer_text(to));
        if (plan.is_host(id) && factory.functions_of) chip.function_at = factory.functions_of(chip.name);
        chip.can_hang = std::ranges::any_of(
            plan.host.hangs, [&](const hw::host::hang_order& hang) { return plan.host_chip(hang.host) == id; });
        chips.push_back(std::move(chip));
    }
    for (hw::engine::chip_id id = cable_chips; id < plan.chip_count(); ++id) {
        const hw::system::planned_cable& cable = plan.cable_at(id);
        chips.push_back({plan.name_of(id), &network.at(id), {peer_text(cable.a), peer_text(cable.b)}});
    }
    return chips;
}

/// The wire that leads away from a port with a cable: the chip that the cable is, and the end at the port.
std::optional<port_id> wire_from(const system_plan& plan, const std::string& port) {
    for (auto id = static_cast<hw::engine::chip_id>(plan.chips.size()); id < plan.chip_count(); ++id) {
        if (plan.port_text(plan.cable_at(id).a) == port) return port_id{id, 0};
        if (plan.port_text(plan.cable_at(id).b) == port) return port_id{id, 1};
    }
    return std::nullopt;
}

trace::triggered_network triggered(const system_plan& plan, const hw::engine::chip_network& network) {
    trace::triggered_network all{described(plan, "", ""), shapes_of(network), plan.header_shape(), 1};
    all.chunk_flits = plan.link().chunk_flits;
    return all;
}

trace::trigger_config config_of(const scenario::trigger_settings& wanted, const system_plan& plan,
                                const trace::logged_network& network) {
    trace::trigger_config config;
    config.event = wanted.event.value();
    if (wanted.packet) config.packet = trace::packet_choice::from(*wanted.packet);
    if (wanted.chip && config.event == trace::trigger_event::fault) {
        const std::optional<port_id> wire = wire_from(plan, *wanted.chip);
        config.chip = wire.value().chip;
        config.end = wire->port;
    } else if (wanted.chip) {
        const auto chip = std::ranges::find(network.chips, *wanted.chip, &trace::logged_chip::name);
        config.chip = static_cast<hw::engine::chip_id>(chip - network.chips.begin());
    }
    config.cycles = wanted.cycles;
    config.occurrence = wanted.occurrence;
    return config;
}

}  // namespace

std::string text_of(const scenario::trigger_settings& trigger) {
    using event = trace::trigger_event;
    const std::string packet = trigger.packet ? "packet " + *trigger.packet : "a packet";
    const std::string chip = trigger.chip ? *trigger.chip : "";
    const std::string cycles = std::to_string(trigger.cycles) + " cycles";
    std::string text;
    switch (trigger.event.value()) {
        case event::injected: text = packet + " is injected" + (chip.empty() ? "" : " by " + chip); break;
        case event::passes: text = packet + " passes " + (chip.empty() ? "a chip" : chip); break;
        case event::delivered: text = packet + " is delivered" + (chip.empty() ? "" : " to " + chip); break;
        case event::dropped: text = packet + " is dropped" + (chip.empty() ? "" : " by " + chip); break;
        case event::error: text = "an error of " + (chip.empty() ? "a chip" : chip); break;
        case event::latency:
            text = packet + " takes " + cycles + " or more" + (chip.empty() ? "" : " to " + chip);
            break;
        case event::full: text = "a buffer of " + (chip.empty() ? "a chip" : chip) + " is full for " + cycles; break;
        case event::fault: text = "a fault" + (chip.empty() ? "" : " of the wire from " + chip); break;
    }
    return trigger.occurrence == 1 ? text : text + ", number " + std::to_string(trigger.occurrence);
}

void check_trigger(const scenario::loaded& scenario, const hw::topology::graph& network) {
    const scenario::trigger_settings& trigger = scenario.values.trace.trigger;
    using event = trace::trigger_event;
    if (trigger.packet && !trace::packet_choice::from(*trigger.packet)) {
        scenario.fail("trace.trigger.packet", "'trace.trigger.packet' cannot be '" + *trigger.packet + "'",
                      "a number as in packet logs, such as 4711, or HOST#SEQUENCE, such as 3#17");
    }
    const scenario::fault_settings& faults = scenario.values.faults;
    if (trigger.event == event::fault && !faults.any() && !faults.hangs())
        scenario.fail("trace.trigger.event", "there are no faults to wait for", "add a section 'faults'");
    // Cables are known when there is a plan: check_traced_cables().
    if (!trigger.chip || trigger.event == event::fault) return;
    const bool hosts = trigger.event != event::dropped && trigger.event != event::full;
    const bool switches = trigger.event == event::passes || trigger.event == event::error || !hosts;
    if ((hosts && network.find_host(*trigger.chip)) || (switches && network.find_switch(*trigger.chip))) return;
    std::vector<std::string> names;
    for (const auto& node : network.switches)
        if (switches) names.push_back(node.name);
    for (const auto& node : network.hosts)
        if (hosts) names.push_back(node.name);
    const std::string what = !hosts ? "switch" : !switches ? "host" : "switch or host";
    scenario.fail("trace.trigger.chip", "there is no " + what + " '" + *trigger.chip + "' in the network",
                  scenario::propose(*trigger.chip, names));
}

void check_traced_cables(const scenario::loaded& scenario, const system_plan& plan) {
    const scenario::trace_settings& trace = scenario.values.trace;
    std::vector<std::string> cables, ports;
    for (auto id = static_cast<hw::engine::chip_id>(plan.chips.size()); id < plan.chip_count(); ++id) {
        cables.push_back(plan.name_of(id));
        ports.push_back(plan.port_text(plan.cable_at(id).a));
        ports.push_back(plan.port_text(plan.cable_at(id).b));
    }
    for (std::size_t i = 0; trace.chips && i < trace.chips->size(); ++i) {
        const std::string& name = (*trace.chips)[i];
        const bool chip = std::ranges::find(plan.chips, name, &hw::system::planned_chip::name) != plan.chips.end();
        if (!chip && std::ranges::find(cables, name) == cables.end())
            scenario.fail("trace.chips[" + std::to_string(i) + "]",
                          "there is no cable with the lower end '" + name + "'", scenario::propose(name, cables));
    }
    const bool wire = trace.trigger.event == trace::trigger_event::fault && trace.trigger.chip;
    if (wire && std::ranges::find(ports, *trace.trigger.chip) == ports.end())
        scenario.fail("trace.trigger.chip", "no cable leads away from '" + *trace.trigger.chip + "'",
                      scenario::propose(*trace.trigger.chip, ports));
}

trace_cost cost_of(const trace::recording& done, double seconds) {
    trace_cost cost;
    cost.kind = "waves";
    cost.seconds = seconds;
    if (!done.written) return cost;
    cost.file = done.wave_file.string();
    cost.bytes = std::filesystem::file_size(done.wave_file);
    cost.changes = done.changes;
    cost.from = done.from;
    cost.to = done.to;
    return cost;
}

run_traces::run_traces(const instrumentation& instruments, const instance& on, const system_plan& plan,
                       const hw::engine::chip_network& network, const network_factory& factory) {
    if (factory.ranks && !factory.ranks->first()) return;  // which sees the steps of all
    if (instruments.beside != nullptr) all_.add(*instruments.beside);
    if (instruments.waves) {
        trace::trace_config config = instruments.waves->config;
        if (instruments.waves->trigger) {
            const scenario::trigger_settings& wanted = *instruments.waves->trigger;
            config.trigger = {wanted.before, wanted.after};
            wanted_ = text_of(wanted);
            trace::triggered_network watched = triggered(plan, network);
            const trace::trigger_config trigger = config_of(wanted, plan, watched.description);
            trigger_.emplace(trigger, std::move(watched), trace::log_window{config.from, config.to},
                             [this](cycle when) { recorder_->trigger(when); });
            waves_.add(*trigger_);  // before the recorder, which must not have gone past the event
        }
        recorder_ = std::make_unique<trace::wave_recorder>(config, on.name, on.plan.header_shape(),
                                                           traced_chips(plan, network, factory));
        waves_.add(*recorder_);
        all_.add(waves_timed_);
    }
    if (instruments.passages != nullptr)
        all_.add(
            passages_.emplace(shapes_of(network), plan.header_shape(), trace::log_window{}, *instruments.passages));
    if (instruments.packets) {
        packets_.emplace(*instruments.packets, on.name, plan, network);
        packets_timed_.emplace(packets_->all);
        all_.add(*packets_timed_);
    }
}

std::vector<trace_cost> run_traces::finish(cycle end) {
    std::vector<trace_cost> costs;
    if (passages_) passages_->finish();
    if (recorder_) {
        trace::recording done;
        waves_timed_.timed([&] {
            if (trigger_) trigger_->finish(end);
            done = recorder_->finish(end);
        });
        costs.push_back(cost_of(done, waves_timed_.seconds()));
        costs.back().wanted = wanted_;
        costs.back().trigger = done.trigger;
        if (trigger_) costs.back().events = trigger_->count();
    }
    if (packets_) {
        packets_timed_->timed([&] { packets_->finish(end); });
        trace_cost& cost = costs.emplace_back();
        cost.kind = "packets";
        cost.file = packets_->file.string();
        cost.bytes = std::filesystem::file_size(packets_->file);
        cost.changes = packets_->log.passages();
        cost.seconds = packets_timed_->seconds();
        cost.from = packets_->window.from;
        cost.to = std::min(end, packets_->window.to);
    }
    return costs;
}

}  // namespace polycast::tlm::sim
