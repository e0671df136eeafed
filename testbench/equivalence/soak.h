// SPDX-License-Identifier: Apache-2.0
/// \file Many comparisons in a row, with the options, the lines of output and the exit status of polycast-soak.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "testbench/equivalence/contenders.h"

namespace CLI {
class App;
}

namespace polycast::testbench::equivalence {

/// Two models to be compared. A run of them is a line of text.
struct contender_pair {
    /// What a run is drawn from.
    struct draw {
        std::uint64_t set_seed = 0;  ///< for the parameters ..
        unsigned most_ports = 0;     ///< .. of so many ports
        std::uint64_t number = 0;    ///< of the run
        std::uint64_t seed = 0;      ///< for the rest
        std::uint64_t cycles = 0;
    };
    std::function<std::string(const draw& from)> draw_line;
    /// Whether a line is one of such models.
    std::function<bool(const std::string& line)> knows;
    /// \throws hw::input_error for a line that is none
    std::function<comparison(const std::string& line)> open;
    /// In the place of `open`: runs itself.
    std::function<std::optional<difference>(const std::string& line, coverage& seen)> run = {};
};

/// Runs with `sets` in turn, drawn ones without any.
contender_pair switch_pair(contender first, contender second, std::vector<hw::chips::switch_params> sets = {});
contender_pair router_pair(router_contender first, router_contender second,
                           std::vector<hw::chips::router_params> sets = {});
/// \param large draws large units, too
contender_pair coding_pair(coding_contender first, coding_contender second, bool large,
                           std::vector<hw::chips::coding_params> sets = {});
contender_pair broadcast_pair(broadcast_contender first, broadcast_contender second,
                              std::vector<hw::chips::broadcast_params> sets = {});

contender_pair vl_switch_pair(vl_switch_contender first, vl_switch_contender second,
                              std::vector<hw::chips::vl_switch_params> sets = {});

struct soak_options {
    std::vector<std::string> pairs;       ///< names of pairs, all without any
    std::uint64_t configurations = 0;     ///< how many; 0: without end
    std::uint64_t per_set = 200;          ///< configurations of a drawn set before the next is drawn
    std::uint64_t cycles = 5000;          ///< of a configuration
    unsigned most_ports = 12;             ///< of a drawn set: the RTL of many ports takes long to build
    double hours = 0;                     ///< how long; 0: without end
    std::optional<std::uint64_t> seed;    ///< a random one, printed, without it
    std::string replay;                   ///< the one configuration to be run, as printed
    std::string again = "polycast-soak";  ///< how people start this, for the line that repeats a failure
    std::string more;                     ///< options that it needs beside the pair and the line
    bool demand_coverage = false;         ///< fail unless errors, replication, resets and so on were all seen
};

/// All options but the sets, whose names depend on the program.
void add_options(CLI::App& app, soak_options& options);

/// Called on a difference, after its lines have been printed.
using failure_handler = std::function<void(const std::string& pair, const std::string& line, const difference& found)>;

/// Compares and prints one line per run. \returns the exit status: 0 no difference, 1 a difference, 130 when
/// `interrupted` was set \throws hw::input_error for a replay line that is none, or models that cannot be had
int soak(const soak_options& options, const std::map<std::string, contender_pair>& pairs,
         const failure_handler& on_failure, const std::atomic<bool>& interrupted);

}  // namespace polycast::testbench::equivalence
