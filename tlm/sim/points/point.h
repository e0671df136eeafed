// SPDX-License-Identifier: Apache-2.0
/// \file One point of a scenario: one workload on one network.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hw/broadcast/broadcast_plan.h"
#include "hw/engine/network.h"
#include "hw/system/switch_network.h"
#include "tlm/scenario/load.h"
#include "tlm/sim/networks/instances.h"
#include "tlm/sim/points/activity.h"
#include "tlm/sim/points/broadcast_result.h"
#include "tlm/sim/points/fabric_result.h"
#include "tlm/sim/points/lanes_result.h"
#include "tlm/sim/points/rails_result.h"
#include "tlm/sim/points/tool_wish.h"
#include "tlm/trace/packet_log.h"
#include "tlm/trace/trace_config.h"

namespace polycast::hw::fabric {
class link_counts;
}

namespace polycast::tlm::sim {

/// A unicast or a whole multicast.
struct transfer {
    std::uint64_t message = 0;  ///< number in its point, from 0, by time of creation, then source
    std::uint32_t source = 0;
    std::uint64_t created = 0, completed = 0;  ///< cycles; unfinished: some host is still to get it

    static constexpr std::uint64_t unfinished = UINT64_MAX;
    bool finished() const { return completed != unfinished; }
    std::uint64_t latency() const { return completed - created; }
};

/// What the plans of a point's multicasts look like.
struct plan_totals {
    std::uint64_t multicasts = 0;
    std::uint64_t steps = 0, steps_max = 0;
    std::uint64_t sends = 0, sends_max = 0;      ///< worms, or unicasts, of all hosts
    std::uint64_t senders = 0, senders_max = 0;  ///< hosts that send, sources included

    void add(const hw::collectives::multicast_plan& plan);
    plan_totals& operator+=(const plan_totals& more);
};

/// One direction of a cable. Buffer figures are of the input buffer at its end, in chunks.
struct link_load {
    hw::engine::port_id from, to;  ///< chips as in hw::system::switch_network
    std::uint64_t flits = 0, packets = 0;
    // With ideal hosts not measured.
    std::uint64_t occupied_cycles = 0;
    std::uint32_t occupied_max = 0;
};

/// A wave file or packet log that was written beside a run, or not because its trigger never fired.
struct trace_cost {
    std::string kind;  ///< "waves" or "packets"
    std::string file;  ///< empty: none
    std::uint64_t bytes = 0;
    std::uint64_t changes = 0;             ///< of values; of a packet log passages
    double seconds = 0;                    ///< that recording and writing took
    std::uint64_t from = 0, to = 0;        ///< cycles; `to` is the first that is not in it
    std::string wanted;                    ///< event that it was to be recorded around, in words
    std::optional<std::uint64_t> trigger;  ///< cycle of that event
    std::uint64_t events = 0;              ///< such events that were seen
};

/// What came out; the same for every fidelity.
struct point_result {
    hw::system::run_outcome::kind ended = hw::system::run_outcome::kind::complete;
    std::string diagnosis;     ///< why it did not complete
    bool broken = false;       ///< a model ended the run by an assertion of its own, or differs from the core
    std::string suspect;       ///< the chip that did, where it is known
    std::uint64_t cycles = 0;  ///< summed over single multicasts, each of which has a network for itself
    hw::traffic::delivery_counts counts;
    hw::traffic::traffic_volume volume;
    std::uint64_t chip_errors = 0;
    std::vector<std::string> faults;  ///< the first ones, in words
    std::vector<transfer> transfers;  ///< by time of creation; those that are not finished, too
    plan_totals plans;
    bool duplicates_counted = false;  ///< they are expected, and no failure
    std::vector<link_load> links;
    hw::system::interface_totals hosts;  ///< and their network interfaces
    std::uint64_t host_failures = 0;     ///< of hosts, interfaces, firmware, coding units; in `faults`
    sim::activity activity;              ///< of the first message, where it was wished for
    std::uint64_t failing_message = 0;   ///< single multicast that went wrong first
    std::vector<trace_cost> traces;      ///< how the run was made: no part of the results

    std::optional<fabric_result> fabric;        ///< with ideal hosts
    std::optional<allgather_result> allgather;  ///< of an allgather
    std::optional<broadcast_result> broadcast;  ///< of pipelined broadcasts
    std::optional<lanes_result> lanes;          ///< of broadcasts over lanes, and streams
    std::optional<rails_result> rails;          ///< of messages on several rails

    /// Whether packets of a pair must stay in order: chips with one way, and one virtual channel, to choose from each
    /// time.
    bool order_guaranteed = false;

    bool stopped() const { return ended == hw::system::run_outcome::kind::stopped; }
    bool passed() const {
        const bool delivered = duplicates_counted ? counts.all_there() : counts.exactly_once();
        return ended == hw::system::run_outcome::kind::complete && !broken && delivered && chip_errors == 0 &&
               host_failures == 0 && (!order_guaranteed || counts.misordered == 0) && counts.overtaken == 0;
    }
};

/// A network that can be run once, in whatever fidelity. Chips are numbered as in hw::system::switch_network.
class runnable {
public:
    virtual ~runnable() = default;
    virtual const hw::engine::chip& chip(hw::engine::chip_id id) const = 0;
    /// Before run(); `observer` outlives it.
    virtual void observe(hw::engine::observer* observer) = 0;
    virtual hw::system::run_outcome run(const hw::system::run_limits& limits,
                                        const std::function<bool(hw::engine::cycle)>& stop) = 0;
    /// First cycle that has not been simulated.
    virtual hw::engine::cycle now() const = 0;
    /// Of the link into a port.
    virtual hw::engine::link_statistics statistics(hw::engine::port_id port) const = 0;
    /// The first errors, and how many there were.
    virtual std::vector<hw::engine::error_event> errors() const = 0;
    virtual std::uint64_t error_count() const = 0;
    /// The first events of coding units, and how many there were.
    virtual std::vector<hw::engine::event_record> events() const = 0;
    virtual std::uint64_t event_count() const = 0;
};

/// What the hosts of a network do, and who watches them. All of it outlives the network.
struct run_ends {
    const hw::traffic::goal& goal;
    /// Hosts whose interfaces have these processors; `watcher` may be null.
    std::function<hw::system::host_factory(hw::system::processor_factory processors, hw::ni::observer* watcher)> hosts;
    activity_recorder* activity = nullptr;                      ///< null: nobody wants a chart
    std::function<bool(const std::string& host)> in_step = {};  ///< its processor is recorded: nothing ahead of time
    std::vector<tool_wish> tools = {};                          ///< for firmware
};

/// Builds the network of a point; `plan` and `ends` outlive it.
struct network_factory {
    std::function<std::unique_ptr<runnable>(const hw::system::system_plan& plan, const run_ends& ends)> make;
    /// Name of the function of firmware at a program counter; empty for a host whose interface has no such counter.
    std::function<std::function<std::string_view(std::uint32_t pc)>(const std::string& host)> functions_of;
    /// Of interfaces on rails and lanes.
    hw::system::processor_factory processors = {};
    /// Broadcast routers of networks that broadcasts run on.
    hw::broadcast::broadcast_router_factory broadcast_routers = {};
    /// What steps their chips; empty: the engine.
    std::function<std::unique_ptr<hw::engine::chip_network>(const hw::broadcast::router_network_params&)>
        broadcast_chips = {};
    /// There can be one such network in the life of a process, as SystemC elaborates once.
    bool one_per_process = false;
};

/// A wish to see one of a point's networks.
struct wave_wish {
    std::uint64_t message = 0;  ///< which of the single multicasts; 0 otherwise
    trace::trace_config config;
    std::optional<scenario::trigger_settings> trigger = {};  ///< only around an event
};

/// A wish for a log of all packets of a network.
struct packet_wish {
    std::filesystem::path file;
    std::string workload;  ///< its name
    trace::log_window window;
};

/// What is to be seen of a point besides its results; of single multicasts, of the first but for waves.
struct point_wishes {
    std::optional<wave_wish> waves = {};
    std::optional<packet_wish> packets = {};
    bool activity = false;
    std::vector<tool_wish> tools = {};
    std::function<void(double)> progress = {};  ///< told now and then how much is done, 0 to 1
};

/// Runs workload number `workload` on `on`. Where the factory makes one network per process, this makes one, or starts
/// a process for each of several: call it in a process of its own (in_child). \param stop asked now and then, ends the
/// run by returning true \throws hw::input_error where a wave file cannot be written
point_result run_point(const scenario::loaded& scenario, const instance& on, std::size_t workload,
                       const network_factory& factory, const std::function<bool()>& stop,
                       const point_wishes& wishes = {});

/// Runs one network of a point to its end, under `limits`. `ends` needs goal and hosts; `wishes` say the rest. `look`
/// is shown the network when it is over. \throws hw::input_error where a wave file cannot be written
point_result run_chips(const instance& on, const hw::system::system_plan& plan, run_ends ends,
                       const hw::system::run_limits& limits, hw::engine::cycle start, const network_factory& factory,
                       const std::function<bool()>& stop, const point_wishes& wishes,
                       const std::function<void(const runnable&)>& look = {});

/// First cycle with a message where firmware takes its own time: by then every processor has booted and taken its
/// hosts' first receive buffers (256 of them, the most, take 161,000 cycles on `iss`).
inline constexpr hw::engine::cycle firmware_ready = 200000;

/// First cycle with a message: 1, or firmware_ready.
hw::engine::cycle first_message(const scenario::settings& s);

/// Every direction of every cable, those between switches (routers) first.
std::vector<link_load> all_links(const hw::system::system_plan& plan);

/// The same of a network with ideal hosts, with what came over each.
std::vector<link_load> loads_of(const hw::system::system_plan& plan, const hw::fabric::link_counts& counts);

/// Names for people: "switch3:2", "host7".
std::string port_text(const hw::system::system_plan& plan, hw::engine::port_id port);

}  // namespace polycast::tlm::sim
