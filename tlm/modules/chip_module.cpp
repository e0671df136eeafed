// SPDX-License-Identifier: Apache-2.0
#include "tlm/modules/chip_module.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <string>

namespace polycast::tlm::modules {

namespace {
constexpr std::size_t first_ring = 4;           // link delays of 1 and 2
constexpr std::size_t longest_ring = 1u << 20;  // cycles that an arrival may be announced ahead
}  // namespace

chip_module::chip_module(const sc_core::sc_module_name& name, std::unique_ptr<hw::engine::chip> chip,
                         const module_params& params, run_state& state, process_kind kind)
    : link_node(name, chip->shape(), params.period, state, {}, kind),
      chip_(std::move(chip)),
      number_(params.number.value_or(static_cast<hw::engine::chip_id>(member()))),
      arrivals_(first_ring, hw::engine::pins(shape())),
      sent_(shape()) {}

chip_module::~chip_module() = default;

void chip_module::start_of_simulation() {
    if (state_.observer() != nullptr) chip_->watch();
    wake_at(0);
}

/// Only before the first arrivals of a longer link: afterwards the ring is long enough.
void chip_module::grow(cycle when) {
    const std::size_t size =
        std::bit_ceil(static_cast<std::size_t>(std::min<cycle>(when - next_ + 1, longest_ring + 1)));
    if (size > longest_ring)
        throw std::runtime_error("an arrival in cycle " + std::to_string(when) + " is announced too early");
    std::vector<hw::engine::pins> longer(size, hw::engine::pins(shape()));
    for (cycle old = next_; old < next_ + arrivals_.size(); ++old) {
        longer[old & (size - 1)] = std::move(arrivals_[old & (arrivals_.size() - 1)]);
    }
    arrivals_ = std::move(longer);
}

hw::engine::pins& chip_module::arrivals_in(cycle when) {
    // With nothing waiting, the ring may begin anywhere up to the next step.
    if (waiting_ == 0) next_ = std::max(next_, std::min(planned(), grid().cycle_at(sc_core::sc_time_stamp())));
    if (when - next_ >= arrivals_.size()) grow(when);
    hw::engine::pins& pins = arrivals_[when & (arrivals_.size() - 1)];
    if (pins.quiet()) {
        ++waiting_;
        wake_at(when);
    }
    return pins;
}

void chip_module::flit_arrived(unsigned port, cycle when, const hw::engine::flit& flit) {
    hw::engine::pins& pins = arrivals_in(when);
    const std::uint64_t mask = std::uint64_t{1} << port;
    if ((pins.valid & mask) != 0) throw two_flits(port, when);
    pins.valid |= mask;
    if (flit.head) pins.head |= mask;
    if (flit.tail) pins.tail |= mask;
    if (!pins.vc.empty()) pins.vc[port] = flit.vc;
    std::memcpy(&pins.data[std::size_t{port} * shape().flit_bytes], flit.data, shape().flit_bytes);
    if (flit.header != nullptr) {
        std::memcpy(&pins.header[std::size_t{port} * shape().header_bytes], flit.header, shape().header_bytes);
    }
}

void chip_module::credit_arrived(unsigned port, cycle when, std::uint8_t vc) {
    hw::engine::pins& pins = arrivals_in(when);
    const std::uint64_t mask = std::uint64_t{1} << port;
    if ((pins.credit & mask) != 0) throw two_credits(port, when);
    pins.credit |= mask;
    if (!pins.credit_vc.empty()) pins.credit_vc[port] = vc;
}

void chip_module::side_arrived(unsigned port, cycle when, const hw::engine::side_state& side) {
    hw::engine::pins& pins = arrivals_in(when);
    const std::uint64_t mask = std::uint64_t{1} << port;
    if ((pins.side & mask) != 0) throw two_sides(port, when);
    pins.side |= mask;
    pins.sides[port] = side;
}

chip_module::cycle chip_module::next_arrival(cycle after) const {
    if (waiting_ == 0) return hw::engine::never;
    cycle when = after + 1;
    while (arrivals_[when & (arrivals_.size() - 1)].quiet()) ++when;
    return when;
}

void chip_module::step(cycle now) {
    hw::engine::pins& received = arrivals_[now & (arrivals_.size() - 1)];
    const bool arrived = !received.quiet();
    sent_.clear();
    const cycle again = chip_->step(now, received, sent_);
    state_.stepped(now);
    if (state_.observer() != nullptr) state_.observer()->stepped(number_, now, received, sent_, *chip_);
    received.clear();
    if (arrived) --waiting_;
    next_ = now + 1;
    if (!sent_.quiet()) send(next_);
    wake_at(std::min(again, next_arrival(now)));
}

void chip_module::send(cycle when) {
    for (std::uint64_t set = sent_.valid; set != 0; set &= set - 1) {
        const auto port = static_cast<unsigned>(std::countr_zero(set));
        if (!sends(port)) continue;
        state_.flit_sent(when);
        const bool head = (sent_.head >> port & 1) != 0;
        const bool free_header = head && shape().header_bytes != 0;
        send_flit(port, when,
                  {head, (sent_.tail >> port & 1) != 0, sent_.vc.empty() ? std::uint8_t{0} : sent_.vc[port],
                   &sent_.data[std::size_t{port} * shape().flit_bytes],
                   free_header ? &sent_.header[std::size_t{port} * shape().header_bytes] : nullptr});
    }
    for (std::uint64_t set = sent_.credit; set != 0; set &= set - 1) {
        const auto port = static_cast<unsigned>(std::countr_zero(set));
        send_credit(port, when, sent_.credit_vc.empty() ? std::uint8_t{0} : sent_.credit_vc[port]);
    }
    for (std::uint64_t set = sent_.side; set != 0; set &= set - 1) {
        const auto port = static_cast<unsigned>(std::countr_zero(set));
        send_side(port, when, sent_.sides[port]);
    }
    for (std::uint64_t set = sent_.error; set != 0; set &= set - 1) {
        const auto port = static_cast<unsigned>(std::countr_zero(set));
        state_.error({when, {number_, port}, sent_.errors[port]});
    }
    for (const hw::engine::chip_event& event : sent_.events) state_.event({when, number_, event});
}

}  // namespace polycast::tlm::modules
