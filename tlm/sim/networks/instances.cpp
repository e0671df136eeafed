// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/networks/instances.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <thread>

#include "hw/engine/partition.h"
#include "hw/format/header.h"
#include "hw/system/link_layer.h"
#include "hw/system/source_doors.h"
#include "tlm/ranks/ranks.h"
#include "tlm/scenario/propose.h"
#include "tlm/sim/memory.h"
#include "tlm/sim/networks/instance_parts.h"
#include "tlm/sim/networks/link_layer.h"
#include "tlm/sim/networks/router_instances.h"
#include "tlm/sim/networks/table_instances.h"
#include "tlm/topologies/kind.h"
#include "tlm/workloads/broadcast/broadcast_rules.h"
#include "tlm/workloads/broadcast/broadcast_run.h"
#include "tlm/workloads/kind.h"
#include "tlm/workloads/lanes/lanes_run.h"
#include "tlm/workloads/run_traces.h"

namespace polycast::tlm::sim {

using hw::format::packet_kind;
using hw::topology::graph;
using scenario::loaded;
using scenario::settings;
using scenario::workload_settings;

namespace {

std::vector<std::string> switch_names(const graph& network) {
    std::vector<std::string> names;
    for (const hw::topology::switch_node& node : network.switches) names.push_back(node.name);
    return names;
}

std::uint32_t switch_at(const loaded& scenario, const std::string& path, const graph& network,
                        const std::string& name) {
    if (const auto found = network.find_switch(name)) return *found;
    scenario.fail(path, "there is no switch '" + name + "' in the network",
                  scenario::propose(name, switch_names(network)));
}

unsigned& payload_in(hw::system::traffic_needs& needs, packet_kind kind) {
    switch (kind) {
        case packet_kind::unicast:
        case packet_kind::lid: return needs.unicast_payload;
        case packet_kind::tree: return needs.tree_payload;
        case packet_kind::ssr: return needs.ssr_payload;
        case packet_kind::path: return needs.path_payload;
        case packet_kind::broadcast:
        case packet_kind::pipelined: break;
    }
    throw std::logic_error("workloads of switches have no broadcasts in routers");
}

const char* text_of(packet_kind kind) {
    switch (kind) {
        case packet_kind::unicast: return "a unicast packet";
        case packet_kind::tree: return "a tree worm";
        case packet_kind::ssr: return "an SSR worm";
        case packet_kind::path: return "a path worm";
        case packet_kind::broadcast:
        case packet_kind::pipelined:
        case packet_kind::lid: break;
    }
    return "a broadcast";
}

struct longest {
    unsigned flits = 0;
    packet_kind kind = packet_kind::unicast;
    unsigned payload = 0;
    std::size_t workload = 0;
};

unsigned flits_of(const settings& s, packet_kind kind, unsigned payload, const hw::format::header_shape& shape) {
    return hw::system::packet_flits(
        kind, payload,
        {shape, s.chip.flit_bytes, s.packet.header == scenario::header_place::free, s.host.has_job_ids()});
}

/// The longest packet that any workload sends through the network.
longest longest_packet(const loaded& scenario, const hw::format::header_shape& shape) {
    const settings& s = scenario.values;
    longest found;
    for (std::size_t i = 0; i < s.workloads.size(); ++i) {
        for (const auto& [kind, payload] : workload_kind_of(scenario, i).sends(s, s.workloads[i])) {
            const unsigned flits = flits_of(s, kind, payload, shape);
            if (flits > found.flits) found = {flits, kind, payload, i};
        }
    }
    return found;
}

std::string packet_text(const settings& s, const longest& packet, const hw::format::header_shape& shape) {
    std::string text = text_of(packet.kind) + (" of " + std::to_string(packet.flits)) + " flits";
    if (s.packet.header == scenario::header_place::in_flits) {
        text += " (" + std::to_string(hw::format::longest_header_bytes(packet.kind, shape)) + " B header, " +
                std::to_string(hw::format::transport_bytes) + " B transport header, " + std::to_string(packet.payload) +
                " B payload, " + std::to_string(hw::format::check_bytes) + " B check word" +
                (s.host.has_job_ids() ? ", " + std::to_string(hw::format::job_bytes) + " B job word)" : ")");
    }
    return text;
}

/// What to change where a packet is too long for `key`, a number of flits.
std::string way_out(const settings& s, const longest& packet, const hw::format::header_shape& shape,
                    const std::string& key, unsigned limit, unsigned reserved = 0) {
    const unsigned chunks = (packet.flits + s.chip.chunk_flits - 1) / s.chip.chunk_flits;
    std::string text = "raise '" + key + "' to " + std::to_string(chunks * s.chip.chunk_flits + reserved) + " flit";
    if (packet.kind == packet_kind::path) text += ", lower 'switch.stops'";
    if (flits_of(s, packet.kind, 1, shape) <= limit) return text + ", or lower 'packet.payload' and the messages";
    return text + ", widen 'switch.flit', or take 'packet.header: free': the header alone is too long";
}

/// Hosts whose bit strings the RTL of switches has room for.
void check_rtl(const loaded& scenario, const graph& network) {
    const scenario::network_settings& n = scenario.values.network;
    const auto is_rtl = [&](const hw::topology::switch_node& node) {
        const scenario::fidelity wanted = scenario::fidelity_of(n, node.name);
        return wanted == scenario::fidelity::rtl || wanted == scenario::fidelity::own;
    };
    if (network.hosts.size() <= hw::format::most_tree_hosts || std::ranges::none_of(network.switches, is_rtl)) return;
    scenario.fail(n.all == scenario::fidelity::core ? "network.chips" : "network.fidelity",
                  "the network has " + std::to_string(network.hosts.size()) +
                      " hosts, and switches in RTL are for at most " + std::to_string(hw::format::most_tree_hosts),
                  "take 'network.fidelity: core'");
}

/// \param made its plan has the graph alone
void plan_switches(const loaded& scenario, instance& made) {
    const settings& s = scenario.values;
    const graph& network = made.plan.network;
    check_names(scenario, network);
    check_rtl(scenario, network);
    check_tables(scenario, network);
    check_sizes(scenario, network);
    for (std::size_t i = 0; i < s.workloads.size(); ++i)
        workload_kind_of(scenario, i).check_switches(scenario, network, i);
    const hw::system::system_params params = system_params_of(scenario, network);
    try {
        made.plan = hw::system::make_plan(std::move(made.plan.network), params);
        if (s.network.has_link_layer()) hw::system::reserve_places(made.plan);
        if (s.host.check_source) hw::system::add_doors(made.plan, traffic_needs_of(scenario).forwarded != 0);
    } catch (const hw::input_error& refused) {
        scenario.fail("network", made.name + ": " + refused.what());
    }
    check_deadlock(scenario, made, traffic_needs_of(scenario));
}

}  // namespace

void check_sizes(const loaded& scenario, const graph& network) {
    const settings& s = scenario.values;
    const hw::format::header_shape shape = hw::system::header_shape_of(network, s.chip.stops);
    const longest packet = longest_packet(scenario, shape);
    const auto blame = [&]() -> std::string {
        if (scenario.given.contains("switch.buffer")) return "switch.buffer";
        if (packet.kind == packet_kind::path && scenario.given.contains("switch.stops")) return "switch.stops";
        if (flits_of(s, packet.kind, 1, shape) <= s.chip.buffer_flits) return "packet.payload";
        return scenario::workload_path(packet.workload, "scheme");
    };
    const unsigned reserved = reserved_units(s) * s.chip.chunk_flits;
    const unsigned usable = s.chip.buffer_flits - reserved;
    const std::string buffer = "'switch.buffer' of " + std::to_string(s.chip.buffer_flits) + " flits" +
                               (reserved == 0 ? "" : ", of which the link layer keeps a chunk free");
    if (packet.flits > usable) {
        scenario.fail(blame(),
                      packet_text(s, packet, shape) + " does not fit " + buffer +
                          ": replication is free of deadlock only where a buffer takes the longest packet whole",
                      way_out(s, packet, shape, "switch.buffer", usable, reserved));
    }
    if (s.chip.packet_limit_flits && packet.flits > *s.chip.packet_limit_flits) {
        scenario.fail("switch.packet_limit",
                      packet_text(s, packet, shape) + " is longer than 'switch.packet_limit' of " +
                          std::to_string(*s.chip.packet_limit_flits) + " flits",
                      way_out(s, packet, shape, "switch.packet_limit", *s.chip.packet_limit_flits));
    }
    if (s.chip.packet_limit_flits && *s.chip.packet_limit_flits > usable) {
        scenario.fail("switch.packet_limit", "'switch.packet_limit' of " + std::to_string(*s.chip.packet_limit_flits) +
                                                 " flits is more than " + buffer + " holds");
    }
    for (const hw::topology::switch_node& node : network.switches) {
        if (s.chip.read_ports && *s.chip.read_ports > node.ports.size()) {
            scenario.fail("switch.read_ports", "'switch.read_ports' is " + std::to_string(*s.chip.read_ports) +
                                                   ", but switch '" + node.name + "' has " +
                                                   std::to_string(node.ports.size()) + " ports");
        }
    }
}

void no_such_host(const loaded& scenario, const std::string& path, const graph& network, const std::string& name) {
    std::vector<std::string> names;
    for (const hw::topology::host_node& node : network.hosts) names.push_back(node.name);
    scenario.fail(path, "there is no host '" + name + "' in the network", scenario::propose(name, names));
}

void check_names(const loaded& scenario, const graph& network) {
    const settings& s = scenario.values;
    // Names of cables are known when there is a plan: check_cables(), check_traced_cables().
    const auto is_cable = [&](const std::string& name) {
        return s.network.has_link_layer() && name.find(':') != std::string::npos && !network.find_switch(name);
    };
    for (const auto& [name, fidelity] : s.network.chips) {
        if (!is_cable(name)) switch_at(scenario, "network.chips." + name, network, name);
    }
    for (const auto& [name, processor] : s.ni.hosts) {
        if (!network.find_host(name)) no_such_host(scenario, "ni.hosts." + name, network, name);
    }
    if (s.trace.chips) {
        for (std::size_t i = 0; i < s.trace.chips->size(); ++i) {
            const std::string& name = (*s.trace.chips)[i];
            if (!network.find_host(name) && !is_cable(name))
                switch_at(scenario, "trace.chips[" + std::to_string(i) + "]", network, name);
        }
    }
    check_trigger(scenario, network);
}

hw::system::traffic_needs traffic_needs_of(const loaded& scenario) {
    const settings& s = scenario.values;
    hw::system::traffic_needs needs;
    for (std::size_t i = 0; i < s.workloads.size(); ++i) {
        const workload_settings& w = s.workloads[i];
        const workload_kind& kind = workload_kind_of(scenario, i);
        for (const auto& [packets, payload] : kind.sends(s, w)) {
            unsigned& longest = payload_in(needs, packets);
            longest = std::max(longest, payload);
        }
        if (w.reliable) needs.unicast_payload = std::max(needs.unicast_payload, kind.payload(s, w));  // repairs
        needs.forwarded = std::max(needs.forwarded, kind.forwarded(s, w));
    }
    return needs;
}

void check_deadlock(const loaded& scenario, const instance& made, const hw::system::traffic_needs& needs) {
    const settings& s = scenario.values;
    const hw::routing::route_check_result routes = hw::system::check_plan(made.plan, needs);
    if (routes.good()) return;
    const auto [key, proposal] = s.network.topology.kind->way_out(scenario);
    const bool memory = s.ni.receive_slots && needs.forwarded > *s.ni.receive_slots;
    scenario.fail(memory ? "ni.receive_memory" : key, made.name + ": " + scenario::join(routes.problems, "; "),
                  routes.cycle.empty() ? "" : proposal);
}

void set_hosts(hw::system::system_params& params, const settings& s) {
    params.host.send_overhead = s.host.send_overhead;
    params.host.receive_overhead = s.host.receive_overhead;
    params.host.overheads_per_packet = s.host.overheads == scenario::overhead_rule::packet;
    hw::ni::ni_params& interface = params.host.interface;
    interface.payload_bytes = s.packet.payload_bytes;
    interface.check = s.packet.check;
    interface.protect_packets = s.protect.packets;
    interface.protect_firmware = s.protect.firmware;
    interface.bus_cycles_per_byte = 1 / s.host.bus;
    interface.arbitration = s.ni.arbitration;
    interface.charge_completions = s.ni.charge_completions;
    interface.wait = s.ni.wait;
    interface.receive_slots = s.ni.receive_slots.value_or(0);
    interface.send_slots = s.ni.send_slots.value_or(0);
    interface.group_entries = s.ni.groups;
    interface.reliable.timeout = s.ni.reliable.timeout.value_or(interface.reliable.timeout);
    interface.reliable.attempts = s.ni.reliable.attempts;
    interface.reliable.ack_delay = s.ni.reliable.ack_delay;
    interface.jobs = s.host.has_job_ids();
    params.host.jobs = s.host.job_ids();
    if (!s.host.jobs.empty()) interface.processes = s.host.processes;
    params.host.watchdog = s.ni.watchdog;
    params.host.restart = s.ni.restart;
    params.firmware_times = hw::system::paper_costs(s.host.ni_send, s.host.ni_receive, s.host.overlapped);
}

/// \returns at least one switch
std::vector<std::uint32_t> roots_of(const loaded& scenario, const graph& network) {
    const std::vector<std::string>& given = scenario.values.network.roots;
    const bool listed = scenario.resolved.find("network")->find("routing")->find("root")->is_list();
    std::vector<std::uint32_t> roots;
    for (std::size_t i = 0; i < given.size(); ++i) {
        const std::string path = "network.routing.root" + (listed ? "[" + std::to_string(i) + "]" : "");
        const std::optional<std::uint32_t> root = network.identify_switch(given[i]);
        if (!root) {
            const std::string near = network.propose_switch(given[i]);
            scenario.fail(path, "there is no switch '" + given[i] + "' in the network",
                          near.empty() ? scenario::propose(given[i], switch_names(network)) : near);
        }
        if (std::ranges::find(roots, *root) != roots.end())
            scenario.fail(path, "switch '" + network.switches[*root].name + "' is a root twice", "name it once");
        roots.push_back(*root);
    }
    if (roots.size() > 1 && scenario.values.network.worms == hw::routing::worm_links::spanning_tree)
        scenario.fail("network.worms",
                      "'network.worms: spanning_tree' needs one root, and there are " + std::to_string(roots.size()),
                      "take 'network.worms: updown', or one root");
    return roots;
}

unsigned flit_bytes_of(const settings& s) {
    if (s.network.topology.has_sites()) return 1;
    return s.network.topology.has_routers() ? s.router.flit_bytes : s.chip.flit_bytes;
}

hw::system::system_params system_params_of(const loaded& scenario, const graph& network) {
    const settings& s = scenario.values;
    hw::system::system_params params;
    params.flit_bytes = s.chip.flit_bytes;
    params.chunk_flits = s.chip.chunk_flits;
    params.buffer_flits = s.chip.buffer_flits;
    params.packet_limit = s.chip.packet_limit_flits.value_or(
        longest_packet(scenario, hw::system::header_shape_of(network, s.chip.stops)).flits);
    params.header_free = s.packet.header == scenario::header_place::free;
    params.read_ports = s.chip.read_ports.value_or(0);
    params.route_delay = s.chip.route_delay;
    params.crossbar_delay = s.chip.crossbar_delay;
    params.link_delay = s.network.link_delay;
    params.link_layer = link_layers_of(scenario);
    params.protect_buffers = s.protect.buffers;
    params.protect_routes = s.protect.routes;
    params.protect_credits = s.protect.credits;
    params.arbitration = s.chip.arbitration;
    params.selection = s.network.selection;
    params.up_selection = s.chip.up_selection;
    params.rewrite = s.chip.rewrite_headers;
    params.header_stops = s.chip.stops;
    params.worms = s.network.worms;
    using choice = hw::routing::updown_options::root_choice;
    params.routing.by_guid = s.network.tie == scenario::tie_break::guid;
    if (params.routing.by_guid &&
        std::ranges::any_of(network.switches, [](const hw::topology::switch_node& node) { return node.guid == 0; })) {
        scenario.fail("network.routing.tie",
                      "'network.routing.tie: guid' needs switches with GUIDs, which this network does not have",
                      "take 'tie: id'");
    }
    if (s.network.best_root) params.routing.choice = choice::best;
    if (!s.network.roots.empty()) {
        params.routing.choice = choice::given;
        params.routing.more_roots = roots_of(scenario, network);
        params.routing.root = params.routing.more_roots.front();
        params.routing.more_roots.erase(params.routing.more_roots.begin());
    }
    set_hosts(params, s);
    return params;
}

network_size instance::size() const {
    const graph& network = plan.network;
    return unlisted.value_or(network_size{network.switches.size(), network.hosts.size(), network.links().size()});
}

hw::engine::cycle first_message(const scenario::settings& s) {
    const auto native = [](scenario::processor_kind kind) { return kind == scenario::processor_kind::native; };
    const bool at_once = s.ni.costs == scenario::operation_costs::papers && native(s.ni.all) &&
                         std::ranges::all_of(s.ni.hosts, [&native](const auto& host) { return native(host.second); });
    return at_once ? 1 : firmware_ready;
}

namespace {

/// Which processors stand still, and when.
void set_hangs(const loaded& scenario, instance& made) {
    const graph& network = made.plan.network;
    const auto& events = scenario.values.faults.events;
    for (std::size_t i = 0; i < events.size(); ++i) {
        if (!events[i].hang) continue;
        const std::optional<std::uint32_t> host = network.find_host(events[i].link);
        if (!host) {
            std::vector<std::string> names;
            for (const hw::topology::host_node& each : network.hosts) names.push_back(each.name);
            scenario.fail("faults.events[" + std::to_string(i) + "].host",
                          "there is no host '" + events[i].link + "' in " + made.name,
                          scenario::propose(events[i].link, names));
        }
        made.plan.host.hangs.push_back({*host, 0, events[i].what.at, events[i].what.until});
    }
}

instance with_chips_for_threads(const loaded& scenario, instance made) {
    const network_size size = made.size();
    const std::uint64_t chips = size.switches + size.hosts;
    const std::optional<unsigned> threads = scenario.values.network.threads;
    if (threads && *threads > chips)
        scenario.fail("network.threads",
                      "'network.threads' of " + std::to_string(*threads) + " is more than the " +
                          std::to_string(chips) + " chips of " + made.name,
                      "take at most " + std::to_string(chips) + ", or 'auto'");
    if (scenario.ranks * threads.value_or(1) > chips)
        throw hw::input_error(std::to_string(scenario.ranks) + " ranks with " + std::to_string(threads.value_or(1)) +
                                  (threads.value_or(1) == 1 ? " thread" : " threads") + " each are more than the " +
                                  std::to_string(chips) + " chips of " + made.name,
                              "start fewer");
    set_hangs(scenario, made);
    made.plan.params.upsets = upsets_of(scenario);
    made.plan.host.upsets = interface_upsets_of(scenario, made.plan);
    const scenario::network_settings& network = scenario.values.network;
    if (network.has_link_layer() || !network.cables.empty() || scenario.values.faults.any()) {
        std::vector<hw::system::system_plan> plans;
        for (std::size_t i = 0; i < scenario.values.workloads.size(); ++i)
            plans.push_back(workload_kind_of(scenario, i).own_plan(scenario, made, i).value_or(made.plan));
        check_cables(scenario, plans);
        for (const hw::system::system_plan& plan : plans) {
            check_faults(scenario, plan);
            check_traced_cables(scenario, plan);
        }
    }
    if (scenario.values.faults.upsets())
        for (std::size_t i = 0; i < scenario.values.workloads.size(); ++i)
            check_upsets(scenario, workload_kind_of(scenario, i).own_plan(scenario, made, i).value_or(made.plan));
    if (!scenario.values.network.partition) return made;
    if (!threads) scenario.fail("network.threads", "a partition is one of a given number of threads", "say how many");
    for (std::size_t i = 0; i < scenario.values.workloads.size(); ++i)
        partition_of(scenario, workload_kind_of(scenario, i).own_plan(scenario, made, i).value_or(made.plan));
    return made;
}

}  // namespace

std::map<std::string, std::uint32_t> partition_of(const loaded& scenario, const hw::system::system_plan& plan) {
    const std::optional<std::string> file = scenario.partition_path();
    if (!file) return {};
    std::vector<std::string> chips;
    for (const hw::system::planned_chip& chip : plan.chips) chips.push_back(chip.name);
    auto part_of = hw::engine::read_partition(*file, scenario.files->text_of(*file, "partition"), chips,
                                              scenario.values.network.threads.value_or(1) * scenario.ranks);
    for (auto cable = static_cast<hw::engine::chip_id>(chips.size()); cable < plan.chip_count(); ++cable)
        part_of[plan.name_of(cable)] = part_of.at(chips[plan.cable_at(cable).a.chip]);
    return part_of;
}

void choose_threads(loaded& scenario, const std::vector<instance>& instances, std::size_t jobs) {
    std::optional<unsigned>& threads = scenario.values.network.threads;
    if (threads) return;
    constexpr std::size_t least_chips = 8;  // of a thread
    const std::size_t runs = jobs != 0 ? jobs : instances.size() * scenario.values.workloads.size();
    const std::size_t at_once = scenario.ranks > 1 ? ranks::ranks_of_machine() : runs;
    const network_size size = instances.front().size();
    const std::size_t useful = std::clamp<std::size_t>((size.switches + size.hosts) / least_chips, 1, 64);
    threads = static_cast<unsigned>(std::clamp<std::size_t>(std::thread::hardware_concurrency() / at_once, 1, useful));
}

std::vector<instance> make_instances(const loaded& scenario) {
    const scenario::topology_settings& t = scenario.values.network.topology;
    std::vector<instance> made;
    if (t.has_sites()) return {with_chips_for_threads(scenario, plan_sites(scenario))};
    if (t.has_routers() && scenario::only_broadcasts(scenario.values))
        return {with_chips_for_threads(scenario, plan_broadcasts(scenario))};
    if (scenario.values.network.tables.on) return {with_chips_for_threads(scenario, plan_tables(scenario))};
    for (topologies::named_graph& one : t.kind->graphs(scenario)) {
        instance planned{std::move(one.name), made.size(), {}};
        planned.plan.network = std::move(one.network);
        for (const std::string& warning : one.warnings) spdlog::warn("{}", warning);
        t.has_routers() ? plan_routers(scenario, planned) : plan_switches(scenario, planned);
        made.push_back(with_chips_for_threads(scenario, std::move(planned)));
    }
    return made;
}

}  // namespace polycast::tlm::sim
