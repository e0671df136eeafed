// SPDX-License-Identifier: Apache-2.0
/// \file A chip in whose memories bits flip, as a chip of a network.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "hw/chips/chip_upset.h"
#include "hw/chips/link/cable_report.h"

namespace polycast::hw::faults {

struct timed_upset {
    engine::cycle at = 0;
    chips::chip_upset what = {};
};

/// Reports what happened as a faulty_cable does; the end is the number of the memory.
class faulty_chip final : public engine::chip {
public:
    /// \param upsets at most one in a cycle
    faulty_chip(std::unique_ptr<chips::upsettable_chip> hit, std::vector<timed_upset> upsets);

    const engine::pin_shape& shape() const override { return chip_->shape(); }
    void reset() override;
    engine::cycle step(engine::cycle now, const engine::pins& in, engine::pins& out) override;
    bool idle() const override { return chip_->idle(); }
    void probe(engine::chip_probe& probe) const override { chip_->probe(probe); }
    engine::chip_report report() const override;
    void watch() override { chip_->watch(); }
    unsigned step_cost() const override { return chip_->step_cost(); }
    const void* shared() const override { return chip_->shared(); }

private:
    std::vector<timed_upset> upsets_;  ///< by cycle
    std::size_t next_ = 0;
    chips::cable_damage damage_;
    std::unique_ptr<chips::upsettable_chip> chip_;
};

}  // namespace polycast::hw::faults
