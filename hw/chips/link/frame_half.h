// SPDX-License-Identifier: Apache-2.0
/// \file One end of a frame_cable as a chip of its own, for networks whose parts are cut at the wires.
#pragma once

#include <boost/circular_buffer.hpp>

#include "hw/chips/link/cable.h"
#include "hw/chips/link/frame_side.h"
#include "hw/chips/link/frame_wire.h"

namespace polycast::hw::chips {

/// Port 0 is joined to the chip, port 1 to the other half by a link as long as the wire, on which frames, sets and
/// spoilt symbols move as whole packets of no flit, each in the cycle of its last symbol.
class frame_half final : public link_cable {
public:
    /// `config` is that of end 0 of the cable. \throws input_error as checked() does
    frame_half(const link_config& config, unsigned which);

    const engine::pin_shape& shape() const override { return shape_; }
    const link_config& config() const override { return config_; }
    void attach(unsigned towards, wire_faults& faults) override;
    void upset(unsigned which, const link_upset& what) override;
    void reset() override;
    engine::cycle step(engine::cycle now, const engine::pins& in, engine::pins& out) override;
    /// Of both ends together, in any cycle: what it has sent counts until it has arrived.
    bool idle() const override { return flying_.empty() && !holds_flits(); }
    /// Of its own end alone.
    void probe(engine::chip_probe& probe) const override;
    engine::chip_report report() const override;

private:
    bool holds_flits() const { return side_.end().holds_flits() || in_.holds_flits() || out_.holds_flits(); }

    link_config config_;
    unsigned which_;
    engine::pin_shape shape_;
    frame_side side_;
    frame_wire in_, out_;
    boost::circular_buffer<engine::cycle> flying_{8};  ///< arrivals of what was sent and has flits
};

}  // namespace polycast::hw::chips
