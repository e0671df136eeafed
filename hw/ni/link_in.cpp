// SPDX-License-Identifier: Apache-2.0
#include "hw/ni/link_in.h"

#include <algorithm>
#include <utility>

namespace polycast::hw::ni {

void link_in::receive(cycle now, const engine::pins& in, unsigned port) {
    const bool head = (in.head >> port & 1) != 0;
    // A head inside a packet ends that packet: its tail is not going to come.
    const bool tail = (in.tail >> port & 1) != 0;
    if (arriving_ && head) end(now, last());
    if (head) dropping_ = false;
    if (!arriving_ && !dropping_) begin(now, in, port, head);
    if (dropping_) {
        dropping_ = !tail;
        return;
    }
    arrival& packet = last();
    store(packet, in, port);
    if (tail) end(now, packet);
}

void link_in::begin(cycle now, const engine::pins& in, unsigned port, bool head) {
    // Packets keep their order: none passes those that wait.
    if (waiting_.empty()) slot_ = memory_.take(slot_side::receive, now);
    if (!waiting_.empty() || slot_ == packet_memory::none) {
        if (held_ >= params_.credits) {
            dropping_ = true;
            events_.raise(ni_error::packet_cut);
            return;
        }
        waiting_.emplace_back();
    }
    arriving_ = true;
    arrival& packet = last();
    packet.flits = 0;
    packet.chunks = 0;
    packet.headless = !head;
    packet.lost = packet.ended = false;
    packet.began = now;
    packet.packet.flits.clear();
    packet.packet.header.clear();
    if (head) {
        const auto pins = in.header.begin() + std::ptrdiff_t{port} * params_.header_bytes;
        packet.packet.header.assign(pins, pins + params_.header_bytes);
    }
}

void link_in::store(arrival& packet, const engine::pins& in, unsigned port) {
    const bool waits = !waiting_.empty();
    const bool first_of_chunk = packet.flits % params_.chunk_flits == 0;
    ++packet.flits;
    if (first_of_chunk) {
        if (waits && held_ >= params_.credits) packet.lost = true;
        ++held_;
    }
    if (!packet.lost && packet.packet.flits.size() < longest_) {
        const auto data = in.data.begin() + std::ptrdiff_t{port} * params_.flit_bytes;
        packet.packet.flits.insert(packet.packet.flits.end(), data, data + params_.flit_bytes);
    }
    if (packet.flits % params_.chunk_flits != 0) return;
    if (waits) {
        ++packet.chunks;
    } else {
        --held_;
        ++owed_;
    }
}

/// The packet has no more flits to come: its last chunk is given back, and it becomes an event if it has a slot.
void link_in::end(cycle now, arrival& packet) {
    arriving_ = false;
    ++packets_;
    packet.ended = true;
    const bool partial = packet.flits % params_.chunk_flits != 0;
    received_packet view;
    const std::uint32_t status = parse_packet(params_, packet, view);
    if (watcher_ != nullptr) {
        watcher_->arrived(now, view);
        if (watcher_->wants_spans()) {
            span_record span{.host = params_.host, .where = resource::link_in, .begin = packet.began, .end = now + 1};
            if (!view.header.empty()) span.what = view.header[0] & 0xf;
            if (view.header.size() >= format::common_header_bytes)
                span.source = format::read_common(view.header.data()).source;
            span.message = view.transport.message;
            span.offset = view.transport.offset;
            watcher_->used(span);
        }
    }
    if ((status & static_cast<std::uint32_t>(packet_status::cut)) != 0) events_.raise(ni_error::packet_cut);
    if (!waiting_.empty()) {
        if (partial) ++packet.chunks;
        return;
    }
    if (partial) {
        --held_;
        ++owed_;
    }
    deliver(now, view, status, std::exchange(slot_, packet_memory::none));
}

void link_in::deliver(cycle now, const received_packet& packet, std::uint32_t status, std::uint32_t slot) {
    fill_slot(params_, packet, status, memory_.bytes(slot));
    memory_.arrived(slot, now);
    // Nobody would ever free a slot that no event tells of.
    if (!events_.push(event_kind::packet, slot)) memory_.release(slot, now);
}

void link_in::slot_freed(cycle now) {
    while (!waiting_.empty()) {
        const std::uint32_t slot = memory_.take(slot_side::receive, now);
        if (slot == packet_memory::none) return;
        arrival packet = std::move(waiting_.front());
        waiting_.pop_front();
        owed_ += packet.chunks;
        held_ -= packet.chunks;
        packet.chunks = 0;
        if (packet.ended) {
            received_packet view;
            const std::uint32_t status = parse_packet(params_, packet, view);
            deliver(now, view, status, slot);
        } else {
            slot_ = slot;
            current_ = std::move(packet);
        }
    }
}

void link_in::reset() {
    waiting_.clear();
    arriving_ = dropping_ = false;
    slot_ = packet_memory::none;
    held_ = owed_ = 0;
}

std::size_t link_in::memory_bytes() const {
    // A deque holds a block of 512 bytes and its map even while it is empty.
    std::size_t sum = 576 + current_.packet.flits.capacity() + current_.packet.header.capacity();
    for (const arrival& packet : waiting_)
        sum += sizeof(arrival) + packet.packet.flits.capacity() + packet.packet.header.capacity();
    return sum;
}

}  // namespace polycast::hw::ni
