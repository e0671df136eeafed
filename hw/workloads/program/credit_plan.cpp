// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/program/credit_plan.h"

#include <algorithm>
#include <string>
#include <utility>

#include "hw/input_error.h"

namespace polycast::hw::programs {

namespace {

constexpr std::uint32_t fewest_buffers = 64;
constexpr std::uint32_t buffers_of_sender = 2;
/// Messages of credits to a rank that are on their way: each gives back at least half of a window, about.
constexpr std::uint32_t buffers_of_receiver = 2;

/// What comes to one rank.
struct inbound {
    std::uint64_t messages = 0;
    bool multicasts = false;              ///< it sends some
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
            all[rank].multicasts = all[rank].multicasts || each.multicast;
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

bool has_long_messages(const program& of, std::uint64_t eager) {
    for (std::uint32_t rank = 0; rank < of.ranks(); ++rank)
        for (const operation& each : of.of_rank(rank))
            if (each.peer != rank && asks(each, eager)) return true;
    return false;
}

/// Receive buffers of each queue of every rank: two for all that may come, at least those without which nothing goes.
std::uint32_t buffers_for(const std::vector<inbound>& all, std::uint32_t quota, bool long_messages) {
    // Long messages have places of their own: a quarter, and less only where so many buffers are needed.
    const std::uint32_t usual = long_messages ? quota - quota / 4 : quota;
    const std::uint32_t quick = long_messages ? quota - std::max(1u, quota / 16) : quota;
    const std::uint32_t last = long_messages ? quota - 1 : quota;
    std::uint32_t wanted = std::min(fewest_buffers, usual);
    for (const inbound& each : all) {
        const std::uint64_t senders = each.from.size(), receivers = each.to.size();
        const auto at_most = [](std::uint64_t number, std::uint32_t most) {
            return static_cast<std::uint32_t>(std::min<std::uint64_t>(number, most));
        };
        wanted = std::max({wanted, at_most(buffers_of_sender * senders + buffers_of_receiver * receivers, usual),
                           at_most(senders + receivers, quick), at_most(senders + 1, last)});
    }
    return wanted;
}

/// Ranks for whose messages others need credits: those that may get more than they have room for. Each of them may send
/// credits to those that send to it, which may take their room.
std::vector<bool> credited_ranks(const std::vector<inbound>& all, std::uint32_t buffers) {
    std::vector<bool> credited(all.size());
    for (std::size_t rank = 0; rank < all.size(); ++rank) credited[rank] = all[rank].messages > buffers;
    // Where messages fill the buffers no room is left for a single answer.
    for (bool changed = true; std::exchange(changed, false);)
        for (std::size_t rank = 0; rank < all.size(); ++rank) {
            if (credited[rank] || all[rank].messages < buffers) continue;
            credited[rank] = changed =
                std::ranges::any_of(all[rank].to, [&](std::uint32_t to) { return credited[to]; });
        }
    return credited;
}

}  // namespace

credit_plan plan_credits(const program& of, const credit_options& options) {
    const std::vector<inbound> all = count(of, options.eager);
    const std::uint32_t quota = most_buffers / options.queues;
    const std::uint32_t buffers = buffers_for(all, quota, has_long_messages(of, options.eager));
    credit_plan plan{.buffers = buffers,
                     .landings = quota - buffers,
                     .window = std::vector<std::uint32_t>(of.ranks()),
                     .answers = std::vector<std::uint32_t>(of.ranks())};
    if (options.rule == credit_rule::none) return plan;
    if (options.rule == credit_rule::fixed) {
        std::ranges::fill(plan.window, options.window);
        return plan;
    }
    const std::vector<bool> credited = credited_ranks(all, buffers);
    std::vector<std::uint64_t> taken(of.ranks());  // buffers that are for messages
    for (std::uint32_t rank = 0; rank < of.ranks(); ++rank) {
        const std::uint64_t senders = all[rank].from.size();
        const std::uint64_t back = buffers_of_receiver * all[rank].to.size();
        taken[rank] = all[rank].messages;
        if (!credited[rank]) continue;
        plan.window[rank] =
            senders + back > buffers
                ? 1
                : static_cast<std::uint32_t>(std::clamp<std::uint64_t>((buffers - back) / senders, 1, 1u << 11));
        taken[rank] = senders * plan.window[rank];
    }
    for (std::uint32_t rank = 0; rank < of.ranks(); ++rank) {
        std::uint64_t most = 0;  // answers
        for (const std::uint32_t to : all[rank].to) most += plan.window[to] / credits_of_answer(plan.window[to]);
        const std::uint64_t room = buffers - std::min<std::uint64_t>(taken[rank], buffers);
        if (taken[rank] <= buffers && most <= room) continue;
        // A multicast takes its credits one by one, and would hold those that others wait for.
        if (taken[rank] > buffers || room == 0 || all[rank].multicasts)
            throw input_error("rank " + std::to_string(rank) + " gets messages from " +
                                  std::to_string(all[rank].from.size()) + " ranks and sends " +
                                  (all[rank].multicasts ? "multicasts " : "") + "to " +
                                  std::to_string(all[rank].to.size()) + ", and its interface has " +
                                  std::to_string(buffers) + " receive buffers for a queue",
                              "take fewer queues, or 'credits: none' where messages do not come all at once");
        plan.answers[rank] = static_cast<std::uint32_t>(room);
    }
    return plan;
}

}  // namespace polycast::hw::programs
