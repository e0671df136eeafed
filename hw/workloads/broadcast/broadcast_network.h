// SPDX-License-Identifier: Apache-2.0
/// \file Pipelined broadcasts cycle by cycle: a torus, with or without bypass links, of broadcast routers with ideal
/// hosts. It measures on the pins, so it works with any chips, on the engine or in SystemC.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "hw/system/system_network.h"
#include "hw/workloads/broadcast/broadcast_host.h"
#include "hw/workloads/broadcast/broadcast_plan.h"
#include "hw/workloads/broadcast/broadcast_scoreboard.h"
#include "hw/workloads/broadcast/unicast_scoreboard.h"

namespace polycast::hw::broadcast {

/// A broadcast. Those of a community (the nodes that differ in the dimensions of router_network_params only) come in
/// the order in which they are given.
struct broadcast_job {
    std::uint32_t source = 0;
    std::vector<unsigned> split;  ///< packets of each colour or tree, of the lowest dimension first
    unsigned flits = 1;           ///< of each packet
    engine::cycle start = 0;      ///< the source's host does not begin before
};

class broadcast_network;

struct broadcast_traffic_params {
    unsigned host_pause = 0;  ///< cycles that hosts wait from a credit for broadcasts to the next
    unicast_load unicasts;    ///< until all broadcasts are there
    std::uint64_t seed = 0;   ///< of the messages
    system::run_limits limits{.cycles = 100'000'000};
    /// Called after every cycle in which something happened; true ends the run.
    std::function<bool(const broadcast_network&)> watch = {};
};

/// When a broadcast was where. "Has" means that the last flit of the last packet is on the input pins.
struct broadcast_times {
    engine::cycle begun = 0;     ///< the source puts the first flit into an output register
    engine::cycle at_units = 0;  ///< the last node has everything
    engine::cycle at_hosts = 0;  ///< the last host has

    /// Until the last packet is complete in the last unit: of one packet over one link the time of a hop.
    engine::cycle cycles() const { return at_units + 1 - begun; }
};

struct broadcast_network_result {
    std::vector<broadcast_times> jobs;
    std::vector<std::uint32_t> link_sends;  ///< [node x ports + port of its router] packets of broadcasts
    std::uint64_t sends = 0;                ///< all of them
    std::uint64_t sent_flits = 0;           ///< of them
    std::uint64_t duplicates = 0;           ///< packets that were dropped because they were there
    std::uint64_t stale = 0;                ///< because their round had ended, too
    std::uint64_t unicasts = 0;
    engine::cycle end = 0;  ///< the last flit was sent
    std::uint64_t chip_steps = 0;
    std::uint64_t flit_hops = 0;
};

class broadcast_network final : engine::observer, host_sink, traffic::goal {
public:
    /// \throws input_error for parameters that make no network or no broadcast
    broadcast_network(const router_network_params& params, std::vector<broadcast_job> jobs,
                      const broadcast_traffic_params& traffic = {},
                      const system::chip_factory& chips = system::make_core,
                      const system::stepper_factory& stepper = system::make_engine);
    ~broadcast_network() override;

    /// To be called once. \throws delivery_error, with names, if a host lacks a packet or a unicast, got one twice or
    /// with wrong bytes, or a unicast in the wrong place or order, a chip raised an error or refused a packet, a unit
    /// is not empty at the end, or the limit is reached
    broadcast_network_result run();

    const topology::bypass_torus& topology() const { return topology_; }
    const system::system_plan& plan() const { return plan_; }
    const chips::broadcast_params& routers() const { return chip_; }

    // Also before the end, and behind a failure.
    const engine::chip_network& network() const { return net_.network(); }
    /// What was counted so far; `jobs` at the end only.
    const broadcast_network_result& so_far() const { return result_; }
    /// Times of broadcast number `job`, so far.
    const broadcast_times& times(std::size_t job) const;
    /// Number of a node among those of its community: the sum of coordinate i x radix^i over its dimensions.
    std::uint32_t rank_of(std::uint32_t node) const;
    /// [rank] packets of broadcast number `job` that the units of its community have.
    void held(std::size_t job, std::span<std::uint8_t> counts) const;
    /// Packets of broadcasts that hosts got.
    std::uint64_t delivered() const { return delivered_; }
    /// Is told of every step of a chip; nullptr: nobody.
    void observe(engine::observer* who) { observer_ = who; }

private:
    struct job_state;
    /// How far a unit, or a host, has come.
    struct progress {
        std::size_t job = 0;     ///< in the order of its community, own ones left out
        std::uint64_t have = 0;  ///< packets of it
        std::uint64_t complete = 0;
    };
    /// What is known of a packet that is coming in: of a broadcast, the first of its number.
    struct arrival {
        job_state* job = nullptr;
        std::uint8_t packet = 0;
        unsigned flit = 0;
    };

    void check_job(const broadcast_job& job) const;
    void add_job(broadcast_job job, std::uint64_t seed);
    std::unique_ptr<broadcast_host> make_host(std::uint32_t node, const broadcast_traffic_params& traffic);
    std::uint32_t community_of(std::uint32_t node) const;
    /// The broadcast that comes next; nullptr: none.
    job_state* expected(std::uint32_t node, progress& at);
    static bool finish(const arrival& what, progress& at);

    void stepped(engine::chip_id id, engine::cycle now, const engine::pins& in, const engine::pins& out,
                 const engine::chip& chip) override;
    void came(std::uint32_t node, unsigned port, engine::cycle now, const engine::pins& in);
    void left(std::uint32_t node, unsigned port, engine::cycle now, const engine::pins& out);
    void event(std::uint32_t node, engine::cycle now, const engine::chip_event& what);
    void broadcast_came(std::uint32_t node, engine::cycle now, const engine::flit& flit) override;
    void unicast_came(std::uint32_t node, engine::cycle now, const engine::flit& flit) override;
    void fail(std::uint32_t node, engine::cycle now, const std::string& what);
    std::string failures() const;
    bool complete() const override { return units_left_ == 0 && hosts_left_ == 0; }
    engine::cycle delivered_until() const override;
    std::string oldest_missing() const override { return missing(); }
    bool stop();
    std::string missing() const;
    void check_end();

    topology::bypass_torus topology_;
    system::system_plan plan_;
    chips::broadcast_params chip_;
    std::vector<unsigned> dimensions_;
    std::vector<unsigned> colours_;  ///< [part]
    std::size_t header_bytes_;
    system::run_limits limits_;
    std::vector<std::unique_ptr<job_state>> jobs_;
    std::unordered_map<std::uint32_t, std::vector<job_state*>> communities_;  ///< by their lowest node
    std::vector<const std::vector<job_state*>*> jobs_at_;                     ///< [node]
    unicast_scoreboard unicasts_;
    std::vector<broadcast_host*> hosts_;
    system::system_network net_;
    std::vector<progress> units_, receivers_;        ///< [node]
    std::vector<arrival> arriving_;                  ///< [node x ports + port]
    std::vector<arrival> receiving_;                 ///< [node]
    std::uint64_t units_left_ = 0, hosts_left_ = 0;  ///< broadcasts that they lack
    std::uint64_t delivered_ = 0;
    std::function<bool(const broadcast_network&)> watch_;
    engine::observer* observer_ = nullptr;
    std::uint64_t steps_watched_ = 0;
    std::vector<std::pair<std::uint32_t, std::string>> failures_;  ///< node, what; all of one cycle: the run ends then
    broadcast_network_result result_;
};

}  // namespace polycast::hw::broadcast
