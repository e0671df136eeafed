// SPDX-License-Identifier: Apache-2.0
#include "testbench/equivalence/link_stimulus.h"

#include <algorithm>
#include <utility>

namespace polycast::testbench::equivalence {

using hw::engine::pins;

namespace {
constexpr unsigned vc_numbers = 16;  // that the pins can name
}

link_stimulus::link_stimulus(link_rules rules, const link_traffic& traffic, const dice& random)
    : random_(random), rules_(std::move(rules)), traffic_(traffic) {
    restart();
}

void link_stimulus::restart() {
    const std::size_t channels = std::size_t{rules_.shape.ports} * rules_.shape.vcs;
    senders_.assign(channels, {});
    receivers_.assign(channels, {});
    sending_.assign(rules_.shape.ports, rules_.shape.vcs);
    for (unsigned port = 0; port < rules_.shape.ports; ++port) {
        for (unsigned vc = 0; vc < rules_.shape.vcs; ++vc) {
            const bool alike = rules_.buffers.size() != channels;
            senders_[at(port, vc)].credits = rules_.buffers[alike ? port : at(port, vc)];
        }
    }
}

bool link_stimulus::wants_reset() {
    if (random_.below(1'000'000) >= traffic_.resets) return false;
    const std::vector<sender> before = senders_;
    restart();
    // Some senders do not notice: the rest of their packet comes in without its head.
    for (std::size_t index = 0; index < senders_.size() && traffic_.illegal != 0; ++index) {
        if (before[index].next == 0 || before[index].flits == 0 || !random_.chance(300)) continue;
        senders_[index].bytes = before[index].bytes;
        senders_[index].flits = before[index].flits;
        senders_[index].next = before[index].next;
        senders_[index].cut = true;  // none of it is kept
    }
    return true;
}

void link_stimulus::begin_packet(unsigned port, sender& from) {
    const unsigned credits = from.credits;
    from = {};
    from.credits = credits;
    const std::vector<std::uint8_t> header = make_header(port);
    const unsigned least = header_free() ? 1 : header_flits(header);
    const unsigned most = std::max(least, traffic_.longest);
    from.flits = random_.chance(200) ? least : random_.chance(300) ? most : random_.between(least, most);
    if (from.flits > rules_.packet_limit && traffic_.illegal == 0) from.flits = rules_.packet_limit;
    from.bytes.resize(std::size_t{std::max(from.flits, least) + 70} * rules_.shape.flit_bytes);
    for (std::uint8_t& byte : from.bytes) byte = static_cast<std::uint8_t>(random_.word());
    if (header_free()) {
        from.header.resize(rules_.shape.header_bytes);
        for (std::uint8_t& byte : from.header) byte = static_cast<std::uint8_t>(random_.word());
    }
    std::vector<std::uint8_t>& carrier = header_free() ? from.header : from.bytes;
    std::copy_n(header.begin(), std::min(header.size(), carrier.size()), carrier.begin());
    finish_packet(from.bytes, from.header, from.flits);
    if (random_.chance(traffic_.illegal)) spoil(from);
}

void link_stimulus::finish_packet(std::vector<std::uint8_t>&, std::vector<std::uint8_t>&, unsigned&) {}

void link_stimulus::spoil(sender& from) {
    const auto header = [&]() -> std::vector<std::uint8_t>& { return header_free() ? from.header : from.bytes; };
    switch (random_.below(5)) {
        case 0:  // maybe a short header
            from.flits = random_.between(1, from.flits);
            break;
        case 1:  // too long
            from.flits = std::max(from.flits, rules_.packet_limit) + random_.between(1, 60);
            from.bytes.resize(std::size_t{from.flits} * rules_.shape.flit_bytes);
            break;
        case 2: spoil_kind(header().data()); break;
        case 3:  // a second head
            from.head_again = random_.below(from.flits);
            break;
        default:  // maybe an overflow
            from.ignores_credits = true;
            break;
    }
    if (random_.chance(200)) spoil_destination(header().data(), header().size());
}

/// At most one flit: of the first sender that has one, from a random one on.
void link_stimulus::send(unsigned port, pins& in) {
    const unsigned vcs = rules_.shape.vcs;
    const unsigned first = vcs > 1 ? random_.below(vcs) : 0;
    for (unsigned offset = 0; offset < vcs; ++offset) {
        const unsigned vc = (first + offset) % vcs;
        if (sending_[port] != vcs && sending_[port] != vc) continue;
        if (!send(port, vc, in)) continue;
        if (traffic_.whole) sending_[port] = senders_[at(port, vc)].flits == 0 ? vcs : vc;
        if (in.vc.empty()) return;
        in.vc[port] = static_cast<std::uint8_t>(vc);
        // A flit that loses its way: the packet goes on without it.
        if (vcs < vc_numbers && random_.chance(traffic_.illegal) && random_.chance(50))
            in.vc[port] = static_cast<std::uint8_t>(random_.between(vcs, vc_numbers - 1));
        return;
    }
}

bool link_stimulus::fits(const sender& from) const {
    return std::uint64_t{from.credits} * rules_.chunk_flits >= rules_.packet_limit;
}

bool link_stimulus::send(unsigned port, unsigned vc, pins& in) {
    sender& from = senders_[at(port, vc)];
    const std::uint64_t mask = std::uint64_t{1} << port;
    const unsigned flit_bytes = rules_.shape.flit_bytes;
    if (from.flits == 0) {
        if (random_.chance(traffic_.illegal) && random_.chance(100)) {  // a flit of no packet
            in.valid |= mask;
            if (random_.chance(300)) in.tail |= mask;
            return true;
        }
        if (!random_.chance(traffic_.start) || !may_begin()) return false;
        if (traffic_.whole && !fits(from) && !random_.chance(traffic_.illegal)) return false;
        begin_packet(port, from);
    }
    if (from.next != 0 && random_.chance(traffic_.pause)) return false;
    const bool needs_chunk = !from.cut && from.stored % rules_.chunk_flits == 0;
    if (needs_chunk && from.credits == 0) {
        const bool impatient = random_.chance(traffic_.illegal) && random_.chance(20);
        if (!impatient && !(from.ignores_credits && random_.chance(300))) return false;
    } else if (needs_chunk) {
        --from.credits;
    }
    in.valid |= mask;
    if (from.next == 0 || from.next == from.head_again) in.head |= mask;
    std::copy_n(from.bytes.begin() + static_cast<std::ptrdiff_t>(std::size_t{from.next} * flit_bytes), flit_bytes,
                in.data.begin() + static_cast<std::ptrdiff_t>(port * flit_bytes));
    if (!from.header.empty() && from.next == 0) {
        std::ranges::copy(from.header, in.header.begin() + static_cast<std::ptrdiff_t>(port * from.header.size()));
    }
    ++from.next;
    if (!from.cut && ++from.stored == rules_.packet_limit) from.cut = true;
    if (from.next != from.flits) return true;
    in.tail |= mask;
    from.flits = 0;
    return true;
}

/// At most one credit: of the first receiver that owes one, from a random one on.
void link_stimulus::give_back(unsigned port, pins& in) {
    const unsigned vcs = rules_.shape.vcs;
    const unsigned first = vcs > 1 ? random_.below(vcs) : 0;
    bool given = false;
    for (unsigned offset = 0; offset < vcs; ++offset) {
        const unsigned vc = (first + offset) % vcs;
        receiver& to = receivers_[at(port, vc)];
        if (to.stalled_until <= cycle_ && random_.chance(traffic_.stall))
            to.stalled_until = cycle_ + random_.between(1, traffic_.stall_cycles);
        const bool extra = random_.chance(traffic_.illegal) && random_.chance(50);
        const bool due = !to.due.empty() && to.due.front() <= cycle_ && to.stalled_until <= cycle_;
        if (given || (!extra && !due)) continue;
        given = true;
        in.credit |= std::uint64_t{1} << port;
        if (!extra) to.due.pop();
        if (in.credit_vc.empty()) continue;
        in.credit_vc[port] = static_cast<std::uint8_t>(extra && random_.chance(300) ? random_.below(vc_numbers) : vc);
    }
}

void link_stimulus::drive(pins& in) {
    in.clear();
    for (std::uint8_t& byte : in.data) byte = static_cast<std::uint8_t>(random_.word());
    if (random_.chance(100)) {
        for (std::uint8_t& byte : in.header) byte = static_cast<std::uint8_t>(random_.word());
    }
    for (std::uint8_t& vc : in.vc) vc = static_cast<std::uint8_t>(random_.below(vc_numbers));
    for (std::uint8_t& vc : in.credit_vc) vc = static_cast<std::uint8_t>(random_.below(vc_numbers));
    if (traffic_.stall_all != 0 && random_.chance(traffic_.stall_all)) {
        const std::uint64_t until = cycle_ + random_.between(1, traffic_.stall_cycles);
        for (receiver& to : receivers_) to.stalled_until = until;
    }
    for (unsigned port = 0; port < rules_.shape.ports; ++port) {
        send(port, in);
        give_back(port, in);
    }
    ++cycle_;
}

void link_stimulus::see(const pins& out) {
    for (unsigned port = 0; port < rules_.shape.ports; ++port) {
        const auto up = [port](std::uint64_t set) { return (set >> port & 1) != 0; };
        if (up(out.credit)) ++senders_[at(port, out.credit_vc.empty() ? 0 : out.credit_vc[port])].credits;
        if (!up(out.valid)) continue;
        receiver& to = receivers_[at(port, out.vc.empty() ? 0 : out.vc[port])];
        if (up(out.head)) to.offset = 0;
        if (to.offset == 0) {
            const std::uint64_t soonest = to.due.empty() ? 0 : to.due.back();
            to.due.push(std::max(soonest, cycle_ + random_.between(0, traffic_.credit_delay)));
        }
        if (++to.offset == rules_.chunk_flits) to.offset = 0;
    }
}

}  // namespace polycast::testbench::equivalence
