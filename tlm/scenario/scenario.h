// SPDX-License-Identifier: Apache-2.0
/// \file A scenario, checked and converted: flits, bytes and cycles, nothing left to parse. keys.cpp documents every
/// member.
#pragma once

#include <algorithm>
#include <any>
#include <array>
#include <boost/rational.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hw/chips/link/link_config.h"
#include "hw/chips/router/router_config.h"
#include "hw/collectives/lane_trees.h"
#include "hw/collectives/network_coding.h"
#include "hw/collectives/scheme.h"
#include "hw/faults/fault_plan.h"
#include "hw/format/packet_format.h"
#include "hw/ni/network_interface.h"
#include "hw/routing/updown.h"
#include "hw/topology/irregular.h"
#include "hw/topology/topology_file.h"
#include "hw/traffic/pattern.h"
#include "hw/workloads/rails/rail_policy.h"
#include "tlm/scenario/program_settings.h"
#include "tlm/trace/trigger_config.h"
#include "tlm/trace/wave_writer.h"

namespace polycast::tlm::topologies {
class kind;
}

namespace polycast::tlm::scenario {

enum class fidelity : std::uint8_t { core, tlm, rtl, own, event };
using topology_kind = const topologies::kind*;
enum class tie_break : std::uint8_t { id, guid };
enum class overhead_rule : std::uint8_t { message, packet };
enum class header_place : std::uint8_t { in_flits, free };
enum class traffic_kind : std::uint8_t {
    unicast,
    multicast,
    list,
    allgather,
    broadcast,
    rails,
    lanes,
    streams,
    program,
    collective,
    jobs,
    hostile  ///< of a job alone
};
enum class duplicates_rule : std::uint8_t { fail, count };
enum class processor_kind : std::uint8_t { native, iss, rtl };
enum class operation_costs : std::uint8_t { papers, measured };
enum class host_model : std::uint8_t { interface, ideal };
enum class allgather_algorithm : std::uint8_t { all_at_once, tree, coded, every_node, combining, uncoded, replication };
enum class broadcast_timing : std::uint8_t { cycle, step };
enum class neighbour_state : std::uint8_t { maps, none, ideal };
enum class length_rule : std::uint8_t { exponential, fixed };

std::string_view name_of(fidelity value);
std::string_view name_of(traffic_kind value);
std::string_view name_of(processor_kind value);
std::string_view name_of(topology_kind value);
std::string_view name_of(host_model value);
std::string_view name_of(allgather_algorithm value);
std::string_view name_of(broadcast_timing value);
std::string_view name_of(neighbour_state value);
std::string_view name_of(length_rule value);

/// Topologies with LIDs; \see hw/subnet/fabric_files.h
enum class fabric_dump : std::uint8_t { subnet_list, db_csv };

struct topology_settings {
    topology_kind kind = nullptr;  ///< never, once a scenario is loaded
    unsigned switches = 0;
    unsigned ports = 0;
    unsigned hosts = 0;
    double connectivity = 0;
    hw::topology::host_placement placement = hw::topology::host_placement::random;
    unsigned instances = 0;
    std::uint64_t seed = 0;  ///< of the first instance; instance i has seed + i
    std::string path;        ///< as written
    std::optional<hw::topology::file_format> format;
    std::optional<fabric_dump> dump;  ///< format, where it is one that only forwarding tables come with
    unsigned radix = 0;               ///< nodes of a dimension of a mesh or torus
    unsigned dimensions = 0;
    std::vector<unsigned> bypass;  ///< lengths of the bypass links
    std::vector<unsigned> sites;   ///< nodes of each
    std::any shape;                ///< parameters of other kinds, a struct of their own

    /// Virtual-channel routers, not switches.
    bool has_routers() const;
    /// Nodes with lanes, on a switch for each site.
    bool has_sites() const;
    /// Meshes and tori.
    bool is_grid() const;
    bool has_rings() const;
};

/// The link layer of every cable; \see hw/chips/link/link.md
struct link_settings {
    hw::chips::link_config registers{.layer = hw::chips::link_layer::none};  ///< but those below
    std::uint64_t ack_bytes = 2048;
    std::uint64_t credit_bytes = 64;

    bool has_layer() const { return registers.layer != hw::chips::link_layer::none; }
};

/// A cable that differs from the others.
struct cable_settings {
    std::string name;  ///< its lower end, "switch1:3"
    link_settings what;
};

/// What goes wrong on wires; \see hw/faults/faults.md
struct fault_settings {
    struct rule {
        std::string link = {};
        hw::faults::random_flip_rule what = {};
    };
    struct event {
        std::string link = {};  ///< of a hang the host
        hw::faults::fault_event what = {};
        bool hang = false;  ///< a processor stands still; of `what`, at and until count
        /// Of a switch or router, in place of upset.memory; `link` is the chip.
        std::optional<hw::format::upset_memory> memory = {};
        /// Of an interface, likewise; `link` is the host.
        std::optional<hw::ni::interface_memory> of_host = {};
    };
    std::optional<std::uint64_t> seed;  ///< nothing: that of the scenario
    std::vector<rule> links;
    std::vector<event> events;
    bool told = false;  ///< losses of which a host was told do not fail a run

    /// Of wires and link ends.
    bool any() const {
        return !links.empty() || std::ranges::any_of(events, [](const event& each) {
            return !each.hang && !each.memory && !each.of_host;
        });
    }
    /// Of memories of switches and routers.
    bool upsets() const {
        return std::ranges::any_of(events, [](const event& each) { return each.memory.has_value(); });
    }
    /// Of memories of interfaces.
    bool interface_upsets() const {
        return std::ranges::any_of(events, [](const event& each) { return each.of_host.has_value(); });
    }
    bool hangs() const { return std::ranges::count(events, true, &event::hang) != 0; }
};

/// Codes of memories; \see hw/format/memory_code.md
struct protect_settings {
    using code = hw::format::protection;
    code buffers = code::none, routes = code::none, credits = code::none;  ///< of switches and routers
    code rings = code::none, counters = code::none;                        ///< of link ends
    code packets = code::none, firmware = code::none;                      ///< of interfaces

    bool any_of_chips() const { return buffers != code::none || routes != code::none || credits != code::none; }
};

/// Forwarding tables of an InfiniBand fabric; \see hw/subnet/subnet.md
struct table_routing {
    bool on = false;
    std::vector<std::string> lft, mft, sl2vl, path_sl, members, arbitration;  ///< files, as written
    std::optional<unsigned> lmc, vls;                                         ///< nothing: as the files tell
    bool spread = false;                                                      ///< over the LIDs of a destination
    std::map<std::string, unsigned> group_sl;                                 ///< [MLID] service level
    bool run_problems = false;                                                ///< tables with problems are run
};

struct network_settings {
    topology_settings topology;
    fidelity all = fidelity::core;
    std::map<std::string, fidelity> chips;  ///< by name, where it differs
    std::optional<std::string> own_rtl;     ///< folder as written, for fidelity::own
    bool compare = true;                    ///< switches or routers of fidelity::own with the core
    bool rtl_assertions = true;             ///< switches or routers in RTL check them
    std::optional<unsigned> threads = 1;    ///< that step a network; nothing: as the machine and the runs allow
    std::optional<std::string> partition;   ///< file as written: which thread steps which chip
    unsigned link_delay = 0;                ///< cycles
    link_settings link;
    std::vector<cable_settings> cables;  ///< that have a link layer of their own
    bool best_root = false;
    std::vector<std::string> roots;  ///< names, ids, GUIDs or numbers of switches; none: the lowest id
    hw::format::selection selection = hw::format::selection::least_loaded;
    tie_break tie = tie_break::id;
    hw::routing::worm_links worms = hw::routing::worm_links::updown;
    table_routing tables;

    /// Some cable does.
    bool has_link_layer() const {
        return link.has_layer() ||
               std::ranges::any_of(cables, [](const cable_settings& one) { return one.what.has_layer(); });
    }
};

/// Fidelity of a switch by its name.
fidelity fidelity_of(const network_settings& network, const std::string& name);

struct switch_settings {
    unsigned flit_bytes = 0;
    unsigned buffer_flits = 0;
    unsigned chunk_flits = 0;
    std::optional<unsigned> packet_limit_flits;  ///< nothing: the longest packet of the workload
    unsigned route_delay = 0;                    ///< cycles
    unsigned crossbar_delay = 0;                 ///< cycles
    hw::format::arbitration arbitration = hw::format::arbitration::round_robin;
    std::optional<unsigned> read_ports;  ///< nothing: all
    hw::format::selection up_selection = hw::format::selection::least_loaded;
    bool rewrite_headers = true;
    unsigned stops = 8;  ///< of the longest path worm
    // With tables:
    hw::format::vl_policy vl_policy = hw::format::vl_policy::round_robin;
    unsigned hoq_life = 0;  ///< cycles; 0: for ever
};

/// Virtual-channel routers; \see hw/chips/router/router.md
struct router_settings {
    unsigned flit_bytes = 0;
    std::optional<unsigned> vcs;                 ///< nothing: as many as the workloads need, at least 4
    std::optional<unsigned> vc_classes;          ///< nothing: as many as the workloads use
    std::optional<unsigned> buffer_flits;        ///< of a VC; nothing: 8, or the longest packet where that is longer
    std::optional<unsigned> packet_limit_flits;  ///< nothing: the longest packet of the workload
    unsigned route_delay = 0;                    ///< cycles
    unsigned crossbar_delay = 0;                 ///< cycles
    bool cut_through = true;                     ///< otherwise wormhole
    hw::chips::router_allocator allocator = hw::chips::router_allocator::separable;
    unsigned iterations = 2;
    hw::chips::vc_policy policy = hw::chips::vc_policy::any;
    bool dateline = true;  ///< ways across the end of a ring have VCs of their own
    bool route_tables = false;
    std::optional<hw::chips::route_select> select;  ///< nothing: as the topology does best
};

/// Broadcast units beside routers; \see hw/chips/broadcast/broadcast_unit.md
struct broadcast_settings {
    broadcast_timing timing = broadcast_timing::cycle;
    neighbour_state neighbours = neighbour_state::maps;
    unsigned slots = 0;
    std::optional<unsigned> slot_flits;  ///< nothing: the longest packet of the workloads
    unsigned inject_flits = 0;
};

struct packet_settings {
    header_place header = header_place::in_flits;
    hw::format::check_cover check = hw::format::check_cover::payload;
    unsigned payload_bytes = 0;  ///< longest payload
};

/// Processes, of every host, that trust each other.
struct job_settings {
    std::string name;
    std::vector<unsigned> processes;
    std::optional<std::uint32_t> id;  ///< never nothing, once a scenario is loaded
};

struct host_settings {
    host_model model = host_model::interface;
    std::uint64_t send_overhead = 0;     ///< t_hs, cycles
    std::uint64_t receive_overhead = 0;  ///< t_hr, cycles
    std::uint64_t ni_send = 0;           ///< t_ns, cycles
    std::uint64_t ni_receive = 0;        ///< t_nr, cycles
    ratio bus{1};                        ///< bytes per cycle
    ratio cycle_ns{5};
    bool overlapped = false;
    overhead_rule overheads = overhead_rule::message;
    unsigned processes = 1;
    bool check_source = false;           ///< at the first switch or router
    std::optional<unsigned> processors;  ///< of programs; nothing: as many as they name
    std::vector<job_settings> jobs;
    bool check_jobs = true;  ///< packets carry the JobIDs of these

    /// Packets carry JobIDs.
    bool has_job_ids() const { return check_jobs && !jobs.empty(); }
    /// [process] JobID.
    std::vector<std::uint32_t> job_ids() const;
    /// Null: there is none of that name.
    const job_settings* find_job(const std::string& name) const;
};

/// Several networks alike, with an interface of every host at each; \see hw/workloads/rails/rails.md
struct rails_settings {
    unsigned count = 0;
    std::string matrix;              ///< "1" or "2", an algorithm, or the path of a file, as written
    std::uint64_t retry = 0;         ///< mean cycles
    unsigned patience = 0;           ///< refusals
    std::uint32_t least_stripe = 0;  ///< bytes
};

/// Nodes with one or two lanes on sites that wide-area links join; \see hw/workloads/lanes/lanes.md
struct lanes_settings {
    unsigned interfaces = 0;              ///< of a node, each a lane
    ratio bandwidth{0};                   ///< of a lane, bytes/s
    ratio latency{0}, wan_latency{0};     ///< cycles, of packets within a site and between two
    std::optional<ratio> wan_bandwidth;   ///< bytes/s of a lane between sites; nothing: that of a lane
    std::optional<std::uint32_t> window;  ///< bytes under way of a stream between sites; nothing: no limit
};

/// Network interfaces; \see hw/ni/ni.md
struct ni_settings {
    processor_kind all = processor_kind::native;
    std::map<std::string, processor_kind> hosts;  ///< by name, where it differs
    std::optional<std::string> firmware;          ///< folder as written; nothing: built in
    operation_costs costs = operation_costs::papers;
    hw::ni::wait_mode wait = hw::ni::wait_mode::sleep;
    hw::ni::bus_arbitration arbitration = hw::ni::bus_arbitration::fifo;
    bool charge_completions = false;
    std::optional<unsigned> receive_slots;  ///< packets; nothing: unlimited
    std::optional<unsigned> send_slots;
    unsigned groups = 0;
    std::uint32_t watchdog = 0;  ///< cycles, 0: off
    std::uint32_t restart = 0;
    /// Of reliable messages, in cycles.
    struct {
        std::optional<std::uint32_t> timeout;  ///< nothing: measured before the run
        std::uint32_t attempts = 8;
        std::uint32_t ack_delay = 1000;
    } reliable;
};

/// How the firmware of a host's interface is run.
processor_kind processor_of(const ni_settings& ni, const std::string& host);

/// Pipelined broadcasts, one after the other.
struct broadcast_workload {
    std::vector<std::string> sources;                 ///< nodes by number or coordinates
    unsigned rounds = 1;                              ///< times that each of them broadcasts
    unsigned packets = 0;                             ///< of a message
    unsigned bytes = 0;                               ///< of a packet
    std::optional<std::vector<unsigned>> dimensions;  ///< nothing: all
    hw::format::broadcast_algorithm algorithm = hw::format::broadcast_algorithm::colours;
    std::vector<unsigned> patterns;
    std::optional<std::vector<unsigned>> split;  ///< nothing: nearly equal
    ratio unicasts{0};                           ///< flits per host and cycle, beside
    unsigned unicast_flits = 1;
};

/// Messages between processes of hosts on rails.
struct rails_workload {
    hw::rails::rail_policy policy = hw::rails::rail_policy::basic;
    bool striping = false;
    length_rule lengths = length_rule::exponential;
    std::optional<std::uint64_t> longest;  ///< bytes; nothing: 8 means, or all alike
};

/// A broadcast over lanes, or streams between two sites.
struct lanes_workload {
    hw::collectives::lane_algorithm algorithm = hw::collectives::lane_algorithm::multi_lane;
    std::uint64_t piece = 0;  ///< bytes
    unsigned streams = 1;
    unsigned round_trips = 0;
};

/// A program that gives its interface any commands and writes anything into the registers of its page.
struct hostile_workload {
    std::uint64_t seed = 1;
    ratio rate{0};                          ///< attempts per process and cycle
    std::uint32_t attempts = 0;             ///< of a process
    std::vector<std::string> attacks = {};  ///< names of hw::tenants::attack_kind; none: all
};

struct workload_settings;

/// Workloads of several jobs, at once.
struct jobs_workload {
    std::vector<std::string> names;  ///< [job] as in host.jobs
    std::vector<workload_settings> entries;
    bool alone = false;  ///< each of them runs alone, too
};

/// A message that is sent in a given cycle; hosts by name or number.
struct listed_message {
    std::uint64_t at = 0;
    std::string source;
    std::optional<std::string> destination, group;  ///< one of them; a group by its MLID
    std::optional<std::uint64_t> bytes;             ///< never nothing, once a scenario is loaded
    std::optional<unsigned> sl;                     ///< nothing: that of the path
};

/// What must hold of a run beside the deliveries; nothing: no matter.
struct expectation_settings {
    std::optional<std::uint64_t> latency, wait;  ///< most cycles
    std::optional<double> fairness;              ///< least index
};

struct workload_settings {
    std::string name;
    traffic_kind kind = traffic_kind::multicast;
    hw::collectives::multicast_choice multicast;
    unsigned degree = 0;                                   ///< destinations of a multicast
    std::optional<std::vector<std::string>> destinations;  ///< names or numbers of hosts; nothing: random
    std::optional<std::string> source;                     ///< nothing: random
    hw::traffic::pattern_params pattern;                   ///< without hosts and network
    std::vector<std::string> pattern_hosts;                ///< names or numbers of hosts
    std::uint64_t message_bytes = 0;                       ///< of a list the longest
    std::vector<listed_message> list;
    std::string mlid;           ///< of the group that a multicast goes to; empty: none
    std::optional<ratio> rate;  ///< message flits generated per host and cycle; nothing: single messages
    unsigned messages = 1;      ///< single messages
    bool reliable = false;      ///< acknowledged by all that get them
    expectation_settings expect;
    // With ideal hosts.
    unsigned flits = 0;                  ///< of a packet
    std::optional<unsigned> most_flits;  ///< of the longest packet, lengths are drawn; nothing: all alike
    // Of an allgather.
    allgather_algorithm algorithm = allgather_algorithm::all_at_once;
    hw::collectives::coding_base base = hw::collectives::coding_base::tree;
    std::optional<unsigned> group;  ///< nodes; nothing: the size with the fewest hops
    std::vector<unsigned> inner_groups;
    hw::collectives::node_placement placement = hw::collectives::node_placement::inner;
    std::optional<unsigned> sources;  ///< nothing: all nodes
    unsigned xor_latency = 0;         ///< cycles
    hw::collectives::allgather_coder coding = hw::collectives::allgather_coder::unit;
    unsigned coding_overhead = 0;           ///< cycles of a host for a coded packet
    std::optional<unsigned> operand_flits;  ///< of a coding unit's store; nothing: all data of a group
    hw::collectives::allgather_pace mode = hw::collectives::allgather_pace::steps;
    hw::collectives::accounting accounting = hw::collectives::accounting::delivered;
    broadcast_workload broadcast;
    rails_workload rails;
    lanes_workload lanes;
    program_workload program;
    hostile_workload hostile;
    jobs_workload jobs;
};

struct measurement_settings {
    std::uint64_t warmup = 0;     ///< cycles
    bool detects_warmup = false;  ///< MSER-5 finds what of the window is left out
    std::uint64_t window = 0;
    std::uint64_t drain_limit = 0;
    unsigned batches = 0;
    bool links = true;  ///< flits of every link are counted with ideal hosts, too
    duplicates_rule duplicates = duplicates_rule::fail;
    bool drains_saturated = false;  ///< a run that did not keep up does not end with its window
};

struct trigger_settings {
    std::optional<trace::trigger_event> event;  ///< nothing: no trigger
    std::optional<std::string> packet;          ///< number, or HOST#SEQUENCE; nothing: any
    std::optional<std::string> chip;            ///< nothing: any
    std::uint64_t cycles = 0;
    std::uint64_t occurrence = 1;
    std::uint64_t before = 0, after = 0;  ///< cycles
};

struct trace_settings {
    std::optional<std::vector<std::string>> chips;  ///< nothing: all
    std::optional<unsigned> networks;               ///< how many, from the first; nothing: all
    std::uint64_t from = 0;                         ///< cycle
    std::optional<std::uint64_t> to;                ///< cycle; nothing: the end
    trace::wave_format format = trace::wave_format::fst;
    std::uint64_t on_failure = 0;  ///< cycles
    trigger_settings trigger;
    bool packets = false;   ///< a log of where every packet was when
    bool activity = false;  ///< who did what when, of the first message of each workload on the first network
};

struct settings {
    std::string name;
    std::uint64_t seed = 0;
    network_settings network;
    switch_settings chip;  ///< without routers
    router_settings router;
    broadcast_settings broadcast;
    packet_settings packet;
    host_settings host;
    ni_settings ni;
    rails_settings rails;
    lanes_settings lanes;
    std::vector<workload_settings> workloads;
    fault_settings faults;
    protect_settings protect;
    measurement_settings measurement;
    std::uint64_t patience = 0;  ///< cycles
    trace_settings trace;
};

}  // namespace polycast::tlm::scenario
