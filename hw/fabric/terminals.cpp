// SPDX-License-Identifier: Apache-2.0
#include "hw/fabric/terminals.h"

#include <algorithm>
#include <tuple>

#include "hw/input_error.h"

namespace polycast::hw::fabric {

terminal_statistics& terminal_statistics::operator+=(const terminal_statistics& others) {
    latency += others.latency;
    born += others.born;
    accepted += others.accepted;
    packets += others.packets;
    flits += others.flits;
    last = std::max(last, others.last);
    return *this;
}

terminals::terminals(router_fabric& fabric, engine::cycle from, engine::cycle to, std::size_t part)
    : fabric_(&fabric),
      part_(static_cast<unsigned>(part)),
      first_(fabric.nodes_of(part).first),
      terminals_(fabric.params().terminals()),
      vcs_(fabric.params().router.vcs),
      reserve_(fabric.params().tables.reserve),
      from_(from),
      to_(to),
      class_vcs_(host::class_vcs_of(fabric.params().tables)),
      // Host ports are numbered one by one through all nodes, so that of several the range has gaps.
      sources_(terminals_ - fabric.nodes() + fabric.nodes_of(part).count),
      credits_(sources_.size() * vcs_, static_cast<std::uint16_t>(fabric.params().router.vc_flits)),
      sinks_(sources_.size() * vcs_),
      heard_words_((fabric.nodes() + 63) / 64),
      sending_(first_ + sources_.size()),
      ordered_(fabric.params().tables.policy == chips::vc_policy::keep && terminals_ <= most_ordered) {
    for (source_state& source : sources_) source.vcs = {vcs_, fabric.params().router.vc_flits, reserve_};
    if (ordered_) order_.watch(sources_.size(), terminals_, vcs_);
}

packet_id terminals::create(const send_order& order) {
    if (order.source >= terminals_)
        throw input_error("fabric: there is no terminal " + std::to_string(order.source), "");
    if (order.flits == 0 || order.flits > fabric_->params().tables.packet_limit)
        throw input_error("fabric: a packet of " + std::to_string(order.flits) + " flits",
                          "packets have 1 to packet_limit flits");
    const chips::router_params& router = fabric_->params().router;
    if (reserve_ > router.vc_flits)
        throw input_error("fabric: no buffer takes a whole packet",
                          "a reserve of " + std::to_string(reserve_) + " needs buffers of as many flits");
    packet_pool& packets = fabric_->packets();
    const packet_target target =
        order.broadcast ? fabric_->broadcast_target_of(order.source, order.destination, order.service_class)
                        : fabric_->target_of(order.destination, order.service_class);
    const packet_id id = packets.take(part_);
    packets.target(id) = target;
    if (order.broadcast) {
        heard_.resize(std::max(heard_.size(), packets.end() * heard_words_));
        std::fill_n(heard_.begin() + static_cast<std::ptrdiff_t>(id * heard_words_), heard_words_, 0);
    }
    source_state& source = sources_[at(order.source)];
    packets[id] = {order.source,
                   order.destination,
                   source.born,
                   no_packet,
                   order.birth,
                   order.flits,
                   order.service_class,
                   0,
                   order.broadcast ? fabric_->nodes() - 1 : 1};
    ++source.born;
    if (order.birth >= from_ && order.birth < to_) statistics_.born += order.flits;
    return id;
}

packet_id terminals::queue(const send_order& order) {
    const packet_id id = create(order);
    source_state& source = sources_[at(order.source)];
    if (source.first == no_packet) {
        source.first = id;
    } else {
        fabric_->packets()[source.last].next = id;
    }
    source.last = id;
    sending_.insert(order.source);
    return id;
}

bool terminals::hear(engine::cycle when, std::uint32_t terminal, packet_id id) {
    const packet& what = fabric_->packets()[id];
    const std::uint32_t nodes = fabric_->nodes();
    const std::uint32_t node = terminal % nodes;
    if (node == what.source % nodes || terminal / nodes != what.destination) {
        fault(when, terminal, id, "arrives at terminal " + std::to_string(terminal));
        return false;
    }
    std::uint64_t& word = heard_[id * heard_words_ + node / 64];
    if ((word >> node % 64 & 1) != 0) {
        fault(when, terminal, id, "arrives twice at terminal " + std::to_string(terminal));
        return false;
    }
    word |= chips::bit(node % 64);
    return true;
}

void terminals::finish(engine::cycle when, std::uint32_t terminal, packet_id id, std::uint32_t flits) {
    packet_pool& packets = fabric_->packets();
    packet& what = packets[id];
    if (what.flits == 0) return fault(when, terminal, id, "arrives twice");
    if (packets.target(id).broadcast()) {
        if (!hear(when, terminal, id)) return;
    } else if (what.destination != terminal) {
        fault(when, terminal, id, "arrives at terminal " + std::to_string(terminal));
    }
    if (what.flits != flits) fault(when, terminal, id, "arrives with " + std::to_string(flits) + " flits");
    if (ordered_) check_order(when, id, terminal);
    if (what.birth >= from_ && what.birth < to_) statistics_.latency.add(when - what.birth);
    ++statistics_.packets;
    if (when > statistics_.last) statistics_.last = when;
    if (--what.expected == 0) packets.give_back(id, part_);
}

void terminals::check_order(engine::cycle when, packet_id id, std::uint32_t terminal) {
    const packet& what = fabric_->packets()[id];
    if (!order_.arrived(at(terminal), what.source, what.entry_vc, what.number))
        fault(when, terminal, id, "arrives behind a later one");
}

void terminals::fault(engine::cycle when, std::uint32_t terminal, packet_id id, const std::string& what) {
    faults_.add([&] {
        fault_places_.emplace_back(when, terminal);
        return name(id) + " " + what;
    });
}

std::vector<finding> terminals::placed_faults() const {
    std::vector<finding> all;
    for (std::size_t index = 0; index < fault_places_.size(); ++index)
        all.push_back({fault_places_[index].first, fault_places_[index].second, faults_.first()[index]});
    return all;
}

std::string terminals::name(packet_id id) const {
    const packet& what = fabric_->packets()[id];
    const bool broadcast = fabric_->packets().target(id).broadcast();
    return "packet " + std::to_string(what.number) + " of terminal " + std::to_string(what.source) + " to " +
           (broadcast ? "host port " : "terminal ") + std::to_string(what.destination) +
           (broadcast ? " of all nodes (" : " (") + std::to_string(what.flits) + " flits)";
}

std::vector<std::string> terminals::missing_packets(std::size_t most) const {
    std::vector<std::string> names;
    const packet_pool& packets = fabric_->packets();
    for (packet_id id = packet_pool::first_handle; id < packets.end() && names.size() < most; ++id)
        if (packets[id].flits != 0) names.push_back(name(id));
    return names;
}

std::vector<finding> terminals::oldest_missing(std::size_t most) const {
    const packet_pool& packets = fabric_->packets();
    const auto key = [&](packet_id id) {
        const packet& what = packets[id];
        return std::tuple(what.birth, what.source, what.number);
    };
    std::vector<packet_id> left;
    for (packet_id id = packet_pool::first_handle; id < packets.end(); ++id)
        if (packets[id].flits != 0) left.push_back(id);
    const auto end = left.begin() + static_cast<std::ptrdiff_t>(std::min(most, left.size()));
    std::ranges::partial_sort(left, end, {}, key);
    std::vector<finding> oldest;
    for (auto id = left.begin(); id != end; ++id)
        oldest.push_back(
            {packets[*id].birth, std::uint64_t{packets[*id].source} << 32 | packets[*id].number, name(*id)});
    return oldest;
}

std::size_t terminals::memory_bytes() const {
    return sizeof *this + sources_.capacity() * sizeof(source_state) + credits_.capacity() * sizeof(std::uint16_t) +
           sinks_.capacity() * sizeof(sink_state) + order_.memory_bytes() + heard_.capacity() * sizeof(std::uint64_t) +
           sending_.memory_bytes();
}

}  // namespace polycast::hw::fabric
