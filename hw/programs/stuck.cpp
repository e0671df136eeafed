// SPDX-License-Identifier: Apache-2.0
#include "hw/programs/stuck.h"

#include <optional>

#include "hw/programs/pairing.h"

namespace polycast::hw::programs {
namespace {

constexpr std::size_t most_lines = 20;  ///< of each kind

/// Lines of one kind, and how many did not fit.
class lines {
public:
    explicit lines(std::string what) : what_(std::move(what)) {}
    bool room() const { return kept_.size() < most_lines; }
    void add(const std::string& line) { kept_.push_back(line); }
    void leave_out() { ++left_out_; }
    void move_to(std::vector<std::string>& report) {
        for (std::string& one : kept_) report.push_back(std::move(one));
        if (left_out_ != 0) report.push_back("and " + std::to_string(left_out_) + " more " + what_);
    }

private:
    std::string what_;
    std::vector<std::string> kept_;
    std::uint64_t left_out_ = 0;
};

/// What an operation that has not started waits for: the first one.
std::optional<operation_id> missing(const program& run, const run_state& state, operation_id id) {
    const std::uint32_t first = run.number({id.rank, 0});
    for (std::uint32_t i = 0; i < run.of_rank(id.rank).size(); ++i)
        for (const dependent& one : run.dependents({id.rank, i}))
            if (one.index() == id.index && !(one.on_start() ? state.started : state.ended)[first + i])
                return operation_id{id.rank, i};
    return std::nullopt;
}

std::string what_it_waits_for(const program& run, const run_state& state, operation_id id) {
    const operation& one = run.at(id);
    if (!state.started[run.number(id)]) {
        const auto on = missing(run, state, id);
        return on ? run.describe(*on) : "its turn";
    }
    if (one.kind == operation_kind::send) return "its receive in rank " + std::to_string(one.peer);
    return "a message from " + (one.any_source ? "any rank" : "rank " + std::to_string(one.peer)) + " with " +
           (one.any_tag ? "any tag" : "tag " + std::to_string(one.tag));
}

}  // namespace

std::vector<std::string> describe_stuck(const program& run, const run_state& state, std::uint64_t eager) {
    std::vector<std::string> report;
    const pairing pairs = pair_messages(run, &state.matched);
    const std::vector<operation_id> circle = find_circular_wait(run, pairs, eager, &state);
    if (!circle.empty()) report.push_back("circular wait: " + circle_text(run, circle));
    lines waiting("ranks"), untaken("messages that nobody has taken");
    for (std::uint32_t rank = 0; rank < run.ranks(); ++rank) {
        const auto operations = run.of_rank(rank);
        bool oldest = true;
        for (std::uint32_t i = 0; i < operations.size(); ++i) {
            const std::uint32_t number = run.number({rank, i});
            if (oldest && !state.ended[number]) {
                oldest = false;
                if (waiting.room())
                    waiting.add(run.describe({rank, i}) + " waits for " + what_it_waits_for(run, state, {rank, i}));
                else
                    waiting.leave_out();
            }
            if (operations[i].kind != operation_kind::send || !state.started[number] || state.matched[number]) continue;
            if (untaken.room())
                untaken.add("nobody has taken the message of " + run.describe({rank, i}));
            else
                untaken.leave_out();
        }
    }
    waiting.move_to(report);
    untaken.move_to(report);
    return report;
}

}  // namespace polycast::hw::programs
