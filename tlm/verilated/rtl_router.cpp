// SPDX-License-Identifier: Apache-2.0
#include "tlm/verilated/rtl_router.h"

#include <stdexcept>
#include <utility>

namespace polycast::tlm {

using hw::format::config_global;
using hw::format::config_region;

rtl_router::rtl_router(const hw::chips::router_params& params, const hw::chips::router_tables& tables,
                       model_library& models, std::string name)
    : rtl_chip(models.get(params), params.pin_shape(), std::move(name)) {
    write_tables(params, tables);
}

rtl_router::rtl_router(const polycast_chip_model_interface& model, const hw::engine::pin_shape& shape, std::string name)
    : rtl_chip(model, shape, std::move(name)) {}

void rtl_router::write_tables(const hw::chips::router_params& params, const hw::chips::router_tables& tables) {
    const bool choice_missing = !params.adaptive && tables.select != hw::chips::route_select::lowest;
    if (tables.credits.size() < params.ports || tables.route.size() > params.max_nodes || choice_missing)
        throw std::invalid_argument(name() + ": tables do not fit the router");
    configure(config_global::node, tables.node);
    configure(config_global::wrap, tables.wrap);
    configure(config_global::table, tables.table ? 1 : 0);
    configure(config_global::route_delay, tables.route_delay);
    configure(config_global::allocator, static_cast<unsigned>(tables.allocator));
    configure(config_global::iterations, tables.iterations);
    configure(config_global::reserve, tables.reserve);
    configure(config_global::packet_limit, tables.packet_limit);
    configure(config_global::policy, static_cast<unsigned>(tables.policy));
    if (params.adaptive) {
        configure(config_global::select, static_cast<unsigned>(tables.select));
        configure(config_global::seed, tables.seed);
    }
    for (unsigned port = 0; port < params.ports; ++port) configure(config_region::credits, port, tables.credits[port]);
    for (unsigned service_class = 0; service_class < tables.vc_sets.size(); ++service_class) {
        for (unsigned side = 0; side < 2; ++side)
            configure(config_region::vc_set, service_class * 2 + side, tables.vc_sets[service_class][side]);
    }
    // Nodes beyond the table have no route.
    for (unsigned node = 0; node < params.max_nodes; ++node)
        configure(config_region::node_route, node, node < tables.route.size() ? tables.route[node] : 0);
    write_doors(tables.doors, params.max_sources);
}

}  // namespace polycast::tlm
