// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/run.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <poll.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "hw/input_error.h"
#include "hw/shell_word.h"
#include "tlm/ranks/ranks.h"
#include "tlm/sim/agreement.h"
#include "tlm/sim/input_copies.h"
#include "tlm/sim/interrupt.h"
#include "tlm/sim/limited_errors.h"
#include "tlm/sim/memory.h"
#include "tlm/sim/replay.h"
#include "tlm/sim/results/expectations.h"
#include "tlm/sim/results/link_results.h"
#include "tlm/sim/results/port_results.h"
#include "tlm/sim/results/results.h"
#include "tlm/sim/results/results_folder.h"
#include "tlm/sim/results/trace_results.h"
#include "tlm/sim/shown_progress.h"
#include "tlm/sim/usage.h"
#include "tlm/topologies/kind.h"
#include "tlm/workloads/kind.h"
#include "tlm/workloads/rails/rails_rules.h"
#include "tlm/workloads/result_bytes.h"

namespace polycast::tlm::sim {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

namespace {

std::string dumped(const json& j) {
    return j.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

/// One run in the making.
class runner {
public:
    runner(const run_options& options, const factory_maker& make_factory, interrupt& signals)
        : options_(options), make_factory_(make_factory), signals_(signals) {}

    int go() {
        ranks_ = ranks::started_ranks();
        if (ranks_ && !ranks_->first()) spdlog::set_level(spdlog::level::off);
        try {
            on_all(ranks_, [this] { load(); });
            if (ranks_) on_all(ranks_, [this] { check_ranks(*ranks_, scenario_, instances_, options_.tools); });
            return leads() ? lead() : follow();
        } catch (const hw::engine::simulated_elsewhere&) {
            return 0;  // the first rank has said what is wrong
        } catch (const std::exception& failed) {
            end_if_out_of_step(ranks_, failed);
            throw;
        }
    }

private:
    /// Writes results and speaks to the user: alone, or the first of several ranks.
    bool leads() const { return !ranks_ || ranks_->first(); }

    void load() {
        scenario_ = scenario::load_file(options_.scenario, options_.overrides, words_text(options_.writer));
        if (ranks_) scenario_.ranks = ranks_->size();
        if (has_rails(scenario_.values) && !options_.tools.empty())
            throw hw::input_error("--gdb, --profile and --instructions look at the interface of a host, and on rails " +
                                      options_.tools.front().host + " has " +
                                      std::to_string(scenario_.values.rails.count),
                                  "take a scenario without rails");
        instances_ = make_instances(scenario_);
        choose_threads(scenario_, instances_, options_.jobs);
    }

    int lead() {
        const fs::path out = options_.out.empty() ? fs::path("results") / scenario_.values.name : options_.out;
        std::optional<results_folder> made;
        one_after_the_other(ranks_, [&] {
            factory_ = make_factory_(scenario_, instances_, ranks_);
            signals_.begin_work();
            made.emplace(out);
        });
        results_folder& folder = *made;
        if (!simulate(folder.path())) {
            fmt::print(stderr, "interrupted; no results written\n");
            return 130;
        }
        const bool passed = std::ranges::all_of(runs_, [](const finished_run& p) { return p.result.passed(); });
        std::error_code ignored;
        fs::remove(folder.path() / "waves", ignored);  // where it is empty: no trigger has fired
        write(folder);
        fmt::print("{}", summary_text(scenario_, runs_));
        report_traces(folder, scenario_, runs_);
        folder.commit();
        fmt::print("results: {}\n", out.string());
        report();
        return passed ? 0 : 1;
    }

    /// What a rank that is not the first does of all that.
    int follow() {
        one_after_the_other(ranks_, [this] { factory_ = make_factory_(scenario_, instances_, ranks_); });
        signals_.begin_work();
        simulate({});
        return 0;
    }

    /// Everything, and what fails once more. \returns false if it was interrupted
    bool simulate(const fs::path& folder) {
        run_all(folder);
        if (as_first(ranks_, signals_.requested())) return false;
        for (finished_run& p : runs_) p.result.expectations = judged_expectations(scenario_, p);
        if (std::ranges::any_of(runs_, [](const finished_run& p) { return !p.result.passed(); }))
            record_failures(folder);
        return true;
    }

    /// A child of a rank gets no signals.
    bool stop() const {
        if (factory_.relayed && factory_.relayed->asks()) return factory_.relayed->stop_requested();
        return signals_.requested() || failed_;
    }

    void run_all(const fs::path& folder) {
        const std::size_t workloads = scenario_.values.workloads.size();
        runs_.resize(instances_.size() * workloads);
        for (std::size_t i = 0; i < runs_.size(); ++i) {
            runs_[i].on = &instances_[i / workloads];
            runs_[i].workload = i % workloads;
        }
        progress shown(leads() ? options_.progress : progress_format::none, runs_.size());
        if (ranks_) {
            on_all(ranks_, [this] { runs_at_once(scenario_, memory_of(scenario_, instances_), 1); });
            return run_on_ranks(folder, shown);
        }
        const unsigned each = *scenario_.values.network.threads;
        const std::size_t wanted = std::min<std::size_t>(
            runs_.size(),
            options_.jobs != 0 ? options_.jobs : std::max(1u, std::thread::hardware_concurrency() / each));
        const std::size_t jobs = runs_at_once(scenario_, memory_of(scenario_, instances_), wanted);
        if (factory_.one_per_process) {
            run_in_processes(folder, jobs, shown);
        } else {
            run_in_threads(folder, jobs, shown);
        }
    }

    /// One rank simulates it.
    bool is_whole(const finished_run& p, const instrumentation& instruments) const {
        return kind_of(p).by_one_process(scenario_.values, instruments);
    }

    void run_on_ranks(const fs::path& folder, progress& shown) {
        deal_whole_runs(folder, shown);
        for (std::size_t i = 0; i < runs_.size() && !as_first(ranks_, stop()); ++i) {
            if (is_whole(runs_[i], instrumentation_for(folder, runs_[i]))) continue;
            const instrumentation instruments = shown_by(shown, i, instrumentation_for(folder, runs_[i]));
            runs_[i].result = run_alone(runs_[i], instruments);
            if (!runs_[i].result.stopped()) shown.finished(run_id(scenario_, *runs_[i].on, runs_[i].workload));
        }
    }

    /// Each rank makes some of those that are not cut among ranks, and all get the results.
    void deal_whole_runs(const fs::path& folder, progress& shown) {
        std::vector<std::size_t> whole;
        for (std::size_t i = 0; i < runs_.size(); ++i)
            if (is_whole(runs_[i], instrumentation_for(folder, runs_[i]))) whole.push_back(i);
        const auto make = [&](std::size_t i) {
            const instrumentation instruments = shown_by(shown, whole[i], instrumentation_for(folder, runs_[whole[i]]));
            return run_here(runs_[whole[i]], instruments);
        };
        const std::vector<std::optional<run_result>> made =
            dealt(ranks_, whole.size(), make, [this] { return stop(); });
        for (std::size_t i = 0; i < whole.size(); ++i) {
            if (!made[i] || made[i]->stopped()) continue;
            finished_run& p = runs_[whole[i]];
            p.result = *made[i];
            shown.finished(run_id(scenario_, *p.on, p.workload));
        }
    }

    void run_in_threads(const fs::path& folder, std::size_t jobs, progress& shown) {
        std::atomic<std::size_t> next = 0;
        const auto work = [&] {
            for (std::size_t i = next++; i < runs_.size() && !stop(); i = next++) {
                try {
                    finished_run& p = runs_[i];
                    const instrumentation instruments = shown_by(shown, i, instrumentation_for(folder, p));
                    p.result = run_here(p, instruments);
                    if (!p.result.stopped()) shown.finished(run_id(scenario_, *p.on, p.workload));
                } catch (...) {
                    const std::lock_guard lock(mutex_);
                    if (!failure_) failure_ = std::current_exception();
                    failed_ = true;
                }
            }
        };
        {
            std::vector<std::jthread> threads;
            for (std::size_t job = 1; job < jobs; ++job) threads.emplace_back(work);
            work();
        }
        if (failure_) std::rethrow_exception(failure_);
    }

    /// This thread makes all processes: no other one can hold a lock at that moment.
    void run_in_processes(const fs::path& folder, std::size_t jobs, progress& shown) {
        struct job {
            finished_run* point;
            std::unique_ptr<child_process> process;
        };
        std::vector<job> running;
        for (std::size_t next = 0; next < runs_.size() || !running.empty();) {
            for (; running.size() < jobs && next < runs_.size(); ++next) {
                finished_run& p = runs_[next];
                running.push_back({&p, std::make_unique<child_process>(
                                           [&] { return to_bytes(run_here(p, instrumentation_for(folder, p))); })});
            }
            std::vector<pollfd> ready;
            for (const job& j : running) ready.push_back({j.process->descriptor(), POLLIN, 0});
            constexpr int look_for_signals_ms = 50;
            ::poll(ready.data(), ready.size(), look_for_signals_ms);
            if (stop()) return;
            for (std::size_t i = running.size(); i-- > 0;) {
                if (ready[i].revents == 0 || running[i].process->read()) continue;
                finished_run& p = *running[i].point;
                p.result = from_bytes(running[i].process->result());
                shown.finished(run_id(scenario_, *p.on, p.workload));
                running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
            }
        }
    }

    const workload_kind& kind_of(const finished_run& p) const { return workload_kind_of(scenario_, p.workload); }

    run_result run_here(const finished_run& p, const instrumentation& instruments) const {
        return kind_of(p).run(
            scenario_, *p.on, p.workload, factory_, [this] { return stop(); }, instruments);
    }

    /// One run and nothing else, by all ranks if there are any.
    run_result run_alone(const finished_run& p, const instrumentation& instruments) const {
        return agreed(ranks_, [&] {
            if (!leads() && is_whole(p, instruments)) throw hw::engine::simulated_elsewhere();
            return in_own_process(
                factory_, [&] { return run_here(p, instruments); }, [this] { return stop(); });
        });
    }

    trace::trace_config wave_file(const fs::path& folder, const finished_run& p, const std::string& suffix) const {
        const scenario::trace_settings& t = scenario_.values.trace;
        trace::trace_config config;
        config.file = folder / "waves" /
                      (p.on->name + "-" + scenario_.values.workloads[p.workload].name + suffix + "." +
                       std::string(hw::name_in(trace::wave_formats, t.format)));
        config.format = t.format;
        if (leads()) fs::create_directories(config.file.parent_path());
        return config;
    }

    instrumentation instrumentation_for(const fs::path& folder, const finished_run& p) const {
        instrumentation instruments{.waves = wanted_waves(folder, p), .packets = wanted_packets(folder, p)};
        const scenario::workload_settings& w = scenario_.values.workloads[p.workload];
        instruments.activity = scenario_.values.trace.activity && p.on->index == 0 &&
                               w.kind == scenario::traffic_kind::multicast && !w.rate;
        // Firmware is looked at in one network: a debugger has one terminal, and a file one author.
        if (&p == &runs_.front()) instruments.tools = tools_in(folder);
        return instruments;
    }

    std::vector<tool_request> tools_in(const fs::path& folder) const {
        std::vector<tool_request> tools = options_.tools;
        for (tool_request& tool : tools) {
            if (!tool.profile.empty()) tool.profile = folder / tool.profile;
            if (!tool.instructions.empty()) tool.instructions = folder / tool.instructions;
        }
        return tools;
    }

    std::optional<wave_request> wanted_waves(const fs::path& folder, const finished_run& p) const {
        const scenario::trace_settings& t = scenario_.values.trace;
        const bool triggered = t.trigger.event.has_value();
        if (t.chips && t.chips->empty() && !triggered) return std::nullopt;
        if (t.networks && p.on->index >= *t.networks) return std::nullopt;
        wave_request wish{0, wave_file(folder, p, "")};
        if (t.chips) wish.config.chips = *t.chips;
        wish.config.from = t.from;
        if (t.to) wish.config.to = *t.to + 1;
        if (triggered) wish.trigger = t.trigger;
        return wish;
    }

    std::optional<packet_log_request> wanted_packets(const fs::path& folder, const finished_run& p) const {
        const scenario::trace_settings& t = scenario_.values.trace;
        if (!t.packets || (t.networks && p.on->index >= *t.networks)) return std::nullopt;
        const std::string& workload = scenario_.values.workloads[p.workload].name;
        packet_log_request wish{folder / "packets" / (p.on->name + "-" + workload + ".sqlite"), workload, {t.from}};
        if (t.to) wish.window.to = *t.to + 1;
        if (leads()) fs::create_directories(wish.file.parent_path());
        return wish;
    }

    /// Runs are repeatable: a failed run is repeated, now keeping the last cycles in memory. Every failure gets
    /// the command that repeats it; only the first ones, of networks whose chips can be recorded, get a wave.
    void record_failures(const fs::path& folder) {
        constexpr std::size_t most = 3;
        std::size_t recorded = 0;
        for (finished_run& p : runs_) {
            if (p.result.passed()) continue;
            // With ideal hosts what came too late is no failure of a chip.
            const bool late = p.result.engine && p.result.ended == hw::system::run_outcome::kind::limit;
            const bool events = scenario_.values.network.all == scenario::fidelity::event;
            const bool recordable = scenario_.values.trace.on_failure != 0 && !events && !late && !p.result.correct();
            if (recordable && recorded++ < most) record_failure(folder, p);
            p.replay = replay_of(options_, scenario_, p);
        }
    }

    void record_failure(const fs::path& folder, finished_run& p) {
        wave_request wish{p.result.failing_message, wave_file(folder, p, "-failure")};
        wish.config.last = scenario_.values.trace.on_failure;
        const run_result recorded = run_alone(p, {.waves = wish});
        p.result.traces.insert(p.result.traces.end(), recorded.traces.begin(), recorded.traces.end());
        if (fs::exists(wish.config.file)) p.wave = fs::relative(wish.config.file, folder).generic_string();
    }

    void report() const {
        limited_errors errors;
        for (const finished_run& p : runs_) {
            if (p.result.passed()) continue;
            const std::string id = run_id(scenario_, *p.on, p.workload);
            const std::string& what = p.result.diagnosis;
            if (!p.result.suspect.empty())
                errors.add(id, what, "own RTL differs from the core");
            else if (!what.empty())
                errors.add(id, what, kind_of_message(what));
            for (const std::string& fault : p.result.faults) errors.add(id, fault, kind_of_message(fault));
            for (const expectation& e : p.result.expectations)
                if (!e.met) errors.add(id, e.text, "expectations that are not met");
            if (!p.wave.empty()) errors.add(id, "its last cycles are in " + p.wave, "files of last cycles");
            if (!p.replay.empty())
                errors.add(id, "again: " + command_line_of(options_, p.replay), "commands, in run.json");
        }
        errors.finish();
    }

    void write(const results_folder& folder) const {
        folder.write("results.json", dumped(results_json(scenario_, runs_)));
        folder.write("tables/points.csv", points_csv(scenario_, runs_));
        folder.write("tables/latencies.csv", [&](const text_sink& put) { latencies_csv(scenario_, runs_, put); });
        folder.write("tables/links.csv", [&](const text_sink& put) { links_csv(scenario_, runs_, put); });
        const auto counted = [](const finished_run& run) { return !run.result.links.empty(); };
        if (std::ranges::any_of(runs_, counted))
            folder.write("tables/ports.csv", [&](const text_sink& put) { ports_csv(scenario_, runs_, put); });
        write_link_results(folder, scenario_, runs_);
        if (const std::string table = activity_csv(scenario_, runs_); !table.empty())
            folder.write("tables/activity.csv", table);
        if (const std::string table = functions_csv(scenario_, runs_); !table.empty())
            folder.write("tables/functions.csv", table);
        for (const workload_kind* kind : workload_kinds())
            for (const output_file& file : kind->files(scenario_, runs_))
                if (!file.text.empty()) folder.write(file.path, file.text);
        for (const instance& on : instances_) {
            if (on.unlisted) continue;
            folder.write("topology/" + on.name + ".json", [&](const text_sink& put) {
                scenario_.values.network.topology.kind->draw({scenario_, on.plan.network, on.plan.params}, put);
            });
        }
        folder.write("scenario.yaml", "# Resolved from " + scenario_.file + " by polycast-sim " POLYCAST_VERSION "\n" +
                                          scenario_.yaml(copy_inputs(scenario_, folder)));
        folder.write(results_folder::mark, dumped(provenance(folder)));
    }

    /// What it cost to simulate with others; of runs that the first rank made alone nothing.
    json ranks_json() const {
        json costs = json::object();
        for (const finished_run& p : runs_) {
            if (!p.result.ranks) continue;
            const hw::engine::rank_costs& c = *p.result.ranks;
            costs[run_id(scenario_, *p.on, p.workload)] = {
                {"cables", c.cables}, {"window", c.window},   {"windows", c.windows},        {"batches", c.batches},
                {"bytes", c.bytes},   {"told_bytes", c.told}, {"waiting_seconds", c.waiting}};
        }
        return {{"count", ranks_->size()}, {"points", std::move(costs)}};
    }

    json provenance(const results_folder& folder) const {
        json fidelities = json::object();
        for (const instance& on : instances_) {
            const hw::topology::graph named = workload_kind_of(scenario_, 0).named(scenario_, on.plan.network);
            for (const hw::topology::switch_node& node : named.switches) {
                json& count = fidelities[std::string(name_of(fidelity_of(scenario_.values.network, node.name)))];
                count = count.is_null() ? 1 : count.get<int>() + 1;
            }
        }
        const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
        json replays = json::object();
        for (const finished_run& p : runs_)
            if (!p.replay.empty()) replays[run_id(scenario_, *p.on, p.workload)] = p.replay;
        const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
        json made{{"program", "polycast-sim"},
                  {"version", POLYCAST_VERSION},
                  {"command", options_.writer.empty() ? options_.command : options_.writer},
                  {"scenario_file", scenario_.file},
                  {"overrides", options_.overrides},
                  {"seed", scenario_.values.seed},
                  {"date", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now))},
                  {"fidelity", {{"network", name_of(scenario_.values.network.all)}, {"switches", fidelities}}},
                  {"wall_seconds", wall},
                  {"cpu_seconds", family_cpu_seconds()},
                  {"memory_peak_bytes", peak_bytes()},
                  {"traces", traces_json(folder, scenario_, runs_)},
                  {"replay", replays},
                  {"files", folder.files()},
                  {"compiler", __VERSION__}};
        for (const finished_run& p : runs_)
            if (p.result.engine) made["engine"] = name_of(*p.result.engine);
        json costs = json::object();
        for (const finished_run& p : runs_) {
            json cost = kind_of(p).cost(p);
            if (!cost.is_null()) costs[run_id(scenario_, *p.on, p.workload)] = std::move(cost);
        }
        if (!costs.empty()) made["points"] = std::move(costs);
        if (ranks_) made["ranks"] = ranks_json();
        return made;
    }

    const run_options& options_;
    const factory_maker& make_factory_;
    interrupt& signals_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    rank_pointer ranks_;  ///< null: alone
    scenario::loaded scenario_;
    std::vector<instance> instances_;
    network_factory factory_;
    std::vector<finished_run> runs_;
    std::mutex mutex_;
    std::atomic<bool> failed_ = false;
    std::exception_ptr failure_;
};

}  // namespace

std::string words_text(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + hw::shell_word(word);
    return text;
}

int run(const run_options& options, const factory_maker& make_factory) {
    interrupt signals;
    return runner(options, make_factory, signals).go();
}

}  // namespace polycast::tlm::sim
