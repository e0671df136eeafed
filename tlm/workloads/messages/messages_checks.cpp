// SPDX-License-Identifier: Apache-2.0
#include "tlm/workloads/messages/messages_checks.h"

#include <algorithm>

#include "hw/format/header.h"
#include "hw/ni/abi/ni_host.h"
#include "hw/system/schemes.h"

namespace polycast::tlm::sim {

using hw::format::packet_kind;
using hw::topology::graph;
using scenario::loaded;
using scenario::settings;
using scenario::workload_settings;

void check_commands(const loaded& scenario, std::size_t workload, const graph& network) {
    constexpr unsigned in_command = hw::ni::command_buffer_bytes - 4 * NI_COMMAND_WORDS;
    constexpr unsigned in_group = 4 * NI_GROUP_ROUTE_WORDS;
    const settings& s = scenario.values;
    const workload_settings& w = s.workloads[workload];
    if (w.kind != scenario::traffic_kind::multicast) return;
    const packet_kind kind = w.multicast.scheme.packets();
    if (kind == packet_kind::unicast || kind == packet_kind::lid) return;
    hw::format::header_shape shape = hw::system::header_shape_of(network, s.chip.stops);
    if (kind == packet_kind::tree && shape.hosts > hw::format::most_tree_hosts)
        scenario.fail(scenario::workload_path(workload, "scheme"),
                      "the network has " + std::to_string(shape.hosts) + " hosts, and tree worms are for at most " +
                          std::to_string(hw::format::most_tree_hosts),
                      "take another scheme");
    shape.stops =
        static_cast<unsigned>(std::min<std::size_t>({s.chip.stops, network.switches.size(), std::max(w.degree, 1u)}));
    const unsigned bytes = hw::format::longest_header_bytes(kind, shape) - hw::format::common_header_bytes;
    const bool grouped = w.multicast.scheme.smart();
    const unsigned room = grouped ? in_group : in_command;
    if (bytes <= room) return;
    const std::string limit =
        (grouped ? ", but an entry of an interface's group table holds " : ", but a command of an interface holds ") +
        std::to_string(room) + " B";
    if (kind == packet_kind::tree) {
        scenario.fail(scenario::workload_path(workload, "scheme"),
                      "the bit string of a tree worm to " + std::to_string(shape.hosts) + " hosts has " +
                          std::to_string(bytes) + " B" + limit,
                      "take another scheme");
    }
    constexpr unsigned before_stops = hw::format::path_list_field.offset / 8 - hw::format::common_header_bytes;
    scenario.fail("switch.stops",
                  "the route of a path worm with " + std::to_string(shape.stops) + " stops has " +
                      std::to_string(bytes) + " B" + limit,
                  "lower 'switch.stops' to " + std::to_string((room - before_stops) / hw::format::stop_bytes(shape)));
}

void check_groups(const loaded& scenario, std::size_t workload, const graph& network) {
    constexpr std::uint32_t most_in_group = 4095;
    const settings& s = scenario.values;
    const workload_settings& w = s.workloads[workload];
    if (w.kind != scenario::traffic_kind::multicast || !w.multicast.scheme.smart()) return;
    const packet_kind kind = w.multicast.scheme.packets();
    const bool worms = kind != packet_kind::unicast;
    std::uint32_t children = w.degree;
    unsigned words = 1;
    if (worms) {
        hw::format::header_shape shape = hw::system::header_shape_of(network, s.chip.stops);
        const auto switches = static_cast<std::uint32_t>(network.switches.size());
        children = std::min(children, switches);
        shape.stops = std::min({shape.stops, switches, w.degree});
        words = (hw::format::longest_header_bytes(kind, shape) - hw::format::common_header_bytes + 3) / 4;
    } else {
        const auto packets = static_cast<std::uint32_t>((w.message_bytes - 1) / s.packet.payload_bytes + 1);
        children = std::min(children, hw::system::most_children(w.multicast, w.degree + 1, packets).value());
    }
    const std::string path = scenario::workload_path(workload);
    if (children > most_in_group) {
        scenario.fail(path + ".fanout", "a host may have to send to " + std::to_string(children) +
                                            " others, but a group of an interface holds " +
                                            std::to_string(most_in_group));
    }
    const unsigned entries = hw::system::group_entries(children, words) + (w.reliable ? 1 : 0);
    if (entries <= s.ni.groups) return;
    scenario.fail(scenario.given.contains("ni.groups") ? "ni.groups" : path,
                  "a group of up to " + std::to_string(children) + (worms ? " worms" : " hosts") + " may take " +
                      std::to_string(entries) + " entries of an interface's group table, but 'ni.groups' is " +
                      std::to_string(s.ni.groups),
                  "raise 'ni.groups'");
}

}  // namespace polycast::tlm::sim
