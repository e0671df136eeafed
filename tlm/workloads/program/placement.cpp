// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/program/placement.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "hw/input_error.h"
#include "hw/traffic/random.h"
#include "tlm/workloads/messages/messages_run.h"

namespace polycast::tlm::sim {

using scenario::loaded;
using scenario::program_workload;

void check_ranks(const loaded& scenario, const instance& on, std::size_t workload, std::uint32_t ranks) {
    const std::size_t there = on.plan.network.hosts.size();
    if (ranks <= there) return;
    const bool collective = scenario.values.workloads[workload].kind == scenario::traffic_kind::collective;
    scenario.fail(scenario::workload_path(workload, collective ? "ranks" : "path"),
                  "the program has " + std::to_string(ranks) + " ranks, and " + on.name + " has " +
                      std::to_string(there) + " hosts",
                  "take a larger network: a host has one rank at most");
}

namespace {

/// A host for each rank; of a file one line each.
std::vector<std::uint32_t> placed_by_file(const loaded& scenario, const hw::topology::graph& network,
                                          const std::string& path) {
    std::istringstream lines(scenario.files->text_of(path, "placement"));
    std::vector<std::uint32_t> hosts;
    std::string text;
    for (unsigned line = 1; std::getline(lines, text); ++line) {
        const std::size_t begin = text.find_first_not_of(" \t\r");
        if (begin == std::string::npos || text[begin] == '#') continue;
        const hw::text_position at{line, static_cast<unsigned>(begin + 1)};
        text = text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
        std::optional<std::uint32_t> host = network.find_host(text);
        std::uint32_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (!host && error == std::errc{} && end == text.data() + text.size() && number < network.hosts.size())
            host = number;
        if (!host)
            throw hw::input_error(path, at, "there is no host '" + text + "'",
                                  "a name, or a number of 0.." + std::to_string(network.hosts.size() - 1));
        if (std::ranges::find(hosts, *host) != hosts.end())
            throw hw::input_error(path, at, "host '" + text + "' has a rank already");
        hosts.push_back(*host);
    }
    return hosts;
}

}  // namespace

std::vector<std::uint32_t> hosts_of(const loaded& scenario, const instance& on, std::size_t workload,
                                    std::uint32_t ranks) {
    const auto there = static_cast<std::uint32_t>(on.plan.network.hosts.size());
    const program_workload& w = scenario.values.workloads[workload].program;
    check_ranks(scenario, on, workload, ranks);
    std::vector<std::uint32_t> hosts;
    if (const auto file = scenario.placement_path(workload)) {
        hosts = placed_by_file(scenario, on.plan.network, *file);
        if (hosts.size() != ranks)
            scenario.fail(scenario::workload_path(workload, "placement"),
                          *file + " has " + std::to_string(hosts.size()) + " hosts, and the program " +
                              std::to_string(ranks) + " ranks");
        return hosts;
    }
    hosts.resize(there);
    std::iota(hosts.begin(), hosts.end(), 0);
    if (w.placement == "random") {
        // Fisher and Yates, by a stream of its own: std::shuffle differs between libraries.
        hw::traffic::random_stream random(seed_of(scenario.values.seed, on.index, 1), workload);
        for (std::uint32_t left = there; left > 1; --left)
            std::swap(hosts[left - 1], hosts[hw::traffic::draws{random}.below(left)]);
    }
    hosts.resize(ranks);
    return hosts;
}

}  // namespace polycast::tlm::sim
