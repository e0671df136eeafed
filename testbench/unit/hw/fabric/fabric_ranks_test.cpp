// SPDX-License-Identifier: Apache-2.0
// A fabric does the same on any number of ranks, with any number of threads each, packet by packet.
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "hw/input_error.h"
#include "testbench/unit/hw/engine/thread_ranks.h"
#include "testbench/unit/hw/fabric/partition_settings.h"

namespace polycast::testbench::unit {
namespace {

using namespace hw::fabric;
using hw::engine::cycle;
using hw::engine::never;
using hw::engine::on_ranks;
using rank_pointer = std::shared_ptr<hw::engine::rank_group>;

/// From a list; the check of some packets believes that they go elsewhere.
class misleading_traffic {
public:
    misleading_traffic(router_fabric& fabric, terminals& ends, std::vector<send_order> orders)
        : fabric_(&fabric), ends_(&ends), orders_(std::move(orders)) {}

    void send(cycle now, router_fabric& fabric) {
        for (; next_ < orders_.size() && orders_[next_].birth <= now; ++next_) {
            const packet_id id = ends_->queue(orders_[next_]);
            if (orders_[next_].birth % 7 == 0) fabric.packets()[id].destination ^= 1;
        }
        ends_->send_flits(fabric, [](std::uint32_t) {});
    }
    void arrive(cycle when, std::uint32_t terminal, unsigned vc, packet_id id, std::uint16_t info) {
        const packet what = fabric_->packets()[id];
        if ((info & hw::chips::flit_info::tail) != 0) arrivals[{what.source, what.number, terminal}] = when;
        ends_->arrive(when, terminal, vc, id, info);
    }
    void credit(std::uint32_t terminal, unsigned vc) { ends_->credit(terminal, vc); }
    cycle next(cycle now) const {
        if (!ends_->blocked()) return now;
        return next_ < orders_.size() ? std::max(now, orders_[next_].birth) : never;
    }

    arrival_map arrivals;

private:
    router_fabric* fabric_;
    terminals* ends_;
    std::vector<send_order> orders_;
    std::size_t next_ = 0;
};

struct sight {
    arrival_map arrivals;
    latency_histogram latency;
    std::uint64_t packets = 0, flits = 0, flit_hops = 0, router_steps = 0, missing = 0, faults = 0;
    std::vector<finding> oldest, first_faults;
    cycle end = 0;

    bool operator==(const sight&) const = default;

    void add(sight others) {
        arrivals.merge(others.arrivals);
        latency += others.latency;
        packets += others.packets;
        flits += others.flits;
        flit_hops += others.flit_hops;
        router_steps += others.router_steps;
        missing += others.missing;
        faults += others.faults;
        oldest.insert(oldest.end(), others.oldest.begin(), others.oldest.end());
        first_faults.insert(first_faults.end(), others.first_faults.begin(), others.first_faults.end());
        end = std::max(end, others.end);
    }
};

/// Of one rank. `piece`: cycles of a call of run().
sight run_rank(const setting& setting, const std::vector<send_order>& orders, unsigned threads, cycle piece, cycle last,
               const rank_pointer& group) {
    router_fabric fabric(setting.params, threads, true, group);
    std::vector<terminals> ends;
    std::vector<misleading_traffic> traffic;
    ends.reserve(threads);
    for (unsigned part = 0; part < threads; ++part) {
        const auto range = fabric.nodes_of(part);
        std::vector<send_order> own;
        std::ranges::copy_if(orders, std::back_inserter(own), [&](const send_order& order) {
            return order.source % fabric.nodes() - range.first < range.count;
        });
        traffic.emplace_back(fabric, ends.emplace_back(fabric, 0, never, part), std::move(own));
    }
    for (cycle end = piece; end < last + piece; end += piece) fabric.run(std::min(end, last), traffic);
    sight all;
    for (unsigned part = 0; part < threads; ++part) {
        all.arrivals.merge(traffic[part].arrivals);
        all.latency += ends[part].statistics().latency;
        all.packets += ends[part].statistics().packets;
        all.flits += ends[part].statistics().flits;
        all.faults += ends[part].fault_count();
        const auto faults = ends[part].placed_faults();
        all.first_faults.insert(all.first_faults.end(), faults.begin(), faults.end());
    }
    all.missing = ends[0].missing();
    all.oldest = ends[0].oldest_missing(8);
    all.flit_hops = fabric.flit_hops();
    all.router_steps = fabric.router_steps();
    all.end = fabric.now();
    return all;
}

sight run_ranks(const setting& setting, const std::vector<send_order>& orders, unsigned ranks, unsigned threads,
                cycle piece, cycle last) {
    std::vector<sight> seen(ranks);
    on_ranks<int>(ranks, [&](rank_pointer group) {
        const unsigned rank = group->rank();
        seen[rank] = run_rank(setting, orders, threads, piece, last, ranks == 1 ? nullptr : group);
        return 0;
    });
    sight all;
    for (const sight& rank : seen) {
        EXPECT_EQ(rank.end, seen.front().end);
        all.add(rank);
    }
    std::ranges::sort(all.oldest);
    all.oldest.resize(std::min<std::size_t>(all.oldest.size(), 8));
    std::ranges::sort(all.first_faults);
    all.first_faults.resize(std::min<std::size_t>(all.first_faults.size(), 20));
    return all;
}

struct fabric_ranks : testing::TestWithParam<setting> {};

TEST_P(fabric_ranks, any_number_of_them_gives_the_same) {
    const auto orders = random_orders(GetParam(), 5);
    const sight one = run_ranks(GetParam(), orders, 1, 1, 5000, 5000);
    EXPECT_EQ(one.arrivals.size(), orders.size());
    EXPECT_EQ(one.missing, 0u);
    EXPECT_GT(one.faults, 20u);
    EXPECT_EQ(one.first_faults.size(), 20u);
    for (const unsigned ranks : {2u, 7u})
        EXPECT_EQ(run_ranks(GetParam(), orders, ranks, 1, 5000, 5000), one) << ranks << " ranks";
    EXPECT_EQ(run_ranks(GetParam(), orders, 3, 2, 5000, 5000), one) << "of two threads";
    EXPECT_EQ(run_ranks(GetParam(), orders, 1, 3, 5000, 5000), one) << "threads alone";
}

/// Packets with flits on both sides of a border count once.
TEST_P(fabric_ranks, what_is_inside_when_they_stop_is_the_same) {
    const auto orders = random_orders(GetParam(), 6);
    for (const cycle last : {cycle{23}, cycle{500}}) {
        const sight one = run_ranks(GetParam(), orders, 1, 1, 19, last);
        EXPECT_GT(one.missing, 0u);
        EXPECT_EQ(one.end, last);
        EXPECT_EQ(one.oldest.size(), std::min<std::uint64_t>(one.missing, 8));
        for (const unsigned ranks : {2u, 5u})
            EXPECT_EQ(run_ranks(GetParam(), orders, ranks, 1, 19, last), one) << ranks << " ranks to " << last;
    }
}

INSTANTIATE_TEST_SUITE_P(settings, fabric_ranks, testing::ValuesIn(settings()),
                         [](const auto& parameter) { return parameter.param.name; });

/// Ends are where one process ends, too.
TEST(fabric_ranks_of, idle_networks_jump) {
    const setting quiet{"quiet", mesh(4)};
    std::vector<send_order> orders;
    for (std::uint32_t turn = 0; turn < 10; ++turn) orders.push_back({turn, 15 - turn, turn * 100000, 3, 0});
    const sight one = run_ranks(quiet, orders, 1, 1, never / 2, never / 2);
    EXPECT_EQ(run_ranks(quiet, orders, 4, 1, never / 2, never / 2), one);
    EXPECT_LT(one.end, 900100u);
    on_ranks<int>(4, [&](const rank_pointer& group) {
        router_fabric fabric(quiet.params, 1, true, group);
        terminals ends(fabric, 0, never);
        std::vector<misleading_traffic> traffic;
        std::vector<send_order> own;
        for (const send_order& order : orders)
            if (order.source - fabric.nodes_of(0).first < fabric.nodes_of(0).count) own.push_back(order);
        traffic.emplace_back(fabric, ends, own);
        fabric.run(never, traffic);
        EXPECT_LT(fabric.costs().windows, 200u);
        EXPECT_EQ(fabric.costs().window, 2u);
        EXPECT_EQ(fabric.costs().cables, 12u) << "four lie between two rows";
        return 0;
    });
}

/// Throws in a cycle.
struct failing_traffic {
    cycle when;
    std::string what;

    void send(cycle now, router_fabric&) const {
        if (now >= when) throw hw::input_error(what);
    }
    void arrive(cycle, std::uint32_t, unsigned, packet_id, std::uint16_t) {}
    void credit(std::uint32_t, unsigned) {}
    cycle next(cycle now) const { return now; }
};

/// What ranks of two partitions each throw, of which some fail.
std::string first_failure(const std::vector<cycle>& fails) {
    const auto ranks = static_cast<unsigned>(fails.size() / 2);
    unsigned ended = 0;
    std::mutex counting;
    std::string said;
    on_ranks<int>(ranks, [&](const rank_pointer& group) {
        router_fabric fabric(mesh(4), 2, true, group);
        std::vector<failing_traffic> traffic;
        for (unsigned part = 0; part < 2; ++part) {
            const unsigned index = 2 * group->rank() + part;
            traffic.push_back({fails[index], "part " + std::to_string(index)});
        }
        try {
            fabric.run(1000, traffic);
        } catch (const hw::input_error& failed) {
            EXPECT_TRUE(group->first());
            said = failed.what();
        } catch (const hw::engine::simulated_elsewhere&) {
            EXPECT_FALSE(group->first());
        }
        const std::scoped_lock lock(counting);
        ++ended;
        return 0;
    });
    EXPECT_EQ(ended, ranks);
    return said;
}

TEST(fabric_ranks_of, terminals_that_throw_end_with_the_first_error) {
    EXPECT_EQ(first_failure({never, never, never, 50, never, never}), "part 3");
    EXPECT_EQ(first_failure({50, never, 49, never, never, 48}), "part 5");
    EXPECT_EQ(first_failure({never, 50, never, never, 50, 50}), "part 1") << "in one cycle by node";
    EXPECT_EQ(first_failure({never, never, 0, 0, 500, 500}), "part 2");
}

TEST(fabric_ranks_of, too_few_nodes_are_refused) {
    on_ranks<int>(3, [](const rank_pointer& group) {
        EXPECT_THROW(router_fabric(mesh(2), 2, false, group), hw::input_error);
        EXPECT_NO_THROW(router_fabric(mesh(2), 1, false, group));
        return 0;
    });
}

}  // namespace
}  // namespace polycast::testbench::unit
