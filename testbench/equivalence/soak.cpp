// SPDX-License-Identifier: Apache-2.0
#include "testbench/equivalence/soak.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <random>
#include <utility>

#include "hw/input_error.h"
#include "testbench/equivalence/link_pair.h"

namespace polycast::testbench::equivalence {

namespace {

class soak_run {
public:
    soak_run(const soak_options& options, const std::map<std::string, contender_pair>& pairs,
             const failure_handler& on_failure)
        : options_(options), pairs_(pairs), on_failure_(on_failure) {
        if (options_.pairs.empty()) {
            for (const auto& [name, pair] : pairs_) options_.pairs.push_back(name);
        }
        for (const std::string& name : options_.pairs) {
            if (pairs_.contains(name)) continue;
            throw hw::input_error("there is no pair \"" + name + "\"",
                                  "pairs here begin with " + pairs_.begin()->first);
        }
    }

    int run(const std::atomic<bool>& interrupted) {
        if (!options_.replay.empty()) return replay();
        const std::uint64_t seed = options_.seed ? *options_.seed : std::random_device()();
        std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
        const auto started = std::chrono::steady_clock::now();
        for (std::uint64_t count = 0; options_.configurations == 0 || count < options_.configurations; ++count) {
            if (interrupted) return 130;
            const std::chrono::duration<double, std::ratio<3600>> hours = std::chrono::steady_clock::now() - started;
            if (options_.hours > 0 && hours.count() >= options_.hours) break;
            const contender_pair::draw from{hw::traffic::random_stream::mix(seed + count / options_.per_set),
                                            options_.most_ports, count, seed + count, options_.cycles};
            for (const std::string& name : options_.pairs) {
                if (!compare(name, pairs_.at(name).draw_line(from))) return 1;
            }
        }
        std::printf("no difference in %llu runs: %s\n", static_cast<unsigned long long>(all_.runs),
                    all_.text().c_str());
        return options_.demand_coverage && !covered() ? 1 : 0;
    }

private:
    int replay() {
        bool any = false;
        for (const std::string& name : options_.pairs) {
            if (!pairs_.at(name).knows(options_.replay)) continue;
            any = true;
            if (!compare(name, options_.replay)) return 1;
        }
        if (!any) throw hw::input_error("replay line: no pair here has such runs");
        return 0;
    }

    std::optional<difference> run_line(const contender_pair& pair, const std::string& line) {
        if (pair.run) {
            coverage seen;
            const std::optional<difference> found = pair.run(line, seen);
            all_.add(seen);
            return found;
        }
        ++chips_;
        lockstep bench(pair.open(line));
        const std::optional<difference> found = bench.run();
        all_.add(bench.seen());
        return found;
    }

    bool compare(const std::string& name, const std::string& line) {
        const std::optional<difference> found = run_line(pairs_.at(name), line);
        std::printf("%s %s: %s\n", name.c_str(), line.c_str(), found ? "DIFFERENT" : "same");
        if (found) {
            std::printf("first difference in cycle %llu: %s\nreplay: %s --pair %s%s --replay \"%s\"\n",
                        static_cast<unsigned long long>(found->cycle), found->what.c_str(), options_.again.c_str(),
                        name.c_str(), options_.more.c_str(), line.c_str());
        }
        std::fflush(stdout);
        if (found) on_failure_(name, line, *found);
        return !found;
    }

    /// False, with a message, if the runs never came across something that they are there for.
    bool covered() const {
        bool good = true;
        const auto need = [&](const std::string& what, std::uint64_t count) {
            if (count >= 10) return;
            std::printf("seen too rarely: %s (%llu times)\n", what.c_str(), static_cast<unsigned long long>(count));
            good = false;
        };
        need("packets", all_.packets);
        if (chips_ != 0) {
            need("outputs without credit", all_.blocked);
            need("resets", all_.resets);
        }
        if (all_.forwarding != 0) {
            need("replication", all_.copied);
            need("packets waiting for a grant", all_.waiting);
            need("draining", all_.drained);
            need("turning around", all_.turnarounds);
        }
        if (all_.may_wait != 0) need("waits", all_.waits);
        need("steps not asked for", all_.asleep);
        for (unsigned bit = 0; bit < all_.errors.size(); ++bit) {
            if ((all_.possible_errors >> bit & 1) != 0)
                need(std::string(hw::format::error_name(bit)), all_.errors[bit]);
        }
        for (const auto& [name, count] : all_.decisions) need(name, count);
        return good;
    }

    soak_options options_;
    const std::map<std::string, contender_pair>& pairs_;
    const failure_handler& on_failure_;
    coverage all_;
    std::uint64_t chips_ = 0;  ///< runs of two chips
};

}  // namespace

contender_pair switch_pair(contender first, contender second, std::vector<hw::chips::switch_params> sets) {
    return {[sets = std::move(sets)](const contender_pair::draw& from) {
                const hw::chips::switch_params params =
                    sets.empty() ? draw_switch_params(from.set_seed, from.most_ports) : sets[from.number % sets.size()];
                return to_line(draw_switch_run(params, from.seed, from.cycles));
            },
            [](const std::string& line) {
                return !line.starts_with(router_line) && !line.starts_with(coding_line) &&
                       !line.starts_with(broadcast_line) && !line.starts_with(link_line) &&
                       !line.starts_with(vl_switch_line);
            },
            [first = std::move(first), second = std::move(second)](const std::string& line) {
                return compare(switch_run_from_line(line), first, second);
            }};
}

contender_pair router_pair(router_contender first, router_contender second,
                           std::vector<hw::chips::router_params> sets) {
    return {[sets = std::move(sets)](const contender_pair::draw& from) {
                const hw::chips::router_params params =
                    sets.empty() ? draw_router_params(from.set_seed, from.most_ports) : sets[from.number % sets.size()];
                return to_line(draw_router_run(params, from.seed, from.cycles));
            },
            [](const std::string& line) { return line.starts_with(router_line); },
            [first = std::move(first), second = std::move(second)](const std::string& line) {
                return compare(router_run_from_line(line), first, second);
            }};
}

contender_pair coding_pair(coding_contender first, coding_contender second, bool large,
                           std::vector<hw::chips::coding_params> sets) {
    return {[large, sets = std::move(sets)](const contender_pair::draw& from) {
                const hw::chips::coding_params params =
                    sets.empty() ? draw_coding_params(from.set_seed, large) : sets[from.number % sets.size()];
                return to_line(draw_coding_run(params, from.seed, from.cycles));
            },
            [](const std::string& line) { return line.starts_with(coding_line); },
            [first = std::move(first), second = std::move(second)](const std::string& line) {
                return compare(coding_run_from_line(line), first, second);
            }};
}

contender_pair broadcast_pair(broadcast_contender first, broadcast_contender second,
                              std::vector<hw::chips::broadcast_params> sets) {
    return {[sets = std::move(sets)](const contender_pair::draw& from) {
                const hw::chips::broadcast_params params = sets.empty()
                                                               ? draw_broadcast_params(from.set_seed, from.most_ports)
                                                               : sets[from.number % sets.size()];
                return to_line(draw_broadcast_run(params, from.seed, from.cycles));
            },
            [](const std::string& line) { return line.starts_with(broadcast_line); },
            [first = std::move(first), second = std::move(second)](const std::string& line) {
                return compare(broadcast_run_from_line(line), first, second);
            }};
}

contender_pair vl_switch_pair(vl_switch_contender first, vl_switch_contender second,
                              std::vector<hw::chips::vl_switch_params> sets) {
    return {[sets = std::move(sets)](const contender_pair::draw& from) {
                const hw::chips::vl_switch_params params = sets.empty()
                                                               ? draw_vl_switch_params(from.set_seed, from.most_ports)
                                                               : sets[from.number % sets.size()];
                return to_line(draw_vl_switch_run(params, from.seed, from.cycles));
            },
            [](const std::string& line) { return line.starts_with(vl_switch_line); },
            [first = std::move(first), second = std::move(second)](const std::string& line) {
                return compare(vl_switch_run_from_line(line), first, second);
            }};
}

void add_options(CLI::App& app, soak_options& options) {
    app.add_option("--pair", options.pairs, "what to compare, by name; may be given several times; all without any");
    app.add_option("--configurations", options.configurations,
                   "how many run-time configurations; without end by default");
    app.add_option("--per-set", options.per_set, "configurations of a drawn parameter set before the next is drawn")
        ->check(CLI::PositiveNumber);
    app.add_option("--most-ports", options.most_ports, "of drawn parameter sets")->check(CLI::Range(9, 64));
    app.add_option("--cycles", options.cycles, "cycles of a configuration")->check(CLI::PositiveNumber);
    app.add_option("--hours", options.hours, "how long; without end by default")->check(CLI::NonNegativeNumber);
    app.add_option("--seed", options.seed, "first seed; a random one, printed, without it");
    app.add_option("--replay", options.replay, "one configuration, as printed: \"ports=.. seed=.. cycles=..\"");
    app.add_flag("--demand-coverage", options.demand_coverage,
                 "fail unless errors, replication, resets and so on were all seen");
}

int soak(const soak_options& options, const std::map<std::string, contender_pair>& pairs,
         const failure_handler& on_failure, const std::atomic<bool>& interrupted) {
    return soak_run(options, pairs, on_failure).run(interrupted);
}

}  // namespace polycast::testbench::equivalence
