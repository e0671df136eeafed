// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/agreement.h"

#include <fmt/format.h>

#include <exception>
#include <fstream>
#include <sstream>
#include <string>

#include "hw/input_error.h"
#include "tlm/ranks/ranks.h"
#include "tlm/workloads/result_bytes.h"

namespace polycast::tlm::sim {

using hw::engine::simulated_elsewhere;

namespace {

/// The first error of a rank, on all of them.
void settle(hw::engine::rank_group& ranks, const std::exception_ptr& own) {
    std::string error;
    try {
        if (own) std::rethrow_exception(own);
    } catch (const std::exception& failed) {
        error = failed.what();
    }
    const std::vector<std::string> all = ranks.gather(error);
    std::string text;
    for (unsigned rank = 1; rank < all.size() && text.empty(); ++rank)
        if (!all[rank].empty()) text = "rank " + std::to_string(rank) + ": " + all[rank];
    const bool failed = !ranks.spread(own ? error : text).empty();
    if (!failed) return;
    if (!ranks.first()) throw simulated_elsewhere();
    if (own) std::rethrow_exception(own);
    throw hw::input_error(text);
}

}  // namespace

void on_all(const rank_pointer& ranks, const std::function<void()>& work) {
    if (!ranks) return work();
    std::exception_ptr failed;
    try {
        work();
    } catch (...) {
        failed = std::current_exception();
    }
    settle(*ranks, failed);
}

void one_after_the_other(const rank_pointer& ranks, const std::function<void()>& work) {
    if (!ranks) return work();
    for (const bool first : {true, false})
        on_all(ranks, [&] {
            if (ranks->first() == first) work();
        });
}

bool as_first(const rank_pointer& ranks, bool own) {
    return ranks ? ranks->spread(own ? "yes" : "") == "yes" : own;
}

run_result agreed(const rank_pointer& ranks, const std::function<run_result()>& work) {
    if (!ranks) return work();
    if (ranks->first()) {
        run_result result;
        try {
            result = work();
        } catch (const hw::engine::out_of_step&) {
            throw;
        } catch (...) {
            ranks->spread("");  // the others leave
            throw;
        }
        const std::vector<std::uint8_t> bytes = to_bytes(result);
        ranks->spread(std::string(bytes.begin(), bytes.end()));
        return result;
    }
    try {
        work();
    } catch (const simulated_elsewhere&) {
    }
    const std::string bytes = ranks->spread("");
    if (bytes.empty()) throw simulated_elsewhere();
    return from_bytes({bytes.begin(), bytes.end()});
}

run_result one_of_several(const network_factory& factory, const std::function<run_result()>& work) {
    return agreed(factory.ranks, [&] { return factory.one_per_process ? in_child(work) : work(); });
}

void end_if_out_of_step(const rank_pointer& ranks, const std::exception& failed) {
    if (!ranks || (ranks->first() && dynamic_cast<const hw::engine::out_of_step*>(&failed) == nullptr)) return;
    fmt::print(stderr, "error: rank {}: {}\n", ranks->rank(), failed.what());
    ranks->abort(2);
}

void check_ranks(hw::engine::rank_group& ranks, const scenario::loaded& scenario,
                 const std::vector<instance>& instances, const std::vector<tool_request>& tools) {
    if (!tools.empty())
        throw hw::input_error("--gdb, --profile and --instructions look at firmware in one process, and this run has " +
                                  std::to_string(ranks.size()),
                              "start one");
    ranks::require_same(ranks, ranks::program_digest(), "build of the program");
    std::ostringstream all;
    all << scenario.yaml();
    for (const instance& on : instances) {
        for (const hw::system::planned_chip& chip : on.plan.chips) all << chip.name << '\n';
        for (const hw::system::planned_cable& cable : on.plan.cables)
            all << cable.a.chip << ':' << cable.a.port << ' ' << cable.b.chip << ':' << cable.b.port << ' '
                << cable.link.delay << '\n';
    }
    for (const auto& [file, text] : scenario.files->all()) all << text;
    if (const auto firmware = scenario.firmware_path()) all << std::ifstream(*firmware, std::ios::binary).rdbuf();
    ranks::require_same(ranks, std::to_string(std::hash<std::string>()(all.str())), "scenario");
}

}  // namespace polycast::tlm::sim
