// SPDX-License-Identifier: Apache-2.0
/// \file Static check of a fabric's tables: which pairs they join, how, and whether packets can wait for each other in
/// a circle. See subnet.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hw/subnet/channel_graph.h"
#include "hw/subnet/fabric.h"

namespace polycast::hw::subnet {

struct check_options {
    std::optional<unsigned> vls;  ///< operational lanes of every port where no file tells fewer
    bool all = false;             ///< switches' LIDs are sources and destinations, too
};

inline constexpr std::size_t max_lost_shown = 1000;

struct check_result {
    struct lost_pair {
        std::string source;
        unsigned dlid = 0;
        std::string reason;
        std::string at;
    };
    struct group {
        unsigned mlid = 0;
        std::uint32_t members = 0;                 ///< end ports
        std::uint32_t switches = 0;                ///< that have a row
        std::uint64_t missed = 0, duplicates = 0;  ///< pairs of a sender and another member
        bool loop = false;
    };
    struct loads {
        std::uint64_t directions = 0;  ///< used, from switch to switch
        std::uint64_t least = 0, most = 0;
        std::map<std::uint64_t, std::uint64_t> histogram;  ///< DLIDs: directions
    };

    std::uint64_t pairs = 0, reached = 0;
    std::vector<lost_pair> lost;               ///< the first, by DLID and source
    std::map<unsigned, std::uint64_t> cables;  ///< number of cables: pairs
    std::uint64_t longer = 0;                  ///< than the shortest way
    std::map<unsigned, std::uint64_t> ways;    ///< with LMC: different ways of a pair of ports: pairs of ports
    loads balance;
    std::vector<group> groups;

    std::uint64_t channels = 0;  ///< that a way or a flood uses
    std::map<unsigned, std::uint64_t> channels_by_vl;
    std::uint64_t unicast_dependencies = 0, added = 0;
    dependencies::cycles unicast, all;
    /// Dependencies of the cycle of `all` that only multicast has, by the place in the cycle of the first channel.
    std::vector<std::size_t> only_multicast;

    std::vector<std::string> warnings, problems;

    double mean_cables() const;
    bool good() const { return problems.empty(); }
};

check_result check(const fabric& of, const check_options& options);

/// The same; \param unicast becomes the dependencies of unicasts, \param all those of unicasts and multicasts
check_result check(const fabric& of, const check_options& options, dependencies& unicast, dependencies& all);
check_result check(const fabric& of, const check_options& options, dependencies& unicast);

/// "switch0:1", with its VL where more than one is in use.
std::string channel_text(const fabric& of, const channel& one, bool with_vl);

}  // namespace polycast::hw::subnet
