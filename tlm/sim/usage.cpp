// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/usage.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <sstream>

namespace polycast::tlm::sim {

namespace {

double read_clock(clockid_t which) {
    timespec now{};
    ::clock_gettime(which, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

double thread_cpu_seconds() {
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

double process_cpu_seconds() {
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

double family_cpu_seconds() {
    double seconds = 0;
    for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
        rusage used{};
        ::getrusage(who, &used);
        for (const timeval& t : {used.ru_utime, used.ru_stime})
            seconds += static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
    }
    return seconds;
}

std::uint64_t value_in(const std::filesystem::path& file, const std::string& word) {
    std::ifstream lines(file);
    std::string name;
    std::uint64_t value = 0;
    for (std::string line; std::getline(lines, line);)
        if (std::istringstream(line) >> name >> value && name == word) return value;
    return 0;
}

std::uint64_t peak_bytes() {
    rusage children{};
    ::getrusage(RUSAGE_CHILDREN, &children);
    // Not getrusage: its peak begins with that of the program that has started this one.
    return 1024 * std::max(value_in("/proc/self/status", "VmHWM:"), static_cast<std::uint64_t>(children.ru_maxrss));
}

std::string size_text(std::uint64_t bytes) {
    if (bytes < 1000) return fmt::format("{} B", bytes);
    if (bytes < 1000000) return fmt::format("{:.1f} KB", static_cast<double>(bytes) / 1e3);
    if (bytes < 1000000000) return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
    return fmt::format("{:.1f} GB", static_cast<double>(bytes) / 1e9);
}

std::string out_of_memory() {
    return fmt::format(
        "out of memory; the run had {} at its peak, so give it more, take a smaller network, or lower --jobs",
        size_text(peak_bytes()));
}

}  // namespace polycast::tlm::sim
