// SPDX-License-Identifier: Apache-2.0
#include "tlm/verilated/compared_chip.h"

#include <gtest/gtest.h>

namespace polycast::tlm {
namespace {

namespace engine = hw::engine;

/// Its only output is a credit in each cycle, but not in cycle `wrong`.
class crediting_chip final : public engine::chip {
public:
    explicit crediting_chip(engine::cycle wrong) : wrong_(wrong) {}
    const engine::pin_shape& shape() const override { return shape_; }
    void reset() override {}
    engine::cycle step(engine::cycle now, const engine::pins&, engine::pins& out) override {
        if (now + 1 != wrong_) out.credit = 1;
        return engine::never;
    }
    bool idle() const override { return true; }

private:
    engine::pin_shape shape_{1, 1, 0};
    engine::cycle wrong_;
};

TEST(compared_chip, ends_the_run_some_cycles_after_the_first_difference) {
    compared_chip chip("sw", {"core", "own RTL"}, std::make_unique<crediting_chip>(engine::never),
                       std::make_unique<crediting_chip>(6));
    const engine::pins in(chip.shape());
    engine::pins out(chip.shape());
    const auto step = [&](engine::cycle now) {
        out.clear();
        return chip.step(now, in, out);
    };
    EXPECT_EQ(step(4), engine::never);
    EXPECT_EQ(step(5), 6u) << "it must be stepped again";
    EXPECT_EQ(out.credit, 0u);
    EXPECT_EQ(chip.expected().credit, 1u);
    for (engine::cycle now = 6; now <= 6 + compared_chip::aftermath; ++now)
        EXPECT_EQ(step(now), now + 1) << "the cycle that differs is simulated, and some more";
    try {
        step(7 + compared_chip::aftermath);
        FAIL() << "no error";
    } catch (const comparison_error& error) {
        EXPECT_STREQ(error.what(), "sw in cycle 6: credit of port 0: core 1, own RTL 0");
        EXPECT_EQ(error.when(), 6u);
        EXPECT_EQ(error.chip(), "sw");
    }
    chip.reset();
    EXPECT_EQ(step(8), engine::never) << "all is forgotten";
}

}  // namespace
}  // namespace polycast::tlm
