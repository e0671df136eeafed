// SPDX-License-Identifier: Apache-2.0
/// \file Tells on stderr how far a run is.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>

namespace polycast::tlm::sim {

enum class progress_format {
    none,
    text,  ///< one line that is overwritten on a terminal, nothing elsewhere
    json,  ///< one object per line: {"done":3,"total":20,"point":"irregular-3/tree","seconds_left":12.3}
};

/// May be called from several threads.
class progress {
public:
    progress(progress_format format, std::size_t total);
    ~progress();
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;

    void finished(const std::string& point);

private:
    progress_format format_;
    std::size_t total_;
    std::size_t done_ = 0;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::mutex mutex_;
};

}  // namespace polycast::tlm::sim
