// SPDX-License-Identifier: Apache-2.0
/// \file Networks of which all that can be seen is written down, to compare runs on any number of threads and ranks.
#pragma once

#include <algorithm>
#include <map>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "hw/delivery/scoreboard.h"
#include "hw/engine/network.h"
#include "hw/engine/told.h"
#include "hw/system/hosts.h"
#include "hw/system/schemes.h"
#include "hw/system/system_network.h"
#include "hw/topology/irregular.h"
#include "hw/workloads/messages/workload.h"
#include "testbench/unit/hw/system/native.h"

namespace polycast::hw::engine {

/// `parts`: of all ranks together.
inline threading random_parts(const std::vector<std::string>& chips, unsigned threads, std::mt19937_64& random,
                              unsigned parts = 0) {
    threading how{threads, {}, true};
    for (const std::string& chip : chips)
        how.part_of[chip] = static_cast<std::uint32_t>(random() % (parts != 0 ? parts : threads));
    return how;
}

inline std::vector<std::string> babblers() {
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
        : number_(number),
          shape_(shape),
          random_(number),
          tell_(told_, [&all](const std::string& line) { all.push_back(line); }) {}

    const pin_shape& shape() const override { return shape_; }
    void reset() override {}
    bool idle() const override { return true; }
    engine::effects* told() override { return &told_; }
    void probe(chip_probe& probe) const override { probe.interfaces.assign(1, {.pc = steps}); }
    chip_report report() const override { return {{"steps: " + std::to_string(steps)}, {}}; }
    cycle step(cycle now, const pins& in, pins& out) override {
        ++steps;
        std::string line = std::to_string(now) + ": " + std::to_string(number_) + " sees";
        for (unsigned port = 0; port < shape_.ports; ++port) see(in, port, line);
        if (now == fails_at) throw std::runtime_error("chip " + std::to_string(number_) + " fails");
        tell_(line);
        knows_ = warns != 0 && fails_at != never && now + warns >= fails_at;
        if (now >= last) return never;
        for (unsigned port = 0; port < shape_.ports; ++port) act(out, port, now);
        if (random_() % 8 == 0) out.events.push_back({.code = static_cast<std::uint8_t>(number_)});
        const std::uint64_t rest = random_() % 16;
        if (warns != 0 && fails_at != never) return now + 1;
        return rest == 0 ? never : rest < 10 ? now + 1 : now + rest;
    }

    static constexpr cycle last = 600;
    cycle fails_at = never;
    cycle warns = 0;  ///< so many cycles before
    cycle warning() const override { return warns; }
    cycle ends_run_in() const override { return knows_ ? fails_at : never; }
    std::uint32_t steps = 0;       ///< so far
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
        if (some() && shape_.packet_ports != 0 && now >= busy_[port]) {
            out.packet |= mask;
            out.packets[port].flits = static_cast<std::uint32_t>(random_() % 50);
            out.packets[port].cycles = 1 + out.packets[port].flits;
            busy_[port] = now + out.packets[port].cycles;
        }
        if (shape_.packet_ports != 0) return;
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
    std::mt19937 random_;
    effects told_;
    engine::told<const std::string&> tell_;
    std::map<unsigned, cycle> busy_;
    bool knows_ = false;
};

/// Writes down the order of steps, and what is on the pins then.
class step_log final : public observer {
public:
    void stepped(chip_id id, cycle now, const pins& in, const pins& out, const chip& chip) override {
        chip_probe state;
        chip.probe(state);
        seen.push_back(std::to_string(now) + ": " + std::to_string(id) + " " + std::to_string(in.valid) + " " +
                       std::to_string(out.valid) + " " + std::to_string(out.credit) + " " +
                       std::to_string(state.interfaces.front().pc));
    }
    story seen;
};

struct babble {
    story all;
    story steps;
    std::vector<std::uint64_t> numbers;
    std::vector<std::string> records;
};

/// Where two runs first differ; empty: nowhere.
inline std::string difference(const babble& a, const babble& b) {
    const auto first = [](const std::string& what, const auto& left, const auto& right) -> std::string {
        const auto [l, r] = std::ranges::mismatch(left, right);
        if (l == left.end() && r == right.end()) return "";
        std::ostringstream text;
        text << what << " " << l - left.begin() << ": ";
        l == left.end() ? text << "nothing" : text << *l;
        text << " and ";
        r == right.end() ? text << "nothing" : text << *r;
        return text.str() + "; ";
    };
    return first("told", a.all, b.all) + first("step", a.steps, b.steps) + first("number", a.numbers, b.numbers) +
           first("record", a.records, b.records);
}

/// A ring of chips with chords and random delays; the run is cut into slices.
/// `failing`: in this cycle some chips do. `warned`: they know it so many cycles before.
inline babble run_babble(std::uint64_t seed, const pin_shape& shape, threading threads, bool watched,
                         cycle failing = never, cycle warned = 0) {
    std::mt19937_64 random(seed);
    babble done;
    network net(std::move(threads));
    const std::uint32_t chips = 5 + static_cast<std::uint32_t>(random() % 30);
    for (std::uint32_t number = 0; number < chips; ++number) {
        auto made = std::make_unique<babbler>(number, shape, done.all);
        if (number % 3 == 1) {
            made->fails_at = failing;
            made->warns = warned;
        }
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
        if (warned == 0) return {done.all, {}, {net.now()}, done.records};
        done.numbers.assign(1, net.now());
    }
    for (std::uint32_t number = 0; number < chips; ++number) {
        for (unsigned port = 0; port < shape.ports; ++port) {
            const link_statistics into = net.statistics({number, port});
            done.numbers.insert(done.numbers.end(),
                                {into.flits, into.packets, into.occupied_max, into.occupied_cycles, into.since});
        }
        done.records.push_back(net.report(number).failures.front());
    }
    for (const error_event& each : net.errors())
        done.records.push_back(std::to_string(each.when) + "/" + std::to_string(each.where.chip) + "/" +
                               std::to_string(each.where.port) + "/" + std::to_string(each.errors));
    for (const event_record& each : net.events())
        done.records.push_back(std::to_string(each.when) + "/" + std::to_string(each.chip));
    done.steps = log.seen;
    return done;
}

inline pin_shape wide_shape() {
    pin_shape shape{4, 3, 5, 4};
    return shape;
}
inline pin_shape side_shape() {
    pin_shape shape{4, 1, 0, 2, 0xf, 1};
    return shape;
}
inline pin_shape packet_shape() {
    pin_shape shape{4, 1, 0};
    shape.packet_ports = ~std::uint64_t{0};
    return shape;
}

/// Unicasts and multicasts among hosts with interfaces, with wrong expectations where `seed_of_board` is not 1.
struct host_run {
    std::vector<traffic::transfer_record> transfers;
    traffic::delivery_counts counts;
    std::vector<std::string> faults;
    std::uint64_t steps = 0;
    cycle cycles = 0;
    bool operator==(const host_run&) const = default;
};

inline host_run run_hosts(const system::system_plan& plan, const std::string& scheme, std::uint64_t seed_of_board,
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

}  // namespace polycast::hw::engine
