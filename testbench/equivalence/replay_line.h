// SPDX-License-Identifier: Apache-2.0
/// \file The line of text that a run is replayed from: "name=number name=number ...".
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace polycast::testbench::equivalence {

class replay_line {
public:
    /// \throws hw::input_error for a word that is not name=number
    explicit replay_line(const std::string& line);

    /// \throws hw::input_error if there is no such name (any more)
    std::uint64_t take(const std::string& name);
    /// The same, at most the largest unsigned.
    unsigned take_small(const std::string& name);

    /// \throws hw::input_error if a name was not taken
    void finish() const;

private:
    std::map<std::string, std::uint64_t> values_;
};

}  // namespace polycast::testbench::equivalence
