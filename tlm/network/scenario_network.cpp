// SPDX-License-Identifier: Apache-2.0
#include "tlm/network/scenario_network.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "hw/input_error.h"
#include "hw/system/hosts.h"
#include "hw/system/schemes.h"
#include "hw/workloads/messages/workload_program.h"
#include "tlm/network/sc_session.h"
#include "tlm/scenario/load.h"
#include "tlm/scenario/propose.h"
#include "tlm/sim/networks/fidelity.h"
#include "tlm/sim/networks/instances.h"
#include "tlm/workloads/lanes/lanes_rules.h"
#include "tlm/workloads/messages/messages_params.h"
#include "tlm/workloads/messages/messages_run.h"

namespace polycast::tlm::network {

namespace {

std::size_t workload_of(const scenario::loaded& scenario, const std::string& name) {
    if (name.empty()) return 0;
    const auto& workloads = scenario.values.workloads;
    const auto found = std::ranges::find(workloads, name, &scenario::workload_settings::name);
    if (found != workloads.end()) return static_cast<std::size_t>(found - workloads.begin());
    std::vector<std::string> names;
    for (const scenario::workload_settings& w : workloads) names.push_back(w.name);
    scenario.fail("workload", "there is no workload '" + name + "'", scenario::propose(name, names));
}

/// Own hosts take part as hosts do that forward nothing.
void check_workload(const scenario::loaded& scenario, std::size_t workload) {
    const scenario::settings& s = scenario.values;
    const scenario::workload_settings& w = s.workloads[workload];
    const std::string key = "workload[" + std::to_string(workload) + "]";
    const bool sends = w.kind == scenario::traffic_kind::unicast || w.kind == scenario::traffic_kind::multicast;
    if (s.host.model == scenario::host_model::ideal || scenario::has_lanes(s) || !sends)
        scenario.fail(key + ".kind", "own hosts take no part in workloads of this kind, or of ideal hosts",
                      "take 'unicast' or 'multicast' with host.model: interface");
    if (w.kind == scenario::traffic_kind::multicast &&
        hw::system::forwarding_of(w.multicast) != hw::traffic::forwarding::nobody)
        scenario.fail(key + ".scheme", "in this scheme hosts send on what they get, and own hosts do not know of it",
                      "take 'tree' or 'unicasts'");
}

/// Nanoseconds and fractions of them; SystemC counts picoseconds.
sc_core::sc_time time_of(const scenario::ratio& ns) {
    const double picoseconds = 1000 * boost::rational_cast<double>(ns);
    return sc_core::sc_time(picoseconds, sc_core::SC_PS);
}

}  // namespace

struct scenario_network::parts {
    explicit parts(const scenario_choice& choice)
        : scenario(loaded(choice)),
          workload(workload_of(scenario, choice.workload)),
          instances(chosen(scenario, workload, choice.network)),
          work(scenario, instances.front(), params(),
               sim::choice_of(scenario.values.workloads[workload], instances.front().plan.host.interface.lids.get())),
          period(time_of(scenario.values.host.cycle_ns)),
          board(numbers(choice.own), &work.board),
          watcher(board, nullptr),
          makers(sim::make_chip_makers(scenario, instances)) {
        const hw::system::processor_factory processors =
            [firmware = makers.firmware](const hw::system::system_plan& plan, const hw::ni::ni_params& params,
                                         hw::ni::processor_bus& bus,
                                         hw::ni::observer* who) { return firmware->make(plan, params, bus, who); };
        sc_network_params made{.switches = makers.placements(work.plan), .period = period, .checkers = true};
        made.own = {choice.own, processors, &watcher};
        session.add(instances.front().name, work.plan, made, makers.chips,
                    hw::system::workload_hosts(processors, work.traffic, board, params().seed), board);
    }

    /// The workload does not know how long the packets of own hosts are.
    static scenario::loaded loaded(const scenario_choice& choice) {
        scenario::loaded read = scenario::load_file(choice.file, choice.overrides);
        std::optional<unsigned>& limit = read.values.chip.packet_limit_flits;
        if (!limit) limit = read.values.chip.buffer_flits;
        return read;
    }

    static std::vector<sim::instance> chosen(const scenario::loaded& scenario, std::size_t workload,
                                             std::uint64_t number) {
        check_workload(scenario, workload);
        std::vector<sim::instance> all = sim::make_instances(scenario);
        if (number >= all.size()) {
            throw hw::input_error("there is no network " + std::to_string(number) + " in the scenario",
                                  "networks are 0.." + std::to_string(all.size() - 1));
        }
        std::vector<sim::instance> one;
        one.push_back(std::move(all[number]));
        return one;
    }

    hw::traffic::workload_params params() const {
        hw::traffic::workload_params params = sim::params_of_run(scenario, instances.front(), workload);
        const scenario::workload_settings& w = scenario.values.workloads[workload];
        if (w.kind == scenario::traffic_kind::multicast && !w.rate) params.messages = 1;
        return params;
    }

    std::uint32_t number_of(const std::string& host) const { return host_number(work.plan, host); }

    std::set<std::uint32_t> numbers(const std::vector<std::string>& hosts) const {
        std::set<std::uint32_t> all;
        for (const std::string& host : hosts) all.insert(number_of(host));
        return all;
    }

    scenario::loaded scenario;
    std::size_t workload;
    std::vector<sim::instance> instances;
    sim::workload_run work;
    sc_core::sc_time period;
    own_scoreboard board;
    hw::traffic::arrival_watcher watcher;
    sim::chip_makers makers;
    sc_session session;
};

scenario_network::scenario_network(const scenario_choice& choice) : parts_(std::make_unique<parts>(choice)) {}

scenario_network::~scenario_network() = default;

own_scoreboard& scenario_network::board() {
    return parts_->board;
}

std::vector<std::string> scenario_network::faults() const {
    const sc_network& net = parts_->session.at(0);
    const hw::system::system_plan& plan = parts_->work.plan;
    std::vector<std::string> all;
    for (const hw::engine::error_event& event : net.errors()) all.push_back(sim::error_text(plan, event));
    for (std::string& failure : host_failures(plan, net)) all.push_back(std::move(failure));
    const std::vector<std::string> wrong = parts_->board.faults();
    all.insert(all.end(), wrong.begin(), wrong.end());
    return all;
}

std::uint32_t scenario_network::number_of(const std::string& host) const {
    return parts_->number_of(host);
}

sc_network& scenario_network::network() {
    return parts_->session.at(0);
}

sc_core::sc_time scenario_network::period() const {
    return parts_->period;
}

hw::system::run_outcome scenario_network::run(const std::function<bool(hw::engine::cycle)>& stop) {
    std::function<bool(std::size_t, hw::engine::cycle)> ask;
    if (stop) ask = [&stop](std::size_t, hw::engine::cycle now) { return stop(now); };
    return parts_->session.run(parts_->work.limits, ask).front();
}

}  // namespace polycast::tlm::network
