// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/event/event_switch.h"

#include <algorithm>
#include <string>

#include "hw/chips/port_set.h"
#include "hw/format/header.h"
#include "hw/input_error.h"

namespace polycast::hw::chips {

namespace {

void require(bool holds, const std::string& message) {
    if (!holds) throw input_error("event switch: " + message);
}

std::uint64_t all_ports(unsigned ports) {
    return ports == engine::max_ports ? ~std::uint64_t{0} : bit(ports) - 1;
}

/// The first bytes of the packet, where its header lies.
const std::vector<std::uint8_t>& header_of(const engine::packet_bytes& bytes, bool free) {
    return free ? bytes.header : bytes.flits;
}

}  // namespace

event_switch::event_switch(const event_switch_params& params)
    : params_(params), shape_(params.pin_shape()), outputs_(params.ports), random_(params.seed) {
    require(params_.ports >= 2 && params_.ports <= engine::max_ports,
            "it has 2.." + std::to_string(engine::max_ports) + " ports, not " + std::to_string(params_.ports));
    require(params_.flit_bytes >= 1 && params_.flit_bytes <= 64,
            "a flit has 1..64 bytes, not " + std::to_string(params_.flit_bytes));
    require(params_.delay >= 1, "a packet takes at least a cycle from input to output");
    require(params_.cycles_per_flit.size() <= params_.ports, "there are more rates than ports");
    for (const auto& rate : params_.cycles_per_flit)
        require(rate > 0, "a flit takes more than no time on a link, not " + std::to_string(rate.numerator()) + "/" +
                              std::to_string(rate.denominator()) + " cycles");
    for (std::size_t host = 0; host < params_.routes.size(); ++host)
        require((params_.routes[host] & ~all_ports(params_.ports)) == 0,
                "the route to host " + std::to_string(host) + " has ports that do not exist");
}

void event_switch::reset() {
    outputs_.assign(params_.ports, {});
    starts_ = {};
    first_input_ = 0;
    random_ = traffic::random_stream(params_.seed);
}

engine::cycle event_switch::cycles_on(unsigned port, std::uint32_t flits) const {
    if (port >= params_.cycles_per_flit.size()) return flits;
    const boost::rational<std::int64_t> cycles = params_.cycles_per_flit[port] * std::int64_t{flits};
    return std::max<engine::cycle>(
        1, static_cast<engine::cycle>((cycles.numerator() + cycles.denominator() - 1) / cycles.denominator()));
}

unsigned event_switch::choose(std::uint64_t candidates, engine::cycle from) {
    if (params_.select == format::route_select::lowest || std::has_single_bit(candidates)) return lowest(candidates);
    if (params_.select == format::route_select::least_loaded) {
        // Those that are free when the packet can begin are alike.
        const auto free = [&](std::uint64_t set) { return std::max(outputs_[lowest(set)].free, from); };
        engine::cycle soonest = engine::never;
        for (std::uint64_t set = candidates; set != 0; set &= set - 1) soonest = std::min(soonest, free(set));
        for (std::uint64_t set = candidates; set != 0; set &= set - 1)
            if (free(set) != soonest) candidates &= ~bit(lowest(set));
    }
    // The high half of a product is a number below the count, each as often as any other to 2^-58.
    const auto count = static_cast<unsigned>(std::popcount(candidates));
    for (auto skip = static_cast<unsigned>((random_() >> 32) * count >> 32); skip != 0; --skip)
        candidates &= candidates - 1;
    return lowest(candidates);
}

void event_switch::arrive(engine::cycle now, unsigned input, const engine::whole_packet& packet, engine::pins& out) {
    const std::vector<std::uint8_t>& header = header_of(*packet.bytes, params_.header_bytes != 0);
    const auto drop = [&](format::chip_error why) {
        out.error |= bit(input);
        out.errors[input] |= static_cast<std::uint16_t>(why);
    };
    if (header.size() < format::unicast_header_bytes) return drop(format::chip_error::short_header);
    if (format::read_common(header.data()).kind != format::packet_kind::unicast)
        return drop(format::chip_error::bad_kind);
    const std::uint32_t host = format::destination_of(header.data());
    const std::uint64_t candidates = host < params_.routes.size() ? params_.routes[host] : 0;
    if (candidates == 0) return drop(format::chip_error::no_route);

    const unsigned port = choose(candidates, now + params_.delay);
    output_state& output = outputs_[port];
    const engine::cycle cycles = cycles_on(port, packet.flits);
    // A fast link behind a slow one begins so late that the tail is there in time.
    const engine::cycle alone = now + params_.delay + std::max<engine::cycle>(packet.cycles, cycles) - cycles;
    const engine::cycle start = std::max(alone, output.free);
    output.free = start + cycles;
    output.queue.push_back({start, {packet.flits, static_cast<std::uint32_t>(cycles), packet.bytes}});
    if (output.queue.size() == 1) starts_.push({start, port});

    event_output_statistics& counts = output.statistics;
    ++counts.packets;
    counts.flits += packet.flits;
    counts.busy += cycles;
    counts.waited += start - alone;
    counts.waited_max = std::max(counts.waited_max, start - alone);
    counts.queued_max = std::max(counts.queued_max, output.queue.size());
}

engine::cycle event_switch::step(engine::cycle now, const engine::pins& in, engine::pins& out) {
    if (in.packet != 0) {
        std::uint64_t left = in.packet;
        while (left != 0) {
            const unsigned input = first_from(left, first_input_);
            arrive(now, input, in.packets[input], out);
            left &= ~bit(input);
        }
        if (!std::has_single_bit(in.packet)) first_input_ = (first_input_ + 1) % params_.ports;
    }
    while (!starts_.empty() && starts_.top().when <= now + 1) {
        const unsigned port = starts_.top().port;
        starts_.pop();
        output_state& output = outputs_[port];
        out.packet |= bit(port);
        out.packets[port] = std::move(output.queue.front().packet);
        output.queue.pop_front();
        if (!output.queue.empty()) starts_.push({output.queue.front().start, port});
    }
    return starts_.empty() ? engine::never : starts_.top().when - 1;
}

}  // namespace polycast::hw::chips
