// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/router_fabric.h"

#include <algorithm>
#include <bit>
#include <new>
#include <string>

#include "hw/input_error.h"

namespace polycast::hw::fabric {

using chips::router_unit;

namespace {

const fabric_params& checked(const fabric_params& params) {
    check(params);
    return params;
}

}  // namespace

router_fabric::router_fabric(const fabric_params& params, unsigned partitions, bool always,
                             std::shared_ptr<engine::rank_group> ranks)
    : params_(checked(params)),
      rules_(params_.router, params_.tables, params_.broadcasts),
      route_rules_(params_.router, params_.tables),
      hops_(route_rules_),
      trees_(route_rules_),
      terminals_(params_.terminals()),
      link_time_(1 + params_.link_delay),
      crossing_time_(link_time_ + params_.router.xbar_stages),
      sink_time_(crossing_time_ + link_time_),
      packets_(partitions),
      always_(always) {
    const unsigned all = partitions * (ranks ? ranks->size() : 1);
    if (params_.broadcasts && all > 1) throw input_error("fabric: broadcasts in several partitions", "take one");
    if (all < 1 || all > nodes())
        throw input_error("fabric: " + std::to_string(all) + " partitions of " + std::to_string(nodes()) + " nodes",
                          "take 1 to as many as there are nodes");
    for (unsigned number = 0; number < rules_.vc_sets.size(); ++number) {
        const auto& sides = rules_.vc_sets[number];
        if (sides[1] != 0 && (sides[0] != 0 || route_rules_.wrap == 0)) classes_ |= 1u << number;
    }
    constexpr std::size_t line = 64;  // of the cache
    routers_.stride = (rules_.unit_bytes + line - 1) / line * line;
    rules_.set_plane_distance(routers_.stride * nodes());
    memory_bytes_ = rules_.map.planes * routers_.stride * nodes() + line;
    // Zeros that take no memory until they are written to: most buffers are never full.
    memory_.reset(static_cast<std::byte*>(std::calloc(memory_bytes_, 1)));
    if (memory_ == nullptr) throw std::bad_alloc();
    routers_.first = memory_.get() + (line - reinterpret_cast<std::uintptr_t>(memory_.get()) % line) % line;
    const std::size_t slots = std::bit_ceil(std::max(sink_time_, params_.tables.route_delay) + 1);
    partition_nodes_ = (nodes() + all - 1) / all;
    first_partition_ = ranks ? ranks->rank() * partitions : 0;
    if (ranks && ranks->size() > 1) make_border(std::move(ranks), partitions);
    for (unsigned index = 0; index < partitions; ++index) {
        const std::uint32_t first = std::min((first_partition_ + index) * partition_nodes_, nodes());
        const std::uint32_t count = std::min(partition_nodes_, nodes() - first);
        partitions_.emplace_back(first, count, slots, partitions + (border_ ? border_->neighbours() : 0));
        for (std::uint32_t node = first; node < first + count; ++node)
            router_unit(rules_, routers_.of(node), port_credits(params_.router, params_.tables.wrap, node));
    }
}

void router_fabric::make_border(std::shared_ptr<engine::rank_group> ranks, unsigned partitions) {
    border_ = std::make_unique<rank_border>(std::move(ranks), partition_nodes_ * partitions);
    for (std::uint32_t node = 0; node < nodes(); ++node) {
        const std::uint32_t* const neighbours = hops_.neighbours(rules_.ports, node);
        for (unsigned port = 0; port < rules_.first_host_port; ++port) {
            // Where a mesh ends the table goes on at its other end.
            const bool beyond = port % 2 == 0 ? neighbours[port] <= node : neighbours[port] >= node;
            if (!beyond || route_rules_.is_ring(port / 2)) border_->join(node, neighbours[port]);
        }
    }
}

std::string_view router_fabric::rules_name() const {
    std::string_view name;
    chips::with_compiled(rules_, [&](const auto& rules) { name = rules.name(); });
    return name;
}

void router_fabric::require_terminals(std::size_t objects) const {
    if (objects != partitions_.size())
        throw input_error("fabric: " + std::to_string(partitions_.size()) + " partitions have " +
                              std::to_string(objects) + " objects of terminals",
                          "take one for each partition");
}

void router_fabric::refuse(std::uint32_t terminal, unsigned service_class) const {
    if ((classes_ >> service_class & 1) == 0)
        throw input_error("fabric: class " + std::to_string(service_class) + " has no virtual channel",
                          "fill its sets of both sides");
    throw input_error("fabric: there is no terminal " + std::to_string(terminal), "");
}

packet_target router_fabric::broadcast_target_of(std::uint32_t source, unsigned host_port,
                                                 unsigned service_class) const {
    if ((classes_ >> service_class & 1) == 0) refuse(source, service_class);
    if (!params_.broadcasts) throw input_error("fabric: its routers copy no packets", "ask for broadcasts");
    if (source >= terminals_) refuse(source, service_class);
    if (host_port >= params_.host_ports())
        throw input_error("fabric: there is no host port " + std::to_string(host_port), "");
    packet_target target;
    target.to = chips::coordinates_of(source % nodes(), route_rules_.dimensions, route_rules_.radix);
    target.local = chips::route_info(rules_.first_host_port + host_port, service_class, 1);
    target.class_bits = static_cast<std::uint16_t>(chips::route_info(0, service_class, 0) | chips::flit_info::copied);
    return target;
}

std::pair<std::uint16_t, chips::branch_set> router_fabric::route_broadcast(std::uint32_t node,
                                                                           const packet_target& target,
                                                                           unsigned input_vc) const {
    const unsigned input = input_vc / rules_.vcs;
    chips::branch_set branches = trees_.branches(route_rules_.dimensions, node, target.to, input);
    if (input < rules_.first_host_port) {  // from elsewhere
        const unsigned host = target.local & chips::flit_info::output_mask;
        branches.outputs |= 1u << host;
        branches.sides |= 1u << host;
    }
    if ((branches.outputs & (branches.outputs - 1)) != 0) return {target.class_bits, branches};
    const unsigned port = chips::lowest(branches.outputs);
    const unsigned service_class = target.class_bits >> chips::flit_info::class_bit & 7;
    return {chips::route_info(port, service_class, branches.sides >> port & 1), {}};
}

void router_fabric::finish_routes(partition& part) {
    time_slot& slot = part.slot_at(part.now);
    for (const route_event& route : slot.routes) {
        router_unit at(rules_, routers_.of(route.node));
        if ((route.info & chips::flit_info::copied) != 0) {
            const packet_id id = at.tag(route.input_vc, route.slot);
            at.routed(route.input_vc, route.slot, route.info,
                      route_broadcast(route.node, packets_.target(id), route.input_vc).second);
        } else {
            at.routed(route.input_vc, route.slot, route.info);
        }
        if (at.awake()) part.active.insert(route.node);
    }
    slot.routes.clear();
}

mailbox& router_fabric::box_to(partition& from, std::uint32_t node) {
    const std::size_t part = node / partition_nodes_ - first_partition_;
    return from.outbox[from.turn][part < partitions_.size() ? part : partitions_.size() + border_->place_of(node)];
}

common_state router_fabric::agree(const std::vector<engine::cycle>& next,
                                  const std::vector<partition_failure>& failures) {
    const partition_failure& failed = *std::ranges::min_element(failures, {}, &partition_failure::when);
    common_state all{std::ranges::min(next)};
    for (const partition& part : partitions_) all.quiet_from = std::max(all.quiet_from, part.quiet_from);
    if (border_) return border_->agree(all, failed);
    if (failed.what) std::rethrow_exception(failed.what);
    return all;
}

void router_fabric::post(partition& from, engine::cycle when, const flit_event& flit) {
    box_to(from, flit.node).flits.push_back({when, flit});
    from.earliest_mail = std::min(from.earliest_mail, when);
    ++from.flit_hops;
}

void router_fabric::post(partition& from, engine::cycle when, const credit_event& credit) {
    box_to(from, credit.at).credits.push_back({when, credit});
    from.earliest_mail = std::min(from.earliest_mail, when);
}

void router_fabric::collect_mail(partition& part, std::size_t index) {
    for (const partition& other : partitions_) part.collect(other.outbox[part.turn][index]);
}

std::uint64_t router_fabric::flit_hops() const {
    std::uint64_t all = 0;
    for (const partition& part : partitions_) all += part.flit_hops;
    return all;
}

std::uint64_t router_fabric::router_steps() const {
    std::uint64_t all = 0;
    for (const partition& part : partitions_) all += part.router_steps;
    return all;
}

bool router_fabric::idle() const {
    return std::ranges::all_of(partitions_,
                               [](const partition& part) { return part.next_activity() == engine::never; });
}

std::size_t router_fabric::memory_bytes() const {
    std::size_t bytes =
        sizeof *this + hops_.memory_bytes() + trees_.memory_bytes() + packets_.memory_bytes() + memory_bytes_;
    for (const partition& part : partitions_) bytes += part.memory_bytes();
    return bytes;
}

}  // namespace polycast::hw::fabric
