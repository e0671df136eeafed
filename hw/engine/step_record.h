// SPDX-License-Identifier: Apache-2.0
/// \file A step of a chip for observers that are shown it later, in another process perhaps.
#pragma once

#include <optional>

#include "hw/engine/network.h"
#include "hw/engine/pin_packing.h"
#include "hw/engine/told.h"
#include "hw/engine/waiting_ports.h"

namespace polycast::hw::engine {

/// The state of a chip as it was.
class seen_chip final : public chip, public waiting_ports {
public:
    /// `reference`: of its pins; null: it has none.
    seen_chip(const pin_shape& shape, const chip_probe& state, const pins* reference, std::uint64_t xmit_wait)
        : shape_(shape), state_(state), reference_(reference), xmit_wait_(xmit_wait) {}

    const pin_shape& shape() const override { return shape_; }
    void reset() override {}
    cycle step(cycle /*now*/, const pins& /*in*/, pins& /*out*/) override { return never; }
    bool idle() const override { return true; }
    void probe(chip_probe& probe) const override { probe = state_; }
    const pins* reference() const override { return reference_; }
    std::uint64_t xmit_wait() const override { return xmit_wait_; }

private:
    const pin_shape& shape_;
    const chip_probe& state_;
    const pins* reference_;
    std::uint64_t xmit_wait_;
};

struct step_record {
    /// In place of that of an action of the chip (hw/engine/effects.h).
    static constexpr std::uint16_t number = 0xffff;

    pin_shape shape;
    pins in, out;
    chip_probe probe;
    std::optional<pins> reference;  ///< what a reference beside the chip did
    std::uint64_t xmit_wait = 0;    ///< pins of some chips

    explicit step_record(const pin_shape& of) : shape(of), in(of), out(of) {}

    void show(observer& to, chip_id id, cycle now) const {
        to.stepped(id, now, in, out, seen_chip(shape, probe, reference ? &*reference : nullptr, xmit_wait));
    }

    template <typename archive>
    void save(archive& all) const {
        all(in, out, probe, xmit_wait, reference.has_value());
        if (reference) all(*reference);
    }
    template <typename archive>
    void load(archive& all) {
        bool compared = false;
        all(in, out, probe, xmit_wait, compared);
        if (compared) all(reference.emplace(shape));
    }
};

}  // namespace polycast::hw::engine
