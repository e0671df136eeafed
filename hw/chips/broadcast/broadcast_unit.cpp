// SPDX-License-Identifier: Apache-2.0
#include "hw/chips/broadcast/broadcast_unit.h"

#include <algorithm>
#include <bit>

#include "hw/chips/port_set.h"
#include "hw/format/header.h"
#include "hw/workloads/broadcast/broadcast_rule.h"

namespace polycast::hw::chips {

using engine::pins;
using format::chip_error;

namespace {

std::array<std::uint32_t, 4> coordinates_of(std::uint32_t node, const router_params& network) {
    std::array<std::uint32_t, 4> place{};
    for (unsigned d = 0; d < network.dimensions; ++d, node /= network.radix) place[d] = node % network.radix;
    return place;
}

}  // namespace

broadcast_unit::broadcast_unit(const broadcast_params& params, const broadcast_registers& registers)
    : params_(params),
      registers_(registers),
      host_(params.host_port()),
      flit_bytes_(params.router.flit_bytes),
      header_bytes_(params.router.pin_shape().header_bytes),
      network_((bit(host_) - 1) | registers.open),
      ports_(0),
      own_(coordinates_of(registers.router.node, params.router)),
      data_(std::size_t{params.slots} * params.slot_flits * flit_bytes_),
      headers_(params.slots * header_bytes_),
      inject_data_(params.inject_flits * flit_bytes_),
      inject_headers_(params.inject_flits * header_bytes_) {
    registers_.router = {};
    registers_.router.node = registers.router.node;
    for (std::uint64_t set = registers.open; set != 0; set &= set - 1)
        if ((registers.dims >> registers.dimension[lowest(set)] & 1) != 0) ports_ |= set & -set;
    reset();
}

void broadcast_unit::reset() {
    round_ = round_count - 1;
    next_round();
    leaving_ = 0;
    neighbours_.fill({});
    framing_.fill({});
    taking_.fill(taking::none);
    inject_first_ = inject_count_ = 0;
    inject_heads_ = inject_tails_ = 0;
    waiting_credits_ = 0;
    host_credits_ = registers_.host_credits;
}

void broadcast_unit::next_round() {
    round_ = (round_ + 1) % round_count;
    have_ = complete_ = everything_ = 0;
    at_source_ = false;
    received_ = 0;
    due_.fill(0);
    due_ports_ = 0;
}

// What the contract calls "registered" holds because of the order here: what is sent comes before what is taken, and
// what neighbours and the host tell comes last.
void broadcast_unit::step(const pins& in, std::uint64_t flits, bool credit, pins& out) {
    const bool ends = round_ends();
    const engine::side_state shown{have_, static_cast<std::uint8_t>(round_ % side_rounds)};
    const unsigned credits = host_credits_;
    if ((leaving_ | due_ports_) != 0) {
        send(out);
        forget();
    }
    const std::uint64_t inputs = flits | (inject_count_ != 0 ? bit(host_) : 0);
    for (std::uint64_t set = inputs; set != 0; set &= set - 1) {
        const unsigned port = lowest(set);
        if (port == host_) {
            inject(in, (flits >> port & 1) != 0, out);
        } else {
            receive(port, in, out);
        }
    }
    if (ends) next_round();
    if (credit && credits == registers_.host_credits) {
        raise(host_, chip_error::credit_overflow, out);
    } else if (credit) {
        ++host_credits_;
    }
    if (waiting_credits_ != 0 && (out.credit >> host_ & 1) == 0) {
        --waiting_credits_;
        out.credit |= bit(host_);
        out.credit_vc[host_] = static_cast<std::uint8_t>(params_.unit_vc());
    }
    for (std::uint64_t set = in.side; set != 0; set &= set - 1) neighbours_[lowest(set)] = in.sides[lowest(set)];
    const engine::side_state state{have_, static_cast<std::uint8_t>(round_ % side_rounds)};
    if (state == shown) return;
    out.side = registers_.open;
    for (std::uint64_t set = out.side; set != 0; set &= set - 1) out.sides[lowest(set)] = state;
}

/// Packets due at a port that may begin to leave there.
std::uint64_t broadcast_unit::may_leave(unsigned port) const {
    if (at_source_ && !everything()) return 0;
    if (port == host_) return due_[port];
    if (!same_round(port)) return 0;
    return registers_.maps ? due_[port] & ~neighbours_[port].have : due_[port];
}

/// Packets due at a port that its neighbour has, or does not need any more.
std::uint64_t broadcast_unit::not_wanted(unsigned port) const {
    if (port == host_) return 0;
    if (next_round_there(port)) return due_[port];
    return registers_.maps && same_round(port) ? due_[port] & neighbours_[port].have : 0;
}

/// Step 3.
void broadcast_unit::send(pins& out) {
    std::uint64_t set = (leaving_ | due_ports_) & ~out.valid;
    if (host_credits_ == 0) set &= ~bit(host_);
    for (; set != 0; set &= set - 1) {
        const unsigned port = lowest(set);
        if ((leaving_ >> port & 1) != 0) {
            put(port, leaving_flit_[port], out);
            continue;
        }
        const std::uint64_t candidates = may_leave(port);
        if (candidates == 0) continue;
        const unsigned slot = choose(port, candidates);
        due_[port] &= ~bit(slot);
        if (due_[port] == 0) due_ports_ &= ~bit(port);
        leaving_slot_[port] = static_cast<std::uint8_t>(slot);
        put(port, 0, out);
    }
}

unsigned broadcast_unit::choose(unsigned port, std::uint64_t candidates) const {
    const auto among = [candidates](std::uint8_t slot) { return (candidates >> slot & 1) != 0; };
    const auto end = order_.begin() + received_;
    const std::uint32_t reverse = at_source_ ? registers_.reverse : registers_.relay_reverse;
    if ((reverse >> port & 1) != 0) return *std::find_if(std::make_reverse_iterator(end), order_.rend(), among);
    return *std::find_if(order_.begin(), end, among);
}

/// Flit `number` of the packet that leaves at a port.
void broadcast_unit::put(unsigned port, unsigned number, pins& out) {
    const unsigned slot = leaving_slot_[port];
    copy_flit(&out.data[port * flit_bytes_], &data_[(std::size_t{slot} * params_.slot_flits + number) * flit_bytes_],
              static_cast<unsigned>(flit_bytes_));
    out.valid |= bit(port);
    out.vc[port] = static_cast<std::uint8_t>(params_.unit_vc());
    if (number == 0) {
        out.head |= bit(port);
        // Both are empty where headers are in the flits.
        std::copy_n(headers_.data() + slot * header_bytes_, header_bytes_, out.header.data() + port * header_bytes_);
    }
    if (port == host_) --host_credits_;
    leaving_flit_[port] = static_cast<std::uint8_t>(number + 1);
    leaving_ |= bit(port);
    if (leaving_flit_[port] != flits_[slot]) return;
    out.tail |= bit(port);
    leaving_ &= ~bit(port);
}

/// Step 4.
void broadcast_unit::forget() {
    for (std::uint64_t set = due_ports_; set != 0; set &= set - 1) {
        const unsigned port = lowest(set);
        due_[port] &= ~not_wanted(port);
        if (due_[port] == 0) due_ports_ &= ~bit(port);
    }
}

/// A flit on the pins of any port but that of the unit's host.
void broadcast_unit::receive(unsigned port, const pins& in, pins& out) {
    if ((network_ >> port & 1) == 0) return raise(port, chip_error::bad_vc, out);
    const vc_framing::verdict flit =
        framing_[port].arrive((in.head >> port & 1) != 0, (in.tail >> port & 1) != 0, true, params_.slot_flits);
    raise(port, flit.errors, out);
    if (flit.stored)
        take(port, flit.head, flit.tail, {&in.data[port * flit_bytes_], in.header.data() + port * header_bytes_}, out);
}

/// The injection buffer.
void broadcast_unit::inject(const pins& in, bool arrives, pins& out) {
    const bool room = inject_count_ < params_.inject_flits;
    if (inject_count_ != 0 && !waits()) {
        const unsigned place = inject_first_;
        take(host_, (inject_heads_ >> place & 1) != 0, (inject_tails_ >> place & 1) != 0,
             {&inject_data_[place * flit_bytes_], inject_headers_.data() + place * header_bytes_}, out);
        inject_first_ = place + 1 == params_.inject_flits ? 0 : place + 1;
        --inject_count_;
        ++waiting_credits_;
    }
    if (!arrives) return;
    const vc_framing::verdict flit =
        framing_[host_].arrive((in.head >> host_ & 1) != 0, (in.tail >> host_ & 1) != 0, room, params_.slot_flits);
    raise(host_, flit.errors, out);
    if (!flit.stored) return;
    unsigned place = inject_first_ + inject_count_++;
    if (place >= params_.inject_flits) place -= params_.inject_flits;
    inject_heads_ = (inject_heads_ & ~bit(place)) | std::uint64_t{flit.head} << place;
    inject_tails_ = (inject_tails_ & ~bit(place)) | std::uint64_t{flit.tail} << place;
    copy_flit(&inject_data_[place * flit_bytes_], &in.data[host_ * flit_bytes_], static_cast<unsigned>(flit_bytes_));
    std::copy_n(in.header.data() + host_ * header_bytes_, header_bytes_,
                inject_headers_.data() + place * header_bytes_);
}

/// The first flit of the injection buffer is a head of a later round.
bool broadcast_unit::waits() const {
    if ((inject_heads_ >> inject_first_ & 1) == 0) return false;
    const std::uint8_t* header = header_at(inject_data_.data() + inject_first_ * flit_bytes_,
                                           inject_headers_.data() + inject_first_ * header_bytes_);
    if ((header[0] & 0xf) != static_cast<unsigned>(format::packet_kind::pipelined)) return false;
    const unsigned ahead = (format::read_pipelined(header).round - round_) % round_count;
    return ahead >= 1 && ahead < round_count / 2;
}

/// A flit that goes into a slot or is dropped.
void broadcast_unit::take(unsigned port, bool head, bool tail, flit_bytes flit, pins& out) {
    if (head) take_head(port, header_at(flit.data, flit.header), out);
    if (taking_[port] == taking::accepted) {
        const unsigned slot = taking_slot_[port];
        if (head) std::copy_n(flit.header, header_bytes_, headers_.data() + slot * header_bytes_);
        copy_flit(&data_[(std::size_t{slot} * params_.slot_flits + flits_[slot]++) * flit_bytes_], flit.data,
                  static_cast<unsigned>(flit_bytes_));
        if (tail) complete(slot);
    }
    if (tail) taking_[port] = taking::none;
}

void broadcast_unit::take_head(unsigned port, const std::uint8_t* header, pins& out) {
    const auto source = format::read_field<format::source_field>(header);
    const auto fields = format::read_pipelined(header);
    const broadcast_event event = judge(source, header);
    const unsigned slot = fields.packet;
    if (event != broadcast_event::none) {
        taking_[port] = taking::discarded;
        out.events.push_back(
            {.pin = static_cast<std::uint8_t>(port), .code = static_cast<std::uint8_t>(event), .index = fields.packet});
        if (event != broadcast_event::duplicate || port == host_) return;
        targets_[slot] &= ~static_cast<std::uint32_t>(bit(port));
        due_[port] &= ~bit(slot);
        if (due_[port] == 0) due_ports_ &= ~bit(port);
        return;
    }
    if (everything_ == 0) begin_round(source, fields.last_packet);
    taking_[port] = taking::accepted;
    taking_slot_[port] = static_cast<std::uint8_t>(slot);
    have_ |= bit(slot);
    flits_[slot] = 0;
    targets_[slot] = colour_targets_[fields.colour] & ~static_cast<std::uint32_t>(port == host_ ? 0 : bit(port));
}

broadcast_event broadcast_unit::judge(std::uint32_t source, const std::uint8_t* header) const {
    if ((header[0] & 0xf) != static_cast<unsigned>(format::packet_kind::pipelined)) return broadcast_event::bad_packet;
    const auto fields = format::read_pipelined(header);
    const unsigned dimension = registers_.algorithm == broadcast_algorithm::trees ? fields.colour / 2u : fields.colour;
    const bool known = everything_ != 0 && source == source_;
    if ((!known && !in_community(source)) || fields.last_packet >= params_.slots ||
        fields.packet > fields.last_packet || (registers_.dims >> dimension & 1) == 0)
        return broadcast_event::bad_packet;
    const unsigned ahead = (fields.round - round_) % round_count;
    if (ahead >= round_count / 2) return broadcast_event::stale;
    if (ahead != 0) return broadcast_event::early;
    if (everything_ != 0 && (source != source_ || fields.last_packet != last_)) return broadcast_event::conflict;
    return (have_ >> fields.packet & 1) != 0 ? broadcast_event::duplicate : broadcast_event::none;
}

bool broadcast_unit::in_community(std::uint32_t node) const {
    if (node >= params_.router.nodes()) return false;
    const auto place = coordinates_of(node, params_.router);
    for (unsigned d = 0; d < params_.router.dimensions; ++d)
        if (place[d] != own_[d] && (registers_.dims >> d & 1) == 0) return false;
    return true;
}

/// The first head of a round has come.
void broadcast_unit::begin_round(std::uint32_t source, unsigned last) {
    source_ = source;
    last_ = static_cast<std::uint8_t>(last);
    everything_ = last == 63 ? ~std::uint64_t{0} : bit(last + 1) - 1;
    at_source_ = source == registers_.router.node;
    const auto place = coordinates_of(source, params_.router);
    const bool trees = registers_.algorithm == broadcast_algorithm::trees;
    const auto host = static_cast<std::uint32_t>(at_source_ || registers_.host_credits == 0 ? 0 : bit(host_));
    for (unsigned colour = 0; colour < params_.router.dimensions * (trees ? 2 : 1); ++colour) {
        colour_targets_[colour] = host;
        for (std::uint64_t set = ports_; set != 0; set &= set - 1)
            if (rule_names(lowest(set), colour, place))
                colour_targets_[colour] |= static_cast<std::uint32_t>(set & -set);
    }
}

/// Does this node send packets of a colour (or tree) to its neighbour at a port?
bool broadcast_unit::rule_names(unsigned port, unsigned colour, const std::array<std::uint32_t, 4>& source) const {
    const unsigned dimensions = params_.router.dimensions;
    const unsigned dimension = registers_.dimension[port];
    unsigned differing = 0;
    for (unsigned d = 0; d < dimensions; ++d) differing |= unsigned{own_[d] != source[d]} << d;
    const bool meets_source = registers_.there[port] == source[dimension];
    if (registers_.algorithm == broadcast_algorithm::colours)
        return broadcast::sends_colour(dimensions, differing, colour, dimension, meets_source);
    const unsigned there = (differing & ~(1u << dimension)) | unsigned{!meets_source} << dimension;
    return port < host_ && there != 0 &&
           broadcast::tree_arrival(dimensions, there, colour) == broadcast::direction{dimension, port % 2 == 0};
}

void broadcast_unit::complete(unsigned slot) {
    complete_ |= bit(slot);
    order_[received_++] = static_cast<std::uint8_t>(slot);
    for (std::uint64_t set = targets_[slot]; set != 0; set &= set - 1) due_[lowest(set)] |= bit(slot);
    due_ports_ |= targets_[slot];
}

/// Step 6.
bool broadcast_unit::round_ends() const {
    if (everything_ == 0 || !everything() || (leaving_ | due_ports_) != 0) return false;
    for (std::uint64_t set = ports_; set != 0; set &= set - 1)
        if (!same_round(lowest(set)) && !next_round_there(lowest(set))) return false;
    return true;
}

bool broadcast_unit::awake() const {
    if (waiting_credits_ != 0 || (inject_count_ != 0 && !waits())) return true;
    const std::uint64_t host = host_credits_ == 0 ? bit(host_) : 0;
    if ((leaving_ & ~host) != 0) return true;
    for (std::uint64_t set = due_ports_ & ~host; set != 0; set &= set - 1)
        if ((may_leave(lowest(set)) | not_wanted(lowest(set))) != 0) return true;
    return round_ends();
}

bool broadcast_unit::idle() const {
    return have_ == 0 && leaving_ == 0 && inject_count_ == 0 && waiting_credits_ == 0 &&
           std::ranges::none_of(framing_, &vc_framing::busy) &&
           std::ranges::all_of(taking_, [](taking what) { return what == taking::none; });
}

std::size_t broadcast_unit::memory_bytes() const {
    return data_.capacity() + headers_.capacity() + inject_data_.capacity() + inject_headers_.capacity() +
           registers_.dimension.capacity() * sizeof(unsigned) + registers_.there.capacity() * sizeof(std::uint32_t);
}

}  // namespace polycast::hw::chips
