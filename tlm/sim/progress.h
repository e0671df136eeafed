// SPDX-License-Identifier: Apache-2.0
/// \file Shows on stderr the progress of a command.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
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
    /// Progress of a running run, reported at any rate. \param share of its work, 0 to 1
    void partly(std::size_t point, double share);
    /// Shown with what partly() says of the run from now on.
    void doing(std::size_t point, const std::string& words);

private:
    using clock = std::chrono::steady_clock;

    double seconds_left() const;

    progress_format format_;
    std::size_t total_;
    std::size_t done_ = 0;
    std::map<std::size_t, double> shares_;      ///< [run] last reported
    std::map<std::size_t, std::string> words_;  ///< [run] likewise
    clock::time_point last_;                    ///< when something was shown
    clock::time_point start_ = clock::now();
    std::mutex mutex_;
};

}  // namespace polycast::tlm::sim
