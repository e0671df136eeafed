// SPDX-License-Identifier: Apache-2.0
// Allgathers with coding units at the routers, composed from a plan: what the bare engine gives, wherever routers and
// units live, and whether units are cores or Verilated RTL; also where an operand is lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/system/mesh_plan.h"
#include "testbench/unit/hw/workloads/allgather/allgather_parts.h"
#include "testbench/unit/tlm/network/compare.h"
#include "tlm/verilated/rtl_coding.h"

namespace polycast::tlm::network {
namespace {

using hw::collectives::coding_base;
using hw::collectives::coding_method;
using hw::engine::chip_id;
using hw::system::allgather;
using hw::system::allgather_options;
using hw::system::chip_factory;
using hw::system::run_outcome;
using hw::system::system_plan;

/// One allgather, as it begins.
class gathering {
public:
    explicit gathering(const allgather_options& options) : run(options) {
        plan = hw::system::make_plan(hw::system::routers_for(run, options), {});
        run.equip(plan);
    }

    hw::system::host_factory hosts() {
        return hw::system::program_hosts(hw::system::native(), [this](std::uint32_t host) {
            return std::vector<hw::host::application_factory>{run.program(host)};
        });
    }

    allgather run;
    system_plan plan;
};

std::vector<std::string> texts(const system_plan& plan, const std::vector<hw::engine::event_record>& events) {
    std::vector<std::string> all;
    for (const hw::engine::event_record& event : events) all.push_back(hw::system::event_text(plan, event));
    return all;
}

/// One allgather in SystemC; afterwards the same on the bare engine.
struct compared {
    compared(sc_session& session, std::string title, const allgather_options& what, const sc_network_params& params,
             chip_factory units)
        : name(std::move(title)),
          options(what),
          gathered(what),
          made_by(std::move(units)),
          index(session.add(name, gathered.plan, params, made_by, gathered.hosts(), gathered.run)) {}

    void compare(const sc_network& network, const run_outcome& got) {
        SCOPED_TRACE(name);
        gathering bare(options);
        hw::system::system_network engine(bare.plan, made_by, bare.hosts(), bare.run);
        const run_outcome wanted = engine.run({});
        EXPECT_EQ(got.ended, wanted.ended);
        EXPECT_EQ(got.cycles, wanted.cycles);
        EXPECT_EQ(got.diagnosis, wanted.diagnosis);
        EXPECT_EQ(network.now(), engine.network().now());
        EXPECT_EQ(network.flit_hops(), engine.network().flit_hops());
        EXPECT_EQ(network.last_flit(), engine.network().last_flit());
        EXPECT_EQ(network.error_count(), 0u);
        EXPECT_EQ(network.event_count(), engine.network().event_count());
        EXPECT_EQ(texts(bare.plan, network.events()), texts(bare.plan, engine.network().events()));
        EXPECT_EQ(gathered.run.problems(), bare.run.problems());
        EXPECT_EQ(gathered.run.verified(), bare.run.verified());
        EXPECT_EQ(gathered.run.step_ends(), bare.run.step_ends());
        for (hw::engine::chip_id chip = 0; chip < bare.plan.chips.size(); ++chip) {
            for (unsigned port = 0; port < engine.network().at(chip).shape().ports; ++port) {
                EXPECT_EQ(numbers(network.statistics({chip, port})), numbers(engine.network().statistics({chip, port})))
                    << "chip " << chip << " port " << port;
            }
        }
    }

    std::string name;
    allgather_options options;
    gathering gathered;
    chip_factory made_by;
    std::size_t index;
};

allgather_options of(coding_method method, bool torus) {
    allgather_options options;
    options.plan.radix = 4;
    options.plan.group = 4;
    options.plan.method = method;
    options.plan.torus = torus;
    return options;
}

// First: nothing can be built any more when a simulation has run.
TEST(sc_coding_network, units_that_could_wait_for_ever_are_refused) {
    gathering one(of(coding_method::coded, false));
    --one.plan.unit_at(0).params.slots;
    EXPECT_THROW(sc_network("refused", one.plan, {}, hw::system::make_core, one.hosts(), one.run), hw::input_error);
}

TEST(sc_coding_network, allgathers_are_those_of_the_bare_engine_wherever_routers_and_units_live) {
    sc_session session;
    model_library models;
    std::vector<std::unique_ptr<compared>> runs;
    const sc_core::sc_time period(1, sc_core::SC_NS);
    const std::size_t routers = 16;
    const chip_factory core = hw::system::make_core;
    const chip_factory rtl = [&models](const system_plan& plan, chip_id id) -> std::unique_ptr<hw::engine::chip> {
        const auto* const unit = std::get_if<hw::system::coding_chip>(&plan.chips[id].is);
        if (unit == nullptr) return hw::system::make_core(plan, id);
        return std::make_unique<rtl_coding>(unit->params, unit->registers, models, plan.chips[id].name);
    };
    const chip_factory losing = [](const system_plan& plan, chip_id id) -> std::unique_ptr<hw::engine::chip> {
        if (id != plan.units[1]) return hw::system::make_core(plan, id);
        return std::make_unique<hw::system::losing_unit>(hw::system::make_core(plan, id));
    };
    const auto add = [&](const std::string& name, const allgather_options& options, const sc_network_params& params,
                         const chip_factory& units) {
        runs.push_back(std::make_unique<compared>(session, name, options, params, units));
    };
    const sc_network_params modules{all_modules(routers), period, true};
    const sc_network_params mixed{every_third(routers), period, true};
    const allgather_options coded = of(coding_method::coded, false);
    add("engine", coded, {}, core);
    add("modules", coded, modules, core);
    add("mixed", coded, mixed, core);
    add("units in RTL, modules", coded, modules, rtl);
    add("units in RTL, mixed", coded, mixed, rtl);
    const std::size_t same = runs.size();
    add("a unit at every router", of(coding_method::every_node, true), mixed, core);
    const std::size_t lossless = runs.size();
    add("a lost operand, modules", coded, modules, losing);
    add("a lost operand, mixed", coded, mixed, losing);

    const std::vector<run_outcome> outcomes = session.run({});
    ASSERT_EQ(outcomes.size(), runs.size());
    for (std::size_t index = 0; index < runs.size(); ++index) {
        compared& one = *runs[index];
        const bool lost = index >= lossless;
        EXPECT_EQ(outcomes[one.index].ended, lost ? run_outcome::kind::stuck : run_outcome::kind::complete) << one.name;
        EXPECT_EQ(one.gathered.run.complete(), !lost) << one.name;
        EXPECT_EQ(session.at(one.index).event_count(), lost ? 1u : 0u) << one.name;
        if (index < same) {
            EXPECT_EQ(outcomes[one.index].cycles, outcomes.front().cycles) << one.name;
        }
        one.compare(session.at(one.index), outcomes[one.index]);
    }
}

}  // namespace
}  // namespace polycast::tlm::network
