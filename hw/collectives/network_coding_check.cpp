// SPDX-License-Identifier: Apache-2.0
#include <utility>
#include <vector>

#include "hw/collectives/network_coding.h"

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
};

}  // namespace

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
            bool has = one.what.kind == parcel::sort::chain && sender.has_chain(one.what.first, one.what.second);
            if (!has) {
                has = true;
                for (const std::uint32_t datum : plan.contents(one.what)) has = has && sender.data[datum];
            }
            if (!wrong && !has) {
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
