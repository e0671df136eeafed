// SPDX-License-Identifier: Apache-2.0
/// \file The reference machine once more, by its rules as they are written in programs.md and nothing else: every event
/// lies in one ordered set, and is put back as often as it comes too early.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "hw/programs/loggops.h"
#include "hw/programs/program.h"

namespace polycast::hw::programs {

class plain_loggops {
public:
    plain_loggops(const program& of, const loggops_parameters& with)
        : of_(of), p_(with), posted_(of.ranks()), unexpected_(of.ranks()), spans_(of.operations()) {
        waits_.resize(of.operations());
        latest_.resize(of.operations());
        for (std::uint32_t rank = 0; rank < of.ranks(); ++rank) {
            const std::vector<std::uint32_t> counts = of.counts_of_dependencies(rank);
            for (std::uint32_t i = 0; i < counts.size(); ++i) {
                waits_[of.number({rank, i})] = counts[i];
                if (counts[i] == 0) freed_.push_back({rank, i});
            }
            begin_freed();
        }
        while (!events_.empty()) {
            const event one = *events_.begin();
            events_.erase(events_.begin());
            one.message ? message(one) : take(one);
            begin_freed();
        }
    }

    /// [number]
    const std::vector<loggops_span>& spans() const { return spans_; }

private:
    struct event {
        std::uint64_t time = 0, number = 0;
        operation_id of{};
        bool message = false;

        bool operator<(const event& other) const { return std::tie(time, number) < std::tie(other.time, other.number); }
    };
    using place = std::pair<std::uint32_t, unsigned>;  ///< rank, and cpu or nic

    std::uint64_t beyond(const operation& sent) const { return std::max<std::uint64_t>(sent.length, 1) - 1; }
    bool asks(const operation& sent) const { return sent.length > p_.S; }
    static bool fits(const operation& receive, const operation& sent, std::uint32_t source) {
        return (receive.any_source || receive.peer == source) && (receive.any_tag || receive.tag == sent.tag) &&
               receive.communicator == sent.communicator;
    }

    void put_back(event one, std::uint64_t time) {
        one.time = time;
        events_.insert(one);
    }

    void told(operation_id of, bool start, std::uint64_t time) {
        (start ? spans_[of_.number(of)].begin : spans_[of_.number(of)].end) = time;
        for (const dependent& one : of_.dependents(of)) {
            if (one.on_start() != start) continue;
            const operation_id freed{of.rank, one.index()};
            std::uint64_t& latest = latest_[of_.number(freed)];
            latest = std::max(latest, time);
            if (--waits_[of_.number(freed)] == 0) freed_.push_back(freed);
        }
    }

    static int group(const operation& of) {
        return of.kind == operation_kind::send ? 0 : of.kind == operation_kind::receive ? 1 : 2;
    }
    void begin_freed() {
        std::ranges::stable_sort(freed_, {},
                                 [this](operation_id one) { return std::pair(one.rank, group(of_.at(one))); });
        for (const operation_id one : freed_) {
            const operation& made = of_.at(one);
            std::uint64_t time = std::max(latest_[of_.number(one)], free_[{one.rank, made.cpu}]);
            if (made.kind == operation_kind::send) time = std::max(time, gs_[{one.rank, made.channel}]);
            events_.insert({time, numbers_++, one, false});
        }
        freed_.clear();
    }

    void take(const event& one) {
        const operation& made = of_.at(one.of);
        std::uint64_t& free = free_[{one.of.rank, made.cpu}];
        if (made.kind == operation_kind::receive) {
            told(one.of, true, one.time);
            auto& list = unexpected_[one.of.rank];
            const auto found = std::ranges::find_if(
                list, [&](const auto& each) { return fits(made, of_.at(each.first), each.first.rank); });
            if (found == list.end()) return posted_[one.of.rank].push_back(one.of);
            const auto [send, time] = *found;
            list.erase(found);
            match(one.of, send, one.time, std::max(one.time, time));
        } else if (made.kind == operation_kind::send) {
            std::uint64_t& gs = gs_[{one.of.rank, made.channel}];
            if (std::max(free, gs) > one.time) return put_back(one, std::max(free, gs));
            free = one.time + p_.o + beyond(made) * p_.O;
            gs = one.time + p_.g + beyond(made) * p_.G;
            events_.insert({one.time + p_.o + p_.L, numbers_++, one.of, true});
            told(one.of, true, one.time);
            if (!asks(made)) told(one.of, false, free);
        } else {
            if (made.kind == operation_kind::calc) {
                if (free > one.time) return put_back(one, free);
                free = one.time + made.length;
            }
            told(one.of, true, one.time);
            told(one.of, false, made.kind == operation_kind::calc ? free : one.time);
        }
    }

    void message(const event& one) {
        const operation& sent = of_.at(one.of);
        std::uint64_t &free = free_[{sent.peer, sent.cpu}], &gr = gr_[{sent.peer, sent.channel}];
        if (std::max(free, gr) > one.time) return put_back(one, std::max(free, gr));
        free = one.time + p_.o_receive + std::max(beyond(sent) * p_.O, beyond(sent) * p_.G);
        gr = one.time + p_.g + beyond(sent) * p_.G;
        auto& list = posted_[sent.peer];
        const auto found =
            std::ranges::find_if(list, [&](operation_id each) { return fits(of_.at(each), sent, one.of.rank); });
        if (found == list.end()) return unexpected_[sent.peer].push_back({one.of, free});
        const operation_id receive = *found;
        list.erase(found);
        match(receive, one.of, one.time, free);
    }

    void match(operation_id receive, operation_id send, std::uint64_t now, std::uint64_t end) {
        told(receive, false, end);
        const operation& sent = of_.at(send);
        if (!asks(sent)) return;
        for (std::uint64_t* each : {&free_[{send.rank, sent.cpu}], &gs_[{send.rank, sent.channel}]})
            *each = std::max(*each, now);
        told(send, false, now);
    }

    const program& of_;
    const loggops_parameters p_;
    std::set<event> events_;
    std::uint64_t numbers_ = 0;
    std::map<place, std::uint64_t> free_, gs_, gr_;
    std::vector<std::deque<operation_id>> posted_;                                ///< [rank]
    std::vector<std::deque<std::pair<operation_id, std::uint64_t>>> unexpected_;  ///< [rank]
    std::vector<std::uint64_t> waits_, latest_;                                   ///< [number]
    std::vector<operation_id> freed_;
    std::vector<loggops_span> spans_;
};

}  // namespace polycast::hw::programs
