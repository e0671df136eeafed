// SPDX-License-Identifier: Apache-2.0
#include "tlm/trace/replay_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/chips/link/link_counters.h"

namespace polycast::tlm::trace {
namespace {

namespace engine = hw::engine;
using engine::cycle;
using testing::ElementsAre;
using testing::IsEmpty;

class fake_cable final : public engine::chip {
public:
    const engine::pin_shape& shape() const override { return shape_; }
    void reset() override {}
    cycle step(cycle, const engine::pins&, engine::pins&) override { return engine::never; }
    bool idle() const override { return true; }
    void probe(engine::chip_probe& probe) const override { probe = state; }

    engine::chip_probe state;

private:
    engine::pin_shape shape_{2, 16, 0};
};

class kept_replays final : public replay_store {
public:
    void add(const link_replay& replay) override { all.push_back(replay); }
    std::vector<link_replay> all;
};

constexpr engine::chip_id cable_a = 5, cable_b = 6;

class replay_bench {
public:
    explicit replay_bench(const log_window& window = {}) : log({cable_a, cable_b}, window, store) {
        cable.state.ends.resize(2);
    }
    /// State of an end behind the step of cycle `now`; the other end is in advance.
    void step(cycle now, engine::chip_id id, unsigned end, bool replays, unsigned count = 0,
              cycle timer = engine::never) {
        using enum hw::chips::link_tx_state;
        for (auto& each : cable.state.ends) each.tx = static_cast<std::uint8_t>(advance);
        cable.state.ends[end].tx = static_cast<std::uint8_t>(replays ? replay : advance);
        cable.state.ends[end].replays = static_cast<std::uint8_t>(count);
        cable.state.ends[end].timer = timer;
        const engine::pins quiet(cable.shape());
        log.stepped(id, now, quiet, quiet, cable);
    }

    kept_replays store;
    fake_cable cable;
    replay_log log;
};

TEST(replay_log, tells_the_cycles_and_the_cause) {
    replay_bench bench;
    bench.step(10, cable_a, 1, false, 0, 100);
    bench.step(20, cable_a, 1, true, 1, 100);  // the timer runs still: a nack
    bench.step(24, cable_a, 1, false, 0, 300);
    bench.step(300, cable_a, 1, true, 1);
    bench.step(301, cable_a, 1, true, 1, 700);
    bench.step(305, cable_a, 1, false, 0);
    bench.step(310, 0, 0, true, 1);  // no cable
    bench.log.finish(400);
    EXPECT_THAT(bench.store.all,
                ElementsAre(link_replay{cable_a, 1, 20, 23, false}, link_replay{cable_a, 1, 300, 304, true}));
}

TEST(replay_log, takes_a_start_inside_a_replay_for_another_one) {
    replay_bench bench;
    bench.step(20, cable_b, 0, true, 1, 100);
    bench.step(30, cable_b, 0, true, 2, 130);
    bench.step(31, cable_b, 0, true, 2, 130);
    bench.log.finish(40);
    EXPECT_THAT(bench.store.all,
                ElementsAre(link_replay{cable_b, 0, 20, 29, false}, link_replay{cable_b, 0, 30, 39, false}));
}

TEST(replay_log, is_in_the_order_of_cables_and_keeps_its_window) {
    replay_bench bench({15, 30});
    bench.step(5, cable_b, 0, true, 1);
    bench.step(5, cable_a, 0, true, 1);
    bench.step(12, cable_b, 0, false);  // before the window
    bench.step(13, cable_b, 0, true, 1);
    bench.step(20, cable_b, 0, false);
    bench.step(20, cable_a, 0, false);
    bench.step(25, cable_a, 0, true, 1);
    bench.step(40, cable_a, 0, false);  // behind it
    bench.log.finish(50);
    EXPECT_THAT(bench.store.all,
                ElementsAre(link_replay{cable_a, 0, 5, 19, false}, link_replay{cable_b, 0, 13, 19, false}));
    replay_bench quiet;
    quiet.step(5, cable_a, 0, false);
    quiet.log.finish(9);
    EXPECT_THAT(quiet.store.all, IsEmpty());
}

}  // namespace
}  // namespace polycast::tlm::trace
