// SPDX-License-Identifier: Apache-2.0
#include "tlm/verilated/rtl_link_end.h"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "hw/chips/link/symbol_wires.h"
#include "hw/chips/parameter.h"
#include "hw/format/config_words.h"
#include "hw/input_error.h"

namespace polycast::tlm {

using hw::chips::link_config;
using hw::chips::link_counter_names;
using hw::chips::link_counters;
using hw::chips::link_rx_state;
using hw::chips::link_tx_state;
using hw::engine::cycle;
using hw::format::link_global;
using hw::format::link_region;

static_assert(link_counter_names.size() == POLYCAST_CHIP_MODEL_COUNTS);
static_assert(hw::engine::max_vcs == POLYCAST_CHIP_MODEL_VCS);

namespace {

/// Among the counters.
constexpr std::size_t bad_frames = 12;
static_assert(link_counter_names[bad_frames].name == "llr_rx_bad");

}  // namespace

hw::chips::link_end_params link_end_sizes(const link_config& given) {
    const link_config config = checked(given);
    hw::chips::link_end_params sizes;
    sizes.vcs = config.vcs;
    sizes.flit_bytes = config.flit_bytes;
    sizes.header_bytes = config.header_bytes;
    sizes.beside = config.beside;
    sizes.frame = static_cast<unsigned>(config.frame);
    const std::uint64_t ring = std::max(config.ring_flits(), other_end(config).ring_flits());
    sizes.ring = static_cast<unsigned>(std::min<std::uint64_t>(ring, std::numeric_limits<unsigned>::max()));
    sizes.window = static_cast<unsigned>(config.window);
    sizes.sequence_bits = config.sequence_bits;
    sizes.protect_rings = static_cast<unsigned>(config.protect_rings);
    sizes.protect_counters = static_cast<unsigned>(config.protect_counters);
    return checked(sizes);
}

rtl_link_end::rtl_link_end(const link_config& config, model_library& models, std::string name)
    : rtl_link_end(config, link_end_sizes(config), models, std::move(name)) {}

rtl_link_end::rtl_link_end(const link_config& config, const hw::chips::link_end_params& sizes, model_library& models,
                           std::string name)
    : config_(checked(config)),
      name_(std::move(name)),
      interface_(models.get(sizes)),
      model_(interface_.create(name_.c_str()), interface_.destroy),
      wire_in_((symbol_wires(config_) + 63) / 64 * 8),
      wire_out_(wire_in_.size()) {
    if (model_ == nullptr) throw std::bad_alloc();
    configure();
}

void rtl_link_end::take(std::uint32_t status) {
    status_ = status;
    if ((status & POLYCAST_CHIP_MODEL_FAILED) != 0)
        throw rtl_assertion_error(name_ + ": " + interface_.failure(model_.get()));
}

void rtl_link_end::write(link_global which, std::uint64_t value, const char* what) {
    const hw::chips::limits check("link end in SystemVerilog", "hw/chips/link/link.md");
    check.within(value, 0, std::numeric_limits<std::uint32_t>::max(), what);
    take(interface_.configure(
        model_.get(),
        hw::format::config_address(static_cast<std::uint32_t>(link_region::global), static_cast<unsigned>(which)),
        static_cast<std::uint32_t>(value)));
}

void rtl_link_end::configure() {
    const auto credits = [this](link_region region, unsigned vc, std::uint32_t units) {
        take(interface_.configure(model_.get(), hw::format::config_address(static_cast<std::uint32_t>(region), vc),
                                  units));
    };
    for (unsigned vc = 0; vc < config_.vcs; ++vc) {
        credits(link_region::far_credits, vc, config_.far.credits[vc]);
        credits(link_region::own_credits, vc, config_.own.credits[vc]);
    }
    write(link_global::frame, config_.frame, "a frame");
    write(link_global::window, config_.window, "the window");
    write(link_global::window_flits, config_.window_bytes / config_.flit_bytes, "the window's flits");
    write(link_global::replay_timer, config_.replay_timer, "the replay timer");
    write(link_global::replay_count, config_.replay_count, "the replay count");
    write(link_global::ack_spacing, config_.ack_spacing, "the ack spacing");
    write(link_global::credit_spacing, config_.credit_spacing, "the credit spacing");
    write(link_global::credit_timer, config_.credit_timer, "the credit timer");
    write(link_global::signal_timeout, config_.signal_timeout, "the signal timeout");
    write(link_global::age_timeout, config_.age_timeout, "the age timeout");
    write(link_global::lifetime, config_.lifetime, "the lifetime");
    using hw::chips::link_action;
    write(link_global::init_action, config_.init_action == link_action::discard ? 1 : 0, "the init action");
    write(link_global::flush_action, config_.flush_action == link_action::discard ? 1 : 0, "the flush action");
    write(link_global::reinit, config_.reinit ? 1 : 0, "reinit");
    write(link_global::far_unit, config_.far.unit_flits, "flits of a unit");
    write(link_global::ring, config_.ring_flits(), "the ring");
    write(link_global::own_unit, config_.own.unit_flits, "flits of a unit");
    // The last write, which switches it on: its first cycle is the next one.
    write(link_global::layer, config_.retries() ? 2 : 1, "the layer");
    tx_ = static_cast<std::uint8_t>(link_tx_state::init);
    rx_ = static_cast<std::uint8_t>(link_rx_state::off);
}

/// Cycles up to `now` in which nothing happened.
void rtl_link_end::count(cycle now) {
    tx_cycles_[tx_] += now - next_;
    rx_cycles_[rx_] += now - next_;
    next_ = now;
}

cycle rtl_link_end::step(cycle now, const hw::chips::link_end_in& in, hw::chips::link_end_out& out) {
    std::fill(wire_in_.begin(), wire_in_.end(), std::uint8_t{0});
    pack_symbol(config_, in.symbol, wire_in_);
    std::vector<std::uint8_t> header = in.flit.header;
    header.resize(config_.header_bytes);
    const polycast_chip_model_write leave = {
        hw::format::config_address(static_cast<std::uint32_t>(link_region::global),
                                   static_cast<unsigned>(link_global::leave_flush)),
        1};
    polycast_chip_model_write flip = {};
    if (upset_)
        flip = {hw::format::config_address(static_cast<std::uint32_t>(link_region::upset), upset_->index),
                static_cast<std::uint32_t>(upset_->memory) << 24 | upset_->bit};
    const polycast_chip_model_inputs inputs = {in.valid ? 1u : 0u,
                                               in.valid && in.flit.head ? 1u : 0u,
                                               in.valid && in.flit.tail ? 1u : 0u,
                                               in.credit ? 1u : 0u,
                                               in.flit.data.data(),
                                               header.data(),
                                               &in.flit.vc,
                                               &in.credit_vc,
                                               0,
                                               nullptr,
                                               wire_in_.data(),
                                               static_cast<std::uint8_t>(in.signal ? 0 : 1),
                                               leaves_flush_ ? &leave
                                               : upset_      ? &flip
                                                             : nullptr};
    std::uint16_t errors = 0;
    std::vector<std::uint8_t> header_out(config_.header_bytes);
    polycast_chip_model_outputs outputs = {};
    outputs.data = out.flit.data.data();
    outputs.header = header_out.data();
    outputs.errors = &errors;
    outputs.vc = &out.flit.vc;
    outputs.credit_vc = &out.credit_vc;
    outputs.wire = wire_out_.data();
    take(interface_.step(model_.get(), now, &inputs, &outputs));
    leaves_flush_ = false;
    const bool upset = std::exchange(upset_, std::nullopt).has_value();
    low_ = !in.signal;
    count(now);
    ++tx_cycles_[outputs.counted];
    ++rx_cycles_[rx_];
    ++next_;
    tx_ = outputs.tx;
    rx_ = outputs.rx;

    out.errors = errors;
    out.credit = outputs.credit != 0;
    out.valid = outputs.valid != 0;
    if (out.valid) {
        out.flit.kind = hw::chips::symbol_kind::flit;
        out.flit.head = outputs.head != 0;
        out.flit.tail = outputs.tail != 0;
        if (out.flit.head && config_.header_bytes != 0) out.flit.header = std::move(header_out);
    }
    unpack_symbol(config_, wire_out_, false, out.symbol);
    return idle() && !upset ? hw::engine::never : now + 1;  // a code finds a flip in the next cycle
}

polycast_chip_model_link rtl_link_end::state() const {
    polycast_chip_model_link link;
    interface_.link(model_.get(), &link);
    return link;
}

bool rtl_link_end::recovers() const {
    return low_ || tx_ != static_cast<std::uint8_t>(link_tx_state::advance) || state().waits != 0 ||
           rx_ != static_cast<std::uint8_t>(link_rx_state::send_acks);
}

hw::chips::link_end_probe rtl_link_end::probe() const {
    const polycast_chip_model_link link = state();
    hw::chips::link_end_probe probe{.tx = static_cast<link_tx_state>(tx_),
                                    .rx = static_cast<link_rx_state>(rx_),
                                    .cause = static_cast<hw::chips::flush_cause>(link.cause),
                                    .next = link.next,
                                    .expected = link.expected,
                                    .outstanding = link.outstanding,
                                    .ring = link.ring,
                                    .replays = link.replays,
                                    .bad = link.counts[bad_frames]};
    if (link.timer_on != 0) probe.timer = next_ + link.timer;
    for (unsigned vc = 0; vc < config_.vcs; ++vc) {
        const polycast_chip_model_units& units = link.units[vc];
        probe.units[vc] = {units.s_cc, units.s_cf, units.r_cc, units.r_cf};
    }
    return probe;
}

hw::chips::cable_report::end rtl_link_end::report() const {
    const polycast_chip_model_link link = state();
    hw::chips::cable_report::end end{};
    for (std::size_t index = 0; index < link_counter_names.size(); ++index)
        end.counts.*link_counter_names[index].value = link.counts[index];
    end.counts.tx_cycles = tx_cycles_;
    end.counts.rx_cycles = rx_cycles_;
    end.tx = static_cast<link_tx_state>(tx_);
    end.rx = static_cast<link_rx_state>(rx_);
    end.cause = static_cast<hw::chips::flush_cause>(link.cause);
    end.tx_since = end.rx_since = next_;
    return end;
}

link_counters rtl_link_end::counters(cycle now) const {
    hw::chips::cable_report::end all = report();
    all.count_to(now);
    return all.counts;
}

void rtl_link_end::open_trace(const std::string& file) {
    if (interface_.trace_open(model_.get(), file.c_str(), 0) != 0)
        throw hw::input_error(file, {}, "cannot be written", "choose another folder for the waves");
}

}  // namespace polycast::tlm
