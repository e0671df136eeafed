// SPDX-License-Identifier: Apache-2.0
#include "hw/collectives/network_coding_check.h"

#include <utility>
#include <vector>

namespace polycast::hw::collectives {

namespace {

std::string text_of(const parcel& what) {
    switch (what.kind) {
        case parcel::sort::datum: return "datum " + std::to_string(what.first);
        case parcel::sort::chain:
            return "chain packet " + std::to_string(what.first) + "^" + std::to_string(what.second);
        case parcel::sort::message: break;
    }
    return "message of group " + std::to_string(what.first) + " of level " + std::to_string(what.second);
}

/// What one node has.
struct possessions {
    std::vector<bool> data;                          ///< [node]
    std::vector<std::vector<std::uint32_t>> chains;  ///< [node] the others of chain packets with its datum

    bool has_chain(std::uint32_t first, std::uint32_t second) const {
        for (const std::uint32_t other : chains[first]) {
            if (other == second) return true;
        }
        return false;
    }

    /// A datum, and all that follows from it along chain packets.
    void learn(std::uint32_t datum) {
        std::vector<std::uint32_t> open{datum};
        while (!open.empty()) {
            const std::uint32_t one = open.back();
            open.pop_back();
            if (data[one]) continue;
            data[one] = true;
            open.insert(open.end(), chains[one].begin(), chains[one].end());
        }
    }

    void learn_chain(std::uint32_t first, std::uint32_t second) {
        chains[first].push_back(second);
        chains[second].push_back(first);
        if (data[first]) learn(second);
        if (data[second]) learn(first);
    }

    bool has(const network_coding& plan, const parcel& what) const {
        if (what.kind == parcel::sort::chain && has_chain(what.first, what.second)) return true;
        for (const std::uint32_t datum : plan.contents(what))
            if (!data[datum]) return false;
        return true;
    }

    /// \returns false if it had it
    bool take(const network_coding& plan, const parcel& what) {
        if (has(plan, what)) return false;
        if (what.kind == parcel::sort::chain) {
            learn_chain(what.first, what.second);
        } else {
            for (const std::uint32_t datum : plan.contents(what)) learn(datum);
        }
        return true;
    }
};

}  // namespace

std::vector<bool> recoverable(const network_coding& plan, accounting what, bool late) {
    const std::uint32_t nodes = plan.nodes();
    std::vector<possessions> all(nodes);
    for (possessions& one : all) {
        one.data.assign(nodes, false);
        one.chains.resize(nodes);
    }
    for (const std::vector<std::uint32_t>& members : plan.levels().front().sources)
        for (const std::uint32_t source : members) all[source].learn(source);
    bool again = true;
    while (again) {
        again = false;
        for (const coding_step& step : plan.steps()) {
            std::vector<transfer> arriving;
            const auto arrive = [&] {
                for (const transfer& one : arriving)
                    if (all[one.to].take(plan, one.what)) again = late;
                arriving.clear();
            };
            plan.for_each_transfer(step, what, [&](const transfer& one) {
                if (!arriving.empty() && arriving.back().round != one.round) arrive();
                if (all[one.from].has(plan, one.what)) arriving.push_back(one);
            });
            arrive();
        }
    }
    std::vector<bool> can;
    can.reserve(std::size_t{nodes} * nodes);
    for (const possessions& one : all) can.insert(can.end(), one.data.begin(), one.data.end());
    return can;
}

std::optional<std::string> find_problem(const network_coding& plan, accounting what) {
    const std::uint32_t nodes = plan.nodes();
    std::vector<possessions> all(nodes);
    for (possessions& one : all) {
        one.data.assign(nodes, false);
        one.chains.resize(nodes);
    }
    std::vector<std::uint32_t> sources;
    for (const std::vector<std::uint32_t>& members : plan.levels().front().sources) {
        sources.insert(sources.end(), members.begin(), members.end());
    }
    for (const std::uint32_t source : sources) all[source].learn(source);

    std::optional<std::string> wrong;
    for (const coding_step& step : plan.steps()) {
        std::vector<transfer> arriving;
        const auto arrive = [&] {
            for (const transfer& one : arriving) {
                possessions& at = all[one.to];
                if (one.what.kind == parcel::sort::chain) {
                    at.learn_chain(one.what.first, one.what.second);
                } else {
                    for (const std::uint32_t datum : plan.contents(one.what)) at.learn(datum);
                }
            }
            arriving.clear();
        };
        plan.for_each_transfer(step, what, [&](const transfer& one) {
            if (!arriving.empty() && arriving.back().round != one.round) arrive();
            const possessions& sender = all[one.from];
            if (!wrong && !sender.has(plan, one.what)) {
                wrong = std::string("step ") + step.letter + " of level " + std::to_string(step.level) + ": node " +
                        std::to_string(one.from) + " has to send " + text_of(one.what) + " to node " +
                        std::to_string(one.to) + ", and does not have it";
            }
            if (!wrong && one.from == one.to)
                wrong = "node " + std::to_string(one.from) + " sends " + text_of(one.what) + " to itself";
            arriving.push_back(one);
        });
        arrive();
        if (wrong) return wrong;
    }
    for (std::uint32_t node = 0; node < nodes; ++node) {
        for (const std::uint32_t source : sources) {
            if (!all[node].data[source])
                return "node " + std::to_string(node) + " cannot recover the datum of node " + std::to_string(source);
        }
    }
    return std::nullopt;
}

}  // namespace polycast::hw::collectives
