// SPDX-License-Identifier: Apache-2.0
#include "tlm/dpi/chip_registers.h"

#include <memory>
#include <utility>

#include "hw/format/config_words.h"
#include "hw/format/packet_format.h"

namespace polycast::tlm::dpi {

using hw::format::config_global;
using hw::format::config_region;
using level = register_table::level;

namespace {

constexpr std::uint8_t code(auto value) {
    return static_cast<std::uint8_t>(value);
}
/// The lowest bits, as a register has them.
constexpr std::uint32_t low(std::uint32_t value, unsigned bits) {
    return bits >= 32 ? value : value & ((1u << bits) - 1);
}
std::uint64_t port_mask(unsigned ports) {
    return ports >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << ports) - 1;
}
unsigned words_of(unsigned bits) {
    return (bits + 31) / 32;
}

using named_global = std::pair<std::string_view, config_global>;
void add_globals(std::vector<register_table>& map, std::initializer_list<named_global> globals) {
    for (const auto& [name, which] : globals) map.push_back({name, code(config_region::global), code(which)});
}
register_table table(std::string_view name, auto region, std::vector<level> levels, bool wide = false) {
    return {name, code(region), 0, std::move(levels), wide};
}
/// A list of masks of up to 64 ports.
register_table masks(std::string_view name, config_region region, unsigned entries) {
    return table(name, region, {{entries, 1}}, true);
}
std::uint32_t global(const register_image& image, config_global which, std::uint32_t otherwise) {
    return image.get(code(config_region::global), code(which), otherwise);
}

}  // namespace

std::vector<register_table> register_map_of(const hw::chips::switch_params& p) {
    const unsigned words = words_of(p.max_hosts);
    std::vector<register_table> map;
    add_globals(map, {{"route_delay", config_global::route_delay},
                      {"arbitration", config_global::arbitration},
                      {"selection", config_global::selection},
                      {"packet_limit", config_global::packet_limit},
                      {"tree_header_flits", config_global::tree_header_flits},
                      {"up_selection", config_global::up_selection},
                      {"rewrite", config_global::rewrite},
                      {"switch_number", config_global::switch_number},
                      {"tree_up_low", config_global::tree_up_low},
                      {"tree_up_high", config_global::tree_up_high}});
    map.push_back(table("port_direction", config_region::port_direction, {{p.ports, 0}}));
    map.push_back(table("buffer_chunks", config_region::buffer_chunks, {{p.ports, 0}}));
    map.push_back(table("credits", config_region::credits, {{p.ports, 0}}));
    map.push_back(masks("unicast_up", config_region::unicast_up, p.max_hosts));
    map.push_back(masks("unicast_down", config_region::unicast_down, p.max_hosts));
    map.push_back(table("reach_total", config_region::reach_total, {{words, 0}}));
    map.push_back(table("reach_port", config_region::reach_port, {{p.ports, 16}, {words, 0}}));
    map.push_back(masks("switch_up", config_region::switch_up, p.max_switches));
    map.push_back(masks("switch_down", config_region::switch_down, p.max_switches));
    map.push_back(masks("source_ports", config_region::source_ports, p.max_sources));
    return map;
}

hw::chips::switch_tables tables_of(const hw::chips::switch_params& p, const register_image& image) {
    hw::chips::switch_tables t;
    t.route_delay = low(global(image, config_global::route_delay, t.route_delay), 4);
    t.arbitration = static_cast<hw::format::arbitration>(low(global(image, config_global::arbitration, 0), 1));
    t.selection = static_cast<hw::format::selection>(low(global(image, config_global::selection, 0), 2));
    t.packet_limit = low(global(image, config_global::packet_limit, t.packet_limit), 20);
    t.tree_header_flits = low(global(image, config_global::tree_header_flits, t.tree_header_flits), 12);
    t.up_selection = static_cast<hw::format::selection>(low(global(image, config_global::up_selection, 0), 2));
    t.rewrite = (global(image, config_global::rewrite, 1) & 1) != 0;
    t.switch_number = low(global(image, config_global::switch_number, 0), 16);
    t.tree_up = global(image, config_global::tree_up_low, ~0u) |
                std::uint64_t{global(image, config_global::tree_up_high, ~0u)} << 32;
    const auto string = [&](config_region region, std::uint32_t first) {
        hw::chips::bit_string bits((hw::format::string_bits(p.max_hosts) + 63) / 64);
        for (unsigned word = 0; word < bits.size() * 2; ++word)
            bits[word / 2] |= std::uint64_t{image.get(code(region), first + word)} << word % 2 * 32;
        if (p.max_hosts % 64 != 0 && !bits.empty()) bits.back() &= port_mask(p.max_hosts % 64);
        return hw::chips::shared_string(std::move(bits));
    };
    for (unsigned port = 0; port < p.ports; ++port) {
        t.port_direction.push_back(
            static_cast<hw::format::direction>(low(image.get(code(config_region::port_direction), port), 2)));
        t.buffer_chunks.push_back(image.get(code(config_region::buffer_chunks), port, p.chunks));
        t.credits.push_back(low(image.get(code(config_region::credits), port), 16));
        t.reach_port.push_back(string(config_region::reach_port, hw::format::reach_index(port, 0)));
    }
    t.reach_total = string(config_region::reach_total, 0);
    const auto sets = [&](config_region region, unsigned entries) {
        std::vector<std::uint64_t> own;
        for (unsigned entry = 0; entry < entries; ++entry)
            own.push_back(image.wide(code(region), entry * 2) & port_mask(p.ports));
        return hw::chips::port_sets(std::move(own));
    };
    t.unicast_up = sets(config_region::unicast_up, p.max_hosts);
    t.unicast_down = sets(config_region::unicast_down, p.max_hosts);
    t.switch_up = sets(config_region::switch_up, p.max_switches);
    t.switch_down = sets(config_region::switch_down, p.max_switches);
    t.doors = doors_of(image, code(config_region::source_ports), p.ports, p.max_sources);
    return t;
}

std::vector<register_table> register_map_of(const hw::chips::router_params& p) {
    std::vector<register_table> map;
    add_globals(map, {{"node", config_global::node},
                      {"wrap", config_global::wrap},
                      {"table", config_global::table},
                      {"route_delay", config_global::route_delay},
                      {"allocator", config_global::allocator},
                      {"iterations", config_global::iterations},
                      {"reserve", config_global::reserve},
                      {"packet_limit", config_global::packet_limit},
                      {"policy", config_global::policy}});
    if (p.adaptive) add_globals(map, {{"select", config_global::select}, {"seed", config_global::seed}});
    map.push_back(table("credits", config_region::credits, {{p.ports, 0}}));
    map.push_back(table("vc_set", config_region::vc_set, {{8, 1}, {2, 0}}));
    map.push_back(table("node_route", config_region::node_route, {{p.max_nodes, 0}}));
    map.push_back(masks("source_ports", config_region::source_ports, p.max_sources));
    return map;
}

hw::chips::router_tables tables_of(const hw::chips::router_params& p, const register_image& image) {
    hw::chips::router_tables t;
    t.node = low(global(image, config_global::node, 0), 24);
    t.wrap = low(global(image, config_global::wrap, 0), p.dimensions);
    t.table = (global(image, config_global::table, 0) & 1) != 0;
    t.route_delay = low(global(image, config_global::route_delay, t.route_delay), 4);
    t.allocator = static_cast<hw::chips::router_allocator>(global(image, config_global::allocator, 0) & 1);
    t.iterations = low(global(image, config_global::iterations, t.iterations), 3);
    t.reserve = low(global(image, config_global::reserve, t.reserve), 16);
    t.packet_limit = low(global(image, config_global::packet_limit, t.packet_limit), 16);
    t.policy = static_cast<hw::chips::vc_policy>(global(image, config_global::policy, 0) & 1);
    if (p.adaptive) {
        t.select = static_cast<hw::chips::route_select>(low(global(image, config_global::select, 0), 2));
        t.seed = static_cast<std::uint16_t>(global(image, config_global::seed, 0));
    }
    for (unsigned port = 0; port < p.ports; ++port)
        t.credits.push_back(low(image.get(code(config_region::credits), port), 16));
    for (unsigned service_class = 0; service_class < t.vc_sets.size(); ++service_class)
        for (unsigned side = 0; side < 2; ++side)
            t.vc_sets[service_class][side] = static_cast<hw::chips::vc_set>(
                low(image.get(code(config_region::vc_set), service_class * 2 + side), p.vcs));
    for (unsigned node = 0; node < p.max_nodes; ++node)
        t.route.push_back(low(image.get(code(config_region::node_route), node), p.ports));
    t.doors = doors_of(image, code(config_region::source_ports), p.ports, p.max_sources);
    return t;
}

std::vector<register_table> register_map_of(const hw::chips::vl_switch_params& p) {
    std::vector<register_table> map;
    add_globals(map, {{"route_delay", config_global::route_delay},
                      {"arbitration", config_global::arbitration},
                      {"packet_limit", config_global::packet_limit},
                      {"hoq_life", config_global::hoq_life},
                      {"vl_policy", config_global::vl_policy}});
    map.push_back(table("vl_chunks", config_region::vl_chunks, {{p.ports, 8}, {p.vls, 0}}));
    map.push_back(table("vl_credits", config_region::vl_credits, {{p.ports, 8}, {p.vls, 0}}));
    map.push_back(table("lft", config_region::lft, {{p.max_lids, 0}}));
    map.push_back(masks("mft", config_region::mft, p.max_groups));
    map.push_back(table("sl2vl", config_region::sl2vl, {{p.ports, 9}, {p.ports, 1}}, true));
    if (p.weighted) {
        map.push_back(table("vl_arbitration", config_region::vl_arbitration, {{p.ports, 7}, {2, 6}, {64, 0}}));
        map.push_back(table("vl_high_limit", config_region::vl_high_limit, {{p.ports, 0}}));
    }
    map.push_back(masks("source_ports", config_region::source_ports, p.max_sources));
    return map;
}

hw::chips::vl_switch_tables tables_of(const hw::chips::vl_switch_params& p, const register_image& image) {
    hw::chips::vl_switch_tables t;
    t.route_delay = low(global(image, config_global::route_delay, t.route_delay), 4);
    t.packet_limit = low(global(image, config_global::packet_limit, t.packet_limit), 16);
    t.arbitration = static_cast<hw::format::arbitration>(low(global(image, config_global::arbitration, 0), 1));
    t.hoq_life = low(global(image, config_global::hoq_life, 0), 20);
    t.policy = static_cast<hw::chips::vl_policy>(low(global(image, config_global::vl_policy, 0), 1));
    hw::chips::sl_to_vl lanes(std::size_t{p.ports} * p.ports);
    for (unsigned port = 0; port < p.ports; ++port) {
        for (unsigned vl = 0; vl < p.vls; ++vl) {
            const std::uint32_t index = hw::format::vl_index(0, port, vl);
            t.vl_chunks.push_back(image.get(code(config_region::vl_chunks), index, p.chunks));
            t.credits.push_back(low(image.get(code(config_region::vl_credits), index), 16));
        }
        for (unsigned output = 0; output < p.ports; ++output)
            lanes[std::size_t{port} * p.ports + output] =
                image.wide(code(config_region::sl2vl), hw::format::sl2vl_index(0, port, output, 0));
    }
    t.sl2vl = std::make_shared<const hw::chips::sl_to_vl>(std::move(lanes));
    constexpr std::uint32_t none = 255;
    for (unsigned lid = 0; lid < p.max_lids; ++lid)
        t.lft.push_back(static_cast<std::uint8_t>(image.get(code(config_region::lft), lid, none)));
    for (unsigned group = 0; group < p.max_groups; ++group)
        t.mft.push_back(image.wide(code(config_region::mft), group * 2) & port_mask(p.ports));
    t.doors = doors_of(image, code(config_region::source_ports), p.ports, p.max_sources);
    if (!p.weighted || t.policy != hw::chips::vl_policy::weighted) return t;
    for (unsigned port = 0; port < p.ports; ++port) {
        hw::chips::vl_weights& weights = t.weights.emplace_back();
        weights.high_limit = static_cast<std::uint8_t>(image.get(code(config_region::vl_high_limit), port));
        for (unsigned entry = 0; entry < weights.high.size(); ++entry)
            for (unsigned which = 0; which < 2; ++which) {
                const std::uint32_t word =
                    image.get(code(config_region::vl_arbitration), hw::format::vl_entry_index(0, port, which, entry));
                (which == 0 ? weights.high : weights.low)[entry] = {static_cast<std::uint8_t>(word & 0xf),
                                                                    static_cast<std::uint8_t>(word >> 4)};
            }
    }
    return t;
}

}  // namespace polycast::tlm::dpi
