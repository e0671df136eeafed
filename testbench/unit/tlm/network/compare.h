// SPDX-License-Identifier: Apache-2.0
/// \file Runs a plan on the bare engine and in SystemC, and compares everything that a run tells.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "hw/delivery/scoreboard.h"
#include "hw/system/schemes.h"
#include "hw/system/system_network.h"
#include "hw/workloads/messages/workload.h"
#include "testbench/unit/hw/system/native.h"
#include "tlm/network/sc_session.h"

namespace polycast::tlm::network {

/// All members, comparable.
inline auto numbers(const hw::engine::link_statistics& link) {
    return std::tuple(link.flits, link.packets, link.occupied, link.occupied_max, link.occupied_cycles, link.since,
                      link.offset);
}

inline std::vector<std::tuple<hw::engine::cycle, hw::engine::chip_id, unsigned, unsigned>> errors(
    const std::vector<hw::engine::error_event>& events) {
    std::vector<std::tuple<hw::engine::cycle, hw::engine::chip_id, unsigned, unsigned>> all;
    for (const auto& event : events) all.emplace_back(event.when, event.where.chip, event.where.port, event.errors);
    return all;
}

/// One plan with its traffic, in SystemC and, for comparison, on the bare engine.
class compared_run {
public:
    compared_run(sc_session& session, std::string name, const hw::system::system_plan& plan,
                 const hw::traffic::workload_params& work, const sc_network_params& params,
                 std::uint64_t board_seed = 1, const hw::system::multicast_choice& choice = {})
        : name_(std::move(name)),
          plan_(plan),
          choice_(choice),
          params_(work),
          board_seed_(board_seed),
          workload_(make_workload()),
          board_(make_board()),
          session_(session),
          index_(session.add(name_, plan_, params, hw::system::make_core, hosts_of(workload_, board_), board_)) {}

    std::size_t index() const { return index_; }
    const hw::traffic::scoreboard& board() const { return board_; }

    /// After the session has run. \returns deliveries of the bare engine.
    std::uint64_t compare(const hw::system::run_outcome& got, const hw::system::run_limits& limits,
                          const std::function<bool(hw::engine::cycle)>& stop = {}) const {
        SCOPED_TRACE(name_);
        hw::traffic::workload workload = make_workload();
        hw::traffic::scoreboard board = make_board();
        hw::system::system_network bare(plan_, hw::system::make_core, hosts_of(workload, board), board);
        const hw::system::run_outcome wanted = bare.run(limits, stop);
        const sc_network& network = session_.at(index_);
        EXPECT_EQ(got.ended, wanted.ended) << got.diagnosis << " / " << wanted.diagnosis;
        EXPECT_EQ(got.cycles, wanted.cycles);
        EXPECT_EQ(got.diagnosis, wanted.diagnosis);
        EXPECT_EQ(network.now(), bare.network().now());
        EXPECT_EQ(board_.counts(), board.counts());
        EXPECT_EQ(board_.volume().accepted, board.volume().accepted);
        EXPECT_EQ(board_.volume().generated, board.volume().generated);
        EXPECT_EQ(board_.transfers(), board.transfers());
        EXPECT_EQ(network.flit_hops(), bare.network().flit_hops());
        EXPECT_EQ(network.chip_steps(), bare.network().chip_steps());
        EXPECT_EQ(network.last_flit(), bare.network().last_flit());
        EXPECT_EQ(network.error_count(), bare.network().error_count());
        EXPECT_EQ(errors(network.errors()), errors(bare.network().errors()));
        for (hw::engine::chip_id chip = 0; chip < bare.network().size(); ++chip) {
            for (unsigned port = 0; port < bare.network().at(chip).shape().ports; ++port) {
                EXPECT_EQ(numbers(network.statistics({chip, port})), numbers(bare.network().statistics({chip, port})))
                    << "chip " << chip << " port " << port;
            }
        }
        return board.counts().delivered;
    }

private:
    hw::traffic::workload make_workload() const {
        if (params_.kind == hw::traffic::workload_kind::unicast) return hw::traffic::workload(params_);
        hw::traffic::workload_params work = params_;
        work.how = hw::system::forwarding_of(choice_);
        return hw::traffic::workload(work, hw::system::make_planner(plan_, choice_, work.bytes));
    }
    hw::traffic::scoreboard make_board() const {
        return {board_seed_, {}, params_.payload_bytes, hw::system::facts_of(plan_)};
    }
    hw::system::host_factory hosts_of(hw::traffic::workload& workload, hw::traffic::scoreboard& board) const {
        return hw::system::workload_hosts(hw::system::native(), workload, board, board_seed_);
    }

    std::string name_;
    hw::system::system_plan plan_;
    hw::system::multicast_choice choice_;
    hw::traffic::workload_params params_;
    std::uint64_t board_seed_;
    hw::traffic::workload workload_;
    hw::traffic::scoreboard board_;
    sc_session& session_;
    std::size_t index_;
};

/// Every third switch in a module of its own, the others in the engine.
inline std::vector<placement> every_third(std::size_t switches) {
    std::vector<placement> places(switches, placement::engine);
    for (std::size_t index = 0; index < switches; index += 3) places[index] = placement::module;
    return places;
}

inline std::vector<placement> all_modules(std::size_t switches) {
    return std::vector<placement>(switches, placement::module);
}

}  // namespace polycast::tlm::network
