// SPDX-License-Identifier: Apache-2.0
/// \file A cable whose frames and sets move as a whole, for speed.
#pragma once

#include <array>
#include <memory>

#include "hw/chips/link/cable.h"
#include "hw/chips/link/frame_side.h"
#include "hw/chips/link/frame_wire.h"
#include "hw/engine/chip.h"

namespace polycast::hw::chips {

/// The same as cable_core in every cycle, where nothing that lasts spoils its wires: frames and sets arrive as a whole
/// in the cycle of their last symbol, without check words and without steps for the symbols before. Where somebody
/// watches, who would see the symbols, it is a cable_core.
class frame_cable final : public link_cable {
public:
    /// `config` is that of end 0. \throws input_error as checked() does
    explicit frame_cable(const link_config& config);

    const engine::pin_shape& shape() const override { return shape_; }
    const link_config& config() const override { return config_; }
    /// \param faults as frame_side::attach() says
    void attach(unsigned towards, wire_faults& faults) override;
    void upset(unsigned which, const link_upset& what) override;
    std::array<std::unique_ptr<link_cable>, 2> cut_in_two() override;
    void reset() override;
    engine::cycle step(engine::cycle now, const engine::pins& in, engine::pins& out) override;
    bool idle() const override;
    void probe(engine::chip_probe& probe) const override;
    engine::chip_report report() const override;
    void watch() override;

    const link_end_core& end(unsigned which) const {
        return symbols_ ? symbols_->end(which) : whole_->sides[which].end();
    }

private:
    link_config config_;
    engine::pin_shape shape_;
    struct both_ends {
        std::array<frame_side, 2> sides;
        std::array<frame_wire, 2> wires;  ///< [end that receives]
    };

    std::array<engine::cycle, 2> wakes_ = {};  ///< [end] its step, or what arrives there: most steps look at one alone
    std::unique_ptr<both_ends> whole_;         ///< null: somebody watches, or it was cut
    std::unique_ptr<cable_core> symbols_;      ///< null: nobody watches
};

}  // namespace polycast::hw::chips
