// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/networks/instances.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <stdexcept>

#include "hw/format/header.h"
#include "hw/ni/abi/ni_host.h"
#include "tlm/scenario/propose.h"
#include "tlm/sim/networks/instance_parts.h"
#include "tlm/sim/networks/router_instances.h"
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

[[noreturn]] void no_such_host(const loaded& scenario, const std::string& path, const graph& network,
                               const std::string& name) {
    std::vector<std::string> names;
    for (const hw::topology::host_node& node : network.hosts) names.push_back(node.name);
    scenario.fail(path, "there is no host '" + name + "' in the network", scenario::propose(name, names));
}

/// A host by name, or by number where no host has that name.
std::uint32_t host_at(const loaded& scenario, const std::string& path, const graph& network, const std::string& name) {
    if (const auto found = network.find_host(name)) return *found;
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    const auto hosts = static_cast<std::uint32_t>(network.hosts.size());
    if (error == std::errc{} && end == name.data() + name.size()) {
        if (number < hosts) return number;
        scenario.fail(path, "host " + name + " does not exist", "hosts are 0.." + std::to_string(hosts - 1));
    }
    no_such_host(scenario, path, network, name);
}

unsigned& payload_in(hw::system::traffic_needs& needs, packet_kind kind) {
    switch (kind) {
        case packet_kind::unicast: return needs.unicast_payload;
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
        case packet_kind::pipelined: break;
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
    return hw::system::packet_flits(kind, payload, shape, s.chip.flit_bytes,
                                    s.packet.header == scenario::header_place::free);
}

/// The longest packet that any workload sends through the network.
longest longest_packet(const loaded& scenario, const hw::format::header_shape& shape) {
    const settings& s = scenario.values;
    longest found;
    for (std::size_t i = 0; i < s.workloads.size(); ++i) {
        const packet_kind kind = kind_of(s.workloads[i]);
        const unsigned payload = workload_kind_of(scenario, i).payload(s, s.workloads[i]);
        const unsigned flits = flits_of(s, kind, payload, shape);
        if (flits > found.flits) found = {flits, kind, payload, i};
    }
    return found;
}

std::string packet_text(const settings& s, const longest& packet, const hw::format::header_shape& shape) {
    std::string text = text_of(packet.kind) + (" of " + std::to_string(packet.flits)) + " flits";
    if (s.packet.header == scenario::header_place::in_flits) {
        text += " (" + std::to_string(hw::format::longest_header_bytes(packet.kind, shape)) + " B header, " +
                std::to_string(hw::format::transport_bytes) + " B transport header, " + std::to_string(packet.payload) +
                " B payload, " + std::to_string(hw::format::check_bytes) + " B check word)";
    }
    return text;
}

/// What to change where a packet is too long for `key`, a number of flits.
std::string way_out(const settings& s, const longest& packet, const hw::format::header_shape& shape,
                    const std::string& key, unsigned limit) {
    const unsigned chunks = (packet.flits + s.chip.chunk_flits - 1) / s.chip.chunk_flits;
    std::string text = "raise '" + key + "' to " + std::to_string(chunks * s.chip.chunk_flits) + " flit";
    if (packet.kind == packet_kind::path) text += ", lower 'switch.stops'";
    if (flits_of(s, packet.kind, 1, shape) <= limit) return text + ", or lower 'packet.payload' and the messages";
    return text + ", widen 'switch.flit', or take 'packet.header: free': the header alone is too long";
}

/// Everything that depends on the size of the network's packets.
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
    if (packet.flits > s.chip.buffer_flits) {
        scenario.fail(blame(),
                      packet_text(s, packet, shape) + " does not fit 'switch.buffer' of " +
                          std::to_string(s.chip.buffer_flits) +
                          " flits: replication is free of deadlock only where a buffer takes the longest packet whole",
                      way_out(s, packet, shape, "switch.buffer", s.chip.buffer_flits));
    }
    if (s.chip.packet_limit_flits && packet.flits > *s.chip.packet_limit_flits) {
        scenario.fail("switch.packet_limit",
                      packet_text(s, packet, shape) + " is longer than 'switch.packet_limit' of " +
                          std::to_string(*s.chip.packet_limit_flits) + " flits",
                      way_out(s, packet, shape, "switch.packet_limit", *s.chip.packet_limit_flits));
    }
    if (s.chip.packet_limit_flits && *s.chip.packet_limit_flits > s.chip.buffer_flits) {
        scenario.fail("switch.packet_limit", "'switch.packet_limit' of " + std::to_string(*s.chip.packet_limit_flits) +
                                                 " flits is more than 'switch.buffer' of " +
                                                 std::to_string(s.chip.buffer_flits) + " flits holds");
    }
    for (const hw::topology::switch_node& node : network.switches) {
        if (s.chip.read_ports && *s.chip.read_ports > node.ports.size()) {
            scenario.fail("switch.read_ports", "'switch.read_ports' is " + std::to_string(*s.chip.read_ports) +
                                                   ", but switch '" + node.name + "' has " +
                                                   std::to_string(node.ports.size()) + " ports");
        }
    }
}

/// Routes of worms go through commands and group tables of the interfaces.
void check_route_bytes(const loaded& scenario, const graph& network) {
    constexpr unsigned in_command = hw::ni::command_buffer_bytes - 4 * NI_COMMAND_WORDS;
    constexpr unsigned in_group = 4 * NI_GROUP_ROUTE_WORDS;
    const settings& s = scenario.values;
    for (std::size_t i = 0; i < s.workloads.size(); ++i) {
        const workload_settings& w = s.workloads[i];
        const packet_kind kind = kind_of(w);
        if (kind == packet_kind::unicast) continue;
        hw::format::header_shape shape = hw::system::header_shape_of(network, s.chip.stops);
        shape.stops = static_cast<unsigned>(
            std::min<std::size_t>({s.chip.stops, network.switches.size(), std::max(w.degree, 1u)}));
        const unsigned bytes = hw::format::longest_header_bytes(kind, shape) - hw::format::common_header_bytes;
        const bool grouped = w.multicast.scheme.smart();
        const unsigned room = grouped ? in_group : in_command;
        if (bytes <= room) continue;
        const std::string limit = (grouped ? ", but an entry of an interface's group table holds "
                                           : ", but a command of an interface holds ") +
                                  std::to_string(room) + " B";
        if (kind == packet_kind::tree) {
            scenario.fail(scenario::workload_path(i, "scheme"),
                          "the bit string of a tree worm to " + std::to_string(shape.hosts) + " hosts has " +
                              std::to_string(bytes) + " B" + limit,
                          "take another scheme");
        }
        constexpr unsigned before_stops = hw::format::path_list_field.offset / 8 - hw::format::common_header_bytes;
        scenario.fail(
            "switch.stops",
            "the route of a path worm with " + std::to_string(shape.stops) + " stops has " + std::to_string(bytes) +
                " B" + limit,
            "lower 'switch.stops' to " + std::to_string((room - before_stops) / hw::format::stop_bytes(shape)));
    }
}

/// \param made its plan has the graph alone
void plan_switches(const loaded& scenario, instance& made) {
    const settings& s = scenario.values;
    const graph& network = made.plan.network;
    check_names(scenario, network);
    check_sizes(scenario, network);
    check_route_bytes(scenario, network);
    check_groups(scenario, network);
    for (std::size_t i = 0; i < s.workloads.size(); ++i)
        hw::traffic::workload{workload_params_of(scenario, i, network)};
    const hw::system::system_params params = system_params_of(scenario, network);
    try {
        made.plan = hw::system::make_plan(std::move(made.plan.network), params);
    } catch (const hw::input_error& refused) {
        scenario.fail("network", made.name + ": " + refused.what());
    }
    check_deadlock(scenario, made, traffic_needs_of(scenario));
}

}  // namespace

packet_kind kind_of(const workload_settings& w) {
    return w.kind == scenario::traffic_kind::multicast ? w.multicast.scheme.packets() : packet_kind::unicast;
}

void check_groups(const loaded& scenario, const graph& network) {
    constexpr std::uint32_t most_in_group = 4095;
    const settings& s = scenario.values;
    for (std::size_t i = 0; i < s.workloads.size(); ++i) {
        const workload_settings& w = s.workloads[i];
        if (w.kind != scenario::traffic_kind::multicast || !w.multicast.scheme.smart()) continue;
        const bool worms = kind_of(w) != packet_kind::unicast;
        std::uint32_t children = w.degree;
        unsigned words = 1;
        if (worms) {
            hw::format::header_shape shape = hw::system::header_shape_of(network, s.chip.stops);
            const auto switches = static_cast<std::uint32_t>(network.switches.size());
            children = std::min(children, switches);
            shape.stops = std::min({shape.stops, switches, w.degree});
            words = (hw::format::longest_header_bytes(kind_of(w), shape) - hw::format::common_header_bytes + 3) / 4;
        } else {
            const auto packets = static_cast<std::uint32_t>((w.message_bytes - 1) / s.packet.payload_bytes + 1);
            children = std::min(children, hw::system::most_children(w.multicast, w.degree + 1, packets).value());
        }
        const std::string path = scenario::workload_path(i);
        if (children > most_in_group) {
            scenario.fail(path + ".fanout", "a host may have to send to " + std::to_string(children) +
                                                " others, but a group of an interface holds " +
                                                std::to_string(most_in_group));
        }
        const unsigned entries = hw::system::group_entries(children, words);
        if (entries <= s.ni.groups) continue;
        scenario.fail(scenario.given.contains("ni.groups") ? "ni.groups" : path,
                      "a group of up to " + std::to_string(children) + (worms ? " worms" : " hosts") + " may take " +
                          std::to_string(entries) + " entries of an interface's group table, but 'ni.groups' is " +
                          std::to_string(s.ni.groups),
                      "raise 'ni.groups'");
    }
}

void check_names(const loaded& scenario, const graph& network) {
    const settings& s = scenario.values;
    for (const auto& [name, fidelity] : s.network.chips) switch_at(scenario, "network.chips." + name, network, name);
    for (const auto& [name, processor] : s.ni.hosts) {
        if (!network.find_host(name)) no_such_host(scenario, "ni.hosts." + name, network, name);
    }
    if (s.trace.chips) {
        for (std::size_t i = 0; i < s.trace.chips->size(); ++i) {
            const std::string& name = (*s.trace.chips)[i];
            if (!network.find_host(name)) switch_at(scenario, "trace.chips[" + std::to_string(i) + "]", network, name);
        }
    }
    check_trigger(scenario, network);
}

hw::system::traffic_needs traffic_needs_of(const loaded& scenario) {
    const settings& s = scenario.values;
    hw::system::traffic_needs needs;
    for (std::size_t i = 0; i < s.workloads.size(); ++i) {
        const workload_settings& w = s.workloads[i];
        unsigned& longest = payload_in(needs, kind_of(w));
        longest = std::max(longest, workload_kind_of(scenario, i).payload(s, w));
        if (w.kind != scenario::traffic_kind::multicast || !w.multicast.scheme.smart()) continue;
        // A multicast alone is all there is; under load there is no bound.
        const std::uint64_t packets = (w.message_bytes - 1) / s.packet.payload_bytes + 1;
        needs.forwarded = w.rate ? std::numeric_limits<std::uint64_t>::max() : std::max(needs.forwarded, packets);
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
    interface.bus_cycles_per_byte = 1 / s.host.bus;
    interface.arbitration = s.ni.arbitration;
    interface.charge_completions = s.ni.charge_completions;
    interface.wait = s.ni.wait;
    interface.receive_slots = s.ni.receive_slots.value_or(0);
    interface.send_slots = s.ni.send_slots.value_or(0);
    interface.group_entries = s.ni.groups;
    params.firmware_times = hw::system::paper_costs(s.host.ni_send, s.host.ni_receive, s.host.overlapped);
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
    if (s.network.root == "best") {
        params.routing.choice = choice::best;
    } else if (s.network.root != "lowest") {
        params.routing.choice = choice::given;
        params.routing.root = switch_at(scenario, "network.routing.root", network, s.network.root);
    }
    set_hosts(params, s);
    return params;
}

hw::traffic::workload_params workload_params_of(const loaded& scenario, std::size_t workload, const graph& network) {
    const workload_settings& w = scenario.values.workloads[workload];
    const std::string path = scenario::workload_path(workload);
    hw::traffic::workload_params params;
    params.kind = static_cast<hw::traffic::workload_kind>(w.kind);
    params.hosts = static_cast<std::uint32_t>(network.hosts.size());
    params.bytes = static_cast<std::uint32_t>(w.message_bytes);
    params.payload_bytes = scenario.values.packet.payload_bytes;
    if (w.kind == scenario::traffic_kind::multicast) params.how = hw::system::forwarding_of(w.multicast);
    params.degree = w.degree;
    params.messages = w.messages;
    if (w.rate) {
        const std::uint64_t flit_bytes = flit_bytes_of(scenario.values);
        const std::uint64_t flits = (w.message_bytes + flit_bytes - 1) / flit_bytes;
        params.gap = static_cast<double>(flits) * static_cast<double>(w.rate->denominator()) /
                     static_cast<double>(w.rate->numerator());
    }
    if (w.source) params.source = host_at(scenario, path + ".source", network, *w.source);
    if (w.destinations) {
        for (std::size_t i = 0; i < w.destinations->size(); ++i) {
            const std::string item = path + ".destinations[" + std::to_string(i) + "]";
            const std::uint32_t host = host_at(scenario, item, network, (*w.destinations)[i]);
            if (std::ranges::find(params.destinations, host) != params.destinations.end())
                scenario.fail(item, "host '" + (*w.destinations)[i] + "' is given twice");
            if (params.source == host)
                scenario.fail(item, "'" + path + ".source' is among its destinations", "leave it out");
            params.destinations.push_back(host);
        }
        if (params.destinations.size() == params.hosts)
            scenario.fail(path + ".destinations", "all hosts are destinations, so nobody is left to send",
                          "leave one out");
    } else if (w.kind == scenario::traffic_kind::multicast && w.degree >= params.hosts) {
        scenario.fail(path + ".degree", "'" + path + ".degree' of " + std::to_string(w.degree) +
                                            " is too many: " + std::to_string(params.hosts) + " hosts have " +
                                            std::to_string(params.hosts - 1) + " others each");
    }
    params.pattern = pattern_params_of(scenario, workload, network);
    return params;
}

hw::traffic::pattern_params pattern_params_of(const loaded& scenario, std::size_t workload, const graph& network) {
    const workload_settings& w = scenario.values.workloads[workload];
    hw::traffic::pattern_params params = w.pattern;
    const std::string path = scenario::workload_path(workload, std::string(w.pattern.name) + ".hosts") + "[";
    for (std::size_t i = 0; i < w.pattern_hosts.size(); ++i)
        params.hosts.push_back(host_at(scenario, path + std::to_string(i) + "]", network, w.pattern_hosts[i]));
    const scenario::topology_settings& topology = scenario.values.network.topology;
    if (!topology.is_grid()) return params;
    params.dimensions = topology.dimensions;
    params.radix = topology.radix;
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

std::vector<instance> make_instances(const loaded& scenario) {
    const scenario::topology_settings& t = scenario.values.network.topology;
    if (t.has_sites()) return {plan_sites(scenario)};
    std::vector<instance> made;
    if (t.has_routers() && scenario::only_broadcasts(scenario.values)) return {plan_broadcasts(scenario)};
    for (topologies::named_graph& one : t.kind->graphs(scenario)) {
        instance planned{std::move(one.name), made.size(), {}};
        planned.plan.network = std::move(one.network);
        t.has_routers() ? plan_routers(scenario, planned) : plan_switches(scenario, planned);
        made.push_back(std::move(planned));
    }
    return made;
}

}  // namespace polycast::tlm::sim
