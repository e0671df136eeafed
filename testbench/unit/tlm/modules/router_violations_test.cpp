// SPDX-License-Identifier: Apache-2.0
// Routers that break the link protocol in the middle of a mesh are found by the checkers, each by the rule it breaks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "testbench/unit/tlm/modules/sc_routers.h"

namespace polycast::tlm::modules {
namespace {

using protocol::link_rule;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::uint32_t culprit = 4;  // the node in the middle of a 3x3 mesh

/// Passes on what a router does, after somebody has had hold of its output pins.
class spoilt_router final : public hw::engine::chip {
public:
    using spoiler = std::function<void(hw::engine::cycle now, hw::engine::pins& out)>;

    spoilt_router(std::unique_ptr<hw::engine::chip> router, spoiler spoil)
        : router_(std::move(router)), spoil_(std::move(spoil)) {}

    const hw::engine::pin_shape& shape() const override { return router_->shape(); }
    void reset() override { router_->reset(); }
    bool idle() const override { return router_->idle(); }
    hw::engine::cycle step(hw::engine::cycle now, const hw::engine::pins& in, hw::engine::pins& out) override {
        const hw::engine::cycle next = router_->step(now, in, out);
        spoil_(now, out);
        return next;
    }

private:
    std::unique_ptr<hw::engine::chip> router_;
    spoiler spoil_;
};

router_maker spoilt(const spoilt_router::spoiler& spoil) {
    return [spoil](const fabric_params& params, std::uint32_t node) -> std::unique_ptr<hw::engine::chip> {
        auto router = testbench::unit::make_router(params, node);
        if (node != culprit) return router;
        return std::make_unique<spoilt_router>(std::move(router), spoil);
    };
}

/// Believes in twice the credits that there are.
std::unique_ptr<hw::engine::chip> make_spendthrift(const fabric_params& params, std::uint32_t node) {
    if (node != culprit) return testbench::unit::make_router(params, node);
    hw::chips::router_tables tables = params.tables;
    tables.node = node;
    tables.credits.assign(params.router.ports, 2 * params.router.vc_flits);
    return std::make_unique<hw::chips::router_core>(params.router, tables);
}

std::vector<link_rule> rules_of(const sc_routers& network) {
    std::set<link_rule> rules;
    for (const auto& violation : network.violations()) rules.insert(violation.rule);
    return {rules.begin(), rules.end()};
}

std::string first_message(const sc_routers& network) {
    const auto all = network.violations();
    if (all.empty()) return "none";
    return std::ranges::min_element(all, {}, &protocol::link_violation::when)->message;
}

TEST(router_violations, are_found_by_the_rule_that_is_broken) {
    fabric_params params;
    params.router.radix = 3;
    params.router.vc_flits = 2;
    params.tables.vc_sets = hw::fabric::dateline_sets(params.router.vcs, 0);
    const auto orders = random_orders(params, 12, 1);
    const auto outside = [](std::uint32_t) { return false; };

    const auto wrong_vc = spoilt([sent = 0](hw::engine::cycle, hw::engine::pins& out) mutable {
        if ((out.valid & 1) != 0 && ++sent == 10) out.vc[0] = 9;
    });
    const auto credit_too_many = spoilt([](hw::engine::cycle now, hw::engine::pins& out) {
        if (now != 0) return;
        out.credit = 2;  // at port 1, where nothing has come yet
        out.credit_vc[1] = 3;
    });
    const auto lost_tail = spoilt([sent = 0](hw::engine::cycle, hw::engine::pins& out) mutable {
        if ((out.tail & 4) != 0 && ++sent == 3) out.tail ^= 4;
    });
    sc_routers clean("clean", params, orders, outside);
    sc_routers spends("spends", params, orders, outside, make_spendthrift);
    sc_routers misnames("misnames", params, orders, outside, wrong_vc);
    sc_routers gives("gives", params, orders, outside, credit_too_many);
    sc_routers cuts("cuts", params, orders, outside, lost_tail);

    sc_core::sc_start({20000, sc_core::SC_NS});  // what has lost flits never ends
    for (const sc_routers* network : {&clean, &spends, &misnames, &gives, &cuts})
        EXPECT_NO_THROW(network->state.rethrow_failure());

    EXPECT_THAT(rules_of(clean), ElementsAre());
    EXPECT_THAT(rules_of(spends), testing::Contains(link_rule::no_credit));
    EXPECT_THAT(first_message(spends), HasSubstr("begins a chunk without a credit of VC "));
    EXPECT_THAT(rules_of(misnames), testing::Contains(link_rule::vc));
    EXPECT_THAT(first_message(misnames), HasSubstr("flit of VC 9 on a link with 4"));
    EXPECT_THAT(rules_of(gives), testing::Contains(link_rule::credit_overrun));
    EXPECT_THAT(first_message(gives), HasSubstr("credit of VC 3 in cycle 2, all 2 are there"));
    EXPECT_THAT(rules_of(cuts), testing::Contains(link_rule::tail));
    EXPECT_THAT(first_message(cuts), HasSubstr("head flit inside a packet of VC "));

    // The routers at the other ends see the same on their error pins.
    const auto seen = [](const sc_routers& network) {
        unsigned bits = 0;
        for (const auto& event : network.state.errors()) bits |= event.errors;
        return bits;
    };
    using hw::format::chip_error;
    EXPECT_EQ(seen(clean), 0u);
    EXPECT_NE(seen(spends) & static_cast<unsigned>(chip_error::overflow), 0u);
    EXPECT_NE(seen(misnames) & static_cast<unsigned>(chip_error::bad_vc), 0u);
    EXPECT_NE(seen(gives) & static_cast<unsigned>(chip_error::credit_overflow), 0u);
    EXPECT_NE(seen(cuts) & static_cast<unsigned>(chip_error::missing_tail), 0u);
}

}  // namespace
}  // namespace polycast::tlm::modules
