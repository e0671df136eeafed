// SPDX-License-Identifier: Apache-2.0
#include "rtl/model/coverage.h"

#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

#include "Vchip.h"
#include "Vchip__Syms.h"
#include "Vchip___024root.h"
#include "verilated_cov.h"

namespace polycast::rtl {

namespace {

std::mutex guard;
std::vector<std::uint32_t> total;

/// Two processes with one number, in two containers, began at different times.
std::string file_in(const std::string& folder) {
    static const auto began = std::chrono::steady_clock::now().time_since_epoch().count();
    return folder + "/" + POLYCAST_COVERAGE_NAME + "-" + std::to_string(::getpid()) + "-" + std::to_string(began) +
           ".dat";
}

std::uint32_t sum(std::uint32_t left, std::uint32_t right) {
    const std::uint32_t both = left + right;
    return both < left ? std::numeric_limits<std::uint32_t>::max() : both;
}

}  // namespace

void add_coverage(Vchip& chip) {
    const char* folder = std::getenv("POLYCAST_COVERAGE_DATA");
    if (folder == nullptr || *folder == '\0') return;
    const std::scoped_lock lock(guard);
    auto& counters = chip.rootp->vlSymsp->__Vcoverage;
    total.resize(std::size(counters));
    for (std::size_t point = 0; point < total.size(); ++point) {
        counters[point] = total[point] = sum(total[point], counters[point]);
    }
    VerilatedCovContext* const coverage = chip.contextp()->coveragep();
    coverage->forcePerInstance(true);
    const std::string file = file_in(folder);
    const std::string unfinished = file + ".tmp";
    if (std::FILE* test = std::fopen(unfinished.c_str(), "w"); test != nullptr) {
        std::fclose(test);
        coverage->write(unfinished);
        if (std::rename(unfinished.c_str(), file.c_str()) == 0) return;
    }
    std::fprintf(stderr, "%s: cannot be written; is POLYCAST_COVERAGE_DATA a folder that is there?\n", file.c_str());
}

}  // namespace polycast::rtl
