// SPDX-License-Identifier: Apache-2.0
/// \file Two link ends and the wires between them as a chip that stands where a link would.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "hw/chips/link/cable_report.h"
#include "hw/chips/link/link_end_core.h"
#include "hw/chips/link/link_wire.h"
#include "hw/chips/port_set.h"
#include "hw/engine/chip.h"

namespace polycast::hw::chips {

/// A link end as diagnoses see it. Waves show the symbols on its wires besides.
engine::chip_probe::link_end shown(const link_config& config, const link_end_probe& state, bool recovers);

/// Port p is the chip side of end p. A flit comes in at one and leaves at the other.
class link_cable : public engine::chip {
public:
    /// Of end 0.
    virtual const link_config& config() const = 0;
    /// Before the first step, and anew behind reset(). \param faults of the wire towards end `towards`; outlives the
    /// cable
    virtual void attach(unsigned towards, wire_faults& faults) = 0;
    /// A stored bit of end `which` flips at the end of the next step.
    virtual void upset(unsigned which, const link_upset& what) = 0;

    /// In place of cut(), for chips around it. Each half has the other end's numbers, but knows nothing of it.
    virtual std::array<std::unique_ptr<link_cable>, 2> cut_in_two() { return {}; }
    two_chips cut() override;
    engine::chip_report joined(const std::array<engine::chip_report, 2>& halves) const override;
    engine::chip_probe joined(const std::array<engine::chip_probe, 2>& halves) const override;
};

/// Symbols are on its wires.
class wired_cable : public link_cable {
public:
    const engine::pin_shape& shape() const override { return shape_; }
    const link_config& config() const override { return config_; }
    void attach(unsigned towards, wire_faults& faults) override { wires_[towards].attach(&faults); }
    /// The wire towards end `which`.
    link_wire& wire(unsigned which) { return wires_[which]; }

protected:
    /// `config` is that of end 0; other_end() of it that of end 1. \throws input_error as checked() does
    explicit wired_cable(const link_config& config);

    /// What end `port` gets from its chip.
    void read_pins(const engine::pins& in, unsigned port, link_end_in& to) const;
    /// What it gives to its chip.
    void write_pins(const link_end_out& from, unsigned port, engine::pins& out) const;

    /// Adds what is on the wires of end `which` behind the step of cycle `now`.
    void show_wires(unsigned which, engine::cycle now, engine::chip_probe::link_end& end) const;

    link_config config_;
    engine::pin_shape shape_;
    std::array<link_wire, 2> wires_;  ///< [end that receives]
    std::array<link_end_in, 2> in_;   ///< [end] of the last cycle in which its wire was looked at
    std::array<engine::cycle, 2> looked_ = {engine::never, engine::never};  ///< [end] that cycle
};

/// \tparam End a link end like link_end_core
template <typename End>
class cable : public wired_cable {
public:
    /// Makes end `which` in reset state.
    using maker = std::function<std::unique_ptr<End>(const link_config& config, unsigned which)>;

    cable(const link_config& config, maker make) : wired_cable(config), make_(std::move(make)) { cable::reset(); }

    void reset() override {
        ends_ = {make_(config_, 0), make_(other_end(config_), 1)};
        for (link_wire& wire : wires_) wire.reset();
        wakes_ = {};
        looked_ = {engine::never, engine::never};
        now_ = 0;
    }

    engine::cycle step(engine::cycle now, const engine::pins& in, engine::pins& out) override {
        now_ = now;
        for (unsigned port = 0; port < 2; ++port) {
            const bool pins = ((in.valid | in.credit) & bit(port)) != 0;
            if (!pins && now < wakes_[port] && wires_[port].quiet(now)) continue;
            link_end_in& to = in_[port];
            looked_[port] = now;
            const bool arrives = wires_[port].arrive(now, to.symbol, to.signal);
            if (!arrives && !pins && now < wakes_[port]) continue;
            read_pins(in, port, to);
            link_end_out from;
            wakes_[port] = ends_[port]->step(now, to, from);
            wires_[1 - port].send(now, std::move(from.symbol));
            write_pins(from, port, out);
        }
        engine::cycle next = std::min(wakes_[0], wakes_[1]);
        for (const link_wire& wire : wires_) next = std::min(next, wire.wake(now));
        return next;
    }

    void upset(unsigned which, const link_upset& what) override {
        ends_[which]->upset(what);
        wakes_[which] = 0;
    }

    bool idle() const override {
        return std::ranges::none_of(ends_, [](const auto& end) { return end->holds_flits(); }) &&
               std::ranges::none_of(wires_, &link_wire::holds_flits);
    }

    void probe(engine::chip_probe& probe) const override {
        probe.ends.clear();
        for (unsigned which = 0; which < ends_.size(); ++which) {
            const End& end = *ends_[which];
            probe.ends.push_back(shown(config_, end.probe(), end.recovers()));
            show_wires(which, now_, probe.ends.back());
        }
    }

    engine::chip_report report() const override {
        return cable_report{{ends_[0]->report(), ends_[1]->report()}, {}}.packed();
    }
    unsigned step_cost() const override { return End::step_cost; }

    const End& end(unsigned which) const { return *ends_[which]; }
    End& end(unsigned which) { return *ends_[which]; }

private:
    maker make_;
    std::array<std::unique_ptr<End>, 2> ends_;
    std::array<engine::cycle, 2> wakes_ = {};
    engine::cycle now_ = 0;  ///< of the last step
};

class cable_core final : public cable<link_end_core> {
public:
    /// `config` is that of end 0. \throws input_error as checked() does
    explicit cable_core(const link_config& config)
        : cable(config, [](const link_config& of, unsigned) { return std::make_unique<link_end_core>(of); }) {}
};

}  // namespace polycast::hw::chips
