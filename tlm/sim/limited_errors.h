// SPDX-License-Identifier: Apache-2.0
/// \file Errors of runs on the terminal, of each kind a few.
#pragma once

#include <map>
#include <string>

namespace polycast::tlm::sim {

/// A message without its numbers, and names with numbers.
std::string kind_of_message(const std::string& what);

/// Errors on the terminal, at most `most` of a kind.
class limited_errors {
public:
    void add(const std::string& run, const std::string& what, const std::string& kind);
    /// How many were left out, a line for each kind.
    void finish() const;

private:
    static constexpr std::size_t most = 5;
    std::map<std::string, std::size_t> counts_;
};

}  // namespace polycast::tlm::sim
