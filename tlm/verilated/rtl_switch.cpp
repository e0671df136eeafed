// SPDX-License-Identifier: Apache-2.0
#include "tlm/verilated/rtl_switch.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "hw/format/config_words.h"

namespace polycast::tlm {

using hw::format::config_global;
using hw::format::config_region;
using hw::format::reach_index;

rtl_switch::rtl_switch(const hw::chips::switch_params& params, const hw::chips::switch_tables& tables,
                       model_library& models, std::string name)
    : rtl_chip(models.get(params), params.pin_shape(), std::move(name)) {
    write_tables(params, tables);
}

void rtl_switch::write_tables(const hw::chips::switch_params& params, const hw::chips::switch_tables& tables) {
    const std::size_t words = (params.max_hosts + 63) / 64;
    const auto short_string = [words](const hw::chips::shared_string& bits) { return bits.size() < words; };
    if (tables.port_direction.size() < params.ports || tables.buffer_chunks.size() < params.ports ||
        tables.credits.size() < params.ports || tables.reach_port.size() < params.ports ||
        short_string(tables.reach_total) ||
        std::any_of(tables.reach_port.begin(), tables.reach_port.end(), short_string)) {
        throw std::invalid_argument(name() + ": tables are smaller than the switch");
    }
    configure(config_global::route_delay, tables.route_delay);
    configure(config_global::arbitration, static_cast<unsigned>(tables.arbitration));
    configure(config_global::selection, static_cast<unsigned>(tables.selection));
    configure(config_global::packet_limit, tables.packet_limit);
    configure(config_global::tree_header_flits, tables.tree_header_flits);
    configure(config_global::up_selection, static_cast<unsigned>(tables.up_selection));
    configure(config_global::rewrite, tables.rewrite ? 1 : 0);
    configure(config_global::switch_number, tables.switch_number);
    configure(config_global::tree_up_low, static_cast<std::uint32_t>(tables.tree_up));
    configure(config_global::tree_up_high, static_cast<std::uint32_t>(tables.tree_up >> 32));
    for (unsigned port = 0; port < params.ports; ++port) {
        configure(config_region::port_direction, port, static_cast<std::uint32_t>(tables.port_direction[port]));
        configure(config_region::buffer_chunks, port, tables.buffer_chunks[port]);
        configure(config_region::credits, port, tables.credits[port]);
        configure(config_region::reach_port, reach_index(port, 0), (*tables.reach_port[port]).data(), params.max_hosts);
    }
    configure(config_region::reach_total, 0, (*tables.reach_total).data(), params.max_hosts);
    // Destinations beyond the tables have no route.
    const auto routes = [this, &params](config_region region, const hw::chips::port_sets& table, unsigned entries) {
        for (unsigned entry = 0; entry < entries; ++entry) {
            const std::uint64_t ports = entry < table.size() ? table[entry] : 0;
            configure(region, entry * 2, &ports, params.ports);
        }
    };
    routes(config_region::unicast_up, tables.unicast_up, params.max_hosts);
    routes(config_region::unicast_down, tables.unicast_down, params.max_hosts);
    routes(config_region::switch_up, tables.switch_up, params.max_switches);
    routes(config_region::switch_down, tables.switch_down, params.max_switches);
    write_doors(tables.doors, params.max_sources);
}

}  // namespace polycast::tlm
