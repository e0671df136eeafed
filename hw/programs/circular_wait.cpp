// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/circular_wait.h"

#include <algorithm>
#include <unordered_map>

#include "hw/programs/event_graph.h"

namespace polycast::hw::programs {
namespace {

constexpr std::uint64_t most_work = 50'000'000;  ///< edges that the search for the shortest circle follows

class waits {
public:
    using event = event_graph::event;

    waits(const program& of, const pairing& pairs, std::uint64_t eager, const run_state* state)
        : of_(of), graph_(of, pairs, eager), eager_(eager), state_(state) {}

    std::vector<operation_id> find();

private:
    void count();
    void take();
    std::vector<event> shortest() const;
    bool left(event one) const {
        const std::uint32_t number = event_graph::operation_of(one);
        return event_graph::is_end(one) ? before_end_[number] != 0 : before_start_[number] != 0;
    }

    const program& of_;
    event_graph graph_;
    std::uint64_t eager_;
    const run_state* state_;
    std::vector<std::uint32_t> before_start_;  ///< [number] what it still waits for
    std::vector<std::uint8_t> before_end_;
    std::uint64_t left_ = 0;
};

void waits::count() {
    before_start_ = graph_.before_starts();
    before_end_.resize(of_.operations());
    for (std::uint32_t rank = 0; rank < of_.ranks(); ++rank) {
        std::uint32_t number = of_.number({rank, 0});
        for (const operation& one : of_.of_rank(rank)) {
            before_end_[number] = graph_.before_end(number, one);
            // In a run, who has no partner now will not get one.
            if (state_ != nullptr && (one.kind == operation_kind::receive || asks(one, eager_)))
                before_end_[number] = 2;
            ++number;
        }
    }
    left_ = graph_.events();
}

/// Takes away what happens: what waits for nothing, and what waits for what has been taken.
void waits::take() {
    std::vector<event> taken;
    const auto happens = [&](event one) {
        taken.push_back(one);
        --left_;
    };
    for (std::uint32_t number = 0; number < of_.operations(); ++number) {
        if (state_ != nullptr && state_->started[number]) {
            before_start_[number] = 0;
            happens(event{number} * 2);
            if (!state_->ended[number]) continue;
            before_end_[number] = 0;
            happens(event{number} * 2 + 1);
        } else if (before_start_[number] == 0) {
            happens(event{number} * 2);
        }
    }
    while (!taken.empty()) {
        const event one = taken.back();
        taken.pop_back();
        graph_.for_each_waiting(one, [&](event next, bool) {
            if (!left(next)) return;
            const std::uint32_t number = event_graph::operation_of(next);
            if ((event_graph::is_end(next) ? --before_end_[number] : --before_start_[number]) == 0) happens(next);
        });
    }
}

std::vector<event_graph::event> waits::shortest() const {
    std::vector<event> best;
    std::uint64_t work = 0;
    std::unordered_map<event, std::pair<event, std::size_t>> reached;  // where from, and in how many steps
    std::vector<event> queue;
    for (event start = 0; start < graph_.events() && work < most_work; ++start) {
        if (!left(start)) continue;
        reached.clear();
        reached[start] = {start, 0};
        queue.assign(1, start);
        bool found = false;
        for (std::size_t at = 0; at < queue.size() && !found; ++at) {
            const event here = queue[at];
            const std::size_t steps = reached[here].second;
            if (!best.empty() && steps + 1 >= best.size()) break;
            graph_.for_each_waiting(here, [&](event next, bool) {
                ++work;
                if (found || !left(next)) return;
                if (next == start) {
                    best.assign(1, start);
                    for (event back = here; back != start; back = reached[back].first) best.push_back(back);
                    found = true;
                } else if (reached.try_emplace(next, here, steps + 1).second) {
                    queue.push_back(next);
                }
            });
        }
    }
    return best;
}

std::vector<operation_id> waits::find() {
    count();
    take();
    if (left_ == 0) return {};
    std::vector<operation_id> circle;
    for (const event one : shortest()) {
        const operation_id id = of_.id_of(event_graph::operation_of(one));
        if (circle.empty() || !(circle.back() == id)) circle.push_back(id);
    }
    if (circle.size() > 1 && circle.front() == circle.back()) circle.pop_back();
    return circle;
}

}  // namespace

std::vector<operation_id> find_circular_wait(const program& of, const pairing& pairs, std::uint64_t eager,
                                             const run_state* state) {
    return waits(of, pairs, eager, state).find();
}

std::string circle_text(const program& of, const std::vector<operation_id>& circle) {
    std::string text;
    for (const operation_id one : circle) text += of.describe(one) + " waits for ";
    return text + of.describe(circle.front());
}

}  // namespace polycast::hw::programs
