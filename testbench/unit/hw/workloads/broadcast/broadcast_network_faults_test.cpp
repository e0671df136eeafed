// SPDX-License-Identifier: Apache-2.0
// What networks of broadcast routers report when a router does something wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/format/header.h"
#include "hw/input_error.h"
#include "testbench/unit/hw/workloads/broadcast/broadcast_bench.h"

namespace polycast::hw::broadcast {
namespace {

using testing::HasSubstr;

/// A router with a fault between it and its neighbours.
class meddler final : public engine::chip {
public:
    using fault = std::function<void(engine::cycle now, engine::pins& pins)>;

    /// \param in   done to what comes in
    /// \param out  to what goes out
    meddler(std::unique_ptr<chip> inside, fault in, fault out)
        : inside_(std::move(inside)), fault_(std::move(in)), out_fault_(std::move(out)), in_(inside_->shape()) {}

    const engine::pin_shape& shape() const override { return inside_->shape(); }
    void reset() override { inside_->reset(); }
    engine::cycle step(engine::cycle now, const engine::pins& in, engine::pins& out) override {
        in_ = in;
        if (fault_) fault_(now, in_);
        const engine::cycle next = inside_->step(now, in_, out);
        if (!out_fault_) return next;
        out_fault_(now, out);
        return now + 1;
    }
    bool idle() const override { return inside_->idle(); }

private:
    std::unique_ptr<chip> inside_;
    fault fault_, out_fault_;
    engine::pins in_;
};

/// What a broadcast of 3 packets of 2 flits from node 0 on a ring of 4 is reported with, where node 2 suffers the
/// fault.
std::string reported(const meddler::fault& fault) {
    router_network_params params = network_of(4, 1, {});
    const auto make = [&](const chips::broadcast_params& chip, const chips::broadcast_registers& registers) {
        std::unique_ptr<engine::chip> made = core_routers()(chip, registers);
        if (registers.router.node == 2) made = std::make_unique<meddler>(std::move(made), fault, nullptr);
        return made;
    };
    broadcast_traffic_params traffic;
    traffic.limits.cycles = 10'000;
    try {
        run(params, {job_of(params, 0, 3, 2)}, traffic, make);
    } catch (const delivery_error& error) {
        return error.what();
    }
    return "nothing";
}

/// A packet of the message is on an input port of a ring's router.
bool is_packet(const engine::pins& in, unsigned port, unsigned packet) {
    return (in.head >> port & 1) != 0 && in.vc[port] == 2 && in.data[port * 16 + 10] == packet;
}

TEST(broadcast_network, faults_are_reported_with_names) {
    EXPECT_EQ(reported([](engine::cycle, engine::pins&) {}), "nothing");
    // Packet 1 never comes to node 2, from either side.
    std::uint64_t losing = 0;
    const std::string lost = reported([losing](engine::cycle, engine::pins& in) mutable {
        for (const unsigned port : {0u, 1u}) {
            const std::uint64_t mask = std::uint64_t{1} << port;
            if (is_packet(in, port, 1)) losing |= mask;
            if ((losing & in.valid & mask) == 0) continue;
            if ((in.tail & mask) != 0) losing &= ~mask;
            in.valid &= ~mask;
            in.head &= ~mask;
            in.tail &= ~mask;
        }
    });
    EXPECT_THAT(lost, HasSubstr("nothing moves any more after cycle"));
    // On the pins it was there.
    EXPECT_THAT(lost, HasSubstr("; the host of node 2 lacks packets 1 of broadcast 0 from node 0"));
    const std::string other = reported([](engine::cycle, engine::pins& in) {
        if (is_packet(in, 1, 1)) in.data[16 + 11] = 3;
    });
    EXPECT_THAT(other, HasSubstr("node 2, cycle "));
    EXPECT_THAT(other, HasSubstr("refuses packet 1 at port 1: conflict"));
    const std::string headless = reported([](engine::cycle, engine::pins& in) { in.head = 0; });
    EXPECT_THAT(headless, HasSubstr("raises missing_head"));
    const std::string spoilt = reported([](engine::cycle, engine::pins& in) {
        for (const unsigned port : {0u, 1u})
            if ((in.tail >> port & 1) != 0) in.data[port * 16 + 5] ^= 1;
    });
    EXPECT_THAT(spoilt, HasSubstr("has wrong bytes"));
    const std::string numbered = reported([](engine::cycle, engine::pins& in) {
        for (const unsigned port : {0u, 1u})
            if (is_packet(in, port, 2)) in.data[port * 16 + 12] = static_cast<std::uint8_t>(0x10);
    });
    EXPECT_THAT(numbered, HasSubstr("early"));
}

TEST(broadcast_network, is_given_up_where_nothing_moves_though_a_router_never_sleeps) {
    router_network_params params = network_of(4, 1, {});
    const auto make = [&](const chips::broadcast_params& chip, const chips::broadcast_registers& registers) {
        // The routers send nothing.
        return std::make_unique<meddler>(core_routers()(chip, registers), nullptr,
                                         [](engine::cycle, engine::pins& out) { out.clear(); });
    };
    broadcast_traffic_params traffic;
    traffic.limits = {.cycles = 10'000, .patience = 500};
    try {
        run(params, {job_of(params, 0, 3, 2)}, traffic, make);
        FAIL();
    } catch (const delivery_error& error) {
        EXPECT_THAT(error.what(), HasSubstr("nothing moves any more after cycle 5"));
    }
}

constexpr unsigned unicast_flits = 3;

/// What two broadcasts with unicasts beside them on a plane are reported with, where the router of node 5 suffers
/// faults in what comes in, or in what goes out.
std::string reported_beside(const meddler::fault& in, const meddler::fault& out,
                            chips::vc_policy policy = chips::vc_policy::any) {
    router_network_params params = network_of(4, 2, {});
    params.tables.policy = policy;
    const auto make = [&](const chips::broadcast_params& chip, const chips::broadcast_registers& registers) {
        std::unique_ptr<engine::chip> made = core_routers()(chip, registers);
        if (registers.router.node == 5) made = std::make_unique<meddler>(std::move(made), in, out);
        return made;
    };
    broadcast_traffic_params traffic;
    traffic.unicasts = {.rate = 0.05, .flits = unicast_flits, .seed = 11};
    traffic.limits.cycles = 10'000;
    try {
        const auto result = run(params, {job_of(params, 0, 16, 8), job_of(params, 9, 16, 8)}, traffic, make);
        EXPECT_GT(result.unicasts, 100u);
    } catch (const delivery_error& error) {
        return error.what();
    }
    return "nothing";
}

/// The flits of unicasts that a router gives to its host.
struct host_output {
    static constexpr unsigned port = 4;
    static constexpr std::uint64_t mask = 1u << port;

    static bool unicast(const engine::pins& out) { return (out.valid & mask) != 0 && out.vc[port] < 2; }
    static std::uint8_t* data(engine::pins& out) { return &out.data[port * 16]; }
    static void drop(engine::pins& out) {
        out.valid &= ~mask;
        out.head &= ~mask;
        out.tail &= ~mask;
    }
};

TEST(broadcast_network, faults_of_unicasts_are_reported_with_names) {
    for (const chips::vc_policy policy : {chips::vc_policy::any, chips::vc_policy::keep}) {
        EXPECT_EQ(reported_beside(
                      nullptr, [](engine::cycle, engine::pins&) {}, policy),
                  "nothing");
        // One bit of one flit, of a head, a body and a tail.
        for (const unsigned flit : {0u, 1u, 2u}) {
            unsigned left = 20 * unicast_flits + flit;
            const std::string spoilt = reported_beside(
                nullptr,
                [left](engine::cycle, engine::pins& out) mutable {
                    if (host_output::unicast(out) && left-- == 0) host_output::data(out)[15] ^= 1;
                },
                policy);
            EXPECT_THAT(spoilt, HasSubstr("broadcast: 1 failures: node 5, cycle "));
            EXPECT_THAT(spoilt, HasSubstr(" with wrong bytes in flit "));
        }
    }
    // A whole packet, and no credit for it.
    bool losing = false;
    unsigned packets = 0;
    const std::string lost = reported_beside(nullptr, [=](engine::cycle, engine::pins& out) mutable {
        if (!host_output::unicast(out)) return;
        if ((out.head & host_output::mask) != 0) losing = ++packets == 5;
        if (losing) host_output::drop(out);
    });
    EXPECT_THAT(lost,
                testing::MatchesRegex("broadcast: of [0-9]+ unicasts 1 did not come: [0-9]+ of node [0-9]+ to node 5"));
    // The first packet once more, when the port is free.
    std::vector<engine::pins> kept;
    bool whole = false;
    std::size_t sent = 0;
    const std::string twice = reported_beside(nullptr, [=](engine::cycle, engine::pins& out) mutable {
        if (host_output::unicast(out) && !whole) {
            kept.push_back(out);
            whole = (out.tail & host_output::mask) != 0;
        } else if ((out.valid & host_output::mask) == 0 && whole && sent != kept.size()) {
            engine::pins& flit = kept[sent++];
            out.valid |= flit.valid & host_output::mask;
            out.head |= flit.head & host_output::mask;
            out.tail |= flit.tail & host_output::mask;
            out.vc[host_output::port] = flit.vc[host_output::port];
            std::copy_n(host_output::data(flit), 16, host_output::data(out));
        }
    });
    EXPECT_THAT(twice,
                testing::ContainsRegex("node 5, cycle [0-9]+: the host gets unicast [0-9]+ of node [0-9]+ once more"));
    // Another destination, so that routers bring it there.
    bool led_astray = false;
    const std::string astray = reported_beside(
        [=](engine::cycle, engine::pins& in) mutable {
            for (std::uint64_t set = in.head & ~host_output::mask; set != 0 && !led_astray; set &= set - 1) {
                const auto port = static_cast<unsigned>(std::countr_zero(set));
                std::uint8_t* const header = &in.data[port * 16];
                if (in.vc[port] >= 2 || format::destination_of(header) == 6) continue;
                format::write_field<format::destination_field>(header, 6);
                led_astray = true;
            }
        },
        nullptr);
    EXPECT_THAT(astray, testing::ContainsRegex(
                            "node 6, cycle [0-9]+: the host gets unicast [0-9]+ of node [0-9]+, which is for "));
}

}  // namespace
}  // namespace polycast::hw::broadcast
