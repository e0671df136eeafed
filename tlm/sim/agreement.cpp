// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/agreement.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <exception>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

#include "hw/engine/packing.h"
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

// What a child has come to, before its result.
constexpr std::uint8_t made_here = 'm';
constexpr std::uint8_t made_elsewhere = 'e';
constexpr std::uint8_t not_in_step = 'o';

/// Lets a child of this rank work with those of the others. \throws what it throws
run_result in_child_of_rank(ranks::relayed_ranks& ranks, const std::function<run_result()>& work,
                            const std::function<bool()>& stop) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        throw std::system_error(errno, std::generic_category(), "a socket for a process of a rank");
    const auto child_work = [&]() -> child_process::bytes {
        ::close(ends[0]);
        ranks.ask(ends[1]);
        const std::shared_ptr<void> at_end(nullptr, [&ranks](void*) { ranks.hang_up(); });
        try {
            child_process::bytes bytes = to_bytes(work());
            bytes.insert(bytes.begin(), made_here);
            return bytes;
        } catch (const simulated_elsewhere&) {
            return {made_elsewhere};
        } catch (const hw::engine::out_of_step& failed) {
            child_process::bytes bytes{not_in_step};
            for (const char* letter = failed.what(); *letter != 0; ++letter)
                bytes.push_back(static_cast<std::uint8_t>(*letter));
            return bytes;
        }
    };
    child_process child(child_work);
    ::close(ends[1]);
    const bool in_step = ranks.serve(ends[0], stop);
    ::close(ends[0]);
    child_process::bytes bytes;
    try {
        bytes = child.result();
    } catch (const std::exception& failed) {
        if (in_step) throw;
        throw hw::engine::out_of_step(failed.what());
    }
    const std::uint8_t how = bytes.front();
    bytes.erase(bytes.begin());
    if (how == made_elsewhere) throw simulated_elsewhere();
    if (how == not_in_step) throw hw::engine::out_of_step(std::string(bytes.begin(), bytes.end()));
    return from_bytes(bytes);
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

std::vector<std::optional<run_result>> dealt(const rank_pointer& ranks, std::size_t count,
                                             const std::function<run_result(std::size_t index)>& make,
                                             const std::function<bool()>& stop) {
    using all_bytes = std::vector<child_process::bytes>;
    all_bytes made(count);
    on_all(ranks, [&] {
        for (std::size_t i = ranks->rank(); i < count && !stop(); i += ranks->size()) made[i] = to_bytes(make(i));
    });
    const std::vector<std::string> of_rank = ranks->gather(hw::engine::packed(made));
    for (std::size_t i = 0; ranks->first() && i < count; ++i)
        made[i] = hw::engine::unpacked<all_bytes>(of_rank[i % ranks->size()])[i];
    made = hw::engine::unpacked<all_bytes>(ranks->spread(hw::engine::packed(made)));
    std::vector<std::optional<run_result>> results(count);
    for (std::size_t i = 0; i < count; ++i)
        if (!made[i].empty()) results[i] = from_bytes(made[i]);
    return results;
}

run_result in_own_process(const network_factory& factory, const std::function<run_result()>& work,
                          const std::function<bool()>& stop) {
    if (!factory.one_per_process) return work();
    return factory.relayed ? in_child_of_rank(*factory.relayed, work, stop) : in_child(work);
}

run_result one_of_several(const network_factory& factory, const std::function<run_result()>& work) {
    const auto stop = [&factory] { return factory.relayed->asks() && factory.relayed->stop_requested(); };
    return agreed(factory.ranks, [&] { return in_own_process(factory, work, stop); });
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
    all << scenario.files->hash() << '\n';
    if (const auto firmware = scenario.firmware_path()) all << std::ifstream(*firmware, std::ios::binary).rdbuf();
    ranks::require_same(ranks, std::to_string(std::hash<std::string>()(all.str())), "scenario");
}

}  // namespace polycast::tlm::sim
