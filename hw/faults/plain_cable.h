// SPDX-License-Identifier: Apache-2.0
/// \file A cable without link ends whose wires have faults: it stands where the engine's link would, and takes as long.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "hw/chips/link/cable_report.h"
#include "hw/chips/link/link_symbol.h"
#include "hw/faults/wire_events.h"

namespace polycast::hw::faults {

/// What the wires of a plain link say in one cycle and direction.
struct plain_symbol {
    chips::link_symbol flit;  ///< its kind is that of a flit, or idle
    bool credit = false;
    std::uint8_t credit_vc = 0;

    bool idle() const { return flit.kind == chips::symbol_kind::idle && !credit; }
};

/// Data from bit 0 of byte 0 on, head, tail, 4 of the virtual channel, valid, credit, 4 of its virtual channel, the
/// free header.
class plain_wires {
public:
    using symbol = plain_symbol;

    plain_wires(unsigned flit_bytes, unsigned header_bytes);
    unsigned count() const { return first_ + 6 + 8 * config_.header_bytes; }
    void flip(unsigned wire, symbol& what) const;
    bool read(unsigned wire, const symbol& what) const;
    std::uint64_t kind(const symbol& what) const { return static_cast<std::uint64_t>(what.flit.kind); }
    /// The credit beside it stays.
    void drop(symbol& what) const { what.flit = {}; }
    bool shows(unsigned wire) const { return wire == first_ || wire == first_ + 1; }

private:
    chips::link_config config_;  ///< of its wires the flit's are the same
    unsigned first_;             ///< valid
};

/// A credit that is lost or comes twice, then wire_events.
class plain_faults {
public:
    /// As link_faults. \throws input_error besides for faults of frames and sets
    plain_faults(const plain_wires& wires, const fault_plan& plan, unsigned from_end, std::uint64_t cable,
                 fault_report report);

    void apply(engine::cycle now, plain_symbol& what);
    /// The first cycle behind `now` in which apply() changes an idle symbol.
    engine::cycle next(engine::cycle now) const { return copy_ ? now + 1 : events_.next(now); }

private:
    wire_events<plain_wires> events_;
    std::vector<fault_event> waiting_;  ///< lose_credit and double_credit
    std::optional<std::uint8_t> copy_;  ///< the VC of a credit that comes again
};

struct plain_params {
    unsigned flit_bytes = 1;
    unsigned header_bytes = 0;
    unsigned vcs = 1;
    unsigned delay = 1;  ///< of the link; 1 or more
};

/// Joined to its two chips by links of delay 0: what is on its pins in a cycle is at the other chip's in the cycle
/// behind, `delay` - 1 cycles later.
class plain_cable final : public engine::chip {
public:
    /// \param number of the cable in the network: a seed of its own \throws input_error as plain_faults does
    plain_cable(const plain_params& params, fault_plan plan, std::uint64_t number);

    const engine::pin_shape& shape() const override { return shape_; }
    void reset() override;
    engine::cycle step(engine::cycle now, const engine::pins& in, engine::pins& out) override;
    bool idle() const override;
    engine::chip_report report() const override;
    unsigned step_cost() const override { return 2; }

private:
    struct direction {
        std::deque<std::pair<engine::cycle, plain_symbol>> under_way;  ///< with the cycle of the other chip's pins
        plain_faults faults;
    };

    direction made(unsigned from_end);
    plain_symbol read(const engine::pins& in, unsigned port) const;
    void write(const plain_symbol& what, unsigned port, engine::pins& out) const;

    engine::pin_shape shape_;
    unsigned delay_;
    plain_wires wires_;
    fault_plan plan_;
    std::uint64_t number_;
    chips::cable_damage damage_;
    std::vector<direction> directions_;  ///< [end that it leaves]
};

}  // namespace polycast::hw::faults
