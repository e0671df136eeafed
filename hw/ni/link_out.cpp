// SPDX-License-Identifier: Apache-2.0
#include "hw/ni/link_out.h"

#include <algorithm>
#include <utility>

#include "hw/chips/port_set.h"
#include "hw/format/crc32c.h"

namespace polycast::hw::ni {

bool link_out::push(push_request&& request) {
    if (space() == 0) {
        events_.raise(ni_error::link_full);
        wanted_ = true;
        return false;
    }
    if (!sendable(params_, memory_.bytes(request.slot), request)) {
        events_.raise(ni_error::bad_packet);
        return false;
    }
    queue_.push(std::move(request));
    return true;
}

void link_out::transmit_whole(cycle when, engine::pins& out, unsigned port) {
    if (!sending_) {
        if (queue_.empty() || !next_packet(when)) return;
        engine::whole_packet& packet = out.packets[port];
        packet.flits = packet.cycles = static_cast<std::uint32_t>(packet_.flits.size() / params_.flit_bytes);
        packet.bytes = std::make_shared<const link_packet>(std::move(packet_));
        out.packet |= std::uint64_t{1} << port;
        begun_ = when;
        tail_ = when + packet.cycles - 1;
        busy_ += packet.cycles;
    }
    if (when >= tail_) finish(when);
}

void link_out::transmit(cycle when, engine::pins& out, unsigned port) {
    if (params_.whole_packets) return transmit_whole(when, out, port);
    if (!sending()) return;
    if (!sending_ && !next_packet(when)) return;
    if (new_chunk()) --credits_[vc_];
    const std::uint64_t bit = std::uint64_t{1} << port;
    out.valid |= bit;
    if (params_.vcs > 1) out.vc[port] = static_cast<std::uint8_t>(vc_);
    if (flit_ == 0) {
        begun_ = when;
        out.head |= bit;
        std::ranges::copy(packet_.header, out.header.begin() + std::ptrdiff_t{port} * params_.header_bytes);
    }
    const std::size_t next_byte = std::size_t{flit_} * params_.flit_bytes;
    std::copy_n(packet_.flits.begin() + static_cast<std::ptrdiff_t>(next_byte), params_.flit_bytes,
                out.data.begin() + std::ptrdiff_t{port} * params_.flit_bytes);
    ++flit_;
    ++busy_;
    if (next_byte + params_.flit_bytes == packet_.flits.size()) {
        out.tail |= bit;
        finish(when);
    }
}

/// Virtual channels on which the first packet of the queue may begin now.
unsigned link_out::able_vcs() const {
    const unsigned first = memory_.word(queue_.front().slot, slot_word::kind);
    const unsigned allowed =
        params_.lids ? lanes(queue_.front()) : params_.class_vcs[first >> format::vc_class_field.offset & 7];
    unsigned able = 0;
    for (unsigned vc = 0; vc < params_.vcs; ++vc)
        if (credits_[vc] >= params_.reserve) able |= 1u << vc;
    return able & allowed;
}

/// At VL switches: the lane of its service level. What cannot be sent at all may begin anywhere.
unsigned link_out::lanes(const push_request& request) const {
    const bool unicast = request.kind == format::packet_kind::unicast;
    if (unicast ? request.destination >= params_.hosts : request.route.size() != lid_paths::route_bytes) return ~0u;
    const unsigned sl = unicast ? params_.lids->to(request.destination, params_.host).sl : request.route.back() & 0xfu;
    return 1u << params_.lids->lane(params_.host, sl);
}

/// Begins the next packet of the queue. \returns false if none can begin.
bool link_out::next_packet(cycle when) {
    while (!queue_.empty()) {
        const unsigned able = able_vcs();
        if (able == 0) return false;
        current_ = std::move(queue_.front());
        queue_.pop();
        if (std::exchange(wanted_, false)) events_.push(event_kind::link_ready, 0);
        // Firmware may have written into the slot, or given it away, since the push.
        const bool sent = memory_.in_use(current_.slot) && sendable(params_, memory_.bytes(current_.slot), current_);
        if (sent && read(current_.slot, when)) {
            build_packet(params_, memory_.bytes(current_.slot), current_, packet_);
            sending_ = true;
            flit_ = 0;
            vc_ = chips::first_from(able, pointer_);
            pointer_ = vc_ + 1 == params_.vcs ? 0 : vc_ + 1;
            tell(when);
            return true;
        }
        if (!sent) events_.raise(ni_error::bad_packet);
        release(when);
    }
    return false;
}

/// All of a slot's packet. \returns false if its code finds it wrong
bool link_out::read(std::uint32_t slot, cycle when) {
    const std::uint32_t start = slot * memory_.slot_bytes();
    return memory_.reads(when, start, 4 * slot_header_words) &&
           memory_.reads(when, start + slot_header_bytes, memory_.word(slot, slot_word::kind) >> 16);
}

void link_out::tell(cycle when) const {
    if (watcher_ == nullptr) return;
    const bool reliable =
        (memory_.word(current_.slot, slot_word::processes) >> format::transport_reliable_field.offset & 1) != 0;
    if (current_.kind != format::packet_kind::unicast && !reliable) return;
    watcher_->departed(
        when, {.host = params_.host,
               .vc = vc_,
               .vc_class = static_cast<std::uint8_t>(
                   memory_.word(current_.slot, slot_word::kind) >> format::vc_class_field.offset & 7),
               .destination = current_.destination,
               .source = memory_.word(current_.slot, slot_word::source),
               .message = memory_.word(current_.slot, slot_word::message),
               .offset = memory_.word(current_.slot, slot_word::offset),
               .tag = memory_.word(current_.slot, slot_word::tag),
               .kind = current_.kind,
               .reliable = reliable,
               .group = static_cast<std::uint16_t>(memory_.word(current_.slot, slot_word::group)),
               .hops = current_.hops,
               .source_process = static_cast<std::uint8_t>(memory_.word(current_.slot, slot_word::processes) >> 16),
               .job = current_.job,
               .route = current_.route.empty() ? 0 : format::crc32c(current_.route, {})});
}

void link_out::finish(cycle when) {
    sending_ = false;
    ++packets_;
    if (std::exchange(abandoned_, false)) return;
    if (watcher_ != nullptr && watcher_->wants_spans()) {
        span_record span{.host = params_.host, .where = resource::link_out, .begin = begun_, .end = when + 1};
        span.what = static_cast<std::uint8_t>(memory_.word(current_.slot, slot_word::kind) & 0xf);
        span.source = memory_.word(current_.slot, slot_word::source);
        span.message = memory_.word(current_.slot, slot_word::message);
        span.offset = memory_.word(current_.slot, slot_word::offset);
        watcher_->used(span);
    }
    release(when);
}

void link_out::release(cycle when) {
    if (!memory_.release(current_.slot, when)) events_.raise(ni_error::bad_slot);
}

void link_out::count(ni_statistics& statistics) const {
    statistics.packets_out = packets_;
    statistics.link_busy = busy_;
}

void link_out::reset() {
    queue_.clear();
    sending_ = wanted_ = abandoned_ = false;
    credits_.assign(params_.vcs, params_.credits);
    vc_ = pointer_ = 0;
}

void link_out::abandon() {
    queue_.clear();
    wanted_ = false;
    abandoned_ = sending_;
}

std::size_t link_out::memory_bytes() const {
    return queue_.memory_bytes() + credits_.capacity() * sizeof(unsigned) + packet_.flits.capacity() +
           packet_.header.capacity() + current_.route.capacity();
}

}  // namespace polycast::hw::ni
