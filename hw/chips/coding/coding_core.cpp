// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/coding/coding_core.h"

#include <algorithm>
#include <span>

#include "hw/engine/packing.h"
#include "hw/format/check_word.h"

namespace polycast::hw::chips {

using engine::cycle;
using engine::pins;
using format::chip_error;

namespace {

constexpr unsigned kept_bytes = format::unicast_header_bytes + format::transport_bytes;

}  // namespace

engine::chip_report coding_core::report() const {
    return {.failures = {}, .counts = engine::packed(pairs())};
}

/// Takes bytes from buffers to slots and from slots to the output pins.
struct coding_core::byte_store {
    coding_core& core;
    pins& out;
    std::uint32_t freed = 0;  ///< VCs that gave a flit back in this cycle

    bool take(unsigned vc, unsigned place, unsigned slot, unsigned position, bool head, bool tail) {
        freed |= 1u << vc;
        out.credit = 1;
        if (!out.credit_vc.empty()) out.credit_vc[0] = static_cast<std::uint8_t>(vc);
        const std::size_t entry = std::size_t{vc} * core.params().vc_flits + place;
        if (head) begin_slot(slot, entry);
        const std::uint8_t* flit = &core.buffers_[entry * core.params().flit_bytes];
        slot_header& header = core.headers_[slot];
        if (position < header.header_flits) {
            keep(slot, 0, format::unicast_header_bytes, position, flit);
        } else {
            const unsigned behind = header.flits++;
            if (!core.params().header_free)
                keep(slot, format::unicast_header_bytes, format::transport_bytes, behind, flit);
            if (behind < core.params().slot_flits)
                copy_flit(core.stored(slot) + std::size_t{behind} * core.params().flit_bytes, flit,
                          core.params().flit_bytes);
        }
        const bool cut = tail && position + 1 < header.header_flits;
        if (cut) raise(0, chip_error::short_header, out);
        return !cut;
    }

    coding_operand operand(unsigned slot) {
        const std::uint8_t* common = core.kept(slot);
        const std::uint8_t* transport = common + format::unicast_header_bytes;
        const format::common_header fields = format::read_common(common);
        coding_operand out_of;
        out_of.fault = coding_event::not_operand;
        if (fields.kind != format::packet_kind::unicast) return out_of;
        const format::transport_header for_whom = format::read_transport(transport);
        const slot_header& header = core.headers_[slot];
        out_of.context = for_whom.group;
        out_of.tag = for_whom.tag;
        out_of.source = fields.source;
        out_of.length = fields.length;
        if (for_whom.op != format::transport_op::operand) return out_of;
        out_of.fault = coding_event::bad_length;
        const unsigned flits = core.params().body_flits(fields.length);
        if (fields.length == 0 || header.flits != flits || flits > core.params().slot_flits) return out_of;
        out_of.flits = static_cast<std::uint16_t>(flits);
        const std::span<const std::uint8_t> payload(core.payload(slot), fields.length);
        const std::uint32_t check =
            core.params().header_free ? header.check : format::read_check(payload.data() + payload.size());
        const std::span<const std::uint8_t> all(common, format::unicast_header_bytes);
        const bool right = check == format::check_word(core.params().cover(), all, transport, payload);
        out_of.fault = right ? coding_event::none : coding_event::check;
        return out_of;
    }

    std::uint32_t begin(const coding_packet& packet) {
        if (core.unsent_.empty()) {
            core.unsent_.push_back(static_cast<std::uint32_t>(core.sent_.size()));
            core.sent_.emplace_back();
        }
        const std::uint32_t handle = core.unsent_.back();
        core.unsent_.pop_back();
        core.build(packet, core.sent_[handle]);
        return handle;
    }

    void leave(std::uint32_t handle, unsigned position, bool head, bool tail, unsigned vc) {
        const unsigned bytes = core.params().flit_bytes;
        const std::uint8_t* packet = core.sent_[handle].data();
        const std::size_t header = core.shape_.header_bytes;
        copy_flit(out.data.data(), packet + header + std::size_t{position} * bytes, bytes);
        out.valid = 1;
        if (!out.vc.empty()) out.vc[0] = static_cast<std::uint8_t>(vc);
        if (head) {
            out.head = 1;
            std::copy_n(packet, header, out.header.begin());
        }
        if (!tail) return;
        out.tail = 1;
        core.unsent_.push_back(handle);
    }

    void coded(const coding_pair& pair) {
        if (pair.made == coding_unit::no_slot) return;
        std::uint8_t* made = core.stored(pair.made);
        const std::uint8_t* other = core.stored(pair.made == pair.slot ? pair.partner : pair.slot);
        const std::size_t bytes = std::size_t{core.params().flit_bytes} * core.headers_[pair.made].flits;
        std::transform(made, made + bytes, other, made, [](std::uint8_t a, std::uint8_t b) { return a ^ b; });
    }

    void release(unsigned) {}

    void event(const engine::chip_event& what) { out.events.push_back(what); }

private:
    void begin_slot(unsigned slot, std::size_t entry) {
        slot_header& header = core.headers_[slot];
        header = {};
        std::fill_n(core.kept(slot), kept_bytes, std::uint8_t{0});
        if (!core.params().header_free) {
            const unsigned bytes = core.params().flit_bytes;
            header.header_flits = header_flits_of(core.buffers_[entry * bytes], bytes);
            return;
        }
        const unsigned bytes = core.shape_.header_bytes;
        const std::uint8_t* pins = &core.free_headers_[entry * bytes];
        std::uint8_t* transport = std::copy_n(pins, format::unicast_header_bytes, core.kept(slot));
        std::copy_n(pins + format::free_transport_offset(bytes), format::transport_bytes, transport);
        header.check = format::read_check(pins + format::free_check_offset(bytes));
    }

    /// What flit number `number` of a header of `size` bytes holds of it.
    void keep(unsigned slot, unsigned offset, unsigned size, unsigned number, const std::uint8_t* flit) {
        const unsigned from = number * core.params().flit_bytes;
        if (from >= size) return;
        std::copy_n(flit, std::min(core.params().flit_bytes, size - from), core.kept(slot) + offset + from);
    }
};

coding_core::coding_core(const coding_params& params, const coding_registers& registers)
    : unit_(params, registers),
      shape_(params.pin_shape()),
      framing_(params.vcs),
      buffers_(std::size_t{params.vcs} * params.vc_flits * params.flit_bytes),
      free_headers_(std::size_t{params.vcs} * params.vc_flits * shape_.header_bytes),
      headers_(params.slots),
      kept_(std::size_t{params.slots} * kept_bytes),
      store_(std::size_t{params.slots} * params.slot_flits * params.flit_bytes) {
    reset();
}

void coding_core::reset() {
    unit_.reset();
    std::ranges::fill(framing_, vc_framing{});
    unsent_.clear();
    for (std::uint32_t handle = 0; handle < sent_.size(); ++handle) unsent_.push_back(handle);
    outputs_quiet_ = true;
}

std::uint8_t* coding_core::kept(unsigned slot) {
    return &kept_[std::size_t{slot} * kept_bytes];
}

std::uint8_t* coding_core::stored(unsigned slot) {
    return &store_[std::size_t{slot} * params().slot_flits * params().flit_bytes];
}

std::uint8_t* coding_core::payload(unsigned slot) {
    return stored(slot) + (params().header_free ? 0 : format::transport_bytes);
}

void coding_core::build(const coding_packet& packet, std::vector<std::uint8_t>& bytes) {
    const coding_params& p = params();
    const coding_context& context = registers().contexts[packet.context];
    const std::size_t pin_bytes = shape_.header_bytes;
    bytes.assign(pin_bytes + std::size_t{packet.flits} * p.flit_bytes, 0);
    std::uint8_t* const flits = bytes.data() + pin_bytes;
    std::uint8_t* const behind = flits + std::size_t{p.header_flits()} * p.flit_bytes;
    std::uint8_t* const common = p.header_free ? bytes.data() : flits;
    std::uint8_t* const transport =
        p.header_free ? bytes.data() + format::free_transport_offset(static_cast<unsigned>(pin_bytes)) : behind;
    std::uint8_t* const sum = p.header_free ? flits : behind + format::transport_bytes;
    std::uint8_t* const check = p.header_free
                                    ? bytes.data() + format::free_check_offset(static_cast<unsigned>(pin_bytes))
                                    : sum + packet.length;
    format::write_common(
        {format::packet_kind::unicast, true, registers().number, packet.sequence, packet.length, context.vc_class},
        common);
    format::write_field<format::destination_field>(common, packet.destination);
    format::write_transport({.op = context.op,
                             .process = context.process,
                             .source_process = context.source_process,
                             .lane = context.lane,
                             .group = context.group,
                             .hops = 0,
                             .message = context.message + packet.index,
                             .offset = 0,
                             .total = packet.length,
                             .tag = context.tag + packet.index},
                            transport);
    const std::uint8_t* const a = payload(packet.slot);
    std::transform(a, a + packet.length, payload(packet.partner), sum,
                   [](std::uint8_t x, std::uint8_t y) { return x ^ y; });
    const std::span<const std::uint8_t> header(common, format::unicast_header_bytes);
    format::write_check(check, format::check_word(p.cover(), header, transport, {sum, packet.length}));
}

cycle coding_core::step(cycle now, const pins& in, pins& out) {
    const unsigned credit_vc = in.credit == 0 || in.credit_vc.empty() ? 0 : in.credit_vc[0];
    bool credit = in.credit != 0;
    if (credit && (credit_vc >= params().vcs || unit_.credits_left(credit_vc) >= registers().credits)) {
        credit = false;
        raise(0, credit_vc < params().vcs ? chip_error::credit_overflow : chip_error::bad_vc, out);
    }
    byte_store store{*this, out};
    unit_.step(now, store);
    std::ranges::sort(out.events, {}, &engine::chip_event::pin);
    if (in.valid != 0) write(in, store.freed, out);
    if (credit) unit_.credit(credit_vc);
    outputs_quiet_ = out.quiet();
    return outputs_quiet_ ? unit_.next(now) : now + 1;
}

/// Step 1. `freed`: VCs whose buffer gave a flit back in this cycle, which is free in the next.
void coding_core::write(const pins& in, std::uint32_t freed, pins& out) {
    const unsigned vc = in.vc.empty() ? 0 : in.vc[0];
    if (vc >= params().vcs) return raise(0, chip_error::bad_vc, out);
    const bool room = unit_.room(vc) > (freed >> vc & 1);
    const vc_framing::verdict flit = framing_[vc].arrive(in.head != 0, in.tail != 0, room, registers().packet_limit);
    raise(0, flit.errors, out);
    if (!flit.stored) return;
    const std::size_t entry = std::size_t{vc} * params().vc_flits + unit_.arrive(vc, flit.head, flit.tail);
    copy_flit(&buffers_[entry * params().flit_bytes], in.data.data(), params().flit_bytes);
    if (flit.head)
        std::copy_n(in.header.begin(), shape_.header_bytes,
                    free_headers_.begin() + static_cast<std::ptrdiff_t>(entry * shape_.header_bytes));
}

bool coding_core::idle() const {
    return outputs_quiet_ && unit_.idle() && std::ranges::none_of(framing_, &vc_framing::busy);
}

void coding_core::probe(engine::chip_probe& probe) const {
    probe.inputs.assign(params().vcs, {});
    probe.outputs.assign(params().vcs, {});
    for (unsigned vc = 0; vc < params().vcs; ++vc) {
        const unsigned flits = params().vc_flits - unit_.room(vc);
        probe.inputs[vc].occupied = static_cast<std::uint16_t>(flits);
        probe.inputs[vc].state = unit_.taking(vc) ? 2 : flits != 0 ? 1 : 0;
        probe.outputs[vc].held = unit_.sending(vc);
        probe.outputs[vc].credits = static_cast<std::uint16_t>(unit_.credits_left(vc));
    }
}

std::size_t coding_core::memory_bytes() const {
    std::size_t bytes = sizeof *this - sizeof unit_ + unit_.memory_bytes() + framing_.capacity() * sizeof(vc_framing) +
                        buffers_.capacity() + free_headers_.capacity() + headers_.capacity() * sizeof(slot_header) +
                        kept_.capacity() + store_.capacity() + unsent_.capacity() * sizeof(std::uint32_t) +
                        sent_.capacity() * sizeof(std::vector<std::uint8_t>);
    for (const std::vector<std::uint8_t>& packet : sent_) bytes += packet.capacity();
    return bytes;
}

}  // namespace polycast::hw::chips
