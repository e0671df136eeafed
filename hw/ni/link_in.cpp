// SPDX-License-Identifier: Apache-2.0
#include "hw/ni/link_in.h"

#include <algorithm>
#include <utility>

namespace polycast::hw::ni {

std::optional<unsigned> link_in::take_credit() {
    if (owed_ == 0) return std::nullopt;
    while (channels_[pointer_].owed == 0) pointer_ = (pointer_ + 1) % params_.vcs;
    const unsigned vc = pointer_;
    pointer_ = (pointer_ + 1) % params_.vcs;
    --channels_[vc].owed;
    --owed_;
    return vc;
}

bool link_in::idle() const {
    return std::ranges::none_of(channels_, [](const channel& one) { return one.arriving || !one.waiting.empty(); });
}

void link_in::receive(cycle now, const engine::pins& in, unsigned port) {
    const unsigned vc = params_.vcs > 1 ? in.vc[port] : 0;
    if (vc >= params_.vcs) return events_.raise(ni_error::packet_cut);
    channel& where = channels_[vc];
    const bool head = (in.head >> port & 1) != 0;
    // A head inside a packet ends that packet: its tail is not going to come.
    const bool tail = (in.tail >> port & 1) != 0;
    if ((draining_ || where.drained) && drop(where, head, tail)) return;
    if (where.arriving && head) end(now, where);
    if (head) where.dropping = false;
    if (!where.arriving && !where.dropping) {
        begin(now, where, head);
        if (head && !where.dropping) {
            const auto pins = in.header.begin() + std::ptrdiff_t{port} * params_.header_bytes;
            where.last().packet.header.assign(pins, pins + params_.header_bytes);
        }
    }
    if (where.dropping) {
        where.dropping = !tail;
        return;
    }
    store(where, in, port);
    if (tail) end(now, where);
}

void link_in::drain() {
    draining_ = true;
    tail_ = engine::never;
    for (channel& each : channels_) {
        // Full chunks of a packet with a slot have gone back already.
        const std::uint64_t partial = each.arriving ? each.last().flits % params_.chunk_flits : std::uint64_t{0};
        if (each.arriving) each.drained = static_cast<std::uint32_t>(partial);
        give_back(each, each.held - (partial != 0 ? 1 : 0));
        each.held = 0;
        each.waiting.clear();
        each.current = {};
        each.slot = packet_memory::none;
        each.arriving = false;
    }
}

/// \returns true if the flit belongs to a packet that is dropped with its credits.
bool link_in::drop(channel& where, bool head, bool tail) {
    if (!head && where.dropping) return false;
    if (head && where.drained) {
        // The tail of the one before is not going to come.
        if (*where.drained != 0) give_credit(where);
        where.drained.reset();
    }
    if (draining_ && !where.drained) where.drained = 0;
    if (!where.drained) return false;
    where.dropping = false;
    *where.drained = (*where.drained + 1) % params_.chunk_flits;
    if (*where.drained == 0 || tail) give_credit(where);
    if (tail) where.drained.reset();
    return true;
}

void link_in::receive_whole(cycle now, const engine::whole_packet& packet) {
    if (draining_) return;
    channel& where = channels_.front();
    begin(now, where, true);
    arrival& current = where.last();
    current.flits = packet.flits;
    if (packet.bytes->flits.size() <= longest_) {
        current.whole = packet.bytes;
    } else {
        current.packet = *packet.bytes;
        current.packet.flits.resize(longest_);
    }
    tail_ = now + packet.cycles - 1;
    end_whole(now);
}

void link_in::end_whole(cycle now) {
    if (now < tail_) return;
    tail_ = engine::never;
    end(now, channels_.front());
}

void link_in::begin(cycle now, channel& where, bool head) {
    // Packets of a virtual channel keep their order: none passes those that wait.
    if (where.waiting.empty()) where.slot = memory_.take(slot_side::receive, now);
    if (!where.waiting.empty() || where.slot == packet_memory::none) {
        if (where.held >= params_.credits) {
            where.dropping = true;
            events_.raise(ni_error::packet_cut);
            return;
        }
        where.waiting.emplace_back();
    }
    where.arriving = true;
    arrival& packet = where.last();
    packet.flits = 0;
    packet.chunks = 0;
    packet.headless = !head;
    packet.lost = packet.ended = false;
    packet.began = now;
    packet.whole.reset();
    packet.packet.flits.clear();
    packet.packet.header.clear();
}

void link_in::store(channel& where, const engine::pins& in, unsigned port) {
    arrival& packet = where.last();
    const bool waits = !where.waiting.empty();
    const bool first_of_chunk = packet.flits % params_.chunk_flits == 0;
    ++packet.flits;
    if (first_of_chunk) {
        if (waits && where.held >= params_.credits) packet.lost = true;
        ++where.held;
    }
    if (!packet.lost && packet.packet.flits.size() < longest_) {
        const auto data = in.data.begin() + std::ptrdiff_t{port} * params_.flit_bytes;
        packet.packet.flits.insert(packet.packet.flits.end(), data, data + params_.flit_bytes);
    }
    if (packet.flits % params_.chunk_flits != 0) return;
    if (waits) {
        ++packet.chunks;
    } else {
        give_back(where, 1);
    }
}

void link_in::give_back(channel& where, std::uint64_t chunks) {
    where.held -= chunks;
    give_credit(where, chunks);
}

void link_in::give_credit(channel& where, std::uint64_t chunks) {
    where.owed += chunks;
    owed_ += chunks;
}

/// The host's number in place of the address that led here; the check word does not cover it.
void link_in::restore_destination(arrival& packet) const {
    std::vector<std::uint8_t>& first = params_.header_bytes != 0 ? packet.packet.header : packet.packet.flits;
    if (params_.paths.paths() == 1 || packet.headless || first.size() < format::unicast_header_bytes) return;
    const std::uint32_t host = params_.paths.host_of(format::destination_of(first.data()));
    format::write_field<format::destination_field>(first.data(), host);
}

/// The last packet gets no more flits: its last chunk is returned, and it becomes an event if it has a slot.
void link_in::end(cycle now, channel& where) {
    arrival& packet = where.last();
    where.arriving = false;
    ++packets_;
    packet.ended = true;
    restore_destination(packet);
    const bool partial = !params_.whole_packets && packet.flits % params_.chunk_flits != 0;
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
    if (!where.waiting.empty()) {
        if (partial) ++packet.chunks;
        return;
    }
    if (partial) give_back(where, 1);
    deliver(now, view, status, std::exchange(where.slot, packet_memory::none));
    packet.whole.reset();
}

/// A packet for a process of another job. Groups are those of the process whose number the packet's source has. For
/// whom a control packet is, firmware knows.
bool link_in::refused(std::uint32_t slot, const format::transport_header& transport) {
    if (transport.op == format::transport_op::control) return false;
    const unsigned process = transport.group == format::no_group ? transport.process : transport.source_process;
    if (!pages_.other_job(process, memory_.job(slot))) return false;
    pages_.refuse_job(process);
    return true;
}

void link_in::deliver(cycle now, const received_packet& packet, std::uint32_t status, std::uint32_t slot) {
    fill_slot(params_, packet, status, memory_.bytes(slot));
    const std::uint32_t start = slot * memory_.slot_bytes();
    memory_.writes(now, start, 4 * slot_header_words);
    memory_.writes(now, start + slot_header_bytes,
                   static_cast<std::uint32_t>(std::min<std::size_t>(packet.payload.size(), params_.payload_bytes)));
    memory_.arrived(slot, now);
    if (params_.jobs) {
        memory_.stamp(slot, packet.job.empty() ? 0 : get_bytes(packet.job.data(), format::job_bytes));
        if (status == 0 && refused(slot, packet.transport)) {
            memory_.release(slot, now);
            return;
        }
    }
    // To whom the message of a group goes, firmware knows.
    if (status == 0 && packet.transport.group == format::no_group) memory_.belongs(slot, packet.transport.process);
    // A slot without an event would never be freed.
    if (!events_.push(event_kind::packet, slot)) memory_.release(slot, now);
}

/// The channel whose first packet without a slot began first; null: none waits.
link_in::channel* link_in::longest_waiting() {
    channel* found = nullptr;
    for (channel& each : channels_) {
        if (each.waiting.empty()) continue;
        if (found == nullptr || each.waiting.front().began < found->waiting.front().began) found = &each;
    }
    return found;
}

void link_in::slot_freed(cycle now) {
    while (channel* const where = longest_waiting()) {
        const std::uint32_t slot = memory_.take(slot_side::receive, now);
        if (slot == packet_memory::none) return;
        arrival packet = std::move(where->waiting.front());
        where->waiting.pop_front();
        give_back(*where, std::exchange(packet.chunks, 0));
        if (packet.ended) {
            received_packet view;
            const std::uint32_t status = parse_packet(params_, packet, view);
            deliver(now, view, status, slot);
        } else {
            where->slot = slot;
            where->current = std::move(packet);
        }
    }
}

void link_in::reset() {
    channels_.assign(params_.vcs, {});
    owed_ = pointer_ = 0;
    tail_ = engine::never;
    draining_ = false;
}

std::size_t link_in::memory_bytes() const {
    std::size_t sum = 0;
    for (const channel& each : channels_) {
        // A deque holds a block of 512 bytes and its map even while it is empty.
        sum += sizeof(channel) + 576 + each.current.packet.flits.capacity() + each.current.packet.header.capacity();
        for (const arrival& packet : each.waiting)
            sum += sizeof(arrival) + packet.packet.flits.capacity() + packet.packet.header.capacity();
    }
    return sum;
}

}  // namespace polycast::hw::ni
