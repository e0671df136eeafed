// SPDX-License-Identifier: Apache-2.0
/// \file Two link ends and the wires between them as a chip that stands where a link would.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "hw/chips/link/link_end_core.h"
#include "hw/chips/link/link_wire.h"
#include "hw/engine/chip.h"

namespace polycast::hw::chips {

/// Port p is the chip side of end p. A flit comes in at one and leaves at the other.
class cable_core final : public engine::chip {
public:
    /// `config` is that of end 0; other_end() of it that of end 1. \throws input_error as checked() does
    explicit cable_core(const link_config& config);

    const engine::pin_shape& shape() const override { return shape_; }
    void reset() override;
    engine::cycle step(engine::cycle now, const engine::pins& in, engine::pins& out) override;
    bool idle() const override;
    void probe(engine::chip_probe& probe) const override;
    engine::chip_report report() const override;

    const link_config& config() const { return config_; }
    const link_end_core& end(unsigned which) const { return *ends_[which]; }
    link_end_core& end(unsigned which) { return *ends_[which]; }
    /// The wire towards end `which`.
    link_wire& wire(unsigned which) { return wires_[which]; }

private:
    link_config config_;
    engine::pin_shape shape_;
    std::array<std::unique_ptr<link_end_core>, 2> ends_;
    std::array<link_wire, 2> wires_;  ///< [end that receives]
    std::array<engine::cycle, 2> wakes_ = {};
};

}  // namespace polycast::hw::chips
