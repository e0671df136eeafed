// SPDX-License-Identifier: Apache-2.0
#include "hw/engine/network_part.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include "hw/engine/packing.h"
#include "hw/engine/step_record.h"

namespace polycast::hw::engine {

namespace {

bool has_side(const pin_shape& shape, unsigned port) {
    return (shape.side_ports >> port & 1) != 0;
}

/// Of an error among others.
std::tuple<cycle, chip_id, unsigned> place_of(const error_event& error) {
    return {error.when, error.where.chip, error.where.port};
}

/// Each list is in order of time; `key` orders what is of one cycle.
template <typename record, typename key_of>
void merge(std::vector<record>& into, const std::vector<record>& more, const key_of& key) {
    const auto middle = static_cast<std::ptrdiff_t>(into.size());
    into.insert(into.end(), more.begin(), more.end());
    std::inplace_merge(into.begin(), into.begin() + middle, into.end(),
                       [&](const record& a, const record& b) { return key(a) < key(b); });
    if (into.size() > part_counters::most_records) into.resize(part_counters::most_records);
}

}  // namespace

part_counters& part_counters::operator+=(const part_counters& more) {
    last_flit = std::max(last_flit, more.last_flit);
    chip_steps += more.chip_steps;
    flit_hops += more.flit_hops;
    packet_hops += more.packet_hops;
    merge(errors, more.errors, place_of);
    error_count += more.error_count;
    merge(events, more.events, [](const event_record& e) { return std::pair(e.when, e.chip); });
    event_count += more.event_count;
    return *this;
}

/// The next step of a chip is in cycle `next`; `soon`: the next one to be simulated.
inline void network_part::wake(chip_node& node, chip_id id, cycle next, cycle soon) {
    if (next == soon) {
        next_active_[node.local / 64] |= std::uint64_t{1} << (node.local % 64);
        any_next_ = true;
        node.wake = never;
    } else if (next != node.wake) {
        node.wake = next;
        if (next != never) timers_.push({next, id});
    }
}

network_part::network_part(network_chips& all, std::uint32_t index, std::size_t parts, std::size_t slots)
    : chips_(all), index_(index), several_(parts > 1 || all.ranks > 1), slots_(slots), slot_mask_(slots - 1) {
    for (auto& boxes : outbox_) boxes.resize(parts + (all.ranks > 1 ? all.ranks : 0));
}

void network_part::adopt(chip_id id) {
    chip_node& node = chips_.nodes[id];
    node.part = index_;
    node.local = static_cast<std::uint32_t>(ids_.size());
    ids_.push_back(id);
    if (node.told != nullptr) node.told->wait_in(several() ? &log_ : nullptr);
}

void network_part::add(chip_id id, bool step) {
    adopt(id);
    chip_node& node = chips_.nodes[id];
    active_.resize((ids_.size() + 63) / 64);
    next_active_.resize(active_.size());
    const pin_shape& shape = *node.shape;
    const auto found = std::ranges::find(shapes_, shape);
    node.scratch = static_cast<std::uint32_t>(found - shapes_.begin());
    if (found == shapes_.end()) {
        shapes_.push_back(shape);
        scratch_.emplace_back(shape);
    }
    if (step) {
        wake(node, id, now_, now_);
    } else if (node.wake != never) {
        timers_.push({node.wake, id});
    }
}

cycle network_part::next_activity() const {
    if (any_next_) return now_;
    cycle next = timers_.empty() ? never : timers_.top().when;
    if (!packets_.empty()) next = std::min(next, packets_.front().when);
    next = std::min(next, earliest_mail_);
    if (pending_ == 0) return next;
    for (cycle when = now_; when < now_ + slots_.size(); ++when)
        if (!slots_[when & slot_mask_].empty()) return std::min(next, when);
    return next;
}

void network_part::run(cycle end, const std::vector<std::unique_ptr<network_part>>& all,
                       const std::function<bool()>& stop) {
    if (several()) {
        collect(all);
        turn_ ^= 1;
        earliest_mail_ = never;
    }
    stopped_ = false;
    try {
        while (true) {
            // What was sent in this window arrives behind it.
            const cycle next = next_activity();
            if (next >= end) {
                if (end != never && (several() || next != never)) now_ = std::max(now_, end);
                return;
            }
            now_ = next;
            simulate_cycle();
            quiet_from_ = ++now_;
            if (stop && stop()) {
                stopped_ = true;
                return;
            }
        }
    } catch (...) {
        failure_ = {now_, stepped_, std::current_exception()};
    }
}

void network_part::collect(const std::vector<std::unique_ptr<network_part>>& all) {
    for (const std::unique_ptr<network_part>& other : all) {
        if (other.get() == this) continue;
        mailbox& mail = other->outbox_[turn_][index_];
        take_mail(mail);
        mail.clear();
    }
}

/// Adds a flit to a slot, with its bytes, which are among `bytes`.
void network_part::append(arrivals& to, const std::vector<std::uint8_t>& bytes, const flit_event& event) const {
    const pin_shape& shape = *chips_.nodes[event.chip].shape;
    const std::size_t count = (shape.flit_bytes == 1 ? 0 : shape.flit_bytes) +
                              ((event.ends & head_end) != 0 ? std::size_t{shape.header_bytes} : 0);
    flit_event moved = event;
    moved.offset = static_cast<std::uint32_t>(to.bytes.size());
    const auto first = bytes.begin() + event.offset;
    to.bytes.insert(to.bytes.end(), first, first + static_cast<std::ptrdiff_t>(count));
    to.flits.push_back(moved);
}

void network_part::take_mail(const mailbox& mail) {
    for (const auto& [when, flit] : mail.flits) {
        if (!here(flit.chip)) continue;
        append(slot_at(when), mail.bytes, flit);
        ++pending_;
    }
    for (const auto& [when, credit] : mail.credits) {
        if (!here(credit.chip)) continue;
        slot_at(when).credits.push_back(credit);
        ++pending_;
    }
    for (const auto& [when, side] : mail.sides) {
        if (!here(side.chip)) continue;
        slot_at(when).sides.push_back(side);
        ++pending_;
    }
    for (const packet_event& packet : mail.packets) {
        if (!here(packet.chip)) continue;
        packets_.push_back(packet);
        std::ranges::push_heap(packets_, std::greater<>{});
    }
}

network_part::contents network_part::release() {
    contents all;
    for (std::size_t word = 0; word < next_active_.size(); ++word)
        for (std::uint64_t set = next_active_[word]; set != 0; set &= set - 1)
            all.active.push_back(ids_[word * 64 + static_cast<unsigned>(std::countr_zero(set))]);
    for (cycle when = now_; when < now_ + slots_.size(); ++when)
        if (!slot_at(when).empty()) all.slots.emplace_back(when, std::move(slot_at(when)));
    all.packets = std::move(packets_);
    return all;
}

void network_part::take(const contents& released) {
    for (const chip_id id : released.active)
        if (here(id)) wake(chips_.nodes[id], id, now_, now_);
    for (const auto& [when, from] : released.slots) {
        arrivals& to = slot_at(when);
        pending_ -= to.size();
        for (const flit_event& event : from.flits)
            if (here(event.chip)) append(to, from.bytes, event);
        for (const credit_event& event : from.credits)
            if (here(event.chip)) to.credits.push_back(event);
        for (const side_event& event : from.sides)
            if (here(event.chip)) to.sides.push_back(event);
        pending_ += to.size();
    }
    for (const packet_event& packet : released.packets)
        if (here(packet.chip)) packets_.push_back(packet);
    std::ranges::make_heap(packets_, std::greater<>{});
}

std::size_t network_part::memory_bytes() const {
    std::size_t bytes =
        sizeof *this + slots_.capacity() * sizeof(arrivals) + packets_.capacity() * sizeof(packet_event);
    for (const arrivals& slot : slots_) {
        bytes += slot.flits.capacity() * sizeof(flit_event) + slot.credits.capacity() * sizeof(credit_event) +
                 slot.bytes.capacity() + slot.sides.capacity() * sizeof(side_event);
    }
    return bytes;
}

void network_part::simulate_cycle() {
    std::swap(active_, next_active_);
    any_next_ = false;
    std::ranges::fill(next_active_, std::uint64_t{0});
    while (!timers_.empty() && timers_.top().when <= now_) {
        const timer due = timers_.top();
        timers_.pop();
        if (chips_.nodes[due.chip].wake != due.when) continue;
        chips_.nodes[due.chip].wake = never;
        activate(due.chip);
    }
    deliver(slot_at(now_));
    deliver_packets();
    for (std::size_t word = 0; word < active_.size(); ++word) {
        for (std::uint64_t set = active_[word]; set != 0; set &= set - 1) {
            const chip_id id = ids_[word * 64 + static_cast<unsigned>(std::countr_zero(set))];
            if (!is_behind_end(id)) step_chip(id);
        }
    }
    // Timers that their chips have taken back are no activity.
    while (!timers_.empty() && chips_.nodes[timers_.top().chip].wake != timers_.top().when) timers_.pop();
}

void network_part::deliver(arrivals& all) {
    for (const flit_event& event : all.flits) {
        chip_node& node = chips_.nodes[event.chip];
        const std::uint64_t mask = std::uint64_t{1} << event.port;
        node.in.valid |= mask;
        const bool head = (event.ends & head_end) != 0;
        if (head) node.in.head |= mask;
        if ((event.ends & tail_end) != 0) node.in.tail |= mask;
        const pin_shape& shape = *node.shape;
        if (shape.vcs > 1) node.in.vc[event.port] = event.vc;
        if (shape.flit_bytes == 1) {
            node.in.data[event.port] = event.byte;
        } else {
            std::memcpy(&node.in.data[std::size_t{event.port} * shape.flit_bytes], &all.bytes[event.offset],
                        shape.flit_bytes);
        }
        if (head && shape.header_bytes != 0) {
            const std::size_t offset = event.offset + (shape.flit_bytes == 1 ? 0 : shape.flit_bytes);
            std::memcpy(&node.in.header[std::size_t{event.port} * shape.header_bytes], &all.bytes[offset],
                        shape.header_bytes);
        }
        link_state& link = chips_.links[node.first_link + event.port];
        if (shape.side_ports == 0 || !has_side(shape, event.port) || event.vc != shape.side_vc) {
            link.into.flit_arrived(now_, head, link.chunk_flits);
        } else {
            link.into.uncredited_arrived(head);
        }
        activate(event.chip);
    }
    for (const credit_event& event : all.credits) {
        pins& in = chips_.nodes[event.chip].in;
        in.credit |= std::uint64_t{1} << event.port;
        if (!in.credit_vc.empty()) in.credit_vc[event.port] = event.vc;
        activate(event.chip);
    }
    for (const side_event& event : all.sides) {
        pins& in = chips_.nodes[event.chip].in;
        in.side |= std::uint64_t{1} << event.port;
        in.sides[event.port] = event.state;
        activate(event.chip);
    }
    pending_ -= all.size();
    all.clear();
}

void network_part::deliver_packets() {
    while (!packets_.empty() && packets_.front().when == now_) {
        std::ranges::pop_heap(packets_, std::greater<>{});
        packet_event event = std::move(packets_.back());
        packets_.pop_back();
        chip_node& node = chips_.nodes[event.chip];
        node.in.packet |= std::uint64_t{1} << event.port;
        link_state& link = chips_.links[node.first_link + event.port];
        link.into.flits += event.packet.flits;
        if (event.packet.flits != 0) ++link.into.packets;
        node.in.packets[event.port] = std::move(event.packet);
        activate(event.chip);
    }
}

void network_part::step_chip(chip_id id) {
    chip_node& node = chips_.nodes[id];
    pins& out = scratch_[node.scratch];
    out.clear();
    stepped_ = id;
    if (several()) log_.begin(now_, id);
    const cycle next = node.chip->step(now_, node.in, out);
    ++counters_.chip_steps;
    ++node.steps;
    if (chips_.watching != watching::nobody) show_step(id, node.in, out);
    node.in.clear();
    if (!out.quiet()) send(id, out);
    wake(node, id, next, now_ + 1);
}

void network_part::show_step(chip_id id, const pins& in, const pins& out) {
    const chip_node& node = chips_.nodes[id];
    if (chips_.watching == watching::at_once) {
        if (!several()) return chips_.observer->stepped(id, now_, in, out, *node.chip);
        // The window is this cycle, so the chip stays as it is now until the observer is told.
        return log_.add(
            [this, id, now = now_, in, out] { chips_.observer->stepped(id, now, in, out, *chips_.nodes[id].chip); });
    }
    step_record step(*node.shape);
    step.in = in;
    step.out = out;
    if (const pins* const expected = node.chip->reference()) step.reference = *expected;
    node.chip->probe(step.probe);
    step.xmit_wait = xmit_wait_of(*node.chip);
    if (effect_writer* const writer = log_.writer()) return writer->add(now_, id, step_record::number, step);
    log_.add([this, id, now = now_, step = std::move(step)] { step.show(*chips_.observer, id, now); });
}

void network_part::send_outside(const link_state& link, unsigned port, const chip_node& node, const pins& out) {
    const pin_shape& shape = *node.shape;
    const bool head = (out.head >> port & 1) != 0;
    const bool with_header = head && shape.header_bytes != 0;
    const std::uint8_t* const header = with_header ? &out.header[std::size_t{port} * shape.header_bytes] : nullptr;
    const flit sent{head, (out.tail >> port & 1) != 0, shape.vcs > 1 ? out.vc[port] : std::uint8_t{0},
                    &out.data[std::size_t{port} * shape.flit_bytes], header};
    ++counters_.flit_hops;
    counters_.last_flit = now_ + 1;
    if (!several()) return link.outside->flit_sent(now_ + 1, sent);
    std::vector<std::uint8_t> bytes(sent.data, sent.data + shape.flit_bytes);
    if (with_header) bytes.insert(bytes.end(), header, header + shape.header_bytes);
    log_.add([to = link.outside, when = now_ + 1, sent, bytes, header_at = with_header ? shape.flit_bytes : 0] {
        to->flit_sent(when, {sent.head, sent.tail, sent.vc, bytes.data(), header_at ? &bytes[header_at] : nullptr});
    });
}

/// What is sent now over a link to another part goes there, and arrives in cycle `when`.
network_part::mailbox& network_part::box_of(const link_state& link, cycle when) {
    earliest_mail_ = std::min(earliest_mail_, when);
    return outbox_[turn_][link.to_part];
}

template <typename event>
void network_part::post(const link_state& link, const event& what, std::vector<event> arrivals::*here,
                        std::vector<letter<event>> mailbox::*away) {
    const cycle when = now_ + 1 + link.delay;
    if (link.to_part != index_) {
        (box_of(link, when).*away).push_back({when, what});
    } else {
        (slot_at(when).*here).push_back(what);
        ++pending_;
    }
}

void network_part::send_sides(const chip_node& node, const pins& out) {
    for (std::uint64_t set = out.side; set != 0; set &= set - 1) {
        const auto port = static_cast<unsigned>(std::countr_zero(set));
        const link_state& link = chips_.links[node.first_link + port];
        const side_state& state = out.sides[port];
        if (link.to.chip != chip_network::no_chip) {
            post(link, {link.to.chip, static_cast<std::uint8_t>(link.to.port), state}, &arrivals::sides,
                 &mailbox::sides);
        } else if (link.outside != nullptr) {
            if (!several()) {
                link.outside->side_sent(now_ + 1, state);
            } else {
                log_.add([to = link.outside, when = now_ + 1, state] { to->side_sent(when, state); });
            }
        }
    }
}

void network_part::send_packets(const chip_node& node, const pins& out) {
    for (std::uint64_t set = out.packet; set != 0; set &= set - 1) {
        const auto port = static_cast<unsigned>(std::countr_zero(set));
        const link_state& link = chips_.links[node.first_link + port];
        if (link.to.chip == chip_network::no_chip) continue;
        const cycle when = now_ + 1 + link.delay;
        packet_event event{when, link.to.chip, link.to.port, out.packets[port]};
        if (event.packet.flits != 0) {
            ++counters_.packet_hops;
            counters_.last_flit = std::max(counters_.last_flit, now_ + event.packet.cycles);
        }
        if (link.to_part != index_) {
            box_of(link, when).packets.push_back(std::move(event));
        } else {
            packets_.push_back(std::move(event));
            std::ranges::push_heap(packets_, std::greater<>{});
        }
    }
}

void network_part::send(chip_id id, const pins& out) {
    const chip_node& node = chips_.nodes[id];
    const pin_shape& shape = *node.shape;
    for (std::uint64_t set = out.valid; set != 0; set &= set - 1) {
        const auto port = static_cast<unsigned>(std::countr_zero(set));
        const link_state& link = chips_.links[node.first_link + port];
        if (link.to.chip == chip_network::no_chip) {
            if (link.outside != nullptr) send_outside(link, port, node, out);
            continue;
        }
        const cycle when = now_ + 1 + link.delay;
        arrivals& slot = slot_at(when);
        mailbox* const box = link.to_part != index_ ? &box_of(link, when) : nullptr;
        std::vector<std::uint8_t>& bytes = box != nullptr ? box->bytes : slot.bytes;
        const bool head = (out.head >> port & 1) != 0;
        flit_event event{link.to.chip,
                         static_cast<std::uint8_t>(link.to.port),
                         ends(head, (out.tail >> port & 1) != 0),
                         shape.vcs > 1 ? out.vc[port] : std::uint8_t{0},
                         0,
                         static_cast<std::uint32_t>(bytes.size())};
        if (shape.flit_bytes == 1) {
            event.byte = out.data[port];
        } else {
            const auto flit = out.data.begin() + static_cast<std::ptrdiff_t>(port) * shape.flit_bytes;
            bytes.insert(bytes.end(), flit, flit + shape.flit_bytes);
        }
        if (head && shape.header_bytes != 0) {
            const auto header = out.header.begin() + static_cast<std::ptrdiff_t>(port) * shape.header_bytes;
            bytes.insert(bytes.end(), header, header + shape.header_bytes);
        }
        if (box != nullptr) {
            box->flits.push_back({when, event});
        } else {
            slot.flits.push_back(event);
            ++pending_;
        }
        ++counters_.flit_hops;
        counters_.last_flit = now_ + 1;
    }
    for (std::uint64_t set = out.credit; set != 0; set &= set - 1) {
        const auto port = static_cast<unsigned>(std::countr_zero(set));
        link_state& link = chips_.links[node.first_link + port];
        const std::uint8_t vc = out.credit_vc.empty() ? std::uint8_t{0} : out.credit_vc[port];
        if (link.to.chip != chip_network::no_chip) {
            link.into.credit_returned(now_ + 1);
            post(link, {link.to.chip, static_cast<std::uint8_t>(link.to.port), vc}, &arrivals::credits,
                 &mailbox::credits);
        } else if (link.outside != nullptr) {
            if (!several()) {
                link.outside->credit_sent(now_ + 1, vc);
            } else {
                log_.add([to = link.outside, when = now_ + 1, vc] { to->credit_sent(when, vc); });
            }
        }
    }
    if (out.side != 0) send_sides(node, out);
    if (out.packet != 0) send_packets(node, out);
    for (std::uint64_t set = out.error; set != 0; set &= set - 1) {
        const auto port = static_cast<unsigned>(std::countr_zero(set));
        ++counters_.error_count;
        // Halves of a chip are stepped behind all others, but its errors have their place among those of others.
        const error_event error{now_ + 1, chips_.outer({id, port}), out.errors[port]};
        std::vector<error_event>& all = counters_.errors;
        const auto behind = std::ranges::upper_bound(all, place_of(error), {}, place_of);
        if (behind == all.end() && all.size() == part_counters::most_records) continue;
        all.insert(behind, error);
        if (all.size() > part_counters::most_records) all.pop_back();
    }
    for (const chip_event& event : out.events) {
        if (counters_.events.size() < part_counters::most_records) counters_.events.push_back({now_ + 1, id, event});
        ++counters_.event_count;
    }
}

}  // namespace polycast::hw::engine
