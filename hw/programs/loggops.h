// SPDX-License-Identifier: Apache-2.0
/// \file The reference machine: programs on the LogGOPS model, without chips (Hoefler, Schneider and Lumsdaine,
/// "LogGOPSim: Simulating Large-Scale Applications in the LogGOPS Model", 2010). programs.md has its rules, which leave
/// nothing open: a program takes the same time wherever they are followed.
#pragma once

#include <boost/rational.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hw/programs/program.h"

namespace polycast::hw::programs {

/// Times in the program's unit; G and O for each byte after the first; S in bytes. Each at most most_loggops.
struct loggops_parameters {
    std::uint64_t L = 2500;          ///< latency of the network
    std::uint64_t o = 1500;          ///< processor's time for a message sent
    std::uint64_t o_receive = 1500;  ///< and for one received
    std::uint64_t g = 1000;          ///< least time between messages at an interface
    std::uint64_t G = 6;
    std::uint64_t O = 0;      ///< processor's time
    std::uint64_t S = 65535;  ///< longest message that is sent without asking
};

/// A time over the bytes of a message: straight lines between points, and on beyond the first and the last one.
class time_table {
public:
    struct point {
        std::uint64_t bytes = 1, time = 0;

        bool operator==(const point&) const = default;
    };

    time_table() = default;
    /// \throws input_error without points, where bytes do not rise, or where times fall or are beyond most_loggops
    explicit time_table(std::vector<point> points);

    /// Rounded to the nearest; exact at the points.
    std::uint64_t at(std::uint64_t bytes) const;
    const std::vector<point>& points() const { return points_; }

private:
    std::vector<point> points_{{}};
};

/// When a multicast is at its receivers.
struct multicast_times {
    std::uint64_t calls = 1;             ///< of the root, each with its overhead
    std::vector<std::uint64_t> arrives;  ///< [send] from the start of the first overhead to that of the receiver's
};

/// Parameters as tables, as one g and G cannot describe packets (parametrised LogP: Kielmann, Bal and Verstoep,
/// "Network Performance-aware Collective Communication for Clustered Wide Area Systems", 2000). Times in cycles.
struct loggops_tables {
    time_table way;  ///< from the end of the sender's overhead to the start of the receiver's
    time_table gap;  ///< between messages at an interface
    /// An interface sends and receives in turn, gap(b) for each message, so that gs and gr are one. Sends do not wait
    /// for it; their messages do.
    bool shared = false;
    std::uint64_t o = 1000;  ///< sender's overhead
    std::uint64_t o_receive = 1000;
    std::uint64_t packet_bytes = 0;         ///< overheads are paid for each so many bytes; 0: for a message
    std::uint64_t S = 16384;                ///< longest message that is sent without asking
    std::uint64_t ask = 0;                  ///< what a longer one takes more than its way
    boost::rational<std::int64_t> unit{1};  ///< of calc
    std::optional<boost::rational<std::int64_t>> copy, reduce;  ///< bytes per cycle; nothing: they take no time
    /// What the network and its interfaces make of a multicast; empty: programs that have some are refused.
    std::function<multicast_times(const program&, const multicast&)> multicasts{};
};

inline constexpr std::uint64_t most_loggops = std::uint64_t{1} << 28;

/// Of an operation.
struct loggops_span {
    static constexpr std::uint64_t never = ~std::uint64_t{0};

    std::uint64_t begin = never, end = never;
};

struct loggops_result {
    std::vector<std::uint64_t> finish;  ///< [rank]
    std::vector<loggops_span> spans;    ///< [operation], where they are wanted
    std::uint64_t events = 0;           ///< taken from the queue
    std::uint64_t messages = 0, bytes = 0;
    std::uint64_t matched = 0;          ///< messages that their receives have taken
    std::uint64_t unexpected_peak = 0;  ///< most messages of one rank that waited for their receive at a time

    bool stopped = false;  ///< by the watch: what has happened until then
    bool stuck = false;
    std::uint64_t waiting = 0;  ///< operations that have not ended
    /// Where it is stuck, for people: each rank's oldest operation that waits, messages that nobody took, and the
    /// circular wait if there is one; the first few of each.
    std::vector<std::string> report;

    std::uint64_t latest() const;     ///< finish of the last rank
    std::uint32_t last_rank() const;  ///< the lowest of those that finish then
    /// Sum over ranks. \throws input_error beyond 64 bits
    std::uint64_t sum() const;
};

/// Called every million events with how many operations have ended and the time that is reached. \returns whether to
/// go on
using loggops_watch = std::function<bool(std::uint64_t ended, std::uint64_t time)>;

/// \param watch may be empty \param spans whether loggops_result::spans are kept
/// \throws input_error for operations that the machine does not have (collective, multicasts), messages whose lengths
/// differ, and times beyond 64 bits
loggops_result run_loggops(const program& run, const loggops_parameters& parameters, const loggops_watch& watch = {},
                           bool spans = false);

/// The same with tables: a message of b bytes is an event at t + o + way(b), and holds its processor for o_receive; gs
/// and gr are t + gap(b), and not before the overhead is paid. Messages of a multicast are events by `multicasts`, and
/// hosts that pass one on have no overhead for it.
loggops_result run_with_tables(const program& run, const loggops_tables& tables);

}  // namespace polycast::hw::programs
