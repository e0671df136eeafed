// SPDX-License-Identifier: Apache-2.0
/// \file A link end as an engine::chip of one port, with the wires to its other end beside.
#pragma once

#include <cstdint>
#include <optional>

#include "hw/chips/link/link_end_core.h"
#include "hw/engine/chip.h"
#include "tlm/dpi/pin_layout.h"

namespace polycast::tlm::dpi {

class link_end_chip final : public hw::engine::chip {
public:
    link_end_chip(const hw::chips::link_end_params& params, const hw::chips::link_config& config);

    const hw::engine::pin_shape& shape() const override { return shape_; }
    /// As when it was switched on: it stays so.
    void reset() override;
    /// With the wires that wires() was given, from the cycle on in which it was stepped first.
    hw::engine::cycle step(hw::engine::cycle now, const hw::engine::pins& in, hw::engine::pins& out) override;
    bool idle() const override { return core_->idle(); }

    /// For the next step. \param wires symbol_wires() bits from bit `first` on
    void set_wires(const bit_vector& wires, std::size_t first, bool signal);
    /// True if the other end says something, or `signal` changes.
    bool hears() const { return heard_; }
    /// `to` comes in zero.
    void pack_wires(bit_vector& to, std::size_t first) const;
    /// FLUSH is left in the cycle behind the next step.
    void leave_flush() { leaves_ = true; }

    /// The pins `probe_*_o` and `counts_o`, but for `probe_counted_o` and `probe_waits_o`, which the core does not
    /// have.
    void pack_probes(const pin_layout& layout, bit_vector& to) const;
    std::string state() const;

private:
    hw::engine::pin_shape shape_;
    hw::chips::link_config config_;
    std::optional<hw::chips::link_end_core> core_;
    std::optional<hw::engine::cycle> first_;  ///< cycle, which is its cycle 0
    hw::engine::cycle next_ = 0;              ///< its cycle behind the last step, or behind those it did not need
    hw::chips::link_symbol symbol_in_, symbol_out_;
    bool signal_ = true;
    bool last_signal_ = true;
    bool heard_ = false;
    bool leaves_ = false;
    bool left_ = false;
};

}  // namespace polycast::tlm::dpi
