// SPDX-License-Identifier: Apache-2.0
/// \file Waves of both sides of a comparison that failed.
#pragma once

#include <filesystem>
#include <string>

#include "testbench/equivalence/contenders.h"

namespace polycast::testbench::equivalence {

/// Runs the comparison again and records both chips, under the names of the contenders, for the cycles before the
/// difference; the inside of RTL goes to a file of its own. \returns the files in words, one per line.
/// \throws hw::input_error if they cannot be written
std::string write_waves(const switch_run& run, const contender& first, const contender& second, std::uint64_t failed,
                        const std::filesystem::path& folder);
std::string write_waves(const router_run& run, const router_contender& first, const router_contender& second,
                        std::uint64_t failed, const std::filesystem::path& folder);
std::string write_waves(const coding_run& run, const coding_contender& first, const coding_contender& second,
                        std::uint64_t failed, const std::filesystem::path& folder);
std::string write_waves(const broadcast_run& run, const broadcast_contender& first, const broadcast_contender& second,
                        std::uint64_t failed, const std::filesystem::path& folder);
std::string write_waves(const vl_switch_run& run, const vl_switch_contender& first, const vl_switch_contender& second,
                        std::uint64_t failed, const std::filesystem::path& folder);

}  // namespace polycast::testbench::equivalence
