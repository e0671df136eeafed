// SPDX-License-Identifier: Apache-2.0
#include "hw/traffic/host.h"

#include <algorithm>
#include <array>
#include <utility>

#include "hw/format/header.h"
#include "hw/input_error.h"
#include "hw/traffic/random.h"

namespace polycast::hw::traffic {

using engine::cycle;
using format::packet_kind;

host::host(std::uint32_t number, const host_params& params, message_source& source, message_sink& sink)
    : number_(number),
      params_(params),
      shape_{1, params.flit_bytes, params.header_bytes},
      source_(source),
      sink_(sink) {
    if (params_.flit_bytes == 0 || params_.flit_bytes > 64)
        throw input_error("host: a flit has 1..64 bytes, not " + std::to_string(params_.flit_bytes));
    if (params_.chunk_flits == 0) throw input_error("host: a chunk has at least one flit");
    if (params_.credits == 0) throw input_error("host: the switch's buffer has no chunk");
    if (params_.bus_cycles_per_byte < 0) throw input_error("host: the bus cannot take negative time");
    const unsigned least = format::free_header_bytes(params_.hosts);
    if (params_.header_bytes != 0 && params_.header_bytes < least) {
        throw input_error("host: a free header for " + std::to_string(params_.hosts) + " hosts needs " +
                          std::to_string(least) + " bytes");
    }
    credits_ = params_.credits;
    fetch();
}

// The messages of the source are consumed: a reset drops what is under way, and goes on with the next message.
void host::reset() {
    sending_ = {};
    outgoing_ = {};
    events_ = {};
    processor_ = bus_ = ni_ = ni_receive_ = {};
    packet_.clear();
    next_byte_ = 0;
    in_packet_ = false;
    credits_ = params_.credits;
    if (upcoming_) schedule(upcoming_->created, stage::create, 0, 0);
}

bool host::idle() const {
    return sending_.empty() && outgoing_.empty() && packet_.empty() && !in_packet_ &&
           (events_.size() == (upcoming_ ? 1u : 0u));
}

void host::probe(engine::chip_probe& probe) const {
    probe.inputs.assign(1, {});
    probe.outputs.assign(1, {!packet_.empty(), 0, static_cast<std::uint16_t>(credits_)});
}

cycle host::dma_cycles(std::uint32_t bytes) const {
    const boost::rational<std::int64_t> exact = params_.bus_cycles_per_byte * static_cast<std::int64_t>(bytes);
    return static_cast<cycle>((exact.numerator() + exact.denominator() - 1) / exact.denominator());
}

void host::fetch() {
    upcoming_ = source_.next(number_);
    if (upcoming_) schedule(upcoming_->created, stage::create, 0, 0);
}

void host::schedule(cycle when, stage what, std::uint64_t item, std::uint16_t bytes) {
    events_.push({when, order_++, what, item, bytes});
}

cycle host::step(cycle now, const engine::pins& in, engine::pins& out) {
    if ((in.credit & 1) != 0) ++credits_;
    if ((in.valid & 1) != 0) receive(now, in, out);
    // What is finished at the start of the next cycle can be on the output pins in that cycle.
    while (!events_.empty() && events_.top().when <= now + 1) {
        const event due = events_.top();
        events_.pop();
        handle(due);
    }
    const bool sent = transmit(out);
    const bool more =
        (!packet_.empty() || !outgoing_.empty()) && (sent || flit_ % params_.chunk_flits != 0 || credits_ != 0);
    if (more) return now + 1;
    return events_.empty() ? engine::never : std::max(events_.top().when - 1, now + 1);
}

void host::handle(const event& due) {
    switch (due.what) {
        case stage::create: {
            sink_.created(number_, *upcoming_);
            sending_.push(std::move(*upcoming_));
            schedule(processor_.serve(due.when, params_.send_overhead), stage::host_sent, 0, sending_.back().bytes);
            fetch();
            break;
        }
        case stage::host_sent:
            schedule(bus_.serve(due.when, dma_cycles(due.bytes)), stage::bus_sent, 0, due.bytes);
            break;
        case stage::bus_sent: schedule(ni_.serve(due.when, params_.ni_send), stage::ni_sent, 0, due.bytes); break;
        case stage::ni_sent:
            outgoing_.push(std::move(sending_.front()));
            sending_.pop();
            break;
        case stage::ni_received:
            schedule(bus_.serve(due.when, dma_cycles(due.bytes)), stage::bus_received, due.item, due.bytes);
            break;
        case stage::bus_received:
            schedule(processor_.serve(due.when, params_.receive_overhead), stage::host_received, due.item, due.bytes);
            break;
        case stage::host_received: sink_.delivered(due.when, due.item); break;
    }
}

void host::build_packet(const message& message) {
    std::vector<std::uint8_t> header(message.kind == packet_kind::tree ? format::tree_header_bytes(params_.hosts)
                                                                       : format::unicast_header_bytes);
    const std::uint32_t sequence = sequence_++;
    format::write_common({message.kind, true, number_, sequence, message.bytes}, header.data());
    if (message.kind == packet_kind::tree) {
        for (const std::uint32_t destination : message.destinations) {
            std::uint8_t& byte = header[format::common_header_bytes + destination / 8];
            byte = static_cast<std::uint8_t>(byte | 1u << (destination % 8));
        }
    } else {
        format::write_field<format::destination_field>(header.data(), message.destinations.front());
    }
    std::vector<std::uint8_t> payload(message.bytes);
    fill_payload(params_.payload_seed, number_, sequence, payload);
    std::array<std::uint8_t, format::transport_bytes> transport;
    format::write_transport({.message = sequence, .total = message.bytes}, transport.data());
    const std::uint32_t check = format::check_word(header.data(), transport.data(), payload);
    const auto pad = [this](std::size_t bytes) {
        return (bytes + params_.flit_bytes - 1) / params_.flit_bytes * params_.flit_bytes;
    };
    packet_.clear();
    if (params_.header_bytes != 0) {
        packet_header_.assign(params_.header_bytes, 0);
        std::ranges::copy(header, packet_header_.begin());
        std::ranges::copy(transport, &packet_header_[format::free_transport_offset(params_.header_bytes)]);
        format::write_check(&packet_header_[format::free_check_offset(params_.header_bytes)], check);
    } else {
        packet_ = header;
        packet_.resize(pad(packet_.size()), 0);
        packet_.insert(packet_.end(), transport.begin(), transport.end());
    }
    packet_.insert(packet_.end(), payload.begin(), payload.end());
    if (params_.header_bytes == 0) {
        packet_.resize(packet_.size() + format::check_bytes);
        format::write_check(&packet_[packet_.size() - format::check_bytes], check);
    }
    packet_.resize(pad(packet_.size()), 0);
    next_byte_ = 0;
    flit_ = 0;
}

/// Puts the next flit on the output pins if there is one and a credit for it.
bool host::transmit(engine::pins& out) {
    if (packet_.empty()) {
        if (outgoing_.empty()) return false;
        build_packet(outgoing_.front());
        outgoing_.pop();
    }
    const bool new_chunk = flit_ % params_.chunk_flits == 0;
    if (new_chunk && credits_ == 0) return false;
    if (new_chunk) --credits_;
    out.valid = 1;
    if (flit_ == 0) {
        out.head = 1;
        if (params_.header_bytes != 0) std::ranges::copy(packet_header_, out.header.begin());
    }
    std::copy_n(packet_.begin() + static_cast<std::ptrdiff_t>(next_byte_), params_.flit_bytes, out.data.begin());
    next_byte_ += params_.flit_bytes;
    ++flit_;
    if (next_byte_ == packet_.size()) {
        out.tail = 1;
        packet_.clear();
    }
    return true;
}

void host::receive(cycle now, const engine::pins& in, engine::pins& out) {
    if ((in.head & 1) != 0) {
        arriving_.clear();
        arriving_flits_ = 0;
        arriving_header_.assign(in.header.begin(), in.header.end());
        in_packet_ = true;
    }
    arriving_.insert(arriving_.end(), in.data.begin(), in.data.begin() + params_.flit_bytes);
    ++arriving_flits_;
    const bool tail = (in.tail & 1) != 0;
    if (tail || arriving_flits_ % params_.chunk_flits == 0) out.credit = 1;
    if (!tail) return;
    in_packet_ = false;
    packet_arrived(now);
}

void host::packet_arrived(cycle now) {
    received_packet packet;
    packet.host = number_;
    packet.flits = arriving_flits_;
    const std::span<const std::uint8_t> bytes(arriving_);
    const std::span<const std::uint8_t> first(params_.header_bytes != 0 ? arriving_header_ : arriving_);
    const auto kind = first.empty() ? packet_kind::unicast : static_cast<packet_kind>(first[0] & 0xf);
    const std::size_t header_bytes =
        kind == packet_kind::tree ? format::tree_header_bytes(params_.hosts) : format::unicast_header_bytes;
    packet.header = first.first(std::min(first.size(), header_bytes));
    if (packet.header.size() == header_bytes) {
        const bool free = params_.header_bytes != 0;
        const std::size_t length = format::read_common(packet.header.data()).length;
        std::span<const std::uint8_t> body = bytes;
        if (free) {
            packet.transport = first.subspan(format::free_transport_offset(params_.header_bytes));
        } else {
            const std::size_t flits = format::header_flits(static_cast<unsigned>(header_bytes), params_.flit_bytes);
            body = body.subspan(std::min(body.size(), flits * params_.flit_bytes));
            packet.transport = body;
        }
        packet.transport =
            packet.transport.first(std::min<std::size_t>(packet.transport.size(), format::transport_bytes));
        if (!free) body = body.subspan(packet.transport.size());
        packet.payload = body.first(std::min(length, body.size()));
        const std::size_t needed = length + (free ? 0 : format::check_bytes);
        packet.complete = packet.transport.size() == format::transport_bytes && body.size() >= needed &&
                          body.size() - needed < params_.flit_bytes;
        if (packet.complete)
            packet.check =
                format::read_check(free ? &first[format::free_check_offset(params_.header_bytes)] : &body[length]);
    }
    const std::uint64_t ticket = sink_.arrived(now, packet);
    server& processor = params_.overlapped ? ni_receive_ : ni_;
    schedule(processor.serve(now, params_.ni_receive), stage::ni_received, ticket,
             static_cast<std::uint16_t>(packet.payload.size()));
}

}  // namespace polycast::hw::traffic
