// SPDX-License-Identifier: Apache-2.0
/// \file A chip for tests of waves.
#pragma once

#include "hw/engine/chip.h"

namespace polycast::tlm::trace {

namespace engine = hw::engine;

/// Has pins and a state, both set by the test.
class fake_chip final : public engine::chip {
public:
    explicit fake_chip(engine::pin_shape shape) : shape_(shape) {
        state.inputs.resize(shape.ports * shape.vcs);
        state.outputs.resize(shape.ports * shape.vcs);
    }
    const engine::pin_shape& shape() const override { return shape_; }
    void reset() override {}
    engine::cycle step(engine::cycle, const engine::pins&, engine::pins&) override { return engine::never; }
    bool idle() const override { return true; }
    void probe(engine::chip_probe& probe) const override { probe = state; }
    const engine::pins* reference() const override { return core; }

    engine::chip_probe state;
    const engine::pins* core = nullptr;

private:
    engine::pin_shape shape_;
};

}  // namespace polycast::tlm::trace
