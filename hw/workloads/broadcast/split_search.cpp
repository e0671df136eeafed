// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/broadcast/split_search.h"

#include <algorithm>
#include <numeric>

#include "hw/workloads/broadcast/broadcast_rule.h"

namespace polycast::hw::broadcast {

namespace {

using topology::bypass_torus;

class trials {
public:
    trials(const bypass_torus& network, const broadcast_params& base, const search_params& search, std::uint64_t goal,
           const step_observer& observe, search_result& best)
        : network_(network), base_(base), search_(search), goal_(goal), observe_(observe), best_(best) {}

    bool over() const { return best_.runs != 0 && (sends_ >= search_.most_sends || best_.result.steps <= goal_); }

    void run(const std::vector<unsigned>& split, const std::vector<unsigned>& patterns) {
        if (over()) return;
        broadcast_params params = base_;
        params.split = split;
        params.patterns = patterns;
        if (best_.runs != 0) params.step_limit = best_.result.steps - 1;
        const broadcast_result result = run_broadcast(network_, params, observe_);
        ++best_.runs;
        sends_ += result.sends;
        if (!result.complete) return;
        params.step_limit = base_.step_limit;
        best_.params = params;
        best_.result = result;
    }

private:
    const bypass_torus& network_;
    const broadcast_params& base_;
    const search_params& search_;
    const std::uint64_t goal_;
    const step_observer& observe_;
    search_result& best_;
    std::uint64_t sends_ = 0;
};

/// Moves a packet from one colour to another, in all ways.
void try_neighbours(trials& all, const std::vector<unsigned>& split, const std::vector<unsigned>& patterns) {
    for (std::size_t from = 0; from < split.size(); ++from) {
        for (std::size_t to = 0; to < split.size(); ++to) {
            if (from == to || split[from] == 0) continue;
            std::vector<unsigned> other = split;
            --other[from];
            ++other[to];
            all.run(other, patterns);
        }
    }
}

/// All combinations but the first one, which has been tried.
void try_patterns(trials& all, const std::vector<unsigned>& split, const std::vector<std::vector<unsigned>>& choices) {
    std::vector<std::size_t> chosen(choices.size());
    for (std::size_t c = 0; c < choices.size() && !all.over();) {
        if (++chosen[c] == choices[c].size()) {
            chosen[c++] = 0;
            continue;
        }
        std::vector<unsigned> patterns;
        for (std::size_t i = 0; i < choices.size(); ++i) patterns.push_back(choices[i][chosen[i]]);
        all.run(split, patterns);
        c = 0;
    }
}

}  // namespace

std::vector<std::uint64_t> longest_ways(const bypass_torus& network, const broadcast_params& base) {
    std::vector<std::uint64_t> ways;
    broadcast_params alone = base;
    alone.bytes = 0;
    alone.patterns.assign(base.dimensions.size(), 0);
    for (std::size_t colour = 0; colour < base.dimensions.size(); ++colour) {
        alone.split.assign(base.dimensions.size(), 0);
        alone.split[colour] = 1;
        ways.push_back(run_broadcast(network, alone).steps);
    }
    return ways;
}

std::uint64_t pipelined_steps(const std::vector<std::uint64_t>& ways, const std::vector<unsigned>& split) {
    std::uint64_t steps = 0;
    for (std::size_t c = 0; c < ways.size(); ++c)
        if (split[c] != 0) steps = std::max(steps, ways[c] + split[c] - 1);
    return steps;
}

std::vector<unsigned> balanced_split(const std::vector<std::uint64_t>& ways, unsigned packets) {
    std::vector<unsigned> split(ways.size());
    for (; packets > 0; --packets) {
        std::size_t next = 0;
        for (std::size_t c = 1; c < ways.size(); ++c)
            if (ways[c] + split[c] < ways[next] + split[next]) next = c;
        ++split[next];
    }
    return split;
}

std::vector<unsigned> patterns_that_differ(const bypass_torus& network, std::uint32_t source, unsigned dimension) {
    if (!network.has_bypasses()) return {0, 1};
    const auto bypass = network.bypass_of(network.class_of(network.coordinates_of(source)));
    if (bypass.dimension != dimension) return {0, 1};
    if (2 * bypass.length == network.radix()) return {0, 1, 4, 5};
    std::vector<unsigned> all(pattern_count);
    std::iota(all.begin(), all.end(), 0u);
    return all;
}

search_result find_best(const bypass_torus& network, const broadcast_params& base, const search_params& search,
                        const step_observer& observe) {
    const std::vector<std::uint64_t> ways = longest_ways(network, base);
    const std::vector<unsigned> split = search.split.empty() ? balanced_split(ways, search.packets) : search.split;
    const bool line = ways.size() == 1;
    search_result best;
    trials all(network, base, search, line ? least_steps(network, base.source, base.dimensions, search.packets) : 0,
               observe, best);
    std::vector<unsigned> patterns = search.patterns;
    if (patterns.empty()) patterns.resize(ways.size());
    all.run(split, patterns);
    if (search.split.empty()) try_neighbours(all, split, patterns);
    if (search.patterns.empty()) {
        std::vector<std::vector<unsigned>> choices;
        for (const unsigned j : base.dimensions) choices.push_back(patterns_that_differ(network, base.source, j));
        try_patterns(all, best.params.split, choices);
    }
    best.pipelined = line ? least_steps(network, base.source, base.dimensions, search.packets)
                          : pipelined_steps(ways, best.params.split);
    return best;
}

}  // namespace polycast::hw::broadcast
