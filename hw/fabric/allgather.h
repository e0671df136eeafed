// SPDX-License-Identifier: Apache-2.0
/// \file All-to-all broadcasts (allgather) that really run on a fabric of routers: every node's datum reaches every
/// node as bytes, by the steps of a collectives::network_coding plan or by broadcasts that the routers copy.
///
/// Nodes are terminals 0..N-1; the coding unit of node i is terminal N + i, so a plan that codes in units needs two
/// host ports. An intermediate node's host hands its group's data to its own unit as operands; the unit sends the chain
/// packets. Hosts keep what they get, forward it and decode, all in no time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hw/collectives/network_coding.h"
#include "hw/engine/chip.h"
#include "hw/fabric/fabric_config.h"
#include "hw/fabric/latency_histogram.h"
#include "hw/fabric/link_counts.h"

namespace polycast::hw::fabric {

enum class allgather_method : std::uint8_t {
    plan,         ///< the unicasts of a network_coding plan
    replication,  ///< every node broadcasts once, the routers copy
};

using collectives::allgather_coder;
using collectives::allgather_pace;

/// One packet of a run.
struct packet_name {
    char step = 'D';  ///< B, D, E, F; C: an operand on its way to a unit
    std::uint32_t from = 0;
    std::uint32_t to = 0;  ///< node
    collectives::parcel what;

    bool operator==(const packet_name&) const = default;
};

struct allgather_options {
    allgather_method method = allgather_method::plan;
    collectives::coding_options plan;  ///< of a replication only radix, dimensions, torus count
    fabric_params fabric;              ///< allgather_fabric() makes it
    /// as_published: step E as the paper counts it, which leaves out data.
    collectives::accounting accounting = collectives::accounting::delivered;
    allgather_pace pace = allgather_pace::free_running;
    unsigned flits = 1;  ///< of the packet of a datum or chain packet, header included, 1..64
    std::uint64_t seed = 0;
    unsigned replication_gap = 0;  ///< of replication_schedule(): cycles between the broadcasts of a row

    allgather_coder coder = allgather_coder::unit;
    unsigned xor_latency = 1;      ///< cycles of a unit, 0..64
    unsigned unit_flits = 0;       ///< operand store of a unit; 0: the whole group's data
    unsigned host_overhead = 125;  ///< cycles in which software makes a chain packet: 125 ns at 1 GHz
    unsigned host_gap = 125;       ///< cycles between chain packets that a host begins

    std::vector<packet_name> drop;        ///< faults to inject: packets that are lost on their way
    std::vector<packet_name> shorten;     ///< and packets of hosts that lose their last flit
    bool links = false;                   ///< counts what goes over each link
    engine::cycle limit = engine::never;  ///< the run gives up there
    std::function<bool()> stop;           ///< asked now and then: true ends the run
};

/// One step at one level. Packets and hops are those of the plan's accounting: what goes to a unit at the sender's own
/// router is not in them.
struct allgather_step {
    collectives::coding_step step;
    engine::cycle cycles = 0;   ///< pace steps: sum over its rounds of the longest latency; else when its last ended
    std::uint64_t packets = 0;  ///< unicasts; the packets of one combined message count as one
    std::uint64_t hops = 0;     ///< from router to router, for each datum
    double latency = 0;         ///< mean of its packets, from when each was ready
};

struct allgather_result {
    engine::cycle cycles = 0;  ///< pace steps: sum over steps; else until the last node has all data
    std::vector<allgather_step> steps;
    std::uint64_t packets = 0;
    std::uint64_t flit_hops = 0;       ///< as the routers count them
    std::optional<link_counts> links;  ///< where they were asked for
    latency_histogram latency;         ///< of all packets, from when each was ready
    std::uint64_t latency_min = 0;
    std::uint64_t latency_max = 0;
    std::vector<std::uint64_t> xors;       ///< [node] of its coding unit, or of its host where that codes: packets
    std::uint64_t decode_xors = 0;         ///< of all hosts: packets
    std::uint64_t longest_queue = 0;       ///< packets that waited at one terminal for their turn
    std::uint64_t most_operand_flits = 0;  ///< in the store of one unit
    std::size_t memory_bytes = 0;

    std::uint64_t missing = 0;   ///< data that some node should have got, and has not
    std::uint64_t left_out = 0;  ///< data that the packets of the accounting do not bring to some node
    bool gave_up = false;        ///< the limit came first
    bool stopped = false;        ///< options.stop said so
    /// Empty where every node has all that the accounting brings it, byte by byte, and nothing else; else the first
    /// ones.
    std::vector<std::string> problems;
};

/// Parameters for such runs: 4 VCs on meshes and 8 on tori, one (two) for each class of steps (B, D, E, F are classes 0
/// to 3; all of them where the plan has one class), cut-through, buffers of max(8, longest packet) flits, headers
/// beside the head flit, so that every flit carries 16 bytes of a datum, two host ports where units code; for
/// replication, which has one class, buffers of max(16, 8 packets). Whoever changes them keeps what the run needs:
/// check() says what is missing.
fabric_params allgather_fabric(const allgather_options& options);

/// What is carried out; of a replication who has data, which is all that counts there.
collectives::network_coding plan_of(const allgather_options& options);

/// Longest packet of a run in flits: combined messages travel in packets of at most 64 flits.
unsigned longest_packet(const allgather_options& options);

/// Bytes of a datum: what its packet's flits hold beside the headers; 0 if there is no room for any.
unsigned datum_bytes(const allgather_options& options);

/// \throws input_error if a run with these options makes no sense, or cannot end
void check(const allgather_options& options);

/// The hops of the steps, by the distances of the plan, against the flits that routers counted between routers. For
/// runs of unicasts that have ended, without faults. \returns what differs
std::optional<std::string> hop_difference(const allgather_options& options, const allgather_result& result);

/// Runs it. Bad data, lost packets and runs that come to a stop are in the result.
/// \throws input_error as check()
allgather_result run_allgather(const allgather_options& options);

}  // namespace polycast::hw::fabric
