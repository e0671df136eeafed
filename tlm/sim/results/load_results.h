// SPDX-License-Identifier: Apache-2.0
/// \file Checks of a run under load: whether the network kept up, and whether the warm-up was long enough.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace polycast::tlm::sim {

struct transfer;

/// Cycles of a run under load.
struct load_times {
    std::uint64_t start = 0;  ///< of the first message
    std::uint64_t from = 0;   ///< measurement window
    std::uint64_t to = 0;
};

/// Messages created in a stretch of the window.
struct load_batch {
    std::uint64_t from = 0, to = 0;
    std::uint64_t created = 0, finished = 0;
    double mean = 0;  ///< latency of the finished ones
};

struct load_results {
    std::vector<load_batch> batches;
    std::uint64_t created = 0, completed = 0;          ///< messages, in the window
    std::uint64_t backlog_begin = 0, backlog_end = 0;  ///< created and not completed, at the ends of the window
    bool kept_up = true;                               ///< the backlog did not grow
    std::uint64_t warmup = 0;                          ///< as configured
    std::optional<std::uint64_t> warmup_detected;      ///< by warmup_of(); nothing if it cannot be determined
    double warmup_bias = 0;  ///< of the window\'s mean against the mean behind warmup_detected, relative
    std::vector<std::string> warnings;
};

/// `transfers` by time of creation, from `times.start` on. The network did not keep up when the backlog grew in the
/// window by more than 5 % of the messages created in it, and by more than three standard deviations of a backlog that
/// stays as it is (Poisson). A warm-up that is longer than what is left out is worth a warning where that changes the
/// mean by more than 2 %: MSER-5 cuts a bit off a steady series, too.
load_results judge_load(const std::vector<transfer>& transfers, const load_times& times, unsigned batches);

/// Fills in `kept_up` and `warnings` from the other figures. `enough`: there are enough messages to see a warm-up.
void judge(load_results& found, bool enough);

/// As in results.json; the warnings are elsewhere.
nlohmann::ordered_json load_json(const load_results& load);

}  // namespace polycast::tlm::sim
