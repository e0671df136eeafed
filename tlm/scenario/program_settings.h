// SPDX-License-Identifier: Apache-2.0
/// \file Programs and collectives of a scenario, checked and converted. tlm/workloads/program has their keys.
#pragma once

#include <array>
#include <boost/rational.hpp>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>

#include "hw/programs/loggops.h"
#include "hw/programs/program_file.h"
#include "hw/workloads/program/credit_plan.h"

namespace polycast::tlm::scenario {

/// An exact ratio, e.g. of bytes to cycles.
using ratio = boost::rational<std::int64_t>;

enum class program_timeline : std::uint8_t {
    automatic,  ///< of short programs
    all,
    none
};

enum class program_machine : std::uint8_t {
    model,   ///< hosts, interfaces and chips
    loggops  ///< hw/programs/loggops.h
};

/// The communication of an application, or a collective of the library; \see hw/workloads/program/program.md
struct program_workload {
    std::string path;                                    ///< as written
    std::optional<hw::programs::program_format> format;  ///< nothing: as the content says
    std::optional<hw::programs::nic_meaning> nics;
    std::string placement;               ///< "linear", "random", or a file, as written
    std::uint64_t eager = 0;             ///< bytes
    std::optional<unsigned> queues;      ///< nothing: as many as channels, at most 16
    std::optional<std::uint64_t> start;  ///< first cycle with an operation; nothing: as early as interfaces can
    hw::programs::credit_rule credit_rule = hw::programs::credit_rule::automatic;
    std::uint32_t credits = 0;          ///< of credit_rule::fixed
    std::optional<ratio> unit;          ///< cycles; nothing: that of the format
    std::optional<ratio> copy, reduce;  ///< bytes per cycle; nothing: they take no time
    bool races = false;                 ///< are allowed
    std::uint64_t piece = 0;            ///< bytes of a message of a matrix; 0: whole
    std::uint64_t slice = 0;            ///< bytes of a chunk in a pass of an MSCCL algorithm; 0: all
    bool ignore_range = false;
    bool flags = false;  ///< messages of an MSCCL algorithm have those of its protocol
    // Of Chakra traces; what is not given stays as it is here.
    std::string groups;  ///< a file, as written; empty: the trace lists them
    hw::programs::stream_order streams = hw::programs::stream_order::serial;
    hw::programs::trace_repair repair = hw::programs::trace_repair::refuse;
    hw::programs::compute_time compute = hw::programs::compute_time::trace;
    std::uint64_t peak = 0;    ///< operations per second; 0: not said
    std::uint64_t memory = 0;  ///< bytes per second; 0: not said
    /// By which algorithms a trace's collectives are made: [collective_kind], and of those that have none. Names.
    std::array<std::string, std::size(hw::programs::collective_kinds)> algorithms;
    std::string default_algorithm = "auto";
    // Of collectives and MSCCL algorithms.
    std::optional<std::uint64_t> size;  ///< bytes; of an algorithm nothing: the least that fits
    hw::programs::element_type type = hw::programs::element_type::f32;
    std::optional<hw::programs::reduction> reduction;  ///< nothing: as the file says, else sum
    // Of collectives.
    hw::programs::collective_kind collective = hw::programs::collective_kind::allreduce;
    std::string algorithm;
    std::string table;              ///< file for `auto`, as written; empty: a prediction is made
    std::optional<unsigned> ranks;  ///< nothing: a rank on every host; of a trace: as many as it has files
    unsigned root = 0;
    unsigned pieces = 4;
    bool in_place = false;
    std::uint32_t repeat = 1, warmup = 0;
    program_machine machine = program_machine::model;
    hw::programs::loggops_parameters loggops;
    std::optional<std::uint64_t> loggops_o_receive;  ///< nothing: as o
    bool path_in_network = false;                    ///< the critical path goes through interfaces and links
    program_timeline timeline = program_timeline::automatic;
};

}  // namespace polycast::tlm::scenario
