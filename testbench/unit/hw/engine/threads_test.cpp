// SPDX-License-Identifier: Apache-2.0
// A network does the same on any number of threads and with any partition.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <stdexcept>

#include "hw/delivery/scoreboard.h"
#include "hw/engine/effects.h"
#include "hw/engine/network.h"
#include "hw/engine/partition.h"
#include "hw/engine/team.h"
#include "hw/input_error.h"
#include "hw/system/hosts.h"
#include "hw/system/schemes.h"
#include "hw/system/system_network.h"
#include "hw/topology/irregular.h"
#include "hw/workloads/messages/workload.h"
#include "testbench/unit/hw/system/native.h"

namespace polycast::hw::engine {
namespace {

using testing::ElementsAre;

threading random_parts(const std::vector<std::string>& chips, unsigned threads, std::mt19937_64& random) {
    threading how{threads, {}, true};
    for (const std::string& chip : chips) how.part_of[chip] = static_cast<std::uint32_t>(random() % threads);
    return how;
}

std::vector<std::string> babblers() {
    std::vector<std::string> names;
    for (unsigned number = 0; number < 40; ++number) names.push_back("chip" + std::to_string(number));
    return names;
}

/// What happened, one line for each thing.
using story = std::vector<std::string>;

/// Puts random signals of all kinds on its pins and tells a story that all chips share; what it does depends on what it
/// sees.
class babbler final : public chip {
public:
    babbler(std::uint32_t number, const pin_shape& shape, story& all)
        : number_(number), shape_(shape), all_(all), random_(number) {}

    const pin_shape& shape() const override { return shape_; }
    void reset() override {}
    bool idle() const override { return true; }
    effects* told() override { return &told_; }
    cycle step(cycle now, const pins& in, pins& out) override {
        ++steps;
        std::string line = std::to_string(now) + ": " + std::to_string(number_) + " sees";
        for (unsigned port = 0; port < shape_.ports; ++port) see(in, port, line);
        if (now == fails_at) throw std::runtime_error("chip " + std::to_string(number_) + " fails");
        if (told_.wait()) {
            told_.add([&all = all_, line] { all.push_back(line); });
        } else {
            all_.push_back(line);
        }
        if (now >= last) return never;
        for (unsigned port = 0; port < shape_.ports; ++port) act(out, port, now);
        if (random_() % 8 == 0) out.events.push_back({.code = static_cast<std::uint8_t>(number_)});
        const std::uint64_t rest = random_() % 16;
        return rest == 0 ? never : rest < 10 ? now + 1 : now + rest;
    }

    static constexpr cycle last = 600;
    cycle fails_at = never;
    unsigned steps = 0;            ///< so far
    const void* common = nullptr;  ///< that it uses with others
    const void* shared() const override { return common; }

private:
    void see(const pins& in, unsigned port, std::string& line) {
        const auto note = [&](const char* what, std::uint64_t value) {
            line += " " + std::to_string(port) + what + std::to_string(value);
            random_.discard(value % 5);
        };
        if ((in.valid >> port & 1) != 0) {
            note((in.head >> port & 1) != 0 ? "head" : "flit", in.data[std::size_t{port} * shape_.flit_bytes]);
            note("last byte", in.data[std::size_t{port + 1} * shape_.flit_bytes - 1]);
            if (shape_.vcs > 1) note("vc", in.vc[port]);
            if ((in.head >> port & 1) != 0 && shape_.header_bytes != 0)
                note("header", in.header[std::size_t{port + 1} * shape_.header_bytes - 1]);
        }
        if ((in.credit >> port & 1) != 0) note("credit", shape_.vcs > 1 ? in.credit_vc[port] : 0u);
        if ((in.side >> port & 1) != 0) note("side", in.sides[port].have);
        if ((in.packet >> port & 1) != 0) note("packet", in.packets[port].flits);
    }
    void act(pins& out, unsigned port, cycle now) {
        const std::uint64_t mask = std::uint64_t{1} << port;
        const auto some = [this] { return random_() % 4 == 0; };
        if (some() && shape_.whole_packets && now >= busy_[port]) {
            out.packet |= mask;
            out.packets[port].flits = static_cast<std::uint32_t>(random_() % 50);
            out.packets[port].cycles = 1 + out.packets[port].flits;
            busy_[port] = now + out.packets[port].cycles;
        }
        if (shape_.whole_packets) return;
        if (some()) {
            out.valid |= mask;
            if (some()) out.head |= mask;
            if (some()) out.tail |= mask;
            for (unsigned byte = 0; byte < shape_.flit_bytes; ++byte)
                out.data[port * shape_.flit_bytes + byte] = static_cast<std::uint8_t>(random_());
            for (unsigned byte = 0; byte < shape_.header_bytes; ++byte)
                out.header[port * shape_.header_bytes + byte] = static_cast<std::uint8_t>(random_());
            if (shape_.vcs > 1) out.vc[port] = static_cast<std::uint8_t>(random_() % shape_.vcs);
        }
        if (some()) {
            out.credit |= mask;
            if (shape_.vcs > 1) out.credit_vc[port] = static_cast<std::uint8_t>(random_() % shape_.vcs);
        }
        if (some() && (shape_.side_ports >> port & 1) != 0) {
            out.side |= mask;
            out.sides[port].have = random_() % 100;
        }
        if (some()) {
            out.error |= mask;
            out.errors[port] = static_cast<std::uint16_t>(1 + random_() % 3);
        }
    }

    std::uint32_t number_;
    pin_shape shape_;
    story& all_;
    std::mt19937 random_;
    effects told_;
    std::map<unsigned, cycle> busy_;
};

/// Writes down the order of steps, and what is on the pins then.
class step_log final : public observer {
public:
    void stepped(chip_id id, cycle now, const pins& in, const pins& out, const chip& chip) override {
        seen.push_back(std::to_string(now) + ": " + std::to_string(id) + " " + std::to_string(in.valid) + " " +
                       std::to_string(out.valid) + " " + std::to_string(out.credit) + " " +
                       std::to_string(dynamic_cast<const babbler&>(chip).steps));
    }
    story seen;
};

struct babble {
    story all;
    story steps;
    std::vector<std::uint64_t> numbers;
    std::vector<std::string> records;
    bool operator==(const babble&) const = default;
};

/// A ring of chips with chords and random delays; the run is cut into slices.
babble run_babble(std::uint64_t seed, const pin_shape& shape, threading threads, bool watched, cycle failing = never) {
    std::mt19937_64 random(seed);
    babble done;
    network net(std::move(threads));
    const std::uint32_t chips = 5 + static_cast<std::uint32_t>(random() % 30);
    for (std::uint32_t number = 0; number < chips; ++number) {
        auto made = std::make_unique<babbler>(number, shape, done.all);
        if (number % 3 == 1) made->fails_at = failing;
        net.add(std::move(made), "chip" + std::to_string(number));
    }
    const auto delay = [&] { return 1 + static_cast<unsigned>(random() % (random() % 2 == 0 ? 2 : 40)); };
    for (std::uint32_t number = 0; number < chips; ++number)
        net.connect({number, 0}, {(number + 1) % chips, 1}, {delay(), 1 + static_cast<unsigned>(random() % 3)});
    std::vector<std::uint32_t> odd;
    for (std::uint32_t number = 1; number < chips; number += 2) odd.push_back(number);
    std::ranges::shuffle(odd, random);
    for (std::uint32_t index = 0; index < odd.size(); ++index)
        net.connect({2 * index, 2}, {odd[index], 2}, {delay(), 1});
    step_log log;
    if (watched) net.observe(&log);
    const auto look = [&](bool over) {
        done.numbers.insert(done.numbers.end(), {net.now(), net.chip_steps(), net.flit_hops(), net.packet_hops(),
                                                 net.last_flit(), net.error_count(), net.event_count()});
        return over;
    };
    try {
        net.run_slices({never, 1 + random() % 100, never}, look);
    } catch (const std::runtime_error& failed) {
        done.records.emplace_back(failed.what());
        return {done.all, {}, {net.now()}, done.records};
    }
    for (std::uint32_t number = 0; number < chips; ++number) {
        for (unsigned port = 0; port < shape.ports; ++port) {
            const link_statistics into = net.statistics({number, port});
            done.numbers.insert(done.numbers.end(),
                                {into.flits, into.packets, into.occupied_max, into.occupied_cycles, into.since});
        }
    }
    for (const error_event& each : net.errors())
        done.records.push_back(std::to_string(each.when) + "/" + std::to_string(each.where.chip) + "/" +
                               std::to_string(each.where.port) + "/" + std::to_string(each.errors));
    for (const event_record& each : net.events())
        done.records.push_back(std::to_string(each.when) + "/" + std::to_string(each.chip));
    done.steps = log.seen;
    return done;
}

pin_shape wide_shape() {
    pin_shape shape{4, 3, 5, 4};
    return shape;
}
pin_shape side_shape() {
    pin_shape shape{4, 1, 0, 2, 0xf, 1};
    return shape;
}
pin_shape packet_shape() {
    pin_shape shape{4, 1, 0};
    shape.whole_packets = true;
    return shape;
}

class threads : public testing::TestWithParam<pin_shape> {};

TEST_P(threads, chips_that_do_anything_do_the_same_in_any_partition) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const bool watched = seed % 2 == 0;
        const babble reference = run_babble(seed, GetParam(), {}, watched);
        EXPECT_GT(reference.all.size(), 500u);
        std::mt19937_64 random(seed);
        for (const unsigned count : {2u, 3u, 5u}) {
            SCOPED_TRACE(std::to_string(count) + " threads");
            EXPECT_TRUE(run_babble(seed, GetParam(), {count, {}, true}, watched) == reference)
                << "a partition of its own";
            EXPECT_TRUE(run_babble(seed, GetParam(), random_parts(babblers(), count, random), watched) == reference)
                << "a random partition";
        }
    }
}

TEST_P(threads, the_first_failure_ends_the_run_and_nothing_behind_it_is_told) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        for (const cycle when : {cycle{0}, cycle{1}, cycle{40}}) {
            const babble reference = run_babble(seed, GetParam(), {}, false, when);
            std::mt19937_64 random(seed);
            const babble same = run_babble(seed, GetParam(), random_parts(babblers(), 3, random), false, when);
            EXPECT_EQ(same.records, reference.records) << "seed " << seed;
            EXPECT_EQ(same.all, reference.all) << "seed " << seed;
            EXPECT_EQ(same.numbers, reference.numbers) << "seed " << seed;
        }
    }
}

TEST(threads, chips_with_a_shared_object_follow_the_first_of_them) {
    story all;
    network net({2, {{"a", 1}, {"b", 0}, {"c", 0}, {"d", 1}}, true});
    for (const char* name : {"a", "b", "c", "d"}) {
        auto chip = std::make_unique<babbler>(0, wide_shape(), all);
        if (*name == 'a' || *name == 'c') chip->common = &all;
        net.add(std::move(chip), name);
    }
    net.run(1);
    EXPECT_THAT(net.part_of(), ElementsAre(1, 0, 1, 1));
}

INSTANTIATE_TEST_SUITE_P(shapes, threads, testing::Values(wide_shape(), side_shape(), packet_shape()));

/// Unicasts and multicasts among hosts with interfaces, with wrong expectations where `seed_of_board` is not 1.
struct host_run {
    std::vector<traffic::transfer_record> transfers;
    traffic::delivery_counts counts;
    std::vector<std::string> faults;
    std::uint64_t steps = 0;
    cycle cycles = 0;
    bool operator==(const host_run&) const = default;
};

host_run run_hosts(const system::system_plan& plan, const std::string& scheme, std::uint64_t seed_of_board,
                   threading how) {
    system::multicast_choice choice;
    choice.scheme.how = collectives::scheme_of(scheme);
    traffic::workload_params work;
    work.hosts = plan.host.interface.hosts;
    work.how = system::forwarding_of(choice);
    work.degree = 5;
    work.gap = 900;
    work.end = 5000;
    traffic::workload source(work, system::make_planner(plan, choice, work.bytes));
    traffic::scoreboard board(seed_of_board, {}, work.payload_bytes);
    system::system_network network(
        plan, system::make_core, system::workload_hosts(system::native(), source, board, 1), board,
        [&how](const system::system_plan&) { return std::make_unique<engine::network>(how); });
    const system::run_outcome outcome = network.run({.cycles = 40000, .patience = 20000, .slice = 512});
    return {board.transfers(), board.counts(), board.faults(), network.network().chip_steps(), outcome.cycles};
}

TEST(threads, hosts_and_scoreboards_see_the_same) {
    topology::irregular_params shape;
    shape.seed = 4;
    system::system_params params;
    params.host.send_overhead = params.host.receive_overhead = 20;
    params.firmware_times = system::paper_costs(20, 20);
    const system::system_plan plan = system::make_plan(topology::make_irregular(shape), params);
    std::vector<std::string> chips;
    for (const system::planned_chip& chip : plan.chips) chips.push_back(chip.name);
    std::mt19937_64 random(1);
    for (const char* scheme : {"tree", "ni", "hybrid", "software", "unicasts"}) {
        for (const std::uint64_t board : {std::uint64_t{1}, std::uint64_t{2}}) {
            SCOPED_TRACE(std::string(scheme) + ", board " + std::to_string(board));
            const host_run reference = run_hosts(plan, scheme, board, {});
            EXPECT_EQ(reference.counts.exactly_once(), board == 1);
            EXPECT_EQ(reference.faults.empty(), board == 1);
            EXPECT_TRUE(run_hosts(plan, scheme, board, {2, {}, true}) == reference);
            EXPECT_TRUE(run_hosts(plan, scheme, board, random_parts(chips, 3, random)) == reference);
        }
    }
}

TEST(effect_log, everything_is_done_in_the_order_of_cycles_and_chips) {
    std::vector<int> done;
    std::array<effect_log, 2> logs;
    const auto add = [&](effect_log& log, cycle when, std::uint32_t chip, int what) {
        log.begin(when, chip);
        log.add([&done, what] { done.push_back(what); });
    };
    add(logs[0], 1, 7, 2);
    add(logs[0], 3, 0, 4);
    add(logs[0], 3, 0, 5);
    add(logs[1], 1, 2, 1);
    add(logs[1], 2, 9, 3);
    add(logs[1], 3, 1, 6);
    const std::array<effect_log*, 2> both{&logs[0], &logs[1]};
    effect_log::act(both, 3, 0);
    EXPECT_THAT(done, ElementsAre(1, 2, 3, 4, 5)) << "not what is behind chip 0 in cycle 3";
    EXPECT_TRUE(logs[0].empty());
    EXPECT_TRUE(logs[1].empty());
}

/// A row of chips, each joined to the next.
partition_input row(std::size_t chips) {
    partition_input input;
    input.weight.assign(chips, 10);
    input.together.assign(chips, nullptr);
    for (std::uint32_t chip = 0; chip + 1 < chips; ++chip) input.cables.push_back({chip, chip + 1, 1});
    return input;
}

std::vector<std::uint64_t> weights_of(const partition_input& input, const std::vector<std::uint32_t>& part_of,
                                      unsigned parts) {
    std::vector<std::uint64_t> sums(parts);
    for (std::size_t chip = 0; chip < part_of.size(); ++chip) sums[part_of[chip]] += input.weight[chip];
    return sums;
}

TEST(partition, parts_weigh_the_same) {
    partition_input input = row(200);
    for (std::size_t chip = 0; chip < 20; ++chip) input.weight[chip] = 1000;
    for (const unsigned parts : {2u, 3u, 8u, 20u}) {
        const std::vector<std::uint64_t> sums = weights_of(input, make_partition(input, parts), parts);
        const std::uint64_t mean = std::accumulate(sums.begin(), sums.end(), std::uint64_t{0}) / parts;
        EXPECT_LE(std::ranges::max(sums), mean + 1000) << parts;
        EXPECT_GT(std::ranges::min(sums), 0u) << parts;
    }
}

TEST(partition, chips_with_a_shared_object_stay_together) {
    partition_input input = row(100);
    int shared = 0, other = 0;
    for (const std::size_t chip : {3u, 50u, 97u}) input.together[chip] = &shared;
    for (const std::size_t chip : {10u, 80u}) input.together[chip] = &other;
    const std::vector<std::uint32_t> parts = make_partition(input, 4);
    EXPECT_EQ(parts[3], parts[50]);
    EXPECT_EQ(parts[3], parts[97]);
    EXPECT_EQ(parts[10], parts[80]);
    EXPECT_EQ(std::set(parts.begin(), parts.end()).size(), 4u);
}

TEST(partition, long_cables_are_cut) {
    partition_input input = row(64);
    input.cables[30].delay = 100;  // not quite in the middle
    const std::vector<std::uint32_t> parts = make_partition(input, 2);
    for (std::size_t chip = 0; chip + 1 < 64; ++chip) EXPECT_EQ(parts[chip] == parts[chip + 1], chip != 30) << chip;
}

TEST(partition, fewer_chips_than_parts) {
    const std::vector<std::uint32_t> parts = make_partition(row(3), 8);
    EXPECT_EQ(std::set(parts.begin(), parts.end()).size(), 3u);
    EXPECT_LT(std::ranges::max(parts), 8u);
}

std::string refusal_of(std::string_view text) {
    const std::vector<std::string> chips{"switch0", "switch1", "host0"};
    try {
        read_partition("parts.txt", text, chips, 2);
    } catch (const input_error& refused) {
        return refused.what();
    }
    return "";
}

TEST(partition, a_file_names_every_chip_once) {
    const std::vector<std::string> chips{"switch0", "switch1", "host0"};
    EXPECT_EQ(read_partition("parts.txt", "# all\n\nswitch0 1 # here\n host0\t0\nswitch1 1\n", chips, 2),
              (std::map<std::string, std::uint32_t>{{"switch0", 1}, {"switch1", 1}, {"host0", 0}}));
    EXPECT_EQ(refusal_of("switch0 0\nswich1 0\n"),
              "parts.txt:2:1: there is no chip 'swich1' in the network; did you mean 'switch1'?");
    EXPECT_EQ(refusal_of("switch0 0\nswitch0 1\n"), "parts.txt:2:1: chip 'switch0' has a part already; name it once");
    EXPECT_EQ(refusal_of("switch0 0\nhost0 0\n"),
              "parts.txt: chip 'switch1' has no part; a line for each chip of the network");
    EXPECT_EQ(refusal_of("switch0 2\n"),
              "parts.txt:1:9: part 2 of 2; parts are 0..1, one for each of 'network.threads'");
    for (const char* text : {"switch0\n", "switch0 one\n", "switch0 0 1\n", "switch0 -1\n"})
        EXPECT_THAT(refusal_of(text), testing::HasSubstr("parts.txt:1:")) << text;
}

TEST(team, everybody_works_in_every_window) {
    for (const unsigned members : {1u, 2u, 5u}) {
        team some(members, true);
        std::vector<std::uint64_t> done(members);
        for (unsigned window = 0; window < 2000; ++window) some.each([&](unsigned member) { done[member] += window; });
        EXPECT_EQ(done, std::vector<std::uint64_t>(members, 2000 * 1999 / 2));
        EXPECT_EQ(some.windows_together(), members == 1 ? 0 : 2000u);
    }
}

/// Windows until `mode` has spent `time` in each mode; [together] how many.
std::array<unsigned, 2> windows_of(team_mode& mode, std::chrono::nanoseconds together, std::chrono::nanoseconds alone,
                                   unsigned windows) {
    std::array<unsigned, 2> count{};
    for (unsigned window = 0; window < windows; ++window) {
        ++count[mode.together()];
        mode.took(mode.together() ? together : alone);
    }
    return count;
}

TEST(team_mode, what_is_faster_is_used_and_the_other_tried_more_and_more_seldom) {
    using std::chrono::microseconds;
    team_mode idle;
    EXPECT_LT(windows_of(idle, microseconds(10), microseconds(18), 100000)[false], 3000u);
    team_mode busy;
    EXPECT_LT(windows_of(busy, microseconds(30), microseconds(18), 100000)[true], 3000u);
    // The machine becomes idle again.
    windows_of(busy, microseconds(10), microseconds(18), 100000);
    EXPECT_TRUE(busy.together());
}

TEST(team_mode, a_trial_that_stands_still_is_given_up) {
    using std::chrono::microseconds;
    team_mode busy;
    windows_of(busy, microseconds(30), microseconds(18), 100000);
    EXPECT_LT(windows_of(busy, std::chrono::milliseconds(4), microseconds(18), 100000)[true], 5u);
}

}  // namespace
}  // namespace polycast::hw::engine
