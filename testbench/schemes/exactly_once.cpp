// SPDX-License-Identifier: Apache-2.0
// Random (network, destination set) pairs with random parameters, each by every scheme: everything must arrive exactly
// once, plans must be right, no packet may go up after down. Prints seeds; one case is replayed by one command.
#include <CLI/CLI.hpp>
#include <atomic>
#include <iostream>
#include <mutex>
#include <random>
#include <thread>

#include "testbench/schemes/random_case.h"
#include "testbench/unit/hw/system/scheme_run.h"
#include "testbench/unit/hw/system/up_down_watcher.h"

namespace {

using namespace polycast;
using hw::collectives::scheme;

const std::span<const scheme> all_schemes = hw::collectives::schemes();

/// What went wrong; empty where nothing did.
std::string run(const testbench::random_case& one) {
    std::string wrong;
    const hw::system::system_plan plan = hw::system::make_plan(one.network, one.params);
    const hw::routing::updown routes = hw::system::routes_of(plan);
    const hw::traffic::planner planner = hw::system::make_planner(plan, one.choice, one.work.bytes);
    hw::system::up_down_record record;
    hw::system::run_details details;
    details.planner = [&](std::uint32_t source, std::span<const std::uint32_t> destinations) {
        hw::collectives::multicast_plan made = planner(source, destinations);
        const auto problem = hw::collectives::find_problem(made, routes, destinations);
        if (problem && wrong.empty()) wrong = "plan: " + *problem;
        return made;
    };
    if (one.watched()) details.chips = hw::system::watched_cores(record);
    const hw::system::scheme_result got =
        hw::system::run_scheme(one.network, one.params, one.work, one.choice, details);
    if (!wrong.empty()) return wrong;
    if (const std::string problem = got.problem(); !problem.empty()) return problem;
    if (!record.violations.empty()) return record.violations.front();
    const std::uint64_t copies = std::uint64_t{one.work.messages} * one.work.degree;
    if (got.counts.messages.delivered != copies)
        return std::to_string(got.counts.messages.delivered) + " messages delivered, not " + std::to_string(copies);
    return {};
}

std::string run_number(std::uint64_t seed, std::uint64_t number, scheme how) {
    try {
        return run(testbench::make_case(seed, number, how));
    } catch (const std::exception& thrown) {
        return std::string("exception: ") + thrown.what();
    }
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Random networks and destination sets: everything must arrive exactly once, by every scheme.");
    std::uint64_t pairs = 10000;
    std::uint64_t seed = std::random_device{}();
    std::uint64_t first = 0;
    unsigned jobs = 1;
    std::string only;
    app.add_option("--pairs", pairs, "(network, destination set) pairs")->capture_default_str();
    app.add_option("--seed", seed, "of all pairs; random if not given");
    app.add_option("--first", first, "number of the first pair")->capture_default_str();
    app.add_option("--scheme", only, "only this one");
    app.add_option("--jobs", jobs, "threads")->capture_default_str()->check(CLI::Range(1, 256));
    CLI11_PARSE(app, argc, argv);

    std::vector<scheme> schemes;
    for (const scheme how : all_schemes) {
        if (only.empty() || only == how->name) schemes.push_back(how);
    }
    if (schemes.empty()) {
        std::cerr << "there is no scheme '" << only << "'\n";
        return 2;
    }
    std::cout << "seed " << seed << ", pairs " << first << ".." << first + pairs - 1 << ", " << schemes.size()
              << " schemes each" << std::endl;
    constexpr unsigned most_failures = 20;
    std::atomic<std::uint64_t> next{first};
    std::atomic<unsigned> failures{0};
    std::mutex output;
    const auto work = [&] {
        for (std::uint64_t number = next++; number < first + pairs && failures < most_failures; number = next++) {
            for (const scheme how : schemes) {
                const std::string wrong = run_number(seed, number, how);
                if (wrong.empty()) continue;
                ++failures;
                const std::lock_guard lock(output);
                std::cout << "FAILED: " << testbench::make_case(seed, number, how).text << "\n  " << wrong
                          << "\n  replay: " << argv[0] << " --seed " << seed << " --first " << number
                          << " --pairs 1 --scheme " << how->name << std::endl;
            }
        }
    };
    std::vector<std::jthread> threads;
    for (unsigned thread = 1; thread < jobs; ++thread) threads.emplace_back(work);
    work();
    threads.clear();
    if (failures != 0) return 1;
    std::cout << pairs << " pairs, " << pairs * schemes.size() << " runs: everything arrived exactly once\n";
    return 0;
}
