// SPDX-License-Identifier: Apache-2.0
#include "hw/host/ideal_host.h"

#include <algorithm>

#include "hw/format/check_word.h"

namespace polycast::hw::host {

using engine::cycle;
using engine::pins;

void write_header(const ideal_header& header, std::size_t pin_bytes, engine::packet_bytes& packet) {
    packet.header.assign(pin_bytes, 0);
    std::uint8_t* const common = packet.header.data();
    const auto length = static_cast<std::uint16_t>(std::min<std::size_t>(packet.flits.size(), 65535));
    format::write_common({header.broadcast ? format::packet_kind::broadcast : format::packet_kind::unicast, true,
                          header.source, header.sequence, length, header.service_class},
                         common);
    if (header.broadcast) {
        format::write_field<format::broadcast_port_field>(common, header.destination);
    } else {
        format::write_field<format::destination_field>(common, header.destination);
    }
    const auto pin_count = static_cast<unsigned>(pin_bytes);
    std::uint8_t* const transport = common + format::free_transport_offset(pin_count);
    format::transport_header fields = header.transport;
    fields.total = length;
    format::write_transport(fields, transport);
    format::write_check(common + format::free_check_offset(pin_count),
                        format::check_word(common, transport, std::span(packet.flits).first(length)));
}

ideal_host::ideal_host(const fabric::fabric_params& params, std::uint32_t number, ideal_work& work)
    : shape_{1, params.router.flit_bytes, params.router.pin_shape().header_bytes, params.router.vcs},
      number_(number),
      vc_flits_(params.router.vc_flits),
      reserve_(params.tables.reserve),
      class_vcs_(class_vcs_of(params.tables)),
      work_(&work) {
    reset();
}

void ideal_host::reset() {
    vcs_ = {shape_.vcs, vc_flits_, reserve_};
    credits_.assign(shape_.vcs, vc_flits_);
    packet_.flits.clear();
    sent_ = 0;
}

cycle ideal_host::step(cycle now, const pins& in, pins& out) {
    if (in.valid != 0) {
        const std::uint8_t vc = in.vc.empty() ? std::uint8_t{0} : in.vc[0];
        out.credit = 1;
        if (!out.credit_vc.empty()) out.credit_vc[0] = vc;
        work_->arrived(now, number_,
                       {in.head != 0, in.tail != 0, vc, in.data.data(), in.head != 0 ? in.header.data() : nullptr});
    }
    const cycle next = work_->act(now, number_);
    const bool sent = send(now, out);
    if (in.credit != 0) {
        const unsigned vc = in.credit_vc.empty() ? 0 : in.credit_vc[0];
        if (vc < credits_.size()) vcs_.returned(vc, ++credits_[vc], reserve_);
    }
    return sent || out.credit != 0 || can_send() ? now + 1 : next;
}

/// A flit of the packet that is being sent, else the head of the next one.
bool ideal_host::send(cycle now, pins& out) {
    const bool head = packet_.flits.empty();
    if (head) {
        const std::optional<unsigned> service_class = work_->waiting(number_);
        if (!service_class || !vcs_.choose(class_vcs_[*service_class], shape_.vcs)) return false;
        work_->depart(now, number_, vcs_.vc, packet_);
        sent_ = 0;
        out.head = 1;
        std::ranges::copy(packet_.header, out.header.begin());
    } else if (!vcs_.can_go_on()) {
        return false;
    }
    vcs_.spent(--credits_[vcs_.vc], reserve_);
    out.valid = 1;
    if (!out.vc.empty()) out.vc[0] = vcs_.vc;
    std::copy_n(packet_.flits.begin() + static_cast<std::ptrdiff_t>(sent_), shape_.flit_bytes, out.data.begin());
    sent_ += shape_.flit_bytes;
    if (sent_ == packet_.flits.size()) {
        out.tail = 1;
        packet_.flits.clear();
    }
    return true;
}

bool ideal_host::can_send() const {
    if (!packet_.flits.empty()) return vcs_.can_go_on();
    const std::optional<unsigned> service_class = work_->waiting(number_);
    return service_class && (vcs_.with_reserve & class_vcs_[*service_class]) != 0;
}

void ideal_host::probe(engine::chip_probe& probe) const {
    probe.inputs.assign(shape_.vcs, {});
    probe.outputs.assign(shape_.vcs, {});
    for (unsigned vc = 0; vc < shape_.vcs; ++vc) probe.outputs[vc].credits = static_cast<std::uint16_t>(credits_[vc]);
    if (!packet_.flits.empty()) probe.outputs[vcs_.vc].held = true;
}

}  // namespace polycast::hw::host
