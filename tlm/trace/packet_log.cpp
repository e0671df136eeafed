// SPDX-License-Identifier: Apache-2.0
#include "tlm/trace/packet_log.h"

#include <algorithm>
#include <bit>
#include <span>

namespace polycast::tlm::trace {

namespace engine = hw::engine;
using engine::cycle;

namespace {

/// By chip, then port: at most one flit passes a port in a cycle.
std::uint64_t order_of(engine::chip_id id, unsigned port) {
    return std::uint64_t{id} << 8 | port;
}

}  // namespace

packet_log::packet_log(const std::vector<engine::pin_shape>& shapes, const hw::format::header_shape& headers,
                       const log_window& window, packet_store& store)
    : window_(window), store_(store) {
    chips_.reserve(shapes.size());
    for (const engine::pin_shape& shape : shapes)
        chips_.push_back(
            {shape, std::vector<lane>(std::size_t{shape.ports} * shape.vcs, lane{packet_tracker(headers)})});
}

void packet_log::stepped(engine::chip_id id, cycle now, const engine::pins& /*in*/, const engine::pins& out,
                         const engine::chip& /*chip*/) {
    if (now != now_) finish();
    now_ = now;
    for (std::uint64_t set = out.valid; set != 0; set &= set - 1)
        flit(id, static_cast<unsigned>(std::countr_zero(set)), now + 1, out);
    for (std::uint64_t set = out.packet; set != 0; set &= set - 1) {
        const auto port = static_cast<unsigned>(std::countr_zero(set));
        whole(id, port, now + 1, out.packets[port]);
    }
}

void packet_log::flit(engine::chip_id id, unsigned port, cycle when, const engine::pins& out) {
    chip_lanes& chip = chips_[id];
    const engine::pin_shape& shape = chip.shape;
    const unsigned vc = shape.vcs > 1 ? out.vc[port] : 0;
    if (vc >= shape.vcs) return;  // a fault of the wires: no packet of a channel that does not exist
    lane& at = chip.lanes[std::size_t{port} * shape.vcs + vc];
    const bool head = (out.head >> port & 1) != 0;
    const bool tail = (out.tail >> port & 1) != 0;
    if (head) {
        at.head = when;
        at.flits = 0;
        at.complete = false;
    }
    ++at.flits;
    const bool before = at.complete;
    if (!before) {
        const std::span<const std::uint8_t> data(&out.data[std::size_t{port} * shape.flit_bytes], shape.flit_bytes);
        std::span<const std::uint8_t> header;
        if (head && shape.header_bytes != 0)
            header = {&out.header[std::size_t{port} * shape.header_bytes], shape.header_bytes};
        at.tracker.flit(head, tail, data, header);
        at.complete = at.tracker.complete();
    }
    if (at.complete && (!before || tail))
        happenings_.push_back(
            {order_of(id, port),
             &at,
             !before,
             tail,
             when,
             {unknown, id, static_cast<std::uint8_t>(port), static_cast<std::uint8_t>(vc), at.head, when, at.flits}});
    // What comes behind the tail without a head belongs to no packet, and its lane is read again from the start.
    if (tail) at.complete = false;
}

void packet_log::whole(engine::chip_id id, unsigned port, cycle when, const engine::whole_packet& packet) {
    chip_lanes& chip = chips_[id];
    lane& at = chip.lanes[std::size_t{port} * chip.shape.vcs];
    at.flits = 1;
    at.tracker.flit(true, true, packet.bytes->flits, packet.bytes->header);
    if (!at.tracker.complete()) return;
    happenings_.push_back(
        {order_of(id, port),
         &at,
         true,
         true,
         when,
         {unknown, id, static_cast<std::uint8_t>(port), 0, when, when + packet.cycles - 1, packet.flits}});
}

void packet_log::finish() {
    std::ranges::sort(happenings_, {}, &happening::order);
    for (happening& what : happenings_) {
        if (what.header) what.at->packet = number_of(*what.at);
        what.passed.packet = what.at->packet;
        if (what.header) store_.begun(what.passed, what.when);
        if (what.tail) keep(what.passed);
    }
    happenings_.clear();
}

/// Number of the packet whose header has just passed.
std::uint32_t packet_log::number_of(const lane& at) {
    const hw::format::common_header header = at.tracker.common();
    const std::uint64_t key = std::uint64_t{header.source} << 32 | header.sequence;
    const auto [place, fresh] = numbers_.try_emplace(key, static_cast<std::uint32_t>(numbers_.size()));
    if (fresh) store_.add({place->second, header.source, header.sequence, at.tracker.label(), at.flits});
    return place->second;
}

void packet_log::keep(const passage& passed) {
    if (passed.tail < window_.from || passed.tail >= window_.to) return;
    ++passages_;
    store_.add(passed);
}

}  // namespace polycast::tlm::trace
