// SPDX-License-Identifier: Apache-2.0
#include "hw/engine/network.h"

#include <algorithm>
#include <bit>

#include "hw/input_error.h"

namespace polycast::hw::engine {

namespace {
constexpr std::size_t most_records = 1000;

bool has_side(const pin_shape& shape, unsigned port) {
    return (shape.side_ports >> port & 1) != 0;
}
}  // namespace

network::network() = default;
network::~network() = default;

chip_id network::add(std::unique_ptr<chip> chip, std::string name) {
    const pin_shape shape = chip->shape();
    const auto id = static_cast<chip_id>(nodes_.size());
    nodes_.push_back({std::move(chip), std::move(name), pins(shape), links_.size(), never});
    links_.resize(links_.size() + shape.ports);
    return id;
}

void network::check_port(port_id port) const {
    if (port.chip >= nodes_.size() || port.port >= nodes_[port.chip].chip->shape().ports) {
        throw input_error("link: there is no port " + std::to_string(port.port) + " on chip " +
                          std::to_string(port.chip));
    }
    const link_state& link = links_[nodes_[port.chip].first_link + port.port];
    if (link.to.chip != no_chip || link.outside != nullptr) {
        throw input_error("link: port " + std::to_string(port.port) + " of " + name(port.chip) + " is taken");
    }
}

void network::connect(port_id a, port_id b, const link_params& params) {
    check_port(a);
    check_port(b);
    const pin_shape& shape_a = nodes_[a.chip].chip->shape();
    const pin_shape& shape_b = nodes_[b.chip].chip->shape();
    if (shape_a.flit_bytes != shape_b.flit_bytes || shape_a.header_bytes != shape_b.header_bytes) {
        throw input_error("link: flits of " + name(a.chip) + " and " + name(b.chip) + " have different sizes");
    }
    if (shape_a.vcs != shape_b.vcs) {
        throw input_error("link: " + name(a.chip) + " and " + name(b.chip) +
                          " have different numbers of virtual channels");
    }
    if (has_side(shape_a, a.port) != has_side(shape_b, b.port)) {
        throw input_error("link: of " + name(a.chip) + " and " + name(b.chip) + " only one has side wires");
    }
    if (shape_a.whole_packets != shape_b.whole_packets) {
        throw input_error("link: of " + name(a.chip) + " and " + name(b.chip) + " only one takes whole packets");
    }
    if (params.delay == 0) throw input_error("link: a delay is at least one cycle");
    links_[nodes_[a.chip].first_link + a.port] = {b, params.delay, params.chunk_flits, nullptr, {}};
    links_[nodes_[b.chip].first_link + b.port] = {a, params.delay, params.chunk_flits, nullptr, {}};
}

void network::connect(port_id port, outside& outside, unsigned lookahead) {
    check_port(port);
    if (nodes_[port.chip].chip->shape().whole_packets)
        throw input_error("link: " + name(port.chip) + " takes whole packets, which cannot leave the network");
    links_[nodes_[port.chip].first_link + port.port] = {{no_chip, 0}, std::max(lookahead, 1u), 1, &outside, {}};
}

network::time_slot& network::injection_slot(port_id port, cycle when) {
    if (!started_) start();
    if (when < now_ || when - now_ >= slots_.size()) {
        throw input_error("link: an arrival at port " + std::to_string(port.port) + " of " + name(port.chip) +
                          " in cycle " + std::to_string(when) + " cannot be taken in cycle " + std::to_string(now_));
    }
    ++pending_;
    return slot_at(when);
}

void network::inject_flit(port_id port, cycle when, const flit& flit) {
    time_slot& slot = injection_slot(port, when);
    const pin_shape& shape = nodes_[port.chip].chip->shape();
    const auto offset = static_cast<std::uint32_t>(slot.bytes.size());
    if (shape.flit_bytes != 1) slot.bytes.insert(slot.bytes.end(), flit.data, flit.data + shape.flit_bytes);
    if (flit.head && shape.header_bytes != 0)
        slot.bytes.insert(slot.bytes.end(), flit.header, flit.header + shape.header_bytes);
    slot.flits.push_back({port.chip, static_cast<std::uint8_t>(port.port), ends(flit.head, flit.tail), flit.vc,
                          shape.flit_bytes == 1 ? *flit.data : std::uint8_t{0}, offset});
}

void network::inject_credit(port_id port, cycle when, std::uint8_t vc) {
    injection_slot(port, when).credits.push_back({port.chip, static_cast<std::uint8_t>(port.port), vc});
}

void network::inject_side(port_id port, cycle when, const side_state& state) {
    injection_slot(port, when).sides.push_back({port.chip, static_cast<std::uint8_t>(port.port), state});
}

void network::skip_to(cycle to) {
    now_ = std::max(now_, std::min(to, next_activity()));
}

port_id network::peer(port_id port) const {
    return links_[nodes_[port.chip].first_link + port.port].to;
}

void link_statistics::occupy(cycle when, int change) {
    occupied_cycles += std::uint64_t{occupied} * (when - since);
    since = when;
    occupied += static_cast<std::uint32_t>(change);
    occupied_max = std::max(occupied_max, occupied);
}

void link_statistics::uncredited_arrived(bool head) {
    ++flits;
    if (head) ++packets;
}

void link_statistics::flit_arrived(cycle when, bool head, unsigned chunk_flits) {
    ++flits;
    if (head) {
        ++packets;
        offset = 0;
    }
    if (offset == 0) occupy(when, 1);
    if (++offset == chunk_flits) offset = 0;
}

link_statistics network::statistics(port_id port) const {
    link_statistics statistics = links_[nodes_[port.chip].first_link + port.port].into;
    statistics.occupy(std::max(now_, statistics.since), 0);
    return statistics;
}

std::size_t network::memory_bytes() const {
    std::size_t bytes = sizeof *this + nodes_.capacity() * sizeof(chip_node) + links_.capacity() * sizeof(link_state) +
                        slots_.capacity() * sizeof(time_slot) + packets_.capacity() * sizeof(packet_event);
    for (const chip_node& node : nodes_)
        bytes += node.in.data.capacity() + node.in.header.capacity() + node.in.errors.capacity() * 2;
    for (const time_slot& slot : slots_) {
        bytes += slot.flits.capacity() * sizeof(flit_event) + slot.credits.capacity() * sizeof(credit_event) +
                 slot.bytes.capacity() + slot.sides.capacity() * sizeof(side_event);
    }
    return bytes;
}

/// First step: sizes what depends on all chips and links.
void network::start() {
    started_ = true;
    unsigned longest = 1;
    for (const chip_node& node : nodes_) {
        const pin_shape& shape = node.chip->shape();
        if (shape.whole_packets) continue;
        for (unsigned port = 0; port < shape.ports; ++port)
            longest = std::max(longest, links_[node.first_link + port].delay);
    }
    // An event lies up to delay + 1 cycles ahead while the present slot is still being read.
    slots_.resize(std::bit_ceil(longest + 2u));
    slot_mask_ = slots_.size() - 1;
    active_.assign((nodes_.size() + 63) / 64, 0);
    next_active_.assign(active_.size(), ~std::uint64_t{0});
    if (nodes_.size() % 64 != 0) next_active_.back() = (std::uint64_t{1} << (nodes_.size() % 64)) - 1;
    if (nodes_.empty()) next_active_.clear();
    any_next_ = !nodes_.empty();
    std::vector<pin_shape> shapes;
    for (const chip_node& node : nodes_) {
        const pin_shape& shape = node.chip->shape();
        const auto found = std::ranges::find(shapes, shape);
        scratch_of_.push_back(static_cast<std::uint32_t>(found - shapes.begin()));
        if (found != shapes.end()) continue;
        shapes.push_back(shape);
        scratch_.emplace_back(shape);
    }
}

cycle network::next_activity() const {
    if (!started_ || any_next_) return now_;
    cycle next = timers_.empty() ? never : timers_.top().when;
    if (!packets_.empty()) next = std::min(next, packets_.front().when);
    if (pending_ == 0) return next;
    for (cycle when = now_; when < now_ + slots_.size(); ++when) {
        const time_slot& slot = slots_[when & slot_mask_];
        if (!slot.flits.empty() || !slot.credits.empty() || !slot.sides.empty()) return std::min(next, when);
    }
    return next;
}

bool network::run(cycle end, const std::function<bool()>& stop) {
    if (!started_) start();
    while (true) {
        const cycle next = next_activity();
        if (next >= end) {
            if (next == never) return true;
            now_ = std::max(now_, end);
            return false;
        }
        now_ = next;
        simulate_cycle();
        ++now_;
        if (stop && stop()) return true;
    }
}

void network::run_slices(const slices& how, const std::function<bool(bool over)>& look) {
    while (!look(run(how.end_of(now_), {})))
        ;
}

void network::simulate_cycle() {
    std::swap(active_, next_active_);
    any_next_ = false;
    std::ranges::fill(next_active_, std::uint64_t{0});
    while (!timers_.empty() && timers_.top().when <= now_) {
        const timer due = timers_.top();
        timers_.pop();
        if (nodes_[due.chip].wake != due.when) continue;
        nodes_[due.chip].wake = never;
        activate(due.chip);
    }
    deliver(slot_at(now_));
    deliver_packets();
    for (std::size_t word = 0; word < active_.size(); ++word) {
        for (std::uint64_t set = active_[word]; set != 0; set &= set - 1) {
            step_chip(static_cast<chip_id>(word * 64 + static_cast<unsigned>(std::countr_zero(set))));
        }
    }
    // Timers that their chips have taken back are no activity.
    while (!timers_.empty() && nodes_[timers_.top().chip].wake != timers_.top().when) timers_.pop();
}

void network::deliver(time_slot& arrivals) {
    for (const flit_event& event : arrivals.flits) {
        chip_node& node = nodes_[event.chip];
        const std::uint64_t mask = std::uint64_t{1} << event.port;
        node.in.valid |= mask;
        const bool head = (event.ends & head_end) != 0;
        if (head) node.in.head |= mask;
        if ((event.ends & tail_end) != 0) node.in.tail |= mask;
        const pin_shape& shape = node.chip->shape();
        if (shape.vcs > 1) node.in.vc[event.port] = event.vc;
        if (shape.flit_bytes == 1) {
            node.in.data[event.port] = event.byte;
        } else {
            std::memcpy(&node.in.data[std::size_t{event.port} * shape.flit_bytes], &arrivals.bytes[event.offset],
                        shape.flit_bytes);
        }
        if (head && shape.header_bytes != 0) {
            const std::size_t offset = event.offset + (shape.flit_bytes == 1 ? 0 : shape.flit_bytes);
            std::memcpy(&node.in.header[std::size_t{event.port} * shape.header_bytes], &arrivals.bytes[offset],
                        shape.header_bytes);
        }
        link_state& link = links_[node.first_link + event.port];
        if (shape.side_ports == 0 || !has_side(shape, event.port) || event.vc != shape.side_vc) {
            link.into.flit_arrived(now_, head, link.chunk_flits);
        } else {
            link.into.uncredited_arrived(head);
        }
        activate(event.chip);
    }
    for (const credit_event& event : arrivals.credits) {
        pins& in = nodes_[event.chip].in;
        in.credit |= std::uint64_t{1} << event.port;
        if (!in.credit_vc.empty()) in.credit_vc[event.port] = event.vc;
        activate(event.chip);
    }
    for (const side_event& event : arrivals.sides) {
        pins& in = nodes_[event.chip].in;
        in.side |= std::uint64_t{1} << event.port;
        in.sides[event.port] = event.state;
        activate(event.chip);
    }
    pending_ -= arrivals.flits.size() + arrivals.credits.size() + arrivals.sides.size();
    arrivals.sides.clear();
    arrivals.flits.clear();
    arrivals.credits.clear();
    arrivals.bytes.clear();
}

void network::deliver_packets() {
    while (!packets_.empty() && packets_.front().when == now_) {
        std::ranges::pop_heap(packets_, std::greater<>{});
        packet_event event = std::move(packets_.back());
        packets_.pop_back();
        chip_node& node = nodes_[event.chip];
        node.in.packet |= std::uint64_t{1} << event.port;
        link_state& link = links_[node.first_link + event.port];
        link.into.flits += event.packet.flits;
        ++link.into.packets;
        node.in.packets[event.port] = std::move(event.packet);
        activate(event.chip);
    }
}

void network::step_chip(chip_id id) {
    chip_node& node = nodes_[id];
    pins& out = scratch_[scratch_of_[id]];
    out.clear();
    const cycle next = node.chip->step(now_, node.in, out);
    ++chip_steps_;
    if (observer_ != nullptr) observer_->stepped(id, now_, node.in, out, *node.chip);
    node.in.clear();
    if (!out.quiet()) send(id, out);
    if (next == now_ + 1) {
        next_active_[id / 64] |= std::uint64_t{1} << (id % 64);
        any_next_ = true;
        node.wake = never;
    } else if (next != node.wake) {
        node.wake = next;
        if (next != never) timers_.push({next, id});
    }
}

void network::send_outside(const link_state& link, unsigned port, const pin_shape& shape, const pins& out) {
    const bool head = (out.head >> port & 1) != 0;
    const std::uint8_t* header =
        head && shape.header_bytes != 0 ? &out.header[std::size_t{port} * shape.header_bytes] : nullptr;
    ++flit_hops_;
    last_flit_ = now_ + 1;
    link.outside->flit_sent(now_ + 1,
                            {head, (out.tail >> port & 1) != 0, shape.vcs > 1 ? out.vc[port] : std::uint8_t{0},
                             &out.data[std::size_t{port} * shape.flit_bytes], header});
}

void network::send_sides(std::size_t first_link, const pins& out) {
    for (std::uint64_t set = out.side; set != 0; set &= set - 1) {
        const auto port = static_cast<unsigned>(std::countr_zero(set));
        const link_state& link = links_[first_link + port];
        if (link.to.chip != no_chip) {
            slot_at(now_ + 1 + link.delay)
                .sides.push_back({link.to.chip, static_cast<std::uint8_t>(link.to.port), out.sides[port]});
            ++pending_;
        } else if (link.outside != nullptr) {
            link.outside->side_sent(now_ + 1, out.sides[port]);
        }
    }
}

void network::send_packets(std::size_t first_link, const pins& out) {
    for (std::uint64_t set = out.packet; set != 0; set &= set - 1) {
        const auto port = static_cast<unsigned>(std::countr_zero(set));
        const link_state& link = links_[first_link + port];
        if (link.to.chip == no_chip) continue;
        const whole_packet& packet = out.packets[port];
        packets_.push_back({now_ + 1 + link.delay, link.to.chip, link.to.port, packet});
        std::ranges::push_heap(packets_, std::greater<>{});
        ++packet_hops_;
        last_flit_ = std::max(last_flit_, now_ + packet.cycles);
    }
}

void network::send(chip_id id, const pins& out) {
    const std::size_t first_link = nodes_[id].first_link;
    const pin_shape& shape = nodes_[id].chip->shape();
    for (std::uint64_t set = out.valid; set != 0; set &= set - 1) {
        const auto port = static_cast<unsigned>(std::countr_zero(set));
        const link_state& link = links_[first_link + port];
        if (link.to.chip == no_chip) {
            if (link.outside != nullptr) send_outside(link, port, shape, out);
            continue;
        }
        time_slot& slot = slot_at(now_ + 1 + link.delay);
        const bool head = (out.head >> port & 1) != 0;
        const auto offset = static_cast<std::uint32_t>(slot.bytes.size());
        if (shape.flit_bytes != 1) {
            const auto flit = out.data.begin() + static_cast<std::ptrdiff_t>(port) * shape.flit_bytes;
            slot.bytes.insert(slot.bytes.end(), flit, flit + shape.flit_bytes);
        }
        if (head && shape.header_bytes != 0) {
            const auto header = out.header.begin() + static_cast<std::ptrdiff_t>(port) * shape.header_bytes;
            slot.bytes.insert(slot.bytes.end(), header, header + shape.header_bytes);
        }
        slot.flits.push_back({link.to.chip, static_cast<std::uint8_t>(link.to.port),
                              ends(head, (out.tail >> port & 1) != 0), shape.vcs > 1 ? out.vc[port] : std::uint8_t{0},
                              shape.flit_bytes == 1 ? out.data[port] : std::uint8_t{0}, offset});
        ++pending_;
        ++flit_hops_;
        last_flit_ = now_ + 1;
    }
    for (std::uint64_t set = out.credit; set != 0; set &= set - 1) {
        const auto port = static_cast<unsigned>(std::countr_zero(set));
        link_state& link = links_[first_link + port];
        const std::uint8_t vc = shape.vcs > 1 ? out.credit_vc[port] : std::uint8_t{0};
        if (link.to.chip == no_chip) {
            if (link.outside != nullptr) link.outside->credit_sent(now_ + 1, vc);
            continue;
        }
        link.into.credit_returned(now_ + 1);
        slot_at(now_ + 1 + link.delay).credits.push_back({link.to.chip, static_cast<std::uint8_t>(link.to.port), vc});
        ++pending_;
    }
    if (out.side != 0) send_sides(first_link, out);
    if (out.packet != 0) send_packets(first_link, out);
    for (std::uint64_t set = out.error; set != 0; set &= set - 1) {
        const auto port = static_cast<unsigned>(std::countr_zero(set));
        if (errors_.size() < most_records) errors_.push_back({now_ + 1, {id, port}, out.errors[port]});
        ++error_count_;
    }
    for (const chip_event& event : out.events) {
        if (events_.size() < most_records) events_.push_back({now_ + 1, id, event});
        ++event_count_;
    }
}

}  // namespace polycast::hw::engine
