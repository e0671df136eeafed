// SPDX-License-Identifier: Apache-2.0
/// \file What a user says of a program that its file does not tell.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "hw/names.h"
#include "hw/programs/element.h"
#include "hw/topology/warning.h"

namespace polycast::hw::programs {

/// What numbers of NICs in GOAL mean. Files do not say it.
enum class nic_meaning : std::uint8_t { one, hosts };

inline constexpr named<nic_meaning> nic_meanings[] = {
    {nic_meaning::one, "one", "a rank has one interface, which all messages take"},
    {nic_meaning::hosts, "hosts", "a rank is a node with an interface for each number"}};

/// What of a Chakra trace keeps order beside dependencies and groups.
enum class stream_order : std::uint8_t { serial, tid, dependencies };

inline constexpr named<stream_order> stream_orders[] = {
    {stream_order::serial, "serial", "collectives of a rank go one by one, in the order of their ids, as in ASTRA-sim"},
    {stream_order::tid, "tid", "GPU nodes of a tid go one by one, in the order of their ids"},
    {stream_order::dependencies, "dependencies", "nothing"}};

/// What becomes of a Chakra trace with dependencies that cannot be met.
enum class trace_repair : std::uint8_t { refuse, drop };

inline constexpr named<trace_repair> trace_repairs[] = {
    {trace_repair::refuse, "refuse", "it is refused"},
    {trace_repair::drop, "drop",
     "dependencies on absent nodes, on the node itself and on higher ids are left out, and counted"}};

/// How long the compute nodes of a Chakra trace take.
enum class compute_time : std::uint8_t { trace, roofline };

inline constexpr named<compute_time> compute_times[] = {
    {compute_time::trace, "trace", "as long as they took"},
    {compute_time::roofline, "roofline", "by their operations and bytes, whichever takes longer"}};

/// A file that a program needs beside its own.
struct named_text {
    std::string name, text;
};

/// What Chakra traces leave open.
struct chakra_options {
    std::optional<std::uint32_t> ranks = {};  ///< that execute a trace of one file
    stream_order streams = stream_order::serial;
    trace_repair repair = trace_repair::refuse;
    compute_time compute = compute_time::trace;
    std::uint64_t peak = 0;                 ///< operations per second, of roofline; 0: not said
    std::uint64_t memory = 0;               ///< bytes per second, of roofline and of loads and stores; 0: not said
    std::optional<named_text> groups = {};  ///< JSON; default: those of the trace
};

struct read_options {
    std::optional<nic_meaning> nics = {};    ///< refused where it is needed and not said
    bool names = true;                       ///< labels and lines are kept, for messages
    std::optional<std::uint64_t> unit = {};  ///< of times, in picoseconds; default: what the format has
    std::uint64_t piece = 0;  ///< longest message, in bytes, that a connection of a matrix is cut into; 0: whole
    // What algorithms of collectives leave open.
    std::optional<std::uint64_t> size = {};  ///< bytes of the larger buffer of a rank; default: the least that fits
    element_type type = element_type::f32;
    std::optional<reduction> how = {};  ///< default: what the file says, else sum
    std::uint64_t slice = 0;            ///< bytes of a chunk that a pass of all steps takes; 0: all
    bool ignore_range = false;          ///< sizes beyond the file's limits are taken
    chakra_options chakra = {};
    topology::warning warn = {};  ///< told what is ignored; may be empty
};

}  // namespace polycast::hw::programs
