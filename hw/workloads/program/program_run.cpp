// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/program/program_run.h"

#include <algorithm>
#include <memory>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "hw/host/command_words.h"
#include "hw/input_error.h"
#include "hw/programs/stuck.h"

namespace polycast::hw::programs {

namespace {

/// A process of a rank's host: one of its queues.
class rank_queue final : public host::application {
public:
    rank_queue(std::shared_ptr<rank> own, unsigned number, bool last)
        : own_(std::move(own)), number_(number), last_(last) {}

    /// All queues are there when the last one starts.
    void start() override {
        if (last_) own_->start();
    }
    bool finished() const override { return own_->finished(); }
    std::vector<std::string> failures() const override {
        return number_ == 0 ? own_->failures() : std::vector<std::string>{};
    }
    std::vector<std::uint64_t> counts() const override {
        return number_ == 0 ? own_->packed_report() : std::vector<std::uint64_t>{};
    }
    void sent(cycle, std::uint64_t context, ni_status status) override { own_->sent(number_, context, status); }
    void received(cycle, const host::delivery& message) override { own_->received(number_, message); }
    void landed(cycle, std::uint64_t context, ni_status status) override { own_->landed(number_, context, status); }
    void group_set(cycle, std::uint64_t, ni_status status) override { own_->group_set(status); }
    void unacknowledged(cycle, std::uint64_t, std::span<const host::lacking_host> hosts) override {
        own_->unacknowledged(hosts);
    }
    void failed(cycle, const host::ni_report& report) override { own_->failed(report); }

private:
    std::shared_ptr<rank> own_;
    unsigned number_;
    bool last_;
};

/// Multicasts go to receive buffers, and no other message is taken for one of them.
void check_multicasts(const rank_rules& rules) {
    const program& of = *rules.of;
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint16_t, std::uint32_t>> envelopes;
    for (const multicast& each : of.multicasts()) {
        const operation_id first{each.rank, each.first};
        if (!rules.multicasts) throw std::logic_error("a program with multicasts, and nothing says how they go");
        if (of.number(first) >= control_tag) throw input_error("multicasts of a program of more than 2^32 operations");
        const std::uint64_t room = host::window_bytes / rules.credits.buffers;
        if (of.at(first).length > room)
            throw input_error(of.describe(first) + " is part of a multicast, which goes to receive buffers, and " +
                                  std::to_string(rules.credits.buffers) + " of more than " + std::to_string(room) +
                                  " bytes do not fit the memory that an interface may write",
                              "take an algorithm of messages alone");
        for (std::uint32_t i = each.first; i < each.first + each.count; ++i) {
            const operation& send = of.at({each.rank, i});
            if (!envelopes.emplace(each.rank, send.peer, send.communicator, send.tag).second)
                throw input_error(of.describe({each.rank, i}) +
                                  " is part of a multicast, and another multicast to this rank has its tag");
        }
    }
    for (std::uint32_t rank = 0; rank < of.ranks() && !envelopes.empty(); ++rank)
        for (std::uint32_t i = 0; i < of.of_rank(rank).size(); ++i) {
            const operation& send = of.at({rank, i});
            if (send.kind != operation_kind::send || send.multicast ||
                !envelopes.contains({rank, send.peer, send.communicator, send.tag}))
                continue;
            throw input_error(of.describe({rank, i}) + " has the tag of a multicast to the same rank");
        }
}

/// Long messages go to receive buffers, too, because firmware has no places for reliable ones; each place is one more.
/// \param longest bytes of messages that ask
rank_rules checked_reliable(rank_rules rules, std::uint64_t longest) {
    const program& of = *rules.of;
    if (rules.queues != 1) throw input_error("reliable messages keep their order in one queue", "take 'queues: 1'");
    std::vector<std::set<std::uint32_t>> partners(of.ranks());
    for (std::uint32_t rank = 0; rank < of.ranks(); ++rank) {
        if (of.of_rank(rank).size() > reliable_tag::first_multicast)
            throw input_error("rank " + std::to_string(rank) +
                              " has more than 2^23 operations, which tags of reliable "
                              "messages cannot name");
        for (const operation& each : of.of_rank(rank)) {
            if (each.kind != operation_kind::send || each.peer == rank) continue;
            partners[rank].insert(each.peer);
            partners[each.peer].insert(rank);
        }
    }
    if (of.multicasts().size() > reliable_tag::first_multicast)
        throw input_error("the program has more than 2^23 multicasts, which tags of reliable messages cannot name");
    for (std::uint32_t rank = 0; rank < of.ranks(); ++rank) {
        const std::size_t groups = rules.multicasts ? rules.multicasts->groups_of(rules.host_of[rank]).size() : 0;
        if (partners[rank].size() + groups > NI_FLOWS)
            throw input_error("rank " + std::to_string(rank) + " has messages with " +
                              std::to_string(partners[rank].size()) + " ranks and is in " + std::to_string(groups) +
                              " groups, and firmware keeps " + std::to_string(NI_FLOWS) +
                              " flows of reliable messages");
    }
    if (longest == 0) return rules;
    rules.longest_eager = std::max(rules.longest_eager, static_cast<std::uint32_t>(longest));
    const std::uint64_t room = host::window_bytes / std::max<std::uint64_t>(rules.longest_eager, control_bytes);
    if (room <= rules.credits.buffers)
        throw input_error("reliable messages of " + std::to_string(longest) + " bytes, and " +
                              std::to_string(rules.credits.buffers) + " receive buffers for them do not fit",
                          "cut them into shorter ones");
    rules.places =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(rules.credits.landings, room - rules.credits.buffers));
    return rules;
}

}  // namespace

rank_rules checked(rank_rules rules) {
    constexpr std::uint64_t page = host::host_memory::page_bytes;
    constexpr std::uint64_t most = (std::uint64_t{1} << 32) - page;
    const program& of = *rules.of;
    if (rules.host_of.size() != of.ranks())
        throw input_error("a program of " + std::to_string(of.ranks()) + " ranks on " +
                          std::to_string(rules.host_of.size()) + " hosts");
    std::uint64_t longest = 0;
    for (std::uint32_t rank = 0; rank < of.ranks(); ++rank) {
        const std::span<const operation> all = of.of_rank(rank);
        for (std::uint32_t index = 0; index < all.size(); ++index) {
            const operation& each = all[index];
            if (each.kind == operation_kind::collective)
                throw input_error(of.describe({rank, index}) +
                                  " is a collective, which has to be made into messages first");
            if (each.kind == operation_kind::calc)
                rules.longest_calc = std::max(rules.longest_calc, time_of(each.length, rules.unit));
            if (each.kind != operation_kind::send) continue;
            if (each.length > most)
                throw input_error(of.describe({rank, index}) + " is longer than " + std::to_string(most) +
                                  " bytes, the most that an interface can place");
            if (!asks(each, rules.eager)) {
                rules.longest_eager = std::max(rules.longest_eager, rules.sent_bytes(each));
            } else if (each.peer != rank) {
                longest = std::max<std::uint64_t>(longest, rules.sent_bytes(each));
            }
        }
    }
    check_multicasts(rules);
    if (rules.reliable) return checked_reliable(std::move(rules), longest);
    if (longest == 0) return rules;
    rules.place_bytes = static_cast<std::uint32_t>((longest + page - 1) / page * page);
    rules.places =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(rules.credits.landings, most / rules.place_bytes));
    return rules;
}

void fit(host::host_params& hosts, const rank_rules& rules) {
    hosts.message_bytes = std::max(control_bytes, rules.longest_eager);
    hosts.receive_buffers = rules.credits.buffers + (rules.reliable ? rules.places : 0);
    hosts.interface.processes = rules.queues;
    hosts.overheads_by_programs = true;
}

program_run::program_run(rank_rules rules)
    : rules_(std::move(rules)), check_(*rules_.of, rules_.payload_seed, rules_.type), over_(rules_.of->ranks()) {}

std::vector<host::application_factory> program_run::programs(std::uint32_t host) {
    std::vector<host::application_factory> all(rules_.queues);
    const std::uint32_t number = rules_.rank_of[host];
    if (number == rank_rules::no_rank) return all;
    const auto made = std::make_shared<std::weak_ptr<rank>>();
    for (unsigned queue = 0; queue < rules_.queues; ++queue) {
        all[queue] = [this, made, number, queue](const host::host_context& context) {
            std::shared_ptr<rank> own = queue == 0 ? std::make_shared<rank>(*this, number, context) : made->lock();
            if (queue == 0) *made = own;
            own->add_queue(context.own);
            return std::make_unique<rank_queue>(std::move(own), queue, queue + 1 == rules_.queues);
        };
    }
    return all;
}

void program_run::delivered(cycle when, operation_id receive, operation_id send, std::span<const std::uint8_t> bytes) {
    check_.delivered(when, receive, send, bytes);
    until_ = std::max(until_, when + 1);
}

void program_run::finished(std::uint32_t rank, cycle when) {
    ++finished_;
    over_[rank] = true;
    until_ = std::max(until_, when + 1);
}

std::string program_run::oldest_missing() const {
    const auto open = std::ranges::find(over_, false);
    return open == over_.end() ? "" : "one of rank " + std::to_string(open - over_.begin()) + ", which has not ended";
}

std::vector<path_segment> program_run::path(std::span<const rank_report> reports) const {
    std::vector<std::vector<operation_times>> times;
    for (const rank_report& each : reports) times.push_back(each.times);
    return critical_path(*rules_.of, times, rules_.start);
}

std::vector<std::string> program_run::stuck(std::span<const rank_report> reports) const {
    const program& of = *rules_.of;
    run_state state{std::vector<bool>(of.operations(), true), std::vector<bool>(of.operations(), true),
                    std::vector<bool>(of.operations(), true)};
    for (std::uint32_t rank = 0; rank < reports.size(); ++rank) {
        const std::uint32_t first = of.number({rank, 0});
        const std::vector<std::uint8_t>& known = reports[rank].states;
        for (std::uint32_t index = 0; index < known.size(); ++index) {
            state.started[first + index] = (known[index] & operation_started) != 0;
            state.ended[first + index] = (known[index] & operation_ended) != 0;
            if (of.at({rank, index}).kind == operation_kind::receive)
                state.matched[first + index] = (known[index] & operation_matched) != 0;
        }
        for (std::uint32_t index = 0; index < of.of_rank(rank).size(); ++index)
            if (of.at({rank, index}).kind == operation_kind::send)
                state.matched[first + index] = check_.taken({rank, index});
    }
    return describe_stuck(of, state, rules_.eager);
}

}  // namespace polycast::hw::programs
