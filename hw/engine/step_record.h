// SPDX-License-Identifier: Apache-2.0
/// \file A step of a chip for observers that are shown it later, in another process perhaps.
#pragma once

#include "hw/engine/network.h"
#include "hw/engine/pin_packing.h"
#include "hw/engine/told.h"

namespace polycast::hw::engine {

/// The state of a chip as it was.
class seen_chip final : public chip {
public:
    seen_chip(const pin_shape& shape, const chip_probe& state) : shape_(shape), state_(state) {}

    const pin_shape& shape() const override { return shape_; }
    void reset() override {}
    cycle step(cycle /*now*/, const pins& /*in*/, pins& /*out*/) override { return never; }
    bool idle() const override { return true; }
    void probe(chip_probe& probe) const override { probe = state_; }

private:
    const pin_shape& shape_;
    const chip_probe& state_;
};

struct step_record {
    /// In place of that of an action of the chip (hw/engine/effects.h).
    static constexpr std::uint16_t number = 0xffff;

    pin_shape shape;
    pins in, out;
    chip_probe probe;

    explicit step_record(const pin_shape& of) : shape(of), in(of), out(of) {}

    void show(observer& to, chip_id id, cycle now) const { to.stepped(id, now, in, out, seen_chip(shape, probe)); }

    template <typename archive>
    void serialize(archive& all) {
        all(in, out, probe);
    }
};

}  // namespace polycast::hw::engine
