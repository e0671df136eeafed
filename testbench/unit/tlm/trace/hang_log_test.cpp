// SPDX-License-Identifier: Apache-2.0
#include "tlm/trace/hang_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace polycast::tlm::trace {
namespace {

namespace engine = hw::engine;
using engine::cycle;
using testing::ElementsAre;
using testing::IsEmpty;

class fake_host final : public engine::chip {
public:
    const engine::pin_shape& shape() const override { return shape_; }
    void reset() override {}
    cycle step(cycle, const engine::pins&, engine::pins&) override { return engine::never; }
    bool idle() const override { return true; }
    void probe(engine::chip_probe& probe) const override { probe = state; }

    engine::chip_probe state;

private:
    engine::pin_shape shape_{1, 16, 0};
};

class kept_hangs final : public hang_store {
public:
    void add(const logged_hang& hang) override { all.push_back(hang); }
    std::vector<logged_hang> all;
};

constexpr engine::chip_id host_a = 5, host_b = 6;

class hang_bench {
public:
    explicit hang_bench(const log_window& window = {}) : log({host_a, host_b}, window, store) {
        host.state.interfaces.resize(2);
    }
    /// State of the second interface behind the step of cycle `now`.
    void step(cycle now, engine::chip_id id, bool hung) {
        host.state.interfaces[1].hung = hung;
        const engine::pins quiet(host.shape());
        log.stepped(id, now, quiet, quiet, host);
    }

    kept_hangs store;
    fake_host host;
    hang_log log;
};

TEST(hang_log, has_first_and_last_cycle_of_each) {
    hang_bench bench;
    bench.step(9, host_a, false);
    bench.step(19, host_a, true);
    bench.step(25, host_a, true);
    bench.step(29, host_a, false);
    bench.step(40, host_a, true);
    bench.log.finish(100);
    EXPECT_THAT(bench.store.all, ElementsAre(logged_hang{host_a, 20, 29}, logged_hang{host_a, 41, 99}));
}

TEST(hang_log, those_of_one_cycle_come_by_host) {
    hang_bench bench;
    for (const engine::chip_id id : {host_b, host_a}) bench.step(9, id, true);
    for (const engine::chip_id id : {host_b, host_a}) bench.step(19, id, false);
    EXPECT_THAT(bench.store.all, IsEmpty()) << "the cycle is not over";
    bench.step(20, host_b, false);
    EXPECT_THAT(bench.store.all, ElementsAre(logged_hang{host_a, 10, 19}, logged_hang{host_b, 10, 19}));
}

TEST(hang_log, other_chips_and_cycles_outside_the_window_do_not_count) {
    hang_bench bench({50, 60});
    bench.step(9, 3, true);
    bench.step(9, host_a, true);
    bench.step(30, host_a, false);  // before it
    bench.step(39, host_b, true);   // touches it
    bench.step(70, host_b, false);
    bench.step(80, host_a, true);  // behind it
    bench.log.finish(100);
    EXPECT_THAT(bench.store.all, ElementsAre(logged_hang{host_b, 40, 70}));
}

}  // namespace
}  // namespace polycast::tlm::trace
