// SPDX-License-Identifier: Apache-2.0
#include "testbench/equivalence/coding_watch.h"

#include <array>
#include <stdexcept>

#include "hw/format/header.h"
#include "testbench/equivalence/coding_run.h"

namespace polycast::testbench::equivalence {

using hw::chips::coding_event;
using hw::chips::coding_mode;
using hw::engine::chip_probe;
using hw::engine::pins;

namespace {

constexpr std::array all_cases{
    "not_operand",
    "bad_length",
    "check",
    "unknown_context",
    "bad_index",
    "duplicate",
    "unequal in encoding",
    "unequal in decoding",
    "missing in encoding",
    "missing plain operand",
    "missing chain operand",
    "events on several pins",
    "encoded",
    "decoded upwards",
    "decoded downwards",
    "second destination",
    "operand without destination, encoding",
    "operand without destination, decoding",
    "round again",
    "contexts in turn",
    "context in the upper half",
    "index in the upper half",
    "free header",
    "header of one flit",
    "header of several flits",
    "check word with the route",
    "check word without the route",
    "result of one flit",
    "result of several flits",
    "no latency",
    "some latency",
    "latency of 64",
    "store full",
    "result without credit",
    "result in another VC",
};

}  // namespace

coding_watch::coding_watch(const hw::chips::coding_params& params, const hw::chips::coding_registers& registers)
    : params_(params), registers_(registers) {
    for (const char* name : all_cases) counts_[name] = 0;
    reset();
}

void coding_watch::met(const std::string& what) {
    const auto found = counts_.find(what);
    if (found == counts_.end()) throw std::logic_error("the watch does not know the case \"" + what + "\"");
    ++found->second;
}

void coding_watch::reset() {
    incoming_.assign(params_.vcs, {});
    outgoing_.clear();
    contexts_.assign(params_.contexts, {});
    last_context_.reset();
    sent_in_ = 0;
}

/// Of a packet: its transport header, shorter if it has not come whole.
std::vector<std::uint8_t> coding_watch::transport(const std::vector<std::uint8_t>& packet) const {
    const std::size_t header = params_.pin_shape().header_bytes;
    const std::size_t from = params_.header_free ? hw::format::free_transport_offset(static_cast<unsigned>(header))
                                                 : std::size_t{params_.header_flits()} * params_.flit_bytes;
    if (packet.size() < from + hw::format::transport_bytes) return {};
    const auto first = packet.begin() + static_cast<std::ptrdiff_t>(from);
    return {first, first + hw::format::transport_bytes};
}

void coding_watch::came_in(const pins& in) {
    const unsigned vc = in.vc.empty() ? 0 : in.vc[0];
    if (vc >= params_.vcs) return;
    std::vector<std::uint8_t>& packet = incoming_[vc];
    if (in.head != 0) packet.assign(in.header.begin(), in.header.end());
    packet.insert(packet.end(), in.data.begin(), in.data.begin() + params_.flit_bytes);
    if (in.tail == 0) return;
    const std::vector<std::uint8_t> fields = transport(packet);
    packet.clear();
    if (fields.empty()) return;
    const unsigned context = hw::format::read_transport(fields.data()).group;
    if (!hw::chips::context_works(params_, registers_, context)) return;
    if (registers_.contexts[context].destination_count != 0) return;
    met(registers_.contexts[context].mode == coding_mode::encode ? "operand without destination, encoding"
                                                                 : "operand without destination, decoding");
}

void coding_watch::event(const hw::engine::chip_event& what) {
    const auto code = static_cast<coding_event>(what.code);
    if (code != coding_event::unequal && code != coding_event::missing)
        return met(std::string(hw::format::name_of(code)));
    const bool encoding = registers_.contexts.at(what.context).mode == coding_mode::encode;
    if (code == coding_event::unequal) return met(encoding ? "unequal in encoding" : "unequal in decoding");
    met(encoding                                  ? "missing in encoding"
        : what.index == hw::chips::no_plain_index ? "missing plain operand"
                                                  : "missing chain operand");
}

void coding_watch::result(const std::vector<std::uint8_t>& packet) {
    const std::vector<std::uint8_t> bytes = transport(packet);
    const hw::format::transport_header fields = hw::format::read_transport(bytes.data());
    const unsigned number = fields.group & coding_group_mask;
    const hw::chips::coding_context& context = registers_.contexts.at(number);
    const unsigned index = fields.tag - context.tag;
    context_log& log = contexts_.at(number);
    const std::size_t flits = (packet.size() - params_.pin_shape().header_bytes) / params_.flit_bytes;
    met(flits == 1 ? "result of one flit" : "result of several flits");
    met(params_.header_free          ? "free header"
        : params_.header_flits() > 1 ? "header of several flits"
                                     : "header of one flit");
    met(params_.check_route ? "check word with the route" : "check word without the route");
    met(registers_.latency == 0 ? "no latency" : registers_.latency == 64 ? "latency of 64" : "some latency");
    if (log.last == index && log.copies < context.destination_count) {
        ++log.copies;
        met("second destination");
    } else {
        log.copies = 1;
        if (context.mode == coding_mode::encode) {
            met("encoded");
        } else if (log.last && index == *log.last + 1) {
            met("decoded upwards");
        } else if (log.last && index + 1 == *log.last) {
            met("decoded downwards");
        }
        if (!log.round.insert(index).second) {
            met("round again");
            log.round = {index};
        }
    }
    log.last = index;
    if (last_context_ && *last_context_ != number) met("contexts in turn");
    if (number >= (params_.contexts + 1) / 2) met("context in the upper half");
    if (index >= (params_.indices + 1) / 2) met("index in the upper half");
    last_context_ = number;
}

void coding_watch::see(const pins& in, const pins& out, const chip_probe& before, const chip_probe& after) {
    if (in.valid != 0) came_in(in);
    for (const hw::engine::chip_event& each : out.events) event(each);
    if (out.events.size() > 1) met("events on several pins");
    bool full = out.credit == 0;  // nothing was taken though a head was there
    bool head = false;
    for (unsigned vc = 0; vc < params_.vcs; ++vc) {
        if (before.inputs[vc].occupied != 0) head = true;
        if (before.inputs[vc].occupied != 0 && before.inputs[vc].state != 1) full = false;
        if (after.outputs[vc].held && after.outputs[vc].credits == 0) met("result without credit");
    }
    if (head && full) met("store full");
    if (out.valid == 0) return;
    const unsigned vc = out.vc.empty() ? 0 : out.vc[0];
    if (out.head != 0) {
        outgoing_.assign(out.header.begin(), out.header.end());
        if (sent_in_ != 0 && sent_in_ != std::uint64_t{1} << vc) met("result in another VC");
        sent_in_ = std::uint64_t{1} << vc;
    }
    outgoing_.insert(outgoing_.end(), out.data.begin(), out.data.begin() + params_.flit_bytes);
    if (out.tail != 0) result(outgoing_);
}

}  // namespace polycast::testbench::equivalence
