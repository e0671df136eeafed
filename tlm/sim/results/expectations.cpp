// SPDX-License-Identifier: Apache-2.0
#include "tlm/sim/results/expectations.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace polycast::tlm::sim {

namespace {

std::string host_name(const finished_run& run, std::uint32_t source) {
    return run.on->plan.network.hosts.at(source).name;
}

expectation judged_latency(const finished_run& run, std::uint64_t from, std::uint64_t to, std::uint64_t most) {
    // What a saturated run leaves open is as late as its end.
    const auto latency = [&](const transfer& t) {
        return (t.finished() ? t.completed : run.result.cycles) - t.created;
    };
    const transfer* longest = nullptr;
    for (const transfer& t : run.result.transfers) {
        if (t.created < from || t.created >= to) continue;
        if (longest == nullptr || latency(t) > latency(*longest)) longest = &t;
    }
    if (longest == nullptr) return {"latency", static_cast<double>(most), 0, true, "no message counts"};
    const std::uint64_t value = latency(*longest);
    return {"latency", static_cast<double>(most), static_cast<double>(value), value <= most,
            fmt::format("the longest latency is {} cycles{}, of message {} of {}, created in cycle {}; {} are expected "
                        "at most",
                        value, longest->finished() ? "" : " so far", longest->message, host_name(run, longest->source),
                        longest->created, most)};
}

expectation judged_wait(const finished_run& run, std::uint64_t from, std::uint64_t most) {
    const longest_wait found = longest_wait_of(run.result.transfers, from, run.result.cycles);
    return {"wait", static_cast<double>(most), static_cast<double>(found.cycles()), found.cycles() <= most,
            fmt::format("{} waits {} cycles, from {} to {}, until one of its messages arrives; {} are expected at most",
                        host_name(run, found.source), found.cycles(), found.from, found.to, most)};
}

expectation judged_fairness(const finished_run& run, std::uint64_t from, std::uint64_t to, double least) {
    const std::vector<host_share> shares = shares_of(run.result.transfers, from, to);
    if (shares.empty()) return {"fairness", least, 1, true, "no message counts"};
    const double index = jain_index(shares);
    const auto [worst, best] = std::ranges::minmax(shares, {}, &host_share::share);
    return {
        "fairness", least, index, index >= least,
        fmt::format("Jain's index of the hosts is {:.3f}: of {} {} of {} messages arrive in the window, of {} {} of "
                    "{}; {} is expected at least",
                    index, host_name(run, worst.source), worst.arrived, worst.created, host_name(run, best.source),
                    best.arrived, best.created, least)};
}

}  // namespace

longest_wait longest_wait_of(const std::vector<transfer>& transfers, std::uint64_t begin, std::uint64_t end) {
    struct host_times {
        std::vector<std::uint64_t> created, arrived;
    };
    std::map<std::uint32_t, host_times> hosts;
    for (const transfer& t : transfers) {
        host_times& host = hosts[t.source];
        host.created.push_back(t.created);
        host.arrived.push_back(t.finished() ? t.completed : end);
    }
    longest_wait longest;
    for (auto& [source, host] : hosts) {
        std::ranges::sort(host.arrived);
        // After i arrivals it waits from the last one on, or from the creation of its message i where that is later.
        std::uint64_t last = begin;
        for (std::size_t i = 0; i < host.arrived.size(); ++i) {
            const std::uint64_t from = std::max(last, host.created[i]);
            const std::uint64_t to = std::min(host.arrived[i], end);
            if (to > from && to - from > longest.cycles()) longest = {source, from, to};
            last = std::max(last, to);
        }
    }
    return longest;
}

std::vector<host_share> shares_of(const std::vector<transfer>& transfers, std::uint64_t begin, std::uint64_t end) {
    std::map<std::uint32_t, host_share> hosts;
    const auto inside = [&](std::uint64_t when) { return when >= begin && when < end; };
    for (const transfer& t : transfers) {
        host_share& host = hosts[t.source];
        host.source = t.source;
        host.created += inside(t.created) ? 1 : 0;
        host.arrived += t.finished() && inside(t.completed) ? 1 : 0;
    }
    std::vector<host_share> shares;
    for (const auto& [source, host] : hosts)
        if (host.created != 0) shares.push_back(host);
    return shares;
}

double jain_index(const std::vector<host_share>& shares) {
    double sum = 0;
    double squares = 0;
    for (const host_share& each : shares) {
        sum += each.share();
        squares += each.share() * each.share();
    }
    return squares == 0 ? 1 : sum * sum / (static_cast<double>(shares.size()) * squares);
}

std::vector<expectation> judged_expectations(const scenario::loaded& scenario, const finished_run& run) {
    const scenario::settings& s = scenario.values;
    const scenario::workload_settings& w = s.workloads[run.workload];
    std::vector<expectation> judged;
    if (!run.result.correct()) return judged;
    const std::uint64_t from = w.rate ? first_message(s) + s.measurement.warmup : 0;
    const std::uint64_t to = w.rate ? from + s.measurement.window : transfer::unfinished;
    if (w.expect.latency) judged.push_back(judged_latency(run, from, to, *w.expect.latency));
    if (w.expect.wait) judged.push_back(judged_wait(run, from, *w.expect.wait));
    if (w.expect.fairness) judged.push_back(judged_fairness(run, from, to, *w.expect.fairness));
    return judged;
}

}  // namespace polycast::tlm::sim
