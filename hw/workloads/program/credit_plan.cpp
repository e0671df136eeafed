// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/program/credit_plan.h"

#include <algorithm>
#include <string>

#include "hw/input_error.h"

namespace polycast::hw::programs {

namespace {

constexpr std::uint32_t fewest_buffers = 64;
constexpr std::uint32_t buffers_of_sender = 2;
/// Credits of their own to a rank that are on their way: each gives back at least half of a window.
constexpr std::uint32_t buffers_of_receiver = 2;

/// What comes to one rank.
struct inbound {
    std::uint64_t messages = 0;
    std::vector<std::uint32_t> from, to;  ///< ranks that send such messages here, and that this one sends such to
};

void unique(std::vector<std::uint32_t>& ranks) {
    std::ranges::sort(ranks);
    const auto rest = std::ranges::unique(ranks);
    ranks.erase(rest.begin(), rest.end());
}

/// Every message that takes a receive buffer; a long one has a request in one direction and a grant in the other.
std::vector<inbound> count(const program& of, std::uint64_t eager) {
    std::vector<inbound> all(of.ranks());
    const auto join = [&all](std::uint32_t from, std::uint32_t to) {
        all[to].from.push_back(from);
        all[from].to.push_back(to);
    };
    std::vector<std::uint32_t> asked, sent;  // by one rank
    for (std::uint32_t rank = 0; rank < of.ranks(); ++rank) {
        sent.clear();
        asked.clear();
        for (const operation& each : of.of_rank(rank)) {
            if (each.kind != operation_kind::send || each.peer == rank) continue;
            ++all[each.peer].messages;
            sent.push_back(each.peer);
            if (!asks(each, eager)) continue;
            ++all[rank].messages;
            asked.push_back(each.peer);
        }
        unique(sent);
        unique(asked);
        for (const std::uint32_t peer : sent) join(rank, peer);
        for (const std::uint32_t peer : asked) join(peer, rank);
    }
    for (inbound& each : all) {
        unique(each.from);
        unique(each.to);
    }
    return all;
}

}  // namespace

credit_plan plan_credits(const program& of, const credit_options& options) {
    const std::vector<inbound> all = count(of, options.eager);
    const std::uint32_t quota = most_buffers / options.queues;
    // A quarter is left to long messages, each of which has a place of its own.
    const std::uint32_t most = quota - quota / 4;
    std::uint32_t wanted = std::min(fewest_buffers, most);
    for (const inbound& each : all) {
        const std::uint64_t both = buffers_of_sender * each.from.size() + buffers_of_receiver * each.to.size();
        wanted = std::max(wanted, static_cast<std::uint32_t>(std::min<std::uint64_t>(both, most)));
    }
    credit_plan plan{.buffers = wanted, .landings = quota - wanted, .window = std::vector<std::uint32_t>(of.ranks())};
    if (options.rule == credit_rule::none) return plan;
    for (std::uint32_t rank = 0; rank < of.ranks(); ++rank) {
        const inbound& own = all[rank];
        if (options.rule == credit_rule::fixed) {
            plan.window[rank] = options.window;
            continue;
        }
        if (own.messages <= wanted) continue;
        const std::uint64_t senders = own.from.size();
        const std::uint64_t returns = buffers_of_receiver * own.to.size();
        if (senders + returns > wanted)
            throw input_error("rank " + std::to_string(rank) + " gets messages from " + std::to_string(senders) +
                                  " ranks and sends to " + std::to_string(own.to.size()) + ", and its interface has " +
                                  std::to_string(wanted) + " receive buffers for a queue",
                              "take fewer queues, or 'credits: none' where messages do not come all at once");
        plan.window[rank] =
            static_cast<std::uint32_t>(std::clamp<std::uint64_t>((wanted - returns) / senders, 1, 1u << 11));
    }
    return plan;
}

}  // namespace polycast::hw::programs
