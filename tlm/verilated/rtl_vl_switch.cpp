// SPDX-License-Identifier: Apache-2.0
#include "tlm/verilated/rtl_vl_switch.h"

#include <stdexcept>
#include <utility>

#include "hw/format/config_words.h"

namespace polycast::tlm {

using hw::chips::vl_switch_params;
using hw::chips::vl_switch_tables;
using hw::format::config_global;
using hw::format::config_region;

namespace {
/// An entry of the unicast table that leads nowhere.
constexpr std::uint8_t no_port = 255;
}  // namespace

rtl_vl_switch::rtl_vl_switch(const vl_switch_params& params, const vl_switch_tables& tables, model_library& models,
                             std::string name)
    : rtl_chip(models.get(params), params.pin_shape(), std::move(name)) {
    write_tables(params, tables);
    write_lanes(params, tables);
    if (tables.policy == hw::format::vl_policy::weighted) write_weights(params, tables);
}

void rtl_vl_switch::write_tables(const vl_switch_params& params, const vl_switch_tables& tables) {
    if (tables.lft.size() > params.max_lids || tables.mft.size() > params.max_groups)
        throw std::invalid_argument(name() + ": tables are larger than the switch has room for");
    configure(config_global::route_delay, tables.route_delay);
    configure(config_global::arbitration, static_cast<unsigned>(tables.arbitration));
    configure(config_global::packet_limit, tables.packet_limit);
    configure(config_global::hoq_life, tables.hoq_life);
    configure(config_global::vl_policy, static_cast<unsigned>(tables.policy));
    // LIDs and groups beyond the tables have no route.
    for (unsigned lid = 0; lid < params.max_lids; ++lid)
        configure(config_region::lft, lid, lid < tables.lft.size() ? tables.lft[lid] : no_port);
    for (unsigned group = 0; group < params.max_groups; ++group) {
        const std::uint64_t ports = group < tables.mft.size() ? tables.mft[group] : 0;
        configure(config_region::mft, group * 2, &ports, params.ports);
    }
    write_doors(tables.doors, params.max_sources);
}

void rtl_vl_switch::write_lanes(const vl_switch_params& params, const vl_switch_tables& tables) {
    const std::size_t pairs = std::size_t{params.ports} * params.ports;
    const std::size_t lanes = std::size_t{params.ports} * params.vls;
    if (tables.vl_chunks.size() != lanes || tables.credits.size() != lanes || tables.sl2vl == nullptr ||
        tables.sl2vl->size() != pairs)
        throw std::invalid_argument(name() + ": tables do not fit the switch");
    for (unsigned port = 0; port < params.ports; ++port) {
        for (unsigned vl = 0; vl < params.vls; ++vl) {
            const unsigned index = hw::format::vl_index(0, port, vl);
            configure(config_region::vl_chunks, index, tables.vl_chunks[port * params.vls + vl]);
            configure(config_region::vl_credits, index, tables.credits[port * params.vls + vl]);
        }
        for (unsigned output = 0; output < params.ports; ++output) {
            const std::uint64_t lanes_of_sl = (*tables.sl2vl)[std::size_t{port} * params.ports + output];
            configure(config_region::sl2vl, hw::format::sl2vl_index(0, port, output, 0), &lanes_of_sl, 64);
        }
    }
}

void rtl_vl_switch::write_weights(const vl_switch_params& params, const vl_switch_tables& tables) {
    if (!params.weighted || tables.weights.size() != params.ports)
        throw std::invalid_argument(name() + ": a table of VL arbitration is missing");
    for (unsigned port = 0; port < params.ports; ++port) {
        const hw::chips::vl_weights& weights = tables.weights[port];
        configure(config_region::vl_high_limit, port, weights.high_limit);
        for (unsigned entry = 0; entry < weights.high.size(); ++entry) {
            const auto write = [&](unsigned low, const hw::chips::vl_weights::entry& what) {
                configure(config_region::vl_arbitration, hw::format::vl_entry_index(0, port, low, entry),
                          static_cast<std::uint32_t>(what.vl | what.weight << 4));
            };
            write(0, weights.high[entry]);
            write(1, weights.low[entry]);
        }
    }
}

}  // namespace polycast::tlm
