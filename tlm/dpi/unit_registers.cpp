// SPDX-License-Identifier: Apache-2.0
// Registers of coding unit, broadcast router and link end.
#include <algorithm>

#include "hw/format/config_words.h"
#include "hw/format/packet_format.h"
#include "tlm/dpi/chip_registers.h"

namespace polycast::tlm::dpi {

namespace {

constexpr std::uint8_t code(auto value) {
    return static_cast<std::uint8_t>(value);
}
constexpr std::uint32_t low(std::uint32_t value, unsigned bits) {
    return value & ((1u << bits) - 1);
}

}  // namespace

std::vector<register_table> register_map_of(const hw::chips::coding_params& p) {
    using hw::format::coding_global;
    using hw::format::coding_region;
    const auto global = [](std::string_view name, coding_global which) {
        return register_table{name, code(coding_region::global), code(which)};
    };
    return {
        global("number", coding_global::number),
        global("latency", coding_global::latency),
        global("patience", coding_global::patience),
        global("credits", coding_global::credits),
        global("reserve", coding_global::reserve),
        global("packet_limit", coding_global::packet_limit),
        {"vc_set", code(coding_region::vc_set), 0, {{8, 0}}},
        {"destination", code(coding_region::destination), 0, {{p.destinations, 0}}},
        {"context",
         code(coding_region::context),
         0,
         {{p.contexts, 4},
          {12,
           0,
           {"mode", "count", "first_destination", "destination_count", "op", "process", "source_process", "lane",
            "group", "message", "tag", "vc_class"}}}},
    };
}

hw::chips::coding_registers tables_of(const hw::chips::coding_params& p, const register_image& image) {
    using hw::format::coding_global;
    using hw::format::coding_region;
    using hw::format::coding_register;
    hw::chips::coding_registers r;
    const auto global = [&](coding_global which, std::uint32_t otherwise) {
        return image.get(code(coding_region::global), code(which), otherwise);
    };
    r.number = low(global(coding_global::number, 0), 24);
    r.latency = low(global(coding_global::latency, r.latency), 7);
    r.patience = global(coding_global::patience, 0);
    r.credits = low(global(coding_global::credits, r.credits), 16);
    r.reserve = low(global(coding_global::reserve, r.reserve), 16);
    r.packet_limit = low(global(coding_global::packet_limit, r.packet_limit), 16);
    for (unsigned vc_class = 0; vc_class < r.vc_sets.size(); ++vc_class)
        r.vc_sets[vc_class] =
            static_cast<hw::chips::vc_set>(low(image.get(code(coding_region::vc_set), vc_class), p.vcs));
    for (unsigned entry = 0; entry < p.destinations; ++entry)
        r.destinations.push_back(low(image.get(code(coding_region::destination), entry), 24));
    for (unsigned number = 0; number < p.contexts; ++number) {
        const auto get = [&](coding_register which, std::uint32_t otherwise = 0) {
            return image.get(code(coding_region::context), hw::format::context_index(number, code(which)), otherwise);
        };
        hw::chips::coding_context& c = r.contexts.emplace_back();
        c.mode = static_cast<hw::chips::coding_mode>(low(get(coding_register::mode), 2));
        c.count = static_cast<std::uint16_t>(get(coding_register::count));
        c.first_destination = static_cast<std::uint16_t>(get(coding_register::first_destination));
        c.destination_count = static_cast<std::uint16_t>(get(coding_register::destination_count));
        c.op = static_cast<hw::format::transport_op>(low(get(coding_register::op), 4));
        c.process = static_cast<std::uint8_t>(get(coding_register::process));
        c.source_process = static_cast<std::uint8_t>(get(coding_register::source_process));
        c.lane = static_cast<std::uint8_t>(get(coding_register::lane));
        c.group = static_cast<std::uint16_t>(get(coding_register::group, hw::format::no_group));
        c.message = get(coding_register::message);
        c.tag = get(coding_register::tag);
        c.vc_class = static_cast<std::uint8_t>(low(get(coding_register::vc_class), 3));
    }
    return r;
}

std::vector<register_table> register_map_of(const hw::chips::broadcast_params& p) {
    using hw::format::broadcast_register;
    using hw::format::config_region;
    std::vector<register_table> map = register_map_of(p.router);
    const auto add = [&](std::string_view name, broadcast_register which) {
        map.push_back({name, code(config_region::broadcast), code(which)});
    };
    add("dims", broadcast_register::dims);
    add("algorithm", broadcast_register::algorithm);
    add("maps", broadcast_register::maps);
    add("reverse", broadcast_register::reverse);
    add("relay_reverse", broadcast_register::relay_reverse);
    add("open", broadcast_register::open);
    add("host_credits", broadcast_register::host_credits);
    map.push_back({"neighbour", code(config_region::neighbour), 0, {{p.router.ports, 0}}});
    return map;
}

hw::chips::broadcast_registers tables_of(const hw::chips::broadcast_params& p, const register_image& image) {
    using hw::format::broadcast_register;
    using hw::format::config_region;
    hw::chips::broadcast_registers r;
    r.router = tables_of(p.router, image);
    const auto get = [&](broadcast_register which, std::uint32_t otherwise) {
        return image.get(code(config_region::broadcast), code(which), otherwise);
    };
    r.dims = low(get(broadcast_register::dims, r.dims), p.router.dimensions);
    r.algorithm = static_cast<hw::chips::broadcast_algorithm>(get(broadcast_register::algorithm, 0) & 1);
    r.maps = (get(broadcast_register::maps, 1) & 1) != 0;
    r.reverse = low(get(broadcast_register::reverse, 0), p.router.ports);
    r.relay_reverse = low(get(broadcast_register::relay_reverse, 0), p.router.ports);
    r.open = low(get(broadcast_register::open, 0), p.router.ports);
    r.host_credits = low(get(broadcast_register::host_credits, r.host_credits), 16);
    for (unsigned port = 0; port < p.router.ports; ++port) {
        const unsigned along = port < p.host_port() ? port / 2 : 0;
        const std::uint32_t word = image.get(code(config_region::neighbour), port, hw::format::neighbour(along, 0));
        r.dimension.push_back(low(word >> 16, 2));
        r.there.push_back(low(word, 16));
    }
    return r;
}

std::vector<register_table> register_map_of(const hw::chips::link_end_params& p) {
    using hw::format::link_global;
    using hw::format::link_region;
    const auto global = [](std::string_view name, link_global which) {
        return register_table{name, code(link_region::global), code(which)};
    };
    return {
        global("layer", link_global::layer),
        global("frame", link_global::frame),
        global("window", link_global::window),
        global("window_flits", link_global::window_flits),
        global("replay_timer", link_global::replay_timer),
        global("replay_count", link_global::replay_count),
        global("ack_spacing", link_global::ack_spacing),
        global("credit_spacing", link_global::credit_spacing),
        global("credit_timer", link_global::credit_timer),
        global("signal_timeout", link_global::signal_timeout),
        global("age_timeout", link_global::age_timeout),
        global("lifetime", link_global::lifetime),
        global("init_action", link_global::init_action),
        global("flush_action", link_global::flush_action),
        global("reinit", link_global::reinit),
        global("leave_flush", link_global::leave_flush),
        global("far_unit", link_global::far_unit),
        global("own_unit", link_global::own_unit),
        global("ring", link_global::ring),
        {"far_credits", code(link_region::far_credits), 0, {{p.vcs, 0}}},
        {"own_credits", code(link_region::own_credits), 0, {{p.vcs, 0}}},
    };
}

std::optional<hw::chips::link_config> link_config_of(const hw::chips::link_end_params& p, const register_image& image) {
    using hw::chips::link_action;
    using hw::chips::link_layer;
    using hw::format::link_global;
    using hw::format::link_region;
    const auto get = [&](link_global which) { return image.get(code(link_region::global), code(which)); };
    if (get(link_global::layer) == 0) return std::nullopt;
    hw::chips::link_config c;
    const auto given = [&](link_global which, std::uint64_t& value) {
        if (image.has(code(link_region::global), code(which))) value = get(which);
    };
    const auto small = [&](link_global which, unsigned& value, unsigned bits) {
        if (image.has(code(link_region::global), code(which))) value = low(get(which), bits);
    };
    const auto action = [&](link_global which, link_action& value) {
        if (image.has(code(link_region::global), code(which)))
            value = (get(which) & 1) != 0 ? link_action::discard : link_action::block;
    };
    c.layer = (get(link_global::layer) & 2) != 0 ? link_layer::retry : link_layer::check;
    c.beside = p.beside;
    c.flit_bytes = p.flit_bytes;
    c.header_bytes = p.header_bytes;
    c.vcs = p.vcs;
    c.sequence_bits = p.sequence_bits;
    c.protect_rings = static_cast<hw::format::protection>(p.protect_rings);
    c.protect_counters = static_cast<hw::format::protection>(p.protect_counters);
    given(link_global::frame, c.frame);
    given(link_global::window, c.window);
    if (image.has(code(link_region::global), code(link_global::window_flits)))
        c.window_bytes = std::uint64_t{get(link_global::window_flits)} * p.flit_bytes;
    given(link_global::replay_timer, c.replay_timer);
    small(link_global::replay_count, c.replay_count, 8);
    given(link_global::ack_spacing, c.ack_spacing);
    given(link_global::credit_spacing, c.credit_spacing);
    given(link_global::credit_timer, c.credit_timer);
    given(link_global::signal_timeout, c.signal_timeout);
    given(link_global::age_timeout, c.age_timeout);
    given(link_global::lifetime, c.lifetime);
    action(link_global::init_action, c.init_action);
    action(link_global::flush_action, c.flush_action);
    if (image.has(code(link_region::global), code(link_global::reinit))) c.reinit = (get(link_global::reinit) & 1) != 0;
    small(link_global::far_unit, c.far.unit_flits, 16);
    small(link_global::own_unit, c.own.unit_flits, 16);
    for (unsigned vc = 0; vc < p.vcs; ++vc) {
        c.far.credits[vc] = image.get(code(link_region::far_credits), vc) & hw::chips::credit_mask;
        c.own.credits[vc] = image.get(code(link_region::own_credits), vc) & hw::chips::credit_mask;
    }
    return checked(c);
}

}  // namespace polycast::tlm::dpi
