// SPDX-License-Identifier: Apache-2.0
#include "testbench/equivalence/coding_stimulus.h"

#include <algorithm>
#include <array>

#include "hw/format/check_word.h"

namespace polycast::testbench::equivalence {

using hw::chips::chain_bit;
using hw::chips::coding_mode;
using hw::format::packet_kind;
using hw::format::transport_op;

namespace {
constexpr std::uint64_t stimulus_stream = 24;
/// Flits behind a packet that link_stimulus may lengthen it by.
constexpr unsigned spare_flits = 70;
}  // namespace

coding_stimulus::coding_stimulus(const coding_run& run)
    : link_stimulus({run.params.pin_shape(), 1, {run.params.vc_flits}, run.registers.packet_limit}, run.traffic,
                    dice(run.seed, stimulus_stream)),
      run_(run) {
    for (std::uint16_t context = 0; context < run_.registers.contexts.size(); ++context)
        if (hw::chips::context_works(run_.params, run_.registers, context)) usable_.push_back(context);
    const unsigned header = run_.params.header_flits();
    const unsigned limit = run_.registers.packet_limit;
    const unsigned body = std::min(run_.params.slot_flits, limit > header ? limit - header : 0);
    while (longest_ < 200 && run_.params.body_flits(longest_ + 1) <= body) ++longest_;
    rounds_.resize(run_.traffic.open);
}

void coding_stimulus::see(const hw::engine::pins& out) {
    link_stimulus::see(out);
    ++now_;
}

std::uint16_t coding_stimulus::draw_length() {
    if (longest_ == 0) return static_cast<std::uint16_t>(random_.between(1, 9));
    return static_cast<std::uint16_t>(random_.chance(300) ? longest_ : random_.between(1, longest_));
}

void coding_stimulus::open_round(round& next) {
    next = {};
    next.from = now_ + random_.between(0, run_.traffic.rest);
    next.length = draw_length();
    for (unsigned attempt = 0; attempt < 4; ++attempt) {
        next.context = usable_[random_.below(usable_.size())];
        const auto same = [&](const round& other) { return &other != &next && other.context == next.context; };
        if (std::ranges::none_of(rounds_, same)) break;
    }
    const auto& context = run_.registers.contexts[next.context];
    const bool decoding = context.mode == coding_mode::decode;
    const unsigned plain = random_.below(context.count);
    for (unsigned index = 0; index < context.count; ++index) {
        const auto want = [&](std::uint32_t tag) {
            if (random_.chance(run_.traffic.lost)) return;
            // Bits 30..16 of a tag are no matter.
            next.tags.push_back(tag | (random_.chance(100) ? random_.below(0x8000) << 16 : 0));
            if (random_.chance(run_.traffic.again)) next.tags.push_back(tag);
        };
        if (!decoding || index == plain) want(index);
        if (decoding && index + 1u < context.count) want(chain_bit | index);
    }
    if (random_.chance(700))
        for (std::size_t left = next.tags.size(); left > 1; --left)
            std::swap(next.tags[left - 1], next.tags[random_.below(left)]);
}

/// Opens rounds and chooses one that does not rest; without any, now and then a stray operand.
bool coding_stimulus::may_begin() {
    ready_ = nullptr;
    const unsigned first = usable_.empty() ? 0 : random_.below(rounds_.size());
    for (unsigned offset = 0; offset < rounds_.size() && !usable_.empty(); ++offset) {
        round& each = rounds_[(first + offset) % rounds_.size()];
        if (each.tags.empty()) open_round(each);
        if (each.from > now_ || each.tags.empty()) continue;
        ready_ = &each;
        return true;
    }
    return random_.chance(run_.traffic.faults);
}

coding_stimulus::operand coding_stimulus::next_operand() {
    if (ready_ == nullptr) return any_operand();
    operand next{ready_->context, ready_->length, ready_->tags.back()};
    ready_->tags.pop_back();
    if (random_.chance(run_.traffic.unequal)) next.length = draw_length();
    return next;
}

coding_stimulus::operand coding_stimulus::any_operand() {
    const std::uint32_t chain = random_.chance(300) ? chain_bit : 0;
    return {static_cast<std::uint16_t>(random_.below(run_.params.contexts)), draw_length(),
            chain | random_.below(run_.params.indices)};
}

std::vector<std::uint8_t> coding_stimulus::make_header(unsigned) {
    std::vector<std::uint8_t> header(hw::format::unicast_header_bytes);
    for (std::uint8_t& byte : header) byte = static_cast<std::uint8_t>(random_.word());
    header[0] &= 0xf0;
    return header;
}

void coding_stimulus::finish_packet(std::vector<std::uint8_t>& bytes, std::vector<std::uint8_t>& header,
                                    unsigned& flits) {
    namespace format = hw::format;
    const hw::chips::coding_params& p = run_.params;
    operand what = next_operand();
    transport_op op = transport_op::operand;
    bool good_check = true;
    int more_flits = 0;
    packet_kind kind = packet_kind::unicast;
    if (random_.chance(run_.traffic.faults)) {
        switch (random_.below(8)) {
            case 0: op = static_cast<transport_op>(random_.below(16)); break;
            case 1: kind = static_cast<packet_kind>(random_.between(1, 15)); break;
            case 2: good_check = false; break;
            case 3: more_flits = random_.chance(500) ? 1 : -1; break;
            case 4:
                what.length = random_.chance(500) ? 0 : static_cast<std::uint16_t>(longest_ + random_.between(1, 40));
                break;
            case 5:
                what.context =
                    static_cast<std::uint16_t>(random_.chance(500) ? random_.below(65536) : random_.below(p.contexts));
                break;
            case 6: what.tag = static_cast<std::uint32_t>(random_.word()); break;
            default: what.tag ^= chain_bit; break;
        }
    }
    const unsigned header_flits = p.header_flits();
    const std::size_t front = std::size_t{header_flits} * p.flit_bytes;
    const int body = static_cast<int>(p.body_flits(std::max<unsigned>(what.length, p.header_free ? 1 : 0)));
    const unsigned behind = static_cast<unsigned>(std::max(body + more_flits, header_flits == 0 ? 1 : 0));
    flits = header_flits + behind;
    bytes.resize(std::size_t{flits + spare_flits + static_cast<unsigned>(body)} * p.flit_bytes);
    std::uint8_t* const common = p.header_free ? header.data() : bytes.data();
    const auto pins = static_cast<unsigned>(header.size());
    std::uint8_t* const transport =
        p.header_free ? header.data() + format::free_transport_offset(pins) : bytes.data() + front;
    std::uint8_t* const payload = bytes.data() + front + (p.header_free ? 0 : format::transport_bytes);
    common[0] = static_cast<std::uint8_t>((common[0] & 0xf0) | static_cast<unsigned>(kind));
    format::write_field<format::length_field>(common, what.length);
    format::transport_header fields = format::read_transport(transport);
    fields.op = op;
    fields.group = what.context;
    fields.tag = what.tag;
    format::write_transport(fields, transport);
    // Of another kind than a unicast it is wrong, and not looked at.
    std::array<std::uint8_t, format::unicast_header_bytes> unicast;
    std::copy_n(common, unicast.size(), unicast.data());
    unicast[0] &= 0xf0;
    std::uint32_t check = format::check_word(p.cover(), unicast, transport, {payload, what.length});
    if (!good_check) check ^= 1u << random_.below(32);
    format::write_check(p.header_free ? header.data() + format::free_check_offset(pins) : payload + what.length, check);
}

unsigned coding_stimulus::header_flits(const std::vector<std::uint8_t>&) const {
    return run_.params.header_flits();
}

void coding_stimulus::spoil_kind(std::uint8_t* header) {
    header[0] = static_cast<std::uint8_t>((header[0] & 0xf0) | random_.between(1, 15));
}

/// The unit does not read the destination: the source instead, which makes the check word wrong.
void coding_stimulus::spoil_destination(std::uint8_t* header, std::size_t bytes) {
    if (bytes < hw::format::common_header_bytes) return;
    hw::format::write_field<hw::format::source_field>(header, static_cast<std::uint32_t>(random_.below(1u << 24)));
}

}  // namespace polycast::testbench::equivalence
