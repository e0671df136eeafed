// SPDX-License-Identifier: Apache-2.0
#include "hw/workloads/program/critical_path.h"

#include <algorithm>

namespace polycast::hw::programs {

void operation_times::packed(std::vector<std::uint64_t>& to, operation_kind kind) const {
    const bool receives = kind == operation_kind::receive;
    to.insert(to.end(),
              {ready, credited, begin, end, receives ? arrived : handed, receives ? pay_begin : granted,
               receives ? paid : data_begin, receives ? std::uint64_t{partner.rank} << 32 | partner.index : data_handed,
               std::uint64_t{cause_start} << 32 | cause});
}

operation_times operation_times::of(std::span<const std::uint64_t, words> packed, operation_kind kind) {
    operation_times made;
    made.ready = packed[0];
    made.credited = packed[1];
    made.begin = packed[2];
    made.end = packed[3];
    if (kind == operation_kind::receive) {
        made.arrived = packed[4];
        made.pay_begin = packed[5];
        made.paid = packed[6];
        made.partner = {static_cast<std::uint32_t>(packed[7] >> 32), static_cast<std::uint32_t>(packed[7])};
    } else {
        made.handed = packed[4];
        made.granted = packed[5];
        made.data_begin = packed[6];
        made.data_handed = packed[7];
    }
    made.cause = static_cast<std::uint32_t>(packed[8]);
    made.cause_start = (packed[8] >> 32) != 0;
    return made;
}

namespace {

/// Goes backwards. `at_` is the cycle up to which nothing is explained yet.
class path_finder {
public:
    path_finder(const program& of, std::span<const std::vector<operation_times>> times, cycle start)
        : of_(of), times_(times), start_(start) {
        for (std::uint32_t rank = 0; rank < of.ranks(); ++rank)
            for (std::uint32_t index = 0; index < times[rank].size(); ++index)
                if (of.at({rank, index}).kind == operation_kind::receive)
                    receive_of_.emplace_back(of.number(times[rank][index].partner), operation_id{rank, index});
        std::ranges::sort(receive_of_, {}, &std::pair<std::uint32_t, operation_id>::first);
    }

    std::vector<path_segment> find() {
        operation_id last{};
        for (std::uint32_t rank = 0; rank < of_.ranks(); ++rank)
            for (std::uint32_t index = 0; index < times_[rank].size(); ++index)
                if (at(operation_id{rank, index}).end > at_) {
                    last = {rank, index};
                    at_ = at(last).end;
                }
        if (at_ <= start_) return {};
        bool from_start = false;
        for (operation_id next = last; at_ > start_;) {
            const std::optional<operation_id> before = from_start ? of_start(next) : of_end(next);
            if (!before) break;
            from_start = at(next_of_cause_).cause_start;
            next = *before;
        }
        std::ranges::reverse(path_);
        return path_;
    }

private:
    const operation_times& at(operation_id id) const { return times_[id.rank][id.index]; }

    void add(cycle from, path_step what, operation_id of, bool data_left = false) {
        from = std::max(from, start_);
        if (from >= at_) return;
        path_.push_back({from, at_, what, of, data_left});
        at_ = from;
    }
    operation_id receive_of(operation_id send) const {
        return std::ranges::lower_bound(receive_of_, of_.number(send), {},
                                        &std::pair<std::uint32_t, operation_id>::first)
            ->second;
    }

    /// What an operation that has started waited for; nothing: the start of the program.
    std::optional<operation_id> of_start(operation_id id) {
        add(at(id).credited, path_step::busy, id);
        add(at(id).ready, path_step::credit, id);
        next_of_cause_ = id;
        if (at(id).cause == operation_times::nothing) return std::nullopt;
        return operation_id{id.rank, at(id).cause};
    }
    std::optional<operation_id> of_send(operation_id id) {
        add(at(id).begin, path_step::send, id);
        return of_start(id);
    }
    /// Of one that asks, when its data was given to the interface.
    std::optional<operation_id> of_data(operation_id id) {
        add(at(id).data_begin, path_step::send, id);
        add(at(id).granted, path_step::busy, id);
        const operation_id receive = receive_of(id);
        if (at(receive).begin > at(id).handed) {
            add(at(receive).begin, path_step::grant, id);
            return of_start(receive);
        }
        add(at(id).handed, path_step::grant, id);
        return of_send(id);
    }
    std::optional<operation_id> of_receive(operation_id id) {
        const operation_times& own = at(id);
        if (own.begin >= own.paid) return of_start(id);
        const operation_times& sent = at(own.partner);
        add(own.paid, path_step::order, id);
        add(own.pay_begin, path_step::receive, id);
        add(own.arrived, path_step::busy, id);
        add(sent.granted != 0 ? sent.data_handed : sent.handed, path_step::network, own.partner);
        return sent.granted != 0 ? of_data(own.partner) : of_send(own.partner);
    }
    std::optional<operation_id> of_end(operation_id id) {
        switch (of_.at(id).kind) {
            case operation_kind::receive: return of_receive(id);
            case operation_kind::send:
                if (at(id).granted == 0) return of_send(id);
                add(at(id).data_handed, path_step::network, id, true);
                return of_data(id);
            case operation_kind::calc: add(at(id).begin, path_step::compute, id); break;
            case operation_kind::copy:
            case operation_kind::reduce: add(at(id).begin, path_step::move, id); break;
            case operation_kind::collective:
            case operation_kind::none: break;
        }
        return of_start(id);
    }

    const program& of_;
    std::span<const std::vector<operation_times>> times_;
    cycle start_;
    cycle at_ = 0;
    operation_id next_of_cause_{};  ///< whose cause was followed last
    std::vector<path_segment> path_;
    std::vector<std::pair<std::uint32_t, operation_id>> receive_of_;  ///< by number of the send
};

}  // namespace

std::vector<path_segment> critical_path(const program& of, std::span<const std::vector<operation_times>> times,
                                        cycle start) {
    return path_finder(of, times, start).find();
}

}  // namespace polycast::hw::programs
