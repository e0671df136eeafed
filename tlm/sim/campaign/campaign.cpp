// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/campaign/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <variant>

#include "hw/input_error.h"
#include "tlm/scenario/propose.h"
#include "tlm/sim/campaign/fault_draw.h"
#include "tlm/sim/campaign/golden_run.h"
#include "tlm/sim/campaign/verdict.h"
#include "tlm/sim/interrupt.h"
#include "tlm/trace/output_file.h"
#include "tlm/workloads/kind.h"

namespace polycast::tlm::sim {

using json = nlohmann::ordered_json;

namespace {

fault_class class_of(const std::string& name) {
    std::vector<std::string> names;
    for (const fault_class_name& each : fault_classes) names.emplace_back(each.name);
    const auto found = std::ranges::find(names, name);
    if (found == names.end())
        throw hw::input_error("there is no class of faults '" + name + "'", scenario::propose(name, names));
    return static_cast<fault_class>(found - names.begin());
}

/// A scenario with its networks.
struct prepared {
    scenario::loaded scenario;
    std::vector<instance> instances;
    network_factory factory;
};

class campaigner {
public:
    campaigner(const campaign_options& options, const factory_maker& make_factory, interrupt& signals)
        : options_(options), make_factory_(make_factory), signals_(signals), class_(class_of(options.kind)) {}

    int go() {
        check();
        signals_.begin_work();
        simulate_golden();
        if (signals_.requested()) return 130;
        const fault_draw draw(golden_, class_, {options_.seed, options_.raw});
        json faults = json::array();
        for (std::uint64_t i = 0; !draw.why_none() && i < options_.count; ++i) {
            faults.push_back(simulate(options_.first + i, draw));
            if (signals_.requested()) return 130;
        }
        json document{{"runs", runs_json()}, {"class", name_of(class_)}, {"seed", options_.seed}};
        document["population"] = draw.population();
        document["why_none"] = draw.why_none() ? json(*draw.why_none()) : json(nullptr);
        document["faults"] = std::move(faults);
        write(document.dump() + "\n");
        return 0;
    }

private:
    /// What is lost is judged by whether somebody was told, and one thread steps everything: a campaign has a process
    /// for each core.
    prepared prepare(const std::string& events, const std::vector<std::string>& more = {}) const {
        std::vector<std::string> overrides = options_.overrides;
        overrides.insert(overrides.end(), more.begin(), more.end());
        overrides.insert(overrides.end(), {"faults.events=" + events, "faults.verdict=reported", "network.threads=1"});
        prepared made;
        made.scenario = scenario::load_file(options_.scenario, overrides);
        made.instances = make_instances(made.scenario);
        made.factory = make_factory_(made.scenario, made.instances, nullptr);
        if (made.factory.one_per_process)
            made.scenario.fail(made.scenario.first_given({"network.chips", "network.fidelity"}),
                               "a campaign makes many networks in one process, SystemC only one", "take core or rtl");
        return made;
    }

    void check() const {
        const scenario::loaded given = scenario::load_file(options_.scenario, options_.overrides);
        const scenario::settings& s = given.values;
        if (!s.faults.links.empty() || !s.faults.events.empty())
            given.fail("faults", "a campaign makes faults itself", "remove 'faults' from the scenario");
        for (std::size_t w = 0; w < s.workloads.size(); ++w) {
            const scenario::workload_settings& load = s.workloads[w];
            const std::string path = "workload[" + std::to_string(w) + "].";
            if (load.kind != scenario::traffic_kind::unicast && load.kind != scenario::traffic_kind::multicast)
                given.fail(path + "kind", "a campaign judges unicasts and multicasts", "take one of them");
            if (load.kind == scenario::traffic_kind::multicast && !load.rate && load.messages > 1)
                given.fail(path + "messages", "each of several single multicasts has a network of its own",
                           "give a 'rate', or 'messages: 1' and a longer message");
        }
    }

    /// A fault that never happens makes every cable a chip, and changes nothing.
    void simulate_golden() {
        const prepared quiet = prepare("[{what: flip, link: all, at: 999999999999 cycle, bits: [0]}]");
        for (std::size_t on = 0; on < quiet.instances.size(); ++on) {
            for (std::size_t w = 0; w < quiet.scenario.values.workloads.size(); ++w) {
                golden_run& run = golden_.emplace_back();
                run.on = on;
                run.workload = w;
                run.id = run_id(quiet.scenario, quiet.instances[on], w);
                run.watched = quiet.scenario.values.ni.watchdog != 0;
                const hw::system::system_plan& plan = quiet.instances[on].plan;
                for (const hw::topology::host_node& host : plan.network.hosts) run.hosts.push_back(host.name);
                wire_log log(plan, run);
                for (interface_log& each : run.interfaces) {
                    each.word_bits += code_bits(plan.host.interface.protect_packets, each.word_bits);
                    each.own_words =
                        processor_of(quiet.scenario.values.ni, each.host) != scenario::processor_kind::native;
                }
                run.result = simulate(quiet, on, w, {.beside = &log});
                if (run.result.stopped()) return;
                if (!run.result.passed())
                    throw hw::input_error(run.id + " fails without faults: " + run.result.diagnosis,
                                          "polycast-sim run " + options_.scenario);
            }
        }
    }

    run_result simulate(const prepared& with, std::size_t on, std::size_t workload,
                        const instrumentation& instruments) const {
        return workload_kind_of(with.scenario, workload)
            .run(
                with.scenario, with.instances[on], workload, with.factory, [this] { return signals_.requested(); },
                instruments);
    }

    json simulate(std::uint64_t number, const fault_draw& draw) const {
        const drawn_fault fault = draw.fault(number);
        const golden_run& golden = golden_[fault.run];
        notice_watch watch(fault);
        // An automatic time-out of reliable messages is measured without faults: what the golden run found holds.
        std::vector<std::string> found;
        if (const auto* const part = std::get_if<reliable_part>(&golden.result.own))
            found.push_back(fmt::format("ni.reliable.timeout={} cycle", part->timeout));
        const run_result result =
            simulate(prepare(fault.events, found), golden.on, golden.workload, {.beside = &watch});
        const fault_verdict verdict = judge_fault(golden, result, fault);
        const auto or_null = [](const std::optional<hw::engine::cycle>& value) {
            return value ? json(*value) : json(nullptr);
        };
        return {{"number", number},
                {"run", golden.id},
                {"place", fault.place},
                {"at", fault.at},
                {"events", fault.events},
                {"outcome", outcome_names[static_cast<std::size_t>(verdict.outcome)]},
                {"same", verdict.same},
                {"noticed", or_null(watch.latency())},
                {"recovery", or_null(verdict.recovery)},
                {"cycles", result.cycles},
                {"diagnosis", result.diagnosis}};
    }

    json runs_json() const {
        json runs = json::array();
        for (const golden_run& run : golden_) {
            std::uint64_t used = 0;
            for (const direction_log& log : run.directions) used += log.used.size();
            runs.push_back({{"id", run.id},
                            {"cycles", run.end()},
                            {"messages", run.result.counts.messages.expected},
                            {"symbols", used}});
        }
        return runs;
    }

    void write(const std::string& text) const {
        if (options_.out.empty()) {
            fmt::print("{}", text);
            return;
        }
        trace::text_file file(options_.out);
        file.append(text);
        file.commit();
    }

    const campaign_options& options_;
    const factory_maker& make_factory_;
    interrupt& signals_;
    fault_class class_;
    std::vector<golden_run> golden_;
};

}  // namespace

int campaign(const campaign_options& options, const factory_maker& make_factory) {
    interrupt signals;
    return campaigner(options, make_factory, signals).go();
}

}  // namespace polycast::tlm::sim
