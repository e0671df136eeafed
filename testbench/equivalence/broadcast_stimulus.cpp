// SPDX-License-Identifier: Apache-2.0
#include "testbench/equivalence/broadcast_stimulus.h"

#include <algorithm>
#include <bit>

namespace polycast::testbench::equivalence {

using hw::chips::broadcast_algorithm;
using hw::engine::pins;

namespace {

constexpr std::uint64_t stimulus_stream = 34;
constexpr std::uint64_t message_stream = 1000;

router_run router_part(const broadcast_run& run) {
    return {run.params.router, run.seed, run.cycles, run.registers.router, run.traffic.router};
}

void write_bits(std::vector<std::uint8_t>& bytes, unsigned first, unsigned count, unsigned value) {
    for (unsigned bit = 0; bit < count; ++bit) {
        std::uint8_t& byte = bytes[(first + bit) / 8];
        const auto mask = static_cast<std::uint8_t>(1u << (first + bit) % 8);
        byte = static_cast<std::uint8_t>((value >> bit & 1) != 0 ? byte | mask : byte & ~mask);
    }
}

}  // namespace

broadcast_stimulus::broadcast_stimulus(const broadcast_run& run)
    : run_(run),
      random_(run.seed, stimulus_stream),
      router_(router_part(run)),
      router_out_(run.params.pin_shape(run.registers)),
      host_(run.params.host_port()) {
    restart();
}

void broadcast_stimulus::restart() {
    round_ = have_ = 0;
    neighbours_.assign(run_.params.router.ports, {});
    senders_.assign(run_.params.router.ports, {});
    host_round_ = 0;
    given_ = 0;
    inject_credits_ = run_.params.inject_flits;
    due_ = {};
    stalled_until_ = 0;
}

bool broadcast_stimulus::wants_reset() {
    if (!router_.wants_reset()) return false;
    restart();
    return true;
}

/// A node of the community.
std::uint32_t broadcast_stimulus::draw_node() {
    std::uint32_t node = run_.registers.router.node;
    std::uint32_t step = 1;
    for (unsigned d = 0; d < run_.params.router.dimensions; ++d, step *= run_.params.router.radix) {
        if ((run_.registers.dims >> d & 1) == 0 || random_.chance(300)) continue;
        node -= node / step % run_.params.router.radix * step;
        node += random_.below(run_.params.router.radix) * step;
    }
    return node;
}

const broadcast_stimulus::message& broadcast_stimulus::message_of(std::uint64_t round) {
    const auto found = messages_.find(round);
    if (found != messages_.end()) return found->second;
    message& made = messages_[round];
    made.source = random_.chance(run_.traffic.own) ? run_.registers.router.node : draw_node();
    made.packets = random_.chance(300) ? run_.traffic.most_packets : random_.between(1, run_.traffic.most_packets);
    for (unsigned packet = 0; packet < made.packets; ++packet)
        made.order.insert(made.order.begin() + random_.below(packet + 1), packet);
    return made;
}

/// One of a set that is not empty.
unsigned broadcast_stimulus::pick(std::uint64_t set) {
    for (unsigned left = random_.below(static_cast<unsigned>(std::popcount(set))); left != 0; --left) set &= set - 1;
    return static_cast<unsigned>(std::countr_zero(set));
}

/// What a neighbour gets from elsewhere, and what it shows.
void broadcast_stimulus::learn(unsigned port, pins& in) {
    neighbour& there = neighbours_[port];
    if (random_.chance(run_.traffic.learn)) {
        const std::uint64_t missing = all_of(there.round) & ~there.have;
        if (missing != 0) {
            there.have |= std::uint64_t{1} << pick(missing);
            there.told = false;
        } else if (there.round < round_ || (there.round == round_ && (all_of(round_) & ~have_) == 0)) {
            // It goes on when it has sent the unit everything, or seen that the unit has it.
            ++there.round;
            there.have = 0;
            there.told = false;
        }
    }
    const bool lies = random_.chance(run_.traffic.illegal) && random_.chance(10);
    if (there.told && !lies) return;
    in.side |= std::uint64_t{1} << port;
    in.sides[port] = {there.have, static_cast<std::uint8_t>(there.round % 4)};
    if (lies) {
        in.sides[port].round = static_cast<std::uint8_t>(random_.below(4));
        if (random_.chance(500)) in.sides[port].have = random_.word() & (~std::uint64_t{0} >> (64 - run_.params.slots));
    }
    there.told = !lies;
}

void broadcast_stimulus::begin(sender& from, std::uint64_t round, unsigned packet) {
    const message& what = message_of(round);
    const unsigned flit_bytes = run_.params.router.flit_bytes;
    from = {};
    from.flits = random_.chance(300) ? run_.params.slot_flits : random_.between(1, run_.params.slot_flits);
    // Of one colour or tree in all the network.
    const auto draw = hw::traffic::random_stream(run_.seed, message_stream + round * 64 + packet)();
    const unsigned used = pick(run_.registers.dims);
    unsigned dimension = static_cast<unsigned>(draw % run_.params.router.dimensions);
    if ((run_.registers.dims >> dimension & 1) == 0) dimension = used;
    fields header{5, what.source, packet, what.packets - 1, dimension, static_cast<unsigned>(round % 16)};
    if (run_.registers.algorithm == broadcast_algorithm::trees)
        header.colour = 2 * dimension + static_cast<unsigned>(draw >> 32 & 1);
    if (random_.chance(run_.traffic.illegal)) spoil(header, from);
    from.bytes.resize(std::size_t{from.flits} * flit_bytes);
    for (std::uint8_t& byte : from.bytes) byte = static_cast<std::uint8_t>(random_.word());
    if (run_.params.router.header_free) {
        from.header.resize(run_.params.router.pin_shape().header_bytes);
        for (std::uint8_t& byte : from.header) byte = static_cast<std::uint8_t>(random_.word());
    }
    std::vector<std::uint8_t>& carrier = from.header.empty() ? from.bytes : from.header;
    write_bits(carrier, 0, 4, header.kind);
    write_bits(carrier, 8, 24, header.source);
    write_bits(carrier, 80, 8, header.packet);
    write_bits(carrier, 88, 8, header.last);
    write_bits(carrier, 96, 4, header.colour);
    write_bits(carrier, 100, 4, header.round);
}

void broadcast_stimulus::spoil(fields& header, sender& from) {
    switch (random_.below(9)) {
        case 0: header.kind = random_.below(16); break;
        case 1: header.source = random_.below(1u << 24); break;
        case 2: header.source = random_.below(run_.params.router.nodes()); break;
        case 3: header.source = draw_node(); break;
        case 4: header.packet = random_.below(random_.chance(500) ? 256 : run_.params.slots); break;
        case 5: header.last = random_.below(random_.chance(500) ? 256 : run_.params.slots); break;
        case 6: header.colour = random_.below(16); break;
        case 7: header.round = random_.below(16); break;
        default:
            if (random_.chance(500)) from.flits += random_.between(1, 10);  // maybe too long
            from.head_again = random_.below(from.flits);
            break;
    }
}

bool broadcast_stimulus::begin_at_neighbour(unsigned port) {
    if (!random_.chance(run_.traffic.start)) return false;
    neighbour& there = neighbours_[port];
    const std::uint64_t from_round = is_open(port) ? there.round : round_;
    const bool repeats = random_.chance(run_.traffic.again);
    // A packet of the round before was on its way.
    if (from_round != round_ && !(from_round + 1 == round_ && repeats) && !random_.chance(run_.traffic.illegal))
        return false;
    const bool from_here = message_of(from_round).source == run_.registers.router.node;
    std::uint64_t set = all_of(from_round);
    if (!repeats) {
        if (from_here) return false;
        set &= ~have_;
        if (set == 0) return false;
    }
    const unsigned packet = pick(set);
    if (is_open(port) && (there.have >> packet & 1) == 0) {
        there.have |= std::uint64_t{1} << packet;
        there.told = false;
    }
    begin(senders_[port], from_round, packet);
    return true;
}

/// The host gives what its node is the source of, up to seven rounds ahead, and sometimes something else.
bool broadcast_stimulus::begin_at_host() {
    if (!random_.chance(run_.traffic.start)) return false;
    if (host_round_ < round_) {
        host_round_ = round_;
        given_ = 0;
    }
    if (random_.chance(run_.traffic.illegal) && random_.chance(200)) {
        begin(senders_[host_], round_ + random_.below(2), pick(all_of(round_)));
        return true;
    }
    if (host_round_ > round_ + 6) return false;
    const message& what = message_of(host_round_);
    if (what.source != run_.registers.router.node || given_ == what.packets) {
        ++host_round_;
        given_ = 0;
        return false;
    }
    const bool repeats = given_ != 0 && random_.chance(run_.traffic.again) && random_.chance(200);
    begin(senders_[host_], host_round_, what.order[repeats ? given_ - 1 : given_]);
    if (!repeats) ++given_;
    return true;
}

/// At most one flit.
void broadcast_stimulus::send(unsigned port, pins& in) {
    sender& from = senders_[port];
    const std::uint64_t mask = std::uint64_t{1} << port;
    if ((in.valid & mask) != 0) return;
    const auto vc = static_cast<std::uint8_t>(run_.params.unit_vc());
    const bool network = port < host_ || is_open(port);
    if (from.flits == 0) {
        if (random_.chance(run_.traffic.illegal) && random_.chance(100)) {  // a flit of no packet
            in.valid |= mask;
            if (random_.chance(300)) in.tail |= mask;
            in.vc[port] = vc;
            return;
        }
        if (port == host_) {
            if (!begin_at_host()) return;
        } else if (network || random_.chance(run_.traffic.illegal)) {
            if (!begin_at_neighbour(port)) return;
        } else {
            return;
        }
    }
    if (from.next != 0 && random_.chance(run_.traffic.pause)) return;
    if (port == host_ && from.next < run_.params.slot_flits) {
        const bool impatient = random_.chance(run_.traffic.illegal) && random_.chance(20);
        if (inject_credits_ == 0 && !impatient) return;
        if (inject_credits_ != 0) --inject_credits_;
    }
    const unsigned flit_bytes = run_.params.router.flit_bytes;
    in.valid |= mask;
    in.vc[port] = vc;
    if (from.next == 0 || from.next == from.head_again) in.head |= mask;
    std::copy_n(from.bytes.begin() + static_cast<std::ptrdiff_t>(std::size_t{from.next} * flit_bytes), flit_bytes,
                in.data.begin() + static_cast<std::ptrdiff_t>(port * flit_bytes));
    if (from.next == 0)
        std::ranges::copy(from.header, in.header.begin() + static_cast<std::ptrdiff_t>(port * from.header.size()));
    if (++from.next != from.flits) return;
    in.tail |= mask;
    from.flits = 0;
}

void broadcast_stimulus::give_back(pins& in) {
    const std::uint64_t mask = std::uint64_t{1} << host_;
    if (random_.chance(run_.traffic.stall)) stalled_until_ = cycle_ + random_.between(1, 100);
    if ((in.credit & mask) != 0) return;
    const bool extra = random_.chance(run_.traffic.illegal) && random_.chance(50);
    const bool due = !due_.empty() && due_.front() <= cycle_ && stalled_until_ <= cycle_;
    if (!extra && !due) return;
    if (!extra) due_.pop();
    in.credit |= mask;
    in.credit_vc[host_] = static_cast<std::uint8_t>(run_.params.unit_vc());
}

void broadcast_stimulus::drive(pins& in) {
    router_.drive(in);
    for (unsigned port = 0; port < run_.params.router.ports; ++port) {
        if (is_open(port)) learn(port, in);
        send(port, in);
    }
    give_back(in);
    ++cycle_;
}

void broadcast_stimulus::see(const pins& out) {
    router_out_ = out;
    for (unsigned port = 0; port < run_.params.router.ports; ++port) {
        const std::uint64_t mask = std::uint64_t{1} << port;
        if ((out.credit & mask) != 0 && out.credit_vc[port] == run_.params.unit_vc()) {
            router_out_.credit &= ~mask;
            ++inject_credits_;
        }
        if ((out.side & mask) != 0) {
            if (out.sides[port].round != round_ % 4) {
                messages_.erase(messages_.begin(), messages_.lower_bound(round_));
                ++round_;
            }
            have_ = out.sides[port].have;
        }
        if ((out.valid & mask) == 0 || out.vc[port] != run_.params.unit_vc()) continue;
        router_out_.valid &= ~mask;
        if (port == host_)
            due_.push(std::max(due_.empty() ? 0 : due_.back(), cycle_ + random_.between(0, run_.traffic.host_delay)));
        if ((out.head & mask) == 0 || !is_open(port)) continue;
        const std::uint8_t* header = run_.params.router.header_free
                                         ? &out.header[port * router_out_.header.size() / run_.params.router.ports]
                                         : &out.data[std::size_t{port} * run_.params.router.flit_bytes];
        neighbour& there = neighbours_[port];
        if (there.round % 16 != header[12] >> 4 || header[10] >= message_of(there.round).packets) continue;
        there.have |= std::uint64_t{1} << header[10];
        there.told = false;
    }
    router_.see(router_out_);
}

}  // namespace polycast::testbench::equivalence
