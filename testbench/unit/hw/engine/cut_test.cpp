// SPDX-License-Identifier: Apache-2.0
// Cables that are cut for threads and ranks: a network of them is the same, whatever of it is cut.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <utility>

#include "hw/chips/link/frame_cable.h"
#include "hw/faults/faulty_cable.h"
#include "testbench/unit/hw/engine/babble.h"
#include "testbench/unit/hw/engine/thread_ranks.h"

namespace polycast::hw::engine {
namespace {

constexpr std::uint32_t chips = 12;

std::vector<std::string> names() {
    std::vector<std::string> all;
    for (std::uint32_t number = 0; number < chips; ++number) all.push_back("chip" + std::to_string(number));
    for (std::uint32_t number = 0; number < chips; ++number) all.push_back("cable" + std::to_string(number));
    return all;
}

/// In turns one of symbols, which cannot be cut, one of frames, and one with flips and upsets.
std::unique_ptr<chip> make_cable(const pin_shape& shape, std::uint32_t number, std::mt19937_64& random) {
    chips::link_config config;
    config.flit_bytes = shape.flit_bytes;
    config.header_bytes = shape.header_bytes;
    config.vcs = shape.vcs;
    config.delay = 1 + static_cast<unsigned>(random() % 9);
    config.far.credits.fill(8);
    config.own = config.far;
    config.layer = random() % 3 == 0 ? chips::link_layer::check : chips::link_layer::retry;
    if (number % 3 == 0) return std::make_unique<chips::cable_core>(config);
    auto frames = std::make_unique<chips::frame_cable>(config);
    if (number % 3 == 1) return frames;
    faults::fault_plan plan;
    plan.seed = random();
    for (const unsigned end : {0u, 1u}) plan.rates.push_back({end, 1e-3});
    faults::fault_event upset{.what = faults::fault_kind::upset, .from_end = 1, .at = random() % 600};
    upset.upset = {chips::link_memory::counters, 0, 3};
    plan.events.push_back(upset);
    return std::make_unique<faults::faulty_cable>(std::move(frames), plan, number);
}

/// A ring of babblers, which keep to no credits, with a cable between each two.
babble run_cables(std::uint64_t seed, threading how) {
    std::mt19937_64 random(seed);
    babble done;
    network net(std::move(how));
    const pin_shape shape{2, 3, 5, 4};
    for (std::uint32_t number = 0; number < chips; ++number)
        net.add(std::make_unique<babbler>(number, shape, done.all), names()[number]);
    for (std::uint32_t number = 0; number < chips; ++number) {
        const chip_id cable = net.add(make_cable(shape, number, random), names()[chips + number]);
        net.connect({number, 0}, {cable, 0}, {0, 1});
        net.connect({cable, 1}, {(number + 1) % chips, 1}, {0, 1});
    }
    net.run_slices({1500, 1 + random() % 100, never}, [&](bool over) {
        done.numbers.insert(done.numbers.end(),
                            {net.now(), net.flit_hops(), net.last_flit(), net.error_count(), net.event_count()});
        for (chip_id id = chips; id < net.size(); ++id) done.numbers.push_back(net.idle(id) ? 1 : 0);
        return over || net.now() >= 1500;
    });
    EXPECT_EQ(net.size(), 2 * chips);
    for (chip_id id = 0; id < net.size(); ++id) {
        for (unsigned port = 0; port < shape.ports; ++port) {
            const link_statistics into = net.statistics({id, port});
            const port_id peer = net.peer({id, port});
            done.numbers.insert(done.numbers.end(), {into.flits, into.packets, into.occupied_max, into.occupied_cycles,
                                                     into.since, peer.chip, peer.port});
        }
        if (id < chips) continue;
        chip_probe probe;
        net.probe(id, probe);
        for (const chip_probe::link_end& end : probe.ends)
            done.numbers.insert(done.numbers.end(), {end.tx, end.rx, end.next, end.expected, end.ring, end.bad});
        done.records.push_back(net.report(id).counts);
    }
    EXPECT_GT(net.errors().size(), 100u) << "babblers send what they may not";
    for (const error_event& each : net.errors())
        done.records.push_back(std::to_string(each.when) + "/" + std::to_string(each.where.chip) + "/" +
                               std::to_string(each.where.port) + "/" + std::to_string(each.errors));
    return done;
}

TEST(cut_cables, threads_change_nothing) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        const babble reference = run_cables(seed, {});
        std::mt19937_64 random(seed);
        for (const unsigned count : {2u, 3u, 5u}) {
            SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(count) + " threads");
            EXPECT_EQ(difference(run_cables(seed, {count, {}, true}), reference), "") << "a partition of its own";
            EXPECT_EQ(difference(run_cables(seed, random_parts(names(), count, random)), reference), "")
                << "a random partition";
        }
    }
}

TEST(cut_cables, ranks_change_nothing) {
    const auto on = [](unsigned count, std::uint64_t seed, const threading& how) {
        return on_ranks<babble>(count, [&](std::shared_ptr<rank_group> group) {
            threading own = how;
            own.ranks = std::move(group);
            return run_cables(seed, own);
        });
    };
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        const babble reference = run_cables(seed, {});
        std::mt19937_64 random(seed);
        for (const unsigned count : {2u, 3u}) {
            SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(count) + " ranks");
            EXPECT_EQ(difference(on(count, seed, {}), reference), "") << "a partition of its own";
            EXPECT_EQ(difference(on(count, seed, random_parts(names(), 2, random, 2 * count)), reference), "")
                << "a random partition, of two threads each";
        }
    }
}

/// Whoever watches sees whole cables.
TEST(cut_cables, are_whole_where_somebody_watches) {
    network net({2, {}, true});
    story all;
    const pin_shape shape{2, 3, 5, 4};
    for (const char* name : {"a", "b"}) net.add(std::make_unique<babbler>(0, shape, all), name);
    std::mt19937_64 random(1);
    const chip_id cable = net.add(make_cable(shape, 1, random), "cable");
    net.connect({0, 0}, {cable, 0}, {0, 1});
    net.connect({cable, 1}, {1, 0}, {0, 1});
    struct watcher final : observer {
        void stepped(chip_id id, cycle, const pins&, const pins&, const chip& chip) override {
            chip_probe probe;
            chip.probe(probe);
            if (id == 2 && !probe.ends.empty() && probe.ends[0].out.kind != 0) ++symbols;
            EXPECT_LT(id, 3u);
        }
        unsigned symbols = 0;
    } watcher;
    net.observe(&watcher);
    net.run(300);
    EXPECT_GT(watcher.symbols, 2u);
}

}  // namespace
}  // namespace polycast::hw::engine
