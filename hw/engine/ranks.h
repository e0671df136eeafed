// SPDX-License-Identifier: Apache-2.0
/// \file Processes that simulate one network together, each a part of it, on one machine or on several.
#pragma once

#include <cstdint>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace polycast::hw::engine {

/// How the processes talk. All of them call the same functions in the same order, and each call waits for the others.
class rank_group {
public:
    virtual ~rank_group() = default;

    virtual unsigned rank() const = 0;
    virtual unsigned size() const = 0;
    bool first() const { return rank() == 0; }

    /// Gives each of `neighbours` its string of `out`. \returns what they give this rank, in the same order
    virtual std::vector<std::string> exchange(std::span<const unsigned> neighbours,
                                              std::span<const std::string> out) = 0;
    /// Each value becomes the least that a rank has in its place.
    virtual void least(std::span<std::uint64_t> values) = 0;
    /// \returns on the first rank what each rank has, [rank]; elsewhere nothing
    virtual std::vector<std::string> gather(const std::string& own) = 0;
    /// \returns what the first rank has
    virtual std::string spread(const std::string& own) = 0;
    /// Ends all ranks at once: this one cannot go on.
    virtual void abort(int status) = 0;
};

/// What it cost to simulate a network together.
struct rank_costs {
    std::uint64_t cables = 0;   ///< between chips of different ranks
    std::uint64_t window = 0;   ///< cycles
    std::uint64_t windows = 0;  ///< after each of which ranks told their neighbours what goes there
    std::uint64_t batches = 0;  ///< after each of which all agreed
    std::uint64_t bytes = 0;    ///< that went from rank to rank in windows
    std::uint64_t told = 0;     ///< bytes that the others told the first one, for its scoreboards and observers
    double waiting = 0;         ///< seconds that the first rank spent on telling, agreeing and waiting
};

/// Thrown on all ranks but the first when a network has been simulated: what is to be known of it is there.
class simulated_elsewhere final : public std::exception {
public:
    const char* what() const noexcept override { return "the first rank goes on"; }
};

/// Thrown where this rank has failed while the others wait for its part of the simulation: they cannot be told.
class out_of_step final : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace polycast::hw::engine
