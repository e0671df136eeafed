// SPDX-License-Identifier: Apache-2.0
/// \file The broadcast router as a cycle-exact C++ model. hw/chips/broadcast/broadcast_unit.md is its contract.
#pragma once

#include <cstdint>

#include "hw/chips/broadcast/broadcast_config.h"
#include "hw/chips/broadcast/broadcast_unit.h"
#include "hw/chips/router/router_core.h"
#include "hw/engine/chip.h"

namespace polycast::hw::chips {

/// A virtual-channel router and a broadcast unit on the same links. They sleep independently: a router without traffic
/// adds no cost to a broadcast.
class broadcast_router_core final : public engine::chip {
public:
    /// \throws input_error if a parameter or a register is outside its range
    broadcast_router_core(const broadcast_params& params, const broadcast_registers& registers);

    const engine::pin_shape& shape() const override { return shape_; }
    void reset() override;
    engine::cycle step(engine::cycle now, const engine::pins& in, engine::pins& out) override;
    bool idle() const override;
    void probe(engine::chip_probe& probe) const override;

    /// Bytes that this object holds, itself included.
    std::size_t memory_bytes() const;

private:
    void step_router(engine::cycle now, const engine::pins& in, std::uint64_t flits, std::uint64_t credits,
                     engine::pins& out);

    broadcast_params params_;
    engine::pin_shape shape_;
    router_core router_;
    broadcast_unit unit_;
    engine::pins router_in_;         ///< the router's part, in cycles in which the unit has one, too
    engine::cycle router_wake_ = 0;  ///< returned by the router's last step
    bool unit_awake_ = false;
    bool outputs_quiet_ = true;
};

}  // namespace polycast::hw::chips
