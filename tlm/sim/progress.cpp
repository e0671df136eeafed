// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace polycast::tlm::sim {

progress::progress(progress_format format, std::size_t total) : format_(format), total_(total) {
    if (format_ == progress_format::text && ::isatty(STDERR_FILENO) == 0) format_ = progress_format::none;
}

progress::~progress() {
    if (format_ == progress_format::text && last_ != clock::time_point{}) fmt::print(stderr, "\r\033[K");
}

void progress::finished(const std::string& point) {
    const std::lock_guard lock(mutex_);
    ++done_;
    last_ = clock::now();
    const double left = seconds_left();
    if (format_ == progress_format::json) {
        const nlohmann::ordered_json line{
            {"done", done_}, {"total", total_}, {"point", point}, {"seconds_left", std::round(left * 10) / 10}};
        fmt::print(stderr, "{}\n", line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    } else if (format_ == progress_format::text) {
        fmt::print(stderr, "\r\033[K{} of {} points, {:.0f} s left ({})", done_, total_, left, point);
    }
    std::fflush(stderr);
}

void progress::partly(std::size_t point, double share) {
    using namespace std::chrono_literals;
    if (format_ != progress_format::text) return;
    const std::lock_guard lock(mutex_);
    shares_[point] = share;
    if (clock::now() - std::max(last_, start_) < 250ms) return;
    last_ = clock::now();
    const auto words = words_.find(point);
    fmt::print(stderr, "\r\033[K{} of {} points, {:.0f} s left (this one: {:.0f} %{}{})", done_, total_, seconds_left(),
               100 * share, words == words_.end() ? "" : ", ", words == words_.end() ? "" : words->second);
    std::fflush(stderr);
}

void progress::doing(std::size_t point, const std::string& words) {
    if (format_ != progress_format::text) return;
    const std::lock_guard lock(mutex_);
    words_[point] = words;
}

double progress::seconds_left() const {
    double done = 0;
    for (const auto& [point, share] : shares_) done += share;
    // Most points do not tell.
    done = std::max({done, static_cast<double>(done_), 1e-9});
    const double seconds = std::chrono::duration<double>(clock::now() - start_).count();
    return seconds / done * (static_cast<double>(total_) - done);
}

}  // namespace polycast::tlm::sim
