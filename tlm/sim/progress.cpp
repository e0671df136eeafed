// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace polycast::tlm::sim {

progress::progress(progress_format format, std::size_t total) : format_(format), total_(total) {
    if (format_ == progress_format::text && ::isatty(STDERR_FILENO) == 0) format_ = progress_format::none;
}

progress::~progress() {
    if (format_ == progress_format::text && done_ > 0) fmt::print(stderr, "\r\033[K");
}

void progress::finished(const std::string& point) {
    const std::lock_guard lock(mutex_);
    ++done_;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    const double left = seconds / static_cast<double>(done_) * static_cast<double>(total_ - done_);
    if (format_ == progress_format::json) {
        const nlohmann::ordered_json line{
            {"done", done_}, {"total", total_}, {"point", point}, {"seconds_left", std::round(left * 10) / 10}};
        fmt::print(stderr, "{}\n", line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    } else if (format_ == progress_format::text) {
        fmt::print(stderr, "\r\033[K{} of {} points, {:.0f} s left ({})", done_, total_, left, point);
    }
    std::fflush(stderr);
}

}  // namespace polycast::tlm::sim
