// SPDX-License-Identifier: Apache-2.0
/// \file What a run does without faults: what is delivered when, and what is on the wires.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "hw/chips/chip_upset.h"
#include "hw/chips/link/link_config.h"
#include "hw/engine/network.h"
#include "tlm/sim/networks/instances.h"
#include "tlm/sim/networks/network_factory.h"
#include "tlm/workloads/run_result.h"

namespace polycast::tlm::sim {

/// One direction of a cable. Cycles are those in which something is on the input pins at its end.
struct direction_log {
    std::string from;                       ///< the port that it leads away from, "switch1:3"
    unsigned wires = 0;                     ///< in the numbers of hw/faults/faults.md
    std::size_t cable = 0;                  ///< index in golden_run::cables
    std::vector<hw::engine::cycle> used{};  ///< something is on the wires
    std::vector<hw::engine::cycle> flits{};
    std::vector<hw::engine::cycle> credits{};  ///< with a link layer the first symbols of cf_updates
    std::vector<hw::engine::cycle> sets{};     ///< first symbols of ordered sets
};

/// Flits in the ring of a link end from a cycle on.
struct ring_level {
    hw::engine::cycle from = 0;
    std::uint32_t flits = 0;
};

struct cable_log {
    hw::engine::chip_id chip = 0;
    std::array<std::string, 2> ports;  ///< of its ends
    hw::engine::cycle delay = 1;
    bool layer = false;
    hw::chips::link_config config{};                 ///< of end 0; with a layer
    std::array<std::vector<ring_level>, 2> rings{};  ///< [end]
};

/// A flit in an input buffer of a switch or router, up to the cycle in which its chunk is freed.
struct stored_flit {
    std::uint32_t index = 0;  ///< port x flits of a buffer + place, with virtual channels (VCs) (port x VCs + VC) x ..
    hw::engine::cycle from = 0, until = hw::engine::never;
};

/// A switch or router.
struct chip_log {
    std::string name;
    std::array<hw::chips::memory_shape, 4> memories;  ///< [hw::format::upset_memory]
    unsigned tables = 1;                              ///< of routes, of which word i is that of table i % tables
    unsigned host_tables = 1;                         ///< the first of these: routes to hosts
    std::vector<stored_flit> flits{};

    const hw::chips::memory_shape& memory(hw::format::upset_memory which) const {
        return memories[static_cast<std::size_t>(which)];
    }
};

/// A slot of an interface's packet memory in use, at the ends of cycles `from` .. `until` - 1.
struct used_slot {
    std::uint32_t slot = 0;
    hw::engine::cycle from = 0, until = hw::engine::never;
};

struct interface_log {
    std::string host;
    std::uint32_t slot_words = 0;
    unsigned word_bits = 32;  ///< of data and code
    bool own_words = false;   ///< those that firmware keeps for itself can be upset: it is not `native`
    std::vector<used_slot> slots{};
};

/// A workload on a network.
struct golden_run {
    std::size_t on = 0;  ///< index of the network
    std::size_t workload = 0;
    std::string id;  ///< "irregular-1/tree"
    run_result result;
    std::vector<cable_log> cables;
    std::vector<direction_log> directions;  ///< two for each cable
    std::vector<chip_log> chips;
    std::vector<interface_log> interfaces;
    std::vector<std::string> hosts;
    bool watched = false;  ///< interfaces have watchdogs

    hw::engine::cycle end() const { return result.cycles; }
};

/// Watches the wires and buffers of a run for its log. Every cable of `plan` is a chip.
class wire_log final : public hw::engine::observer {
public:
    /// `to` outlives it and gets cables, directions, chips and interfaces.
    wire_log(const hw::system::system_plan& plan, golden_run& to);

    void stepped(hw::engine::chip_id id, hw::engine::cycle now, const hw::engine::pins& in, const hw::engine::pins& out,
                 const hw::engine::chip& chip) override;

private:
    /// Sizes of the input buffers of a chip. Units of routers, flits, are chunks here.
    struct buffer_shape {
        unsigned ports = 0, vcs = 1, chunks = 0, chunk_flits = 1;

        unsigned flits() const { return chunks * chunk_flits; }
    };
    /// An input buffer: a ring of chunks, taken in order and freed in order, and each packet begins in a fresh one.
    struct input_ring {
        std::uint64_t chunk = 0;   ///< that the next flit goes to, if it has room
        std::uint32_t offset = 0;  ///< flits that are in it
        std::deque<std::pair<std::size_t, std::size_t>>
            taken{};  ///< first flit of each chunk in the log, and behind it
    };

    void add_chip(hw::engine::chip_id id, const hw::system::planned_chip& chip);
    void log_buffers(std::size_t index, hw::engine::cycle now, const hw::engine::pins& in, const hw::engine::pins& out);
    void log_slots(std::size_t index, hw::engine::cycle now, const hw::engine::chip& chip);
    void free_chunk(std::size_t index, unsigned lane, hw::engine::cycle now);
    void log_ends(cable_log& cable, std::size_t first, hw::engine::cycle now);
    void log_pins(std::size_t first, hw::engine::cycle arrival, const hw::engine::pins& in);

    hw::engine::chip_id first_cable_;
    golden_run& to_;
    hw::engine::chip_probe probe_;
    std::vector<hw::engine::cycle> set_until_;      ///< [direction] symbols of the set that has begun
    std::vector<std::size_t> log_of_;               ///< [chip] index in golden_run::chips; none: no_log
    std::vector<buffer_shape> buffers_{};           ///< [log]
    std::vector<std::vector<input_ring>> rings_{};  ///< [log][port x VCs + VC]
    std::vector<std::size_t> interface_of_;         ///< [chip] index in golden_run::interfaces; none: no_log
    /// [interface][slot] index of its use in the log; none: no_log
    std::vector<std::vector<std::size_t>> in_use_{};
    static constexpr std::size_t no_log = ~std::size_t{0};
};

}  // namespace polycast::tlm::sim
